package state

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"sync"
	"testing"
	"time"
)

// P6: only the transitions that a state allows change an approval.
func TestP6_ApprovalTransitions(t *testing.T) {
	w := Writer{Token: "own", Now: time.UnixMicro(10)}
	pending, approved, used := ApprovalPending, ApprovalApproved, ApprovalUsed
	for name, c := range map[string]struct {
		do   func(a *Approval) bool
		from []string
		to   string
	}{
		"approve":             {func(a *Approval) bool { return a.Decide(w, yes(1), 5) }, []string{pending}, approved},
		"decline":             {func(a *Approval) bool { return a.Decide(w, ApprovalDecision{By: "lee"}, 5) }, []string{pending}, ApprovalRejected},
		"approve unseen":      {func(a *Approval) bool { return a.Decide(w, yes(0), 5) }, nil, ""},
		"approve another":     {func(a *Approval) bool { return a.Decide(w, yes(2), 5) }, nil, ""},
		"decline another":     {func(a *Approval) bool { return a.Decide(w, ApprovalDecision{Version: 2}, 5) }, nil, ""},
		"decline with change": {func(a *Approval) bool { return a.Decide(w, ApprovalDecision{Args: []byte("{}")}, 5) }, nil, ""},
		"use":                 {func(a *Approval) bool { return a.Use(w, "c") }, []string{approved}, used},
		"use again":           {func(a *Approval) bool { a.Owner = "c"; return a.Use(w, "c") && a.State == used }, []string{approved, used}, used},
		"use late":            {func(a *Approval) bool { return a.Use(Writer{Now: time.UnixMicro(100)}, "c") }, nil, ""},
		"cancel":              {func(a *Approval) bool { return a.Cancel(w) }, []string{pending, approved}, ApprovalCancelled},
		"lose":                {func(a *Approval) bool { return a.Lose(w) }, []string{pending, approved}, ApprovalCancelled},
		"expire":              {func(a *Approval) bool { return a.Expire(Writer{Now: time.UnixMicro(100)}) }, []string{pending, approved}, ApprovalExpired},
		"expire early":        {func(a *Approval) bool { return a.Expire(w) }, nil, ""},
		"join":                {func(a *Approval) bool { return a.Join(w, ApprovalCall{}, 5) }, []string{pending, approved, used}, pending},
	} {
		for _, from := range []string{pending, approved, used, ApprovalRejected, ApprovalCancelled, ApprovalExpired} {
			a := Approval{State: from, Way: WaitConnection, Host: "h", Version: 1, Waiting: 1, Expires: time.UnixMicro(100), Calls: make([]ApprovalCall, 1)}
			allowed := slices.Contains(c.from, from)
			if changed := c.do(&a); changed != allowed || changed && a.State != c.to || !changed && (a.State != from || a.Version != 1) {
				t.Errorf("%s from %s: %v, %+v", name, from, changed, a)
			}
		}
	}
	many := Approval{State: pending, Version: 1, Calls: make([]ApprovalCall, MaxApprovalCalls)}
	if many.Join(w, ApprovalCall{}, 5) || !errors.Is(JoinRefused(&many), ErrTooMany) {
		t.Error("an approval asks about any number of calls")
	}
	d := yes(1)
	d.Args = []byte("{}")
	if many.Decide(w, d, 5) {
		t.Error("the arguments of several calls were changed at once")
	}
}

