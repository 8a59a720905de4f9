package policy

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"sync"
	"time"

	"cel.dev/cel-go/common/types"
	"cel.dev/cel-go/common/types/ref"

	"github.com/gongu-ai/gongu"
	"github.com/gongu-ai/gongu/internal/expr"
)

// Request is what a decision is about.
type Request struct {
	Tool  *gongu.Tool
	Agent string
	// Principal is the caller; nil is the program itself.
	Principal *gongu.Principal
	Call      gongu.Call
	// Parent is the name of the tool whose handler made the call.
	Parent string
	// Shell is the command text if the tool runs one; HasShell says so. If it is
	// false, the Shell function of the tool is asked.
	Shell    string
	HasShell bool
	// InWorkdir reports whether the call changes only files inside its workdir;
	// nil is no. It is asked only if that decides something.
	InWorkdir func() bool
	Mode      Mode
	Now       time.Time
}

// Decision is the answer about one call.
type Decision struct {
	Effect Effect
	// Rule is the rule that decided.
	Rule      Ref
	Message   string
	Approvers []string
	Limits    Limits
	// Steps has every rule that was tried, for people who ask why.
	Steps []Step
	// Dynamic is true for a shell command that its text does not decide; the
	// answer to such a question is never remembered.
	Dynamic bool
}

// Step is one rule that was tried.
type Step struct {
	Rule    Ref    `json:"rule"`
	Effect  Effect `json:"effect"`
	Matched bool   `json:"matched"`
	// When is the condition.
	When string `json:"when,omitempty"`
	// Failed is the error of the condition; the rule then counts as ask.
	Failed string `json:"failed,omitempty"`
}

// Decide decides about one call. A deny of any tier wins. Otherwise the first
// rule that matches in the strongest tier with one decides; the default of a tier
// is its last rule, so that a stronger tier can allow what it denies. A condition
// that fails counts as ask; in a deny rule of any tier it makes the call at least
// asked about, because it is not known whether the call is denied.
func (p *Policy) Decide(ctx context.Context, r *Request) Decision {
	e := &evaluation{request: r, ctx: ctx}
	var best, unsure *outcome
	tier := BuiltIn + 1
	for _, i := range p.candidates(r.Tool) {
		rule := p.rules[i]
		if best != nil && rule.Effect != Deny && rule.ref.Tier >= tier || !rule.concerns(r) {
			continue
		}
		o := e.try(rule)
		switch {
		case o == nil:
		case o.effect == Deny:
			return e.decision(o)
		case rule.Effect == Deny:
			unsure = cmp.Or(unsure, o)
		case rule.ref.Tier < tier:
			best, tier = o, rule.ref.Tier
		}
	}
	best = p.fallBack(e, best, tier)
	if unsure != nil && best.effect == Allow {
		best = unsure
	}
	decided := r.Mode.apply(r, best, unsure)
	if decided != best && decided.ref.Tier == BuiltIn {
		e.passed(decided)
	}
	return e.decision(decided)
}

// fallBack returns the outcome of the rules, or of what decides without one.
func (p *Policy) fallBack(e *evaluation, best *outcome, tier Tier) *outcome {
	for i := range p.defaults {
		if f := &p.defaults[i]; f.ref.Tier < tier {
			best, tier = &outcome{effect: f.effect, ref: f.ref}, f.ref.Tier
			e.passed(best)
		}
	}
	if best == nil {
		best = builtIn(e.request)
		e.passed(best)
	}
	return best
}

// passed records an outcome without a rule.
func (e *evaluation) passed(o *outcome) {
	e.steps = append(e.steps, Step{Rule: o.ref, Effect: o.effect, Matched: true})
}

