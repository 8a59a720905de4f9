//go:build unix

package builtin_test

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"os"
	osexec "os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"github.com/gongu-ai/gongu"
	"github.com/gongu-ai/gongu/builtin"
)

// TestEditKeepsModeAndLinks: the mode stays, and a link inside the roots stays a
// link whose target is edited.
func TestEditKeepsModeAndLinks(t *testing.T) {
	executor, workdir := newSystem(t, builtin.Options{})
	path := filepath.Join(workdir, "real", "run.sh")
	put(t, path, "echo a\n")
	if err := os.Chmod(path, 0o751); err != nil {
		t.Fatal(err)
	}
	for link, target := range map[string]string{"relative": "real/run.sh", "absolute": path, "chain": "relative"} {
		if err := os.Symlink(target, filepath.Join(workdir, link)); err != nil {
			t.Fatal(err)
		}
	}
	for i, name := range []string{"real/run.sh", "relative", "absolute", "chain"} {
		answer[editAnswer](t, ask(t, executor, "file-system__edit", map[string]any{
			"path": name, "old_string": "echo " + string(rune('a'+i)), "new_string": "echo " + string(rune('b'+i)),
		}))
		if info, err := os.Lstat(path); err != nil || info.Mode() != 0o751 {
			t.Errorf("%s: mode %v, %v", name, info.Mode(), err)
		}
		if info, err := os.Lstat(filepath.Join(workdir, name)); err != nil || (info.Mode()&os.ModeSymlink != 0) != (i > 0) {
			t.Errorf("%s: %v, %v", name, info.Mode(), err)
		}
	}
	holds(t, path, "echo e\n")
	outside := filepath.Join(t.TempDir(), "outside")
	put(t, outside, "secret\n")
	if err := os.Symlink(outside, filepath.Join(workdir, "out")); err != nil {
		t.Fatal(err)
	}
	wantMessage(t, ask(t, executor, "file-system__edit", map[string]any{"path": "out", "old_string": "secret", "new_string": "x"}), "--root")
	holds(t, outside, "secret\n")
}

// editChild is set for the test binary when it runs as a child that edits.
const editChild = "GONGU_TEST_EDIT_CHILD"

// child runs one test of this binary in a process of its own.
func child(t *testing.T, ctx context.Context, test string, env ...string) *osexec.Cmd {
	t.Helper()
	cmd := osexec.CommandContext(ctx, os.Args[0], "-test.run=^"+test+"$", "-test.count=1", "-test.timeout=60s")
	cmd.Env = append(os.Environ(), env...)
	return cmd
}

// TestEditWithoutRoom: a full disk and a directory that cannot be written to
// give a clear error and change nothing. Both need a process of their own: the
// one lowers the size of files it may write, which looks like a full disk, the
// other gives up being root, who may write anywhere.
func TestEditWithoutRoom(t *testing.T) {
	if what := os.Getenv(editChild); what != "" {
		withoutRoom(t, what)
		return
	}
	for _, what := range []string{"full", "closed"} {
		dir := t.TempDir()
		for _, d := range []string{filepath.Dir(dir), dir} {
			if err := os.Chmod(d, 0o755); err != nil {
				t.Fatal(err)
			}
		}
		put(t, filepath.Join(dir, "f"), strings.Repeat("line\n", 1000)+"end\n")
		put(t, filepath.Join(dir, "g"), "small\n")
		if what == "closed" {
			if err := os.Chmod(dir, 0o555); err != nil {
				t.Fatal(err)
			}
		}
		out, err := child(t, t.Context(), t.Name(), editChild+"="+what, editDir+"="+dir).CombinedOutput()
		if err != nil {
			t.Errorf("%s: %v\n%s", what, err, out)
		}
		holds(t, filepath.Join(dir, "f"), strings.Repeat("line\n", 1000)+"end\n")
		holds(t, filepath.Join(dir, "g"), "small\n")
		noLitter(t, dir, "f", "g")
		if err := os.Chmod(dir, 0o755); err != nil {
			t.Fatal(err)
		}
	}
}

const editDir = "GONGU_TEST_EDIT_DIR"

func withoutRoom(t *testing.T, what string) {
	want := "There is no room on the disk"
	if what == "full" {
		if err := syscall.Setrlimit(syscall.RLIMIT_FSIZE, &syscall.Rlimit{Cur: 4096, Max: 4096}); err != nil {
			t.Fatal(err)
		}
	} else {
		want = "The system does not permit access"
		if os.Geteuid() == 0 {
			if err := syscall.Setuid(65534); err != nil {
				t.Fatal(err)
			}
		}
	}
	// No lock can be made here either: an edit goes without.
	executor, _ := newSystem(t, builtin.Options{Workdir: os.Getenv(editDir), LockDir: "/proc/none"})
	wantMessage(t, ask(t, executor, "file-system__edit", map[string]any{"path": "f", "old_string": "end", "new_string": "END"}), want)
	wantMessage(t, ask(t, executor, "file-system__patch", map[string]any{
		"patch": "--- g\n+++ g\n@@ -1 +1 @@\n-small\n+tiny\n--- /dev/null\n+++ new/h\n@@ -0,0 +1 @@\n+x\n--- f\n+++ f\n@@ -1001 +1001 @@\n-end\n+END\n",
	}), want)
}