// P6: identical calls share one pending approval, which lives while one of them
// waits, for as long as the longest. What was approved for a denied call is there
// for the next; what was used is not.
func TestP6_IdenticalCallsShare(t *testing.T) {
	onEngines(t, func(t *testing.T, open func(o *Options) *Store) {
		s, other := open(nil), open(nil)
		share := func(s *Store, way string, life time.Duration) *Approval {
			t.Helper()
			q := question("k")
			q.ID, q.Way = "", way
			a, _, err := s.OpenApproval(t.Context(), q, life, wide)
			if err != nil {
				t.Fatal(err)
			}
			return a
		}
		a := share(s, WaitConnection, time.Minute)
		b := share(s, WaitConnection, time.Minute)
		if b.ID != a.ID || b.Waiting != 2 || b.Version != a.Version || b.Host == "" || len(a.ID) < 10 {
			t.Fatalf("%+v, %+v", a, b)
		}
		if c := share(other, WaitConnection, time.Minute); c.Host != "" || c.Waiting != 3 {
			t.Errorf("the end of one host would end the question of another: %+v", c)
		}
		if c := share(other, WaitRecord, time.Hour); c.Way != WaitRecord || c.Expires.Sub(a.Expires) < 50*time.Minute {
			t.Errorf("a suspended call lives as short as a connection: %+v", c)
		}
		for range 3 {
			if c, ended, err := s.CancelApproval(t.Context(), a.ID); ended || err != nil || c.State != ApprovalPending {
				t.Fatalf("one caller left, and another waits: %+v %v", c, err)
			}
		}
		if c, ended, err := s.CancelApproval(t.Context(), a.ID); !ended || err != nil || c.State != ApprovalCancelled {
			t.Errorf("all callers left: %+v %v", c, err)
		}
		permit := share(s, WaitPermit, time.Hour)
		if permit.ID == a.ID || permit.Waiting != 0 || permit.Host != "" {
			t.Fatalf("%+v", permit)
		}
		share(s, WaitConnection, time.Minute)
		if c, ended, err := s.CancelApproval(t.Context(), permit.ID); ended || err != nil || c.State != ApprovalPending {
			t.Errorf("a permit outlives its callers: %+v %v", c, err)
		}
		approve(t, s, permit)
		if c := share(other, WaitPermit, time.Hour); c.ID != permit.ID || c.State != ApprovalApproved {
			t.Errorf("the identical call found %+v", c)
		}
		if _, used, err := other.UseApproval(t.Context(), permit.ID, ""); !used || err != nil {
			t.Errorf("not used: %v", err)
		}
		if c := share(s, WaitPermit, time.Hour); c.ID == permit.ID || c.State != ApprovalPending {
			t.Errorf("a used approval was found again: %+v", c)
		}
		page, err := s.Approvals(t.Context(), ApprovalFilter{})
		if err != nil || len(page.Approvals) != 3 {
			t.Errorf("%d approvals, %v", len(page.Approvals), err)
		}
	})
}

// P6: calls that one outermost call makes are one item: what is added is asked
// again under a new version, and what was shown before cannot be approved.
func TestP6_JoinedCalls(t *testing.T) {
	onEngines(t, func(t *testing.T, open func(o *Options) *Store) {
		s := open(nil)
		a := opened(t, s, question("k"))
		joined, err := s.JoinApproval(t.Context(), a.ID, ApprovalCall{Tool: "second", Args: []byte("2")}, time.Hour)
		if err != nil || len(joined.Calls) != 2 || joined.Version != 2 || joined.Waiting != 2 {
			t.Fatalf("%+v %v", joined, err)
		}
		if got, decided := decide(t, s, a.ID, yes(1)); decided || got.State != ApprovalPending {
			t.Errorf("approved what was not shown: %+v", got)
		}
		approve(t, s, joined)
		for range 2 { // both calls of the outermost one
			if _, used, err := s.UseApproval(t.Context(), a.ID, "outer"); !used || err != nil {
				t.Fatalf("not used: %v", err)
			}
		}
		third, err := s.JoinApproval(t.Context(), a.ID, ApprovalCall{Tool: "third"}, time.Hour)
		if err != nil || third.State != ApprovalPending || !third.Calls[1].Approved || third.Calls[2].Approved {
			t.Fatalf("%+v %v", third, err)
		}
		if _, decided := decide(t, s, a.ID, ApprovalDecision{By: "lee", ByKind: "session"}); !decided {
			t.Error("not declined")
		}
		if _, err := s.JoinApproval(t.Context(), a.ID, ApprovalCall{}, time.Hour); !errors.Is(err, ErrConflict) {
			t.Errorf("joined after a no: %v", err)
		}
		if got, want := actions(t, s, a.ID), []string{"opened", "asked", "approve", "used", "asked", "reject"}; !slices.Equal(got, want) {
			t.Errorf("the audit has %v", got)
		}
	})
}

