package host

import (
	"cmp"
	"context"
	"encoding/json"
	"path/filepath"
	"slices"
	"strings"

	"github.com/gongu-ai/gongu"
	"github.com/gongu-ai/gongu/access"
	"github.com/gongu-ai/gongu/bundle"
	"github.com/gongu-ai/gongu/explore"
	"github.com/gongu-ai/gongu/internal/lang"
	"github.com/gongu-ai/gongu/internal/shellword"
	"github.com/gongu-ai/gongu/pin"
	"github.com/gongu-ai/gongu/policy"
)

// WhyRequest asks whether a caller can call a tool, and why.
type WhyRequest struct {
	Name string
	// Args are the arguments of the call; nil is not known.
	Args json.RawMessage
	// Principal is the caller; nil is the program itself.
	Principal *gongu.Principal
	Agent     string
	// Asker is who asks; nil is the owner of the bundle. One that does not see the
	// whole server learns only about tools of the caller's catalogs.
	Asker *gongu.Principal
	// Lang is the language of the answer (default: that of the host).
	Lang string
	// Command returns the command line of gongu with these words for people to
	// copy. Nil names the bundle by its absolute path.
	Command func(words ...string) string
	// Original returns the name of the tool that clients know under a name, and
	// Shown says how they find a tool; see serve.View. Without them tools have
	// one name, and the last stage is left out.
	Original, Shown func(c *gongu.Catalog, name string) string
}

// Why walks through everything that decides about a call, in the order in which a
// call meets it, and stops at the first no. It uses what enforces each part. It does
// not call the tool. Like a call, it lists the source of the tool when its list is
// too old, and runs the step middleware of the agent. The error is about the agent
// and its extensions.
func (h *Host) Why(ctx context.Context, r WhyRequest) (policy.Why, error) {
	w := h.newWalk(r)
	why, err := w.run(ctx)
	if err == nil && access.Whole(r.Asker) != nil {
		w.conceal()
		why = w.why
	}
	return why, err
}

func (h *Host) newWalk(r WhyRequest) *walk {
	w := &walk{host: h, request: r, lang: h.lang(), principal: r.Principal}
	if r.Lang != "" {
		w.lang = lang.Of(r.Lang)
	}
	w.why = policy.Why{Tool: r.Name, Agent: r.Agent, Effect: policy.Deny, Steps: []policy.WhyStep{}}
	if w.principal != nil {
		w.why.Principal = w.principal.Name
	}
	return w
}

// walk is the state of one [Host.Why].
type walk struct {
	host      *Host
	request   WhyRequest
	lang      lang.Lang
	principal *gongu.Principal
	why       policy.Why

	// tool is what the registry has; found says that it has one.
	tool  gongu.Tool
	found bool
	// owner is the identity of the source, or what the name tells about it.
	owner string
	// proposed is the resource of a bundle that waits for consent.
	proposed bundle.Item
	// excluded is the server that leaves the tool out.
	excluded string
	live     *scope
	// catalog is that of the step, before it is narrowed.
	catalog *gongu.Catalog
	// reason is what package access says.
	reason access.Reason
	// refused is set for a call that was refused: nothing is listed and no
	// middleware runs again.
	refused  bool
	instance string
	err      error
}

func (w *walk) run(ctx context.Context) (policy.Why, error) {
	if !w.refused && !w.host.waiting() {
		w.host.Prepare(ctx, w.request.Name)
	}
	if !w.host.waiting() {
		live, release, err := w.host.acquireScope(ctx, Address{Agent: w.request.Agent, Instance: w.instance})
		if err != nil {
			return policy.Why{}, err
		}
		defer release()
		w.live = live
	}
	stages := []func(context.Context) bool{
		w.exists, w.source, w.consent, w.pin, w.enabled, w.inCatalog, w.offer, w.token, w.decide, w.shown,
	}
	for _, stage := range stages {
		if !stage(ctx) {
			break
		}
	}
	return w.why, w.err
}

