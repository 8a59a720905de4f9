package policy

import (
	"slices"

	"github.com/gongu-ai/gongu"
)

// Hides returns which tools a caller is not shown, or nil if the rules can hide
// none from it. With an equal key, and equal rules of what the caller is granted,
// the answer is the same.
func (p *Policy) Hides(principal *gongu.Principal, agent string, mode Mode) (hide func(*gongu.Tool) bool, key any) {
	if !p.denies && mode != Plan && (principal == nil || principal.Allow == nil) {
		return nil, nil
	}
	k := hidesKey{policy: p, agent: agent, mode: mode}
	if principal != nil {
		k.kind, k.person, k.attended = principal.Kind, principal.Person, principal.Attended
		if p.byName {
			k.name = principal.Name
		}
	}
	return func(t *gongu.Tool) bool {
		return p.Hidden(&Request{Tool: t, Agent: agent, Principal: principal, Mode: mode})
	}, k
}

// hidesKey is what decides which tools a caller is not shown.
type hidesKey struct {
	policy            *Policy
	agent, kind, name string
	person, attended  bool
	mode              Mode
}

// noteHiding notes what Hides needs to know of all rules.
func (p *Policy) noteHiding() {
	for _, r := range p.rules {
		p.denies = p.denies || r.Effect == Deny && r.when == nil
		p.byName = p.byName || len(r.Match.Principals) > 0
	}
	p.denies = p.denies || slices.ContainsFunc(p.defaults, func(f fallback) bool { return f.effect == Deny })
}
