package state

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"sync"
	"sync/atomic"
	"testing"
	"time"
)

var wide = CallLimits{All: 1000, Each: 1000}

// newCall adds a suspended call.
func newCall(t *testing.T, s *Store, id string) *Call {
	t.Helper()
	c := &Call{
		ID: id, Kind: KindCall, State: CallSuspended, Principal: "kim", Agent: "mcp", Instance: "default", Tool: "write", CallID: "call_1",
		Digest: []byte("digest"), Args: []byte("{\"a\":\"\\u0000\x00\"}"), Round: 1, Approval: "ap-" + id, Questions: []byte(`{"q":1}`),
	}
	if err := s.AddCall(t.Context(), c, time.Hour, wide); err != nil {
		t.Fatal(err)
	}
	return c
}

func getCall(t *testing.T, s *Store, id string) *Call {
	t.Helper()
	c, err := s.GetCall(t.Context(), id)
	if err != nil {
		t.Fatal(err)
	}
	return c
}

func change(t *testing.T, s *Store, id string, transition func(*Call, Writer) bool) (*Call, bool) {
	t.Helper()
	c, changed, err := s.ChangeCall(t.Context(), id, transition)
	if err != nil {
		t.Fatal(err)
	}
	return c, changed
}

func start(c *Call, w Writer) bool { return c.Start(w, 1) }

// H20: what a record has comes back, and only the transitions that its state
// allows change it.
func TestH20_CallTransitions(t *testing.T) {
	w, other := Writer{Token: "own", Now: time.UnixMicro(1)}, Writer{Token: "other", Now: time.UnixMicro(1)}
	allowed := map[string]map[string]bool{
		"start":        {CallSuspended: true},
		"old round":    {},
		"suspend":      {CallSuspended: true, CallStarted: true},
		"ask":          {CallStarted: true},
		"answer":       {CallStarted: true},
		"end":          {CallSuspended: true, CallStarted: true},
		"end by other": {CallSuspended: true},
		"ask by other": {},
		"cancel":       {CallSuspended: true, CallStarted: true},
		"keep":         {CallDone: true, CallCancelled: true, CallUnknown: true},
		"lose":         {CallStarted: true},
	}
	do := map[string]func(c *Call) bool{
		"start":        func(c *Call) bool { return c.Start(w, 1) },
		"old round":    func(c *Call) bool { return c.Start(w, 2) || c.Answer(2, []byte("{}")) || c.Suspend(w, 2, Waiting{}, 1) },
		"suspend":      func(c *Call) bool { return c.Suspend(w, 1, Waiting{}, 1) },
		"ask":          func(c *Call) bool { return c.Ask(w, 2, []byte("{}")) && c.Answered(w, 2) },
		"answer":       func(c *Call) bool { return c.Answer(1, []byte("{}")) && !c.Answer(1, []byte("{}")) },
		"end":          func(c *Call) bool { return c.End(w, CallDone, nil, 1) },
		"end by other": func(c *Call) bool { return c.End(other, CallDone, nil, 1) },
		"ask by other": func(c *Call) bool { return c.Ask(other, 2, nil) || c.Answered(other, 1) },
		"cancel":       func(c *Call) bool { return c.Cancel(w, 1) },
		"keep":         func(c *Call) bool { return c.Keep(w, 1) },
		"lose":         func(c *Call) bool { return c.lose(w) },
	}
	for name, transition := range do {
		for _, from := range []string{CallSuspended, CallStarted, CallDone, CallCancelled, CallUnknown} {
			c := Call{State: from, Round: 1, Host: "own", Questions: []byte("{}")}
			before := fmt.Sprint(c)
			if changed := transition(&c); changed != allowed[name][from] {
				t.Errorf("%s from %s: %v", name, from, changed)
			} else if !changed && fmt.Sprint(c) != before {
				t.Errorf("%s from %s is refused and changes the record", name, from)
			}
		}
	}
}

