package host_test

import (
	"context"
	"encoding/json"
	"errors"
	"iter"
	"log/slog"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"go.uber.org/goleak"

	"github.com/gongu-ai/gongu"
	"github.com/gongu-ai/gongu/bundle"
	"github.com/gongu-ai/gongu/host"
	"github.com/gongu-ai/gongu/internal/event"
)

type ctxT = context.Context

func TestMain(m *testing.M) {
	if len(os.Args) == 2 && os.Args[1] == childWord {
		os.Exit(runScripts())
	}
	if len(os.Args) == 3 && os.Args[1] == upstreamWord {
		serveUpstream(os.Args[2])
		return
	}
	// State roots without an option stay in the tests' own folder.
	states, err := os.MkdirTemp("", "gongu-host")
	if err == nil {
		err = os.Setenv("XDG_STATE_HOME", states)
	}
	if err != nil {
		panic(err)
	}
	goleak.VerifyTestMain(m, goleak.Cleanup(func(code int) {
		_ = os.RemoveAll(states)
		os.Exit(code)
	}))
}

// stateOf is the state root of a bundle without an option.
func stateOf(t *testing.T, dir string) string {
	t.Helper()
	root, err := host.StateRoot("", dir)
	if err != nil {
		t.Fatal(err)
	}
	return root
}

const base = `apiVersion: gongu/v1
kind: Tool
metadata: { name: file-system, labels: { tier: base } }
spec:
  entry: "builtin:file-system"
  errorMessageLimit: 2000
  exports:
    - { name: read }
    - { name: write, description: "Keeps a text." }
---
apiVersion: gongu/v1
kind: Tool
metadata: { name: bash }
spec:
  entry: "builtin:bash"
  errorMessageLimit: 1200
  exports: [{ name: exec }]
---
apiVersion: gongu/v1
kind: Model
metadata: { name: m }
spec: { provider: openai, model: x }
---
apiVersion: gongu/v1
kind: Agent
metadata: { name: reader }
spec:
  modelConfig: { modelRef: Model/m }
  tools: [Tool/file-system]
---
apiVersion: gongu/v1
kind: Agent
metadata: { name: coder }
spec:
  modelConfig: { modelRef: Model/m }
  tools: [Tool/bash, Tool/file-system, Tool/bash]
  workdir: project
`

func write(t *testing.T, dir, name, content string) {
	t.Helper()
	path := filepath.Join(dir, name)
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(path, []byte(content), 0o644); err != nil {
		t.Fatal(err)
	}
}

func folder(t *testing.T, yaml string) string {
	t.Helper()
	dir, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	write(t, dir, "gongu.yaml", yaml)
	return dir
}

func open(t *testing.T, dir string, opts *host.Options) *host.Host {
	t.Helper()
	if opts == nil {
		opts = &host.Options{}
	}
	if opts.Logger == nil {
		opts.Logger = slog.New(slog.DiscardHandler)
	}
	h, err := host.Open(t.Context(), dir, opts)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := h.Close(); err != nil {
			t.Error(err)
		}
	})
	return h
}

func call(t *testing.T, h *host.Host, agent, name, args string) gongu.Result {
	t.Helper()
	result, err := h.Call(t.Context(), agent, gongu.Call{ID: "c", Name: name, Args: json.RawMessage(args)})
	if err != nil {
		t.Fatal(err)
	}
	return result
}

func names(tools []gongu.Tool) []string {
	var out []string
	for _, tool := range tools {
		out = append(out, tool.Name)
	}
	return out
}

