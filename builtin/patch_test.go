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

type patchAnswer struct {
	Patched bool
	Files   []struct {
		Path, Action, From, Tier, Diff, SHA string
		Line, LastLine, Size                int
	}
	File, SHA, Code string
	Hunk            int
	Candidates      []struct{ OldString string }
}

func patch(t testing.TB, e *gongu.Executor, text string) gongu.Result {
	t.Helper()
	return ask(t, e, "file-system__patch", map[string]any{"patch": text})
}

func unpatched(t testing.TB, r gongu.Result, code string) patchAnswer {
	t.Helper()
	if !r.Failed() || r.Error.Code != code {
		t.Fatalf("%s %+v, want %s", r.Status, r.Error, code)
	}
	var got patchAnswer
	if err := json.Unmarshal(r.Output, &got); err != nil || got.Patched || r.Error.Suggestion == "" {
		t.Fatalf("output %s, error %+v", r.Output, r.Error)
	}
	return got
}

const gitPatch = `From 1234 Mon Sep 17 00:00:00 2001
Subject: [PATCH] several things

diff --git a/main.go b/main.go
index 1111111..2222222 100644
--- a/main.go
+++ b/main.go
@@ -1,5 +1,6 @@ package main
 func f() {
-	a()
+	b()
+	c()
 	d()
 }
 
diff --git a/run.sh b/run.sh
new file mode 100755
index 0000000..3333333
--- /dev/null
+++ b/run.sh
@@ -0,0 +1,2 @@
+#!/bin/sh
+echo hi
diff --git a/old.txt b/old.txt
deleted file mode 100644
index 4444444..0000000
--- a/old.txt
+++ /dev/null
@@ -1,2 +0,0 @@
-one
-two
diff --git a/from.txt b/sub/to.txt
similarity index 90%
rename from from.txt
rename to sub/to.txt
--- a/from.txt
+++ b/sub/to.txt
@@ -1,2 +1,2 @@
 keep
-last
\ No newline at end of file
+LAST
\ No newline at end of file
diff --git a/moved.txt b/elsewhere.txt
similarity index 100%
rename from moved.txt
rename to elsewhere.txt
-- 
2.43.0
`

const envelopePatch = `*** Begin Patch
*** Update File: main.go
@@ func f() {
-	a()
+	b()
+	c()
 	d()
*** Add File: run.sh
+#!/bin/sh
+echo hi
*** Delete File: old.txt
*** Update File: from.txt
*** Move to: sub/to.txt
@@
 keep
-last
+LAST
*** End of File
*** Update File: moved.txt
*** Move to: elsewhere.txt
*** End Patch
`

func patchable(t *testing.T, workdir string) {
	t.Helper()
	for name, content := range map[string]string{
		"main.go": "func f() {\n\ta()\n\td()\n}\n\nfunc g() {\n\ta()\n\td()\n}\n", "old.txt": "one\ntwo\n", "from.txt": "keep\nlast", "moved.txt": "same\n",
	} {
		put(t, filepath.Join(workdir, name), content)
	}
	if err := os.Chmod(filepath.Join(workdir, "from.txt"), 0o600); err != nil {
		t.Fatal(err)
	}
}

