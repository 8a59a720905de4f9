package state

import (
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"strings"
	"time"
)

// feedApprovals is the feed of approvals. Its lock is that of all approvals of a
// space: every writer takes it before it reads.
const feedApprovals = "approvals"

// maxRequestName is the longest name of a decision, in bytes.
const maxRequestName = 256

// OpenApproval adds a pending approval, which is durable when it returns, or
// returns the one that an identical call has: a pending one, or one that was
// approved and not used. It sets ID if that is empty, the times, Host, Waiting and
// Version. If too many are pending the error is [ErrTooMany].
func (s *Store) OpenApproval(ctx context.Context, a *Approval, life time.Duration, most CallLimits) (opened *Approval, joined bool, err error) {
	if err := a.Check(life); err != nil {
		return nil, false, err
	}
	s.sweepApprovals()
	run := s.asAnyone
	if a.Way == WaitConnection {
		run = s.asHost
	}
	err = run(ctx, func(ctx context.Context, tx *Tx, w Writer) (err error) {
		w, err = tx.lockApprovals(ctx, w)
		if err != nil {
			return err
		}
		if opened, err = tx.shareApproval(ctx, w, a, life); err != nil || opened != nil {
			joined = true
			return err
		}
		joined = false
		if err := tx.mayOpen(ctx, w, a.Principal, most); err != nil {
			return err
		}
		made := *a
		if made.ID == "" {
			made.ID = NewApprovalID()
		}
		made.Open(w, life)
		opened = &made
		return tx.insertApproval(ctx, opened)
	})
	if errors.Is(err, errNothing) {
		err = nil
	}
	if err != nil {
		return nil, false, fmt.Errorf("record a question: %w", err)
	}
	return opened, joined, nil
}

// NewApprovalID returns a random id that a person can type.
func NewApprovalID() string { return "ap-" + strings.ToLower(rand.Text()[:14]) }

// Check refuses an approval that cannot be recorded.
func (a *Approval) Check(life time.Duration) error {
	switch {
	case len(a.Calls) == 0 || len(a.Calls) > MaxApprovalCalls:
		return fmt.Errorf("%w: an approval asks about %d calls", ErrInvalid, len(a.Calls))
	case rankOfWay(a.Way) < 0:
		return fmt.Errorf("%w: an approval cannot wait as %q", ErrInvalid, a.Way)
	case a.Key == "" || life <= 0:
		return fmt.Errorf("%w: an approval has a key and a time to live", ErrInvalid)
	}
	return nil
}

// shareApproval lets a call wait for the approval of an identical one, if there is
// one.
func (t *Tx) shareApproval(ctx context.Context, w Writer, a *Approval, life time.Duration) (*Approval, error) {
	for {
		found, err := t.scanApproval(t.Row(ctx, "ApprovalOfKey", t.Space(), a.Key).Scan)
		if errors.Is(err, ErrNotFound) {
			return nil, nil
		}
		if err != nil {
			return nil, err
		}
		before := *found
		if err := t.refresh(ctx, w, found); err != nil {
			return nil, err
		}
		over := found.Ended()
		if !over {
			found.Share(w, a.Way, life)
			if found.same(&before) {
				return found, errNothing
			}
		}
		if err := t.saveApproval(ctx, w, found, &before); err != nil || !over {
			return found, err
		}
	}
}

// mayOpen applies the limits. Those whose time is over do not count.
func (t *Tx) mayOpen(ctx context.Context, w Writer, principal string, most CallLimits) error {
	for again := range 2 {
		var all, each int
		if err := t.Row(ctx, "ApprovalCount", t.Space(), principal).Scan(&all, &each); err != nil {
			return err
		}
		if all < most.All && each < most.Each {
			return nil
		}
		if again > 0 {
			return fmt.Errorf("%w for an answer: %d in all, %d of this caller", ErrTooMany, all, each)
		}
		if _, err := t.endOver(ctx, w, most.All); err != nil {
			return err
		}
	}
	return nil
}

// JoinApproval adds a call that the same outermost call makes, and asks again. The
// error is [ErrConflict] if the approval has ended, and [ErrTooMany] if it asks
// about too many calls.
func (s *Store) JoinApproval(ctx context.Context, id string, c ApprovalCall, life time.Duration) (*Approval, error) {
	a, joined, err := s.changeApproval(ctx, s.asAnyone, id, func(a *Approval, w Writer) bool { return a.Join(w, c, life) })
	if err == nil && !joined {
		err = JoinRefused(a)
	}
	if err != nil {
		return a, fmt.Errorf("ask again for %s: %w", id, err)
	}
	return a, nil
}

// JoinRefused returns the error of an approval that cannot be joined.
func JoinRefused(a *Approval) error {
	if len(a.Calls) >= MaxApprovalCalls {
		return fmt.Errorf("%w for an answer: %d of one call", ErrTooMany, len(a.Calls))
	}
	return fmt.Errorf("%w: the approval is %s", ErrConflict, a.State)
}

