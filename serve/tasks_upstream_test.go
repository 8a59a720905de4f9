package serve_test

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/gongu-ai/gongu"
	"github.com/gongu-ai/gongu/access"
	"github.com/gongu-ai/gongu/internal/relay"
	"github.com/gongu-ai/gongu/mcpclient"
	"github.com/gongu-ai/gongu/serve"
)

// taskUpstream is a server that makes a task of every call.
type taskUpstream struct {
	upstream
	mu    sync.Mutex
	asked []string // methods, parameters and capabilities
}

func (u *taskUpstream) For(context.Context, string, access.Kind) []serve.Upstream {
	return []serve.Upstream{&u.upstream, u}
}
func (u *taskUpstream) Name() string { return "far" }

func (u *taskUpstream) Request(_ context.Context, method string, params json.RawMessage, opts *mcpclient.RequestOptions) (json.RawMessage, error) {
	var in struct{ TaskID string }
	// Many servers would take TaskId, which was not checked, for taskId.
	if err := json.Unmarshal(params, &in); err != nil || in.TaskID != "t-1" || bytes.Contains(params, []byte("TaskId")) {
		return nil, errors.New("not a task of this server")
	}
	u.mu.Lock()
	u.asked = append(u.asked, method+" "+string(opts.Capabilities))
	u.mu.Unlock()
	if method != "tasks/get" {
		return json.RawMessage(`{"resultType":"complete"}`), nil
	}
	return json.RawMessage(`{"resultType":"complete","taskId":"t-1","status":"input_required","x-own":[1],"inputRequests":{` +
		`"q":{"method":"elicitation/create","params":{"message":"Sure?"}},"m":{"method":"sampling/createMessage","params":{}}}}`), nil
}

// tool is one of that server. Its answer may take a while.
func (u *taskUpstream) tool(delay time.Duration) gongu.Tool {
	t := tool("far__job", func(ctx context.Context, _ json.RawMessage) gongu.Result {
		time.Sleep(delay)
		made := json.RawMessage(`{"resultType":"task","taskId":"t-1","status":"working"}`)
		relay.Of(ctx).Keep(made, made, nil, nil)
		return gongu.Result{Status: gongu.StatusOK, Output: made}
	})
	t.Source = gongu.Source{Type: "mcp", Name: "far", Original: "job"}
	return t
}

const knowsTasks = `{"elicitation":{},"sampling":{},"extensions":{"io.modelcontextprotocol/tasks":{}}}`

// taskID begins a task and returns the id that the client is told.
func (c *client) taskID() string {
	c.t.Helper()
	_, body := c.modern("tools/call", `"name":"far__job","arguments":{}`, knowsTasks)
	var out struct {
		Result struct{ ResultType, TaskID, Status string }
	}
	if err := json.Unmarshal([]byte(body), &out); err != nil || out.Result.ResultType != "task" || out.Result.Status != "working" {
		c.t.Fatalf("%s %v", body, err)
	}
	return out.Result.TaskID
}

// TestTasksOfUpstreams: a task that an upstream made of a call is found again
// here, by who began it and nobody else. Promise V5, V8.
func TestTasksOfUpstreams(t *testing.T) {
	for name, delay := range map[string]time.Duration{"at once": 0, "when the call is a task of ours already": 200 * time.Millisecond} {
		t.Run(name, func(t *testing.T) {
			u := &taskUpstream{}
			s := newServer(t, serve.Options{Backend: newBackend(t, nil, u.tool(delay)).offering(t, "far__*"), Upstreams: u, TaskAfter: 50 * time.Millisecond})
			kim := as(t, s, gongu.Principal{Name: "kim"})
			id := kim.taskID()
			if id == "t-1" {
				t.Error("the id is the upstream's own, and nothing says whose")
			}
			var body string
			for deadline := time.Now().Add(20 * time.Second); time.Now().Before(deadline); time.Sleep(10 * time.Millisecond) {
				if _, body = kim.modern("tasks/get", `"taskId":"`+id+`"`, knowsTasks); !strings.Contains(body, `"working"`) {
					break
				}
			}
			if !strings.Contains(body, `"taskId":"`+id+`"`) || !strings.Contains(body, `"x-own":[1]`) || !strings.Contains(body, `far asks: Sure?`) || strings.Contains(body, "sampling") {
				t.Errorf("the task is shown as %s", body)
			}
			for _, method := range []string{"tasks/update", "tasks/cancel"} {
				if _, body := kim.modern(method, `"TaskId":"t-2","taskId":"`+id+`","inputResponses":{}`, knowsTasks); !strings.Contains(body, `"result":{"resultType":"complete"`) {
					t.Errorf("%s: %s", method, body)
				}
			}
			const can = ` {"elicitation":{},"extensions":{"io.modelcontextprotocol/tasks":{}}}` // sampling is not allowed
			u.mu.Lock()
			defer u.mu.Unlock()
			if want := []string{"tasks/get" + can, "tasks/update" + can, "tasks/cancel" + can}; !slices.Equal(u.asked, want) {
				t.Errorf("the upstream was asked %q", u.asked)
			}
		})
	}
}

// TestTasksOfUpstreamsAreBound: ids of others, changed ones and made-up ones
// reach no upstream.
func TestTasksOfUpstreamsAreBound(t *testing.T) {
	u := &taskUpstream{}
	s := newServer(t, serve.Options{Backend: newBackend(t, nil, u.tool(0)), Upstreams: u})
	kim, lee := as(t, s, gongu.Principal{Name: "kim"}), as(t, s, gongu.Principal{Name: "lee"})
	id := kim.taskID()
	for name, ask := range map[string]struct {
		who *client
		id  string
	}{"of another": {lee, id}, "changed": {kim, "x" + id}, "the upstream's": {kim, "t-1"}} {
		if _, body := ask.who.modern("tasks/get", `"taskId":"`+ask.id+`"`, knowsTasks); !strings.Contains(body, `-32602`) {
			t.Errorf("%s: %s", name, body)
		}
	}
	u.mu.Lock()
	defer u.mu.Unlock()
	if len(u.asked) > 0 {
		t.Errorf("the upstream was asked %q", u.asked)
	}
}

// TestV5SamplingIsAllowed: by its option alone.
func TestV5SamplingIsAllowed(t *testing.T) {
	for name, tc := range map[string]struct {
		opts serve.Options
		want string
	}{
		"off": {serve.Options{}, `{"roots":{}}`},
		"on":  {serve.Options{Sampling: true}, `{"sampling":{},"roots":{}}`},
	} {
		t.Run(name, func(t *testing.T) {
			tc.opts.Backend = newBackend(t, nil, tool("a__b", func(ctx context.Context, _ json.RawMessage) gongu.Result {
				return says(string(relay.Of(ctx).Capabilities))
			}))
			_, body := as(t, newServer(t, tc.opts), gongu.Principal{Name: "kim"}).modern("tools/call", `"name":"a__b","arguments":{}`, `{"sampling":{},"roots":{}}`)
			if said, err := json.Marshal(tc.want); err != nil || !strings.Contains(body, string(said)) {
				t.Errorf("a tool sees %s", body)
			}
		})
	}
}