// B6: without an agent the catalog is the whole registry; with one it is the
// agent's tools, in its order, each once (W12).
func TestB6_Catalogs(t *testing.T) {
	h := open(t, folder(t, base), nil)
	for agent, want := range map[string][]string{
		"":       {"file-system__read", "file-system__write", "bash__exec"},
		"reader": {"file-system__read", "file-system__write"},
		"coder":  {"bash__exec", "file-system__read", "file-system__write"},
	} {
		catalog, err := firstCatalog(h, agent)
		if err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(want, names(catalog.Visible())); diff != "" {
			t.Errorf("catalog of %q (-want +got):\n%s", agent, diff)
		}
	}
	if got := call(t, h, "reader", "bash__exec", `{"command":"true"}`); got.Error == nil || got.Error.Code != gongu.CodeNotInCatalog {
		t.Errorf("reader ran bash: %+v", got)
	}
	if _, err := firstCatalog(h, "reeder"); err == nil || !strings.Contains(err.Error(), "did you mean reader") {
		t.Errorf("an unknown agent: %v", err)
	}
	tool, _ := h.Registry().Get("file-system__write")
	if tool.Description != "Keeps a text." || tool.Parameters == "" || !tool.Annotations.IsDestructive() || tool.Source.Identity() != "Tool/file-system" || tool.Labels["tier"] != "base" {
		t.Errorf("the bound tool is %+v", tool)
	}
}

// B1: the workspace of an instance is made on demand below the state root;
// project is the bundle's own folder; two keys never share a folder. goondan 55:
// bash prints it.
func TestB1_Workdir(t *testing.T) {
	dir := folder(t, base)
	pwd := func(h *host.Host, agent string) string {
		t.Helper()
		ctx, err := contextOf(t, h, agent)
		if err != nil {
			t.Fatal(err)
		}
		return gongu.ContextOf(ctx).Workdir
	}
	h := open(t, dir, nil)
	if want := filepath.Join(stateOf(t, dir), "instances", "default", "workspace"); pwd(h, "") != want {
		t.Errorf("workdir = %s, want %s", pwd(h, ""), want)
	}
	if _, err := os.Stat(stateOf(t, dir)); !errors.Is(err, os.ErrNotExist) {
		t.Error("opening a bundle made its state root")
	}
	if got := call(t, h, "", "bash__exec", `{"command":"pwd"}`); !strings.Contains(string(got.Output), `/instances/default/workspace\n`) {
		t.Errorf("pwd = %s", got.Output)
	}
	if pwd(h, "coder") != dir {
		t.Errorf("workdir: project is %s", pwd(h, "coder"))
	}
	other := t.TempDir()
	t.Setenv("GONGU_STATE_ROOT", filepath.Join(other, "env-state"))
	if got := pwd(open(t, dir, nil), ""); !strings.HasPrefix(got, filepath.Join(other, "env-state")) {
		t.Errorf("GONGU_STATE_ROOT: %s", got)
	}
	if got := pwd(open(t, dir, &host.Options{StateRoot: filepath.Join(other, "flag-state")}), ""); !strings.HasPrefix(got, filepath.Join(other, "flag-state")) {
		t.Errorf("the option: %s", got)
	}
	seen := map[string]string{}
	for _, key := range []string{"a/b", "a-b", "a_b", "A-B", "가나", "다라", "..", ".", "", "default", "a-b~0011223344556677", strings.Repeat("x", 300)} {
		got := pwd(open(t, dir, &host.Options{Instance: key}), "")
		if key == "" {
			key = "default"
		}
		if other, taken := seen[strings.ToLower(got)]; taken && other != key {
			t.Errorf("keys %q and %q share %s", key, other, got)
		}
		seen[strings.ToLower(got)] = key
		if rel, err := filepath.Rel(filepath.Join(other, "env-state", "instances"), got); err != nil || strings.Contains(rel, "..") || strings.Count(rel, "/") != 1 {
			t.Errorf("key %q leaves the instances: %s", key, got)
		}
	}
}

// B1: paths outside the workdir and the roots get an error naming the option.
func TestB1_Roots(t *testing.T) {
	dir, other := folder(t, base), folder(t, base)
	write(t, other, "note.txt", "hello")
	path, err := json.Marshal(map[string]string{"path": filepath.Join(other, "note.txt")})
	if err != nil {
		t.Fatal(err)
	}
	got := call(t, open(t, dir, nil), "", "file-system__read", string(path))
	if got.Error == nil || !strings.Contains(strings.ToLower(got.Error.Message+got.Error.Suggestion), "root") {
		t.Errorf("outside: %+v", got.Error)
	}
	got = call(t, open(t, dir, &host.Options{System: host.SystemOptions{Roots: []string{other}}}), "", "file-system__read", string(path))
	if got.Failed() || !strings.Contains(string(got.Output), `"content":"hello"`) {
		t.Errorf("inside a root: %s %+v", got.Output, got.Error)
	}
}

