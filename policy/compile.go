package policy

import (
	"cmp"
	"errors"
	"fmt"
	"maps"
	"path"
	"reflect"
	"slices"
	"strings"
	"sync"

	"cel.dev/cel-go/cel"

	"github.com/gongu-ai/gongu/internal/expr"
)

// Problem is a rule that cannot be used.
type Problem struct {
	Set, Rule string
	// Index is the position of the rule in its set, Field the part of it.
	Index int
	Field string
	expr.Position
	Err error
}

func (p *Problem) Error() string {
	return fmt.Sprintf("policy %s, rule %s: %s: %v", p.Set, p.Rule, p.Field, p.Err)
}

// Unwrap returns the cause.
func (p *Problem) Unwrap() error { return p.Err }

// ProblemsOf returns the problems in an error of [New].
func ProblemsOf(err error) []*Problem {
	joined, ok := err.(interface{ Unwrap() []error })
	if !ok {
		return nil
	}
	var list []*Problem
	for _, one := range joined.Unwrap() {
		if p, ok := errors.AsType[*Problem](one); ok {
			list = append(list, p)
		}
	}
	return list
}

// WithoutAllow returns the set without what allows calls.
func (s Set) WithoutAllow() Set {
	s.Rules = slices.DeleteFunc(slices.Clone(s.Rules), func(r Rule) bool { return r.Effect == Allow })
	if s.Default == Allow {
		s.Default = ""
	}
	return s
}

// Continue makes the policy count calls on from those that another one counted,
// so that a change of rules does not start the rates again. It must be called
// before the policy is used.
func (p *Policy) Continue(before *Policy) {
	if before == nil {
		return
	}
	p.counts = before.counts
	p.counts.keep(p.rules)
}

// ShowsSame reports whether both hide the same tools from everyone.
func (p *Policy) ShowsSame(other *Policy) bool {
	return slices.EqualFunc(p.rules, other.rules, func(a, b *rule) bool {
		return a.ref.Tier == b.ref.Tier && a.Effect == b.Effect && (a.when == nil) == (b.when == nil) && reflect.DeepEqual(a.Match, b.Match)
	}) && slices.EqualFunc(p.defaults, other.defaults, func(a, b fallback) bool {
		return a.ref.Tier == b.ref.Tier && a.effect == b.effect
	})
}

// RuleName returns the name of a rule, or its number in its set if it has none.
func RuleName(index int, name string) string { return cmp.Or(name, fmt.Sprintf("rule %d", index+1)) }

// Entry is one rule of a policy, or the default of a tier.
type Entry struct {
	Ref  Ref
	Rule Rule
}

// Entries returns the rules in the order in which they are tried, the default of
// a tier after its rules.
func (p *Policy) Entries() []Entry {
	var list []Entry
	for _, r := range p.rules {
		list = append(list, Entry{r.ref, r.Rule})
	}
	for _, f := range p.defaults {
		list = append(list, Entry{f.ref, Rule{Name: DefaultName, Effect: f.effect}})
	}
	slices.SortStableFunc(list, func(a, b Entry) int { return cmp.Compare(a.Ref.Tier, b.Ref.Tier) })
	return list
}

// DefaultName is how decisions name the default of a set.
const DefaultName = "default"

// Policy is a compiled list of sets. It never changes.
type Policy struct {
	rules    []*rule // by tier, then in order
	defaults []fallback
	cache    candidates
	counts   *limiters
	// denies is true if a rule denies whatever the arguments are, byName if one
	// names principals.
	denies, byName bool
}

// rule is a compiled rule.
type rule struct {
	Rule
	ref  Ref
	when *expr.Expression
	// decided is true if an allow rule reads commands and not dynamic: it then
	// holds only for commands that the text decides.
	decided bool
	// uses are the variables of the condition.
	uses []string
	// agents and principals are those of Match; they are compared for each call.
	agents, principals globs
}

// fallback is the default of a tier.
type fallback struct {
	ref    Ref
	effect Effect
}

// environment is shared: making one takes milliseconds.
var environment = sync.OnceValues(func() (*expr.Env, error) {
	values := cel.MapType(cel.StringType, cel.DynType)
	env, err := expr.New(
		expr.Variable{Name: "tool", Type: values},
		expr.Variable{Name: "args", Type: values},
		expr.Variable{Name: "agent", Type: cel.StringType},
		expr.Variable{Name: "principal", Type: values},
		expr.Variable{Name: "call", Type: values},
		expr.Variable{Name: "now", Type: cel.TimestampType},
		expr.Variable{Name: "commands", Type: cel.ListType(cel.ListType(cel.StringType))},
		expr.Variable{Name: "dynamic", Type: cel.BoolType},
	)
	if err != nil {
		return nil, err
	}
	return env.FoldConstants(), nil
})

// New compiles sets of rules. The error joins a [Problem] for each rule that
// cannot be used.
func New(sets ...Set) (*Policy, error) {
	env, err := environment()
	if err != nil {
		return nil, err
	}
	p := &Policy{counts: newLimiters()}
	p.cache.reset()
	sets = slices.Clone(sets)
	slices.SortStableFunc(sets, func(a, b Set) int { return cmp.Compare(a.Tier, b.Tier) })
	var problems []error
	for i := range sets {
		problems = append(problems, p.add(env, &sets[i])...)
	}
	if len(problems) > 0 {
		return nil, errors.Join(problems...)
	}
	p.noteHiding()
	return p, nil
}

