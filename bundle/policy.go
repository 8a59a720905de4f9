package bundle

import (
	"cmp"
	"reflect"
	"strconv"
	"strings"
	"time"

	"go.yaml.in/yaml/v3"

	"github.com/gongu-ai/gongu/internal/expr"
	"github.com/gongu-ai/gongu/internal/lang"
	"github.com/gongu-ai/gongu/policy"
)

// Policy is a resource: rules about calls.
type Policy struct {
	Meta
	Spec PolicySpec
}

// PolicySpec is the spec of a Policy.
type PolicySpec struct {
	Rules   []PolicyRule `json:"rules" rule:"unique=name" doc:"The rules, in order: the first that matches decides, but a deny always wins."`
	Default string       `json:"default" rule:"enum=allow|ask|deny" doc:"What happens to calls that no rule matches (default: the next tier decides)."`
	Notify  PolicyNotify `json:"notify" doc:"How a person hears of a question. Only in the policy file of the user or of the administrator."`
}

// PolicyRule decides about the calls that match.
type PolicyRule struct {
	Name      string       `json:"name" rule:"nonempty" doc:"Name of the rule, shown when it decides."`
	Match     PolicyMatch  `json:"match" doc:"Which calls: globs and hints, all of which must match, or a condition in CEL (default: all calls)."`
	When      string       `json:"when" rule:"nonempty" doc:"Condition in CEL over tool, args, agent, principal, call, now and, for shell commands, commands and dynamic."`
	Effect    string       `json:"effect" rule:"required,enum=allow|ask|deny" doc:"What happens to the call."`
	Message   string       `json:"message" rule:"nonempty" doc:"Added to the refusal, or to the question."`
	Approvers []string     `json:"approvers" rule:"min=1,nonempty,glob" doc:"Names of those who may answer; * and ? work (default: everyone who may decide)."`
	Limits    PolicyLimits `json:"limits" doc:"Bounds of the calls that the rule decides, for each host."`
}

// PolicyMatch selects calls. The globs of a field are alternatives, and every
// field that is given must match.
type PolicyMatch struct {
	// When is the condition if match is a text.
	When       string      `json:"-"`
	Tools      []string    `json:"tools" rule:"min=1,nonempty,glob" doc:"Full names of tools; * and ? work."`
	Domains    []string    `json:"domains" rule:"min=1,nonempty,glob" doc:"Domains of tools; * and ? work."`
	Sources    []string    `json:"sources" rule:"min=1,nonempty,glob" doc:"Where the tools come from, such as McpServer/github or McpServer/*."`
	Agents     []string    `json:"agents" rule:"min=1,nonempty,glob" doc:"Names of agents; * and ? work."`
	Principals []string    `json:"principals" rule:"min=1,nonempty,glob" doc:"Names of callers; * and ? work."`
	Hints      PolicyHints `json:"hints" doc:"Annotations of the tool. One without hints is destructive and open to the world."`
}

// PolicyHints compares the annotations of a tool; nil compares nothing.
type PolicyHints struct {
	ReadOnly    *bool `json:"readOnly" doc:"Whether the tool only reads."`
	Destructive *bool `json:"destructive" doc:"Whether the tool may destroy something."`
	Idempotent  *bool `json:"idempotent" doc:"Whether a second call with the same arguments changes nothing."`
	OpenWorld   *bool `json:"openWorld" doc:"Whether the tool reaches things outside of the machine."`
}

// PolicyLimits bounds the calls that a rule decided.
type PolicyLimits struct {
	Rate       PolicyRate `json:"rate" doc:"Most calls in a time, such as 10/1m."`
	Concurrent int        `json:"concurrent" rule:"min=1" doc:"Most calls at a time."`
	Timeout    Duration   `json:"timeout" doc:"How long a call may take, such as 30s."`
	Output     Bytes      `json:"output" doc:"Most output of a call, such as 64KiB."`
}

// PolicyRate is a number of calls in a time, such as 10/1m.
type PolicyRate policy.Rate

// maxRate bounds the calls that are remembered for a rate.
const maxRate = 100_000

func (r *PolicyRate) fromNode(d *decoder, a at, _ rules) {
	text := a.value().Value
	calls, in, both := strings.Cut(text, "/")
	n, err := strconv.Atoi(calls)
	span, spanErr := time.ParseDuration(in)
	if kindOf(a.node) != kindString || !both || err != nil || spanErr != nil || n < 1 || n > maxRate || span <= 0 {
		d.error(a, CodeSchemaInvalid, lang.PolicyRate.With(short(text)), lang.PolicyHintRate.With(maxRate))
		return
	}
	*r = PolicyRate{Calls: n, In: span}
}

// PolicyNotify is how a person hears of a question.
type PolicyNotify struct {
	Command Command `json:"command" doc:"Program that is started with the tool, the agent and the link, without the arguments of the call."`
	Webhook string  `json:"webhook" rule:"url" doc:"Address that gets the tool, the agent and the link as JSON."`
}

