package builtin_test

import (
	"bytes"
	"context"
	"encoding/json"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/gongu-ai/gongu"
	"github.com/gongu-ai/gongu/builtin"
	"github.com/gongu-ai/gongu/edit"
)

// previewer returns the previews of the tools with these options.
func previewer(t *testing.T, opts *builtin.Options) func(name string, args any) gongu.Preview {
	t.Helper()
	if opts.LockDir == "" {
		opts.LockDir = filepath.Join(t.TempDir(), "locks")
	}
	tools := map[string]gongu.Tool{}
	for _, tool := range builtin.All(opts) {
		tools[tool.Name] = tool
	}
	return func(name string, args any) gongu.Preview {
		t.Helper()
		raw, err := json.Marshal(args)
		if err != nil {
			t.Fatal(err)
		}
		tool, ok := tools[name]
		if !ok {
			t.Fatalf("no tool %s", name)
		}
		before := tree(t, filepath.Dir(opts.Workdir))
		p := tool.Preview(t.Context(), gongu.Call{Name: name, Args: raw})
		if after := tree(t, filepath.Dir(opts.Workdir)); after != before {
			t.Errorf("the preview of %s %s changed files:\n%s\nbefore:\n%s", name, raw, after, before)
		}
		if _, err := os.Stat(opts.LockDir); err == nil {
			t.Errorf("the preview of %s made a lock", name)
		}
		return p
	}
}

