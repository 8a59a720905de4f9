package edit

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/gongu-ai/gongu/internal/lang"
)

func parsed(t *testing.T, text string) []FilePatch {
	t.Helper()
	files, err := ParsePatch(text)
	if err != nil {
		t.Fatalf("%v in\n%s", err, text)
	}
	return files
}

func TestParseUnified(t *testing.T) {
	for name, tc := range map[string]struct {
		text string
		want []FilePatch
	}{
		"plain": {"--- a.txt\t2026-01-01 00:00:00\n+++ a.txt\t2026-01-02 00:00:00\n@@ -1,2 +1,2 @@\n x\n-y\n+z\n",
			[]FilePatch{{Path: "a.txt", To: "a.txt", Hunks: []Hunk{{Old: "x\ny\n", New: "x\nz\n", Line: 1}}}}},
		"no numbers": {"```diff\n--- a/x\n+++ b/x\n@@\n x\n\n-y\n+z\n```\n",
			[]FilePatch{{Path: "x", To: "x", Hunks: []Hunk{{Old: "x\n\ny\n", New: "x\n\nz\n"}}}}},
		"wrong numbers": {"--- x\n+++ x\n@@ -1,9 +1,2 @@\n-y\n+z\n@@ -5,1 +5,1 @@\n-a\n+b\n c\n d\n",
			[]FilePatch{{Path: "x", To: "x", Hunks: []Hunk{{Old: "y\n", New: "z\n", Line: 1}, {Old: "a\nc\nd\n", New: "b\nc\nd\n", Line: 5}}}}},
		"dashes": {"--- x\n+++ x\n@@ -1,3 +1,3 @@\n--- old\n+++ new\n a\n---\n+--\n",
			[]FilePatch{{Path: "x", To: "x", Hunks: []Hunk{{Old: "-- old\na\n--\n", New: "++ new\na\n--\n", Line: 1}}}}},
		"dashes without numbers": {"--- x\n+++ x\n@@\n a\n--\n+b\n",
			[]FilePatch{{Path: "x", To: "x", Hunks: []Hunk{{Old: "a\n-\n", New: "a\nb\n"}}}}},
		"signature": {"--- x\n+++ x\n@@ -1 +1 @@\n-a\n+b\n-- \n2.43.0\n",
			[]FilePatch{{Path: "x", To: "x", Hunks: []Hunk{{Old: "a\n", New: "b\n", Line: 1}}}}},
		"no newline": {"--- x\n+++ x\n@@ -1 +1 @@\n-a\n\\ No newline at end of file\n+b\n",
			[]FilePatch{{Path: "x", To: "x", Hunks: []Hunk{{Old: "a", New: "b\n", OldOpen: true, Line: 1}}}}},
		"no newline after": {"--- x\n+++ x\n@@ -1,2 +1,2 @@\n-a\n+b\n c\n\\ No newline at end of file\n",
			[]FilePatch{{Path: "x", To: "x", Hunks: []Hunk{{Old: "a\nc", New: "b\nc", OldOpen: true, NewOpen: true, Line: 1}}}}},
		"blank lines between files": {"--- a/x\n+++ b/x\n@@ -1 +1 @@\n-a\n+b\n\n--- a/y\n+++ b/y\n@@ -1 +1 @@\n-c\n+d\n\n\n",
			[]FilePatch{{Path: "x", To: "x", Hunks: []Hunk{{Old: "a\n", New: "b\n", Line: 1}}}, {Path: "y", To: "y", Hunks: []Hunk{{Old: "c\n", New: "d\n", Line: 1}}}}},
		"new and deleted": {"--- /dev/null\n+++ b/n\n@@ -0,0 +1,2 @@\n+a\n+b\n\\ No newline at end of file\n--- a/d\n+++ /dev/null\n@@ -1 +0,0 @@\n-a\n",
			[]FilePatch{{To: "n", Content: "a\nb"}, {Path: "d", Hunks: []Hunk{{Old: "a\n", Line: 1}}}}},
		"git, empty files": {"diff --git a/n b/n\nnew file mode 100644\nindex 0000000..e69de29\ndiff --git a/d b/d\ndeleted file mode 100644\nindex e69de29..0000000\n",
			[]FilePatch{{To: "n"}, {Path: "d"}}},
		"git, quoted": {"diff --git \"a/\\355\\225\\234.txt\" \"b/\\355\\225\\234.txt\"\n--- \"a/\\355\\225\\234.txt\"\n+++ \"b/\\355\\225\\234.txt\"\n@@ -1 +1 @@\n-a\n+b\n",
			[]FilePatch{{Path: "한.txt", To: "한.txt", Hunks: []Hunk{{Old: "a\n", New: "b\n", Line: 1}}}}},
		"git, mode only": {"diff --git a/x b/x\nold mode 100644\nnew mode 100755\ndiff --git a/y b/z\nsimilarity index 100%\nrename from y\nrename to z\n",
			[]FilePatch{{Path: "y", To: "z"}}},
		"only a/ of a folder": {"--- a/x\n+++ a/x\n@@ -1 +1 @@\n-a\n+b\n",
			[]FilePatch{{Path: "a/x", To: "a/x", Hunks: []Hunk{{Old: "a\n", New: "b\n", Line: 1}}}}},
	} {
		t.Run(name, func(t *testing.T) {
			if got := parsed(t, tc.text); fmt.Sprintf("%+v", got) != fmt.Sprintf("%+v", tc.want) {
				t.Errorf("got  %+v\nwant %+v", got, tc.want)
			}
		})
	}
}

