package main

import (
	"context"
	"encoding/json"
	"fmt"
	"runtime"
	"slices"
	"strings"
	"time"

	"github.com/tiktoken-go/tokenizer"

	"github.com/gongu-ai/gongu"
	"github.com/gongu-ai/gongu/explore"
	"github.com/gongu-ai/gongu/toolrequest"
)

// What exploring may cost a model, in tokens of o200k.
const (
	exploreTools  = 5_000
	declaredGate  = 900
	replyGate     = 400
	roundTripGate = 2_000
)

// measureExplore counts the tokens that a model uses to find and call one of
// 5,000 tools through the discovery tools. Only the last table measures time.
func measureExplore(ctx context.Context, p plan) (section, error) {
	x, err := newExploring(p)
	if err != nil {
		return section{}, err
	}
	trips, err := x.trips(ctx)
	if err != nil {
		return section{}, err
	}
	hostile, err := x.hostile(ctx, p)
	if err != nil {
		return section{}, err
	}
	times, err := x.times(ctx)
	if err != nil {
		return section{}, err
	}
	var text strings.Builder
	fmt.Fprintf(&text, "A model that sees the %s alone finds one of %s tools with `search_tools`, reads its schema with `get_tool_schema` and calls it with `call_tool`. Counted with the tokenizer o200k, in %s: %s. ",
		plural(x.own, "explore tool"), count(x.registry.Len()), plural(len(trips), "request"), x.source)
	fmt.Fprintf(&text, "The wanted tool, or one of them, was in the reply in %.1f %% of them. Found and called is everything that the model reads or writes for it beside the schema and the arguments: the declarations, the calls and the answers. "+
		"Hostile replies are of catalogs made to be dear: names and descriptions of rare letters, syllables and signs, bred for many tokens.\n\n", 100*trips.hits())
	text.WriteString("| tokens | median | p95 | most |\n|---|---:|---:|---:|\n")
	fmt.Fprintf(&text, "| declarations of the explore tools, English | %s | | |\n", count(x.declared["en"]))
	fmt.Fprintf(&text, "| declarations of the explore tools, Korean | %s | | |\n", count(x.declared["ko"]))
	fmt.Fprintf(&text, "| declarations of all tools, for comparison | %s | | |\n", count(x.direct))
	fmt.Fprintf(&text, "| a search reply | %s |\n", trips.row(func(t trip) int { return t.reply }))
	fmt.Fprintf(&text, "| a hostile search reply | %s |\n", hostile.row(func(t trip) int { return t.reply }))
	fmt.Fprintf(&text, "| found and called | %s |\n\n", trips.row(func(t trip) int { return t.total }))
	text.WriteString(times)
	return section{
		title: "Exploring 5,000 tools",
		text:  strings.TrimRight(text.String(), "\n"),
		gates: []gate{
			atMost("tokens: declarations of the explore tools", float64(x.declared["en"]), declaredGate, whole),
			atMost("tokens: a search reply, at most", float64(max(trips.most(), hostile.most())), replyGate, whole),
			atMost("tokens: found and called beside the schema, at most", float64(trips.mostTotal()), roundTripGate, whole),
		},
	}, nil
}

// exploring is a model with the explore tools and many others.
type exploring struct {
	registry *gongu.Registry
	executor *gongu.Executor
	index    explore.Index
	count    func(text string) int
	own      int
	declared map[string]int // by language
	direct   int
	queries  []wish
	source   string
}

func newExploring(p plan) (*exploring, error) {
	codec, err := tokenizer.Get(tokenizer.O200kBase)
	if err != nil {
		return nil, fmt.Errorf("tokenizer: %w", err)
	}
	x := &exploring{
		count: func(text string) int {
			n, err := codec.Count(text)
			if err != nil {
				return len(text) // which fails the gate
			}
			return n
		},
		declared: map[string]int{},
	}
	tools, err := x.corpus(p)
	if err != nil {
		return nil, err
	}
	x.registry = gongu.NewRegistry(&gongu.RegistryOptions{Logger: silence()})
	for _, language := range []string{"ko", "en"} {
		own := explore.Tools(&explore.Options{
			Lang: language, Requests: toolrequest.NewMemory(), Index: &x.index,
			Macros: func(json.RawMessage, *gongu.Catalog) error { return nil }, Code: noCode{},
		})
		x.own = len(own)
		if x.declared[language], err = x.declarations(own); err != nil {
			return nil, err
		}
		if language == "en" {
			if x.direct, err = x.declarations(tools); err != nil {
				return nil, err
			}
			tools = append(tools, own...)
		}
	}
	if err := x.registry.Add(tools...); err != nil {
		return nil, err
	}
	x.executor = gongu.NewExecutor(x.registry, &gongu.ExecutorOptions{Catalog: gongu.Everything(x.registry), Logger: silence()})
	return x, nil
}

// noCode stands for a runner that is only declared.
type noCode struct{}

func (noCode) Run(context.Context, explore.Program) explore.Outcome { return explore.Outcome{} }
func (noCode) Typings([]gongu.Tool) string                          { return "" }

// declarations counts what a model is shown of tools.
func (x *exploring) declarations(tools []gongu.Tool) (int, error) {
	total := 0
	for _, tool := range tools {
		raw, err := json.Marshal(map[string]any{
			"name": tool.Name, "description": tool.Description, "parameters": tool.Parameters.OrAnyObject(),
		})
		if err != nil {
			return 0, fmt.Errorf("%s: %w", tool.Name, err)
		}
		total += x.count(string(raw))
	}
	return total, nil
}