// TestPatch: both forms do the same to several files.
func TestPatch(t *testing.T) {
	for name, text := range map[string]string{"git": gitPatch, "envelope": envelopePatch, "crlf": strings.ReplaceAll(gitPatch, "\n", "\r\n")} {
		t.Run(name, func(t *testing.T) {
			executor, workdir := newSystem(t, builtin.Options{})
			patchable(t, workdir)
			got := answer[patchAnswer](t, patch(t, executor, text))
			at := func(name string) string { return filepath.Join(workdir, filepath.FromSlash(name)) }
			holds(t, at("main.go"), "func f() {\n\tb()\n\tc()\n\td()\n}\n\nfunc g() {\n\ta()\n\td()\n}\n")
			end := "\n"
			if name == "crlf" {
				end = "\r\n" // a new file is what the patch says
			}
			holds(t, at("run.sh"), "#!/bin/sh"+end+"echo hi"+end)
			holds(t, at("sub/to.txt"), "keep\nLAST")
			holds(t, at("elsewhere.txt"), "same\n")
			noLitter(t, workdir, "elsewhere.txt", "main.go", "run.sh", "sub")
			noLitter(t, at("sub"), "to.txt")
			if info, err := os.Stat(at("sub/to.txt")); err != nil || info.Mode().Perm() != 0o600 {
				t.Errorf("mode %v, %v", info.Mode(), err)
			}
			if info, err := os.Stat(at("run.sh")); name == "git" && (err != nil || info.Mode().Perm()&0o111 == 0) {
				t.Errorf("mode %v, %v", info.Mode(), err)
			}
			var actions []string
			for _, f := range got.Files {
				actions = append(actions, f.Action+" "+filepath.Base(f.Path))
			}
			if want := "updated main.go, created run.sh, deleted old.txt, renamed to.txt, renamed elsewhere.txt"; strings.Join(actions, ", ") != want || !got.Patched {
				t.Errorf("%q, want %q", actions, want)
			}
			if f := got.Files[0]; f.Tier == "" || f.Line != 2 || f.SHA == "" || !strings.Contains(f.Diff, "+\tc()") {
				t.Errorf("%+v", f)
			}
			if f := got.Files[3]; f.From != at("from.txt") || f.SHA != shaOf("keep\nLAST") {
				t.Errorf("%+v", f)
			}
		})
	}
}

// TestPatchAllOrNothing: one hunk that does not fit leaves everything.
func TestPatchAllOrNothing(t *testing.T) {
	executor, workdir := newSystem(t, builtin.Options{})
	reset := func() {
		patchable(t, workdir)
		for _, name := range []string{"run.sh", "sub", "elsewhere.txt"} {
			if err := os.RemoveAll(filepath.Join(workdir, name)); err != nil {
				t.Fatal(err)
			}
		}
	}
	untouched := func() {
		t.Helper()
		noLitter(t, workdir, "from.txt", "main.go", "moved.txt", "old.txt")
		holds(t, filepath.Join(workdir, "main.go"), "func f() {\n\ta()\n\td()\n}\n\nfunc g() {\n\ta()\n\td()\n}\n")
		holds(t, filepath.Join(workdir, "from.txt"), "keep\nlast")
	}
	reset()
	got := unpatched(t, patch(t, executor, strings.Replace(gitPatch, "-last", "-lost", 1)), "E_EDIT_NOT_FOUND")
	if got.File != filepath.Join(workdir, "from.txt") || got.Hunk != 1 || got.SHA != shaOf("keep\nlast") || len(got.Candidates) == 0 {
		t.Errorf("%+v", got)
	}
	untouched()
	unpatched(t, patch(t, executor, strings.Replace(gitPatch, "-two", "-2", 1)), "E_EDIT_NOT_FOUND")
	unpatched(t, patch(t, executor, "--- a/old.txt\n+++ /dev/null\n@@ -1 +0,0 @@\n-one\n"), "E_EDIT_CONFLICT")
	unpatched(t, patch(t, executor, "--- /dev/null\n+++ b/old.txt\n@@ -0,0 +1 @@\n+one\n"), "E_EDIT_CONFLICT")
	unpatched(t, patch(t, executor, "*** Begin Patch\n*** Update File: old.txt\n*** Move to: main.go\n*** End Patch\n"), "E_EDIT_CONFLICT")
	unpatched(t, patch(t, executor, "*** Begin Patch\n*** Add File: x\n+a\n+// ... rest of code ...\n*** End Patch\n"), "E_EDIT_CONFLICT")
	unpatched(t, patch(t, executor, "--- a/main.go\n+++ b/main.go\n@@\n \ta()\n-\td()\n+\te()\n"), "E_EDIT_AMBIGUOUS")
	unpatched(t, patch(t, executor, "--- a/main.go\n+++ b/main.go\n@@\n \ta()\n \td()\n"), "E_EDIT_NO_CHANGE")
	wantMessage(t, patch(t, executor, "*** Begin Patch\n*** Delete File: none\n*** End Patch\n"), "does not exist: none")
	wantMessage(t, patch(t, executor, "*** Begin Patch\n*** Delete File: ../none\n*** End Patch\n"), "--root")
	for _, text := range []string{"", "hello", "*** Begin Patch\n*** Delete File: old.txt\n", "--- a/old.txt\n+++ b/old.txt\n@@\n-one\ntwo\n"} {
		if r := patch(t, executor, text); !r.Failed() || r.Error.Code != gongu.CodeInvalidArgs || !strings.Contains(r.Error.Suggestion, "*** Begin Patch") {
			t.Errorf("%q: %+v", text, r.Error)
		}
	}
	untouched()
	// The line of a hunk decides between places that are equal.
	answer[patchAnswer](t, patch(t, executor, "--- a/main.go\n+++ b/main.go\n@@ -7,2 +7,2 @@\n \ta()\n-\td()\n+\te()\n"))
	holds(t, filepath.Join(workdir, "main.go"), "func f() {\n\ta()\n\td()\n}\n\nfunc g() {\n\ta()\n\te()\n}\n")
}