// H20: of all hosts and goroutines that start a call, one does. The owner alone
// stores the result, and both engines keep every byte.
func TestH20_StartOnce(t *testing.T) {
	onEngines(t, func(t *testing.T, open func(o *Options) *Store) {
		hosts := []*Store{open(nil), open(nil)}
		made := newCall(t, hosts[0], "c")
		var group sync.WaitGroup
		var started atomic.Int32
		for i := range 16 {
			group.Go(func() {
				_, changed, err := hosts[i%2].ChangeCall(t.Context(), "c", start)
				if err != nil {
					t.Error(err)
				}
				if changed {
					started.Add(1)
				}
			})
		}
		group.Wait()
		if started.Load() != 1 {
			t.Fatalf("started %d times", started.Load())
		}
		ended := 0
		for _, host := range hosts {
			_, changed := change(t, host, "c", func(c *Call, w Writer) bool { return c.End(w, CallDone, []byte("{\x00}"), time.Hour) })
			if changed {
				ended++
			}
		}
		c := getCall(t, hosts[0], "c")
		if ended != 1 || c.State != CallDone || string(c.Result) != "{\x00}" || !bytes.Equal(c.Args, made.Args) || c.CallID != "call_1" || c.Tool != "write" {
			t.Errorf("%d ended, %+v", ended, c)
		}
		if err := hosts[0].AddCall(t.Context(), made, 0, wide); !errors.Is(err, ErrConflict) {
			t.Errorf("added twice: %v", err)
		}
		if _, err := hosts[0].GetCall(t.Context(), "none"); !errors.Is(err, ErrNotFound) {
			t.Errorf("%v", err)
		}
	})
}

// R7: a started call whose host has ended is of unknown outcome, for good. The
// host that comes back later cannot end it.
func TestR7_StartedCallsOfAnEndedHost(t *testing.T) {
	onEngines(t, func(t *testing.T, open func(o *Options) *Store) {
		a, b := open(&Options{Host: "a"}), open(&Options{Host: "b"})
		for _, id := range []string{"read", "swept", "waits"} {
			newCall(t, a, id)
		}
		change(t, a, "read", start)
		change(t, a, "swept", start)
		a.release()
		if c := getCall(t, b, "read"); c.State != CallUnknown || c.Expires.IsZero() {
			t.Errorf("%+v", c)
		}
		if _, changed := change(t, b, "read", start); changed {
			t.Error("started again")
		}
		if _, changed := change(t, a, "read", func(c *Call, w Writer) bool { return c.End(w, CallDone, []byte("{}"), time.Hour) }); changed {
			t.Error("a host without its lease stored a result")
		}
		newCall(t, b, "new") // every new record sweeps
		var state string
		err := b.View(t.Context(), func(ctx context.Context, tx *Tx) error {
			c, err := tx.call(ctx, "swept", 0)
			if err == nil {
				state = c.State
			}
			return err
		})
		if err != nil || state != CallUnknown {
			t.Errorf("%s %v", state, err)
		}
		if c, changed := change(t, b, "waits", start); !changed || c.State != CallStarted {
			t.Errorf("a suspended call belongs to no host: %+v", c)
		}
	})
}

// What a host records for the one that runs a call reaches it.
func TestP9_CallMail(t *testing.T) {
	onEngines(t, func(t *testing.T, open func(o *Options) *Store) {
		a, b := open(nil), open(nil)
		for _, id := range []string{"answered", "stopped", "quiet"} {
			newCall(t, a, id)
			change(t, a, id, start)
			change(t, a, id, func(c *Call, w Writer) bool { return c.Ask(w, 2, []byte(`{"q":2}`)) })
		}
		hints := a.WatchCalls(t.Context())
		<-hints
		change(t, b, "answered", func(c *Call, _ Writer) bool { return c.Answer(2, []byte(`{"q":"yes"}`)) })
		change(t, b, "stopped", func(c *Call, w Writer) bool { return c.Cancel(w, time.Hour) })
		select {
		case <-hints:
		case <-time.After(20 * time.Second):
			t.Fatal("no hint")
		}
		mail := func(s *Store) string {
			calls, err := s.CallMail(t.Context())
			out := ""
			for _, c := range calls {
				out += fmt.Sprint(c.ID, " ", c.Stopped, " ", string(c.Answers), ";")
			}
			return fmt.Sprint(out, err)
		}
		if got := mail(a); got != `answered false {"q":"yes"};stopped true ;<nil>` {
			t.Errorf("mail %s", got)
		}
		if got := mail(b); got != "<nil>" {
			t.Errorf("mail of another host: %s", got)
		}
		change(t, a, "answered", func(c *Call, w Writer) bool { return c.Answered(w, 2) })
		change(t, a, "stopped", func(c *Call, w Writer) bool { return c.End(w, CallCancelled, nil, time.Hour) })
		if got := mail(a); got != "<nil>" {
			t.Errorf("mail after it was read: %s", got)
		}
	})
}

