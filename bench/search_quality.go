package main

import (
	"context"
	"encoding/json"
	"fmt"
	"math"
	"slices"
	"strings"

	"github.com/gongu-ai/gongu"
	"github.com/gongu-ai/gongu/explore"
	"github.com/gongu-ai/gongu/toolrequest"
)

// What the best of other methods reach on each set, and on the mean of the
// sets; ours may be a point below on one set and must be above on the mean.
var ndcgBest = map[string]float64{"funcchat_ko": 70.5, "metatool": 64.5, "seal": 92.6}

const (
	ndcgMean  = 75.1
	ndcgSlack = 1
)

// ndcg is how good a ranking is at 10, from 0 to 1: a wanted tool counts less
// the further down it stands, and all of them on top count 1.
func ndcg(ranked, gold []string) float64 {
	const deep = 10
	var gain, ideal float64
	for i, name := range ranked[:min(deep, len(ranked))] {
		if slices.Contains(gold, name) {
			gain += 1 / math.Log2(float64(i+2))
		}
	}
	for i := range min(deep, len(gold)) {
		ideal += 1 / math.Log2(float64(i+2))
	}
	if ideal == 0 {
		return 0
	}
	return gain / ideal
}

// scoreSearches ranks every query of the development sets with everybody.
func scoreSearches(dir string, quick bool) (string, []gate, error) {
	all := scoredSearchers()
	scores := make([][]float64, len(all)) // by searcher and set, in hundredths
	queries := 0
	for _, set := range searchSets {
		docs, wishes, err := readSet(dir, set, quick)
		if err != nil {
			return "", nil, err
		}
		queries += len(wishes)
		for i, m := range all {
			score, err := scoreSet(m, docs, wishes)
			if err != nil {
				return "", nil, fmt.Errorf("%s, %s: %w", m.name, set, err)
			}
			scores[i] = append(scores[i], 100*score)
		}
	}
	var b strings.Builder
	fmt.Fprintf(&b, "\nHow good the first ten are: nDCG@10 over %s queries, each set in an index of its own, by the same code. Both ways to use bleve run on scorch here.\n\n", count(queries))
	fmt.Fprintf(&b, "| nDCG@10 | %s | mean |\n|---|%s---:|\n", strings.Join(searchSets, " | "), strings.Repeat("---:|", len(searchSets)))
	for i, m := range all {
		fmt.Fprintf(&b, "| %s |", m.name)
		for _, s := range scores[i] {
			fmt.Fprintf(&b, " %.1f |", s)
		}
		fmt.Fprintf(&b, " %.1f |\n", meanOf(scores[i]))
	}
	if quick {
		return b.String(), nil, nil // a sample says nothing about a point
	}
	points := func(v float64) string { return fmt.Sprintf("%.1f", v) }
	var gates []gate
	for i, set := range searchSets {
		gates = append(gates, atLeast("search: nDCG@10, "+set, scores[0][i], ndcgBest[set]-ndcgSlack, points))
	}
	return b.String(), append(gates, atLeast("search: nDCG@10, mean of the sets", meanOf(scores[0]), ndcgMean, points)), nil
}

func meanOf(values []float64) float64 {
	sum := 0.0
	for _, v := range values {
		sum += v
	}
	return sum / float64(len(values))
}

// readSet reads the tools and the queries of a set, or some of the queries.
func readSet(dir, set string, quick bool) ([]document, []wish, error) {
	tools, err := readSearchTools(dir, set)
	if err != nil {
		return nil, nil, err
	}
	wishes, err := readWishes(dir, set)
	if err != nil {
		return nil, nil, err
	}
	if quick {
		wishes = wishes[:min(20, len(wishes))]
	}
	docs := make([]document, len(tools))
	for i, tool := range tools {
		docs[i] = documentOf(tool)
	}
	return docs, wishes, nil
}

func scoreSet(m searchMaker, docs []document, wishes []wish) (float64, error) {
	x, err := m.build(docs)
	if err != nil {
		return 0, err
	}
	sum := 0.0
	for _, w := range wishes {
		names, err := x.search(w.Query, 10)
		if err != nil {
			return 0, err
		}
		sum += ndcg(names, w.Gold)
	}
	return sum / float64(max(1, len(wishes))), x.close()
}

// searchReplies asks search_tools, as a model does, among tools whose
// descriptions have several lines, and says how much it was shown at most.
func searchReplies(ctx context.Context, c *searchCorpus, queries int) (entries, lines, size int, err error) {
	registry := gongu.NewRegistry(&gongu.RegistryOptions{Logger: silence()})
	tools := explore.Tools(&explore.Options{Requests: toolrequest.NewMemory(), Index: &explore.Index{}})
	for i, base := range c.base[:min(1_000, len(c.base))] {
		tools = append(tools, gongu.Tool{
			Name: fmt.Sprintf("tool_%d", i), Description: base.Description + "\r\nA second line.\u2028A third.\n" + strings.Repeat("more ", 200),
			Invoke: func(context.Context, gongu.Call) gongu.Result { return gongu.OK(nil) },
		})
	}
	if err := registry.Add(tools...); err != nil {
		return 0, 0, 0, err
	}
	executor := gongu.NewExecutor(registry, &gongu.ExecutorOptions{Catalog: gongu.Everything(registry), Logger: silence()})
	for _, q := range c.queries[:min(queries, len(c.queries))] {
		r := executor.Call(ctx, gongu.Call{Name: explore.SearchTools, Args: encoded(map[string]any{"query": q.text})})
		if r.Failed() {
			return 0, 0, 0, r.Error
		}
		var found struct {
			Tools []struct{ Name, Description string }
		}
		if err := json.Unmarshal(r.Output, &found); err != nil {
			return 0, 0, 0, err
		}
		entries, size = max(entries, len(found.Tools)), max(size, len(r.Output))
		for _, t := range found.Tools {
			lines = max(lines, linesOf(t.Description))
		}
	}
	return entries, lines, size, nil
}

// linesOf counts the lines of a text by everything that ends one.
func linesOf(text string) int {
	return 1 + strings.Count(strings.ReplaceAll(text, "\r\n", "\n"), "\n") + strings.Count(text, "\u2028") + strings.Count(text, "\u2029") +
		strings.Count(strings.ReplaceAll(text, "\r\n", ""), "\r")
}