func TestPatchExpectedSHA(t *testing.T) {
	executor, workdir := newSystem(t, builtin.Options{})
	put(t, filepath.Join(workdir, "f"), "a\n")
	text := "--- f\n+++ f\n@@ -1 +1 @@\n-a\n+b\n"
	with := func(path, sha string) gongu.Result {
		return ask(t, executor, "file-system__patch", map[string]any{"patch": text, "expected_sha": map[string]any{path: sha}})
	}
	unpatched(t, with("f", shaOf("b\n")), "E_EDIT_STALE")
	unpatched(t, with("f", ""), "E_EDIT_STALE")
	wantMessage(t, with("g", shaOf("a\n")), "g")
	answer[patchAnswer](t, with("f", shaOf("a\n")))
	holds(t, filepath.Join(workdir, "f"), "b\n")
}

// TestPatchRollsBack: when the last file cannot be written, those before it are
// put back, whatever happened to them.
func TestPatchRollsBack(t *testing.T) {
	for name, meanwhile := range map[string]func(t *testing.T, workdir string){
		"changed": func(t *testing.T, workdir string) { put(t, filepath.Join(workdir, "moved.txt"), "by somebody else\n") },
		"taken": func(t *testing.T, workdir string) {
			put(t, filepath.Join(workdir, "elsewhere.txt"), "by somebody else\n")
		},
	} {
		t.Run(name, func(t *testing.T) {
			var once func()
			executor, workdir := hooked(t, func(context.Context) { once() })
			patchable(t, workdir)
			once = func() { meanwhile(t, workdir) }
			r := patch(t, executor, gitPatch)
			if !r.Failed() {
				t.Fatalf("patched: %s", r.Output)
			}
			holds(t, filepath.Join(workdir, "main.go"), "func f() {\n\ta()\n\td()\n}\n\nfunc g() {\n\ta()\n\td()\n}\n")
			holds(t, filepath.Join(workdir, "old.txt"), "one\ntwo\n")
			holds(t, filepath.Join(workdir, "from.txt"), "keep\nlast")
			names := []string{"from.txt", "main.go", "moved.txt", "old.txt"}
			if name == "taken" {
				names = append([]string{"elsewhere.txt"}, names...)
			} else {
				unpatched(t, r, "E_EDIT_STALE")
			}
			noLitter(t, workdir, names...)
			if info, err := os.Stat(filepath.Join(workdir, "from.txt")); err != nil || info.Mode().Perm() != 0o600 {
				t.Errorf("mode %v, %v", info.Mode(), err)
			}
		})
	}
}

// What to do next is true: candidates are promised only where there are some.
func TestPatchSaysWhatToDo(t *testing.T) {
	executor, workdir := newSystem(t, builtin.Options{})
	put(t, filepath.Join(workdir, "f"), "func f() {\n\tone()\n\ttwo()\n}\n")
	near := patch(t, executor, "--- f\n+++ f\n@@ -1,3 +1,3 @@\n func f() {\n-\tonce()\n-\ttwice()\n+\tthree()\n }\n")
	if got := unpatched(t, near, "E_EDIT_NOT_FOUND"); len(got.Candidates) == 0 || !strings.Contains(near.Error.Suggestion, "candidates") {
		t.Errorf("%+v, %s", got, near.Error.Suggestion)
	}
	far := patch(t, executor, "--- f\n+++ f\n@@ -1 +1 @@\n-SELECT * FROM users WHERE id = 7;\n+x\n")
	if got := unpatched(t, far, "E_EDIT_NOT_FOUND"); len(got.Candidates) > 0 || !strings.Contains(far.Error.Suggestion, "Read the file") {
		t.Errorf("%+v, %s", got, far.Error.Suggestion)
	}
}
