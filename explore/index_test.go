package explore

import (
	"context"
	"fmt"
	"runtime"
	"slices"
	"sync"
	"testing"
	"time"

	"go.uber.org/goleak"

	"github.com/gongu-ai/gongu"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

func nothing(context.Context, gongu.Call) gongu.Result { return gongu.OK(nil) }

func numbered(n int) []gongu.Tool {
	verbs := []string{"get", "list", "create", "delete", "archive"}
	nouns := []string{"invoice", "customer", "ticket", "report", "calendar", "message", "file"}
	tools := make([]gongu.Tool, n)
	for i := range tools {
		verb, noun := verbs[i%len(verbs)], nouns[i/len(verbs)%len(nouns)]
		tools[i] = gongu.Tool{
			Name: fmt.Sprintf("%s_%s_%d", verb, noun, i), Description: fmt.Sprintf("Can %s the %s with number %d.", verb, noun, i),
			Parameters: gongu.Schema(fmt.Sprintf(`{"type":"object","properties":{"id%d":{"type":"string","description":"Which %s"}}}`, i, noun)),
			Invoke:     nothing,
		}
	}
	return tools
}

func registryOf(t testing.TB, tools ...gongu.Tool) *gongu.Registry {
	t.Helper()
	r := gongu.NewRegistry(nil)
	if err := r.Add(tools...); err != nil {
		t.Fatal(err)
	}
	return r
}

// names searches and returns what was found.
func (x *Index) names(t testing.TB, c *gongu.Catalog, query string) []string {
	t.Helper()
	hits, err := x.Search(t.Context(), c, query, 8)
	if err != nil {
		t.Fatal(err)
	}
	var names []string
	for _, hit := range hits {
		names = append(names, hit.Name)
	}
	return names
}

// Steps of the same content share one set, and a change of a few tools keeps
// it: nothing else is read again.
func TestIndexFollowsTheRegistry(t *testing.T) {
	var x Index
	r := registryOf(t, numbered(500)...)
	x.names(t, gongu.Everything(r), "archive the report")
	first := x.sets()
	x.names(t, gongu.Everything(r), "archive the report")
	if len(x.views) != 1 {
		t.Errorf("%d views of one content", len(x.views))
	}
	for i := range 20 {
		if err := r.Add(gongu.Tool{Name: fmt.Sprintf("paint_fence_%d", i), Description: "Paint a fence", Invoke: nothing}); err != nil {
			t.Fatal(err)
		}
		r.Remove(fmt.Sprintf("get_invoice_%d", i*35))
		c := gongu.Everything(r)
		got := x.names(t, c, "paint the fence")
		if len(got) == 0 || !c.Has(got[0]) {
			t.Fatalf("round %d: %q", i, got)
		}
		var fresh Index
		for _, query := range []string{"paint the fence", "archive report number 7", "get_customer_5"} {
			if got, want := x.names(t, c, query), fresh.names(t, c, query); !slices.Equal(got, want) {
				t.Errorf("round %d, %s: %q, afresh %q", i, query, got, want)
			}
		}
	}
	if now := x.sets(); len(x.views) != 1 || len(now) != 1 || now[0] != first[0] {
		t.Errorf("%d views, %d sets; a set was made anew: %v", len(x.views), len(now), now[0] != first[0])
	}
}

// Keywords are not in the digest of a tool, and are found all the same.
func TestIndexSeesNewKeywords(t *testing.T) {
	var x Index
	tool := gongu.Tool{Name: "draw_sofa", Description: "Draw it", Invoke: nothing}
	r := registryOf(t, tool)
	if got := x.names(t, gongu.Everything(r), "couch"); got != nil {
		t.Errorf("found %q", got)
	}
	tool.Keywords = []string{"couch"}
	if err := r.Add(tool); err != nil {
		t.Fatal(err)
	}
	if got := x.names(t, gongu.Everything(r), "couch"); !slices.Equal(got, []string{"draw_sofa"}) {
		t.Errorf("found %q", got)
	}
}

// Two agents with catalogs that differ a little keep a set each: neither takes
// it from the other at every step.
func TestIndexDoesNotAlternate(t *testing.T) {
	var x Index
	r := registryOf(t, numbered(100)...)
	all := gongu.Everything(r)
	few := all.Restrict("get_invoice_0", "list_invoice_1", "create_invoice_2")
	x.names(t, all, "invoice")
	x.names(t, few, "invoice")
	sets := x.sets()
	for range 3 {
		x.names(t, all, "invoice")
		if got := x.names(t, few, "invoice"); len(got) != 3 {
			t.Errorf("found %q", got)
		}
	}
	// Nor do catalogs that differ in one tool, while the registry is the same.
	var names []string
	for _, tool := range all.Callable()[1:] {
		names = append(names, tool.Name)
	}
	nearly := all.Restrict(names...)
	if got := x.names(t, nearly, "get_invoice_0"); slices.Contains(got, "get_invoice_0") {
		t.Errorf("found %q", got)
	}
	if got := x.sets(); len(got) != 3 || !slices.Contains(got, sets[0]) || !slices.Contains(got, sets[1]) {
		t.Errorf("%d sets", len(got))
	}
	delete(x.views, content{nearly.Digest(), nearly.Revision()})
	now := x.sets()
	if len(sets) != 2 || len(now) != 2 || !slices.Contains(sets, now[0]) || !slices.Contains(sets, now[1]) {
		t.Errorf("%d sets, then %d", len(sets), len(now))
	}
	// The same tools in another order are the same content to a search.
	x.names(t, all.Restrict("create_invoice_2", "list_invoice_1", "get_invoice_0"), "invoice")
	if len(x.sets()) != 2 || len(x.views) != 3 {
		t.Errorf("%d sets for %d views", len(x.sets()), len(x.views))
	}
}

// While a set changes to the next revision, it has tools that the caller may not
// see: they are not found.
func TestIndexShowsTheCatalogOnly(t *testing.T) {
	var x Index
	c := gongu.Everything(registryOf(t, numbered(10)...)).Restrict("get_invoice_0")
	x.names(t, c, "invoice")
	x.sets()[0].become(numbered(10))
	for _, query := range []string{"invoice", "list_invoice_1"} {
		if got := x.names(t, c, query); slices.ContainsFunc(got, func(name string) bool { return !c.Has(name) }) {
			t.Errorf("found %q", got)
		}
	}
}

// What was not used for longest goes first, and the newest always stays.
func TestIndexForgets(t *testing.T) {
	var x Index
	r := registryOf(t, numbered(keepViews+40)...)
	all := gongu.Everything(r)
	for i, tool := range all.Callable() {
		x.names(t, all.Restrict(tool.Name), "invoice")
		if i == 0 {
			continue
		}
		x.names(t, all.Restrict(numbered(1)[0].Name), "invoice") // used all the time
	}
	if len(x.views) > keepViews {
		t.Errorf("%d views are kept", len(x.views))
	}
	if _, mine := x.view(content{all.Restrict(numbered(1)[0].Name).Digest(), all.Revision()}); mine {
		t.Error("the one that was used all the time is gone")
	}
}

func TestIndexIsBoundedInTools(t *testing.T) {
	const most = 600
	x := Index{most: most}
	for i := range 5 {
		// Half of each is the other's: too different to become one another.
		tools := numbered(500 + 200*i)[200*i:]
		x.names(t, gongu.Everything(registryOf(t, tools...)), "invoice")
		total := 0
		for _, s := range x.sets() {
			total += s.index.Len()
		}
		if total > most || total < 300 {
			t.Errorf("%d tools are kept", total)
		}
	}
	// One that is larger by itself is kept alone.
	c := gongu.Everything(registryOf(t, numbered(2*most)...))
	x.names(t, c, "invoice")
	if got := x.sets(); len(got) != 1 || got[0].index.Len() != 2*most {
		t.Errorf("%d sets are kept", len(got))
	}
}

// Many callers, few readers: the first searches of a catalog read it once, and
// searches go on while the registry changes.
func TestIndexConcurrently(t *testing.T) {
	var x Index
	r := registryOf(t, numbered(300)...)
	var group sync.WaitGroup
	for worker := range 8 {
		group.Go(func() {
			for i := range 30 {
				if worker == 0 {
					if err := r.Add(gongu.Tool{Name: fmt.Sprintf("paint_%d", i), Description: "Paint a fence", Invoke: nothing}); err != nil {
						t.Error(err)
					}
					r.Remove(fmt.Sprintf("get_invoice_%d", i*35))
				}
				c := gongu.Everything(r)
				if worker%2 == 1 {
					c = c.Restrict("get_invoice_0", "list_invoice_1", "archive_report_19", fmt.Sprintf("paint_%d", i))
				}
				hits, err := x.Search(context.Background(), c, "paint the fence or get an invoice", 8)
				if err != nil {
					t.Error(err)
				}
				for _, hit := range hits {
					if !c.Has(hit.Name) {
						t.Errorf("%s is not in the catalog", hit.Name)
					}
				}
			}
		})
	}
	group.Wait()
	c := gongu.Everything(r)
	var fresh Index
	if got, want := x.names(t, c, "paint the fence"), fresh.names(t, c, "paint the fence"); !slices.Equal(got, want) {
		t.Errorf("afterwards %q, afresh %q", got, want)
	}
}

// Who waits for another's reading can stop waiting.
func TestIndexWaitsWithItsCaller(t *testing.T) {
	var x Index
	c := gongu.Everything(registryOf(t, numbered(3)...))
	x.view(content{c.Digest(), c.Revision()}) // somebody reads, and never ends
	ctx, cancel := context.WithTimeout(t.Context(), time.Millisecond)
	defer cancel()
	if _, err := x.Search(ctx, c, "invoice", 3); err == nil {
		t.Error("no error")
	}
}

// The first search among 5,000 tools, and the next one after a change. The
// deadline only means that it does not hang; bench/ has the figures.
func TestIndexOf5000Tools(t *testing.T) {
	var x Index
	r := registryOf(t, numbered(5000)...)
	c := gongu.Everything(r)
	start := time.Now()
	x.names(t, c, "archive the report with number 77")
	first := time.Since(start)
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	if err := r.Add(gongu.Tool{Name: "paint_fence", Description: "Paint a fence", Invoke: nothing}); err != nil {
		t.Fatal(err)
	}
	c = gongu.Everything(r)
	start = time.Now()
	got := x.names(t, c, "paint the fence")
	next := time.Since(start)
	runtime.ReadMemStats(&after)
	t.Logf("first search %v, after a change %v, %d KB allocated", first, next, (after.TotalAlloc-before.TotalAlloc)>>10)
	if len(got) == 0 || got[0] != "paint_fence" {
		t.Errorf("found %q", got)
	}
	if first > 5*time.Second || next > time.Second {
		t.Errorf("first search %v, after a change %v", first, next)
	}
}
