package edit

import (
	"strings"
	"testing"
)

// The cases of group G that are about finding and replacing text. Those about
// paths and files belong to the tool.

func TestGeminiG01_Literal(t *testing.T) {
	edited(t, "a price b\n", "price", "$& $1 $` $$ $'", "a $& $1 $` $$ $' b\n", Exact)
}

func TestGeminiG02_Absent(t *testing.T) {
	refused(t, "hello\n", "goodbye world", "x", NotFound)
}

func TestGeminiG03_Several(t *testing.T) {
	refused(t, "foo foo foo\n", "foo", "bar", Ambiguous)
	all := &Options{ReplaceAll: true}
	if out := apply1(t, "foo foo foo\n", "foo", "bar", all); string(out.Content) != "bar bar bar\n" || len(out.Changes) != 3 {
		t.Errorf("got %q", out.Content)
	}
	if out := apply1(t, "foo foo foo\n", "baz", "bar", all); out.Code != NotFound {
		t.Errorf("code %q", out.Code)
	}
	if out := apply1(t, "\tx()\n\ty()\n\tx()\n", "  x()\n", "  z()\n", all); string(out.Content) != "\tz()\n\ty()\n\tz()\n" {
		t.Errorf("got %q", out.Content)
	}
}

func TestGeminiG04_NoChange(t *testing.T) {
	refused(t, "foo\n", "foo", "foo", NoChange)
	refused(t, "foo\n", "bar", "bar", NoChange)
}

func TestGeminiG05_EmptyOld(t *testing.T) {
	edited(t, "", "", "new\n", "new\n", Exact)
	refused(t, "something\n", "", "new\n", Conflict)
}

func TestGeminiG07_NoDoubleIndent(t *testing.T) {
	edited(t, "\tif a {\n\t\tb()\n\t}\n", "if a {\n\tb()\n}", "if a {\n\tc()\n\tif d {\n\t\te()\n\t}\n}",
		"\tif a {\n\t\tc()\n\t\tif d {\n\t\t\te()\n\t\t}\n\t}\n", Indent)
}

func TestGeminiG08_SpacesInside(t *testing.T) {
	edited(t, "f( a,  b )\ng()\n", "f(a, b)\ng()", "f(a, b)\nh()", "f( a,  b )\nh()\n", Tokens)
}

// A missing comma is no slip of a letter: ours shows the line.
func TestGeminiG09_MissingComma(t *testing.T) {
	content := "call(\n\talpha,\n\tbeta,\n\tgamma,\n)\n"
	out := refused(t, content, "call(\n\talpha,\n\tbeta\n\tgamma,\n)", "x", NotFound)
	if out.Candidates[0].Difference != "- →beta\n+ →beta,\n" || out.Candidates[0].OldString != strings.TrimSuffix(content, "\n") {
		t.Errorf("candidate %+v", out.Candidates[0])
	}
	refused(t, content, "something\nwholly\ndifferent", "x", NotFound)
}

func TestGeminiG10_TwoFuzzy(t *testing.T) {
	refused(t, "\tvalue := compute()\n\tx()\n\tvalue := compute()\n", "value := comptue()", "x", Ambiguous)
}

func TestGeminiG11_BoundedWork(t *testing.T) {
	content := strings.Repeat(strings.Repeat("word ", 200)+"\n", 200)
	refused(t, content, strings.Repeat(strings.Repeat("wrod ", 200)+"\n", 100), "x", NotFound)
}

func TestGeminiG12_CRLF(t *testing.T) {
	edited(t, "a\r\nb\r\nc\r\n", "a\nb\nc", "a\nx\ny\nc", "a\r\nx\r\ny\r\nc\r\n", LineEnding)
	edited(t, "a\nb\nc\n", "a\r\nb\r\nc", "a\r\nx\r\nc", "a\nx\nc\n", LineEnding)
	edited(t, "\ta()\r\n\tb()\r\n", "  a()\n  b()", "  a()\n  c()\n  d()", "\ta()\r\n\tc()\r\n\td()\r\n", Indent)
}

func TestGeminiG13_FinalNewline(t *testing.T) {
	edited(t, "\ta()\n\tb()", "  b()\n", "  c()\n", "\ta()\n\tc()", Indent)
	edited(t, "\ta()\n\tb()\n", "  b()", "  c()", "\ta()\n\tc()\n", Indent)
	edited(t, "\ta()\n\tb()\n\tc()\n", "  b()\n", "", "\ta()\n\tc()\n", Indent)
	edited(t, "a()\nb()\nc()\n", "\n\nb()\n\n", "\n\nx()\n\n", "a()\nx()\nc()\n", Trim)
}

func TestGeminiG14_Placeholder(t *testing.T) {
	refused(t, "a()\nb()\n", "a()", "c()\n// rest of code ...", Conflict)
	edited(t, "a()\n// rest of code ...\n", "a()\n// rest of code ...", "c()\n// rest of code ...", "c()\n// rest of code ...\n", Exact)
	edited(t, "a()\n", "a()", `say("rest of code ...")`, "say(\"rest of code ...\")\n", Exact)
	edited(t, "def f(): pass\n", "def f(): pass", "def f():\n    ...", "def f():\n    ...\n", Exact)
}

