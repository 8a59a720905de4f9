package edit

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"strings"
	"testing"

	"github.com/gongu-ai/gongu/internal/lang"
)

func apply1(t *testing.T, content, old, new string, opts *Options) Outcome {
	t.Helper()
	before := content
	out := Apply(context.Background(), []byte(content), old, new, opts)
	if content != before {
		t.Fatal("the content was changed in place")
	}
	if out.OK {
		checkOutside(t, []byte(content), &out)
	} else if out.Content != nil {
		t.Fatalf("a refusal (%s) has content", out.Code)
	}
	return out
}

// edited wants an edit under a tolerance.
func edited(t *testing.T, content, old, new, want string, tier Tolerance) {
	t.Helper()
	out := apply1(t, content, old, new, nil)
	if !out.OK {
		t.Fatalf("refused: %s", out.Message(lang.English))
	}
	if string(out.Content) != want {
		t.Fatalf("got %q, want %q", out.Content, want)
	}
	if out.Tier != tier {
		t.Fatalf("tier %s, want %s", out.Tier, tier)
	}
}

// refused wants a refusal with a code.
func refused(t *testing.T, content, old, new string, code Code) Outcome {
	t.Helper()
	out := apply1(t, content, old, new, nil)
	if out.OK || out.Code != code {
		t.Fatalf("ok %v, code %q, tier %s, want a refusal with %q", out.OK, out.Code, out.Tier, code)
	}
	return out
}

const program = "func main() {\n\tstart := clock()\n\tif start > 10 {\n\t\treturn start, nil // too late already\n\t}\n\twork(start)\n}\n"

// TestD1_Tolerances has for each tolerance an edit that only it, of all those
// before it, can match; the outcome names the strictest that fits.
func TestD1_Tolerances(t *testing.T) {
	for _, tc := range []struct {
		tier                    Tolerance
		content, old, new, want string
	}{
		{Exact, program, "work(start)", "play(start)", strings.Replace(program, "work", "play", 1)},
		{LineEnding, "a\r\nb\r\nc\r\n", "a\nb\n", "a\nx\n", "a\r\nx\r\nc\r\n"},
		{LineEnding, "a\nb\nc\n", "a\r\nb\r\n", "a\r\nx\r\n", "a\nx\nc\n"},
		{Trim, program, "\n\n\tstart := clock()\n\n", "\n\n\tstart := now()\n\n", strings.Replace(program, "clock", "now", 1)},
		{LineWhitespace, program, "\tstart := clock()  \n\tif start > 10 { ", "\tstart := now()\n\tif start > 10 {", strings.Replace(program, "clock", "now", 1)},
		{Indent, program, "    if start > 10 {\n        return start, nil // too late already", "    if start > 20 {\n        return start, nil // too late already", strings.Replace(program, "10", "20", 1)},
		{CollapseSpaces, "x   =  \"a\"\ny = 2\n", "x = “a”\ny = 2", "x = “a”\ny = 3", "x   =  \"a\"\ny = 3\n"},
		{Tokens, "x = a+b\ny = 2\n", "x = a + b\ny = 2", "x = a + b\ny = 3", "x = a+b\ny = 3\n"},
		{Comments, program, "\t\treturn start, nil // too late\n\t}\n\twork(start)", "\t\treturn start, nil // too late\n\t}\n\tplay(start)", strings.Replace(program, "work", "play", 1)},
		{FuzzyLines, program, "\tstart := clokc()\n\tif start > 10 {", "\tstart := clokc()\n\tif start > 20 {", strings.Replace(program, "10", "20", 1)},
	} {
		t.Run(tc.tier.String(), func(t *testing.T) { edited(t, tc.content, tc.old, tc.new, tc.want, tc.tier) })
	}
}

func TestD1_Names(t *testing.T) {
	want := "exact line-ending trim line-whitespace indent collapse-spaces tokens comments fuzzy-lines"
	var names []string
	for tier := Exact; tier <= FuzzyLines; tier++ {
		text, err := tier.MarshalText()
		if err != nil {
			t.Fatal(err)
		}
		names = append(names, string(text))
	}
	if got := strings.Join(names, " "); got != want {
		t.Errorf("got %q, want %q", got, want)
	}
	if got := Tolerance(99).String(); got != "unknown" {
		t.Errorf("got %q", got)
	}
}

