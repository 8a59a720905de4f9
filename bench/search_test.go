package main

import (
	"errors"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/gongu-ai/gongu"
)

func TestNDCG(t *testing.T) {
	second := 1 / math.Log2(3)
	for _, tc := range []struct {
		ranked, gold []string
		want         float64
	}{
		{[]string{"a", "b"}, []string{"a"}, 1},
		{[]string{"b", "a"}, []string{"a"}, second},
		{[]string{"a", "x", "b"}, []string{"a", "b"}, (1 + 0.5) / (1 + second)},
		{[]string{"x"}, []string{"a"}, 0},
		{nil, []string{"a"}, 0},
		{[]string{"a"}, nil, 0},
		{strings.Fields("0 1 2 3 4 5 6 7 8 9 a"), []string{"a"}, 0}, // the eleventh
	} {
		if got := ndcg(tc.ranked, tc.gold); math.Abs(got-tc.want) > 1e-12 {
			t.Errorf("%v for %v: %v, want %v", tc.ranked, tc.gold, got, tc.want)
		}
	}
}

func searchDocuments() []document {
	var docs []document
	for name, text := range map[string]string{
		"getWeather": "The forecast for a city.", "send_mail": "Sends a message to people.", "list-files": "What is in a folder.",
	} {
		docs = append(docs, documentOf(gongu.Tool{Name: name, Description: text,
			Parameters: gongu.Schema(`{"type":"object","properties":{"whereTo":{"type":"string","description":"a ` + name[:3] + `destination","enum":["north"]}}}`)}))
	}
	return docs
}

// A comparison means something only if all find what there is to find.
func TestSearchersFind(t *testing.T) {
	for _, m := range append(searchers(), scoredSearchers()...) {
		x, err := m.build(searchDocuments())
		if err != nil {
			t.Fatal(err)
		}
		for query, want := range map[string]string{"forecast city": "getWeather", "message people": "send_mail", "a folder": "list-files", "lisdestination": "list-files"} {
			if names, err := x.search(query, 10); err != nil || len(names) == 0 || names[0] != want {
				t.Errorf("%s, %q: %v, %v, want %s", m.name, query, names, err, want)
			}
		}
		if err := x.close(); err != nil {
			t.Error(err)
		}
	}
}

// What is timed as a change is one.
func TestSearchersChange(t *testing.T) {
	docs := searchDocuments()
	for _, m := range searchers() {
		x, err := m.build(docs)
		if err != nil {
			t.Fatal(err)
		}
		c, ok := x.(changer)
		if !ok {
			continue
		}
		found := func() bool {
			names, err := x.search("forecast", 10)
			if err != nil {
				t.Fatal(err)
			}
			return slices.Contains(names, "getWeather")
		}
		at := slices.IndexFunc(docs, func(d document) bool { return d.tool.Name == "getWeather" })
		if err := c.remove("getWeather"); err != nil || found() {
			t.Errorf("%s: still there after it was removed, %v", m.name, err)
		}
		if err := c.add(&docs[at]); err != nil || !found() {
			t.Errorf("%s: not there after it was added, %v", m.name, err)
		}
		if err := x.close(); err != nil {
			t.Error(err)
		}
	}
}

// BM25 against the formula, by hand.
func TestPlainBM25(t *testing.T) {
	x, err := newBM25([]document{{split: "red red box"}, {split: "blue box of"}}, true)
	if err != nil {
		t.Fatal(err)
	}
	// two words red of three, 2.5 on average; "of" is left out.
	want := 2 * 2.2 / (2 + 1.2*(0.25+0.75*3/2.5))
	if got := x.lists["red"]; len(got) != 1 || math.Abs(float64(got[0].by)-want) > 1e-6 {
		t.Errorf("got %v, want %v", got, want)
	}
	if len(x.lists["of"]) != 0 {
		t.Error("a stop word is in the index")
	}
	if kept, err := newBM25([]document{{split: "box of"}}, false); err != nil || len(kept.lists["of"]) != 1 {
		t.Errorf("a word was left out: %v", err)
	}
}