// B2, and W2 of goondan: errorMessageLimit reaches every export and its calls.
func TestB2_ErrorMessageLimit(t *testing.T) {
	h := open(t, folder(t, base), nil)
	for name, want := range map[string]int{"bash__exec": 1200, "file-system__read": 2000, "file-system__write": 2000} {
		tool, ok := h.Registry().Get(name)
		if !ok || tool.Limits.ErrorMessage != want {
			t.Errorf("%s has the limit %d, want %d", name, tool.Limits.ErrorMessage, want)
		}
	}
	long := `{"path":"` + strings.Repeat("x/", 3000) + `"}`
	if got := call(t, h, "", "file-system__read", long); got.Error == nil || len([]rune(got.Error.Message)) > 2000 {
		t.Errorf("a message of %d characters", len([]rune(got.Error.Message)))
	}
}

// A broken bundle is refused whole, with everything that is wrong.
func TestOpenRefusesBrokenBundles(t *testing.T) {
	dir := folder(t, strings.Replace(strings.Replace(base, "Tool/file-system]", "Tool/none]", 1), "builtin:bash", "builtin:bush", 1))
	_, err := host.Open(t.Context(), dir, nil)
	if err == nil || !strings.Contains(err.Error(), bundle.CodeRefNotFound) || !strings.Contains(err.Error(), "bush") {
		t.Errorf("err = %v", err)
	}
	if _, err := host.Open(t.Context(), filepath.Join(dir, "nowhere"), nil); err == nil {
		t.Error("a folder that is not there was opened")
	}
	if _, err := host.Open(t.Context(), folder(t, base), &host.Options{System: host.SystemOptions{AllowPrivate: []string{"not a host!"}}}); err == nil {
		t.Error("a broken option was taken")
	}
}

// The error of a refused bundle is its diagnostics.
func TestOpenRefusesDiagnostics(t *testing.T) {
	_, err := host.Open(t.Context(), folder(t, "kind: Tool"), nil)
	if diagnostics, ok := errors.AsType[bundle.Diagnostics](err); !ok || len(diagnostics) == 0 || diagnostics[0].Line == 0 {
		t.Errorf("the error is a %T: %v", err, err)
	}
}

// Seed 001 §14: a script is loaded with the bundle; a handler that is missing
// is a load error naming tool and export (goondan case 85).
func TestGoondan85_Scripts(t *testing.T) {
	yaml := strings.Replace(base, "builtin:bash", "./bash.ts", 1)
	dir := folder(t, yaml)
	_, err := host.Open(t.Context(), dir, nil)
	if err == nil || !strings.Contains(err.Error(), bundle.CodeEntryNotFound) {
		t.Errorf("a missing entry: %v", err)
	}
	for source, want := range map[string]string{
		"export const handlers = {};":        "exec",
		"export const other = {};":           "handlers",
		"export const handlers = { exec( };": "bash.ts",
		"import x from 'left-pad'; export const handlers = { exec() { return x } };": "left-pad",
	} {
		write(t, dir, "bash.ts", source)
		if _, err := host.Open(t.Context(), dir, nil); err == nil || !strings.Contains(err.Error(), "Tool/bash") || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v", source, err)
		}
	}
	write(t, dir, "bash.ts", `export const handlers = {
  exec: async (ctx: { workdir: string; agentName: string }, input: { command: string }) => ({ ran: input.command, in: ctx.workdir, by: ctx.agentName }),
};`)
	h := open(t, dir, nil)
	got := call(t, h, "", "bash__exec", `{"command":"x"}`)
	if got.Failed() || !strings.Contains(string(got.Output), `"ran":"x"`) || !strings.Contains(string(got.Output), `/instances/default/workspace"`) {
		t.Errorf("result = %s %+v", got.Output, got.Error)
	}
	write(t, dir, "bash.ts", `export const handlers = { exec: () => "new" };`)
	if again := h.Reload(t.Context()); again.Err != nil {
		t.Fatal(again.Err)
	}
	if got := call(t, h, "", "bash__exec", `{}`); string(got.Output) != `"new"` {
		t.Errorf("after a reload: %s %+v", got.Output, got.Error)
	}
	t.Setenv("PATH", t.TempDir())
	write(t, dir, "gongu.yaml", strings.Replace(yaml, `entry: "./bash.ts"`, "entry: ./bash.ts\n  runtime: node", 1))
	if again := h.Reload(t.Context()); again.Err != nil {
		t.Fatal(again.Err)
	}
	if got := call(t, h, "", "bash__exec", `{}`); got.Error == nil || got.Error.Code != gongu.CodeUnavailable {
		t.Errorf("runtime node: %+v", got)
	}
}

