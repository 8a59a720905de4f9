package builtin_test

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"github.com/gongu-ai/gongu"
	"github.com/gongu-ai/gongu/builtin"
)

type readAnswer struct {
	Path, Content          string
	Size                   int64
	Truncated, InvalidUTF8 bool
}

type listAnswer struct {
	Path                 string
	Recursive, Truncated bool
	Count                int
	Entries              []struct {
		Name, Path, Type string
		Size             *int64
	}
}

// TestFileSystem is case 131.
func TestFileSystem(t *testing.T) {
	executor, workdir := newSystem(t, builtin.Options{})
	at := func(parts ...string) string { return filepath.Join(append([]string{workdir}, parts...)...) }
	quoted := func(path string) string { b, _ := json.Marshal(path); return string(b) }
	sum := sha256.Sum256([]byte("하나\n둘\n"))
	sha := quoted(hex.EncodeToString(sum[:]))
	for _, step := range []struct{ tool, args, output string }{
		{"write", `{"path":"a/b/c.txt","content":"하나\n"}`, `{"path":` + quoted(at("a", "b", "c.txt")) + `,"size":7,"written":true,"append":false}`},
		{"write", `{"path":"a/b/c.txt","content":"둘\n","append":true}`, `{"path":` + quoted(at("a", "b", "c.txt")) + `,"size":11,"written":true,"append":true}`},
		{"read", `{"path":"a/b/c.txt"}`, `{"path":` + quoted(at("a", "b", "c.txt")) + `,"size":11,"truncated":false,"sha":` + sha + `,"content":"하나\n둘\n"}`},
		{"read", `{"path":` + quoted(at("a", "b", "c.txt")) + `,"maxBytes":1.0}`, `{"path":` + quoted(at("a", "b", "c.txt")) + `,"size":11,"truncated":true,"sha":` + sha + `,"content":""}`},
		{"mkdir", `{"path":"x/y/z"}`, `{"path":` + quoted(at("x", "y", "z")) + `,"created":true,"recursive":true}`},
		{"mkdir", `{"path":"x/y/z"}`, `{"path":` + quoted(at("x", "y", "z")) + `,"created":false,"recursive":true}`},
		{"mkdir", `{"path":"x/y/w","recursive":false}`, `{"path":` + quoted(at("x", "y", "w")) + `,"created":true,"recursive":false}`},
		{"list", `{}`, `{"path":` + quoted(workdir) + `,"recursive":false,"count":2,"entries":[` +
			`{"name":"a","path":` + quoted(at("a")) + `,"type":"dir"},{"name":"x","path":` + quoted(at("x")) + `,"type":"dir"}]}`},
		{"list", `{"path":"a","recursive":true}`, `{"path":` + quoted(at("a")) + `,"recursive":true,"count":2,"entries":[` +
			`{"name":"b","path":` + quoted(at("a", "b")) + `,"type":"dir"},{"name":"c.txt","path":` + quoted(at("a", "b", "c.txt")) + `,"type":"file","size":11}]}`},
		{"list", `{"recursive":true,"includeDirs":false}`, `{"path":` + quoted(workdir) + `,"recursive":true,"count":1,"entries":[` +
			`{"name":"c.txt","path":` + quoted(at("a", "b", "c.txt")) + `,"type":"file","size":11}]}`},
		{"list", `{"path":"a/b","includeFiles":false}`, `{"path":` + quoted(at("a", "b")) + `,"recursive":false,"count":0,"entries":[]}`},
	} {
		r := raw(t, executor, "file-system__"+step.tool, step.args)
		if string(r.Output) != step.output {
			t.Errorf("%s %s:\n got %s %v\nwant %s", step.tool, step.args, r.Output, r.Error, step.output)
		}
	}
}