func (m *PolicyMatch) fromNode(d *decoder, a at, _ rules) {
	if kindOf(a.node) != kindString {
		d.structure(a, reflect.ValueOf(m).Elem())
		return
	}
	m.When = a.value().Value
	d.checkText(a, m.When, rules{nonempty: true})
}

// check refuses a null: for other fields it means nothing, but a match without
// its globs would select every call.
func (m *PolicyMatch) check(d *decoder, a at) { noNulls(d, a) }

func (h *PolicyHints) check(d *decoder, a at) { noNulls(d, a) }

func (r *PolicyRule) check(d *decoder, a at) {
	noNulls(d, a)
	if r.Match.When != "" && r.When != "" {
		d.error(a.find("when"), CodeSchemaInvalid, lang.PolicyTwoConditions.With(), lang.PolicyHintTwoConditions.With())
	}
	if r.Name == policy.DefaultName {
		d.error(a.find("name"), CodeInvalidName, lang.PolicyDefaultName.With(policy.DefaultName), lang.PolicyHintDefaultName.With())
	}
	if len(r.Approvers) > 0 && r.Effect != string(policy.Ask) {
		d.error(a.find("approvers"), CodeSchemaInvalid, lang.BundleNeeds.With("approvers", "effect: ask"), lang.PolicyHintApprovers.With())
	}
	if r.Limits != (PolicyLimits{}) && r.Effect == string(policy.Deny) {
		d.error(a.find("limits"), CodeSchemaInvalid, lang.PolicyDenyLimits.With(), lang.PolicyHintDenyLimits.With())
	}
}

func noNulls(d *decoder, a at) {
	content := a.value().Content
	for i := 0; i+1 < len(content); i += 2 {
		if kindOf(content[i+1]) == kindNull {
			d.error(a.key(deref(content[i]).Value, content[i]), CodeSchemaInvalid, lang.BundleEmpty.With(), lang.BundleHintEmpty.With())
		}
	}
}

// Set returns the rules in the form that package policy compiles.
func (p *Policy) Set(tier policy.Tier) policy.Set {
	s := policy.Set{Tier: tier, Name: p.Name, Default: policy.Effect(p.Spec.Default)}
	if p.Package != "" {
		s.Name = p.Package + "/" + p.Name
	}
	for i := range p.Spec.Rules {
		s.Rules = append(s.Rules, p.Spec.Rules[i].Rule())
	}
	return s
}

// Rule returns the rule in the form that package policy compiles.
func (r *PolicyRule) Rule() policy.Rule {
	m := r.Match
	return policy.Rule{
		Name: r.Name, When: cmp.Or(m.When, r.When), Effect: policy.Effect(r.Effect), Message: r.Message, Approvers: r.Approvers,
		Match: policy.Match{
			Tools: m.Tools, Domains: m.Domains, Sources: m.Sources, Agents: m.Agents, Principals: m.Principals, Hints: policy.Hints(m.Hints),
		},
		Limits: policy.Limits{
			Rate: policy.Rate(r.Limits.Rate), Concurrent: r.Limits.Concurrent, Timeout: time.Duration(r.Limits.Timeout), Output: int(r.Limits.Output),
		},
	}
}

// complete refuses notify in a bundle: it starts a program or sends a request
// outside of what a consent shows.
func (p *Policy) complete(l *loader) {
	if field(p.spec.value(), "notify") != nil && !l.policies {
		l.error(p.spec.find("notify"), CodeSchemaInvalid, lang.PolicyNotifyBundle.With(), lang.PolicyHintNotifyBundle.With())
	}
	if l.refused(&p.Meta) {
		return
	}
	_, err := policy.New(p.Set(policy.Bundle))
	for _, problem := range policy.ProblemsOf(err) {
		steps := []any{"rules", problem.Index}
		for part := range strings.SplitSeq(problem.Field, ".") {
			steps = append(steps, part)
		}
		if problem.Field == "when" && p.Spec.Rules[problem.Index].Match.When != "" {
			steps[2] = "match"
		}
		place, suggestion := p.spec.find(steps...), lang.PolicyHintRule
		if steps[2] == "when" || steps[2] == "match" {
			place, suggestion = place.inside(problem.Position), lang.PolicyHintWhen
		}
		l.error(place, CodeSchemaInvalid, lang.PolicyProblem.With(problem.Field, problem.Err), suggestion.With())
	}
	if err != nil && len(policy.ProblemsOf(err)) == 0 {
		l.error(p.place, CodeSchemaInvalid, lang.PolicyProblem.With("spec", err), lang.PolicyHintRule.With())
	}
}

// inside returns the place of a position in a text. In a text of several lines
// only the line is known; escapes in quotes move the column.
func (a at) inside(p expr.Position) at {
	n := *a.value()
	switch {
	case p.Line < 1:
		return a
	case n.Style&(yaml.LiteralStyle|yaml.FoldedStyle) != 0:
		n.Line, n.Column = n.Line+p.Line, 1
	case p.Line > 1:
		n.Line, n.Column = n.Line+p.Line-1, 1
	default:
		n.Column += p.Column
		if quoted(&n) {
			n.Column++
		}
	}
	a.node = &n
	return a
}
