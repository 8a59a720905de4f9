package main

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/gongu-ai/gongu/search"
)

// What a search may cost, in time and beside others in the same run.
const (
	searchTime    = time.Millisecond
	searchIndex   = 600 * time.Millisecond
	searchToBleve = 1. / 20
	searchToPlain = 1.
	changeToBleve = 1. / 5
	replyEntries  = 8
)

// searcher is an index of tools.
type searcher interface {
	search(query string, k int) (names []string, err error)
	close() error
}

// changer is an index that can be changed one tool at a time.
type changer interface {
	searcher
	add(d *document) error
	remove(name string) error
}

var _, _ changer = (*ourIndex)(nil), (*bleveIndex)(nil)

// ourIndex is search.Index.
type ourIndex struct{ search.Index }

func (x *ourIndex) search(query string, k int) ([]string, error) {
	names := make([]string, 0, k)
	for _, hit := range x.Search(query, k) {
		names = append(names, hit.Name)
	}
	return names, nil
}

func (x *ourIndex) add(d *document) error { x.Add(d.tool); return nil }

func (x *ourIndex) remove(name string) error { x.Remove(name); return nil }

func (x *ourIndex) close() error { return nil }

// searchMaker is one way to search, and how to make its index.
type searchMaker struct {
	name, note string
	build      func(docs []document) (searcher, error)
}

const (
	oursName     = "gongu"
	standardName = "bleve standard"
	englishName  = "bleve en + name split"
	plainName    = "plain BM25"
)

// searchers are those that are timed, ours first.
func searchers() []searchMaker {
	return []searchMaker{
		{oursName, "`search.Index`", func(docs []document) (searcher, error) {
			x := &ourIndex{}
			for i := range docs {
				x.Add(docs[i].tool)
			}
			return x, nil
		}},
		{standardName, "`bleve.NewMemOnly`, the standard analyzer", makeBleve(bleveStandard)},
		{englishName, "`bleve.NewMemOnly`, the analyzer of English, names given as words", makeBleve(bleveEnglish)},
		{"bleve standard, scorch", "bleve's engine for disks, kept in memory, all tools in one segment", makeBleve(bleveScorch)},
		{plainName, "k1 1.2, b 0.75, names split, Porter's stems, every word counts, weights worked out beforehand", makePlain(false)},
		{"plain BM25, stop words left out", "the same without the commonest words of English", makePlain(true)},
	}
}

// scoredSearchers are those whose rankings are compared, ours first.
func scoredSearchers() []searchMaker {
	all := searchers()
	all[1].build, all[2].build = makeBleve(bleveScorch), makeBleve(bleveScorchEnglish)
	return slices.Delete(all, 3, 4) // scorch itself, which ranks as the standard
}

func makeBleve(kind bleveKind) func([]document) (searcher, error) {
	return func(docs []document) (searcher, error) { return newBleve(kind, docs) }
}

func makePlain(withoutStops bool) func([]document) (searcher, error) {
	return func(docs []document) (searcher, error) { return newBM25(docs, withoutStops) }
}

// searchSize is a number of tools and how much is asked of them: bleve takes
// too long among many for as many questions.
type searchSize struct{ tools, rounds, queries int }

// searchPlan is the sizes, how often an index is built, and how often changed.
// Gates are about gate tools.
type searchPlan struct {
	sizes           []searchSize
	gate            int
	builds          int
	changes, change int
	replies         int
}

func searchPlanOf(p plan) searchPlan {
	if p.quick {
		return searchPlan{sizes: []searchSize{{200, 2, 5}}, gate: 200, builds: 1, changes: 2, change: 2, replies: 10}
	}
	return searchPlan{
		sizes: []searchSize{{1_000, 8, 75}, {10_000, 8, 75}, {100_000, 4, 25}},
		gate:  10_000, builds: 3, changes: 15, change: 20, replies: 400,
	}
}