func TestParseEnvelope(t *testing.T) {
	got := parsed(t, "Here it is:\n*** Begin Patch\n*** Update File: a.py\n*** Move to: b.py\n@@ class A:\n@@     def f(self):\n x\n-y\n+z\n\n@@\n-p\n+q\n*** End of File\n*** Add File: n\n+a\n+\n*** Delete File: d\n*** End Patch\nthat was it")
	want := []FilePatch{
		{Path: "a.py", To: "b.py", Hunks: []Hunk{
			{Old: "x\ny\n", New: "x\nz\n", Within: []string{"class A:", "def f(self):"}, appends: true},
			{Old: "p\n", New: "q\n", AtEnd: true, appends: true},
		}},
		{To: "n", Content: "a\n\n"}, {Path: "d"},
	}
	if fmt.Sprintf("%+v", got) != fmt.Sprintf("%+v", want) {
		t.Errorf("got  %+v\nwant %+v", got, want)
	}
}

// TestParseErrors: what is not understood is named, with its line.
func TestParseErrors(t *testing.T) {
	for text, want := range map[string]string{
		"":                                      "line 1: there is no file",
		"hello":                                 "line 1: there is no file",
		"*** Begin Patch\n*** Delete File: x\n": "line 2: *** End Patch is missing",
		"*** Begin Patch\n*** End Patch\n":      "line 2: there is no file",
		"*** Begin Patch\n*** Delete File:\n*** End Patch":                    "line 2: the path is missing",
		"*** Begin Patch\nnonsense\n*** End Patch":                            `line 2: "nonsense" does not begin`,
		"*** Begin Patch\n*** Update File: x\n*** End Patch":                  "line 2: there is no file",
		"*** Begin Patch\n*** Update File: x\n@@\n a\nb\n*** End Patch":       `line 5: "b" starts with neither`,
		"*** Begin Patch\n*** Add File: x\n a\n*** End Patch":                 "line 3: a new file has only",
		"@@ -1 +1 @@\n-a\n+b\n":                                               "line 1: a hunk comes before",
		"--- x\n+++ x\n@@ -1 +1 @@\n-a\noops\n":                               `line 5: "oops" starts with neither`,
		"--- /dev/null\n+++ x\n@@ -1 +1 @@\n-a\n+b\n":                         "a new file has only",
		"--- /dev/null\n+++ /dev/null\n@@ -1 +1 @@\n-a\n+b\n":                 "line 1: the path is missing",
		"diff --git a/x b/x\nindex 1..2\nBinary files a/x and b/x differ\n":   "line 3: binary files cannot",
		"diff --git a/x b/y\nsimilarity index 100%\ncopy from x\ncopy to y\n": "line 3: copies are not supported",
		"diff --git a/x b/x\n--- a/x\n@@ -1 +1 @@\n-a\n+b\n":                  "line 2: +++ must follow",
	} {
		_, err := ParsePatch(text)
		if problem := (*PatchError)(nil); !errors.As(err, &problem) || !strings.Contains(err.Error(), want) || problem.In(lang.Korean) == err.Error() {
			t.Errorf("%q: %v, want %q", text, err, want)
		}
	}
}

const methods = "class A:\n    def f(self):\n        x = 1\n        return x\n\n    def g(self):\n        x = 1\n        return x\n\nclass B:\n    def f(self):\n        x = 1\n        return x\n"

func hunk(t *testing.T, content string, hunks ...Hunk) Outcome {
	t.Helper()
	out := ApplyHunks(context.Background(), []byte(content), hunks, nil)
	if out.OK {
		checkOutside(t, []byte(content), &out)
	}
	return out
}

