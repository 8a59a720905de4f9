package policy

import (
	"context"
	"crypto/rand"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"time"

	"github.com/gongu-ai/gongu"
	"github.com/gongu-ai/gongu/internal/jsonx"
	"github.com/gongu-ai/gongu/internal/lang"
	"github.com/gongu-ai/gongu/state"
)

// way is how a person can be asked about a call.
type way int

// The ways, in the order in which they are tried.
const (
	wayAsker   way = iota // the terminal of this process
	waySuspend            // the call is stored; its caller comes back
	wayForm               // a form of the caller's client
	wayURL                // the caller's client shows the address of a page
	wayWatch              // a person looks at the list of approvals
	wayPermit             // there is no one: deny, and keep the record
)

// asking is the question about one call.
type asking struct {
	*guard
	a *gongu.Attempt
	r *request
	d *Decision
	h *hold
	// call is what is asked about.
	call   state.ApprovalCall
	ways   []way
	opened *state.Approval
	// waits means that the approval counts this call among those that wait.
	waits bool
	// joint is what the calls inside of one outermost call share; nil for a call
	// that no handler made.
	joint *joint
}

// ask asks a person about a call. Without a refusal the hold has a yes, and the
// rules decide again, unless done: then an earlier answer counts, or the person
// changed the arguments and all checks run again.
func (g *guard) ask(ctx context.Context, a *gongu.Attempt, r *request, d *Decision, h *hold) (done bool, refusal *gongu.Error) {
	k := &asking{guard: g, a: a, r: r, d: d, h: h}
	if err := k.describe(); err != nil {
		return false, k.storeFailed(err)
	}
	if a.Resumed() == nil && d.Effect == Ask {
		switch earlier, err := g.o.Store.Remembered(ctx, k.record(state.WaitConnection)); {
		case err == nil:
			a.Note("approval", earlier.Approval)
			a.Note("approved", earlier.ByKind+" said: "+earlier.By)
			a.Expect(r.preview().Files) // the answer is about these paths
			return true, nil
		case !errors.Is(err, state.ErrNotFound):
			return false, k.storeFailed(err)
		}
	}
	answered, refusal := k.answer(ctx)
	if refusal != nil {
		return false, refusal
	}
	if answered == nil { // the rules allow the call by now
		return false, nil
	}
	h.yes, h.used = answered, false
	a.Note("approval", answered.ID)
	a.Note("approved", answered.ByKind+" says: "+answered.By)
	if mine := h.approved(); mine.Changed && string(mine.Args) != string(a.Call.Args) {
		a.Patch(mine.Args)
		return true, nil
	}
	return false, nil
}

// answer returns the approval with a person's yes.
func (k *asking) answer(ctx context.Context) (*state.Approval, *gongu.Error) {
	if s := k.a.Resumed(); s != nil && s.Approval != "" && !k.h.resumed {
		k.h.resumed = true
		if answered, refusal := k.resume(ctx, s); answered != nil || refusal != nil || k.d.Effect == Allow {
			return answered, refusal
		}
	}
	for range maxAsked {
		if err := k.findWays(ctx); err != nil {
			return nil, k.storeFailed(err)
		}
		if err := k.open(ctx); err != nil {
			return nil, k.openFailed(err)
		}
		if k.opened.State == state.ApprovalApproved {
			return k.opened, nil
		}
		answered, again, refusal := k.tryWays(ctx)
		if !again {
			return answered, refusal
		}
	}
	return nil, k.refuse(lang.GuardAskedOften.In(k.lang, k.a.Call.Name), "")
}

// describe makes the part of the record that is about this call.
func (k *asking) describe() error {
	p := k.r.preview()
	encoded, err := jsonx.Marshal(p)
	if err != nil {
		return err
	}
	digest, t := k.a.ToolDigest(), k.a.SharedTool()
	k.call = state.ApprovalCall{
		CallID: k.a.Call.ID, Tool: k.a.Call.Name, Source: t.Source.Identity(), Digest: digest[:], Parameters: []byte(t.Parameters), Args: k.a.Call.Args,
		Rule: k.d.Rule.String(), RuleDigest: k.d.Rule.Digest, Message: k.d.Message, Approvers: k.d.Approvers,
		Files: p.Bound(), Dynamic: k.d.Dynamic || p.Dynamic, Preview: encoded,
	}
	return nil
}

// findWays finds how a person can be asked. The last way is always left.
func (k *asking) findWays(ctx context.Context) error {
	c := k.a.Context()
	k.ways = nil
	add := func(possible bool, w way) {
		if possible {
			k.ways = append(k.ways, w)
		}
	}
	url := c.Caller.Elicit != nil && c.Caller.ElicitURL && k.o.URL("x") != ""
	form := c.Caller.Elicit != nil && k.a.Principal != nil && k.a.Principal.Attended
	add(k.o.Asker != nil, wayAsker)
	add(k.a.CanSuspend() && (form || url || !c.Caller.NeedsQuestion), waySuspend)
	add(form, wayForm)
	add(url, wayURL)
	seen, err := k.o.Store.SeenPerson(ctx, Presence)
	if err != nil {
		return err
	}
	add(seen, wayWatch)
	add(true, wayPermit)
	return nil
}

