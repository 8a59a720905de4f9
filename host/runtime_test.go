package host_test

import (
	"context"
	"fmt"
	"os"
	"os/exec"
	"strings"
	"testing"
	"time"

	"github.com/gongu-ai/gongu"
	"github.com/gongu-ai/gongu/host"
	"github.com/gongu-ai/gongu/script"
)

// childWord makes this program a child that runs scripts.
const childWord = "gongu-script-child"

func runScripts() int {
	if err := script.ChildMain(context.Background(), os.Stdin, os.Stdout); err != nil {
		fmt.Fprintln(os.Stderr, err)
		return 1
	}
	return 0
}

const scriptTool = `apiVersion: gongu/v1
kind: Tool
metadata: { name: RUNTIME }
spec:
  entry: ./tool.ts
  runtime: RUNTIME
  exports:
    - { name: run, description: "Runs.", parameters: { type: object, properties: {} } }
    - { name: hang, description: "Hangs.", parameters: { type: object, properties: {} } }
`

const scriptModule = `export const handlers = {
  run: (ctx) => [typeof Bun === 'object' ? 'bun or gongu' : 'node', ctx.agentName, ctx.toolCallId],
  hang: () => { const n = SIZE; 'a'.repeat(2 * n).indexOf('a'.repeat(n) + 'b'); return 'ended'; },
};`

// hangSize makes hang longer than the engine waits, and not by minutes.
func hangSize() string {
	if raceDetector {
		return "20000"
	}
	return "60000"
}

// runtimeBundle is a bundle with one tool for each runtime.
func runtimeBundle(t *testing.T, runtimes ...string) string {
	t.Helper()
	var parts []string
	for _, runtime := range runtimes {
		parts = append(parts, strings.ReplaceAll(scriptTool, "RUNTIME", runtime))
	}
	dir := folder(t, strings.Join(parts, "---\n"))
	write(t, dir, "tool.ts", strings.Replace(scriptModule, "SIZE", hangSize(), 1))
	return dir
}

// TestB10_Runtimes: one module runs in every runtime that the machine has, with
// nothing but spec.runtime changed; a reload ends what is replaced.
func TestB10_Runtimes(t *testing.T) {
	names := []string{"embedded", "process"}
	for _, name := range []string{"node", "bun"} {
		if _, err := exec.LookPath(name); err == nil {
			names = append(names, name)
		}
	}
	h := open(t, runtimeBundle(t, names...), &host.Options{Child: []string{os.Args[0], childWord}})
	if s := h.ScriptStats(); s.Children != 0 {
		t.Errorf("started before a call: %+v", s)
	}
	for _, name := range names {
		want := "bun or gongu"
		if name == "node" {
			want = name
		}
		got := call(t, h, "", name+"__run", `{}`)
		if got.Failed() || !strings.HasPrefix(string(got.Output), `["`+want+`","api","`) {
			t.Errorf("%s: %s %+v", name, got.Output, got.Error)
		}
	}
	if s := h.ScriptStats(); s.Children != len(names)-1 {
		t.Errorf("%+v", s)
	}
	if again := h.Reload(t.Context()); again.Err != nil {
		t.Fatal(again.Err)
	}
	for deadline := time.Now().Add(5 * time.Second); h.ScriptStats().Children > 0; time.Sleep(5 * time.Millisecond) {
		if time.Now().After(deadline) {
			t.Fatalf("%+v", h.ScriptStats())
		}
	}
	for _, name := range names {
		if got := call(t, h, "", name+"__run", `{}`); got.Failed() {
			t.Errorf("%s after a reload: %+v", name, got.Error)
		}
	}
}

// TestNoRuntimes: what is missing is told by the call, and the bundle loads.
func TestNoRuntimes(t *testing.T) {
	t.Setenv("PATH", t.TempDir())
	h := open(t, runtimeBundle(t, "process", "bun", "node"), nil)
	for name, part := range map[string]string{"process": "Options.Child", "bun": "https://bun.sh", "node": "https://nodejs.org"} {
		got := call(t, h, "", name+"__run", `{}`)
		if got.Error == nil || got.Error.Code != gongu.CodeUnavailable || !strings.Contains(got.Error.Suggestion, part) {
			t.Errorf("%s: %+v", name, got.Error)
		}
	}
}

// TestT3_LossesAreKept: a script that does not stop is noted below the state
// root, where gongu doctor finds it, and its tool goes on in a process.
func TestT3_LossesAreKept(t *testing.T) {
	state := t.TempDir()
	h := open(t, runtimeBundle(t, "embedded"), &host.Options{Child: []string{os.Args[0], childWord}, StateRoot: state})
	if losses, err := host.Losses(state); err != nil || len(losses) != 0 {
		t.Fatalf("%v %v", losses, err)
	}
	ctx, cancel := context.WithTimeout(t.Context(), 200*time.Millisecond)
	defer cancel()
	if got, err := h.Call(ctx, "", gongu.Call{Name: "embedded__hang", Args: []byte(`{}`)}); err != nil || !got.Failed() {
		t.Fatalf("it ended: %s", got.Output)
	}
	// The executor answers at the deadline; the engine gives up a moment later.
	for deadline := time.Now().Add(10 * time.Second); h.ScriptStats().Lost == 0 && time.Now().Before(deadline); {
		time.Sleep(10 * time.Millisecond)
	}
	if got := call(t, h, "", "embedded__run", `{}`); got.Failed() {
		t.Errorf("%+v", got.Error)
	}
	s := h.ScriptStats()
	losses, err := host.Losses(state)
	if err != nil || len(losses) != 1 || losses[0].Module != "tool.ts" || losses[0].Export != "hang" || s.Moved != 1 || s.Children != 1 {
		t.Errorf("%+v %+v %v", s, losses, err)
	}
	for deadline := time.Now().Add(time.Minute); h.ScriptStats().Burning > 0 && time.Now().Before(deadline); {
		time.Sleep(50 * time.Millisecond)
	}
}