// Limits count the calls that wait, and tasks until they are removed. Expired
// records are not there any more.
func TestP9_CallLimitsAndExpiry(t *testing.T) {
	onEngines(t, func(t *testing.T, open func(o *Options) *Store) {
		s := open(nil)
		add := func(id, kind, principal string, life time.Duration, most CallLimits) error {
			return s.AddCall(t.Context(), &Call{ID: id, Kind: kind, State: CallStarted, Principal: principal}, life, most)
		}
		two := CallLimits{All: 3, Each: 2}
		for i, test := range []struct {
			kind, principal string
			want            error
		}{
			{KindTask, "kim", nil}, {KindTask, "kim", nil}, {KindTask, "kim", ErrTooMany}, {KindTask, "lee", nil}, {KindTask, "park", ErrTooMany},
			{KindCall, "kim", nil}, {KindCall, "kim", nil}, {KindCall, "kim", ErrTooMany},
		} {
			if err := add(fmt.Sprint(i), test.kind, test.principal, 0, two); !errors.Is(err, test.want) {
				t.Errorf("%d: %v, want %v", i, err, test.want)
			}
		}
		end := func(c *Call, w Writer) bool { return c.End(w, CallDone, []byte("{}"), time.Microsecond) }
		change(t, s, "5", func(c *Call, w Writer) bool { return c.End(w, CallDone, []byte("{}"), time.Hour) })
		if err := add("more", KindCall, "kim", 0, two); err != nil {
			t.Errorf("an ended call does not wait: %v", err)
		}
		if err := add("task", KindTask, "kim", 0, two); !errors.Is(err, ErrTooMany) {
			t.Errorf("%v", err)
		}
		change(t, s, "0", end)
		if _, err := s.GetCall(t.Context(), "0"); !errors.Is(err, ErrNotFound) {
			t.Errorf("expired: %v", err)
		}
		if _, _, err := s.ChangeCall(t.Context(), "0", end); !errors.Is(err, ErrNotFound) {
			t.Errorf("expired: %v", err)
		}
		if err := add("task", KindTask, "kim", 0, two); err != nil {
			t.Errorf("there is room again: %v", err)
		}
		if n := countCalls(t, s); n != 5 { // the expired one is gone
			t.Errorf("%d records, want 5", n)
		}
		if err := add("nul", KindTask, "n\x00", 0, wide); !errors.Is(err, ErrInvalid) {
			t.Errorf("%v", err)
		}
	})
}