// GetApproval returns an approval, or [ErrNotFound]. One whose time is over is
// expired, and one whose waiting host has ended is cancelled.
func (s *Store) GetApproval(ctx context.Context, id string) (*Approval, error) {
	var a *Approval
	over := false
	err := s.View(ctx, func(ctx context.Context, tx *Tx) (err error) {
		if a, err = tx.approval(ctx, id); err != nil || a.Ended() {
			return err
		}
		now, err := tx.Now(ctx)
		if err != nil {
			return err
		}
		seen := *a
		err = tx.refresh(ctx, Writer{Now: time.UnixMicro(now)}, &seen)
		over = seen.Ended()
		return err
	})
	if err != nil {
		return nil, err
	}
	if over {
		a, _, err = s.changeApproval(ctx, s.asAnyone, id, func(*Approval, Writer) bool { return false })
	}
	return a, err
}

// DecideApproval records a person's answer in one transaction, with its audit row,
// the suspended calls that can be resumed and their changed arguments. It reports
// whether this decision was taken; if not, the record says who decided what, and
// [Approval.Repeats] whether it was this decision, sent before.
func (s *Store) DecideApproval(ctx context.Context, id string, d ApprovalDecision, life time.Duration) (a *Approval, decided bool, err error) {
	if err := d.Check(); err != nil {
		return nil, false, err
	}
	return s.changeApproval(ctx, s.asAnyone, id, func(a *Approval, w Writer) bool { return a.Decide(w, d, life) })
}

// Check refuses a decision that cannot be recorded, and makes its texts fit.
func (d *ApprovalDecision) Check() error {
	if d.By == "" || d.ByKind == "" || len(d.Request) > maxRequestName {
		return fmt.Errorf("%w: a decision names who made it, and its own name has at most %d bytes", ErrInvalid, maxRequestName)
	}
	d.By, d.ByKind, d.Request, d.Reason = auditText(d.By), auditText(d.ByKind), auditText(d.Request), fitText(d.Reason, maxReason)
	return nil
}

// UseApproval makes a yes belong to one call of this host. A host that was stopped
// so long that others may take it for dead uses nothing: ErrLeaseLost.
func (s *Store) UseApproval(ctx context.Context, id, owner string) (*Approval, bool, error) {
	a, used, err := s.changeApproval(ctx, s.asHost, id, func(a *Approval, w Writer) bool { return a.Use(w, owner) })
	if err != nil || !used {
		return a, false, err
	}
	lease, err := s.Lease(ctx)
	if err == nil && !lease.Valid() {
		err = fmt.Errorf("%w: the approval %s was not used", ErrLeaseLost, id)
	}
	return a, err == nil, err
}

// CancelApproval takes back the question of one call, and reports whether that
// ended the approval: other calls may wait for it.
func (s *Store) CancelApproval(ctx context.Context, id string) (*Approval, bool, error) {
	return s.changeApproval(ctx, s.asAnyone, id, (*Approval).Cancel)
}

// WatchApprovals returns a channel that hints at changes of approvals; see
// [Store.Watch].
func (s *Store) WatchApprovals(ctx context.Context) <-chan struct{} {
	s.sweepApprovals()
	return s.Watch(ctx, feedApprovals)
}

// transact runs a transaction for a writer.
type transact = func(ctx context.Context, f func(ctx context.Context, tx *Tx, w Writer) error) error

// asAnyone runs a transaction that needs no lease: a person decides with a program
// that runs no calls.
func (s *Store) asAnyone(ctx context.Context, f func(ctx context.Context, tx *Tx, w Writer) error) error {
	return s.Update(ctx, func(ctx context.Context, tx *Tx) error { return f(ctx, tx, Writer{}) })
}

// lockApprovals keeps other writers of approvals away until the transaction ends,
// and sets the time to the one after the wait for the lock.
func (t *Tx) lockApprovals(ctx context.Context, w Writer) (Writer, error) {
	if _, err := t.Next(ctx, feedApprovals); err != nil {
		return w, err
	}
	now, err := t.Now(ctx)
	w.Now = time.UnixMicro(now)
	return w, err
}

// changeApproval applies a transition to an approval. It returns the record as it
// is now, and what the transition returned.
func (s *Store) changeApproval(ctx context.Context, run transact, id string, transition func(*Approval, Writer) bool) (a *Approval, changed bool, err error) {
	err = run(ctx, func(ctx context.Context, tx *Tx, w Writer) (err error) {
		changed = false
		if w, err = tx.lockApprovals(ctx, w); err != nil {
			return err
		}
		if a, err = tx.approval(ctx, id); err != nil {
			return err
		}
		before := *a
		if err := tx.refresh(ctx, w, a); err != nil {
			return err
		}
		changed = transition(a, w)
		if a.same(&before) {
			return errNothing // the feed keeps its number
		}
		return tx.saveApproval(ctx, w, a, &before)
	})
	if err != nil && !errors.Is(err, errNothing) {
		return nil, false, err
	}
	return a, changed, nil
}

// refresh ends an approval whose time is over, or whose waiting host has ended.
func (t *Tx) refresh(ctx context.Context, w Writer, a *Approval) error {
	if a.Expire(w) || a.Ended() || a.Host == "" || a.Host == w.Token {
		return nil
	}
	alive, err := t.HostAlive(ctx, a.Host)
	if err == nil && !alive {
		a.Lose(w)
	}
	return err
}
