package main

import (
	"bytes"
	"context"
	"fmt"
	"path/filepath"
	"time"

	"github.com/gongu-ai/gongu/state"
)

// approvalsName is the row of the questions that wait for a person.
const approvalsName = "a list of 1,000 pending approvals"

// approvals returns the listing of pending approvals, in a store where others have
// ended. Each has arguments, a preview and a schema of usual sizes.
func (r *records) approvals(ctx context.Context, ended int) (subject, error) {
	s, err := r.open(ctx, "sqlite:"+filepath.Join(r.dir, "approvals.db"))
	if err != nil {
		return subject{}, err
	}
	call := state.ApprovalCall{
		Tool: "write", Digest: make([]byte, 32), Args: bytes.Repeat([]byte("a"), 1<<10), Rule: "bundle/main/ask",
		Preview: bytes.Repeat([]byte("p"), 4<<10), Parameters: bytes.Repeat([]byte("s"), 512),
	}
	open := func(n int) (*state.Approval, error) {
		a := &state.Approval{
			Way: state.WaitRecord, Key: fmt.Sprint(n), Principal: fmt.Sprint("p", n%40), Agent: "coder", Instance: "main", CallID: fmt.Sprint(n), Tool: "write",
			Calls: []state.ApprovalCall{call},
		}
		a, _, err := s.OpenApproval(ctx, a, time.Hour, state.CallLimits{All: 2 * pending, Each: pending})
		return a, err
	}
	err = divide(ended, 32, func(worker, each int) error {
		for i := range each {
			a, err := open((worker+1)*1_000_000 + i)
			if err != nil {
				return err
			}
			no := state.ApprovalDecision{By: "lee", ByKind: "session"}
			if _, _, err := s.DecideApproval(ctx, a.ID, no, time.Hour); err != nil {
				return err
			}
		}
		return nil
	})
	for i := 0; i < pending && err == nil; i++ {
		_, err = open(i)
	}
	return subject{name: approvalsName, run: func(n int) error {
		for range n {
			page, err := s.Approvals(ctx, state.ApprovalFilter{State: state.ApprovalPending, Limit: pending})
			if err != nil {
				return err
			}
			if len(page.Approvals) != pending {
				return fmt.Errorf("%d of %d pending approvals are listed", len(page.Approvals), pending)
			}
		}
		return nil
	}}, err
}