func countCalls(t *testing.T, s *Store) int64 {
	t.Helper()
	n := int64(0)
	err := s.View(t.Context(), func(ctx context.Context, tx *Tx) error {
		for _, kind := range []string{KindCall, KindTask} {
			var all, each int64
			if err := tx.Row(ctx, "CallCount", tx.Space(), kind, "", 0).Scan(&all, &each); err != nil {
				return err
			}
			n += all
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	return n
}

// P9: hosts share the keys that sign states. A new one is made in time, and the
// old ones stay as long as something that they signed is valid.
func TestP9_SealKeys(t *testing.T) {
	onEngines(t, func(t *testing.T, open func(o *Options) *Store) {
		a, b := open(nil), open(nil)
		keys := func(s *Store, rotate, life time.Duration) []SealKey {
			t.Helper()
			found, err := s.SealKeys(t.Context(), rotate, life)
			if err != nil || len(found) == 0 || len(found[0].Secret) != 32 {
				t.Fatalf("%v %v", found, err)
			}
			return found
		}
		first := keys(a, time.Hour, time.Hour)[0]
		if other := keys(b, time.Hour, time.Hour); len(other) != 1 || other[0].ID != first.ID || !bytes.Equal(other[0].Secret, first.Secret) {
			t.Errorf("another host has %v", other)
		}
		rotated := keys(b, 0, time.Hour)
		if len(rotated) != 2 || rotated[0].ID == first.ID || rotated[1].ID != first.ID {
			t.Errorf("rotated: %v", rotated)
		}
		short := keys(a, 0, time.Microsecond)
		if left := keys(a, 0, time.Hour); len(left) != 3 || left[1].ID == short[0].ID {
			t.Errorf("an expired key: %v", left)
		}
	})
}

// R2: a restore leaves no call that could run or run again.
func TestR2_RestoredCalls(t *testing.T) {
	onEngines(t, func(t *testing.T, open func(o *Options) *Store) {
		s := open(nil)
		for _, id := range []string{"suspended", "started", "done"} {
			newCall(t, s, id)
		}
		change(t, s, "started", start)
		change(t, s, "done", func(c *Call, w Writer) bool { return c.End(w, CallDone, []byte("{}"), time.Hour) })
		file := filepath.Join(t.TempDir(), "backup.db")
		if err := s.Backup(t.Context(), file); err != nil {
			t.Fatal(err)
		}
		url := "sqlite:" + filepath.Join(t.TempDir(), "restored.db")
		if err := Restore(t.Context(), url, file, nil); err != nil {
			t.Fatal(err)
		}
		restored := openAt(t, url, nil)
		for id, want := range map[string]string{"suspended": CallCancelled, "started": CallUnknown, "done": CallDone} {
			if c := getCall(t, restored, id); c.State != want {
				t.Errorf("%s is %s", id, c.State)
			}
			if _, changed := change(t, restored, id, start); changed {
				t.Errorf("%s can be started", id)
			}
		}
	})
}

// R6: ended calls are removed by age and by size; those that wait stay.
func TestR6_Calls(t *testing.T) {
	onEngines(t, func(t *testing.T, open func(o *Options) *Store) {
		s := open(nil)
		for i := range 5 {
			id := fmt.Sprint(i)
			newCall(t, s, id)
			if i > 0 {
				change(t, s, id, func(c *Call, w Writer) bool { return c.End(w, CallDone, make([]byte, 1000), time.Hour) })
			}
		}
		if n, err := s.Retain(t.Context(), "calls", Retention{Age: time.Hour}); n != 0 || err != nil {
			t.Errorf("%d %v", n, err)
		}
		if n, err := s.Retain(t.Context(), "calls", Retention{Bytes: 1 << 20}); n != 0 || err != nil {
			t.Errorf("%d %v", n, err)
		}
		if n, err := s.Retain(t.Context(), "calls", Retention{Bytes: 1}); n != 4 || err != nil {
			t.Errorf("%d %v", n, err)
		}
		getCall(t, s, "0")
		if problems, err := s.Check(t.Context()); len(problems) != 0 || err != nil {
			t.Errorf("%v %v", problems, err)
		}
		change(t, s, "0", func(c *Call, _ Writer) bool { c.State = "lost"; return true })
		if problems, err := s.Check(t.Context()); len(problems) != 1 || err != nil {
			t.Errorf("%v %v", problems, err)
		}
	})
}

// A decision makes the calls that wait for it ready.
func TestP9_CallsReady(t *testing.T) {
	onEngines(t, func(t *testing.T, open func(o *Options) *Store) {
		s := open(nil)
		newCall(t, s, "a")
		newCall(t, s, "b")
		update(t, s, func(ctx context.Context, tx *Tx) error { return tx.CallsReady(ctx, "ap-a") })
		if !getCall(t, s, "a").Ready || getCall(t, s, "b").Ready {
			t.Error("the wrong calls are ready")
		}
		c, changed := change(t, s, "a", func(c *Call, w Writer) bool {
			return c.Suspend(w, 1, Waiting{CallID: "call_2", Digest: []byte("d"), Args: []byte("{}"), Agent: "x", Instance: "y", Approval: "ap-2"}, time.Hour)
		})
		if again := getCall(t, s, "a"); !changed || again.Ready || again.Round != 2 || again.Approval != "ap-2" || again.CallID != "call_2" || string(again.Args) != "{}" || again.Agent != "x" || c.Round != 2 {
			t.Errorf("%+v", again)
		}
	})
}
