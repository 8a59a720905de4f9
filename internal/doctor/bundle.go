package doctor

import (
	"path/filepath"

	"github.com/gongu-ai/gongu/bundle"
	"github.com/gongu-ai/gongu/host"
	"github.com/gongu-ai/gongu/internal/lang"
)

// checkBundle looks at the bundle that the other commands would use.
func (o *Options) checkBundle(read found) []Check {
	b := read.bundle
	if !read.present {
		shown, err := filepath.Abs(o.Bundle)
		if err != nil {
			shown = o.Bundle
		}
		return []Check{{
			Name: "bundle", Status: Missing,
			Detail: lang.CLIDoctorNoBundle.In(o.Lang, shown), Next: lang.CLIDoctorInitHint.In(o.Lang),
		}}
	}
	if b == nil {
		failures := lang.Count(o.Lang, len(read.diagnostics.Only(bundle.SeverityError)), lang.CLIOneError, lang.CLIManyErrors)
		return []Check{{
			Name: "bundle", Status: Problem,
			Detail: lang.CLIDoctorBroken.In(o.Lang, o.Bundle, failures),
			Next:   lang.CLIDoctorCheckHint.In(o.Lang, o.Commands.Validate),
		}}
	}
	valid := Check{Name: "bundle", Status: OK, Detail: lang.CLIDoctorBundle.In(o.Lang, b.Dir(), b.Contents(string(o.Lang)))}
	return []Check{valid, o.checkTrust(b)}
}

func (o *Options) checkTrust(b *bundle.Bundle) Check {
	c := Check{Name: "trust", Status: OK, Detail: lang.CLIDoctorNoTrust.In(o.Lang)}
	p, err := o.propose(b)
	switch {
	case err == nil && !p.Decided():
	case err != nil:
		c.Status, c.Detail = Problem, err.Error()
		c.Next = lang.CLIDoctorCheckHint.In(o.Lang, o.Commands.Trust)
	case p.Needed() && p.Consent != nil:
		c.Status, c.Detail = Missing, lang.CLIDoctorChangeHeld.In(o.Lang, len(p.Changes))
		c.Next = lang.CLIDoctorCheckHint.In(o.Lang, o.Commands.Trust)
	case p.Needed():
		c.Status, c.Detail = Missing, lang.CLIDoctorUntrusted.In(o.Lang)
		c.Next = lang.CLIDoctorCheckHint.In(o.Lang, o.Commands.Trust)
	default:
		c.Detail = lang.CLIDoctorTrusted.In(o.Lang)
	}
	return c
}

func (o *Options) propose(b *bundle.Bundle) (*host.Proposal, error) {
	consent, err := o.Consent()
	if err != nil {
		return nil, err
	}
	return host.Propose(o.Bundle, &host.Options{Lang: string(o.Lang), StateRoot: o.StateRoot, Consent: consent, Logger: o.Logger, Loaded: b})
}
