package main

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"time"

	"github.com/gongu-ai/gongu/edit"
)

// editor is one way to make an edit: the new content, or false. The content
// comes in both forms, so that nobody pays for turning one into the other.
type editor struct {
	name, note string
	apply      func(content string, raw []byte, old, new string, all bool) (edited func() string, ok bool)
	// most is the largest file that it is timed with, 0 for any.
	most int
}

func editors() []editor {
	return []editor{
		{name: "gongu", note: "`edit.Apply`", apply: func(_ string, raw []byte, old, new string, all bool) (func() string, bool) {
			out := edit.Apply(context.Background(), raw, old, new, &edit.Options{ReplaceAll: all})
			return func() string { return string(out.Content) }, out.OK
		}},
		{name: "exact", note: "the text as it is, if it occurs once", apply: onText(replaceExact)},
		{name: "sketch", note: "the nine passes as the seed prints them: offsets of normalised text", apply: onText(replaceSketch), most: 1 << 20},
	}
}

func onText(apply func(content, old, new string, all bool) (string, bool)) func(string, []byte, string, string, bool) (func() string, bool) {
	return func(content string, _ []byte, old, new string, all bool) (func() string, bool) {
		edited, ok := apply(content, old, new, all)
		return func() string { return edited }, ok
	}
}

// replaceExact is what most tools do.
func replaceExact(content, old, new string, all bool) (string, bool) {
	switch n := strings.Count(content, old); {
	case n == 0 || n > 1 && !all:
		return "", false
	}
	return strings.ReplaceAll(content, old, new), true
}

// editCase is what one edit of the timing is.
type editCase struct {
	name, old, new string
	ok             bool
}

// editFile makes a file of about a size, and edits of one of its functions.
func editFile(size int) (content string, cases []editCase) {
	var b strings.Builder
	words := strings.Fields("alpha beta gamma delta order user token cache index limit route shard queue batch event frame value state")
	var blocks []string
	for i := 0; b.Len() < size; i++ {
		w, x, y := words[i%18], words[i*7%18], words[i*11%18]
		block := fmt.Sprintf("// %s%s%d handles the %s of one %s.\nfunc %s%s%d(%s int, %ss []string) (int, error) {\n\tif %s > %d {\n\t\treturn %d, fmt.Errorf(\"%s %s %d: %%d\", %s)\n\t}\n\tfor _, x := range %ss {\n\t\t%s += len(x) * %d\n\t}\n\treturn %s, nil\n}\n\n",
			w, x, i, y, x, w, x, i, y, w, y, i%997, i*31%9999, w, x, i, y, w, y, i%97+2, y)
		blocks = append(blocks, block)
		b.WriteString(block)
	}
	old := strings.TrimRight(blocks[len(blocks)*2/3], "\n")
	new := strings.Replace(old, "len(x) *", "cap(x) *", 1)
	return b.String(), []editCase{
		{"exact", old, new, true},
		{"other indentation", strings.ReplaceAll(old, "\t", "    "), strings.ReplaceAll(new, "\t", "    "), true},
		{"a slip of a letter", strings.Replace(old, "handles", "hnadles", 1), strings.Replace(new, "handles", "hnadles", 1), true},
		{"not there", strings.ToUpper(old), new, false},
	}
}

// editSizes are the files of the timing, how often each edit is made, and the
// gates: the slowest of a hundred for exact text and for anything else.
var editSizes = []struct {
	name        string
	bytes, reps int
	exact, any  time.Duration
}{
	{"1 KB", 1 << 10, 2000, 0, 0},
	{"50 KB", 50 << 10, 1000, time.Millisecond, 3 * time.Millisecond},
	{"1 MB", 1 << 20, 200, 2 * time.Millisecond, 25 * time.Millisecond},
	{"10 MB", 10 << 20, 100, 25 * time.Millisecond, 300 * time.Millisecond},
}

// measureEdit times edits, and scores them where the data is.
func measureEdit(p plan) (section, error) {
	s := section{title: "Editing a file"}
	var text strings.Builder
	text.WriteString("One edit of a function in a made-up file of Go, in memory: `edit.Apply` beside replacing exact text and beside the nine passes written down literally. *p50* and *p99* are over all repetitions, in turns, with garbage collected before each. The others copy the file, too; they make no diff and no candidates. The sketch is not timed above 1 MB.\n\n")
	text.WriteString("| file | edit | gongu p50 | p99 | exact p50 | p99 | sketch p50 | p99 |\n|---|---|---:|---:|---:|---:|---:|---:|\n")
	for _, size := range editSizes {
		if p.quick && size.bytes > 50<<10 {
			continue
		}
		reps := size.reps
		if p.quick {
			reps = 3
		}
		content, cases := editFile(size.bytes)
		for _, c := range cases {
			row, p99, err := timeEdit(size.name, content, c, reps)
			if err != nil {
				return s, err
			}
			text.WriteString(row)
			if limit := map[bool]time.Duration{true: size.exact, false: size.any}[c.name == "exact"]; limit > 0 {
				s.gates = append(s.gates, atMost("an edit of "+size.name+", "+c.name+", p99", p99, float64(limit), duration))
			}
		}
	}
	scored, gates, err := scoreEdits(filepath.Join("..", "..", "shared", "edit", "dev.jsonl"), p.quick)
	if err != nil {
		return s, err
	}
	text.WriteString(scored)
	s.gates = append(s.gates, gates...)
	s.text = strings.TrimRight(text.String(), "\n")
	return s, nil
}