// TestWriteEmpty is case 132.
func TestWriteEmpty(t *testing.T) {
	executor, workdir := newSystem(t, builtin.Options{})
	for range 2 {
		if r := raw(t, executor, "file-system__write", `{"path":"empty","content":""}`); r.Failed() {
			t.Fatal(r.Error)
		}
		if info, err := os.Stat(filepath.Join(workdir, "empty")); err != nil || info.Size() != 0 {
			t.Errorf("%v, %v", info, err)
		}
		if err := os.WriteFile(filepath.Join(workdir, "empty"), []byte("full"), 0o600); err != nil {
			t.Fatal(err)
		}
	}
}

// TestReadCutsAtRunes is case 133 and W14.
func TestReadCutsAtRunes(t *testing.T) {
	executor, workdir := newSystem(t, builtin.Options{})
	if err := os.WriteFile(filepath.Join(workdir, "f"), []byte("가나다👍"), 0o600); err != nil {
		t.Fatal(err)
	}
	for maxBytes, want := range map[int]string{1: "", 3: "가", 4: "가", 5: "가", 6: "가나", 9: "가나다", 12: "가나다", 13: "가나다👍", 100: "가나다👍"} {
		got := answer[readAnswer](t, ask(t, executor, "file-system__read", map[string]any{"path": "f", "maxBytes": maxBytes}))
		if got.Content != want || got.Truncated != (maxBytes < 13) || got.Size != 13 || got.InvalidUTF8 {
			t.Errorf("%d: %+v, want %q", maxBytes, got, want)
		}
	}
	if err := os.WriteFile(filepath.Join(workdir, "binary"), []byte("a\xff\xfe\x00b\xea\xb0"), 0o600); err != nil {
		t.Fatal(err)
	}
	got := answer[readAnswer](t, ask(t, executor, "file-system__read", map[string]any{"path": "binary"}))
	if got.Content != "a\ufffd\x00b\ufffd" || !got.InvalidUTF8 || got.Truncated {
		t.Errorf("%+v", got)
	}
}

// TestReadIsBounded is W14: a huge file costs what is asked for, and no more
// than the tool allows at all.
func TestReadIsBounded(t *testing.T) {
	executor, workdir := newSystem(t, builtin.Options{})
	f, err := os.Create(filepath.Join(workdir, "huge"))
	if err != nil {
		t.Fatal(err)
	}
	if err := f.Truncate(1 << 40); err != nil { // no block of it is stored
		t.Fatal(err)
	}
	if err := f.Close(); err != nil {
		t.Fatal(err)
	}
	got := answer[readAnswer](t, ask(t, executor, "file-system__read", map[string]any{"path": "huge"}))
	if len(got.Content) != 100_000 || !got.Truncated || got.Size != 1<<40 {
		t.Errorf("%d bytes of %d, %v", len(got.Content), got.Size, got.Truncated)
	}
	if err := os.WriteFile(filepath.Join(workdir, "large"), bytes.Repeat([]byte("a"), 8<<20+1), 0o600); err != nil {
		t.Fatal(err)
	}
	got = answer[readAnswer](t, ask(t, executor, "file-system__read", map[string]any{"path": "large", "maxBytes": 1e300}))
	if len(got.Content) != 8<<20 || !got.Truncated || got.Size != 8<<20+1 {
		t.Errorf("%d bytes of %d, %v", len(got.Content), got.Size, got.Truncated)
	}
}

