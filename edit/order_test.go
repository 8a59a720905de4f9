package edit

import (
	"context"
	"fmt"
	"strings"
	"testing"

	"pgregory.net/rapid"
)

// inOrder makes an edit with the passes in another order than strict to loose.
func inOrder(content []byte, e Edit, order []int) Outcome {
	ctx := context.Background()
	s := &search{budget: budget{done: ctx.Done(), steps: most}, ctx: ctx, content: content, edit: e}
	s.readings = readings(e.Old, e.New)
	s.x = newIndex(&s.budget, content)
	passes := []func() (Outcome, bool){s.exact, s.lineEnding, s.wholeLines, s.insideLines, s.elisions, s.comments, s.slips, s.missingLine}
	for _, i := range order {
		if out, done := passes[i](); done {
			return out
		}
	}
	return s.notFound()
}

// distinct draws a file in which no line is like another, so that there is one
// place that can be meant, however it is looked for.
func distinct(t *rapid.T) []string {
	words := []string{"account", "balance", "counter", "digest", "element", "factory", "gateway", "handler", "invoice", "journal", "kernels", "lattice"}
	var lines []string
	for i := range rapid.IntRange(6, 14).Draw(t, "lines") {
		indent := strings.Repeat("\t", rapid.IntRange(0, 3).Draw(t, "indent"))
		word := words[i%len(words)]
		shape := rapid.SampledFrom([]string{"%s%sCreate(value%d, %d)", "%sif %s > limit%d + %d {", "%sreturn %s[%d] * %d", "%s%s := load%d(%d) // keeps the old entry"}).Draw(t, "shape")
		lines = append(lines, fmt.Sprintf(shape, indent, word, i*17, i*31+5))
	}
	return lines
}

// TestPropertyOrder: whatever the order of the passes, an edit that they find
// is the same one, or is refused.
func TestPropertyOrder(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		lines := distinct(t)
		end := rapid.SampledFrom([]string{"\n", "\r\n"}).Draw(t, "end")
		content := strings.Join(lines, end) + end
		from := rapid.IntRange(0, len(lines)-4).Draw(t, "from")
		to := rapid.IntRange(from+3, min(len(lines), from+7)).Draw(t, "to")
		old := strings.Join(lines[from:to], "\n")
		new := strings.Join(lines[from:to-1], "\n") + "\n\tchanged(entirely)"
		drift := rapid.SampledFrom([]func(string) string{
			func(s string) string { return s },
			func(s string) string { return strings.ReplaceAll(s, "\t", "    ") },
			func(s string) string { return strings.ReplaceAll(s, ", ", ",") },
			func(s string) string { return strings.ReplaceAll(s, " ", "  ") },
			func(s string) string { return strings.Replace(s, "Create", "Craete", 1) },
			func(s string) string { return strings.Replace(s, "keeps the old entry", "keeps the old record", 1) },
			func(s string) string { return "\n" + s + "  \n" },
			func(s string) string {
				parts := strings.SplitN(s, "\n", 3)
				return parts[0] + "\n" + parts[len(parts)-1]
			},
			func(s string) string { return strings.Replace(s, "\n", "\n...\n", 1) },
		}).Draw(t, "drift")
		e := Edit{Old: drift(old), New: drift(new)}
		if e.Old == e.New {
			return
		}
		want := apply(context.Background(), []byte(content), e)
		order := rapid.Permutation([]int{0, 1, 2, 3, 4, 5, 6, 7}).Draw(t, "order")
		got := inOrder([]byte(content), e, order)
		if got.OK && want.OK && string(got.Content) != string(want.Content) {
			t.Fatalf("order %v: %s gives %q, strict to loose %s gives %q", order, got.Tier, got.Content, want.Tier, want.Content)
		}
		if got.OK && !want.OK {
			t.Fatalf("order %v edits under %s what is refused with %s: %q", order, got.Tier, want.Code, got.Content)
		}
	})
}
