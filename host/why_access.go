package host

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/gongu-ai/gongu"
	"github.com/gongu-ai/gongu/access"
	"github.com/gongu-ai/gongu/internal/lang"
	"github.com/gongu-ai/gongu/policy"
)

// offer checks what clients are offered. Package access decides that, and what a
// token grants, in one go: the next stage uses the same answer.
func (w *walk) offer(context.Context) bool {
	h, name := w.host, w.request.Name
	reason, err := h.opts.Access.Explain(w.principal, w.request.Agent, w.catalog, name)
	if err != nil {
		w.err = err
		return false
	}
	w.reason = reason
	switch reason {
	case access.SourceOffer:
		return w.no(policy.StageOffer, w.command("trust"), lang.WhySourceOffer, w.owner, place(itemOf(h.Bundle(), w.owner)))
	case access.BundleOffer:
		return w.no(policy.StageOffer, w.offerCommand(), lang.WhyBundleOffer)
	case access.ServerOffer:
		return w.no(policy.StageOffer, w.offerCommand(), lang.WhyServerOffer)
	case access.ClientOffer:
		return w.no(policy.StageOffer, w.clientCommand(), lang.WhyClientOffer, w.principal.Name)
	}
	if w.principal == nil || w.principal.Kind == kindCLI {
		return w.yes(policy.StageOffer, lang.WhyNoOffer)
	}
	return w.yes(policy.StageOffer, lang.WhyOffered)
}

// kindCLI is the kind of principals of the command line.
const kindCLI = "cli"

// offerCommand serves the bundle with the tool beside what is offered now.
func (w *walk) offerCommand() string {
	words := []string{"serve"}
	for _, item := range w.host.opts.Access.Offering(w.principal, w.request.Name) {
		words = append(words, "--offer", item)
	}
	return w.command(words...)
}

// clientCommand writes the entry of a client again, with the tool in its offer.
func (w *walk) clientCommand() string {
	words := []string{"connect", w.principal.Name}
	for _, item := range w.host.opts.Access.Offering(w.principal, w.request.Name) {
		words = append(words, "--offer", item)
	}
	return w.command(words...)
}

// token checks what the caller is granted.
func (w *walk) token(context.Context) bool {
	p := w.principal
	switch {
	case p == nil:
		return w.yes(policy.StageToken, lang.WhyProgram)
	case w.reason == access.OtherAgent && w.request.Agent == "":
		return w.no(policy.StageToken, w.tokenCommand(), lang.WhyAgentsOnly, who(p), strings.Join(p.Agents, ", "))
	case w.reason == access.OtherAgent:
		return w.no(policy.StageToken, w.tokenCommand(), lang.WhyOtherAgent, who(p), w.request.Agent)
	case w.reason == access.NotGranted:
		return w.no(policy.StageToken, w.tokenCommand(), lang.WhyNotGranted, who(p))
	case p.Allow == nil:
		return w.yes(policy.StageToken, lang.WhyAllGranted, who(p))
	}
	return w.yes(policy.StageToken, lang.WhyGranted, who(p))
}

// tokenCommand makes a token that has the tool beside what the principal has. There
// is none for principals of an issuer.
func (w *walk) tokenCommand() string {
	p := w.principal
	if p.Kind != "token" {
		return ""
	}
	words := []string{"token", "new", "--name", p.Name + "-2"}
	if p.Agents != nil && w.request.Agent != "" {
		for _, agent := range p.Agents {
			words = append(words, "--agent", agent)
		}
		if !slices.Contains(p.Agents, w.request.Agent) {
			words = append(words, "--agent", w.request.Agent)
		}
	}
	for _, grant := range []struct {
		flag  string
		rules []gongu.Rule
	}{{"--tools", p.Allow}, {"--ask", p.Ask}} {
		for _, rule := range grant.rules {
			if rule.Name != "" && rule.Equal(gongu.Rule{Name: rule.Name}) {
				words = append(words, grant.flag, rule.Name)
			}
		}
	}
	if p.Allow != nil {
		words = append(words, "--tools", w.request.Name)
	}
	return w.command(words...)
}

// who names a principal.
func who(p *gongu.Principal) string {
	if p.Name == "" || p.Name == p.Kind {
		return p.Kind
	}
	return fmt.Sprintf("%s %s", p.Kind, p.Name)
}

// shown says how clients find the tool.
func (w *walk) shown(context.Context) bool {
	switch {
	case w.principal == nil || w.principal.Kind == kindCLI:
		return w.yes(policy.StageShown, lang.WhyShownCLI, w.command("call", w.request.Name))
	case w.request.Shown == nil:
		return true
	}
	narrowed, err := w.host.opts.Access.Catalog(w.principal, w.request.Agent, w.catalog)
	if err != nil {
		w.err = err
		return false
	}
	return w.yes(policy.StageShown, lang.WhyPlain, w.request.Shown(narrowed, w.request.Name))
}