// TestOutside is case 134, W9 and B1.
func TestOutside(t *testing.T) {
	base := t.TempDir()
	secret := filepath.Join(base, "outside", "secret")
	if err := os.MkdirAll(filepath.Dir(secret), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(secret, []byte("secret"), 0o600); err != nil {
		t.Fatal(err)
	}
	workdir := filepath.Join(base, "state", "work")
	closed, _ := newSystem(t, builtin.Options{Workdir: workdir})
	for _, path := range []string{"../../etc/hostname", "../../outside/secret", "/etc/hostname", secret, ".."} {
		for tool, args := range map[string]map[string]any{
			"file-system__read": {}, "file-system__write": {"content": "x"}, "file-system__list": {}, "file-system__mkdir": {}, "bash__script": {},
		} {
			args["path"] = path
			wantMessage(t, ask(t, closed, tool, args), path, workdir, "Roots", "--root")
		}
		wantMessage(t, ask(t, closed, "bash__exec", map[string]any{"command": "pwd", "cwd": path}), path, "--root")
	}
	if got, err := os.ReadFile(secret); string(got) != "secret" || err != nil {
		t.Errorf("the file outside is %q, %v", got, err)
	}
	for _, root := range []string{filepath.Dir(secret), filepath.VolumeName(base) + string(filepath.Separator)} {
		open, _ := newSystem(t, builtin.Options{Workdir: workdir, Roots: []string{root}})
		for _, path := range []string{"../../outside/secret", secret} {
			got := answer[readAnswer](t, ask(t, open, "file-system__read", map[string]any{"path": path}))
			if got.Content != "secret" || got.Path != secret {
				t.Errorf("root %s: %+v", root, got)
			}
		}
	}
}

// TestContextWorkdir is B1: the working directory of the call comes first, and
// is made when it is not there.
func TestContextWorkdir(t *testing.T) {
	executor, other := newSystem(t, builtin.Options{})
	workdir := filepath.Join(t.TempDir(), "instances", "a", "workspace")
	ctx, err := gongu.WithContext(t.Context(), gongu.Context{
		AgentName: "a", InstanceKey: "a", TurnID: "t", TraceID: strings.Repeat("0", 32), Workdir: workdir,
	})
	if err != nil {
		t.Fatal(err)
	}
	r := executor.Call(ctx, gongu.Call{Name: "file-system__write", Args: json.RawMessage(`{"path":"f","content":"x"}`)})
	if r.Failed() {
		t.Fatal(r.Error)
	}
	if _, err := os.Stat(filepath.Join(workdir, "f")); err != nil {
		t.Error(err)
	}
	if _, err := os.Stat(filepath.Join(other, "f")); err == nil {
		t.Error("the file is in the other directory")
	}
}

func TestFileMessages(t *testing.T) {
	executor, workdir := newSystem(t, builtin.Options{})
	if err := os.WriteFile(filepath.Join(workdir, "file"), nil, 0o600); err != nil {
		t.Fatal(err)
	}
	for _, tc := range []struct{ tool, args, message string }{
		{"read", `{"path":"no.txt"}`, "The file does not exist: no.txt"},
		{"read", `{"path":""}`, "'path' must be a non-empty string"},
		{"read", `{"path":"."}`, "The path is a directory, not a file: ."},
		{"read", `{"path":"file","maxBytes":0}`, "args.maxBytes: must be at least 1"},
		{"read", `{"path":"file","extra":1}`, "args.extra: unexpected property"},
		{"write", `{"path":".","content":""}`, "The path is a directory, not a file: ."},
		{"write", `{"path":"file"}`, "args.content: required property is missing"},
		{"list", `{"path":"nowhere"}`, "The directory does not exist: nowhere"},
		{"list", `{"path":"file"}`, "The path is not a directory: file"},
		{"mkdir", `{"path":"file"}`, "The path exists already: file"},
		{"mkdir", `{"path":"p/q","recursive":false}`, "The directory does not exist: p/q"},
	} {
		wantMessage(t, raw(t, executor, "file-system__"+tc.tool, tc.args), tc.message)
	}
	korean, _ := newSystem(t, builtin.Options{Lang: "ko"})
	wantMessage(t, raw(t, korean, "file-system__read", `{"path":"없음.txt"}`), "파일이 존재하지 않습니다: 없음.txt")
}

func TestListIsBounded(t *testing.T) {
	executor, workdir := newSystem(t, builtin.Options{})
	for i := range 10_001 {
		name := filepath.Join(workdir, "file-"+strconv.Itoa(i))
		if err := os.WriteFile(name, nil, 0o600); err != nil {
			t.Fatal(err)
		}
	}
	got := answer[listAnswer](t, raw(t, executor, "file-system__list", `{}`))
	if got.Count != 10_000 || len(got.Entries) != 10_000 || !got.Truncated {
		t.Errorf("count %d, %d entries, truncated %v", got.Count, len(got.Entries), got.Truncated)
	}
}