// measureSearch is finding tools by what they do.
func measureSearch(ctx context.Context, p plan) (section, error) {
	sp := searchPlanOf(p)
	c, err := newSearchCorpus(searchDir())
	if err != nil {
		return section{}, err
	}
	s := section{title: "Searching for a tool"}
	var text strings.Builder
	fmt.Fprintf(&text, "Tools and queries: %s. Where there are too few tools they come again under other names. Everybody has all words of a tool and keeps its index in memory; bleve and BM25 are given one text for each tool, laid out beforehand, and bleve stores nothing but the index. "+
		"In a round each takes its turn with the same queries, which are others in the next round, and asks for ten tools. *p50* and *p99* are over all of them; the ratio is of the p50 within a round, the median over the rounds.\n\n", c.source)
	text.WriteString("| tools | | p50 | p99 | ratio to gongu | |\n|---:|---|---:|---:|---:|---|\n")
	var after string
	for _, size := range sp.sizes {
		run, err := runSearches(c, size, searchers())
		if err != nil {
			return s, err
		}
		text.WriteString(run.rows())
		if size.tools == sp.gate {
			if after, err = gatedSearch(&s, run, sp, c); err != nil {
				return s, err
			}
		}
		if err := run.close(); err != nil {
			return s, err
		}
	}
	text.WriteString(after)
	if c.found {
		scored, gates, err := scoreSearches(searchDir(), p.quick)
		if err != nil {
			return s, err
		}
		text.WriteString(scored)
		s.gates = append(s.gates, gates...)
	} else {
		text.WriteString("\nThe development sets were not there, so no ranking was scored.\n")
	}
	entries, lines, size, err := searchReplies(ctx, c, sp.replies)
	if err != nil {
		return s, err
	}
	fmt.Fprintf(&text, "\n`search_tools`, asked among tools whose descriptions have several lines and a kilobyte: at most %s of %s each, %s bytes.\n",
		plural(entries, "tool"), plural(lines, "line"), count(size))
	s.gates = append(s.gates,
		atMost("search: tools in a reply", float64(entries), replyEntries, whole),
		atMost("search: lines of a tool in a reply", float64(lines), 1, whole))
	s.text = strings.TrimRight(text.String(), "\n")
	return s, nil
}

// gatedSearch is what is measured at the one size that gates are about.
func gatedSearch(s *section, run *searchRun, sp searchPlan, c *searchCorpus) (string, error) {
	in := fmt.Sprintf("search: among %s tools, ", count(sp.gate))
	s.gates = append(s.gates,
		atMost(in+"p50", run.p50(oursName), float64(searchTime), duration),
		atMost(in+"p50 to bleve standard", 1/run.ratio(standardName), searchToBleve, oneIn),
		atMost(in+"p50 to plain BM25", 1/run.ratio(plainName), searchToPlain, times))
	changed, err := measureChanges(run, sp)
	if err != nil {
		return "", err
	}
	for _, what := range []string{"add", "remove"} {
		if m, ok := find(changed, changeName(what, oursName)); ok {
			s.gates = append(s.gates, atMost(in+what+" one, to bleve standard", m.ratio.median, changeToBleve, oneIn))
		}
	}
	built, err := measureIndexing(c.documents(sp.gate), sp.builds)
	if err != nil {
		return "", err
	}
	s.gates = append(s.gates, atMost(fmt.Sprintf("search: an index of %s tools", count(sp.gate)), built[0].time.median, float64(searchIndex), duration))
	s.tables = append(s.tables,
		table{title: fmt.Sprintf("An index of %s tools", count(sp.gate)), relation: standardName, rows: built},
		table{title: fmt.Sprintf("One change among %s tools", count(sp.gate)), relation: standardName, rows: changed})
	if !c.found {
		return "", nil
	}
	return run.bySet(), nil
}

// oneIn prints a ratio below one.
func oneIn(ratio float64) string { return fmt.Sprintf("1/%.1f", 1/ratio) }
