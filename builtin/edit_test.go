package builtin_test

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"testing"

	"github.com/gongu-ai/gongu"
	"github.com/gongu-ai/gongu/builtin"
	"github.com/gongu-ai/gongu/internal/lang"
)

type editAnswer struct {
	Path, Tier, Diff, SHA, Code  string
	Edited, Created              bool
	Tiers                        []string
	Line, LastLine, Replacements int
	Size                         int
	Edit, Matches                int
	Candidates                   []struct {
		Line, LastLine                 int
		Excerpt, Difference, OldString string
	}
}

func put(t testing.TB, path, content string) {
	t.Helper()
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(path, []byte(content), 0o644); err != nil {
		t.Fatal(err)
	}
}

func holds(t testing.TB, path, want string) {
	t.Helper()
	if got, err := os.ReadFile(path); string(got) != want || err != nil {
		t.Errorf("%s is %q, %v, want %q", filepath.Base(path), got, err, want)
	}
}

func shaOf(content string) string {
	sum := sha256.Sum256([]byte(content))
	return hex.EncodeToString(sum[:])
}

// noLitter wants nothing but these names in a directory.
func noLitter(t testing.TB, dir string, names ...string) {
	t.Helper()
	entries, err := os.ReadDir(dir)
	if err != nil {
		t.Fatal(err)
	}
	var got []string
	for _, e := range entries {
		got = append(got, e.Name())
	}
	if strings.Join(got, " ") != strings.Join(names, " ") {
		t.Errorf("%s holds %q, want %q", dir, got, names)
	}
}

// refusal wants a failed edit with a code, and decodes what it shows.
func refusal(t testing.TB, r gongu.Result, code string) editAnswer {
	t.Helper()
	if !r.Failed() || r.Error.Code != code {
		t.Fatalf("%s %+v, want %s", r.Status, r.Error, code)
	}
	if r.Error.Suggestion == "" || r.Error.HelpURL != lang.HelpBase+"/"+code || !strings.HasSuffix(r.Error.Name, "Error") {
		t.Errorf("the error is not complete: %+v", r.Error)
	}
	var got editAnswer
	if err := json.Unmarshal(r.Output, &got); err != nil {
		t.Fatalf("output %s: %v", r.Output, err)
	}
	if got.Edited || "E_EDIT_"+strings.ToUpper(got.Code) != code {
		t.Errorf("output %s", r.Output)
	}
	return got
}

// TestEdit is what a model does most, and gemini G01 and G19: the answer shows
// where the file changed, and how.
func TestEdit(t *testing.T) {
	executor, workdir := newSystem(t, builtin.Options{})
	path := filepath.Join(workdir, "main.go")
	put(t, path, "func f() {\n\ta()\n\tb()\n}\n")
	got := answer[editAnswer](t, ask(t, executor, "file-system__edit", map[string]any{
		"path": "main.go", "old_string": "    b()", "new_string": "    c($1)",
	}))
	want := "func f() {\n\ta()\n\tc($1)\n}\n"
	holds(t, path, want)
	if !got.Edited || got.Created || got.Tier != "indent" || got.Line != 3 || got.LastLine != 3 || got.Replacements != 1 ||
		got.SHA != shaOf(want) || got.Size != len(want) || got.Path != path {
		t.Errorf("%+v", got)
	}
	if want := "@@ -1,4 +1,4 @@\n func f() {\n \ta()\n-\tb()\n+\tc($1)\n }\n"; got.Diff != want {
		t.Errorf("diff %q, want %q", got.Diff, want)
	}
	noLitter(t, workdir, "main.go")
}