// trip is one way from a request to a call.
type trip struct {
	reply, total int
	hit          bool
}

type trips []trip

func (x *exploring) trips(ctx context.Context) (trips, error) {
	var all trips
	for _, q := range x.queries {
		t, err := x.trip(ctx, q)
		if err != nil {
			return nil, err
		}
		all = append(all, t)
	}
	return all, nil
}

// trip searches, reads the schema of the first tool that is wanted, or of the
// first at all, and calls it. What is counted is what a model writes and reads,
// the name of the tool it calls included.
func (x *exploring) trip(ctx context.Context, q wish) (trip, error) {
	t := trip{total: x.declared["en"]}
	names, reply, err := x.search(ctx, x.executor, q.Query)
	if err != nil {
		return t, err
	}
	t.reply = x.count(string(reply))
	t.total += t.reply + x.count(string(callOf(explore.SearchTools, map[string]any{"query": q.Query})))
	if len(names) == 0 {
		return t, nil
	}
	chosen := names[0]
	for _, name := range names {
		if slices.Contains(q.Gold, name) {
			chosen, t.hit = name, true
			break
		}
	}
	schema := x.executor.Call(ctx, gongu.Call{Name: explore.GetToolSchema, Args: encoded(map[string]any{"name": chosen})})
	if schema.Failed() {
		return t, schema.Error
	}
	tool, _ := x.registry.Get(chosen)
	t.total += x.count(string(callOf(explore.GetToolSchema, map[string]any{"name": chosen})))
	t.total += x.count(string(schema.Output)) - x.count(string(tool.Parameters.OrAnyObject()))
	t.total += x.count(string(callOf(explore.CallTool, map[string]any{"name": chosen, "arguments": map[string]any{}})))
	return t, nil
}

func (x *exploring) search(ctx context.Context, executor *gongu.Executor, query string) ([]string, json.RawMessage, error) {
	r := executor.Call(ctx, gongu.Call{Name: explore.SearchTools, Args: encoded(map[string]any{"query": query})})
	if r.Failed() {
		return nil, nil, r.Error
	}
	var found struct{ Tools []struct{ Name string } }
	if err := json.Unmarshal(r.Output, &found); err != nil {
		return nil, nil, err
	}
	var names []string
	for _, t := range found.Tools {
		names = append(names, t.Name)
	}
	return names, r.Output, nil
}

// callOf is a call as a model writes it.
func callOf(name string, args map[string]any) json.RawMessage {
	return encoded(map[string]any{"name": name, "arguments": args})
}

func encoded(v any) json.RawMessage { return gongu.OK(v).Output }

func (t trips) hits() float64 {
	n := 0
	for _, each := range t {
		if each.hit {
			n++
		}
	}
	return float64(n) / float64(max(1, len(t)))
}

func (t trips) sorted(of func(trip) int) []int {
	var all []int
	for _, each := range t {
		all = append(all, of(each))
	}
	slices.Sort(all)
	return all
}

func (t trips) most() int { return slices.Max(t.sorted(func(t trip) int { return t.reply })) }

func (t trips) mostTotal() int { return slices.Max(t.sorted(func(t trip) int { return t.total })) }

// row is median, p95 and most, for a table.
func (t trips) row(of func(trip) int) string {
	all := t.sorted(of)
	return fmt.Sprintf("%s | %s | %s", count(all[len(all)/2]), count(all[len(all)*95/100]), count(all[len(all)-1]))
}

// times measures the first search, the next ones, and one after a change.
func (x *exploring) times(ctx context.Context) (string, error) {
	var index explore.Index
	timed := func(catalog *gongu.Catalog, query string) (time.Duration, error) {
		start := time.Now()
		_, err := index.Search(ctx, catalog, query, 8)
		return time.Since(start), err
	}
	var before, after runtime.MemStats
	runtime.GC()
	runtime.ReadMemStats(&before)
	catalog := gongu.Everything(x.registry)
	first, err := timed(catalog, "weather")
	if err != nil {
		return "", err
	}
	runtime.GC()
	runtime.ReadMemStats(&after)
	var next, changed []float64
	for i := range min(200, len(x.queries)) {
		took, err := timed(catalog, x.queries[i].Query)
		if err != nil {
			return "", err
		}
		next = append(next, float64(took))
	}
	for i := range 9 {
		tool := makeTool(exploreTools + i)
		if err := x.registry.Add(tool); err != nil {
			return "", err
		}
		catalog := gongu.Everything(x.registry)
		catalog.Digest() // each step has its own, whoever asks
		took, err := timed(catalog, tool.Description)
		if err != nil {
			return "", err
		}
		changed = append(changed, float64(took))
	}
	return fmt.Sprintf("| `explore.Index`, %s tools | median |\n|---|---:|\n| the first search, which reads the catalog | %s |\n| a search | %s |\n| the first search after a tool was added | %s |\n| memory | %.1f MB |\n",
		count(x.registry.Len()), duration(float64(first)), duration(spreadOf(next).median), duration(spreadOf(changed).median), float64(after.HeapAlloc-before.HeapAlloc)/1e6), nil
}