// TestHunkPlaces: of several places only what the hunk says decides.
func TestHunkPlaces(t *testing.T) {
	at := func(n int) string { // the n-th x = 1 becomes x = 2
		parts := strings.SplitAfter(methods, "x = 1")
		parts[n] = strings.Replace(parts[n], "x = 1", "x = 2", 1)
		return strings.Join(parts, "")
	}
	change := Hunk{Old: "        x = 1\n        return x\n", New: "        x = 2\n        return x\n"}
	with := func(set func(*Hunk)) Hunk { h := change; set(&h); return h }
	for name, tc := range map[string]struct {
		hunks []Hunk
		want  string
		code  Code
	}{
		"nothing":          {[]Hunk{change}, "", Ambiguous},
		"its line":         {[]Hunk{with(func(h *Hunk) { h.Line = 7 })}, at(1), ""},
		"a line near by":   {[]Hunk{with(func(h *Hunk) { h.Line = 8 })}, "", Ambiguous},
		"a method":         {[]Hunk{with(func(h *Hunk) { h.Within = []string{"def g(self):"} })}, at(1), ""},
		"class and method": {[]Hunk{with(func(h *Hunk) { h.Within = []string{"class B:", "def f(self):"} })}, at(2), ""},
		"a class of two":   {[]Hunk{with(func(h *Hunk) { h.Within = []string{"class A:"} })}, "", Ambiguous},
		"a class of one":   {[]Hunk{with(func(h *Hunk) { h.Within = []string{"class B:"} })}, at(2), ""},
		"two methods":      {[]Hunk{with(func(h *Hunk) { h.Within = []string{"def f(self):"} })}, "", Ambiguous},
		"the end":          {[]Hunk{with(func(h *Hunk) { h.AtEnd = true })}, at(2), ""},
		"behind another":   {[]Hunk{{Old: "class B:\n", New: "class C:\n"}, change}, strings.Replace(at(2), "class B", "class C", 1), ""},
		"between others": {[]Hunk{{Old: "    def g(self):\n", New: "    def h(self):\n"}, change, {Old: "class B:\n", New: "class C:\n"}},
			strings.NewReplacer("class B", "class C", "def g", "def h").Replace(at(1)), ""},
		"indented otherwise": {[]Hunk{{Old: "  def g(self):\n    x = 1\n", New: "  def g(self):\n    x = 2\n"}}, at(1), ""},
		"overlapping":        {[]Hunk{{Old: "class B:\n    def f(self):\n", New: "class C:\n    def e(self):\n"}, {Old: "class B:\n", New: "class D:\n"}}, "", Conflict},
		"context only":       {[]Hunk{{Old: "class B:\n", New: "class B:\n"}}, "", NoChange},
		"a part of a line":   {[]Hunk{{Old: "B:\n", New: "x\n"}}, "", NotFound},
		"a part at its end":  {[]Hunk{{Old: "class B\n", New: "x\n"}}, "", NotFound},
	} {
		t.Run(name, func(t *testing.T) {
			if out := hunk(t, methods, tc.hunks...); string(out.Content) != tc.want || out.Code != tc.code {
				t.Errorf("%q %s, want %q %s", out.Content, out.Code, tc.want, tc.code)
			}
		})
	}
}

// TestHunkWholeLines: a hunk is lines; an edit may be a part of one.
func TestHunkWholeLines(t *testing.T) {
	if out := hunk(t, "a.foo()\nfoo()\n", Hunk{Old: "foo()\n", New: "bar()\n"}); string(out.Content) != "a.foo()\nbar()\n" {
		t.Errorf("%q %s", out.Content, out.Code)
	}
	if out := hunk(t, "a.foo()\n", Hunk{Old: "foo()\n", New: "bar()\n"}); out.OK {
		t.Errorf("%q", out.Content)
	}
	if out := hunk(t, "a.foo()\r\nx\r\n", Hunk{Old: "foo()\nx\n", New: "bar()\nx\n"}); out.OK {
		t.Errorf("%q", out.Content)
	}
}

