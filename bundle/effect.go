package bundle

import (
	"slices"

	"github.com/gongu-ai/gongu/internal/lang"
)

// turnExtensions are the built-in extensions that act only around turns.
var turnExtensions = []string{"context-message", "message-compaction", "message-window", "required-tools-guard"}

// reportNoTurns warns that nothing here runs turns. The resources are goondan's,
// so the bundle loads, but its owner must not rely on what they say.
func (l *loader) reportNoTurns(b *Bundle) {
	for _, s := range b.Swarms() {
		l.add(s.place, SeverityInfo, CodeNotRun, lang.BundleNoTurns.With(s.Identity()), lang.BundleHintNoEffect.With())
		if field(s.spec.value(), "policy") != nil {
			l.noEffect(s.spec.find("policy"), lang.BundleNoSwarmPolicy.With(s.Identity()))
		}
	}
	for _, e := range b.Extensions() {
		if slices.Contains(turnExtensions, e.Module.Builtin) {
			l.noEffect(e.place, lang.BundleNoTurnExtension.With(e.Identity(), e.Module.Builtin))
		}
	}
	for _, g := range b.Agents() {
		if len(g.Spec.RequiredTools) > 0 {
			l.noEffect(g.spec.find("requiredTools"), lang.BundleNoRequiredTools.With(g.Identity()))
		}
	}
}

// noEffect stays a warning under strict: a bundle for goondan is valid.
func (l *loader) noEffect(a at, message lang.Message) {
	l.warn(a, CodeNoEffect, "", message, lang.BundleHintNoEffect.With())
}