// Hidden reports whether every call of the tool by this caller is denied,
// whatever its arguments, so that the tool need not be shown.
func (p *Policy) Hidden(r *Request) bool {
	if r.Mode == Plan && !r.Tool.Annotations.IsReadOnly() && !decidedInside(r.Tool) {
		return true
	}
	other := BuiltIn + 1 // the strongest tier with a rule that does not deny
	for _, i := range p.candidates(r.Tool) {
		switch rule := p.rules[i]; {
		case !rule.concerns(r):
		case rule.Effect != Deny:
			other = min(other, rule.ref.Tier)
		case rule.when == nil:
			return true
		}
	}
	for _, f := range p.defaults {
		if f.ref.Tier < other {
			return f.effect == Deny
		}
	}
	return other > BuiltIn && builtIn(r).effect == Deny
}

// outcome is the answer of one rule.
type outcome struct {
	effect  Effect
	ref     Ref
	rule    *rule
	message string
}

// concerns compares what is not in the cache of candidates.
func (r *rule) concerns(q *Request) bool {
	name := ""
	if q.Principal != nil {
		name = q.Principal.Name
	}
	return r.agents.match(q.Agent) && r.principals.match(name)
}

// evaluation is the work on one decision. The variables are made once, and only
// if a condition needs them.
type evaluation struct {
	ctx       context.Context
	request   *Request
	variables map[string]any
	shell     *Shell
	steps     []Step
	cost      uint64 // of the conditions so far
}

// maxCost bounds the conditions of one decision together, in CEL's units: the
// caller chooses the arguments that they look at.
const maxCost = 1_000_000

var errNoShell = errors.New("the call runs no shell command, so there is no commands and no dynamic; name the tools in match")

var errTooCostly = errors.New("the conditions of the rules take too much work for this call")

// try returns the outcome of a rule, or nil if it does not match.
func (e *evaluation) try(r *rule) *outcome {
	step := Step{Rule: r.ref, Effect: r.Effect, Matched: true, When: r.When}
	effect := r.Effect
	if r.when != nil {
		holds, err := e.holds(r)
		step.Matched = holds || err != nil
		if err != nil {
			step.Failed, effect = err.Error(), Ask
		}
	}
	e.steps = append(e.steps, step)
	if !step.Matched {
		return nil
	}
	return &outcome{effect: effect, ref: r.ref, rule: r, message: r.Message}
}

func (e *evaluation) holds(r *rule) (bool, error) {
	if err := e.bind(r.uses); err != nil {
		return false, err
	}
	if e.cost > maxCost {
		return false, errTooCostly
	}
	value, cost, failure := r.when.Eval(e.ctx, e.variables)
	e.cost += cost
	switch {
	case failure == nil:
	case e.shell == nil && (slices.Contains(r.uses, "commands") || slices.Contains(r.uses, "dynamic")):
		return false, errNoShell
	default:
		return false, failure
	}
	if value.Type() != types.BoolType {
		return false, fmt.Errorf("the condition gave %s and not a bool", value.Type().TypeName())
	}
	return value == types.True && !(r.decided && e.shell != nil && e.shell.Dynamic), nil
}

// bind makes the variables that a condition uses, each once for all conditions.
// They are values of CEL, so that it does not convert them at each use. Without a
// shell command there is no commands and no dynamic: a condition that reads them
// fails, and counts as ask.
func (e *evaluation) bind(names []string) error {
	if e.variables == nil {
		e.variables = make(map[string]any, len(names))
	}
	for _, name := range names {
		if _, made := e.variables[name]; made {
			continue
		}
		value, err := e.variable(name)
		if err != nil {
			return err
		}
		if value != nil {
			e.variables[name] = value
		}
	}
	return nil
}

