package edit

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"runtime"
	"strings"
	"testing"
	"time"
)

// TestWorstCases: files and texts that make careless searches quadratic. The
// bound is far above what they take, and far below what a quadratic one would.
func TestWorstCases(t *testing.T) {
	const size = 2 << 20
	equal := strings.Repeat("\tx = 1\n", size/7)
	braces := strings.Repeat("}\n", size/2)
	oneLine := strings.Repeat("word, ", size/6)
	var period strings.Builder
	for i := 0; period.Len() < size; i++ {
		fmt.Fprintf(&period, "\tvalue%d = compute(%d)\n", i%7, i%5)
	}
	long := func(line string) string { return strings.Repeat(line, 10_000) }
	for _, tc := range []struct{ name, content, old, new string }{
		{"equal lines, exact", equal, "\tx = 1\n", "\ty = 1\n"},
		{"equal lines, many", equal, long("\tx = 1\n"), "y"},
		{"equal lines, indented", equal, long("  x = 1\n"), "y"},
		{"equal lines, one more", equal, long("  x = 1\n") + "  y = 2\n", "y"},
		{"equal lines, a slip", strings.ReplaceAll(equal, "x =", "xvalue ="), long("  xvalue = 1\n") + "  xvlaue = 1\n", "y"},
		{"equal lines, an elision", equal, long("\tx = 1\n") + "...\n" + long("\tx = 1\n"), "y\n...\nz"},
		{"equal comments", strings.Repeat("// note this\ncode()\n", size/20), long("// note that\ncode()\n"), "y"},
		{"braces", braces, long("  }\n") + "end\n", "y"},
		{"one line", oneLine, "word, word , wrod", "y"},
		{"one line, long", oneLine, strings.Repeat("word, ", 50_000) + "end", "y"},
		{"one line, blanks", oneLine, strings.Repeat("word,  ", 50_000), "y"},
		{"one byte", strings.Repeat("a", size), strings.Repeat("a", size/4) + "b", "y"},
		{"one byte, many", strings.Repeat("a", size), strings.Repeat("a", size/4), "y"},
		{"blank lines", strings.Repeat("\n", size), strings.Repeat("\n", 1000) + "x", "y"},
		{"carriage returns", strings.Repeat("a\r\n", size/3), long("a\n"), "y"},
		{"period", period.String(), long("  value1 = compute(1)\n  value2 = compute(2)\n"), "y"},
		{"long old and new", period.String(), long("nothing(1)\n") + period.String()[:100_000], long("other(2)\n")},
	} {
		t.Run(tc.name, func(t *testing.T) {
			began := time.Now()
			out := Apply(context.Background(), []byte(tc.content), tc.old, tc.new, nil)
			if took := time.Since(began); took > 30*time.Second {
				t.Errorf("%v (%s)", took, out.Code)
			}
			if out.OK {
				t.Errorf("edited under %s", out.Tier)
			}
		})
	}
}

func TestReplaceAllOfVeryMany(t *testing.T) {
	lines := strings.Repeat("\tx = 1\n", 200_000)
	if out := apply1(t, lines, strings.Repeat("  x = 1\n", 10_000), "  y = 2\n", &Options{ReplaceAll: true}); string(out.Content) != strings.Repeat("\ty = 2\n", 20) {
		t.Errorf("%d bytes (%s)", len(out.Content), out.Code)
	}
	content := strings.Repeat("ab", 1<<20)
	out := apply1(t, content, "a", "xyz", &Options{ReplaceAll: true})
	if want := strings.ReplaceAll(content, "a", "xyz"); string(out.Content) != want || len(out.Diff) > 2*longestDiff {
		t.Errorf("%d bytes, diff of %d bytes", len(out.Content), len(out.Diff))
	}
}

// TestCancelStops: an edit that would take long ends soon after its context.
func TestCancelStops(t *testing.T) {
	content := []byte(strings.Repeat("some line of text\n", 1_000_000))
	ctx, cancel := context.WithTimeout(context.Background(), time.Millisecond)
	defer cancel()
	out := Apply(ctx, content, "some line of txet\nsome other", "x", nil)
	if out.OK || !errors.Is(out.Err, context.DeadlineExceeded) {
		t.Errorf("outcome %s %v", out.Code, out.Err)
	}
}

// synthetic is a file of some size, and the text of one of its functions.
func synthetic(size int) (content, block string) {
	var b strings.Builder
	words := strings.Fields("alpha beta gamma delta order user token cache index limit route shard queue batch event frame value state")
	var blocks []string
	for i := 0; b.Len() < size; i++ {
		w, x, y := words[i%18], words[i*7%18], words[i*11%18]
		f := fmt.Sprintf("// %s%s%d handles the %s of one %s.\nfunc %s%s%d(%s int, %ss []string) (int, error) {\n\tif %s > %d {\n\t\treturn %d, fmt.Errorf(\"%s %s %d: %%d\", %s)\n\t}\n\tfor _, x := range %ss {\n\t\t%s += len(x) * %d\n\t}\n\treturn %s, nil\n}\n\n",
			w, x, i, y, x, w, x, i, y, w, y, i%997, i*31%9999, w, x, i, y, w, y, i%97+2, y)
		blocks = append(blocks, f)
		b.WriteString(f)
	}
	return b.String(), strings.TrimRight(blocks[len(blocks)*2/3], "\n")
}

func BenchmarkApply(b *testing.B) {
	for _, size := range []struct {
		name  string
		bytes int
	}{{"1KB", 1 << 10}, {"50KB", 50 << 10}, {"1MB", 1 << 20}, {"10MB", 10 << 20}} {
		content, old := synthetic(size.bytes)
		new := strings.Replace(old, "len(x) *", "cap(x) *", 1)
		for _, sc := range []struct {
			name, old, new string
			ok             bool
		}{
			{"exact", old, new, true},
			{"indent", strings.ReplaceAll(old, "\t", "    "), strings.ReplaceAll(new, "\t", "    "), true},
			{"slip", strings.Replace(old, "handles", "hnadles", 1), strings.Replace(new, "handles", "hnadles", 1), true},
			{"absent", strings.ToUpper(old), new, false},
		} {
			b.Run(size.name+"/"+sc.name, func(b *testing.B) {
				b.SetBytes(int64(len(content)))
				b.ReportAllocs()
				before := []byte(content)
				for b.Loop() {
					if out := Apply(context.Background(), before, sc.old, sc.new, nil); out.OK != sc.ok {
						b.Fatalf("%s %s", out.Code, out.Tier)
					}
				}
			})
		}
	}
}

// TestMemory: at 10 MB an edit needs at most 6 times the file.
func TestMemory(t *testing.T) {
	content, old := synthetic(10 << 20)
	before := []byte(content)
	for name, text := range map[string]string{"indent": strings.ReplaceAll(old, "\t", "  "), "slip": strings.Replace(old, "handles", "hnadles", 1), "absent": strings.ToUpper(old)} {
		var start, end runtime.MemStats
		runtime.GC()
		runtime.ReadMemStats(&start)
		out := Apply(context.Background(), before, text, text+"\n// changed", nil)
		runtime.ReadMemStats(&end)
		if used := end.TotalAlloc - start.TotalAlloc; used > 6*uint64(len(content)) {
			t.Errorf("%s (ok %v): %d MB for a file of %d MB", name, out.OK, used>>20, len(content)>>20)
		}
	}
	if bytes.IndexByte(before, 0) >= 0 {
		t.Error("the content was changed")
	}
}
