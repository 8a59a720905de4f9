package gateway_test

import (
	"context"
	"net/http"
	"os"
	"runtime"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/gongu-ai/gongu"
)

// pathOf returns the functions of this module between the server and the
// caller, outermost first, without the module's path.
func pathOf() []string {
	counters := make([]uintptr, 128)
	frames := runtime.CallersFrames(counters[:runtime.Callers(3, counters)])
	var path []string
	for {
		frame, more := frames.Next()
		if name, ours := strings.CutPrefix(frame.Function, "github.com/gongu-ai/gongu"); ours {
			if strings.Contains(name, "Trace.func") {
				name = "telemetry.Trace.func" // how it is numbered depends on the compiler
			}
			path = append(path, strings.TrimLeft(name, "/."))
		}
		if !more {
			slices.Reverse(path)
			return path
		}
	}
}

// The path of a served call, function by function, is the one that
// docs/architecture.md prints.
func TestPathOfAServedCall(t *testing.T) {
	o := optionsFor(t)
	o.Auth.NoAuth = true
	g := start(t, o)
	var got []string
	tool := gongu.Tool{Name: "path", Annotations: gongu.Annotations{ReadOnly: new(true)}, Limits: gongu.Limits{Inline: true}, Invoke: func(context.Context, gongu.Call) gongu.Result {
		got = pathOf()
		return gongu.OK("")
	}}
	if err := g.Host().Registry().Add(tool); err != nil {
		t.Fatal(err)
	}
	body := `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"path","arguments":{},"_meta":{` +
		`"io.modelcontextprotocol/protocolVersion":"2026-07-28","io.modelcontextprotocol/clientCapabilities":{}}}}`
	r, err := http.NewRequestWithContext(t.Context(), http.MethodPost, "http://"+g.started.Address+"/mcp", strings.NewReader(body))
	if err != nil {
		t.Fatal(err)
	}
	for name, value := range map[string]string{
		"Content-Type": "application/json", "Accept": "application/json, text/event-stream",
		"MCP-Protocol-Version": "2026-07-28", "Mcp-Method": "tools/call", "Mcp-Name": "path",
	} {
		r.Header.Set(name, value)
	}
	response, err := http.DefaultClient.Do(r)
	if err != nil {
		t.Fatal(err)
	}
	_ = response.Body.Close()
	if err := g.stop(); err != nil {
		t.Error(err)
	}
	page, err := os.ReadFile("../docs/architecture.md")
	if err != nil {
		t.Fatal(err)
	}
	_, block, _ := strings.Cut(string(page), "### The path of one served call")
	_, block, _ = strings.Cut(block, "```text\n")
	block, _, _ = strings.Cut(block, "```")
	var want []string
	for line := range strings.Lines(block) {
		if fields := strings.Fields(line); len(fields) > 0 {
			want = append(want, fields[0])
		}
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("docs/architecture.md prints another path (-page +call):\n%s", diff)
	}
}
