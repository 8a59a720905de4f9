package host

import (
	"github.com/gongu-ai/gongu"
	"github.com/gongu-ai/gongu/bundle"
)

// auditRequiredValue is the value of audit: in a resource.
const auditRequiredValue = "required"

// auditedBy returns the identities of the resources of a bundle whose calls must
// be on record.
func auditedBy(b *bundle.Bundle) map[string]bool {
	out := map[string]bool{}
	if b == nil {
		return out
	}
	add := func(identity, value string) {
		if value == auditRequiredValue {
			out[identity] = true
		}
	}
	for _, t := range b.Tools() {
		add(t.Identity(), t.Spec.Audit)
	}
	for _, s := range b.McpServers() {
		add(s.Identity(), s.Spec.Audit)
	}
	for _, c := range b.ToolCommands() {
		add(c.Identity(), c.Spec.Audit)
	}
	for _, g := range b.Agents() {
		add(g.Identity(), g.Spec.Audit)
	}
	return out
}

// auditRequired reports whether a call must be on record: the resource of its tool
// or its agent requires it.
func (h *Host) auditRequired(a *gongu.Attempt) bool {
	audited := h.now().audited
	return len(audited) > 0 && (audited[a.Source().Identity()] || audited["Agent/"+a.Context().AgentName])
}
