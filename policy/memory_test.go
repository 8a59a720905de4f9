package policy

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"reflect"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/gongu-ai/gongu/state"
)

// onStores runs a test on the store in memory and on one of records: both promise
// the same.
func onStores(t *testing.T, f func(t *testing.T, s ApprovalStore)) {
	t.Run("memory", func(t *testing.T) { f(t, NewMemoryApprovals()) })
	t.Run("records", func(t *testing.T) {
		s, err := state.Open(t.Context(), filepath.Join(t.TempDir(), "state.db"), nil)
		if err != nil {
			t.Fatal(err)
		}
		defer s.Close()
		f(t, s)
	})
}

var someLimits = state.CallLimits{All: 4, Each: 2}

func ask(key, principal string) *state.Approval {
	return &state.Approval{
		Way: state.WaitConnection, Key: key, Principal: principal, Agent: "coder", Instance: "main", CallID: "c", Tool: "write",
		Calls: []state.ApprovalCall{{Tool: "write", Args: []byte(key)}},
	}
}

func yes(version int64) state.ApprovalDecision {
	return state.ApprovalDecision{Approve: true, By: "lee", ByKind: "terminal", Version: version, Request: "r"}
}

// P6: a question is asked once for identical calls, decided once, used once, and
// expires; a program without records has the same.
func TestP6_StoresAgree(t *testing.T) {
	onStores(t, func(t *testing.T, s ApprovalStore) {
		ctx := t.Context()
		a, joined, err := s.OpenApproval(ctx, ask("k", "kim"), time.Minute, someLimits)
		if err != nil || joined || a.ID == "" || a.Version != 1 {
			t.Fatalf("%+v %v", a, err)
		}
		if b, joined, err := s.OpenApproval(ctx, ask("k", "kim"), time.Minute, someLimits); err != nil || !joined || b.ID != a.ID || b.Waiting != 2 {
			t.Errorf("%+v %v", b, err)
		}
		a.Calls[0].Tool = "changed by the caller"
		if got, err := s.GetApproval(ctx, a.ID); err != nil || got.Calls[0].Tool != "write" {
			t.Errorf("%+v %v", got, err)
		}
		if joined, err := s.JoinApproval(ctx, a.ID, state.ApprovalCall{Tool: "second"}, time.Minute); err != nil || joined.Version != 2 {
			t.Errorf("%+v %v", joined, err)
		}
		if _, decided, err := s.DecideApproval(ctx, a.ID, yes(1), time.Minute); decided || err != nil {
			t.Errorf("decided what was not shown: %v", err)
		}
		if _, _, err := s.DecideApproval(ctx, a.ID, state.ApprovalDecision{}, time.Minute); !errors.Is(err, state.ErrInvalid) {
			t.Errorf("decided by no one: %v", err)
		}
		if got, decided, err := s.DecideApproval(ctx, a.ID, yes(2), time.Minute); !decided || err != nil || got.State != state.ApprovalApproved {
			t.Errorf("%+v %v", got, err)
		}
		if got, decided, err := s.DecideApproval(ctx, a.ID, yes(2), time.Minute); decided || err != nil || !got.Repeats(yes(2)) {
			t.Errorf("%+v %v", got, err)
		}
		if _, used, err := s.UseApproval(ctx, a.ID, "one"); !used || err != nil {
			t.Errorf("not used: %v", err)
		}
		if got, used, err := s.UseApproval(ctx, a.ID, "two"); used || err != nil || got.Owner != "one" {
			t.Errorf("%+v %v", got, err)
		}
		if got, ended, err := s.CancelApproval(ctx, a.ID); ended || err != nil || got.State != state.ApprovalUsed {
			t.Errorf("%+v %v", got, err)
		}
		for _, err := range []error{
			second(s.GetApproval(ctx, "none")), third(s.UseApproval(ctx, "none", "")), third(s.CancelApproval(ctx, "none")), third(s.DecideApproval(ctx, "none", yes(1), 1)),
			s.RememberApproval(ctx, "none"),
		} {
			if !errors.Is(err, state.ErrNotFound) {
				t.Error(err)
			}
		}
	})
}

func second[T any](_ T, err error) error        { return err }
func third[T, U any](_ T, _ U, err error) error { return err }

