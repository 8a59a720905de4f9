package edit

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"pgregory.net/rapid"
)

// devData lies beside the repository: text of other people, which is no part
// of it.
var devData = filepath.Join("..", "..", "shared", "edit", "dev.jsonl")

type devCase struct {
	ID         string            `json:"id"`
	Class      string            `json:"class"`
	Variant    string            `json:"variant"`
	Before     string            `json:"before"`
	Old        string            `json:"old"`
	New        string            `json:"new"`
	ReplaceAll bool              `json:"replace_all"`
	After      []json.RawMessage `json:"after"`
	splices    []splice          `json:"-"`
}

// want is the file that is expected, and false when the edit must be refused.
func (c *devCase) want(t *testing.T) (string, bool) {
	t.Helper()
	if c.After == nil {
		return "", false
	}
	var b strings.Builder
	at := 0
	for _, raw := range c.After {
		var start, end int
		var text string
		if err := json.Unmarshal(raw, &[]any{&start, &end, &text}); err != nil {
			t.Fatal(err)
		}
		c.splices = append(c.splices, splice{start, end, []byte(text)})
		b.WriteString(c.Before[at:start] + text)
		at = end
	}
	return b.String() + c.Before[at:], true
}

// tally counts the outcomes of a class.
type tally struct {
	n, right, missed, wrong int
	refuse, control         bool
}

func TestDevData(t *testing.T) {
	file, err := os.Open(devData)
	if errors.Is(err, fs.ErrNotExist) {
		t.Logf("NOT SCORED: %s is not there, so the gates of the edit data were not checked", devData)
		return
	}
	if err != nil {
		t.Fatal(err)
	}
	defer file.Close()
	verbose := os.Getenv("GONGU_EDIT_SHOW")
	classes := map[string]*tally{}
	lines := bufio.NewReaderSize(file, 1<<20)
	var slowest time.Duration
	firstRight, firstAll := 0, 0
	for {
		line, err := lines.ReadBytes('\n')
		if len(line) == 0 {
			break
		}
		var c devCase
		if err := json.Unmarshal(line, &c); err != nil {
			t.Fatal(err)
		}
		want, edits := c.want(t)
		began := time.Now()
		out := Apply(context.Background(), []byte(c.Before), c.Old, c.New, &Options{ReplaceAll: c.ReplaceAll})
		slowest = max(slowest, time.Since(began))
		count := classes[c.Class]
		if count == nil {
			count = &tally{refuse: !edits, control: slices.Contains([]string{"exact", "inline", "replace_all"}, c.Class)}
			classes[c.Class] = count
		}
		count.n++
		switch {
		case out.OK && edits && string(out.Content) == want, !out.OK && !edits:
			count.right++
		case out.OK:
			count.wrong++
			t.Errorf("%s %s/%s: wrong edit (%s)", c.ID, c.Class, c.Variant, out.Tier)
		default:
			count.missed++
			if verbose != "" {
				t.Logf("%s %s/%s: missed: %s %s", c.ID, c.Class, c.Variant, out.Code, firstRunes(out.Message("en"), 200))
			}
			if firstAll++; len(out.Candidates) > 0 && near(&c, &out) {
				firstRight++
			}
		}
		if out.OK {
			checkOutside(t, []byte(c.Before), &out)
		}
		if err != nil {
			break
		}
	}
	t.Log(scoreTable(classes))
	t.Logf("slowest %v; of the missed edits the right place is candidate 1 in %d of %d", slowest, firstRight, firstAll)
	checkGates(t, classes)
}

// near reports whether the first candidate is where the edit belongs.
func near(c *devCase, out *Outcome) bool {
	line := 1 + strings.Count(c.Before[:c.splices[0].start], "\n")
	last := 1 + strings.Count(c.Before[:c.splices[len(c.splices)-1].end], "\n")
	first := out.Candidates[0]
	return first.Line <= last && first.LastLine >= line
}

func scoreTable(classes map[string]*tally) string {
	var b strings.Builder
	fmt.Fprintf(&b, "\n%-18s %5s %7s %7s %6s\n", "class", "n", "right%", "missed", "WRONG")
	for _, name := range slices.Sorted(maps.Keys(classes)) {
		c := classes[name]
		fmt.Fprintf(&b, "%-18s %5d %7.1f %7d %6d\n", name, c.n, 100*float64(c.right)/float64(c.n), c.missed, c.wrong)
	}
	return b.String()
}

// checkGates asserts the bounds for data like this.
func checkGates(t *testing.T, classes map[string]*tally) {
	t.Helper()
	n, right := 0, 0
	for name, c := range classes {
		least := 95.0
		switch {
		case c.refuse || c.control:
			least = 100
		case slices.Contains([]string{"missing_line", "comment_drift", "elided"}, name):
			least = 93
		}
		if got := 100 * float64(c.right) / float64(c.n); got < least {
			t.Errorf("%s: %.1f %% right, at least %.0f %% are wanted", name, got, least)
		}
		if !c.refuse && !c.control {
			n += c.n
			right += c.right
		}
	}
	if got := 100 * float64(right) / float64(n); got < 99 {
		t.Errorf("perturbed: %.1f %% right, at least 99 %% are wanted", got)
	}
}

// checkOutside wants the bytes outside the reported ranges to be the same.
func checkOutside(t rapid.TB, before []byte, out *Outcome) {
	t.Helper()
	at, now := 0, 0
	for _, c := range out.Changes {
		if string(before[at:c.Start]) != string(out.Content[now:c.NewStart]) {
			t.Errorf("bytes before %d changed", c.Start)
		}
		at, now = c.End, c.NewEnd
	}
	if string(before[at:]) != string(out.Content[now:]) {
		t.Errorf("bytes behind %d changed", at)
	}
}