// P6: at most some approvals of a principal, and some of the store, are pending.
// Those that are over do not count, and hosts do not pass the limit together.
func TestP6_PendingLimits(t *testing.T) {
	onEngines(t, func(t *testing.T, open func(o *Options) *Store) {
		hosts := []*Store{open(nil), open(nil)}
		most := CallLimits{All: 5, Each: 3}
		add := func(s *Store, key, principal string, life time.Duration) error {
			q := question(key)
			q.Principal = principal
			_, _, err := s.OpenApproval(t.Context(), q, life, most)
			if err != nil && !errors.Is(err, ErrTooMany) {
				t.Error(err)
			}
			return err
		}
		forEach(20, func(i int) { _ = add(hosts[i%2], fmt.Sprint("kim", i), "kim", time.Hour) })
		forEach(20, func(i int) { _ = add(hosts[i%2], fmt.Sprint("lee", i), fmt.Sprint("lee", i), time.Hour) })
		for principal, want := range map[string]int{"kim": 3, "": 5} {
			page, err := hosts[0].Approvals(t.Context(), ApprovalFilter{State: ApprovalPending, Principal: principal})
			if err != nil || len(page.Approvals) != want {
				t.Errorf("%q: %d pending, %v", principal, len(page.Approvals), err)
			}
		}
		page, err := hosts[0].Approvals(t.Context(), ApprovalFilter{Principal: "kim"})
		if err != nil {
			t.Fatal(err)
		}
		if _, err := hosts[0].JoinApproval(t.Context(), page.Approvals[0].ID, ApprovalCall{}, time.Microsecond); err != nil {
			t.Fatal(err)
		}
		time.Sleep(time.Millisecond) // past the time of the first
		if err := add(hosts[1], "next", "kim", time.Hour); err != nil {
			t.Errorf("an expired one counts: %v", err)
		}
	})
}

// P6: an approval whose time is over is expired for every reader, in a list as
// alone, and its suspended call can be resumed to hear so; so is a yes that no call
// used. A background sweep ends what no one reads.
func TestP6_Expiry(t *testing.T) {
	onEngines(t, func(t *testing.T, open func(o *Options) *Store) {
		s := open(nil)
		brief := func(key string) *Approval {
			t.Helper()
			a, _, err := s.OpenApproval(t.Context(), question(key), time.Millisecond, wide)
			if err != nil {
				t.Fatal(err)
			}
			return a
		}
		c := newCall(t, s, "k")
		read, decided, listed := brief("k"), brief("decided"), brief("listed")
		unused := opened(t, s, question("unused"))
		if _, ok, err := s.DecideApproval(t.Context(), unused.ID, yes(1), time.Millisecond); !ok || err != nil {
			t.Fatal(err)
		}
		time.Sleep(2 * time.Millisecond) // past their time
		if a := getApproval(t, s, read.ID); a.State != ApprovalExpired {
			t.Errorf("read: %+v", a)
		}
		if !getCall(t, s, c.ID).Ready {
			t.Error("the call of an expired approval waits on")
		}
		if a, ok := decide(t, s, decided.ID, yes(1)); ok || a.State != ApprovalExpired {
			t.Errorf("decided after its time: %+v", a)
		}
		if a, ok, err := s.UseApproval(t.Context(), unused.ID, "c"); ok || err != nil || a.State != ApprovalExpired {
			t.Errorf("used after its time: %+v %v", a, err)
		}
		page, err := s.Approvals(t.Context(), ApprovalFilter{State: ApprovalPending})
		if err != nil || len(page.Approvals) != 0 {
			t.Errorf("pending: %v %v", page.Approvals, err)
		}
		if got, want := actions(t, s, listed.ID), []string{"opened", "expired"}; !slices.Equal(got, want) {
			t.Errorf("the audit has %v", got)
		}
		swept := brief("swept")
		for hints := open(short("b")).WatchApprovals(t.Context()); !slices.Contains(actions(t, s, swept.ID), "expired"); {
			select {
			case <-hints:
			case <-time.After(time.Minute):
				t.Fatal("not swept")
			}
		}
	})
}