// P6: limits, expiry, lists and hints.
func TestP6_StoresAgreeOnWaiting(t *testing.T) {
	onStores(t, func(t *testing.T, s ApprovalStore) {
		ctx, stop := context.WithCancel(t.Context())
		hints := s.WatchApprovals(ctx)
		<-hints
		for i, c := range []struct {
			principal string
			want      error
		}{{"kim", nil}, {"kim", nil}, {"kim", state.ErrTooMany}, {"lee", nil}, {"park", nil}, {"choi", state.ErrTooMany}} {
			if _, _, err := s.OpenApproval(ctx, ask(fmt.Sprint(i), c.principal), time.Minute, someLimits); !errors.Is(err, c.want) {
				t.Errorf("%d: %v", i, err)
			}
		}
		<-hints
		page, err := s.Approvals(ctx, state.ApprovalFilter{Limit: 3})
		if err != nil || len(page.Approvals) != 3 || page.Approvals[0].Principal != "park" || page.Next == "" {
			t.Fatalf("%+v %v", page, err)
		}
		rest, err := s.Approvals(ctx, state.ApprovalFilter{Limit: 3, After: page.Next})
		if err != nil || len(rest.Approvals) != 1 || rest.Approvals[0].Principal != "kim" || rest.Next != "" {
			t.Errorf("%+v %v", rest, err)
		}
		if _, err := s.JoinApproval(ctx, page.Approvals[0].ID, state.ApprovalCall{}, time.Microsecond); err != nil {
			t.Fatal(err)
		}
		time.Sleep(time.Millisecond) // past its time
		if got, err := s.GetApproval(ctx, page.Approvals[0].ID); err != nil || got.State != state.ApprovalExpired {
			t.Errorf("%+v %v", got, err)
		}
		if _, _, err := s.OpenApproval(ctx, ask("new", "choi"), time.Minute, someLimits); err != nil {
			t.Errorf("an expired one counts: %v", err)
		}
		for filter, want := range map[state.ApprovalFilter]int{
			{State: state.ApprovalPending}: 4, {State: state.ApprovalExpired}: 1, {Principal: "kim"}: 2, {Agent: "coder"}: 5, {Agent: "x"}: 0,
		} {
			if page, err := s.Approvals(ctx, filter); err != nil || len(page.Approvals) != want {
				t.Errorf("%+v: %d %v", filter, len(page.Approvals), err)
			}
		}
		if n, err := s.CountApprovals(ctx); err != nil || n != 4 {
			t.Errorf("%d are counted as pending: %v", n, err)
		}
		if _, err := s.Approvals(ctx, state.ApprovalFilter{After: "x"}); !errors.Is(err, state.ErrInvalid) {
			t.Errorf("a bad place: %v", err)
		}
		stop()
		for range hints { // until it is closed
		}
	})
}

// P11, P3: what is remembered, and who is there.
func TestP11_StoresAgree(t *testing.T) {
	onStores(t, func(t *testing.T, s ApprovalStore) {
		ctx := t.Context()
		a, _, err := s.OpenApproval(ctx, ask("k", "kim"), time.Minute, someLimits)
		if err != nil {
			t.Fatal(err)
		}
		if err := s.RememberApproval(ctx, a.ID); !errors.Is(err, state.ErrConflict) {
			t.Errorf("remembered without an answer: %v", err)
		}
		if _, decided, err := s.DecideApproval(ctx, a.ID, yes(1), time.Minute); !decided || err != nil {
			t.Fatal(err)
		}
		if err := s.RememberApproval(ctx, a.ID); err != nil {
			t.Fatal(err)
		}
		if r, err := s.Remembered(ctx, ask("k", "kim")); err != nil || r.By != "lee" || r.Approval != a.ID {
			t.Errorf("%+v %v", r, err)
		}
		several := ask("k", "kim")
		several.Calls = append(several.Calls, several.Calls...)
		for _, q := range []*state.Approval{ask("other", "kim"), ask("k", "lee"), several} {
			if _, err := s.Remembered(ctx, q); !errors.Is(err, state.ErrNotFound) {
				t.Errorf("%v", err)
			}
		}
		if seen, err := s.SeenPerson(ctx, time.Hour); seen || err != nil {
			t.Errorf("%v %v", seen, err)
		}
		if err := s.SeePerson(ctx, "session", "lee"); err != nil {
			t.Fatal(err)
		}
		for within, want := range map[time.Duration]bool{time.Hour: true, 0: false} {
			if seen, err := s.SeenPerson(ctx, within); seen != want || err != nil {
				t.Errorf("%v: %v %v", within, seen, err)
			}
		}
	})
}

// P6: of people who decide at once one does, and all are told the same.
func TestP6_MemoryRace(t *testing.T) {
	s := NewMemoryApprovals()
	for i := range 500 {
		a, _, err := s.OpenApproval(t.Context(), ask(fmt.Sprint(i), "kim"), time.Minute, state.CallLimits{All: 1000, Each: 1000})
		if err != nil {
			t.Fatal(err)
		}
		var group sync.WaitGroup
		var taken atomic.Int32
		told := make([]*state.Approval, 2)
		for n := range told {
			group.Go(func() {
				d := state.ApprovalDecision{Approve: n == 0, By: fmt.Sprint(n), ByKind: "session", Version: 1}
				got, decided, err := s.DecideApproval(t.Context(), a.ID, d, time.Minute)
				if decided {
					taken.Add(1)
				}
				if told[n] = got; err != nil || decided != (got.By == d.By) {
					t.Errorf("%+v %v %v", got, decided, err)
				}
			})
		}
		group.Wait()
		if taken.Load() != 1 || !reflect.DeepEqual(told[0], told[1]) {
			t.Fatalf("%d decisions, %+v, %+v", taken.Load(), told[0], told[1])
		}
	}
}

// Ended approvals do not fill the memory.
func TestP6_MemoryIsBounded(t *testing.T) {
	s := NewMemoryApprovals()
	for i := range maxEnded + 50 {
		a, _, err := s.OpenApproval(t.Context(), ask(fmt.Sprint(i), "kim"), time.Minute, someLimits)
		if err != nil {
			t.Fatal(err)
		}
		if _, ended, err := s.CancelApproval(t.Context(), a.ID); !ended || err != nil {
			t.Fatal(err)
		}
	}
	if len(s.all) > maxEnded+1 {
		t.Errorf("%d are kept", len(s.all))
	}
}
