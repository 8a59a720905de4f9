package policy

import (
	"bytes"
	"context"
	"errors"
	"slices"

	"github.com/gongu-ai/gongu"
	"github.com/gongu-ai/gongu/internal/lang"
	"github.com/gongu-ai/gongu/state"
)

// settle lets a call with a yes run, if the rules still say so and the call is what
// was approved. Again means that a person must be asked anew.
func (g *guard) settle(ctx context.Context, a *gongu.Attempt, r *request, p *Policy, d *Decision, h *hold) (again bool, refusal *gongu.Error) {
	k := &asking{guard: g, a: a, r: r, d: d, h: h}
	approved := h.approved()
	if h.used && !bytes.Equal(approved.Args, a.Call.Args) {
		h.yes, h.used = nil, false // a later guard changed the arguments
		return true, nil
	}
	if d.Effect == Ask && (d.Rule.String() != approved.Rule || d.Rule.Digest != approved.RuleDigest) {
		g.drop(ctx, a)
		return true, nil
	}
	if what := k.differs(h.yes, h.index); what != "" {
		return false, k.changed(ctx, what)
	}
	if refusal := g.begin(a, p, d); refusal != nil {
		return false, refusal
	}
	a.Expect(r.preview().Files) // the handler compares again
	if h.used {
		return false, nil
	}
	if again, refusal := k.use(ctx); again || refusal != nil {
		return again, refusal
	}
	h.used = true
	return false, nil
}

// use makes the yes belong to this call, durably, before the handler runs. Again
// means that another call has used it.
func (k *asking) use(ctx context.Context) (again bool, refusal *gongu.Error) {
	h := k.h
	if k.a.Parent != nil {
		if j := k.jointOf(k.a); j.has(h.yes.ID) {
			return j.use(ctx, k)
		}
	}
	used, done, err := k.o.Store.UseApproval(ctx, h.yes.ID, h.owner)
	switch {
	case err != nil && !errors.Is(err, state.ErrNotFound):
		return false, k.storeFailed(err)
	case err == nil && done:
		return k.confirmed(ctx, used)
	}
	h.yes, h.used = nil, false
	return true, nil
}

// confirmed compares the record once more: it is what the store has now.
func (k *asking) confirmed(ctx context.Context, used *state.Approval) (again bool, refusal *gongu.Error) {
	k.h.yes = used
	if k.h.index >= len(used.Calls) {
		return false, k.changed(ctx, "the approval")
	}
	if what := k.differs(used, k.h.index); what != "" {
		return false, k.changed(ctx, what)
	}
	return false, nil
}

// changed refuses a call that is not what was approved.
func (k *asking) changed(ctx context.Context, what string) *gongu.Error {
	id := k.h.yes.ID
	if !k.h.used {
		k.cancel(ctx, id)
	}
	k.h.yes, k.h.used = nil, false
	k.a.Note("approval", id)
	return &gongu.Error{
		Code: gongu.CodeChanged, Message: lang.GuardChangedCall.In(k.lang, k.a.Call.Name, what, id), Suggestion: lang.GuardChangedHint.In(k.lang),
	}
}

// differs returns what of the call is not as the approval says, or "". The rule is
// compared by settle, because another rule means another question.
func (k *asking) differs(found *state.Approval, index int) string {
	c, call := k.a.Context(), &found.Calls[index]
	name, kind := nameOf(k.a.Principal)
	digest := k.a.ToolDigest()
	switch {
	case found.Principal != name || found.PrincipalKind != kind:
		return "principal"
	case found.Agent != c.AgentName:
		return "agent"
	case found.Instance != c.InstanceKey:
		return "instance"
	case call.Tool != k.a.Call.Name:
		return "tool"
	case !bytes.Equal(call.Digest, digest[:]):
		return "tool definition"
	case !bytes.Equal(call.Args, k.a.Call.Args):
		return "args"
	case k.h.mine && found.Turn != c.TurnID:
		return "turn"
	case k.h.mine && found.CallID != outermost(k.a).Call.ID:
		return "call"
	}
	if files := k.r.preview().Bound(); !sameFiles(call, files) {
		return "file"
	}
	return ""
}

// sameFiles compares the files that a call changes. With arguments that a person
// typed, a file that was not shown counts as that person's choice.
func sameFiles(call *state.ApprovalCall, now []state.ApprovalFile) bool {
	if !call.Changed {
		return slices.Equal(call.Files, now)
	}
	for _, f := range now {
		i := slices.IndexFunc(call.Files, func(was state.ApprovalFile) bool { return was.Path == f.Path })
		if i >= 0 && call.Files[i].Digest != f.Digest {
			return false
		}
	}
	return true
}