// timeEdit makes one edit with everybody, in turns, and gives the row of the
// table and gongu's p99 in nanoseconds.
func timeEdit(size, content string, c editCase, reps int) (row string, p99 float64, err error) {
	all, raw := editors(), []byte(content)
	times := make([][]float64, len(all))
	for round := range reps + 1 {
		for _, i := range order(round, len(all)) {
			if all[i].most > 0 && len(content) > all[i].most+all[i].most/10 || all[i].name == "sketch" && round > max(3, reps/20) {
				continue
			}
			runtime.GC() // nobody pays for the garbage of the one before
			began := time.Now()
			_, ok := all[i].apply(content, raw, c.old, c.new, false)
			took := time.Since(began)
			if all[i].name == "gongu" && ok != c.ok {
				return "", 0, fmt.Errorf("%s, %s: edited is %v", size, c.name, ok)
			}
			if round > 0 { // the first one warms up
				times[i] = append(times[i], float64(took.Nanoseconds()))
			}
		}
	}
	row = fmt.Sprintf("| %s | %s |", size, c.name)
	for i := range all {
		if len(times[i]) == 0 {
			row += " – | – |"
			continue
		}
		sorted := slices.Sorted(slices.Values(times[i]))
		row += fmt.Sprintf(" %s | %s |", duration(quantile(sorted, 0.5)), duration(quantile(sorted, 0.99)))
		if i == 0 {
			p99 = quantile(sorted, 0.99)
		}
	}
	return row + "\n", p99, nil
}

// editScore counts outcomes.
type editScore struct{ n, right, wrong, refusable, refused int }

// scoreEdits runs everybody over recorded edits, if they are there: they are
// text of other people and no part of the repository.
func scoreEdits(path string, quick bool) (string, []gate, error) {
	file, err := os.Open(path)
	if errors.Is(err, fs.ErrNotExist) {
		return "\nThe recorded edits were not there, so nothing was scored.\n", nil, nil
	}
	if err != nil {
		return "", nil, err
	}
	defer func() { _ = file.Close() }() // nothing was written
	all := editors()
	scores := make([]editScore, len(all))
	lines := bufio.NewReaderSize(file, 1<<20)
	for n := 0; !quick || n < 50; n++ {
		line, err := lines.ReadBytes('\n')
		if len(line) > 0 {
			if err := scoreEdit(all, scores, line); err != nil {
				return "", nil, err
			}
		}
		if errors.Is(err, io.EOF) {
			break
		}
		if err != nil {
			return "", nil, err
		}
	}
	var b strings.Builder
	fmt.Fprintf(&b, "\nThe same over %s recorded edits, of which %s must be refused. *right* is the file that was expected, or a refusal where one was; *wrong* is any other change.\n\n", count(scores[0].n), count(scores[0].refusable))
	b.WriteString("| | right | wrong | refused where it must be | |\n|---|---:|---:|---:|---|\n")
	for i, e := range all {
		s := scores[i]
		fmt.Fprintf(&b, "| %s | %.1f %% | %.1f %% | %.1f %% | %s |\n", e.name, share(s.right, s.n), share(s.wrong, s.n), share(s.refused, s.refusable), e.note)
	}
	return b.String(), []gate{atMost("an edit, wrong ones of "+count(scores[0].n), float64(scores[0].wrong), 0, whole)}, nil
}

func share(part, all int) float64 { return 100 * float64(part) / float64(max(all, 1)) }

func scoreEdit(all []editor, scores []editScore, line []byte) error {
	var c struct {
		Before, Old, New string
		ReplaceAll       bool `json:"replace_all"`
		After            []json.RawMessage
	}
	if err := json.Unmarshal(line, &c); err != nil {
		return fmt.Errorf("a recorded edit: %w", err)
	}
	var want strings.Builder
	at := 0
	for _, raw := range c.After {
		var start, end int
		var text string
		if err := json.Unmarshal(raw, &[]any{&start, &end, &text}); err != nil {
			return fmt.Errorf("a recorded edit: %w", err)
		}
		want.WriteString(c.Before[at:start] + text)
		at = end
	}
	want.WriteString(c.Before[at:])
	for i, e := range all {
		got, ok := e.apply(c.Before, []byte(c.Before), c.Old, c.New, c.ReplaceAll)
		s := &scores[i]
		s.n++
		switch {
		case c.After == nil && !ok:
			s.refused++
			s.right++
		case ok && c.After != nil && got() == want.String():
			s.right++
		case ok:
			s.wrong++
		}
		if c.After == nil {
			s.refusable++
		}
	}
	return nil
}