// waiting reports whether the bundle has no consent, so that nothing of it is used.
func (h *Host) waiting() bool {
	held := h.Held()
	return held != nil && held.Waiting
}

// yes adds the answer of a stage that lets the call through.
func (w *walk) yes(stage policy.Stage, text lang.Text, args ...any) bool {
	w.why.Steps = append(w.why.Steps, policy.WhyStep{Stage: stage, OK: true, Text: text.In(w.lang, args...)})
	return true
}

// no adds the answer of a stage that refuses the call.
func (w *walk) no(stage policy.Stage, command string, text lang.Text, args ...any) bool {
	w.why.Steps = append(w.why.Steps, policy.WhyStep{Stage: stage, Text: text.In(w.lang, args...), Command: command})
	w.why.Effect, w.why.Rule = policy.Deny, string(stage)
	return false
}

// command returns a command line for the owner of the bundle. A caller that does
// not see the whole server is not told where the bundle lies.
func (w *walk) command(words ...string) string {
	if w.request.Command != nil {
		return w.request.Command(words...)
	}
	return w.host.commandFor(w.request.Asker, words...)
}

// commandFor returns a command about this bundle for the user of a caller. A
// caller with restrictions does not learn where the bundle is.
func (h *Host) commandFor(p *gongu.Principal, words ...string) string {
	if access.Whole(p) == nil {
		words = h.onBundle(words)
	}
	return shellword.Join(append([]string{"gongu"}, words...)...)
}

// onBundle adds the flags that choose this bundle and its state.
func (h *Host) onBundle(words []string) []string {
	words = slices.Clone(words)
	if h.path != "" {
		path := h.dir
		if h.single() {
			path = filepath.Join(h.dir, filepath.Base(h.path))
		}
		words = append(words, "-b", path)
	}
	if h.opts.StateRoot != "" {
		words = append(words, "--state-root", h.state)
	}
	return words
}

// exists finds what the name means.
func (w *walk) exists(context.Context) bool {
	w.useOriginal()
	h, name := w.host, w.request.Name
	if w.live != nil {
		if w.tool, w.found = w.live.registry.Get(name); w.found {
			w.owner = w.tool.Source.Identity()
			return w.yes(policy.StageExists, lang.WhyExists, name, w.owner)
		}
	}
	if v, held := h.sources.manager.HeldVerdict(name); held {
		w.owner = v.Source
		return w.yes(policy.StageExists, lang.WhyExists, name, v.Source)
	}
	proposed := h.proposed()
	for _, item := range itemsNamed(proposed, name) {
		w.proposed, w.owner = item, item.Head().Identity()
		return w.yes(policy.StageExists, lang.WhyExistsProposed, name, w.owner, place(item))
	}
	if name == explore.RunCode {
		w.owner = "go/explore"
		return w.yes(policy.StageExists, lang.WhyExists, name, w.owner)
	}
	for _, lister := range h.sources.manager.Listers() {
		owner := lister.Source().Identity()
		if x, ok := lister.(interface{ Excludes(string) bool }); ok && lister.Owns(name) && x.Excludes(name) {
			w.owner, w.excluded = owner, owner
			return w.yes(policy.StageExists, lang.WhyExistsByName, name, owner)
		}
		if _, broken := h.failedSource(owner); broken && lister.Owns(name) {
			w.owner = owner
			return w.yes(policy.StageExists, lang.WhyExistsByName, name, owner)
		}
	}
	return w.unknown(proposed)
}

// useOriginal replaces a name that was shortened for clients.
func (w *walk) useOriginal() {
	if w.live == nil || w.request.Original == nil {
		return
	}
	if catalog, err := w.live.catalog(); err == nil {
		w.request.Name = w.request.Original(catalog, w.request.Name)
		w.why.Tool = w.request.Name
	}
}