// TestEditGeminiG02_Refusals: G02, G03, G04, G06, G14 and G25 through the tool:
// the code, the file as it was, and what to send next.
func TestEditGeminiG02_Refusals(t *testing.T) {
	executor, workdir := newSystem(t, builtin.Options{})
	path := filepath.Join(workdir, "f.go")
	const content = "alpha(1)\nbeta(2)\nalpha(1)\n"
	put(t, path, content)
	edit := func(old, new string, more ...any) gongu.Result {
		args := map[string]any{"path": "f.go", "old_string": old, "new_string": new}
		for i := 0; i < len(more); i += 2 {
			args[more[i].(string)] = more[i+1]
		}
		return ask(t, executor, "file-system__edit", args)
	}
	missing := refusal(t, edit("beta(3)", "x"), "E_EDIT_NOT_FOUND") // G02
	if len(missing.Candidates) == 0 || missing.Candidates[0].OldString != "beta(2)" || missing.SHA != shaOf(content) {
		t.Errorf("%+v", missing)
	}
	several := refusal(t, edit("alpha(1)", "x"), "E_EDIT_AMBIGUOUS") // G03
	if several.Matches != 2 || len(several.Candidates) != 2 {
		t.Errorf("%+v", several)
	}
	for _, c := range several.Candidates {
		if strings.Count(content, c.OldString) != 1 {
			t.Errorf("%q is not the way out", c.OldString)
		}
	}
	refusal(t, edit("beta(2)", "beta(2)"), "E_EDIT_NO_CHANGE")                                                                                                     // G04
	refusal(t, edit("beta(2)", "gamma(2)\n// rest of code ..."), "E_EDIT_CONFLICT")                                                                                // G14
	refusal(t, edit("beta(2)", "gamma(2)\n# ... existing code ..."), "E_EDIT_CONFLICT")                                                                            // G25
	refusal(t, edit("gone()\n", "alpha(1)\nbeta(2)\nalpha(1)\n"), "E_EDIT_ALREADY_APPLIED")                                                                        // G18
	refusal(t, edit("beta(2)", "x", "expected_sha", strings.Repeat("0", 64)), "E_EDIT_STALE")                                                                      // D2
	wantMessage(t, ask(t, executor, "file-system__edit", map[string]any{"path": "no.go", "old_string": "a", "new_string": "b"}), "The file does not exist: no.go") // G06
	holds(t, path, content)
	if got := answer[editAnswer](t, edit("alpha(1)", "omega", "replace_all", true)); got.Replacements != 2 {
		t.Errorf("%+v", got)
	}
	if got := answer[editAnswer](t, edit("omega", "alpha", "near_line", 3)); got.Line != 3 {
		t.Errorf("%+v", got)
	}
	holds(t, path, "omega\nbeta(2)\nalpha\n")
	put(t, filepath.Join(workdir, "bin"), "a\x00b")
	refusal(t, ask(t, executor, "file-system__edit", map[string]any{"path": "bin", "old_string": "a", "new_string": "b"}), "E_EDIT_BINARY")
}

// TestEditGeminiG05_Create: an empty old_string makes a file that is not there,
// its directories too, and no other.
func TestEditGeminiG05_Create(t *testing.T) {
	executor, workdir := newSystem(t, builtin.Options{})
	create := map[string]any{"path": "a/b/new.txt", "old_string": "", "new_string": "one\n"}
	got := answer[editAnswer](t, ask(t, executor, "file-system__edit", create))
	if !got.Created || got.Tier != "exact" || got.SHA != shaOf("one\n") || got.Diff != "@@ -0,0 +1 @@\n+one\n" {
		t.Errorf("%+v", got)
	}
	path := filepath.Join(workdir, "a", "b", "new.txt")
	holds(t, path, "one\n")
	create["new_string"] = "two\n"
	refusal(t, ask(t, executor, "file-system__edit", create), "E_EDIT_CONFLICT")
	holds(t, path, "one\n")
	put(t, filepath.Join(workdir, "empty"), "")
	create["path"] = "empty"
	refusal(t, ask(t, executor, "file-system__edit", create), "E_EDIT_CONFLICT")
	create["path"], create["expected_sha"] = "other", shaOf("")
	wantMessage(t, ask(t, executor, "file-system__edit", create), "The file does not exist: other")
	noLitter(t, filepath.Dir(path), "new.txt")
}

