package state

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"reflect"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"
)

// question returns an approval that was not opened yet.
func question(key string) *Approval {
	return &Approval{
		ID: "ap-" + key, Way: WaitRecord, Key: key, Principal: "kim", PrincipalKind: "token", Agent: "coder", Instance: "main", Turn: "t1",
		CallID: "call_1", Tool: "write",
		Calls: []ApprovalCall{{
			CallID: "call_1", Tool: "write", Digest: []byte("digest"), Args: []byte("{\"a\":\"\x00\"}"), Rule: "bundle/main/ask", RuleDigest: "sha256:1",
			Files: []ApprovalFile{{Path: "/w/a.txt", Digest: "sha256:2"}}, Preview: []byte(`{"kind":"edit"}`), Parameters: []byte(`{"type":"object"}`),
		}},
	}
}

func opened(t *testing.T, s *Store, a *Approval) *Approval {
	t.Helper()
	got, joined, err := s.OpenApproval(t.Context(), a, time.Hour, wide)
	if err != nil || joined {
		t.Fatalf("%v, joined %v", err, joined)
	}
	return got
}

func getApproval(t *testing.T, s *Store, id string) *Approval {
	t.Helper()
	a, err := s.GetApproval(t.Context(), id)
	if err != nil {
		t.Fatal(err)
	}
	return a
}

func yes(version int64) ApprovalDecision {
	return ApprovalDecision{Approve: true, By: "lee", ByKind: "session", Version: version}
}

func decide(t *testing.T, s *Store, id string, d ApprovalDecision) (*Approval, bool) {
	t.Helper()
	a, decided, err := s.DecideApproval(t.Context(), id, d, time.Hour)
	if err != nil {
		t.Fatal(err)
	}
	return a, decided
}

func approve(t *testing.T, s *Store, a *Approval) *Approval {
	t.Helper()
	got, decided := decide(t, s, a.ID, yes(a.Version))
	if !decided {
		t.Fatalf("not decided: %+v", got)
	}
	return got
}

// actions returns the actions of the audit rows about an approval, in their order.
func actions(t *testing.T, s *Store, id string) []string {
	t.Helper()
	rows, err := s.AuditAfter(t.Context(), 0, 1000)
	if err != nil {
		t.Fatal(err)
	}
	var out []string
	for _, r := range rows {
		if r.Subject != id {
			continue
		}
		if r.Topic() != "approval" || r.Approval != id || (r.Kind == AuditDecision) != (r.Principal == "lee") {
			t.Errorf("the row is %+v", r)
		}
		out = append(out, strings.TrimPrefix(r.Action, "approval."))
	}
	return out
}

// P6: what an approval is bound to comes back to the byte, on both engines; it is
// pending, then approved, then used by one call, with a row in the audit each.
func TestP6_ApprovalLife(t *testing.T) {
	onEngines(t, func(t *testing.T, open func(o *Options) *Store) {
		s := open(nil)
		asked := question("k")
		a := opened(t, s, asked)
		got := getApproval(t, open(nil), a.ID)
		if !reflect.DeepEqual(got, a) || !reflect.DeepEqual(got.Calls, asked.Calls) || got.State != ApprovalPending || got.Version != 1 || got.Waiting != 1 {
			t.Fatalf("got %+v, opened %+v", got, a)
		}
		if _, used, err := s.UseApproval(t.Context(), a.ID, "c"); used || err != nil {
			t.Fatalf("a pending approval was used: %v", err)
		}
		a = approve(t, s, a)
		if a.State != ApprovalApproved || a.By != "lee" || !a.Calls[0].Approved || a.Decided.IsZero() {
			t.Errorf("approved: %+v", a)
		}
		for i, want := range []struct {
			owner string
			used  bool
		}{{"one", true}, {"one", true}, {"two", false}, {"", false}} {
			if _, used, err := s.UseApproval(t.Context(), a.ID, want.owner); used != want.used || err != nil {
				t.Errorf("%d: used by %q: %v %v", i, want.owner, used, err)
			}
		}
		if got, want := actions(t, s, a.ID), []string{"opened", "approve", "used"}; !slices.Equal(got, want) {
			t.Errorf("the audit has %v", got)
		}
		if _, err := s.GetApproval(t.Context(), "none"); !errors.Is(err, ErrNotFound) {
			t.Errorf("none: %v", err)
		}
	})
}