// TestD1_DistanceDecidesNothing has texts that are very much like the file, and
// mean something else.
func TestD1_DistanceDecidesNothing(t *testing.T) {
	for name, old := range map[string]string{
		"number":         "\tif start > 11 {\n\t\treturn start, nil // too late already",
		"operator":       "\tif start < 10 {\n\t\treturn start, nil // too late already",
		"short word":     "\tif start > 10 {\n\t\treturn start, nul // too late already",
		"two letters":    "\tif start > 10 {\n\t\treutrn strat, nil // too late already",
		"other name":     "\tstart := watch()\n\tif start > 10 {",
		"number comment": "\t\treturn start, nil // too late by 3\n\t}\n\twork(start)",
		"joined words":   "\tifstart > 10 {\n\t\treturn start, nil // too late already",
		"two missing":    "func main() {\n\tstart := clock()\n\twork(start)\n}",
	} {
		t.Run(name, func(t *testing.T) {
			out := refused(t, program, old, old+" // x", NotFound)
			if len(out.Candidates) == 0 {
				t.Error("no candidate")
			}
		})
	}
}

func TestD1_SlipOnlyInUnknownWords(t *testing.T) {
	refused(t, "counts := load()\nuse(count)\n", "count := load()", "count := save()", NotFound)
}

// TestD1_NamesAreNoSlips: names that differ in their first letter, and those
// that are written so each time, are other names.
func TestD1_NamesAreNoSlips(t *testing.T) {
	refused(t, "\tchdir(path)\n\tclose(file)\n", "\tfchdir(path)\n\tclose(file)", "\tx()", NotFound)
	refused(t, "\tgetValue(path)\n\tclose(file)\n", "\tsetValue(path)\n\tclose(file)", "\tx()", NotFound)
	const calls = "text recvmsg_start\n\tjump recvmsg(fd)\nend()\n"
	refused(t, calls, strings.ReplaceAll(calls, "recvmsg", "recvmmsg"), "x()\n", NotFound)
	edited(t, calls, strings.Replace(calls, "recvmsg", "recvmmsg", 1), strings.Replace(calls, "end", "stop", 1), strings.Replace(calls, "end", "stop", 1), FuzzyLines)
}

// TestD1_CommentsAlone: a comment that differs among comments may be that of
// something else.
func TestD1_CommentsAlone(t *testing.T) {
	const content = "/**\n * Gets the names of the years.\n * @param count the length\n * @return the names\n */\nint f();\n"
	old := " * Gets the names of the months.\n * @param count the length\n * @return the names"
	refused(t, content, old, strings.Replace(old, "length", "size", 1), NotFound)
	short := strings.Replace(old, " of the months.", "", 1)
	edited(t, content, short, strings.Replace(short, "length", "size", 1), strings.Replace(content, "length", "size", 1), Comments)
	edited(t, content, old+"\n */\nint f();", old+"\n */\nint g();", strings.Replace(content, "f()", "g()", 1), Comments)
}

func TestD1_OneMissingLine(t *testing.T) {
	edited(t, program, "\tstart := clock()\n\t\treturn start, nil // too late already\n\t}\n\twork(start)", "\tstart := clock()\n\t\treturn start, nil // too late already\n\t}\n\tplay(start)",
		strings.Replace(program, "work", "play", 1), FuzzyLines)
	// An omission goes with no other loose tolerance.
	refused(t, program, "\tstart := clokc()\n\t\treturn start, nil // too late already\n\t}\n\twork(start)", "\tplay(start)", NotFound)
	// What is not mentioned is not deleted.
	refused(t, program, "\tstart := clock()\n\t\treturn start, nil // too late already\n\t}\n\twork(start)", "\twork(start)", AlreadyApplied)
	refused(t, program, "\tstart := clock()\n\t\treturn start, nil // too late already\n\t}\n\twork(start)", "\tplay(start)", Conflict)
}

func TestD1_Elision(t *testing.T) {
	for _, mark := range []string{"...", "\t// ...", "// ... existing code ...", "/* ... */", "# ... rest of the function ..."} {
		edited(t, program, "func main() {\n\tstart := clock()\n"+mark+"\n\twork(start)\n}", "func main() {\n\tstart := clock()\n"+mark+"\n\tplay(start)\n}",
			strings.Replace(program, "work", "play", 1), FuzzyLines)
	}
	refused(t, program, "func main() {\n\tstart := clock()\n...\n\twork(start)\n}", "func main() {\n\tplay(start)\n}", NotFound)
}

