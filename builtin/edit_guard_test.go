package builtin_test

import (
	"context"
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/gongu-ai/gongu"
	"github.com/gongu-ai/gongu/builtin"
)

// hooked has the file tools, with something that happens between the writing of
// new content and its taking the place of the old.
func hooked(t *testing.T, staged func(context.Context)) (*gongu.Executor, string) {
	t.Helper()
	workdir := t.TempDir()
	registry := gongu.NewRegistry(nil)
	if err := registry.Add(builtin.FileTools(&builtin.Options{Workdir: workdir, LockDir: t.TempDir()}, staged)...); err != nil {
		t.Fatal(err)
	}
	return gongu.NewExecutor(registry, &gongu.ExecutorOptions{Catalog: gongu.Everything(registry)}), workdir
}

// TestEditGeminiG16_ChangedMeanwhile: a change by somebody who takes no lock is
// noticed before the file is replaced.
func TestEditGeminiG16_ChangedMeanwhile(t *testing.T) {
	var meanwhile func()
	executor, workdir := hooked(t, func(context.Context) { meanwhile() })
	path := filepath.Join(workdir, "f")
	for name, change := range map[string]func(){
		"other content": func() { put(t, path, "changed by somebody\n") },
		"removed": func() {
			if err := os.Remove(path); err != nil {
				t.Error(err)
			}
		},
		"another file": func() {
			put(t, path+".new", "a\nb\n")
			if err := os.Rename(path+".new", path); err != nil {
				t.Error(err)
			}
		},
	} {
		put(t, path, "a\nb\n")
		meanwhile = change
		refusal(t, ask(t, executor, "file-system__edit", map[string]any{"path": "f", "old_string": "a", "new_string": "x"}), "E_EDIT_STALE")
		if got, _ := os.ReadFile(path); strings.Contains(string(got), "x") {
			t.Errorf("%s: the other change was overwritten: %q", name, got)
		}
	}
	if err := os.RemoveAll(path); err != nil {
		t.Fatal(err)
	}
	meanwhile = func() { put(t, path, "theirs\n") }
	wantMessage(t, ask(t, executor, "file-system__edit", map[string]any{"path": "f", "old_string": "", "new_string": "ours\n"}), "exists already")
	holds(t, path, "theirs\n")
	noLitter(t, workdir, "f")
}

// TestEditCancelled: a call that nobody waits for any more changes nothing.
func TestEditCancelled(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	executor, workdir := hooked(t, func(inside context.Context) {
		cancel()
		<-inside.Done()
	})
	put(t, filepath.Join(workdir, "f"), "a\n")
	args, _ := json.Marshal(map[string]any{"path": "f", "old_string": "a", "new_string": "b"})
	if r := executor.Call(ctx, gongu.Call{Name: "file-system__edit", Args: args}); !r.Failed() || r.Error.Code != gongu.CodeCancelled {
		t.Errorf("%+v", r)
	}
	// The call is answered at once and the handler ends by itself: whoever gets
	// the lock knows that it has.
	refusal(t, ask(t, executor, "file-system__edit", map[string]any{"path": "f", "old_string": "zzz", "new_string": "x"}), "E_EDIT_NOT_FOUND")
	holds(t, filepath.Join(workdir, "f"), "a\n")
	noLitter(t, workdir, "f")
}

