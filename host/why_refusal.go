package host

import (
	"context"
	"strings"

	"github.com/gongu-ai/gongu"
	"github.com/gongu-ai/gongu/access"
	"github.com/gongu-ai/gongu/internal/lang"
	"github.com/gongu-ai/gongu/policy"
)

// explainRefusal adds to the error of a call that the catalog refused what gongu
// why says about it.
func (h *Host) explainRefusal(ctx context.Context, a *gongu.Attempt, refusal *gongu.Error) *gongu.Error {
	if held := h.explainHeld(ctx, a, refusal); held != nil {
		return held
	}
	if refusal.Code != gongu.CodeNotInCatalog {
		return nil
	}
	step, ok := h.refusedAt(ctx, a)
	if !ok {
		return nil
	}
	out := *refusal
	if step.Stage == policy.StagePolicy { // the tool is not shown because a rule denies it
		out.Code, out.Message = gongu.CodeDenied, step.Text
	} else {
		out.Message += " " + step.Text
	}
	out.Suggestion = lang.WhyTell.In(h.lang())
	if step.Command != "" {
		out.Suggestion += " " + lang.WhyChange.In(h.lang(), step.Command)
	}
	if step.Stage == policy.StageCatalog {
		out.Suggestion = lang.SuggestNotInCatalog.In(h.lang()) + " " + out.Suggestion
	}
	if near := a.Catalog.Near(a.Call.Name); len(near) > 0 {
		out.Suggestion += " " + lang.SuggestNear.In(h.lang(), strings.Join(near, ", "))
	}
	return &out
}

// refusedAt returns the stage that a refused call failed at, if its caller may know.
func (h *Host) refusedAt(ctx context.Context, a *gongu.Attempt) (policy.WhyStep, bool) {
	if a.Catalog == nil || h.waiting() {
		return policy.WhyStep{}, false
	}
	about := gongu.ContextOf(ctx)
	w := h.newWalk(WhyRequest{Name: a.Call.Name, Principal: a.Principal, Agent: h.agentOf(about.AgentName)})
	w.refused, w.instance = true, about.InstanceKey
	why, err := w.run(ctx)
	if err != nil {
		return policy.WhyStep{}, false
	}
	step, refused := why.Refused()
	if !refused && a.Parent == nil && w.live.extensions != nil {
		// Everything else lets the call through.
		w.why.Steps = nil
		w.removed()
		step, refused = w.why.Refused()
	}
	switch {
	case !refused || step.OK:
		return step, false // code and macros have fewer tools
	case step.Stage == policy.StageExists:
		return step, false // the error has near names of the caller's own catalog
	case access.Whole(a.Principal) == nil:
		return step, true
	}
	// Others learn what they are not given, and nothing about other agents, nor
	// about the bundle.
	return step, step.Stage == policy.StageOffer || step.Stage == policy.StageToken || step.Stage == policy.StagePolicy
}

// agentOf returns the agent of a call, or "" for the whole bundle: calls without an
// agent have a name there, too.
func (h *Host) agentOf(name string) string {
	if b := h.Bundle(); b != nil {
		if _, ok := b.Agent(name); ok {
			return name
		}
	}
	return ""
}

// whyDenied says which rule denied a call, and what changes that.
func (h *Host) whyDenied(a *gongu.Attempt, d *policy.Decision) policy.WhyStep {
	about := a.Context()
	w := h.newWalk(WhyRequest{Name: a.Call.Name, Args: a.Call.Args, Principal: a.Principal, Agent: h.agentOf(about.AgentName)})
	return w.ruling(d)
}
