package edit

import (
	"bytes"
	"context"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"
)

// source draws a file of lines that look like code, with few words, so that
// lines repeat and are like each other.
func source(t *rapid.T) string {
	word := rapid.SampledFrom([]string{"alpha", "betas", "gamma", "delta", "x", "1", "22", "return", "”", "é", "\xff"})
	line := rapid.Custom(func(t *rapid.T) string {
		indent := rapid.SampledFrom([]string{"", "\t", "\t\t", "    ", "  "}).Draw(t, "indent")
		words := rapid.SliceOfN(word, 0, 4).Draw(t, "words")
		tail := rapid.SampledFrom([]string{"", "", "", " {", "}", ";", "  ", " // note one", "\t"}).Draw(t, "tail")
		return indent + strings.Join(words, rapid.SampledFrom([]string{" ", " = ", "+", ", ", "  "}).Draw(t, "joint")) + tail
	})
	end := rapid.SampledFrom([]string{"\n", "\n", "\r\n"})
	var b strings.Builder
	if rapid.Float64Range(0, 1).Draw(t, "bom") < 0.1 {
		b.Write(bom)
	}
	for _, l := range rapid.SliceOfN(line, 0, 30).Draw(t, "lines") {
		b.WriteString(l + end.Draw(t, "end"))
	}
	b.WriteString(rapid.SampledFrom([]string{"", "last"}).Draw(t, "last"))
	return b.String()
}

// somePiece draws a text of a file, perhaps changed.
func somePiece(t *rapid.T, content string) string {
	if len(content) == 0 {
		return rapid.StringN(0, 10, -1).Draw(t, "other")
	}
	from := rapid.IntRange(0, len(content)-1).Draw(t, "from")
	to := rapid.IntRange(from, len(content)).Draw(t, "to")
	text := content[from:to]
	return rapid.SampledFrom([]func(string) string{
		func(s string) string { return s },
		strings.ToUpper,
		func(s string) string { return strings.ReplaceAll(s, "\r\n", "\n") },
		func(s string) string { return strings.ReplaceAll(s, "\n", "\r\n") },
		func(s string) string { return strings.ReplaceAll(s, "\t", "    ") },
		func(s string) string { return strings.ReplaceAll(s, "    ", "\t") },
		func(s string) string { return strings.ReplaceAll(s, " ", "") },
		func(s string) string { return strings.Replace(s, "gamma", "gmama", 1) },
		func(s string) string { return strings.Replace(s, "\n", "\n...\n", 1) },
		func(s string) string { return strings.Replace(s, "\n", "\n\n", 1) },
		strings.TrimSpace,
		func(s string) string { return "\n  " + s + "  \n" },
		func(s string) string { return "```\n" + s + "\n```" },
		func(s string) string {
			_, rest, _ := strings.Cut(s, "\n")
			first, last, _ := strings.Cut(rest, "\n")
			return strings.Replace(s, "\n"+first+"\n"+last, "\n"+last, 1)
		},
	}).Draw(t, "change")(text)
}

// TestPropertyOutside: bytes outside of the reported ranges never change, and
// an exact edit is a splice.
func TestPropertyOutside(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		content := source(t)
		old := somePiece(t, content)
		new := rapid.SampledFrom([]string{"", "changed()", old + "\nmore()", "before()\n" + old, strings.Replace(old, "alpha", "omega", 1), strings.Replace(old, "\n", "\n\tinserted()\n", 1)}).Draw(t, "new")
		opts := &Options{ReplaceAll: rapid.Bool().Draw(t, "all"), NearLine: rapid.IntRange(0, 5).Draw(t, "near")}
		checkEdit(t, content, old, new, opts)
	})
}

// checkEdit is what holds for every edit.
func checkEdit(t rapid.TB, content, old, new string, opts *Options) {
	t.Helper()
	before := []byte(content)
	out := Apply(context.Background(), before, old, new, opts)
	if string(before) != content {
		t.Fatal("the content was changed in place")
	}
	if !out.OK {
		if out.Code == "" || out.Content != nil || len(out.Candidates) > mostCandidates {
			t.Fatalf("refusal %+v", out)
		}
		_ = out.Message("ko")
		return
	}
	checkOutside(t, before, &out)
	if bytes.Equal(out.Content, before) {
		t.Fatal("an edit that changed nothing")
	}
	if out.Line < 1 || out.LastLine < out.Line || len(out.Changes) == 0 || out.Diff == "" {
		t.Fatalf("lines %d-%d, changes %v, diff %q", out.Line, out.LastLine, out.Changes, out.Diff)
	}
	if strings.HasPrefix(content, string(bom)) && len(old) > len(bom) && strings.HasPrefix(old, string(bom)) {
		new = string(bom) + strings.TrimPrefix(new, string(bom)) // it stays
	}
	if out.Tier == Exact && !opts.ReplaceAll && opts.NearLine == 0 {
		if want := strings.Replace(content, old, new, 1); string(out.Content) != want {
			t.Fatalf("an exact edit is no splice: got %q, want %q", out.Content, want)
		}
	}
	if out.Tier == Exact && opts.ReplaceAll {
		if want := strings.ReplaceAll(content, old, new); old != "" && string(out.Content) != want {
			t.Fatalf("got %q, want %q", out.Content, want)
		}
	}
	if bytes.HasPrefix(before, bom) && out.Tier > Trim && !bytes.HasPrefix(out.Content, bom) {
		t.Fatal("the mark at the beginning is gone")
	}
}