// TestReadFirst: with the option, what an instance does not know it does not
// change.
func TestReadFirst(t *testing.T) {
	executor, workdir := newSystem(t, builtin.Options{ReadFirst: true})
	path := filepath.Join(workdir, "f")
	put(t, path, "a\nb\nc\n")
	as := func(instance, tool string, args map[string]any) gongu.Result {
		ctx, err := gongu.WithContext(t.Context(), gongu.Context{
			AgentName: "a", InstanceKey: instance, TurnID: "t", TraceID: strings.Repeat("0", 32), Workdir: workdir,
		})
		if err != nil {
			t.Fatal(err)
		}
		raw, _ := json.Marshal(args)
		return executor.Call(ctx, gongu.Call{Name: "file-system__" + tool, Args: raw})
	}
	edit := func(instance, old, new string) gongu.Result {
		return as(instance, "edit", map[string]any{"path": "f", "old_string": old, "new_string": new})
	}
	read := func(instance string) gongu.Result {
		return as(instance, "read", map[string]any{"path": "f", "limit": 1})
	}
	patch := map[string]any{"patch": "--- f\n+++ f\n@@\n-b\n+y\n"}
	write := map[string]any{"path": "f", "content": "new"}

	r := edit("one", "a", "x")
	refusal(t, r, "E_EDIT_STALE")
	wantMessage(t, r, "has not been read yet")
	for tool, args := range map[string]map[string]any{"patch": patch, "write": write} {
		if r := as("one", tool, args); !r.Failed() || r.Error.Code != "E_EDIT_STALE" || !strings.Contains(r.Error.Message, "has not been read yet") {
			t.Errorf("%s: %+v", tool, r.Error)
		}
	}
	holds(t, path, "a\nb\nc\n")

	if r := read("one"); r.Failed() {
		t.Fatal(r.Error)
	}
	refusal(t, edit("two", "a", "x"), "E_EDIT_STALE") // another instance
	for _, r := range []gongu.Result{edit("one", "a", "x"), as("one", "patch", patch), edit("one", "c", "z")} {
		if r.Failed() { // what one wrote itself it knows
			t.Errorf("%+v", r.Error)
		}
	}
	holds(t, path, "x\ny\nz\n")
	put(t, path, "changed\n")
	wantMessage(t, edit("one", "changed", "x"), "has changed since it was read")
	if r := as("one", "write", write); !r.Failed() || r.Error.Code != "E_EDIT_STALE" {
		t.Errorf("%+v", r)
	}
	read("one")
	if r := as("one", "write", write); r.Failed() {
		t.Errorf("%+v", r.Error)
	}
	// Nothing is lost by making a file or adding to one.
	for tool, args := range map[string]map[string]any{
		"edit": {"path": "made", "old_string": "", "new_string": "x\n"}, "write": {"path": "f", "content": "x", "append": true},
		"patch": {"patch": "--- /dev/null\n+++ b/added\n@@ -0,0 +1 @@\n+x\n"},
	} {
		if r := as("three", tool, args); r.Failed() {
			t.Errorf("%s: %+v", tool, r.Error)
		}
	}
}

// TestReadLines: some lines, with their numbers, and the hash of all.
func TestReadLines(t *testing.T) {
	executor, workdir := newSystem(t, builtin.Options{})
	const content = "one\ntwo\r\nthree\nfour"
	put(t, filepath.Join(workdir, "f"), content)
	put(t, filepath.Join(workdir, "empty"), "")
	type lines struct {
		Content, SHA               string
		FirstLine, LastLine, Lines int
		Truncated                  bool
	}
	sha := shaOf(content)
	for args, want := range map[string]lines{
		`{"path":"f","offset":2,"limit":2}`:                        {"two\r\nthree\n", sha, 2, 3, 4, true},
		`{"path":"f","offset":4}`:                                  {"four", sha, 4, 4, 4, true},
		`{"path":"f","limit":9}`:                                   {content, sha, 1, 4, 4, false},
		`{"path":"f","line_numbers":true,"offset":2,"limit":1}`:    {"     2\ttwo\r\n", sha, 2, 2, 4, true},
		`{"path":"f","line_numbers":true}`:                         {"     1\tone\n     2\ttwo\r\n     3\tthree\n     4\tfour", sha, 1, 4, 4, false},
		`{"path":"f","line_numbers":true,"maxBytes":20}`:           {"     1\tone\n     2\ttw", sha, 1, 2, 4, true},
		`{"path":"f","line_numbers":true,"maxBytes":13,"limit":2}`: {"     1\tone\n", sha, 1, 1, 4, true},
		`{"path":"empty","line_numbers":true}`:                     {"", shaOf(""), 1, 0, 0, false},
		`{"path":"f"}`:                                             {content, sha, 0, 0, 0, false},
	} {
		if got := answer[lines](t, raw(t, executor, "file-system__read", args)); got != want {
			t.Errorf("%s: %+v, want %+v", args, got, want)
		}
	}
	wantMessage(t, raw(t, executor, "file-system__read", `{"path":"f","offset":5}`), "f has 4 lines; there is no line 5.")
	// What was read with numbers can be sent back: they are taken off.
	got := answer[lines](t, raw(t, executor, "file-system__read", `{"path":"f","line_numbers":true,"offset":2,"limit":2}`))
	answer[editAnswer](t, ask(t, executor, "file-system__edit", map[string]any{
		"path": "f", "old_string": got.Content, "new_string": strings.Replace(got.Content, "three", "3", 1), "expected_sha": got.SHA,
	}))
	holds(t, filepath.Join(workdir, "f"), "one\ntwo\r\n3\nfour")
}