// TestD2_Codes maps the short codes to those of tools.
func TestD2_Codes(t *testing.T) {
	for code, want := range map[Code]string{
		NotFound: "E_EDIT_NOT_FOUND", Ambiguous: "E_EDIT_AMBIGUOUS", AlreadyApplied: "E_EDIT_ALREADY_APPLIED", Stale: "E_EDIT_STALE",
		Conflict: "E_EDIT_CONFLICT", NoChange: "E_EDIT_NO_CHANGE", Binary: "E_EDIT_BINARY", "": "",
	} {
		if got := code.ErrorCode(); got != want {
			t.Errorf("%q: got %q, want %q", code, got, want)
		}
	}
	refused(t, program, "nothing like that", "x", NotFound)
	refused(t, "a\na\n", "a", "b", Ambiguous)
	refused(t, "a := 1\nb := 2\n", "a := 1", "a := 1\nb := 2", AlreadyApplied)
	refused(t, program, "work", "work", NoChange)
	refused(t, "a\x00b", "a", "b", Binary)
	refused(t, program, "", "x", Conflict)
	out := Apply(context.Background(), []byte(program), "work", "play", &Options{ExpectedSHA: strings.Repeat("0", 64)})
	if out.Code != Stale {
		t.Errorf("code %q, want stale", out.Code)
	}
}

func TestExpectedSHA(t *testing.T) {
	sum := sha256.Sum256([]byte(program))
	whole := hex.EncodeToString(sum[:])
	for sha, ok := range map[string]bool{whole: true, strings.ToUpper(whole): true, whole[:8]: true, whole[:7]: false, whole + "0": false, "nonsense": false} {
		if out := apply1(t, program, "work", "play", &Options{ExpectedSHA: sha}); out.OK != ok {
			t.Errorf("%s: ok %v (%s)", sha, out.OK, out.Code)
		}
	}
}

func TestNearLine(t *testing.T) {
	const content = "a = 1\nb = 2\na = 1\nb = 2\na = 1\n"
	for line, want := range map[int]string{
		1: "x\nb = 2\na = 1\nb = 2\na = 1\n",
		3: "a = 1\nb = 2\nx\nb = 2\na = 1\n",
		9: "a = 1\nb = 2\na = 1\nb = 2\nx\n",
		2: "", // as near to the first as to the second
	} {
		out := apply1(t, content, "a = 1", "x", &Options{NearLine: line})
		if string(out.Content) != want || out.OK != (want != "") {
			t.Errorf("line %d: got %q (%s)", line, out.Content, out.Code)
		}
		out = apply1(t, "\t"+strings.ReplaceAll(strings.TrimSuffix(content, "\n"), "\n", "\n\t")+"\n", "  a = 1", "  x", &Options{NearLine: line})
		if out.OK != (want != "") {
			t.Errorf("line %d, indented: %q %s", line, out.Content, out.Code)
		}
	}
	if out := apply1(t, content, "c = 3", "x", &Options{NearLine: 3}); out.Code != NotFound {
		t.Errorf("a hint made a match: %s", out.Code)
	}
}

// TestAlreadyApplied: if and only if every occurrence of old lies inside an
// occurrence of new.
func TestAlreadyApplied(t *testing.T) {
	refused(t, "import a\nimport b\nimport c\n", "import a\n", "import a\nimport b\n", AlreadyApplied)
	refused(t, "xfoobar foobar", "foo", "foobar", AlreadyApplied)
	edited(t, "foobar(1)\nfoo (2)\n", "foo (", "foobar (", "foobar(1)\nfoobar (2)\n", Exact)
	refused(t, "foobar foo", "foo", "foobar", Ambiguous)
	// The same with another indentation, and with the old text gone.
	refused(t, "{\n\timport a\n\timport b\n}\n", "  import a\n", "  import a\n  import b\n", AlreadyApplied)
	refused(t, "first line\nnew middle\nlast line\n", "first line\nold middle\nlast line", "first line\nnew middle\nlast line", AlreadyApplied)
}

func TestApplyAll(t *testing.T) {
	ctx := context.Background()
	out := ApplyAll(ctx, []byte(program), []Edit{{Old: "clock", New: "now"}, {Old: "    work(start)", New: "    play(start)"}}, nil)
	want := strings.NewReplacer("clock", "now", "work", "play").Replace(program)
	if !out.OK || string(out.Content) != want || out.Tier != Indent || out.Line != 2 || out.LastLine != 6 {
		t.Fatalf("got %q %s %d-%d %s", out.Content, out.Tier, out.Line, out.LastLine, out.Code)
	}
	checkOutside(t, []byte(program), &out)
	out = ApplyAll(ctx, []byte(program), []Edit{{Old: "clock", New: "now"}, {Old: "clock", New: "then"}}, nil)
	if out.OK || out.Content != nil || out.Index != 1 || out.Code != NotFound {
		t.Fatalf("not all or nothing: %+v", out)
	}
	out = ApplyAll(ctx, []byte(program), []Edit{{Old: "clock", New: "now"}, {Old: "now", New: "clock"}}, nil)
	if out.Code != NoChange {
		t.Fatalf("code %q", out.Code)
	}
	if out = ApplyAll(ctx, []byte(program), nil, nil); out.Code != NoChange {
		t.Fatalf("code %q", out.Code)
	}
	if out = ApplyAll(ctx, []byte(program), []Edit{{Old: "clock", New: "now"}}, &Options{ExpectedSHA: "00000000"}); out.Code != Stale {
		t.Fatalf("code %q", out.Code)
	}
}