// P9: when the host of an open connection has ended its approval is cancelled,
// whether it was answered or not, and cannot be decided or used; a record outlives
// its host.
func TestP9_ApprovalsOfAnEndedHost(t *testing.T) {
	onEngines(t, func(t *testing.T, open func(o *Options) *Store) {
		a, b := open(&Options{Host: "a"}), open(&Options{Host: "b"})
		for _, key := range []string{"read", "decided", "listed", "approved", "used"} {
			q := question(key)
			q.Way = WaitConnection
			opened(t, a, q)
		}
		record := opened(t, a, question("record"))
		for _, id := range []string{"ap-approved", "ap-used"} {
			approve(t, b, getApproval(t, b, id))
		}
		if _, used, err := a.UseApproval(t.Context(), "ap-used", "c"); !used || err != nil {
			t.Fatal(err)
		}
		a.release()
		if got := getApproval(t, b, "ap-read"); got.State != ApprovalCancelled {
			t.Errorf("read: %+v", got)
		}
		if got, ok := decide(t, b, "ap-decided", yes(1)); ok || got.State != ApprovalCancelled {
			t.Errorf("decided for a host that has ended: %+v", got)
		}
		if got, ok, err := b.UseApproval(t.Context(), "ap-approved", "c"); ok || err != nil || got.State != ApprovalCancelled {
			t.Errorf("used by another call: %+v %v", got, err)
		}
		page, err := b.Approvals(t.Context(), ApprovalFilter{State: ApprovalPending})
		if err != nil || len(page.Approvals) != 1 || page.Approvals[0].ID != record.ID {
			t.Errorf("pending: %v %v", page.Approvals, err)
		}
		if got := getApproval(t, b, "ap-used"); got.State != ApprovalUsed {
			t.Errorf("used: %+v", got)
		}
		for id, want := range map[string][]string{"ap-listed": {"opened", "cancelled"}, "ap-used": {"opened", "approve", "used"}} {
			if got := actions(t, b, id); !slices.Equal(got, want) {
				t.Errorf("%s: the audit has %v", id, got)
			}
		}
	})
}

// R7: a host that was stopped for long uses no yes.
func TestR7_NoUseWithAStaleLease(t *testing.T) {
	onEngines(t, func(t *testing.T, open func(o *Options) *Store) {
		s := open(nil)
		a := approve(t, s, opened(t, s, question("k")))
		lease, err := s.Lease(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		lease.mark(time.Now().Add(-time.Minute))
		if _, used, err := s.UseApproval(t.Context(), a.ID, "c"); used || !errors.Is(err, ErrLeaseLost) {
			t.Errorf("%v %v", used, err)
		}
	})
}

// Goondan cases 157 and 159: of all calls and hosts that use one yes, one does; of a cancel
// and a use at the same time one wins, and what is stored says which.
func TestP6_Case157And159(t *testing.T) {
	onEngines(t, func(t *testing.T, open func(o *Options) *Store) {
		hosts := []*Store{open(nil), open(nil)}
		for round := range 10 {
			a := approve(t, hosts[0], opened(t, hosts[0], question(fmt.Sprint(round))))
			won := make([]bool, 6)
			cancelled := false
			var group sync.WaitGroup
			for i := range won {
				group.Go(func() {
					_, used, err := hosts[i%2].UseApproval(t.Context(), a.ID, fmt.Sprint("call", i))
					if err != nil {
						t.Error(err)
					}
					won[i] = used
				})
			}
			group.Go(func() {
				_, ended, err := hosts[1].CancelApproval(t.Context(), a.ID)
				if err != nil {
					t.Error(err)
				}
				cancelled = ended
			})
			group.Wait()
			got := getApproval(t, hosts[0], a.ID)
			winner := slices.Index(won, true)
			switch {
			case cancelled && winner < 0 && got.State == ApprovalCancelled:
			case !cancelled && winner >= 0 && !slices.Contains(won[winner+1:], true) && got.Owner == fmt.Sprint("call", winner):
			default:
				t.Fatalf("won %v, cancelled %v: %+v", won, cancelled, got)
			}
			if after, ended, err := hosts[0].CancelApproval(t.Context(), a.ID); ended || err != nil || after.Version != got.Version {
				t.Errorf("a late cancel changed %+v, %v", after, err)
			}
		}
	})
}

// Goondan case 161: a decision for another space, or for a version that was not shown, is
// refused and changes nothing.
func TestP6_Case161(t *testing.T) {
	onEngines(t, func(t *testing.T, open func(o *Options) *Store) {
		s, other := open(nil), open(&Options{Space: "other"})
		a := opened(t, s, question("k"))
		if _, _, err := other.DecideApproval(t.Context(), a.ID, yes(1), time.Hour); !errors.Is(err, ErrNotFound) {
			t.Errorf("another space: %v", err)
		}
		if _, _, err := other.UseApproval(context.WithoutCancel(t.Context()), a.ID, "c"); !errors.Is(err, ErrNotFound) {
			t.Errorf("another space: %v", err)
		}
		decide(t, s, a.ID, yes(7))
		if got := getApproval(t, s, a.ID); got.State != ApprovalPending || got.Version != 1 {
			t.Errorf("%+v", got)
		}
	})
}