// A placeholder that the file has at that place is its own; one that it has
// elsewhere is none.
func TestGeminiG14_PlaceholderOfTheFile(t *testing.T) {
	const content = "a(1)\n# rest of code ...\nb(2)\nc(3)\n"
	edited(t, content, "a(1)\n# rest of code …\nb(2)", "a(1)\n# rest of code ...\nb(4)", strings.Replace(content, "b(2)", "b(4)", 1), CollapseSpaces)
	refused(t, content, "b(2)\nc(3)", "b(2)\n# rest of code ...\nc(3)", Conflict)
}

// Nobody corrects an edit behind the caller's back, in JSON or elsewhere: what
// means something is refused, whatever the file is called.
func TestGeminiG17_NoCorrector(t *testing.T) {
	out := refused(t, "{\n  \"retries\": 3,\n  \"name\": \"a\"\n}\n", "{\n  \"retries\": 4,\n  \"name\": \"a\"", "{\n  \"retries\": 5,\n  \"name\": \"a\"", NotFound)
	if len(out.Candidates) == 0 || out.Candidates[0].Line != 1 {
		t.Errorf("%+v", out.Candidates)
	}
}

func TestGeminiG18_AlreadyDone(t *testing.T) {
	refused(t, "first()\nchanged(now)\nlast()\n", "first()\noriginal(then)\nlast()", "first()\nchanged(now)\nlast()", AlreadyApplied)
}

func TestGeminiG20_IndentationPerLine(t *testing.T) {
	edited(t, "def f():\n    if a:\n        x = 1\n    return x\n", "        x = 1 \n    return x", "        x = 2\n    return x + 1",
		"def f():\n    if a:\n        x = 2\n    return x + 1\n", LineWhitespace)
	edited(t, "def f():\n\tif a:\n\t\tx = 1\n\treturn x\n", "        x = 1\n    return x", "        x = 2\n    return x + 1",
		"def f():\n\tif a:\n\t\tx = 2\n\treturn x + 1\n", Indent)
	// What cannot be explained is refused.
	refused(t, "\tone()\n\t\t\ttwo()\n\tthree()\n", "one()\ntwo()\nthree()", "one()\n  four()\nthree()", Conflict)
}

func TestGeminiG21_EscapedQuotes(t *testing.T) {
	edited(t, "say(\"a\")\nx\n", `say(\"a\")`+"\nx", `say(\"b\")`+"\nx", "say(\"b\")\nx\n", Trim)
}

func TestGeminiG22_LinesMoreOrLess(t *testing.T) {
	const content = "alpha()\nbeta()\ngamma()\ndelta()\nepsilon()\n"
	edited(t, content, "alpha()\nbeta()\ndelta()\nepsilon()", "alpha()\nbeta()\ndelta()\nzeta()", "alpha()\nbeta()\ngamma()\ndelta()\nzeta()\n", FuzzyLines)
	refused(t, content, "alpha()\nbeta()\ndelta()\nepsilon()", "alpha()\nbeta()\nzeta()\ndelta()\nepsilon()", Conflict)
	refused(t, content, "alpha()\nbeta()\nmore()\ngamma()\ndelta()", "alpha()\nbeta()\nmore()\ngamma()\nzeta()", NotFound)
}

func TestGeminiG23_MixedEnds(t *testing.T) {
	edited(t, "a\r\nb\nc\r\nd\n", "b\nc", "b\nx", "a\r\nb\nx\r\nd\n", Exact)
	edited(t, "a\r\nb\nc\r\nd\n", "a\nb\nc", "a\nx\nc", "a\r\nx\nc\r\nd\n", LineEnding)
	edited(t, "\ta\r\n\tb\n\tc\r\n\td\n", "  b\n  c", "  b\n  x\n  c", "\ta\r\n\tb\n\tx\n\tc\r\n\td\n", Indent)
}

func TestGeminiG24_NotUTF8(t *testing.T) {
	edited(t, "caf\xe9 one\n\ttwo\n\xff\n", "  two", "  three", "caf\xe9 one\n\tthree\n\xff\n", Indent)
}

func TestGeminiG25_WiderDetector(t *testing.T) {
	for _, line := range []string{
		"# rest of code ...", "// ... existing code ...", "# ... rest of file ...", "/* ... rest unchanged ... */", "// rest unchanged",
		"<!-- ... existing content ... -->", "# remaining methods unchanged", "// … existing code …", "// the rest of the file stays the same",
		"// ... keep the rest ...", "# everything else remains the same",
	} {
		if got, ok := Placeholder("a", "b\n  "+line+"\nc"); !ok || got != line {
			t.Errorf("%q is not found (%q)", line, got)
		}
		if _, ok := Placeholder("x\n"+line, "b\n"+line); ok {
			t.Errorf("%q is refused though old has it", line)
		}
	}
	for _, line := range []string{"...", "    ...", "return args...", "// and so on...", "# Rest API", "// existing users keep their plan", "print('... existing code ...')", "* the rest"} {
		if _, ok := Placeholder("a", line); ok {
			t.Errorf("%q is taken for a placeholder", line)
		}
	}
}