func TestDiffAndRanges(t *testing.T) {
	out := apply1(t, program, "work(start)", "play(start)\n\trest()", nil)
	want := "@@ -3,5 +3,6 @@\n \tif start > 10 {\n \t\treturn start, nil // too late already\n \t}\n-\twork(start)\n+\tplay(start)\n+\trest()\n }\n"
	if out.Diff != want {
		t.Errorf("diff\n%s\nwant\n%s", out.Diff, want)
	}
	if out.Line != 6 || out.LastLine != 6 || len(out.Changes) != 1 {
		t.Errorf("lines %d-%d, changes %v", out.Line, out.LastLine, out.Changes)
	}
	out = apply1(t, "one", "one", "two", nil)
	if want := "@@ -1 +1 @@\n-one\n\\ No newline at end of file\n+two\n\\ No newline at end of file\n"; out.Diff != want {
		t.Errorf("diff\n%s\nwant\n%s", out.Diff, want)
	}
	out = apply1(t, "x\n"+strings.Repeat("-\n", 20)+"x\n", "x", "y", &Options{ReplaceAll: true})
	if strings.Count(out.Diff, "@@ -") != 2 || !strings.Contains(out.Diff, "@@ -1,4 +1,4 @@") || !strings.Contains(out.Diff, "@@ -19,4 +19,4 @@") {
		t.Errorf("diff\n%s", out.Diff)
	}
}

// TestRefusalIsUseful: what a refusal shows is enough to get it right.
func TestRefusalIsUseful(t *testing.T) {
	out := refused(t, strings.ReplaceAll(program, "\n", "\r\n"), "\tif start > 11 {\n\t\treturn start, nil // too late already", "x", NotFound)
	c := out.Candidates[0]
	if c.Line != 3 || c.LastLine != 4 || c.Excerpt != "→if start > 10 {␍⏎\n→→return start, nil // too late already␍⏎\n" {
		t.Errorf("lines %d-%d, excerpt %q", c.Line, c.LastLine, c.Excerpt)
	}
	if want := "- →if start > 11 {\n+ →if start > 10 {\n"; c.Difference != want {
		t.Errorf("difference %q, want %q", c.Difference, want)
	}
	again := apply1(t, strings.ReplaceAll(program, "\n", "\r\n"), c.OldString, "x", nil)
	if !again.OK || again.Tier != Exact {
		t.Errorf("the text to paste does not work: %s", again.Code)
	}
	if got, want := out.Message(lang.Korean), "편집 대상을 찾을 수 없습니다: \"\tif start > 11 {\n\t\treturn start, nil // too late a...\"\n후보 1: 3-4행"; !strings.HasPrefix(got, want) {
		t.Errorf("got %q, want %q", got, want)
	}
	if err := out.Error(); err == nil || !strings.Contains(err.Error(), "Candidate 1: lines 3-4") {
		t.Errorf("error %v", err)
	}
	out = refused(t, "f(a)\nx\nf(b)\nx\n", "x", "y", Ambiguous)
	if out.Matches != 2 || len(out.Candidates) != 2 {
		t.Fatalf("%d matches, %d candidates", out.Matches, len(out.Candidates))
	}
	for _, c := range out.Candidates {
		if strings.Count("f(a)\nx\nf(b)\nx\n", c.OldString) != 1 {
			t.Errorf("the text to paste %q is not the only one", c.OldString)
		}
	}
	out = refused(t, strings.Repeat("x\n", 50), "x", "y", Ambiguous)
	if out.Matches != 50 || len(out.Candidates) != 3 || !strings.Contains(out.Message(lang.English), "1, 2, 3, 4, 5, 6, 7, 8, 9, 10, …") {
		t.Errorf("%d matches: %s", out.Matches, out.Message(lang.English))
	}
}

// TestMisspeltCandidate: a line whose words are all wrong is still shown.
func TestMisspeltCandidate(t *testing.T) {
	out := refused(t, program, "\twrok(strat)", "x", NotFound)
	if len(out.Candidates) == 0 || out.Candidates[0].OldString != "\twork(start)" {
		t.Errorf("%+v", out.Candidates)
	}
}