// tree lists the files below a folder with their contents.
func tree(t *testing.T, dir string) string {
	t.Helper()
	var b strings.Builder
	err := filepath.WalkDir(dir, func(path string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		info, err := d.Info()
		if err != nil {
			return err
		}
		b.WriteString(path + " " + info.Mode().String() + " " + info.ModTime().String())
		if d.Type().IsRegular() && info.Size() < 1000 && info.Mode()&0o400 != 0 {
			data, err := os.ReadFile(path)
			if err != nil {
				return err
			}
			b.Write(data)
		}
		b.WriteString("\n")
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	return b.String()
}

type object = map[string]any

// realTemp is a folder whose path has no links.
func realTemp(t *testing.T) string {
	t.Helper()
	dir, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	return dir
}

// P6: the preview of a change names the resolved path, the content as it is now,
// and the change as the tool makes it; it changes nothing.
func TestP6_FilePreviews(t *testing.T) {
	base := realTemp(t)
	work := filepath.Join(base, "work")
	look := previewer(t, &builtin.Options{Workdir: work, Roots: []string{base}})

	// Not even the workdir is made.
	p := look("file-system__write", object{"path": "a/b.txt", "content": "one\n"})
	if !p.InWorkdir || len(p.Files) != 1 || p.Files[0] != (gongu.FileChange{Path: filepath.Join(work, "a/b.txt"), Action: "create", Diff: "@@ -0,0 +1 @@\n+one\n"}) {
		t.Errorf("new file: %+v", p)
	}
	put(t, filepath.Join(work, "x.go"), "package x\n\nfunc a() {\n\treturn  1\n}\n")
	put(t, filepath.Join(work, "old.txt"), "1\n2\n3\n")
	put(t, filepath.Join(base, "other/y.txt"), "y\n")
	if err := os.Symlink(filepath.Join(base, "other"), filepath.Join(work, "link")); err != nil {
		t.Fatal(err)
	}
	const sum = "sha256:" // of every file that is there
	for _, c := range []struct {
		name   string
		tool   string
		args   object
		inside bool
		want   []gongu.FileChange // the digest is compared by its beginning
		fails  string
	}{
		{"overwrite", "write", object{"path": "old.txt", "content": "1\nx\n3\n"}, true, []gongu.FileChange{
			{Path: work + "/old.txt", Action: "change", Digest: sum, Diff: "@@ -1,3 +1,3 @@\n 1\n-2\n+x\n 3\n"}}, ""},
		{"same content", "write", object{"path": "old.txt", "content": "1\n2\n3\n"}, true, []gongu.FileChange{
			{Path: work + "/old.txt", Action: "change", Digest: sum, Note: "the content stays the same"}}, ""},
		{"append", "write", object{"path": "old.txt", "content": "4\n", "append": true}, true, []gongu.FileChange{
			{Path: work + "/old.txt", Action: "change", Digest: sum, Diff: "@@ -1,3 +1,4 @@\n 1\n 2\n 3\n+4\n"}}, ""},
		{"through a link", "write", object{"path": "link/y.txt", "content": "z\n"}, false, []gongu.FileChange{
			{Path: base + "/other/y.txt", Action: "change", Digest: sum, Diff: "@@ -1 +1 @@\n-y\n+z\n"}}, ""},
		{"fuzzy edit", "edit", object{"path": "x.go", "old_string": "    return 1", "new_string": "    return 2"}, true, []gongu.FileChange{
			{Path: work + "/x.go", Action: "change", Digest: sum, Diff: "@@ -1,5 +1,5 @@\n package x\n \n func a() {\n-\treturn  1\n+\treturn 2\n }\n"}}, ""},
		{"no match", "edit", object{"path": "x.go", "old_string": "nothing like it", "new_string": "x"}, true, []gongu.FileChange{
			{Path: work + "/x.go", Action: "change", Digest: sum}}, "not found"},
		{"edit of no file", "edit", object{"path": "none.go", "old_string": "a", "new_string": "b"}, true, []gongu.FileChange{{Path: work + "/none.go", Action: "change"}}, "none.go"},
		{"edit makes a file", "edit", object{"path": "none.go", "old_string": "", "new_string": "b\n"}, true, []gongu.FileChange{
			{Path: work + "/none.go", Action: "create", Diff: "@@ -0,0 +1 @@\n+b\n"}}, ""},
		{"patch", "patch", object{"patch": "*** Begin Patch\n*** Update File: old.txt\n*** Move to: new.txt\n@@\n-2\n+two\n*** Delete File: link/y.txt\n*** Add File: n.txt\n+n\n*** End Patch\n"}, false, []gongu.FileChange{
			{Path: work + "/old.txt", Action: "delete", Digest: sum},
			{Path: work + "/new.txt", Action: "create", From: work + "/old.txt", Diff: "@@ -1,3 +1,3 @@\n 1\n-2\n+two\n 3\n"},
			{Path: base + "/other/y.txt", Action: "delete", Digest: sum},
			{Path: work + "/n.txt", Action: "create", Diff: "@@ -0,0 +1 @@\n+n\n"}}, ""},
		{"patch that does not fit", "patch", object{"patch": "--- a/old.txt\n+++ b/old.txt\n@@ -1 +1 @@\n-nothing\n+x\n"}, true, []gongu.FileChange{
			{Path: work + "/old.txt", Action: "change", Digest: sum, Note: "the content stays the same"}}, "old.txt"},
		{"no patch", "patch", object{"patch": "hello"}, false, nil, "patch"},
		{"folder", "mkdir", object{"path": "d/e"}, true, []gongu.FileChange{{Path: work + "/d/e", Action: "mkdir"}}, ""},
		{"folder that is there", "mkdir", object{"path": "."}, true, []gongu.FileChange{{Path: work, Action: "mkdir", Note: "the content stays the same"}}, ""},
		{"folder over a file", "mkdir", object{"path": "x.go"}, false, nil, "x.go"},
		{"file over a folder", "write", object{"path": "link", "content": ""}, false, nil, "link"},
		{"outside", "write", object{"path": "/etc/passwd", "content": ""}, false, nil, "/etc/passwd"},
	} {
		p := look("file-system__"+c.tool, c.args)
		if (c.fails == "") != (p.Problem == "") || !strings.Contains(p.Problem, c.fails) || p.InWorkdir != c.inside || len(p.Files) != len(c.want) {
			t.Errorf("%s: %+v", c.name, p)
			continue
		}
		for i, f := range p.Files {
			f.Digest = f.Digest[:min(len(f.Digest), len(sum))]
			if f.Path = filepath.ToSlash(f.Path); f != c.want[i] {
				t.Errorf("%s: file %d is\n%+v, want\n%+v", c.name, i, f, c.want[i])
			}
		}
	}
}

// P6: the diff of a preview is the change that the tool then makes, whatever the
// edit engine overlooks.
func TestP6_PreviewIsWhatHappens(t *testing.T) {
	work := filepath.Join(realTemp(t), "work")
	look := previewer(t, &builtin.Options{Workdir: work})
	tools := map[string]gongu.Tool{}
	for _, tool := range builtin.All(&builtin.Options{Workdir: work, LockDir: t.TempDir()}) {
		tools[tool.Name] = tool
	}
	for i, c := range []struct {
		content, tool string
		args          object
	}{
		{"a\r\nb\r\nc\r\n", "file-system__edit", object{"old_string": "a\nb", "new_string": "a\nx\ny"}},
		{"if x {\n\t\tgo()\n}\n", "file-system__edit", object{"old_string": "  go()", "new_string": "  stop()"}},
		{"a\nb\na\n", "file-system__edit", object{"old_string": "a", "new_string": "c", "replace_all": true}},
		{"one\ntwo\nthree", "file-system__edit", object{"edits": []object{{"old_string": "one", "new_string": "1"}, {"old_string": "three", "new_string": "3"}}}},
		{"one\ntwo\n", "file-system__edit", object{"old_string": "four", "new_string": "1"}},
		{"a\nb\n", "file-system__write", object{"content": "a\nc\n"}},
		{"a\nb", "file-system__write", object{"content": "c\n", "append": true}},
		{"a\nb\n", "file-system__patch", object{"patch": "--- a/f\n+++ b/f\n@@ -7 +7 @@\n-  b\n+  c\n"}},
	} {
		path := filepath.Join(work, "f")
		put(t, path, c.content)
		if c.tool != "file-system__patch" {
			c.args["path"] = "f"
		}
		p := look(c.tool, c.args)
		raw, err := json.Marshal(c.args)
		if err != nil {
			t.Fatal(err)
		}
		tool := tools[c.tool]
		result := tool.Invoke(t.Context(), gongu.Call{Name: c.tool, Args: raw})
		after, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		diff, _ := edit.Diff([]byte(c.content), after, 1<<20)
		if len(p.Files) != 1 || p.Files[0].Diff != diff || result.Failed() != (p.Problem != "") || result.Failed() != (diff == "") {
			t.Errorf("%d: the preview is %+v, the change was\n%s%v", i, p, diff, result.Error)
		}
	}
}

// P6, K7: a preview shows nothing of what the tool may not change or reach.
func TestP6_PreviewRevealsNothing(t *testing.T) {
	base := realTemp(t)
	work, state := filepath.Join(base, "work"), filepath.Join(base, "work", "state")
	put(t, filepath.Join(work, "gongu.lock"), "SECRET\n")
	put(t, filepath.Join(state, "token"), "SECRET\n")
	put(t, filepath.Join(base, "out"), "SECRET\n")
	for link, to := range map[string]string{"l": "gongu.lock", "s": "state", "o": filepath.Join(base, "out")} {
		if err := os.Symlink(to, filepath.Join(work, link)); err != nil {
			t.Fatal(err)
		}
	}
	if err := os.Link(filepath.Join(work, "gongu.lock"), filepath.Join(work, "hard")); err != nil {
		t.Fatal(err)
	}
	look := previewer(t, &builtin.Options{
		Workdir: work, Closed: []string{state},
		Protected: func(context.Context) []string { return []string{filepath.Join(work, "gongu.lock")} },
	})
	for _, path := range []string{"gongu.lock", "l", "hard", "./state/token", "s/token", "o", "../out", filepath.Join(base, "out")} {
		for _, p := range []gongu.Preview{
			look("file-system__write", object{"path": path, "content": "x"}),
			look("file-system__write", object{"path": path, "content": "x", "append": true}),
			look("file-system__edit", object{"path": path, "old_string": "nothing", "new_string": "x"}),
			look("file-system__edit", object{"path": path, "old_string": "SECRET", "new_string": "x"}),
			look("file-system__patch", object{"patch": "--- a/" + path + "\n+++ b/" + path + "\n@@ -1 +1 @@\n-SECRET\n+x\n"}),
		} {
			if encoded, err := json.Marshal(p); err != nil || p.Problem == "" || p.InWorkdir || len(p.Files) > 0 || bytes.Contains(encoded, []byte("SECRET")) {
				t.Errorf("%s: %s, %v", path, encoded, err)
			}
		}
	}
}

// P6: a preview is bounded: large and binary contents have a note instead of a
// diff, a long diff is cut, and each is bound to its content all the same.
func TestP6_PreviewIsBounded(t *testing.T) {
	work := filepath.Join(realTemp(t), "work")
	put(t, filepath.Join(work, "big"), strings.Repeat("0123456789\n", 1<<19))
	put(t, filepath.Join(work, "bin"), "\x00\x01")
	put(t, filepath.Join(work, "long"), strings.Repeat("line\n", 40_000))
	put(t, filepath.Join(work, "huge"), "")
	if err := os.Truncate(filepath.Join(work, "huge"), 300<<20); err != nil {
		t.Fatal(err)
	}
	look := previewer(t, &builtin.Options{Workdir: work})
	for _, c := range []struct {
		tool   string
		args   object
		note   string
		digest string
	}{
		{"write", object{"path": "big", "content": "x"}, "too large to compare, 5767168 bytes now, 1 bytes afterwards", "sha256:"},
		{"write", object{"path": "big", "content": "x", "append": true}, "adds 1 bytes at the end", "sha256:"},
		{"write", object{"path": "huge", "content": "x"}, "too large", "stat:314572800:"},
		{"write", object{"path": "bin", "content": "x"}, "binary content, 2 bytes now, 1 bytes afterwards", "sha256:"},
		{"write", object{"path": "bin2", "content": "\x00"}, "binary content", ""},
		{"write", object{"path": "long", "content": strings.Repeat("row\n", 40_000)}, "the diff is cut after", "sha256:"},
	} {
		p := look("file-system__"+c.tool, c.args)
		if len(p.Files) != 1 || !strings.Contains(p.Files[0].Note, c.note) || !strings.HasPrefix(p.Files[0].Digest, c.digest) || (c.digest == "") != (p.Files[0].Digest == "") || len(p.Files[0].Diff) > 64<<10 {
			p.Files[0].Diff = ""
			t.Errorf("%v: %+v", c.args["path"], p)
		}
	}
	unread := previewer(t, &builtin.Options{Workdir: work, ReadFirst: true})
	if p := unread("file-system__write", object{"path": "bin", "content": "x"}); p.Problem == "" {
		t.Errorf("a file that was not read: %+v", p)
	}
	// One line of a large file is still shown.
	p := look("file-system__edit", object{"path": "long", "old_string": "line\nline\n", "new_string": "x\n", "near_line": 7})
	if len(p.Files) != 1 || p.Problem == "" && !strings.Contains(p.Files[0].Diff, "+x") {
		t.Errorf("edit of a long file: %s", p.Problem)
	}
}

// P1, P6: the text that rules judge has the directory and the variables of the
// call; a script is bound to its content; a request names the host that is reached.
func TestP6_CommandAndRequestPreviews(t *testing.T) {
	work := filepath.Join(realTemp(t), "work")
	put(t, filepath.Join(work, "run.sh"), "echo hi\n")
	look := previewer(t, &builtin.Options{Workdir: work})
	shell := func(name string, args object) string {
		for _, tool := range builtin.All(nil) {
			if raw, err := json.Marshal(args); tool.Name == name && err == nil {
				text, ok := tool.Shell(raw)
				if !ok {
					t.Errorf("%s runs nothing", raw)
				}
				return text
			}
		}
		return ""
	}
	for _, c := range []struct {
		tool string
		args object
		text string
	}{
		{"bash__exec", object{"command": "git status"}, "git status"},
		{"bash__exec", object{"command": "git status", "cwd": "."}, "git status"},
		{"bash__exec", object{"command": "git status", "cwd": "/tmp/it's"}, "cd '/tmp/it'\\''s'\ngit status"},
		{"bash__exec", object{"command": "git status", "env": object{"PATH": "/tmp/evil", "A": 1}}, "export A=1\nexport PATH=/tmp/evil\ngit status"},
		{"bash__exec", object{"command": "x", "env": object{"a b;c": "d"}}, "export 'a b;c'=d\nx"},
		{"bash__script", object{"path": "run.sh", "args": []string{"a b"}, "env": object{"A": "b c"}}, "export A='b c'\n/bin/bash run.sh 'a b'"},
	} {
		if text := shell(c.tool, c.args); text != c.text {
			t.Errorf("%v: %q", c.args, text)
		}
	}
	if p := look("bash__script", object{"path": "run.sh"}); len(p.Files) != 1 || p.Files[0].Action != "run" || !strings.HasPrefix(p.Files[0].Digest, "sha256:") || p.Problem != "" {
		t.Errorf("script: %+v", p)
	}
	if p := look("bash__script", object{"path": "none.sh"}); p.Problem == "" {
		t.Errorf("no script: %+v", p)
	}
	if p := look("bash__exec", object{"command": "ls", "cwd": "none"}); p.Problem == "" {
		t.Errorf("no directory: %+v", p)
	}
	soon := previewer(t, &builtin.Options{Workdir: filepath.Join(t.TempDir(), "later")})
	for _, args := range []object{{"command": "ls"}, {"command": "ls", "cwd": "."}} {
		if p := soon("bash__exec", args); p.Problem != "" { // the call makes it
			t.Errorf("a working directory that is made on demand: %+v", p)
		}
	}
	for address, host := range map[string]string{
		"https://good.example@evil.example:8443/a?b": "evil.example:8443", "https://gооd.example/": "xn--gd-fmca.example", "http://[::1]:80/": "[::1]:80",
	} {
		if p := look("http-fetch__post", object{"url": address, "bodyString": "x"}); p.Method != "POST" || p.Host != host || p.Problem != "" {
			t.Errorf("%s: %+v", address, p)
		}
	}
	if p := look("http-fetch__get", object{"url": "file:///etc/passwd"}); p.Problem == "" || p.Method != "" {
		t.Errorf("no address: %+v", p)
	}
}

// P6: every base tool that changes something says what it will do.
func TestP6_EveryToolThatActsHasAPreview(t *testing.T) {
	for _, tool := range builtin.All(nil) {
		if !tool.Annotations.IsReadOnly() && tool.Preview == nil && tool.Domain != "self-restart" {
			t.Errorf("%s has no preview", tool.Name)
		}
	}
}
