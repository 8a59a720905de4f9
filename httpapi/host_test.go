package httpapi_test

import (
	"context"
	"encoding/json"
	"fmt"
	"log/slog"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/gongu-ai/gongu"
	"github.com/gongu-ai/gongu/access"
	"github.com/gongu-ai/gongu/explore"
	"github.com/gongu-ai/gongu/host"
	"github.com/gongu-ai/gongu/httpapi"
	"github.com/gongu-ai/gongu/pin"
	"github.com/gongu-ai/gongu/source"
	"github.com/gongu-ai/gongu/toolrequest"
)

// hosted is a bundle as a backend, with a queue beside it and without sources.
type hosted struct {
	*host.Host
	queue toolrequest.Store
}

func (h hosted) Agents() []string {
	var names []string
	if b := h.Bundle(); b != nil {
		for _, a := range b.Agents() {
			names = append(names, a.Name)
		}
	}
	return names
}

func (h hosted) Requests() toolrequest.Store                                { return h.queue }
func (hosted) Status() []source.Status                                      { return nil }
func (hosted) Refresh(context.Context, ...string) error                     { return nil }
func (hosted) Pins() ([]pin.Verdict, error)                                 { return nil, nil }
func (hosted) AcceptPins(context.Context, ...string) ([]pin.Verdict, error) { return nil, nil }

func (h hosted) Approve(ctx context.Context, id string, d toolrequest.Decision, _ json.RawMessage) error {
	d.Status = toolrequest.Approved
	_, err := h.queue.Review(ctx, id, d)
	return err
}

const bundleYAML = `apiVersion: gongu/v1
kind: Tool
metadata: { name: files }
spec: { entry: "builtin:file-system", exports: [{ name: read }, { name: write }, { name: list }] }
---
apiVersion: gongu/v1
kind: Tool
metadata: { name: pause }
spec: { entry: "builtin:wait", exports: [{ name: seconds }] }
---
apiVersion: gongu/v1
kind: Model
metadata: { name: m }
spec: { provider: openai, model: x }
---
apiVersion: gongu/v1
kind: Agent
metadata: { name: reader }
spec: { modelConfig: { modelRef: Model/m }, tools: [Tool/files] }
`

func openBundle(t *testing.T, opts *gongu.ExecutorOptions) hosted {
	t.Helper()
	dir := t.TempDir()
	if err := os.WriteFile(filepath.Join(dir, "gongu.yaml"), []byte(bundleYAML), 0o600); err != nil {
		t.Fatal(err)
	}
	offered, err := access.New(access.Options{Offer: access.ReadOnlyAnd(nil), Always: []gongu.Rule{explore.Rule()}, Logger: quiet()})
	if err != nil {
		t.Fatal(err)
	}
	o := host.Options{Logger: quiet(), Workdir: "project", Access: offered}
	if opts != nil {
		o.Executor = *opts
	}
	h, err := host.Open(t.Context(), dir, &o)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := h.Close(); err != nil {
			t.Error(err)
		}
	})
	return hosted{h, toolrequest.NewFile(filepath.Join(dir, toolrequest.FileName), &toolrequest.Options{Logger: quiet()})}
}

// promise V1: the whole bundle, or one agent's catalog, each call a step.
func TestV1OverARealBundle(t *testing.T) {
	h := openBundle(t, nil)
	s := start(t, h)
	var all, agents toolsReply
	s.get("/tools", &all)
	s.get("/tools?agent=reader", &agents)
	if len(agents.Tools) == 0 || len(agents.Tools) >= len(all.Tools) {
		t.Fatalf("the agent has %v of %v", agents.names(), all.names())
	}
	for _, tool := range all.Tools {
		s.get("/tools/"+tool.Name, nil)
	}
	var result gongu.Result
	s.do("POST", "/calls", `{"name":"files__list","arguments":{"path":"."},"agent":"reader"}`, 200, &result)
	if result.Failed() || !strings.Contains(string(result.Output), "gongu.yaml") {
		t.Errorf("%+v %+v", result, result.Error)
	}
	// promise V6
	s.do("POST", "/calls", `{"name":"files__write","arguments":{"path":"x","content":"y"},"agent":"reader"}`, 200, &result)
	if !result.Failed() || result.Error.Code != gongu.CodeNotInCatalog {
		t.Errorf("%+v", result)
	}
	s.refuses("GET", "/tools?agent=raeder", "", 404, httpapi.CodeNotFound)
	ask(t, h.queue, 2)
	s.do("POST", "/requests/req_001/approve", digest(t, h.queue, "req_001")+`,"reason":"yes"}`, 200, nil)
	page, _ := s.page("", nil)
	if seen := text(t, page); !strings.Contains(seen, "1 Open tool requests") || !strings.Contains(seen, "files__list") {
		t.Errorf("%s", seen)
	}
	for _, r := range every[:2] {
		s.do(r.method, strings.Replace(r.path, "read_file", "files__list", 1), r.body, 200, nil)
	}
}

// A trace that comes reaches the tool through the step of a host.
func TestTraceThroughAHost(t *testing.T) {
	var seen string
	h := openBundle(t, &gongu.ExecutorOptions{Middleware: []gongu.Middleware{func(next gongu.Invoke) gongu.Invoke {
		return func(ctx context.Context, call gongu.Call) gongu.Result {
			about := gongu.ContextOf(ctx)
			seen = fmt.Sprint(about.TraceID, " ", about.AgentName, " ", about.Logger == slog.Default(), " ", about.Workdir != "")
			return next(ctx, call)
		}
	}}})
	s := start(t, h)
	s.raw("POST", httpapi.Prefix+"/calls", map[string][]string{"Traceparent": {someParent}, "Content-Type": {"application/json"}},
		strings.NewReader(`{"name":"files__list","arguments":{"path":"."},"agent":"reader"}`))
	if want := someTrace + " reader false true"; seen != want {
		t.Errorf("the tool saw %q, want %q", seen, want)
	}
}