func TestMessages(t *testing.T) {
	out := apply1(t, program, "work", "play", nil)
	if got := out.Message(lang.English); got != "Edited line 6 (match: exact)." || out.Error() != nil {
		t.Errorf("got %q", got)
	}
	out = apply1(t, program, "func main() {\n\tstart", "func main() {\n\tbegin", nil)
	if got := out.Message(lang.Korean); got != "1-2행을 편집했습니다 (일치 방식: exact)." {
		t.Errorf("got %q", got)
	}
	out = refused(t, "abc\n", "완전히 다른 것", "x", NotFound)
	if got := out.Message(lang.Korean); !strings.HasPrefix(got, `편집 대상을 찾을 수 없습니다: "완전히 다른 것..."`) {
		t.Errorf("got %q", got)
	}
}

// TestReadings: what a reader put around the text is taken away from both.
func TestReadings(t *testing.T) {
	want := strings.Replace(program, "10", "20", 1)
	old := "\tif start > 10 {\n\t\treturn start, nil // too late already"
	number := func(text, format string) string {
		lines := strings.Split(text, "\n")
		for i := range lines {
			lines[i] = strings.Replace(format, "N", string(rune('3'+i)), 1) + lines[i]
		}
		return strings.Join(lines, "\n")
	}
	for name, wrap := range map[string]func(string) string{
		"fence":   func(s string) string { return "```go\n" + s + "\n```" },
		"arrow":   func(s string) string { return number(s, "    N→") },
		"tab":     func(s string) string { return number(s, "     N\t") },
		"colon":   func(s string) string { return number(s, "N: ") },
		"L":       func(s string) string { return number(s, "LN: ") },
		"bar":     func(s string) string { return number(s, "N | ") },
		"pipe":    func(s string) string { return number(s, "N|") },
		"escapes": func(s string) string { return strings.NewReplacer("\n", `\n`, "\t", `\t`).Replace(s) },
		"html":    func(s string) string { return strings.ReplaceAll(s, ">", "&gt;") },
	} {
		t.Run(name, func(t *testing.T) {
			out := apply1(t, program, wrap(old), wrap(strings.Replace(old, "10", "20", 1)), nil)
			if string(out.Content) != want {
				t.Errorf("got %q: %s", out.Content, out.Message(lang.English))
			}
		})
	}
	// An entity that the file has is not touched.
	edited(t, "<p>a &amp; b</p>\n", "a &amp; b", "a &amp; c", "<p>a &amp; c</p>\n", Exact)
	// Escaped in part: nobody knows what is meant.
	refused(t, "say(\"a\")\nx\n", `say(\"a\")`, `say(\"a", "b")`, NotFound)
}

func TestInsideLines(t *testing.T) {
	edited(t, "x := call( a,b ) + 1\n", "call(a, b)", "call(a, c)", "x := call( a,c ) + 1\n", Tokens)
	edited(t, "x := one   two three\n", "one two three", "one two four", "x := one   two four\n", CollapseSpaces)
	edited(t, "x := one\n", " one ", " two ", "x := two\n", Trim)
	edited(t, "\tcall(x, y)\n", "    call(x", "    call(z", "\tcall(z, y)\n", Trim)
	// What is indented begins a line, and what has a line end ends one.
	refused(t, "\totherCall(x)\n", "\tCall(x)", "\tCall(y)", NotFound)
	refused(t, "\treturn call(x)\n", "  call(x)", "  call(y)", NotFound)
	refused(t, "\treturn call( x )\n", "  call(x)", "  call(y)", NotFound)
	refused(t, "call(x) + 1\n", "call(x) \n", "call(y) \n", NotFound)
	refused(t, "call( a,b ) call(a ,b)\n", "call(a, b)", "x", Ambiguous)
	refused(t, "recall( a,b )\n", "call(a, b)", "x", NotFound)
}

func TestCancelled(t *testing.T) {
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	out := Apply(ctx, []byte(program), "work", "play", nil)
	if out.OK || !errors.Is(out.Err, context.Canceled) || !errors.Is(out.Error(), context.Canceled) || out.Message(lang.English) == "" {
		t.Errorf("outcome %+v", out)
	}
}

// TestLinesThatCutWords: several lines are no fragment.
func TestLinesThatCutWords(t *testing.T) {
	refused(t, "a()\nname2\n", "a()\nname", "b()\nname", NotFound)
	refused(t, "// a word\n// more\n", "// a word\n//", "// a word", NotFound)
	edited(t, "a()\nname2\n", "name", "other", "a()\nother2\n", Exact)
}