// TestPropertyTwice: the same edit again is refused, unless what it wrote
// contains old.
func TestPropertyTwice(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		content := source(t)
		old := somePiece(t, content)
		new := rapid.SampledFrom([]string{"changed()", "wholly\ndifferent\n"}).Draw(t, "new")
		ctx := context.Background()
		once := Apply(ctx, []byte(content), old, new, nil)
		if !once.OK || strings.TrimSpace(old) == "" || once.Tier > Trim {
			return
		}
		if bytes.Contains(once.Content, []byte(strings.TrimSpace(strings.TrimPrefix(old, string(bom))))) {
			return
		}
		if twice := Apply(ctx, once.Content, old, new, nil); twice.OK && twice.Tier <= Trim {
			t.Fatalf("edited again: %q", twice.Content)
		}
	})
}

// TestPropertyRandomOld: a text of other letters is never found.
func TestPropertyRandomOld(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		content := source(t)
		old := rapid.StringMatching(`([Q-Z]{3,12}[ \n\t(]){1,10}`).Draw(t, "old")
		if out := Apply(context.Background(), []byte(content), old, "x", &Options{NearLine: 3}); out.OK {
			t.Fatalf("edited under %s: %q", out.Tier, out.Content)
		}
	})
}

// TestPropertyDrift: a block whose indentation and line ends drifted is edited
// as the exact one is, or refused.
func TestPropertyDrift(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		indents := rapid.SliceOfN(rapid.IntRange(1, 4), 3, 12).Draw(t, "indents")
		end := rapid.SampledFrom([]string{"\n", "\r\n"}).Draw(t, "end")
		var file, old, new, want strings.Builder
		file.Write(bom)
		want.Write(bom)
		at := rapid.IntRange(0, len(indents)-1).Draw(t, "at")
		for i, n := range indents {
			body := "line" + string(rune('a'+i)) + "(unique)"
			file.WriteString(strings.Repeat("\t", n) + body + end)
			want.WriteString(strings.Repeat("\t", n) + strings.Replace(body, "unique", map[bool]string{true: "edited", false: "unique"}[i == at], 1) + end)
			old.WriteString(strings.Repeat("  ", n) + body + "\n")
			new.WriteString(strings.Repeat("  ", n) + strings.Replace(body, "unique", map[bool]string{true: "edited", false: "unique"}[i == at], 1) + "\n")
		}
		out := Apply(context.Background(), []byte(file.String()), old.String(), new.String(), nil)
		if !out.OK || string(out.Content) != want.String() {
			t.Fatalf("got %q (%s), want %q", out.Content, out.Code, want.String())
		}
	})
}

func FuzzApply(f *testing.F) {
	f.Add("a\nb\n", "a", "c", false, 0)
	f.Add("\ta()\r\n\tb()\r\n", "  a()\n  b()", "  a()\n  c()", false, 1)
	f.Add(program, "func main() {\n...\n}", "func main() {\n...\n\tx()\n}", false, 0)
	f.Add(program, "\tstart := clokc()\n", "x", true, 0)
	f.Add("\xef\xbb\xbfa = “b”\n", "a = \"b\"", "a = \"c\"", false, 0)
	f.Add("x\r\n\r\n\ny", "x\n\n\n", "\r\n", false, 0)
	f.Fuzz(func(t *testing.T, content, old, new string, all bool, near int) {
		checkEdit(t, content, old, new, &Options{ReplaceAll: all, NearLine: near})
	})
}

func FuzzReadings(f *testing.F) {
	f.Add("1: a\n2: b", "1: a\n2: c")
	f.Add(`a\n\"b\"`, `c\u00e9`)
	f.Add("```\na\n```", "```\nb\n```")
	f.Add("&lt;a&gt;", "&amp;lt;")
	f.Fuzz(func(t *testing.T, old, new string) {
		for _, r := range readings(old, new) {
			if len(r.old.full) != len(r.old.keys) {
				t.Fatal("a reading that is not split")
			}
		}
	})
}

// FuzzDiff: what a difference leaves and what it adds make the second text.
func FuzzDiff(f *testing.F) {
	f.Add([]byte("abcabba"), []byte("cbabac"))
	f.Fuzz(func(t *testing.T, a, b []byte) {
		keys := func(text []byte) []uint64 {
			out := make([]uint64, len(text))
			for i, c := range text {
				out[i] = uint64(c)
			}
			return out
		}
		x, y := keys(a), keys(b)
		changes := diff(x, y)
		up, _ := slideUp(changes, x, y)
		for _, list := range [][]change{changes, up, diffBack(x, y)} {
			var got []uint64
			at := 0
			for _, c := range list {
				if c.fromA < at || c.toA < c.fromA || c.toB < c.fromB {
					t.Fatalf("changes %v", list)
				}
				got = append(got, x[at:c.fromA]...)
				got = append(got, y[c.fromB:c.toB]...)
				at = c.toA
			}
			got = append(got, x[at:]...)
			if !slices.Equal(got, y) {
				t.Fatalf("%q to %q: got %v by %v", a, b, got, list)
			}
		}
	})
}
