package state

import (
	"context"
	"crypto/rand"
	"encoding/json"
	"fmt"
	"time"
)

const (
	// maxApprovalBytes is the most that the calls of one approval take.
	maxApprovalBytes = 8 << 20
	// maxReason is the longest reason of a person, in bytes.
	maxReason = 4 << 10
)

// approval reads an approval.
func (t *Tx) approval(ctx context.Context, id string) (*Approval, error) {
	a, err := t.scanApproval(t.Row(ctx, "ApprovalGet", t.Space(), id).Scan)
	if isNoRows(err) {
		return nil, fmt.Errorf("%w: the approval %s", ErrNotFound, id)
	}
	return a, err
}

func (t *Tx) scanApproval(scan func(...any) error) (*Approval, error) {
	var a Approval
	var calls []byte
	var created, updated, expires, decided int64
	err := scan(&a.ID, &a.Version, &a.State, &a.Way, &a.Key, &a.Waiting, &a.Principal, &a.PrincipalKind, &a.Agent, &a.Instance, &a.Turn, &a.CallID, &a.Tool,
		&calls, &a.By, &a.ByKind, &a.Reason, &a.Request, &a.Owner, &a.Host, &created, &updated, &expires, &decided)
	if err != nil {
		return nil, err
	}
	a.Created, a.Updated, a.Expires = time.UnixMicro(created), time.UnixMicro(updated), time.UnixMicro(expires)
	if decided != 0 {
		a.Decided = time.UnixMicro(decided)
	}
	if calls, err = t.store.sealer.open(t.place("approvals", a.ID, "calls"), calls); err != nil {
		return nil, err
	}
	if a.Calls, err = decodeCalls(calls); err != nil {
		return nil, fmt.Errorf("read the approval %s: %w", a.ID, err)
	}
	return &a, nil
}

// sealCalls returns the calls of an approval as they are stored.
func (t *Tx) sealCalls(a *Approval) ([]byte, error) {
	raw, err := encodeCalls(a.Calls)
	if err != nil {
		return nil, err
	}
	if len(raw) > maxApprovalBytes {
		return nil, fmt.Errorf("%w: the calls that a person is asked about take %d bytes, more than %d", ErrInvalid, len(raw), maxApprovalBytes)
	}
	return t.store.sealer.seal(t.place("approvals", a.ID, "calls"), raw), nil
}

func (t *Tx) insertApproval(ctx context.Context, a *Approval) error {
	calls, err := t.sealCalls(a)
	if err != nil {
		return err
	}
	added, err := t.One(ctx, "ApprovalInsert", t.Space(), a.ID, a.Version, a.State, a.Way, a.Key, a.Waiting, a.Principal, a.PrincipalKind, a.Agent, a.Instance,
		a.Turn, a.CallID, a.Tool, calls, a.By, a.ByKind, a.Reason, a.Request, a.Owner, a.Host, micros(a.Created), micros(a.Updated), micros(a.Expires), micros(a.Decided))
	if err == nil && !added {
		err = fmt.Errorf("%w: the approval %s is there already", ErrConflict, a.ID)
	}
	if err != nil {
		return err
	}
	return t.Audit(ctx, a.event("approval.opened"))
}

// same reports whether an approval is as it was. The calls change only with the
// version.
func (a *Approval) same(before *Approval) bool {
	return a.Version == before.Version && a.Waiting == before.Waiting && a.Way == before.Way && a.Host == before.Host && a.Expires.Equal(before.Expires)
}

