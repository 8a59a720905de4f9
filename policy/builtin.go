package policy

import (
	"slices"
	"sync"

	"github.com/gongu-ai/gongu"
)

// Mode is how much asking a person wants.
type Mode string

// The modes. Denials hold in each.
const (
	Plan    Mode = "plan"    // only tools that are read-only
	Default Mode = "default" // as the rules say
	Edits   Mode = "edits"   // changes of files inside the workdir need no asking
	Bypass  Mode = "bypass"  // nothing needs asking
)

// ModePlanRule is the name of the rule of the mode plan.
const ModePlanRule = "mode plan"

// apply changes the outcome of the rules as the mode says. Unsure is a deny rule
// whose condition failed, or nil: such a call is not allowed without a person.
func (m Mode) apply(r *Request, o, unsure *outcome) *outcome {
	switch {
	case m == Plan && !r.Tool.Annotations.IsReadOnly() && !decidedInside(r.Tool):
		return &outcome{effect: Deny, ref: builtInRef(ModePlanRule, Deny)}
	case unsure != nil && m == Bypass && o.effect == Ask:
		denied := *unsure
		denied.effect = Deny
		return &denied
	case unsure != nil:
	case o.effect == Ask && (m == Bypass || m == Edits && r.InWorkdir != nil && r.InWorkdir()):
		allowed := *o
		allowed.effect, allowed.ref = Allow, builtInRef("mode "+string(m), Allow)
		return &allowed
	}
	return o
}

// builtIn decides what no rule decides, so that exactly one party asks: the
// client of a person who is at work there, or gongu.
func builtIn(r *Request) *outcome {
	name, effect := "read-only tools", Allow
	if p := r.Principal; r.Tool.Annotations.IsReadOnly() {
		if p != nil && selects(p.Ask, r.Tool) {
			name, effect = "granted with asking", Ask
		}
	} else if name, effect = callerRule(p, r.Tool); !askedByName(p, r.Tool) {
		switch {
		case decidedInside(r.Tool) && (effect == Ask || isExplore(r.Tool)):
			name, effect = "the calls inside are decided one by one", Allow
		case isExplore(r.Tool):
			name, effect = "requests that a person reviews", Allow
		}
	}
	return &outcome{effect: effect, ref: builtInRef(name, effect)}
}

// callerRule is the table of callers for tools that are not read-only.
func callerRule(p *gongu.Principal, t *gongu.Tool) (name string, effect Effect) {
	switch {
	case p == nil:
		return "the program itself", Allow
	case selects(p.Ask, t):
		return "granted with asking", Ask
	case p.Kind == "cli" && p.Person:
		return "a person at a terminal", Allow
	case p.Kind == "cli":
		return "a command without a terminal", Ask
	case p.Kind == "stdio" && p.Attended:
		return "a client that asks its user", Allow
	case p.Kind == "stdio":
		return "a client that gongu connect did not write", Ask
	case p.Kind == "session" && p.Person:
		return "a person's session", Allow
	case p.Kind == "token", p.Kind == "oidc":
		if p.Allow == nil || grantedByName(p.Allow, t) {
			return "granted by name", Allow
		}
		return "not granted by name", Deny
	}
	return "other callers", Ask // agents, --no-auth, and kinds that come later
}

// decidedInside reports whether a tool does nothing but call other tools through
// the executor of its caller: the rules decide about each of those calls, so that
// a person is not asked twice.
func decidedInside(t *gongu.Tool) bool {
	return t.Source.Type == "macro" || isExplore(t) && (t.Name == "call_tool" || t.Name == "run_code")
}

// isExplore reports whether the tool is one of package explore. Those of them that
// act call other tools, or make a request that a person reviews. Only a program
// can add tools with this source.
func isExplore(t *gongu.Tool) bool { return t.Source.Type == "go" && t.Source.Name == "explore" }

// askedByName reports whether the caller must ask about exactly this tool.
func askedByName(p *gongu.Principal, t *gongu.Tool) bool {
	return p != nil && slices.ContainsFunc(p.Ask, func(r gongu.Rule) bool { return r.Name == t.Name })
}

// builtInRef returns the reference of a rule that is not in any set. It is made
// once: the digest takes longer than the decision.
func builtInRef(name string, effect Effect) Ref {
	key := builtInRule{name, effect}
	if made, ok := builtInRefs.Load(key); ok {
		if ref, ok := made.(Ref); ok {
			return ref
		}
	}
	ref := refOf(&Set{Tier: BuiltIn}, name, Rule{Name: name, Effect: effect})
	builtInRefs.Store(key, ref)
	return ref
}

type builtInRule struct {
	name   string
	effect Effect
}

// builtInRefs has the references by rule; the rules are a fixed table.
var builtInRefs sync.Map

// grantedByName reports whether a rule that has a name, and not only hints,
// selects the tool.
func grantedByName(rules []gongu.Rule, t *gongu.Tool) bool {
	for _, rule := range rules {
		if rule.Name != "" && rule.Selects(t) {
			return true
		}
	}
	return false
}

func selects(rules []gongu.Rule, t *gongu.Tool) bool {
	for _, rule := range rules {
		if rule.Selects(t) {
			return true
		}
	}
	return false
}