// open records the question before it is asked, or finds the approval of an
// identical call.
func (k *asking) open(ctx context.Context) error {
	if k.ways[0] != wayPermit && k.a.Parent != nil {
		return k.openJoint(ctx)
	}
	wait, life := state.WaitConnection, ConnectionLife
	switch k.ways[0] {
	case waySuspend:
		wait, life = state.WaitRecord, RecordLife
	case wayPermit:
		wait, life = state.WaitPermit, PermitLife
	}
	return k.openAs(ctx, wait, life)
}

func (k *asking) openAs(ctx context.Context, wait string, life time.Duration) error {
	made := k.record(wait)
	for range 2 {
		found, joined, err := k.o.Store.OpenApproval(ctx, made, life, state.CallLimits{All: MaxPending, Each: MaxPendingEach})
		if err != nil {
			return err
		}
		if joined && !k.mayShare(found) {
			if wait != state.WaitPermit && found.State == state.ApprovalPending {
				k.cancel(ctx, found.ID) // it has counted this call
			}
			made = k.record(wait)
			made.Key += "/" + rand.Text() // a question for this call alone
			continue
		}
		k.opened, k.h.mine, k.h.index = found, !joined, 0
		k.waits = wait != state.WaitPermit && found.State == state.ApprovalPending
		if !joined && k.o.Opened != nil {
			k.o.Opened(ctx, found)
		}
		return nil
	}
	return errors.New("a new approval was shared")
}

// mayShare reports whether the call may wait for, or use, the approval of another
// identical one. A yes that another call waits for is that call's.
func (k *asking) mayShare(found *state.Approval) bool {
	if len(found.Calls) != 1 || k.differs(found, 0) != "" {
		return false
	}
	if k.a.CanSuspend() && found.CallID == k.a.Call.ID {
		return false // the owner of an approval is known by the id of its call
	}
	return found.State == state.ApprovalPending || found.Way == state.WaitPermit
}

func (k *asking) record(wait string) *state.Approval {
	c, outer := k.a.Context(), outermost(k.a)
	out := &state.Approval{
		State: state.ApprovalPending, Way: wait, Key: k.key(), Agent: c.AgentName, Instance: c.InstanceKey, Turn: c.TurnID,
		CallID: outer.Call.ID, Tool: outer.Call.Name, Calls: []state.ApprovalCall{k.call},
	}
	out.Principal, out.PrincipalKind = nameOf(k.a.Principal)
	return out
}

func nameOf(p *gongu.Principal) (name, kind string) {
	if p == nil {
		return "", ""
	}
	return p.Name, p.Kind
}

// ownerOf names a call as the user of an approval. The name of a call that can
// be suspended is the same in every process that resumes it.
func ownerOf(a *gongu.Attempt) string {
	if a.CanSuspend() {
		return a.Call.ID
	}
	return a.Call.ID + "/" + rand.Text()
}

// key is the same for identical calls.
func (k *asking) key() string {
	c := k.a.Context()
	name, kind := nameOf(k.a.Principal)
	sum := sha256.New()
	for _, part := range []any{name, kind, c.AgentName, c.InstanceKey, k.call.Tool, k.call.Digest, k.call.Args, k.call.Rule, k.call.RuleDigest, k.call.Files} {
		encoded, err := json.Marshal(part)
		if err != nil { // only strings and bytes
			panic(err)
		}
		fmt.Fprintf(sum, "%d:%s", len(encoded), encoded)
	}
	return hex.EncodeToString(sum.Sum(nil))
}

// tryWays asks in one way after the other. Again means that the question must be
// asked anew, because another call used the answer or ended the question.
func (k *asking) tryWays(ctx context.Context) (answered *state.Approval, again bool, refusal *gongu.Error) {
	for _, w := range k.ways {
		switch w {
		case waySuspend:
			return nil, false, k.a.Suspend(k.opened.ID, k.suspendedQuestion())
		case wayPermit:
			return nil, false, k.permit(ctx)
		}
		if w == wayForm && !k.showable() {
			continue
		}
		found, err := k.wait(ctx, w)
		switch {
		case ctx.Err() != nil:
			return nil, false, k.left(ctx)
		case errors.Is(err, errCannotAsk):
			continue
		case err != nil:
			k.giveUp(ctx)
			return nil, false, k.storeFailed(err)
		}
		return k.outcome(ctx, found)
	}
	return nil, false, k.permit(ctx) // not reached: the last way is wayPermit
}