func (p *Policy) add(env *expr.Env, s *Set) (problems []error) {
	seen := map[string]bool{}
	for i, r := range s.Rules {
		name := RuleName(i, r.Name)
		bad := func(field string, at expr.Position, err error) {
			problems = append(problems, &Problem{Set: s.Name, Rule: name, Index: i, Field: field, Position: at, Err: err})
		}
		compiled := &rule{Rule: r, ref: refOf(s, name, r), agents: globsOf(r.Match.Agents), principals: globsOf(r.Match.Principals)}
		if seen[name] || name == DefaultName {
			bad("name", expr.Position{}, fmt.Errorf("%q is the name of another rule, or of the default", name))
		}
		seen[name] = true
		if !r.Effect.known() {
			bad("effect", expr.Position{}, fmt.Errorf("%q is not allow, ask or deny", r.Effect))
		}
		for field, globs := range r.Match.globs() {
			for _, glob := range globs {
				if _, err := path.Match(glob, ""); err != nil {
					bad("match."+field, expr.Position{}, fmt.Errorf("glob %q: %w", glob, err))
				}
			}
		}
		if r.When != "" {
			if at, err := compiled.compile(env); err != nil {
				bad("when", at, err)
			}
		}
		p.rules = append(p.rules, compiled)
	}
	if s.Default != "" && !s.Default.known() {
		problems = append(problems, &Problem{Set: s.Name, Rule: DefaultName, Index: -1, Field: "default", Err: fmt.Errorf("%q is not allow, ask or deny", s.Default)})
	}
	p.fallback(s)
	return problems
}

// fields are what the variables have that are no arguments; true is a bool.
var fields = map[string]map[string]bool{
	"tool": {
		"name": false, "domain": false, "source": false, "labels": false,
		"readOnly": true, "destructive": true, "idempotent": true, "openWorld": true,
	},
	"principal": {"name": false, "kind": false, "person": true, "attended": true},
	"call":      {"id": false, "parent": false},
}

// compile compiles the condition. A field that no call has would make every call
// fail the condition, so it is an error here.
func (r *rule) compile(env *expr.Env) (expr.Position, error) {
	x, failure := env.Compile(r.When)
	if failure != nil {
		return failure.Position, failure
	}
	if t := x.Type().String(); t != "bool" && t != "dyn" {
		return expr.Position{Line: 1}, fmt.Errorf("the condition gives %s; it must give a bool", t)
	}
	var at expr.Position
	var err error
	x.Uses(func(u expr.Use) {
		known := fields[u.Name]
		isBool, found := known[u.Field]
		switch {
		case err != nil || known == nil || u.Field == "":
		case !found:
			names := slices.Sorted(maps.Keys(known))
			at, err = u.Position, fmt.Errorf("%s has no field %q; it has %s", u.Name, u.Field, strings.Join(names, ", "))
		case !isBool && strings.TrimSpace(r.When) == u.Name+"."+u.Field:
			at, err = u.Position, fmt.Errorf("%s is not a bool; compare it with something", r.When)
		}
	})
	if err != nil {
		return at, err
	}
	r.when, r.uses = x, variablesOf(x)
	r.decided = r.Effect == Allow && mentions(x, "commands") && !mentions(x, "dynamic")
	return expr.Position{}, nil
}

// fallback keeps the strictest default of each tier.
func (p *Policy) fallback(s *Set) {
	if s.Default == "" {
		return
	}
	f := fallback{ref: refOf(s, DefaultName, Rule{Effect: s.Default}), effect: s.Default}
	for i := range p.defaults {
		if have := &p.defaults[i]; have.ref.Tier == s.Tier {
			if stricter(f.effect, have.effect) {
				*have = f
			}
			return
		}
	}
	p.defaults = append(p.defaults, f)
}

func stricter(a, b Effect) bool {
	order := []Effect{Allow, Ask, Deny}
	return slices.Index(order, a) > slices.Index(order, b)
}

func mentions(x *expr.Expression, name string) bool { return slices.Contains(variablesOf(x), name) }

// variablesOf returns the variables of an expression, each once.
func variablesOf(x *expr.Expression) []string {
	var names []string
	x.Uses(func(u expr.Use) {
		if !slices.Contains(names, u.Name) {
			names = append(names, u.Name)
		}
	})
	return names
}

func (m *Match) globs() map[string][]string {
	return map[string][]string{"tools": m.Tools, "domains": m.Domains, "sources": m.Sources, "agents": m.Agents, "principals": m.Principals}
}

// noSlash makes * match any text: sources and names of callers have slashes and
// are no paths.
func noSlash(text string) string { return strings.ReplaceAll(text, "/", "\x00") }

// globs are patterns, prepared so that most names that do not match are known by
// their beginning.
type globs []glob

type glob struct {
	pattern string
	// compared is the pattern for path.Match.
	compared string
	// head is the text before the first sign with a meaning; plain means that
	// there is no such sign.
	head  string
	plain bool
}

func globsOf(patterns []string) globs {
	var list globs
	for _, pattern := range patterns {
		g := glob{pattern: pattern, compared: noSlash(pattern), head: pattern, plain: true}
		if i := strings.IndexAny(pattern, `*?[\`); i >= 0 {
			g.head, g.plain = pattern[:i], false
		}
		list = append(list, g)
	}
	return list
}

// match reports whether one of the patterns matches; without patterns every name
// does.
func (list globs) match(name string) bool {
	for i := range list {
		g := &list[i]
		switch {
		case g.pattern == "*" || g.pattern == name:
			return true
		case g.plain || !strings.HasPrefix(name, g.head):
			continue
		}
		if ok, err := path.Match(g.compared, noSlash(name)); err == nil && ok {
			return true
		}
	}
	return len(list) == 0
}

func anyGlob(patterns []string, name string) bool { return globsOf(patterns).match(name) }