func (e *evaluation) variable(name string) (ref.Val, error) {
	r := e.request
	switch name {
	case "args":
		args, err := expr.Decode(r.Call.Args)
		if err != nil {
			return nil, err
		}
		if args == nil {
			args = map[string]any{}
		}
		return types.DefaultTypeAdapter.NativeToValue(args), nil
	case "tool":
		a := r.Tool.Annotations
		return values(map[string]any{
			"name": r.Tool.Name, "domain": domainOf(r.Tool), "source": r.Tool.Source.Identity(), "labels": r.Tool.Labels,
			"readOnly": a.IsReadOnly(), "destructive": a.IsDestructive(), "idempotent": a.IsIdempotent(), "openWorld": a.IsOpenWorld(),
		}), nil
	case "principal":
		p := r.Principal
		if p == nil {
			p = &gongu.Principal{}
		}
		return values(map[string]any{"name": p.Name, "kind": p.Kind, "person": p.Person, "attended": p.Attended}), nil
	case "call":
		return values(map[string]any{"id": r.Call.ID, "parent": r.Parent}), nil
	case "agent":
		return types.String(r.Agent), nil
	case "now":
		return types.Timestamp{Time: r.Now}, nil
	}
	shell := e.parsed()
	switch {
	case shell == nil:
		return nil, nil
	case name == "dynamic":
		return types.Bool(shell.Dynamic), nil
	}
	commands := make([]ref.Val, len(shell.Commands))
	for i, words := range shell.Commands {
		commands[i] = types.NewStringList(types.DefaultTypeAdapter, words)
	}
	return types.NewRefValList(types.DefaultTypeAdapter, commands), nil
}

func values(fields map[string]any) ref.Val {
	return types.NewStringInterfaceMap(types.DefaultTypeAdapter, fields)
}

// parsed returns the shell command of the call, parsed once, or nil.
func (e *evaluation) parsed() *Shell {
	if e.shell != nil {
		return e.shell
	}
	r := e.request
	text, ok := r.Shell, r.HasShell
	if !ok && r.Tool.Shell != nil {
		text, ok = r.Tool.Shell(r.Call.Args)
	}
	if !ok {
		return nil
	}
	shell := ParseShell(text)
	e.shell = &shell
	return e.shell
}

func domainOf(t *gongu.Tool) string {
	if t.Domain != "" {
		return t.Domain
	}
	return t.Source.Name
}

func (e *evaluation) decision(o *outcome) Decision {
	d := Decision{Effect: o.effect, Rule: o.ref, Message: o.message, Steps: e.steps}
	if o.rule != nil {
		d.Approvers, d.Limits = o.rule.Approvers, o.rule.Limits
	}
	if o.effect == Ask {
		e.parsed()
	}
	d.Dynamic = e.shell != nil && e.shell.Dynamic
	return d
}

// candidates caches which rules can match a tool, by everything that does not
// change from call to call.
type candidates struct {
	mu    sync.RWMutex
	tools map[toolKey][]int
}

// toolKey is what rules match of a tool.
type toolKey struct {
	name, original, domain, source                  string
	readOnly, destructive, idempotent, openWorldKey bool
}

// maxCached bounds the cache; it starts again when it is full.
const maxCached = 100_000

func (c *candidates) reset() { c.tools = map[toolKey][]int{} }

// candidates returns the rules whose match selects the tool, in order.
func (p *Policy) candidates(t *gongu.Tool) []int {
	a := t.Annotations
	key := toolKey{t.Name, t.Source.Original, domainOf(t), t.Source.Identity(), a.IsReadOnly(), a.IsDestructive(), a.IsIdempotent(), a.IsOpenWorld()}
	p.cache.mu.RLock()
	list, found := p.cache.tools[key]
	p.cache.mu.RUnlock()
	if found {
		return list
	}
	for i, r := range p.rules {
		if r.Match.selects(&key, a, r.Effect == Deny) {
			list = append(list, i)
		}
	}
	p.cache.mu.Lock()
	defer p.cache.mu.Unlock()
	if len(p.cache.tools) >= maxCached {
		p.cache.reset()
	}
	p.cache.tools[key] = list
	return list
}

// selects compares a tool. A deny also matches the name that the tool has at its
// upstream.
func (m *Match) selects(key *toolKey, a gongu.Annotations, deny bool) bool {
	name := anyGlob(m.Tools, key.name) || deny && key.original != "" && anyGlob(m.Tools, key.original)
	return name && anyGlob(m.Domains, key.domain) && anyGlob(m.Sources, key.source) && m.Hints.holds(a)
}