// outcome says what an approval that no longer waits means for the call.
func (k *asking) outcome(ctx context.Context, found *state.Approval) (answered *state.Approval, again bool, refusal *gongu.Error) {
	if k.joint != nil && found.Calls[k.h.index].Approved {
		return found, false, nil
	}
	switch found.State {
	case state.ApprovalApproved:
		return found, false, nil
	case state.ApprovalRejected:
		return nil, false, k.rejected(found)
	case state.ApprovalPending: // it may wait for longer than this call does
		k.giveUp(ctx)
		if found.Way == state.WaitPermit {
			return nil, false, k.noOne()
		}
		return nil, false, k.unanswered(found)
	case state.ApprovalExpired:
		return nil, false, k.late(ctx)
	case state.ApprovalCancelled:
		if k.h.mine {
			return nil, false, k.unanswered(found)
		}
	}
	return nil, true, nil // the yes was another call's, or that call has gone
}

// permit denies the call and keeps its record: once a person has approved it, an
// identical call passes once.
func (k *asking) permit(ctx context.Context) *gongu.Error {
	if k.waits {
		if refusal := k.openPermit(ctx); refusal != nil {
			return refusal
		}
	}
	return k.noOne()
}

// late denies a call that no one decided about in time. The person may come back
// later, so the call can still be approved.
func (k *asking) late(ctx context.Context) *gongu.Error {
	if refusal := k.openPermit(ctx); refusal != nil {
		return refusal
	}
	k.a.Note("approval", k.opened.ID)
	return k.refuse(lang.GuardLate.In(k.lang, k.a.Call.Name, k.opened.ID), k.permitHint())
}

// openPermit puts a record that can be approved after the denial in the place of
// the question.
func (k *asking) openPermit(ctx context.Context) *gongu.Error {
	k.giveUp(ctx)
	k.joint = nil
	if err := k.openAs(ctx, state.WaitPermit, PermitLife); err != nil {
		return k.openFailed(err)
	}
	return nil
}

func (k *asking) permitHint() string {
	return lang.GuardNobodyHint.In(k.lang, k.o.Command(k.a.Principal, "approvals", "approve", k.opened.ID))
}

// noOne refuses a call that no one could be asked about.
func (k *asking) noOne() *gongu.Error {
	k.a.Note("approval", k.opened.ID)
	refusal := k.refuse(lang.GuardNobody.In(k.lang, k.a.Call.Name, k.d.Rule, k.opened.ID), k.permitHint())
	if k.d.Message != "" {
		refusal.Message += " " + k.d.Message
	}
	return refusal
}

// giveUp takes back the question of this call.
func (k *asking) giveUp(ctx context.Context) {
	if k.waits {
		k.waits = false
		k.cancel(ctx, k.opened.ID)
	}
}

// left ends the question of a caller that has gone.
func (k *asking) left(ctx context.Context) *gongu.Error {
	k.giveUp(ctx)
	return &gongu.Error{Code: gongu.CodeCancelled, Message: context.Cause(ctx).Error()}
}

// cancelTime bounds the work for a call that has already been given up.
const cancelTime = 5 * time.Second

func (g *guard) cancel(ctx context.Context, id string) {
	ctx, stop := context.WithTimeout(context.WithoutCancel(ctx), cancelTime)
	defer stop()
	if _, _, err := g.o.Store.CancelApproval(ctx, id); err != nil {
		g.o.Logger.Error("an approval was not cancelled; it will expire", "approval", id, "error", err)
	}
}

func (k *asking) refuse(message, suggestion string) *gongu.Error {
	return &gongu.Error{Code: gongu.CodeDenied, Message: message, Suggestion: suggestion}
}

func (k *asking) rejected(found *state.Approval) *gongu.Error {
	k.a.Note("approval", found.ID)
	out := &gongu.Error{Code: gongu.CodeRejected, Message: lang.MessageRejected.In(k.lang)}
	if found.Reason != "" {
		out.Message = lang.GuardReason.In(k.lang, found.Reason)
	}
	return out
}

func (k *asking) unanswered(found *state.Approval) *gongu.Error {
	k.a.Note("approval", found.ID)
	return k.refuse(lang.GuardUnanswered.In(k.lang, k.a.Call.Name, found.ID), lang.GuardUnansweredHint.In(k.lang))
}

func (k *asking) openFailed(err error) *gongu.Error {
	if errors.Is(err, state.ErrTooMany) {
		return k.refuse(lang.GuardTooMany.In(k.lang, k.a.Call.Name), lang.GuardTooManyHint.In(k.lang, k.o.Command(k.a.Principal, "approvals", "list")))
	}
	return k.storeFailed(err)
}

func (k *asking) storeFailed(err error) *gongu.Error {
	k.o.Logger.Error("the store of approvals failed", "tool", k.a.Call.Name, "error", err)
	return k.refuse(lang.GuardStore.In(k.lang, k.a.Call.Name), lang.GuardStoreHint.In(k.lang, k.o.Command(k.a.Principal, "status")))
}