// saveApproval writes a changed approval, and what follows from the change: calls
// that can be resumed, and the audit row.
func (t *Tx) saveApproval(ctx context.Context, w Writer, a, before *Approval) error {
	a.Updated = w.Now
	calls, err := t.sealCalls(a)
	if err != nil {
		return err
	}
	hit, err := t.One(ctx, "ApprovalUpdate", t.Space(), a.ID, before.Version, a.Version, a.State, a.Way, a.Waiting, calls, a.By, a.ByKind, a.Reason,
		a.Request, a.Owner, a.Host, micros(a.Updated), micros(a.Expires), micros(a.Decided))
	if err == nil && !hit {
		err = errStale
	}
	if err != nil || a.Version == before.Version {
		return err
	}
	if before.State == ApprovalPending && a.State != ApprovalPending {
		if err := t.wakeCalls(ctx, a); err != nil {
			return err
		}
	}
	row, err := a.changed()
	if err != nil {
		return err
	}
	return t.Audit(ctx, row)
}

// wakeCalls makes the suspended calls of an approval ready to be resumed. The call
// that asked gets the arguments that the person put in the place of its own.
func (t *Tx) wakeCalls(ctx context.Context, a *Approval) error {
	if args := a.changedArgs(a.CallID); args != nil {
		ids, err := t.texts(ctx, "CallsOfApproval", t.Space(), a.ID, a.CallID)
		if err != nil {
			return err
		}
		for _, id := range ids {
			if _, err := t.One(ctx, "CallArgs", t.Space(), id, t.sealCall(&Call{ID: id}, "args", args)); err != nil {
				return err
			}
		}
	}
	return t.CallsReady(ctx, a.ID)
}

// changedArgs returns the arguments that a person put in the place of those of a
// call, nil if there are none.
func (a *Approval) changedArgs(call string) []byte {
	if a.State == ApprovalApproved && len(a.Calls) == 1 && a.Calls[0].Changed && a.CallID == call {
		return a.Calls[0].Args
	}
	return nil
}

// settle makes a call that begins to wait ready at once, if its approval was
// decided before the record of the call was there. The row of the approval stays
// locked, so that a decision comes before or after and never between.
func (t *Tx) settle(ctx context.Context, c *Call) error {
	if c.State != CallSuspended || c.Approval == "" {
		return nil
	}
	there, err := t.One(ctx, "ApprovalHold", t.Space(), c.Approval)
	if err != nil || !there {
		return err // the question of another guard
	}
	a, err := t.approval(ctx, c.Approval)
	if err != nil || a.State == ApprovalPending {
		return err
	}
	c.Ready = true
	if args := a.changedArgs(c.CallID); args != nil {
		c.Args = args
	}
	return nil
}

// event returns the audit row of something that happened to an approval without a
// person.
func (a *Approval) event(action string) *AuditRow {
	row := &AuditRow{
		Kind: AuditEvent, Action: action, Subject: a.ID, Approval: a.ID, Status: "ok",
		Principal: a.Principal, PrincipalKind: a.PrincipalKind, Agent: a.Agent, Instance: a.Instance, Tool: a.Tool, CallID: a.CallID,
	}
	if n := len(a.Calls); n > 0 {
		row.Rule = a.Calls[n-1].Rule
	}
	return row
}

// changed returns the audit row of the last change.
func (a *Approval) changed() (*AuditRow, error) {
	switch a.State {
	case ApprovalPending:
		return a.event("approval.asked"), nil // about one more call
	case ApprovalApproved:
		return a.decision("approval.approve")
	case ApprovalRejected:
		return a.decision("approval.reject")
	}
	return a.event("approval." + a.State), nil
}

// decision returns the audit row of a person's answer: in the name of that person,
// with the caller in its details.
func (a *Approval) decision(action string) (*AuditRow, error) {
	details, err := json.Marshal(struct {
		Caller  string `json:"caller,omitempty"`
		Changed bool   `json:"argumentsChanged,omitempty"`
	}{a.Principal, a.changedArgs(a.CallID) != nil})
	if err != nil {
		return nil, err
	}
	row := a.event(action)
	row.Kind, row.Principal, row.PrincipalKind = AuditDecision, a.By, a.ByKind
	row.Payload = &AuditPayload{Salt: []byte(rand.Text()), Result: details}
	return row, nil
}
