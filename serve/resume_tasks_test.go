package serve_test

import (
	"context"
	"encoding/json"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/gongu-ai/gongu"
	"github.com/gongu-ai/gongu/serve"
	"github.com/gongu-ai/gongu/state"
)

const ableBoth = `{"elicitation":{},"extensions":{"io.modelcontextprotocol/tasks":{}}}`

// becomesTask makes a call that becomes a task, and returns the id.
func becomesTask(t *testing.T, c *client, params, status string) string {
	t.Helper()
	_, body := c.modern("tools/call", params, ableBoth)
	found := taskPattern.FindStringSubmatch(body)
	if found == nil || !strings.Contains(body, `"status":"`+status+`"`) {
		t.Fatalf("not a task that is %s: %s", status, body)
	}
	return found[1]
}

func (c *client) task(method, id, more string) string {
	c.t.Helper()
	_, body := c.modern(method, `"taskId":"`+id+`"`+more, ableBoth)
	return body
}

// reaches waits until a task has a status, and returns it.
func (c *client) reaches(id, status string) (body string) {
	c.t.Helper()
	waitFor(c.t, func() bool {
		body = c.task("tasks/get", id, "")
		return strings.Contains(body, `"status":"`+status+`"`)
	})
	return body
}

// P9: a task that a guard suspends is a row. Any host resumes it: with the
// client's answer, or when the decision was made elsewhere.
func TestP9_SuspendedTask(t *testing.T) {
	onStores(t, func(t *testing.T, open func() *state.Store) {
		var runs atomic.Int32
		p := suspending("write")
		storeA := open()
		hostA := newServer(t, serve.Options{Backend: guarded(t, p, counting(&runs)), Pending: storeA})
		hostB := newServer(t, serve.Options{Backend: guarded(t, p, counting(&runs)), Pending: open()})
		a, b := as(t, hostA, gongu.Principal{Name: "p"}), as(t, hostB, gongu.Principal{Name: "p"})
		params := `"name":"write","arguments":{"n":1}`

		id := becomesTask(t, a, params, "input_required")
		if body := b.task("tasks/get", id, ""); !strings.Contains(body, `"inputRequests":{"approval":`) {
			t.Errorf("at another host: %s", body)
		}
		b.task("tasks/update", id, `,"inputResponses":`+accept)
		if body := a.reaches(id, "completed"); !strings.Contains(body, "run 1 with") {
			t.Errorf("%s", body)
		}

		id = becomesTask(t, a, params, "input_required")
		decide(t, storeA)
		p.approved.Store(true)
		if body := b.reaches(id, "completed"); !strings.Contains(body, "run 2 with") {
			t.Errorf("%s", body)
		}
		p.approved.Store(false)

		id = becomesTask(t, a, params, "input_required")
		b.task("tasks/cancel", id, "")
		if body := a.reaches(id, "cancelled"); strings.Contains(body, "inputRequests") {
			t.Errorf("%s", body)
		}
		b.task("tasks/update", id, `,"inputResponses":`+accept)
		if a.reaches(id, "cancelled"); runs.Load() != 2 {
			t.Errorf("ran %d times", runs.Load())
		}
	})
}

// P9: a handler that waits for its client is a goroutine of its host. An answer
// that reaches another host is passed on through the record, and so is a
// cancellation.
func TestP9_AnswerAtAnotherHost(t *testing.T) {
	onStores(t, func(t *testing.T, open func() *state.Store) {
		twice := tool("twice", func(ctx context.Context, _ json.RawMessage) gongu.Result {
			out := ""
			for range 2 {
				answer, err := gongu.ContextOf(ctx).Elicit(ctx, "", json.RawMessage(`{"message":"?"}`))
				if err != nil {
					return gongu.Fail(err)
				}
				out += field(answer, "action") + " "
			}
			return says(out)
		})
		hostA := newServer(t, serve.Options{Backend: newBackend(t, nil, twice), Pending: open()})
		hostB := newServer(t, serve.Options{Backend: newBackend(t, nil, twice), Pending: open()})
		a, b := as(t, hostA, gongu.Principal{Name: "p"}), as(t, hostB, gongu.Principal{Name: "p"})

		signed := waits(t, a, `"name":"twice"`)
		if _, body := comesBack(b, `"name":"twice"`, signed, `{"elicitation-1":{}}`); !strings.Contains(body, "-32602") {
			t.Errorf("a bad answer: %s", body)
		}
		_, body := comesBack(b, `"name":"twice"`, signed, `{"elicitation-1":{"action":"one"}}`)
		next := statePattern.FindStringSubmatch(body)
		if next == nil {
			t.Fatalf("%s", body)
		}
		if _, body := comesBack(b, `"name":"twice"`, next[1], `{"elicitation-2":{"action":"two"}}`); !strings.Contains(body, "one two") {
			t.Errorf("%s", body)
		}
		waitFor(t, func() bool { got := hostA.Counters(); return got.Waiting == 0 && got.Running == 0 })

		id := becomesTask(t, a, `"name":"twice"`, "working")
		b.reaches(id, "input_required")
		b.task("tasks/update", id, `,"inputResponses":{"elicitation-1":{"action":"one"}}`)
		waitFor(t, func() bool { return strings.Contains(b.task("tasks/get", id, ""), "elicitation-2") })
		b.task("tasks/update", id, `,"inputResponses":{"elicitation-2":{"action":"two"}}`)
		if body := b.reaches(id, "completed"); !strings.Contains(body, "one two") {
			t.Errorf("%s", body)
		}

		id = becomesTask(t, a, `"name":"twice"`, "working")
		b.reaches(id, "input_required")
		b.task("tasks/cancel", id, "")
		b.reaches(id, "cancelled")
		waitFor(t, func() bool { return hostA.Counters().Tasks == 0 })
	})
}

// P9: the outcome of a call whose host has ended is unknown: its client gets a
// result that says so and what to do, and the call does not run again.
func TestP9_HostEnded(t *testing.T) {
	onStores(t, func(t *testing.T, open func() *state.Store) {
		var runs atomic.Int32
		asks := tool("ask", func(ctx context.Context, args json.RawMessage) gongu.Result {
			runs.Add(1)
			return asking(`{"type":"object","properties":{}}`)(ctx, args)
		})
		storeA := open()
		hostA := newServer(t, serve.Options{Backend: newBackend(t, nil, asks), Pending: storeA, TaskAfter: -1})
		a := as(t, hostA, gongu.Principal{Name: "p"})
		signed := waits(t, a, `"name":"ask"`)
		id := becomesTask(t, a, `"name":"ask"`, "working")
		if err := storeA.Close(); err != nil { // its lease ends with it
			t.Fatal(err)
		}
		hostB := newServer(t, serve.Options{Backend: newBackend(t, nil, asks), Pending: open()})
		b := as(t, hostB, gongu.Principal{Name: "p"})
		for range 2 {
			status, body := comesBack(b, `"name":"ask"`, signed, `{"elicitation-1":{"action":"accept"}}`)
			if status != 200 || !strings.Contains(body, gongu.CodeOutcomeUnknown) || !strings.Contains(body, "Check the state") || !strings.Contains(body, `"isError":true`) {
				t.Errorf("%d %s", status, body)
			}
		}
		if body := b.task("tasks/get", id, ""); !strings.Contains(body, `"status":"failed"`) || !strings.Contains(body, gongu.CodeOutcomeUnknown) {
			t.Errorf("%s", body)
		}
		if runs.Load() != 2 {
			t.Errorf("ran %d times", runs.Load())
		}
	})
}