// Without a folder the starter tools are there, and no agent.
func TestStarter(t *testing.T) {
	h := open(t, "", nil)
	if got := call(t, h, "", "text-transform__case", `{"text":"a","to":"upper"}`); got.Failed() {
		t.Errorf("%+v", got.Error)
	}
	if h.Registry().Has("bash__exec") || h.Bundle() != nil {
		t.Error("the starter set has more than harmless tools")
	}
	if _, err := firstCatalog(h, "a"); err == nil {
		t.Error("the starter set has an agent")
	}
}

// B12: an edit is seen; a broken edit keeps the last good set and says so; a
// call in flight finishes on what it began with.
func TestB12_Reload(t *testing.T) {
	dir := folder(t, base)
	h := open(t, dir, &host.Options{Watch: true})
	next, stop := iter.Pull(h.Events(t.Context()))
	defer stop()
	started, release := make(chan struct{}), make(chan struct{})
	if err := h.Registry().Add(gongu.Tool{Name: "slow", Invoke: func(context.Context, gongu.Call) gongu.Result {
		close(started)
		<-release
		return gongu.OK("old")
	}}); err != nil {
		t.Fatal(err)
	}
	flight := make(chan gongu.Result)
	go func() {
		result, _ := h.Call(context.Background(), "", gongu.Call{Name: "slow"})
		flight <- result
	}()
	<-started
	await := func(ok func(host.Event) bool) host.Event {
		t.Helper()
		for {
			if e, open := next(); !open || e.Kind == event.Reload && ok(e) {
				return e
			}
		}
	}
	write(t, dir, "gongu.yaml", strings.Replace(base, "    - { name: read }\n", "", 1))
	await(func(r host.Event) bool { return r.Err == nil && !h.Registry().Has("file-system__read") })
	if !h.Registry().Has("file-system__write") || !h.Registry().Has("slow") {
		t.Error("the reload took more than it should")
	}
	write(t, dir, "gongu.yaml", "kind: Tool\nmetadata: [")
	broken := await(func(r host.Event) bool { return r.Err != nil })
	if !strings.Contains(broken.Err.Error(), bundle.CodeParseError) || !h.Registry().Has("file-system__write") {
		t.Errorf("a broken edit: %v", broken.Err)
	}
	write(t, dir, "gongu.yaml", base)
	await(func(r host.Event) bool { return r.Err == nil && h.Registry().Has("file-system__read") })
	write(t, dir, "sub/tools.yaml", strings.ReplaceAll(base[:strings.Index(base, "---")], "file-system,", "files,"))
	await(func(r host.Event) bool { return r.Err == nil && h.Registry().Has("files__read") })
	close(release)
	if got := <-flight; string(got.Output) != `"old"` {
		t.Errorf("the call in flight gave %s", got.Output)
	}
}

// An output that is too large is kept below the state root.
func TestSpill(t *testing.T) {
	dir := folder(t, base)
	h := open(t, dir, nil)
	if err := h.Registry().Add(gongu.Tool{Name: "big", Limits: gongu.Limits{Output: 100}, Invoke: func(context.Context, gongu.Call) gongu.Result {
		return gongu.OK(strings.Repeat("x", 5000))
	}}); err != nil {
		t.Fatal(err)
	}
	var cut struct{ Path string }
	if err := json.Unmarshal(call(t, h, "", "big", `{}`).Output, &cut); err != nil {
		t.Fatal(err)
	}
	kept, err := os.ReadFile(cut.Path)
	if err != nil || len(kept) != 5002 || !strings.HasPrefix(cut.Path, filepath.Join(stateOf(t, dir), "spill")) {
		t.Errorf("%d bytes at %s, %v", len(kept), cut.Path, err)
	}
}
