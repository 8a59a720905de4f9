package state

import (
	"bytes"
	"fmt"
	"sync"
	"testing"
	"time"
)

// waitFor adds a suspended call that waits for an approval.
func waitFor(t *testing.T, s *Store, id, approval, callID string) *Call {
	t.Helper()
	c := &Call{
		ID: id, Kind: KindCall, State: CallSuspended, Principal: "kim", Agent: "coder", Instance: "main", Tool: "write", CallID: callID,
		Digest: []byte("digest"), Args: []byte(`{"a":1}`), Round: 1, Approval: approval, Questions: []byte(`{"q":1}`),
	}
	if err := s.AddCall(t.Context(), c, time.Hour, wide); err != nil {
		t.Fatal(err)
	}
	return c
}

// P6: a decision makes the suspended calls ready in its transaction. A call whose
// record comes after the decision, or that is suspended again, is ready at once.
func TestP6_DecidedCallsAreReady(t *testing.T) {
	onEngines(t, func(t *testing.T, open func(o *Options) *Store) {
		s := open(nil)
		a := opened(t, s, question("k"))
		waitFor(t, s, "before", a.ID, "call_1")
		running := waitFor(t, s, "running", a.ID, "call_1")
		if _, started, err := s.StartCall(t.Context(), "running", 1, "try"); !started || err != nil {
			t.Fatal(err)
		}
		if getCall(t, s, "before").Ready {
			t.Fatal("ready before the decision")
		}
		approve(t, s, a)
		waitFor(t, s, "after", a.ID, "call_1")
		change(t, s, "running", func(c *Call, w Writer) bool { return c.Unstart(w, "try", running) })
		task := waitFor(t, s, "again", "another", "call_1")
		change(t, s, "again", func(c *Call, w Writer) bool {
			return c.Suspend(w, 1, Waiting{CallID: "call_2", Digest: task.Digest, Args: task.Args, Approval: a.ID}, time.Hour)
		})
		for _, id := range []string{"before", "after", "running", "again"} {
			if c := getCall(t, s, id); !c.Ready || c.State != CallSuspended || string(c.Args) != `{"a":1}` {
				t.Errorf("%s: %+v", id, c)
			}
		}
		if getCall(t, s, waitFor(t, s, "other", "question of another guard", "x").ID).Ready {
			t.Error("ready without a decision")
		}
	})
}

// P6: no wake-up is lost when a call is recorded or suspended while a person
// decides, on two hosts: in each round the call is ready afterwards.
func TestP6_NoLostWakeUp(t *testing.T) {
	onEngines(t, func(t *testing.T, open func(o *Options) *Store) {
		hosts := []*Store{open(nil), open(nil)}
		forEach(60, func(i int) {
			key := fmt.Sprint(i)
			a := opened(t, hosts[0], question(key))
			var group sync.WaitGroup
			if i%2 == 0 {
				group.Go(func() { waitFor(t, hosts[0], key, a.ID, "call_1") })
			} else {
				c := waitFor(t, hosts[0], key, "", "call_0")
				group.Go(func() {
					change(t, hosts[0], key, func(call *Call, w Writer) bool {
						return call.Suspend(w, 1, Waiting{CallID: "call_1", Digest: c.Digest, Args: c.Args, Approval: a.ID}, time.Hour)
					})
				})
			}
			d := yes(1)
			d.Args = []byte(`{"a":2}`)
			group.Go(func() { decide(t, hosts[1], a.ID, d) })
			group.Wait()
			if c := getCall(t, hosts[1], key); !c.Ready || string(c.Args) != `{"a":2}` {
				t.Errorf("round %d: the decision did not reach the call: ready %v, %s", i, c.Ready, c.Args)
			}
		})
	})
}