// TestEditBytes: what an edit does not change keeps its bytes: gemini G12, G13,
// G23, G24, and the mark at the beginning.
func TestEditBytes(t *testing.T) {
	executor, workdir := newSystem(t, builtin.Options{})
	for name, tc := range map[string]struct{ before, old, new, after string }{
		"crlf":       {"a\r\nb\r\nc\r\n", "a\nb\n", "a\nx\ny\n", "a\r\nx\r\ny\r\nc\r\n"},
		"mixed":      {"a\r\nb\nc\r\nd\n", "b\nc\n", "b\nx\n", "a\r\nb\nx\r\nd\n"},
		"no newline": {"a\nb", "b", "c", "a\nc"},
		"latin1":     {"caf\xe9\n\ttwo\n\xff\xfe\n", "  two", "  three", "caf\xe9\n\tthree\n\xff\xfe\n"},
		"bom":        {"\xef\xbb\xbfa = 1\nb\n", "a = 1", "a = 2", "\xef\xbb\xbfa = 2\nb\n"},
		"bom in old": {"\xef\xbb\xbfa = 1\nb\n", "\ufeffa = 1", "a = 2", "\xef\xbb\xbfa = 2\nb\n"},
		"tabs":       {"\tif x {\n\t\ty()\n\t}\n", "  if x {\n    y()\n  }", "  if x {\n    z()\n    w()\n  }", "\tif x {\n\t\tz()\n\t\tw()\n\t}\n"},
	} {
		path := filepath.Join(workdir, name)
		put(t, path, tc.before)
		answer[editAnswer](t, ask(t, executor, "file-system__edit", map[string]any{"path": name, "old_string": tc.old, "new_string": tc.new}))
		holds(t, path, tc.after)
	}
	// Bytes that JSON cannot carry are not offered to be sent back.
	got := refusal(t, ask(t, executor, "file-system__edit", map[string]any{"path": "latin1", "old_string": "café\n\tfour", "new_string": "x"}), "E_EDIT_NOT_FOUND")
	for _, c := range got.Candidates {
		if strings.Contains(c.OldString, "\ufffd") {
			t.Errorf("%q", c.OldString)
		}
	}
}

// TestEditSeveral: all or nothing.
func TestEditSeveral(t *testing.T) {
	executor, workdir := newSystem(t, builtin.Options{})
	path := filepath.Join(workdir, "f")
	put(t, path, "one\n\ttwo\nthree\n")
	several := func(edits ...map[string]any) gongu.Result {
		return ask(t, executor, "file-system__edit", map[string]any{"path": "f", "edits": edits})
	}
	change := func(old, new string) map[string]any { return map[string]any{"old_string": old, "new_string": new} }
	got := answer[editAnswer](t, several(change("one", "1"), change("  two", "  2"), change("2\n", "2!\n")))
	holds(t, path, "1\n\t2!\nthree\n")
	if got.Tier != "indent" || strings.Join(got.Tiers, " ") != "exact indent exact" || got.Line != 1 || got.LastLine != 2 {
		t.Errorf("%+v", got)
	}
	r := several(change("1", "one"), change("four", "4"))
	if got := refusal(t, r, "E_EDIT_NOT_FOUND"); got.Edit != 2 || !strings.HasPrefix(r.Error.Message, "Edit 2 of 2 was refused, so none was made. ") {
		t.Errorf("%+v %q", got, r.Error.Message)
	}
	holds(t, path, "1\n\t2!\nthree\n")
	for _, args := range []map[string]any{
		{"path": "f"}, {"path": "f", "old_string": "1"}, {"path": "f", "new_string": "1"}, {"path": "f", "edits": []any{}},
		{"path": "f", "old_string": "1", "new_string": "2", "edits": []any{change("1", "2")}},
		{"path": "f", "edits": []any{change("1", "2"), change("", "2")}},
		{"path": "f", "edits": []any{map[string]any{"old_string": "1"}}},
		{"path": "f", "edits": []any{map[string]any{"old_string": "1", "new_string": "2", "oops": 1}}},
	} {
		if r := ask(t, executor, "file-system__edit", args); !r.Failed() || r.Error.Code != gongu.CodeInvalidArgs {
			t.Errorf("%v: %+v", args, r.Error)
		}
	}
	answer[editAnswer](t, ask(t, executor, "file-system__edit", map[string]any{"path": "made", "edits": []any{change("", "a\nb\n"), change("b", "c")}}))
	holds(t, filepath.Join(workdir, "made"), "a\nc\n")
}

