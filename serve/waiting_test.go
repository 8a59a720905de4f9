package serve_test

import (
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"strings"
	"sync"
	"testing"

	"github.com/gongu-ai/gongu"
	"github.com/gongu-ai/gongu/serve"
)

// Calls that wait for an answer of their client take no place from others.
// There are more of them than may run.
func TestWaitingCallsInSessions(t *testing.T) {
	asks := tool("ask", asking(`{"type":"object","properties":{}}`))
	s := newServer(t, serve.Options{
		Backend: newBackend(t, nil, asks, echo("e")),
		Limits:  serve.Limits{Running: 2, RunningEach: 2, Waiting: 5},
	})
	c := as(t, s, gongu.Principal{Name: "p"}).begin(`{"elicitation":{}}`)
	call := func(id int) *http.Response {
		return c.send(t.Context(), http.MethodPost, fmt.Sprintf(`{"jsonrpc":"2.0","id":%d,"method":"tools/call","params":{"name":"ask"}}`, id))
	}
	var streams []func() (string, string)
	for i := range 5 {
		resp := call(100 + i)
		defer resp.Body.Close()
		next := events(t, resp.Body)
		if _, asked := next(); !strings.Contains(asked, "elicitation/create") {
			t.Fatalf("call %d: %s", i, asked)
		}
		streams = append(streams, next)
	}
	if got := s.Counters(); got.Running != 0 || got.Waiting != 5 {
		t.Errorf("%d run and %d wait, want 0 and 5", got.Running, got.Waiting)
	}
	if _, body := c.post(`{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"e"}}`); !strings.Contains(body, `"content"`) {
		t.Errorf("another call: %s", body)
	}
	// What waits has a bound of its own: one more keeps its place, and so do
	// as many as may run.
	for i := range 2 {
		resp := call(200 + i)
		defer resp.Body.Close()
		events(t, resp.Body)()
	}
	if got := s.Counters(); got.Running != 2 || got.Waiting != 5 {
		t.Errorf("%d run and %d wait, want 2 and 5", got.Running, got.Waiting)
	}
	if _, body := c.post(`{"jsonrpc":"2.0","id":2,"method":"ping"}`); !strings.Contains(body, "-32000") {
		t.Errorf("all places are taken: %s", body)
	}
	for i := range 7 {
		c.post(fmt.Sprintf(`{"jsonrpc":"2.0","id":%d,"result":{"action":"decline"}}`, i+1))
	}
	for i, next := range streams {
		if _, answer := next(); !strings.Contains(answer, "decline") {
			t.Errorf("call %d: %s", i, answer)
		}
	}
	waitFor(t, func() bool { got := s.Counters(); return got.Running == 0 && got.Waiting == 0 })
}

// waitingGuard lets calls of one tool wait until they are released.
func waitingGuard(name string) (guard gongu.Guard, waits, release chan struct{}) {
	waits, release = make(chan struct{}, 100), make(chan struct{})
	return gongu.Guard{Name: "approval", Check: func(ctx context.Context, a *gongu.Attempt) *gongu.Error {
		if a.Call.Name != name {
			return nil
		}
		err := a.Await(ctx, func(ctx context.Context) error {
			waits <- struct{}{}
			select {
			case <-release:
				return nil
			case <-ctx.Done():
				return ctx.Err()
			}
		})
		if err != nil {
			return &gongu.Error{Code: gongu.CodeCancelled, Message: err.Error()}
		}
		return nil
	}}, waits, release
}

// A guard that waits for a person frees the slot of its request as well,
// whether the client can be asked or not.
func TestWaitingGuards(t *testing.T) {
	for name, capabilities := range map[string]string{"plain": `{}`, "may be asked": `{"elicitation":{}}`} {
		t.Run(name, func(t *testing.T) {
			guard, waits, release := waitingGuard("slow")
			s := newServer(t, serve.Options{
				Backend: newBackend(t, &gongu.ExecutorOptions{Guards: []gongu.Guard{guard}}, echo("slow"), echo("e")),
				Limits:  serve.Limits{Running: 2, RunningEach: 2},
			})
			c := as(t, s, gongu.Principal{Name: "p"})
			var calls sync.WaitGroup
			for range 10 {
				calls.Go(func() {
					if _, body := c.modern("tools/call", `"name":"slow"`, capabilities); !strings.Contains(body, `"content"`) {
						t.Errorf("a call that waited: %s", body)
					}
				})
				<-waits
			}
			if got := s.Counters(); got.Running != 0 || got.Waiting != 10 {
				t.Errorf("%d run and %d wait, want 0 and 10", got.Running, got.Waiting)
			}
			if status, body := c.modern("tools/call", `"name":"e"`, capabilities); status != http.StatusOK {
				t.Errorf("another call: %d %s", status, body)
			}
			close(release)
			calls.Wait()
			waitFor(t, func() bool { got := s.Counters(); return got.Running == 0 && got.Waiting == 0 })
		})
	}
}

// A call that is suspended twice takes one waiting place at a time and no other
// one, and leaves none.
func TestWaitingTwice(t *testing.T) {
	asks := tool("ask", func(ctx context.Context, _ json.RawMessage) gongu.Result {
		for range 2 {
			if _, err := gongu.ContextOf(ctx).Elicit(ctx, "", json.RawMessage(`{"message":"?"}`)); err != nil {
				return gongu.Fail(err)
			}
		}
		return says("done")
	})
	s := newServer(t, serve.Options{Backend: newBackend(t, nil, asks), Limits: serve.Limits{Waiting: 1, Running: 1}})
	c := as(t, s, gongu.Principal{Name: "p"})
	params := `"name":"ask"`
	for i := range 2 {
		_, body := c.modern("tools/call", params, `{"elicitation":{}}`)
		state := statePattern.FindStringSubmatch(body)
		if state == nil {
			t.Fatalf("%s", body)
		}
		waitFor(t, func() bool { got := s.Counters(); return got.Running == 0 && got.Waiting == 1 })
		params = fmt.Sprintf(`"name":"ask","requestState":"%s","inputResponses":{"elicitation-%d":{"action":"accept"}}`, state[1], i+1)
	}
	if _, body := c.modern("tools/call", params, `{"elicitation":{}}`); !strings.Contains(body, "done") {
		t.Errorf("%s", body)
	}
	waitFor(t, func() bool { got := s.Counters(); return got.Running == 0 && got.Waiting == 0 })
}