// The best k come in order, whatever order the tools are in.
func TestPlainBM25Order(t *testing.T) {
	var docs []document
	for i := range 30 {
		docs = append(docs, document{tool: gongu.Tool{Name: fmt.Sprint(i)}, split: "word" + strings.Repeat(" filler", (i*7)%30)})
	}
	x, err := newBM25(docs, false)
	if err != nil {
		t.Fatal(err)
	}
	names, err := x.search("word", 4)
	if want := []string{"0", "13", "26", "9"}; err != nil || !slices.Equal(names, want) {
		t.Errorf("%v, %v, want %v", names, err, want)
	}
}

func TestDocumentText(t *testing.T) {
	d := documentOf(gongu.Tool{Name: "getHTTPPage_v2", Description: "Reads.", Parameters: `{"properties":{"pageUrl":{"type":"string","description":"where","enum":["a","b"]},"list":{"items":{"title":"each"}}},"required":["no"]}`})
	if want := "get HTTPPage v2 Reads. list each page Url where a b"; squeeze(d.split) != want {
		t.Errorf("%q, want %q", squeeze(d.split), want)
	}
	if !strings.HasPrefix(d.plain, "getHTTPPage_v2 Reads.") {
		t.Errorf("%q", d.plain)
	}
}

func squeeze(text string) string { return strings.Join(strings.Fields(text), " ") }

// Copies have names of their own, as many as the largest size needs.
func TestSearchCopies(t *testing.T) {
	c := &searchCorpus{base: makeTools(150)}
	seen := map[string]bool{}
	for _, d := range c.documents(100_000 / 4_000 * 150) {
		seen[d.tool.Name] = true
	}
	if len(seen) != 3_750 {
		t.Errorf("%d names", len(seen))
	}
}

func TestSearchWithoutSets(t *testing.T) {
	c, err := newSearchCorpus(filepath.Join(t.TempDir(), "nothing"))
	if err != nil || c.found || len(c.base) == 0 || len(c.queries) < 600 {
		t.Fatalf("%+v, %v", c, err)
	}
	dir := t.TempDir()
	if err := os.MkdirAll(filepath.Join(dir, "all"), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(dir, "all", "tools.jsonl"), []byte("{"), 0o644); err != nil {
		t.Fatal(err)
	}
	if _, err := newSearchCorpus(dir); err == nil {
		t.Error("a broken set was accepted")
	}
}

func TestSearchRatiosArePaired(t *testing.T) {
	r := &searchRun{makers: []searchMaker{{name: oursName}, {name: standardName}}, perRound: [][]float64{{1, 10, 100}, {30, 300, 3_000}}}
	if got := r.ratio(standardName); got != 30 {
		t.Errorf("ratio is %v", got)
	}
	if got := oneIn(1 / r.ratio(standardName)); got != "1/30.0" {
		t.Error(got)
	}
}

func TestLinesOf(t *testing.T) {
	for text, want := range map[string]int{"": 1, "a": 1, "a\nb": 2, "a\r\nb": 2, "a\rb": 2, "a\u2028b\u2029c": 3} {
		if got := linesOf(text); got != want {
			t.Errorf("%q has %d lines, want %d", text, got, want)
		}
	}
}

// A change that fails off the clock is not lost.
func TestChangesFail(t *testing.T) {
	broken := &brokenIndex{}
	run := &searchRun{makers: []searchMaker{{name: standardName}}, indexes: []searcher{broken}, docs: searchDocuments()}
	if _, err := measureChanges(run, searchPlan{changes: 2, change: 2}); !errors.Is(err, errBroken) {
		t.Errorf("got %v", err)
	}
}

var errBroken = errors.New("broken")

type brokenIndex struct{}

func (*brokenIndex) search(string, int) ([]string, error) { return nil, nil }
func (*brokenIndex) close() error                         { return nil }
func (*brokenIndex) add(*document) error                  { return errBroken }
func (*brokenIndex) remove(string) error                  { return nil }

func TestMeasureSearch(t *testing.T) {
	t.Parallel()
	s, err := measureSearch(t.Context(), quickPlan)
	if err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{"| gongu |", standardName, englishName, plainName, "search_tools"} {
		if !strings.Contains(s.text, want) {
			t.Errorf("%q is missing", want)
		}
	}
	if len(s.gates) < 8 || len(s.tables) != 2 || strings.Contains(s.text, "NaN") {
		t.Errorf("%d gates, %d tables", len(s.gates), len(s.tables))
	}
}