func TestHunkEnds(t *testing.T) {
	for name, tc := range map[string]struct {
		before string
		hunk   Hunk
		want   string
	}{
		"end added":         {"a\nb", Hunk{Old: "b", New: "b\n", OldOpen: true}, "a\nb\n"},
		"end taken":         {"a\nb\n", Hunk{Old: "b\n", New: "b", NewOpen: true}, "a\nb"},
		"none stays none":   {"a\nb", Hunk{Old: "b", New: "c", OldOpen: true, NewOpen: true}, "a\nc"},
		"not said, no end":  {"a\nb", Hunk{Old: "a\nb\n", New: "a\nc\n"}, "a\nc"},
		"said, but has one": {"a\nb\n", Hunk{Old: "b", New: "c", OldOpen: true, NewOpen: true}, "a\nc\n"},
		"crlf":              {"a\r\nb\r\n", Hunk{Old: "a\nb\n", New: "a\nc\nd\n"}, "a\r\nc\r\nd\r\n"},
		"appended":          {"a\r\n", Hunk{New: "b\n", appends: true}, "a\r\nb\r\n"},
		"appended, no end":  {"a", Hunk{New: "b\n", appends: true}, "a\nb"},
		"behind a line":     {"f:\ng:\n", Hunk{New: "  x\n", Within: []string{"f:"}, appends: true}, "f:\n  x\ng:\n"},
		"into nothing":      {"", Hunk{New: "x\n"}, "x\n"},
		"bom":               {"\xef\xbb\xbfa\nb\n", Hunk{Old: "a\n", New: "c\n"}, "\xef\xbb\xbfc\nb\n"},
		"deleted":           {"a\nb\nc\n", Hunk{Old: "b\n", New: ""}, "a\nc\n"},
		"last deleted":      {"a\nb", Hunk{Old: "a\nb", New: "a\n", OldOpen: true}, "a\n"},
	} {
		t.Run(name, func(t *testing.T) {
			if out := hunk(t, tc.before, tc.hunk); string(out.Content) != tc.want {
				t.Errorf("%q %s %s, want %q", out.Content, out.Code, out.Reason(lang.English), tc.want)
			}
		})
	}
	if out := hunk(t, "a\n", Hunk{New: "b\n", Line: 0}); out.Code != Conflict || !strings.Contains(out.Reason(lang.English), "at least one line") {
		t.Errorf("%q %s", out.Content, out.Code)
	}
}

// TestPropertyPatch: the diff of an edit, applied as a patch to the file before,
// gives the file after, also when the file has drifted by indentation.
func TestPropertyPatch(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		content := source(t)
		old := somePiece(t, content)
		out := Apply(context.Background(), []byte(content), old, rapid.SampledFrom([]string{"", "changed()\n", "x\ny\n" + old}).Draw(t, "new"), nil)
		if !out.OK || out.Changes[0].Start < len(bom) && strings.HasPrefix(content, string(bom)) {
			return // an edit may take the mark apart, a patch does not
		}
		files, err := ParsePatch("--- f\n+++ f\n" + out.Diff)
		if err != nil || len(files) != 1 {
			t.Fatalf("%v in %q", err, out.Diff)
		}
		if slices.ContainsFunc(files[0].Hunks, func(h Hunk) bool { return h.Old == "" }) && content != "" {
			return
		}
		again := ApplyHunks(context.Background(), []byte(content), files[0].Hunks, nil)
		if again.OK && string(again.Content) != string(out.Content) {
			t.Fatalf("got %q, want %q by\n%s", again.Content, out.Content, out.Diff)
		}
		if !again.OK && again.Code != AlreadyApplied && again.Code != NoChange {
			t.Fatalf("%s %d of\n%s", again.Reason(lang.English), again.Index, out.Diff)
		}
	})
}

func FuzzParsePatch(f *testing.F) {
	f.Add("--- a/x\n+++ b/x\n@@ -1,2 +1,2 @@\n x\n-y\n+z\n\\ No newline at end of file\n", "x\ny")
	f.Add("*** Begin Patch\n*** Update File: x\n@@ f\n-a\n+b\n*** End of File\n*** End Patch", "f\na\n")
	f.Add("diff --git a/x b/y\nrename from x\nrename to y\n--- a/x\n+++ b/y\n@@\n\n-a\n", "\na\n")
	f.Fuzz(func(t *testing.T, text, content string) {
		files, err := ParsePatch(text)
		if err != nil {
			if problem := (*PatchError)(nil); !errors.As(err, &problem) || problem.Line < 1 {
				t.Fatalf("%v", err)
			}
			return
		}
		for _, file := range files {
			if file.Path == "" && file.To == "" {
				t.Fatal("a patch of no file")
			}
			out := ApplyHunks(context.Background(), []byte(content), file.Hunks, nil)
			if out.OK {
				checkOutside(t, []byte(content), &out)
			} else if out.Code == "" || out.Index >= max(1, len(file.Hunks)) {
				t.Fatalf("%+v", out)
			}
		}
	})
}

func ExampleParsePatch() {
	files, err := ParsePatch("--- a/hello.txt\n+++ b/hello.txt\n@@ -1,2 +1,2 @@\n hello\n-world\n+everybody\n")
	if err != nil {
		fmt.Println(err)
		return
	}
	out := ApplyHunks(context.Background(), []byte("hello\nworld\n"), files[0].Hunks, nil)
	fmt.Printf("%s %s%s", files[0].Path, out.Tier, "\n"+string(out.Content))
	// Output:
	// hello.txt exact
	// hello
	// everybody
}
