package script_test

import (
	"context"
	"encoding/json"
	"fmt"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/gongu-ai/gongu"
	"github.com/gongu-ai/gongu/script"
)

// gate is a tool that holds its callers and counts them, in all and by
// principal.
type gate struct {
	open chan struct{}

	mu         sync.Mutex
	now, most  int
	each       map[string]int
	mostOfEach int
}

func (g *gate) call(ctx context.Context, _ string, _ json.RawMessage) gongu.Result {
	name := gongu.PrincipalOf(ctx).Name
	g.mu.Lock()
	g.now++
	g.each[name]++
	g.most, g.mostOfEach = max(g.most, g.now), max(g.mostOfEach, g.each[name])
	g.mu.Unlock()
	select {
	case <-g.open:
	case <-ctx.Done():
	}
	g.mu.Lock()
	defer g.mu.Unlock()
	g.now--
	g.each[name]--
	return gongu.OK(true)
}

func (g *gate) running() int {
	g.mu.Lock()
	defer g.mu.Unlock()
	return g.now
}

func as(ctx context.Context, name string) context.Context {
	return gongu.WithPrincipal(ctx, &gongu.Principal{Name: name})
}

const passGate = `await tools.gate({}); return 1`

// K12, attack 10: 60 runs at once took 60 processes and 5 GB. Two of a principal
// run and eight in all; the rest wait for their turn and then succeed.
func TestK12RunsAtOnce(t *testing.T) {
	c := newCode(t, script.CodeOptions{})
	g := &gate{open: make(chan struct{}), each: map[string]int{}}
	var all sync.WaitGroup
	failures := make(chan *gongu.Error, 60)
	for i := range 60 {
		all.Go(func() {
			if _, err := c.Run(as(t.Context(), fmt.Sprintf("p%d", i%6)), passGate, []script.Binding{{Name: "gate"}}, g.call); err != nil {
				failures <- err
			}
		})
	}
	for deadline := time.Now().Add(30 * time.Second); g.running() < 8; time.Sleep(10 * time.Millisecond) {
		if time.Now().After(deadline) {
			t.Fatalf("%d run", g.running())
		}
	}
	time.Sleep(300 * time.Millisecond) // time for a ninth
	close(g.open)
	all.Wait()
	close(failures)
	for err := range failures {
		t.Error(err)
	}
	if g.most != 8 || g.mostOfEach != 2 {
		t.Errorf("%d ran at once and %d of one principal, want 8 and 2", g.most, g.mostOfEach)
	}
}

// K12: a run that gets no turn ends with an error that says so, at its own time
// limit and at the deadline of the call; Close ends the waiting.
func TestK12RunWaits(t *testing.T) {
	c := newCode(t, script.CodeOptions{MaxRuns: 1, MaxWait: 200 * time.Millisecond})
	g := &gate{open: make(chan struct{}), each: map[string]int{}}
	var first sync.WaitGroup
	first.Go(func() { _, _ = c.Run(as(t.Context(), "a"), passGate, []script.Binding{{Name: "gate"}}, g.call) })
	for g.running() == 0 {
		time.Sleep(5 * time.Millisecond)
	}
	for _, limit := range []time.Duration{time.Hour, 50 * time.Millisecond} {
		ctx, cancel := context.WithTimeout(as(t.Context(), "b"), limit)
		_, err := c.Run(ctx, "return 1", nil, g.call)
		cancel()
		if err == nil || err.Code != gongu.CodeUnavailable || !strings.Contains(err.Message, "1 in all") || err.Suggestion == "" {
			t.Errorf("deadline %s: %+v", limit, err)
		}
	}
	left, leave := context.WithCancel(t.Context())
	leave()
	if _, err := c.Run(as(left, "b"), "return 1", nil, g.call); err == nil || err.Code != gongu.CodeCancelled {
		t.Errorf("cancelled: %+v", err)
	}
	close(g.open)
	first.Wait()
	if _, err := c.Run(as(t.Context(), "b"), "return 1", nil, g.call); err != nil {
		t.Errorf("after the first has ended: %v", err)
	}
}

// watched is a context that reports the first call of Done: a
// run does so when it joins the queue.
type watched struct {
	context.Context
	once sync.Once
	seen chan struct{}
}

func (w *watched) Done() <-chan struct{} {
	w.once.Do(func() { close(w.seen) })
	return w.Context.Done()
}

// K12: closing does not wait for runs that wait.
func TestK12CloseEndsWaitingRuns(t *testing.T) {
	c := newCode(t, script.CodeOptions{MaxRuns: 1, MaxWait: time.Hour})
	g := &gate{open: make(chan struct{}), each: map[string]int{}}
	ended := make(chan *gongu.Error, 2)
	run := func(ctx context.Context) {
		_, err := c.Run(ctx, passGate, []script.Binding{{Name: "gate"}}, g.call)
		ended <- err
	}
	go run(as(t.Context(), "a"))
	for g.running() == 0 {
		time.Sleep(5 * time.Millisecond)
	}
	second := &watched{Context: as(t.Context(), "a"), seen: make(chan struct{})}
	go run(second)
	<-second.seen
	if err := c.Close(); err != nil {
		t.Fatal(err)
	}
	for range 2 {
		select {
		case err := <-ended:
			if err == nil || err.Code != gongu.CodeCancelled {
				t.Errorf("got %+v", err)
			}
		case <-time.After(10 * time.Second):
			t.Fatal("a run still waits")
		}
	}
}
