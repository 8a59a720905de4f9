// Package resume continues suspended calls from their records, for all servers
// whose callers can come back: the handler of a call runs once, on one host.
package resume

import (
	"context"
	"crypto/rand"
	"errors"
	"time"

	"github.com/gongu-ai/gongu"
	"github.com/gongu-ai/gongu/state"
)

// Store is the part of the store of calls that this package needs.
type Store interface {
	GetCall(ctx context.Context, id string) (*state.Call, error)
	StartCall(ctx context.Context, id string, round int, attempt string) (*state.Call, bool, error)
	ChangeCall(ctx context.Context, id string, transition func(*state.Call, state.Writer) bool) (*state.Call, bool, error)
}

// Waiting returns what the record of a suspended call has.
func Waiting(s *gongu.Suspended) state.Waiting {
	return state.Waiting{CallID: s.Call.ID, Digest: s.Digest[:], Args: s.Call.Args, Agent: s.Agent, Instance: s.Instance, Approval: s.Approval}
}

// Suspended returns the call of a record, as [gongu.Executor.Resume] takes it.
func Suspended(c *state.Call) *gongu.Suspended {
	s := &gongu.Suspended{
		Call:      gongu.Call{ID: c.CallID, Name: c.Tool, Args: c.Args},
		Principal: c.Principal, Agent: c.Agent, Instance: c.Instance, Approval: c.Approval,
	}
	copy(s.Digest[:], c.Digest)
	return s
}

// Start makes this host the one that runs the handler of a suspended call, as its
// record was when it was resumed. False means that another attempt has started it,
// or that it waits in another round. After an error the call is suspended again,
// because nobody knows whether it was started; retry runs a function in the
// background until it returns true.
func Start(ctx context.Context, store Store, was *state.Call, retry func(func(context.Context) bool)) (bool, error) {
	attempt := rand.Text()
	_, started, err := store.StartCall(ctx, was.ID, was.Round, attempt)
	if err == nil {
		return started, nil
	}
	undo := func(ctx context.Context) bool {
		_, _, err := store.ChangeCall(ctx, was.ID, func(c *state.Call, w state.Writer) bool { return c.Unstart(w, attempt, was) })
		return err == nil || errors.Is(err, state.ErrNotFound)
	}
	if !undo(context.WithoutCancel(ctx)) {
		retry(undo)
	}
	return false, err
}

// followInterval is how often a host reads the record of a call that another one
// runs.
const followInterval = 100 * time.Millisecond

// Until reads the record of a call until done returns true. It ends with ctx, or
// when ended is closed.
func Until(ctx context.Context, store Store, id string, ended <-chan struct{}, done func(*state.Call) bool) (*state.Call, error) {
	ticker := time.NewTicker(followInterval)
	defer ticker.Stop()
	for {
		c, err := store.GetCall(ctx, id)
		if err != nil || done(c) {
			return c, err
		}
		select {
		case <-ticker.C:
		case <-ctx.Done():
			return nil, ctx.Err()
		case <-ended:
			return nil, context.Canceled
		}
	}
}

// Finished returns the calls that had ended inside of a call whose outcome is
// unknown, as far as the last question to a person says so.
func Finished(ctx context.Context, store any, c *state.Call) []string {
	known, ok := store.(interface {
		Approvals(ctx context.Context, f state.ApprovalFilter) (state.ApprovalPage, error)
	})
	if !ok || c.CallID == "" {
		return nil
	}
	page, err := known.Approvals(ctx, state.ApprovalFilter{Principal: c.Principal, Limit: 200})
	if err != nil {
		return nil // the list is a help; the outcome is unknown in any case
	}
	for _, a := range page.Approvals {
		if a.CallID == c.CallID && len(a.Calls) > 0 {
			return a.Calls[len(a.Calls)-1].Finished
		}
	}
	return nil
}
