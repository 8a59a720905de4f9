package policy

import (
	"context"
	"encoding/json"
	"errors"
	"slices"
	"time"

	"github.com/gongu-ai/gongu"
	"github.com/gongu-ai/gongu/state"
)

// resume continues with the approval of a suspended call. It returns neither an
// approval nor a refusal if there is nothing more to wait for: the call is asked
// about anew, or runs if the rules allow it by now.
func (k *asking) resume(ctx context.Context, s *gongu.Suspended) (*state.Approval, *gongu.Error) {
	found, err := k.o.Store.GetApproval(ctx, s.Approval)
	switch {
	case errors.Is(err, state.ErrNotFound) || err == nil && len(found.Calls) != 1:
		return nil, nil
	case err != nil:
		return nil, k.storeFailed(err)
	}
	k.opened, k.h.index, k.h.mine, k.waits = found, 0, false, true
	if found.State == state.ApprovalPending {
		if found, err = k.resumeWaiting(ctx, found, s.Answer); err != nil {
			return nil, k.storeFailed(err)
		}
	}
	switch {
	case found.State == state.ApprovalApproved, found.State == state.ApprovalUsed && found.Owner == k.h.owner:
		return found, nil
	case found.State == state.ApprovalRejected:
		return nil, k.rejected(found)
	case found.State == state.ApprovalExpired:
		return nil, k.unanswered(found)
	case found.State != state.ApprovalPending:
		return nil, nil
	case k.d.Effect == Allow:
		k.giveUp(ctx)
		return nil, nil
	}
	if what := k.differs(found, 0); what != "" {
		k.h.yes = found
		return nil, k.changed(ctx, what)
	}
	return k.suspendAgain(ctx, s.Answer)
}

// resumeWaiting records the answer of an attended client, and returns the approval
// as it is then.
func (k *asking) resumeWaiting(ctx context.Context, found *state.Approval, answer json.RawMessage) (*state.Approval, error) {
	if answer == nil || k.a.Principal == nil || !k.a.Principal.Attended {
		return found, nil
	}
	if _, fits := k.form(found); !fits {
		return found, nil // it was led to the page
	}
	if err := k.clientSays(ctx, found, answer, time.Since(found.Updated)); err != nil && !errors.Is(err, errCannotAsk) {
		return nil, err
	}
	return k.o.Store.GetApproval(ctx, found.ID)
}

// suspendAgain lets a call wait for longer. A client that has answered in vain is
// not asked again; where no one else can be asked, the call is denied.
func (k *asking) suspendAgain(ctx context.Context, answer json.RawMessage) (*state.Approval, *gongu.Error) {
	if err := k.findWays(ctx); err != nil {
		return nil, k.storeFailed(err)
	}
	switch {
	case answer == nil:
		return nil, k.a.Suspend(k.opened.ID, k.suspendedQuestion())
	case actionOf(answer) == "accept" && slices.Contains(k.ways, wayURL), slices.Contains(k.ways, wayWatch):
		return nil, k.a.Suspend(k.opened.ID, nil)
	}
	return nil, k.permit(ctx)
}