// P6: the arguments that a person changed are those of the call that asked, in the
// transaction of the decision, sealed where the store has a key. An identical call
// that shares the question keeps its own.
func TestP6_ChangedArguments(t *testing.T) {
	onEngines(t, func(t *testing.T, open func(o *Options) *Store) {
		s := open(&Options{Key: bytes.Repeat([]byte{1}, KeySize)})
		a := opened(t, s, question("k"))
		waitFor(t, s, "asked", a.ID, "call_1")
		waitFor(t, s, "shares", a.ID, "call_7")
		d := yes(1)
		d.Args = []byte(`{"a":"canary"}`)
		got, decided := decide(t, s, a.ID, d)
		if !decided || !bytes.Equal(got.Calls[0].Args, d.Args) || !got.Calls[0].Changed {
			t.Fatalf("%+v", got)
		}
		if c := getCall(t, s, "asked"); !c.Ready || !bytes.Equal(c.Args, d.Args) {
			t.Errorf("the call that asked: %+v", c)
		}
		waitFor(t, s, "late", a.ID, "call_8")
		for _, id := range []string{"shares", "late"} {
			if c := getCall(t, s, id); !c.Ready || string(c.Args) != `{"a":1}` {
				t.Errorf("the call that shares (%s): %+v", id, c)
			}
		}
		if bytes.Contains(rawCalls(t, s), []byte("canary")) {
			t.Error("the arguments can be read in the database")
		}
		page, err := s.AuditPage(t.Context(), AuditFilter{Kind: AuditDecision})
		if err != nil || len(page.Rows) != 1 || string(page.Rows[0].Payload.Result) != `{"caller":"kim","argumentsChanged":true}` || page.Rows[0].Rule != "bundle/main/ask" {
			t.Errorf("%+v %v", page.Rows, err)
		}
	})
}

// Goondan case 158: a host that ends after the yes was used and before the handler started
// leaves a call that another host can start with the same approval; one whose
// handler was started never runs again.
func TestP6_Case158(t *testing.T) {
	onEngines(t, func(t *testing.T, open func(o *Options) *Store) {
		a, b := open(&Options{Host: "a"}), open(&Options{Host: "b"})
		for _, id := range []string{"waits", "started"} {
			q := question(id)
			opened(t, a, q)
			waitFor(t, a, id, q.ID, "call_1")
			approve(t, b, getApproval(t, b, q.ID))
			if _, used, err := a.UseApproval(t.Context(), q.ID, id); !used || err != nil {
				t.Fatal(err)
			}
		}
		if _, started, err := a.StartCall(t.Context(), "started", 1, "a"); !started || err != nil {
			t.Fatal(err)
		}
		a.release()
		for id, want := range map[string]bool{"waits": true, "started": false} {
			if _, used, err := b.UseApproval(t.Context(), "ap-"+id, id); !used || err != nil {
				t.Errorf("%s: the call has its approval: %v", id, err)
			}
			if _, used, err := b.UseApproval(t.Context(), "ap-"+id, "another"); used || err != nil {
				t.Errorf("%s: another call used it: %v", id, err)
			}
			if c, started, err := b.StartCall(t.Context(), id, 1, "b"); started != want || err != nil {
				t.Errorf("%s: started %v, %v: %+v", id, started, err, c)
			}
		}
	})
}

// P6: a suspended call that its caller cancels takes its question back, also one
// that was answered; other calls wait on.
func TestP6_CancelledCalls(t *testing.T) {
	onEngines(t, func(t *testing.T, open func(o *Options) *Store) {
		s := open(nil)
		cancel := func(id string) {
			t.Helper()
			if _, changed := change(t, s, id, func(c *Call, w Writer) bool { return c.Cancel(w, time.Hour) }); !changed {
				t.Errorf("%s was not cancelled", id)
			}
		}
		shared := opened(t, s, question("shared"))
		if _, joined, err := s.OpenApproval(t.Context(), question("shared"), time.Hour, wide); !joined || err != nil {
			t.Fatal(err)
		}
		waitFor(t, s, "one", shared.ID, "call_1")
		waitFor(t, s, "two", shared.ID, "call_2")
		cancel("one")
		if a := getApproval(t, s, shared.ID); a.State != ApprovalPending || a.Waiting != 1 {
			t.Errorf("another call waits: %+v", a)
		}
		cancel("two")
		answered := approve(t, s, opened(t, s, question("answered")))
		waitFor(t, s, "three", answered.ID, "call_3")
		cancel("three")
		waitFor(t, s, "four", "question of another guard", "call_4")
		cancel("four")
		for _, id := range []string{shared.ID, answered.ID} {
			if a := getApproval(t, s, id); a.State != ApprovalCancelled {
				t.Errorf("the call is gone, and its question is not: %+v", a)
			}
		}
		used := approve(t, s, opened(t, s, question("used")))
		waitFor(t, s, "five", used.ID, "call_5")
		if _, ok, err := s.UseApproval(t.Context(), used.ID, "five"); !ok || err != nil {
			t.Fatal(err)
		}
		cancel("five")
		if a := getApproval(t, s, used.ID); a.State != ApprovalUsed {
			t.Errorf("%+v", a)
		}
	})
}