// The kill test: this many edits, and a child is killed about so often.
const (
	killEdits = 1000
	killEvery = 25
)

// versionOf is a whole file of one version: every line has its number.
func versionOf(n int) string {
	return strings.Repeat(fmt.Sprintf("version %d of the file\n", n), 200)
}

// TestEditKilled: a process that edits is killed again and again, and each file
// is wholly old or wholly new. Some kills must have come between the writing
// and the renaming, or nothing is proven.
func TestEditKilled(t *testing.T) {
	if os.Getenv(editChild) != "" {
		editForever(t)
		return
	}
	dir, locks := t.TempDir(), t.TempDir()
	path := filepath.Join(dir, "f")
	put(t, path, versionOf(0))
	done, kills, between := 0, 0, 0
	for done < killEdits {
		steps := killOne(t, dir, locks, kills)
		kills++
		got, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		var n int
		if _, err := fmt.Sscanf(string(got), "version %d", &n); err != nil || string(got) != versionOf(n) {
			t.Fatalf("after kill %d the file is neither old nor new: %.100q", kills, got)
		}
		// An edit that began was preceded by one that was answered for.
		if want := done + steps - 1; n < want {
			t.Fatalf("after kill %d the file is version %d, but %d was answered for", kills, n, want)
		}
		between += leftovers(t, dir, versionOf(n+1))
		done = n
	}
	t.Logf("%d edits, %d kills, %d of them between the writing and the renaming", done, kills, between)
	if between == 0 {
		t.Errorf("none of %d kills came between the writing and the renaming: nothing is proven", kills)
	}
}

// leftovers counts the files that were written whole and never got their name,
// and removes what a killed writer left.
func leftovers(t *testing.T, dir, next string) int {
	t.Helper()
	n := 0
	names, err := filepath.Glob(filepath.Join(dir, ".gongu-*.tmp"))
	if err != nil {
		t.Fatal(err)
	}
	for _, name := range names {
		if got, err := os.ReadFile(name); err == nil && string(got) == next {
			n++
		}
		if err := os.Remove(name); err != nil {
			t.Fatal(err)
		}
	}
	return n
}

// killOne starts a child and kills it: every other one when it says that it is
// about to rename, the others at some moment of an edit.
func killOne(t *testing.T, dir, locks string, round int) (steps int) {
	t.Helper()
	cmd := child(t, t.Context(), "TestEditKilled", editChild+"=forever", editDir+"="+dir, "GONGU_TEST_EDIT_LOCKS="+locks)
	in, err := cmd.StdinPipe()
	if err != nil {
		t.Fatal(err)
	}
	out, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	var stderr bytes.Buffer
	cmd.Stderr = &stderr
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	buf := make([]byte, 1)
	for steps < killEvery {
		if n, err := out.Read(buf); n == 0 || err != nil {
			t.Fatalf("the child ended by itself: %v %s", err, stderr.String())
		}
		if steps++; steps < killEvery || round%2 == 1 {
			// Go on: the child of an odd round is killed while it renames, or
			// on its way to the next edit.
			if _, err := in.Write(buf); err != nil {
				t.Fatal(err)
			}
		}
	}
	if err := cmd.Process.Kill(); err != nil {
		t.Fatal(err)
	}
	_ = cmd.Wait() // it was killed
	return steps
}

// editForever is the child. Before each rename it writes a byte and waits for
// one.
func editForever(t *testing.T) {
	buf := make([]byte, 1)
	registry := gongu.NewRegistry(nil)
	opts := &builtin.Options{Workdir: os.Getenv(editDir), LockDir: os.Getenv("GONGU_TEST_EDIT_LOCKS")}
	err := registry.Add(builtin.FileTools(opts, func(context.Context) {
		_, _ = os.Stdout.Write([]byte("."))
		_, _ = os.Stdin.Read(buf)
	})...)
	if err != nil {
		t.Fatal(err)
	}
	executor := gongu.NewExecutor(registry, &gongu.ExecutorOptions{Catalog: gongu.Everything(registry)})
	var n int
	now, err := os.ReadFile(filepath.Join(opts.Workdir, "f"))
	if err == nil {
		_, err = fmt.Sscanf(string(now), "version %d", &n)
	}
	if err != nil {
		t.Fatal(err)
	}
	for ; ; n++ {
		args, err := json.Marshal(map[string]any{"path": "f", "old_string": fmt.Sprintf("version %d of", n), "new_string": fmt.Sprintf("version %d of", n+1), "replace_all": true})
		if err != nil {
			t.Fatal(err)
		}
		if r := executor.Call(t.Context(), gongu.Call{Name: "file-system__edit", Args: args}); r.Failed() {
			t.Fatalf("%+v", r.Error)
		}
	}
}