// Goondan cases 149 and 153: a question that cannot be recorded leaves nothing, and the
// same decision sent again under its name changes nothing and adds no event.
func TestP6_Case149And153(t *testing.T) {
	onEngines(t, func(t *testing.T, open func(o *Options) *Store) {
		s := open(nil)
		bad := question("bad")
		bad.Calls[0].Preview = bytes.Repeat([]byte("x"), maxApprovalBytes)
		for name, a := range map[string]*Approval{"large": bad, "no call": {ID: "ap-bad", Key: "k", Way: WaitRecord}, "no way": {ID: "ap-bad", Key: "k", Calls: bad.Calls}, "no key": {ID: "ap-bad", Way: WaitRecord, Calls: bad.Calls}} {
			if _, _, err := s.OpenApproval(t.Context(), a, time.Hour, wide); !errors.Is(err, ErrInvalid) {
				t.Errorf("%s: %v", name, err)
			}
		}
		ctx, cancel := context.WithCancel(t.Context())
		cancel()
		if _, _, err := s.OpenApproval(ctx, question("bad"), time.Hour, wide); err == nil {
			t.Error("opened for a caller that has left")
		}
		if _, err := s.GetApproval(t.Context(), "ap-bad"); !errors.Is(err, ErrNotFound) || len(actions(t, s, "ap-bad")) > 0 {
			t.Errorf("something was left: %v", err)
		}
		a := opened(t, s, question("k"))
		d := yes(a.Version)
		d.Request = "r1"
		first, decided := decide(t, s, a.ID, d)
		last := lastOf(t, s, feedApprovals)
		again, repeated := decide(t, s, a.ID, d)
		if !decided || repeated || !again.Repeats(d) || !reflect.DeepEqual(first, again) {
			t.Errorf("decided %v %v: %+v, %+v", decided, repeated, first, again)
		}
		other := d
		other.Request = "r2"
		no := d
		no.Approve = false
		for _, d := range []ApprovalDecision{other, no, yes(a.Version)} {
			if got, decided := decide(t, s, a.ID, d); decided || got.Repeats(d) || got.Version != first.Version {
				t.Errorf("another decision %+v: %v, %+v", d, decided, got)
			}
		}
		if got, want := actions(t, s, a.ID), []string{"opened", "approve"}; !slices.Equal(got, want) || lastOf(t, s, feedApprovals) != last {
			t.Errorf("the audit has %v, or watchers were told of nothing", got)
		}
		for _, d := range []ApprovalDecision{{ByKind: "session"}, {By: "lee"}, {By: "lee", ByKind: "session", Request: strings.Repeat("r", 300)}} {
			if _, _, err := s.DecideApproval(t.Context(), a.ID, d, time.Hour); !errors.Is(err, ErrInvalid) {
				t.Errorf("%+v: %v", d, err)
			}
		}
	})
}

// P6: two people decide 500 approvals at once, at two hosts (on PostgreSQL 100,
// 500 with GONGU_CHAOS). Each approval has one decision and one row in the audit,
// and both learn which.
func TestP6_TwoPeopleRace(t *testing.T) {
	onEngines(t, func(t *testing.T, open func(o *Options) *Store) {
		hosts := []*Store{open(nil), open(nil)}
		count := 500
		if hosts[0].Engine() == enginePostgres && os.Getenv("GONGU_CHAOS") == "" {
			count = 100
		}
		forEach(count, func(i int) {
			if _, _, err := hosts[0].OpenApproval(t.Context(), question(fmt.Sprint(i)), time.Hour, wide); err != nil {
				t.Error(err)
			}
		})
		people := []string{"lee", "park"}
		told := make([][2]*Approval, count)
		var taken atomic.Int64
		forEach(count, func(i int) {
			var group sync.WaitGroup
			for n, host := range hosts {
				group.Go(func() {
					d := ApprovalDecision{Approve: n == 0, By: people[n], ByKind: "session", Version: 1}
					a, decided, err := host.DecideApproval(t.Context(), fmt.Sprint("ap-", i), d, time.Hour)
					if err != nil {
						t.Error(err)
						return
					}
					if decided != (a.By == people[n]) {
						t.Errorf("%s was told %v about a decision of %s", people[n], decided, a.By)
					}
					if decided {
						taken.Add(1)
					}
					told[i][n] = a
				})
			}
			group.Wait()
		})
		if t.Failed() {
			return
		}
		if taken.Load() != int64(count) {
			t.Errorf("%d decisions were taken", taken.Load())
		}
		rows := map[string]int{}
		page, err := hosts[0].AuditPage(t.Context(), AuditFilter{Kind: AuditDecision, Limit: 1000})
		if err != nil {
			t.Fatal(err)
		}
		for _, r := range page.Rows {
			rows[r.Subject]++
		}
		for i, pair := range told {
			a := getApproval(t, hosts[1], fmt.Sprint("ap-", i))
			if !reflect.DeepEqual(pair[0], pair[1]) || !reflect.DeepEqual(pair[0], a) || rows[a.ID] != 1 || (a.State == ApprovalApproved) != (a.By == "lee") {
				t.Fatalf("%d rows, told %+v and %+v, is %+v", rows[a.ID], pair[0], pair[1], a)
			}
		}
	})
}

// forEach runs f for all numbers below n, some at a time.
func forEach(n int, f func(i int)) {
	var group sync.WaitGroup
	free := make(chan struct{}, 8)
	for i := range n {
		free <- struct{}{}
		group.Go(func() {
			defer func() { <-free }()
			f(i)
		})
	}
	group.Wait()
}

// lastOf returns the last number of a feed.
func lastOf(t *testing.T, s *Store, feed string) (last int64) {
	t.Helper()
	err := s.View(t.Context(), func(ctx context.Context, tx *Tx) (err error) {
		last, err = tx.Last(ctx, feed)
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return last
}