// unknown refuses a name that nothing has, with names like it.
func (w *walk) unknown(proposed *bundle.Bundle) bool {
	names := append(w.host.sources.manager.HeldNames(), namesIn(proposed)...)
	if w.live != nil {
		for _, tool := range w.live.registry.Tools() {
			names = append(names, tool.Name)
		}
	}
	if close := nearNames(w.request.Name, names); len(close) > 0 {
		return w.no(policy.StageExists, w.command(append([]string{"why", close[0]}, w.agentFlag()...)...), lang.WhyUnknownNear, pin.Visible(w.request.Name), strings.Join(close, ", "))
	}
	return w.no(policy.StageExists, w.command(append([]string{"tools"}, w.agentFlag()...)...), lang.WhyUnknown, pin.Visible(w.request.Name))
}

func (w *walk) agentFlag() []string {
	if w.request.Agent == "" {
		return nil
	}
	return []string{"--agent", w.request.Agent}
}

// source checks that the program or server of the tool answers.
func (w *walk) source(ctx context.Context) bool {
	h := w.host
	switch {
	case w.proposed != nil:
		return w.yes(policy.StageSource, lang.WhySourceWaits, w.owner)
	case w.excluded != "":
		return w.yes(policy.StageSource, lang.WhySource, w.owner)
	}
	if w.found && !w.refused {
		if refusal := h.sources.manager.Reach(ctx, w.tool.Source); refusal != nil {
			return w.no(policy.StageSource, w.command("sources", "--load"), lang.WhyPlain, refusal.Message)
		}
		// The list may have changed.
		w.tool, w.found = w.live.registry.Get(w.request.Name)
	}
	if reason, broken := h.failedSource(w.owner); broken && !w.found {
		return w.no(policy.StageSource, w.command("sources", "--load"), lang.SourceUnreachable, w.owner, reason)
	}
	return w.yes(policy.StageSource, lang.WhySource, w.owner)
}

// failedSource returns why a source has no list.
func (h *Host) failedSource(identity string) (reason string, failed bool) {
	for _, s := range h.sources.Status() {
		if s.Identity == identity && s.Listed.IsZero() && s.Tools+s.Held == 0 && s.Reason != "" {
			return s.Reason, true
		}
	}
	return "", false
}

// consent checks that a person has consented to what has the tool.
func (w *walk) consent(context.Context) bool {
	h := w.host
	held := h.Held()
	switch {
	case h.waiting():
		return w.no(policy.StageConsent, w.command("trust"), lang.WhyNoConsent)
	case w.proposed != nil:
		return w.no(policy.StageConsent, w.command("trust"), lang.WhyHeldChange, place(w.proposed))
	case h.path == "":
		return w.yes(policy.StageConsent, lang.WhyStarter)
	case h.opts.Consent == nil:
		return w.yes(policy.StageConsent, lang.WhyProgramConsents)
	case held != nil:
		return w.yes(policy.StageConsent, lang.WhyConsentedBefore, h.acceptCommand(held.Err))
	}
	if given, needed := h.Consented(); needed {
		return w.yes(policy.StageConsent, lang.WhyConsented, cmp.Or(given.How, "gongu trust"))
	}
	return w.yes(policy.StageConsent, lang.WhyNeedsNone)
}

// pin checks that the definition is the accepted one.
func (w *walk) pin(context.Context) bool {
	m := w.host.sources.manager
	refusal, _, held := m.Held(w.request.Name)
	if !held {
		if w.found && (w.tool.Source.Type == "mcp" || w.tool.Source.Type == "command") {
			return w.yes(policy.StagePin, lang.WhyPinned)
		}
		return w.yes(policy.StagePin, lang.WhyNotPinned)
	}
	v, _ := m.HeldVerdict(w.request.Name)
	target := v.Source + "/" + v.Name
	if v.State == pin.Moved {
		target = v.Source // how it is started
	}
	return w.no(policy.StagePin, w.command("pins", "accept", pin.Visible(target)), lang.WhyPlain, refusal.Message)
}
