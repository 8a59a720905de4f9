package pin_test

import (
	"bufio"
	"encoding/json"
	"fmt"
	"os"
	"slices"
	"testing"

	"github.com/gongu-ai/gongu/pin"
)

// sample is a line of testdata/corpus.jsonl, which is our own writing.
type sample struct {
	Label       string
	Rule        string
	Name        string
	Description string
	Input       json.RawMessage
	Known       []string
	Split       []string
}

func (s sample) definitions() []pin.Definition {
	if len(s.Split) > 0 {
		var out []pin.Definition
		for i, text := range s.Split {
			out = append(out, pin.Definition{Name: fmt.Sprintf("tool_%d", i), Description: text})
		}
		return out
	}
	name := s.Name
	if name == "" {
		name = "a_tool"
	}
	return []pin.Definition{{Name: name, Description: s.Description, Input: s.Input}}
}

func corpus(t *testing.T) []sample {
	t.Helper()
	file, err := os.Open("testdata/corpus.jsonl")
	if err != nil {
		t.Fatal(err)
	}
	defer file.Close()
	var all []sample
	for lines := bufio.NewScanner(file); lines.Scan(); {
		var s sample
		if err := json.Unmarshal(lines.Bytes(), &s); err != nil {
			t.Fatal(err)
		}
		all = append(all, s)
	}
	return all
}

// Promise S5: the corpus, its hit rate and its false alarms.
func TestS5_Corpus(t *testing.T) {
	var hits, found, clean, alarms int
	for i, s := range corpus(t) {
		findings := pin.Scan(s.definitions(), s.Known)
		serious := slices.DeleteFunc(slices.Clone(findings), func(f pin.Finding) bool { return f.Severity < pin.High })
		if s.Label == "clean" {
			clean++
			if len(serious) > 0 {
				alarms++
				t.Logf("line %d: false alarm: %q: %+v", i+1, s.Description, serious)
			}
			continue
		}
		hits++
		if slices.ContainsFunc(serious, func(f pin.Finding) bool { return f.Rule == s.Rule }) {
			found++
		} else {
			t.Logf("line %d: missed %s: %q %v: %+v", i+1, s.Rule, s.Description, s.Split, findings)
		}
	}
	t.Logf("hits %d of %d (%.1f %%), false alarms %d of %d (%.1f %%)",
		found, hits, 100*float64(found)/float64(hits), alarms, clean, 100*float64(alarms)/float64(clean))
	if hits < 50 || clean < 50 {
		t.Fatal("the corpus is too small to say anything")
	}
	if found*100 < hits*97 {
		t.Error("the scanner misses too much of what it knows")
	}
	if alarms*100 > clean*2 {
		t.Error("the scanner cries wolf")
	}
}
