package host

import (
	"path/filepath"
	"slices"
	"strings"

	"github.com/gongu-ai/gongu/bundle"
)

// OnlyWrote reports whether a bundle differs from an earlier one in nothing but these
// files. Before is nil for a bundle that did not exist.
func (p *Proposal) OnlyWrote(before *Proposal, files ...string) bool {
	own := map[string]bool{}
	for _, file := range files {
		if absolute, err := filepath.Abs(file); err == nil {
			file = absolute
		}
		if label, err := filepath.Rel(p.Bundle.Dir(), file); err == nil {
			own[filepath.ToSlash(label)] = true
		}
	}
	known := map[bundle.Entry]bool{}
	if before != nil {
		for _, e := range before.Cover().Entries() {
			known[e] = true
		}
	}
	for _, e := range p.Cover().Entries() {
		if !known[e] && !own[e.Label] {
			return false
		}
	}
	return true
}

// KeepsRules reports whether a person who believed the annotations of servers goes
// on doing so: not when such a server is new or was changed, because that is a
// separate question.
func (p *Proposal) KeepsRules() bool {
	if p.Consent == nil || !p.Consent.Rules {
		return false
	}
	for _, belief := range p.Bundle.Beliefs() {
		name := belief.Resource.Identity()
		if slices.ContainsFunc(p.Changes, func(c bundle.Change) bool { return c.Summary == name || strings.HasPrefix(c.Summary, name+": ") }) {
			return false
		}
	}
	return true
}