// TestH4_EditKorean: the seed's sentence, and the next step in Korean.
func TestH4_EditKorean(t *testing.T) {
	executor, workdir := newSystem(t, builtin.Options{Lang: "ko"})
	put(t, filepath.Join(workdir, "f"), "hello\n")
	old := strings.Repeat("없는 내용 ", 20)
	r := ask(t, executor, "file-system__edit", map[string]any{"path": "f", "old_string": old, "new_string": "x"})
	refusal(t, r, "E_EDIT_NOT_FOUND")
	if want := `편집 대상을 찾을 수 없습니다: "` + string([]rune(old)[:50]) + `..."`; r.Error.Message != want {
		t.Errorf("got %q, want %q", r.Error.Message, want)
	}
	if !strings.Contains(r.Error.Suggestion, "파일을 다시 읽") {
		t.Errorf("suggestion %q", r.Error.Suggestion)
	}
}

// TestEditGeminiG15_Outside: a path outside is refused; bytes that no path has
// are dropped before it is looked at.
func TestEditGeminiG15_Outside(t *testing.T) {
	base := t.TempDir()
	secret := filepath.Join(base, "secret")
	put(t, secret, "secret\n")
	executor, workdir := newSystem(t, builtin.Options{Workdir: filepath.Join(base, "work")})
	put(t, filepath.Join(workdir, "f"), "a\n")
	for _, path := range []string{"../secret", secret, ".\x00./secret", "../new"} {
		for _, old := range []string{"secret", ""} {
			wantMessage(t, ask(t, executor, "file-system__edit", map[string]any{"path": path, "old_string": old, "new_string": "x"}), "--root")
		}
	}
	holds(t, secret, "secret\n")
	answer[editAnswer](t, ask(t, executor, "file-system__edit", map[string]any{"path": "f\x00", "old_string": "a", "new_string": "b"}))
	holds(t, filepath.Join(workdir, "f"), "b\n")
}

// TestEditNextTry: a model that does what a refusal says gets it right.
func TestEditNextTry(t *testing.T) {
	executor, workdir := newSystem(t, builtin.Options{})
	const content = "func a() {\n\treturn run(10)\n}\n\nfunc b() {\n\treturn run(10)\n}\n"
	for name, old := range map[string]string{"a number": "func b() {\n\treturn run(11)\n}", "twice": "\treturn run(10)\n"} {
		put(t, filepath.Join(workdir, "f.go"), content)
		r := ask(t, executor, "file-system__edit", map[string]any{"path": "f.go", "old_string": old, "new_string": "x"})
		var got editAnswer
		if err := json.Unmarshal(r.Output, &got); err != nil || !r.Failed() {
			t.Fatalf("%s: %v %s", name, err, r.Output)
		}
		send := got.Candidates[0].OldString
		again := answer[editAnswer](t, ask(t, executor, "file-system__edit", map[string]any{
			"path": "f.go", "old_string": send, "new_string": strings.Replace(send, "10", "12", 1), "expected_sha": got.SHA,
		}))
		if again.Tier != "exact" {
			t.Errorf("%s: %+v", name, again)
		}
	}
}

// TestEditConcurrently: of many edits at the same time, by tools that know
// nothing of each other, none is lost. Case: two hosts on one folder.
func TestEditConcurrently(t *testing.T) {
	const workers, each = 4, 10
	locks, workdir := t.TempDir(), t.TempDir()
	var b strings.Builder
	for i := range workers * each {
		b.WriteString("line " + strconv.Itoa(i) + " old\n")
	}
	path := filepath.Join(workdir, "f")
	put(t, path, b.String())
	var wg sync.WaitGroup
	for w := range workers {
		executor, _ := newSystem(t, builtin.Options{Workdir: workdir, LockDir: locks})
		wg.Go(func() {
			for i := range each {
				n := strconv.Itoa(w*each + i)
				r := ask(t, executor, "file-system__edit", map[string]any{"path": "f", "old_string": "line " + n + " old\n", "new_string": "line " + n + " new\n"})
				if r.Failed() {
					t.Errorf("%s: %+v", n, r.Error)
				}
			}
		})
	}
	wg.Wait()
	holds(t, path, strings.ReplaceAll(b.String(), "old", "new"))
}
