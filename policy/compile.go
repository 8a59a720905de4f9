package policy

import (
	"cmp"
	"errors"
	"fmt"
	"path"
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

// Policy is a compiled list of sets. It never changes.
type Policy struct {
	rules    []*rule // by tier, then in order
	defaults []fallback
	cache    candidates
	counts   *limiters
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
	return p, nil
}

func (p *Policy) add(env *expr.Env, s *Set) (problems []error) {
	for i, r := range s.Rules {
		name := cmp.Or(r.Name, fmt.Sprintf("rule %d", i+1))
		bad := func(field string, at expr.Position, err error) {
			problems = append(problems, &Problem{Set: s.Name, Rule: name, Index: i, Field: field, Position: at, Err: err})
		}
		compiled := &rule{Rule: r, ref: refOf(s, name, r), agents: globsOf(r.Match.Agents), principals: globsOf(r.Match.Principals)}
		if !slices.Contains([]Effect{Allow, Ask, Deny}, r.Effect) {
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
			x, failure := env.Compile(r.When)
			switch {
			case failure != nil:
				bad("when", failure.Position, failure)
			case x.Type().String() != "bool":
				bad("when", expr.Position{Line: 1}, fmt.Errorf("the condition gives %s; it must give a bool", x.Type()))
			default:
				compiled.when, compiled.uses = x, variablesOf(x)
				compiled.decided = r.Effect == Allow && mentions(x, "commands") && !mentions(x, "dynamic")
			}
		}
		p.rules = append(p.rules, compiled)
	}
	p.fallback(s)
	return problems
}

// fallback keeps the strictest default of each tier.
func (p *Policy) fallback(s *Set) {
	if s.Default == "" {
		return
	}
	f := fallback{ref: refOf(s, "default", Rule{Effect: s.Default}), effect: s.Default}
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

// globs are patterns, prepared so that most names that do not match are known by
// their beginning.
type globs []glob

type glob struct {
	pattern string
	// head is the text before the first sign with a meaning; plain means that
	// there is no such sign.
	head  string
	plain bool
}

func globsOf(patterns []string) globs {
	var list globs
	for _, pattern := range patterns {
		g := glob{pattern: pattern, head: pattern, plain: true}
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
		if ok, err := path.Match(g.pattern, name); err == nil && ok {
			return true
		}
	}
	return len(list) == 0
}

func anyGlob(patterns []string, name string) bool { return globsOf(patterns).match(name) }
