package gongu_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"math/rand/v2"
	"runtime"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/gongu-ai/gongu"
	"github.com/gongu-ai/gongu/internal/footprint"
)

// A thousand goroutines add, replace, remove, read and call. Every reader sees
// one revision: the two tools of a pair are always of the same generation.
func TestThousandGoroutines(t *testing.T) {
	r := newRegistry(t, tool("steady"))
	source := gongu.Source{Type: "mcp", Name: "pair"}
	var generation atomic.Int64
	replace := func() error {
		text := fmt.Sprint(generation.Add(1))
		left, right := tool("pair__left"), tool("pair__right")
		left.Description, right.Description = text, text
		return r.Replace(source, left, right)
	}
	if err := replace(); err != nil {
		t.Fatal(err)
	}
	e := overRegistry(r, nil)
	var torn atomic.Int64
	worker := func(i int) error {
		switch i % 5 {
		case 0:
			return replace()
		case 1:
			name := fmt.Sprintf("own%d", i)
			if err := r.Add(tool(name)); err != nil {
				return err
			}
			if r.Remove(name) != 1 {
				return errors.New("an added tool was not there to be removed")
			}
		case 2:
			pair := r.FromSource(source.Identity())
			if len(pair) != 2 || pair[0].Description != pair[1].Description {
				torn.Add(1)
			}
		case 3:
			c := gongu.Everything(r)
			left, _ := c.Get("pair__left")
			right, _ := c.Get("pair__right")
			if left.Description != right.Description || left.Description == "" {
				torn.Add(1)
			}
		case 4:
			if result := e.WithCatalog(gongu.Everything(r)).Call(t.Context(), gongu.Call{Name: "steady"}); result.Failed() {
				return result.Error
			}
		}
		return nil
	}
	var group sync.WaitGroup
	for i := range 1000 {
		group.Go(func() {
			if err := worker(i); err != nil {
				t.Error(err)
			}
		})
	}
	group.Wait()
	if torn.Load() > 0 {
		t.Errorf("%d readers saw two generations at once", torn.Load())
	}
	if r.Len() != 3 {
		t.Errorf("%d tools are left, want 3", r.Len())
	}
}

// H13: ten thousand calls, half of them failing or timing out, leave nothing
// behind.
func TestH13_NothingLeftBehind(t *testing.T) {
	calls := 10_000
	if raceDetector || testing.Short() {
		// The detector sees all there is to see in fewer, and its own memory
		// grows with every address touched. make heavy counts all of them.
		calls = 1000
	}
	hang := handled("hang", "", func(ctx context.Context, _ gongu.Call) gongu.Result {
		<-ctx.Done()
		return gongu.Fail(ctx.Err())
	})
	hang.Limits.Timeout = time.Millisecond
	broken := handled("broken", "", func(context.Context, gongu.Call) gongu.Result { panic("again") })
	e := newExecutor(t, nil, tool("fine"), hang, broken, failing("bad", errors.New("no")))
	kinds := []gongu.Call{{Name: "fine", Args: json.RawMessage(`{"a":"b"}`)}, {Name: "hang"}, {Name: "fine"}, {Name: "broken"}, {Name: "fine"}, {Name: "bad"}, {Name: "fine"}, {Name: "none"}}
	batch := func(n int) {
		var many []gongu.Call
		for len(many) < n {
			many = append(many, kinds...)
		}
		for _, result := range e.Batch(t.Context(), many) {
			if result.ToolCallID == "" {
				t.Error("a call was not answered")
			}
		}
	}
	batch(400)
	before, err := footprint.Take(footprint.Footprint{Goroutines: runtime.NumGoroutine()})
	if err != nil {
		t.Fatal(err)
	}
	batch(calls)
	after, err := footprint.Take(before)
	if err != nil {
		t.Fatal(err)
	}
	if raceDetector {
		after.Resident = before.Resident
	}
	for _, grown := range after.Grown(before) {
		t.Error(grown)
	}
}

func hundredThousand(tb testing.TB) ([]gongu.Tool, []string) {
	tb.Helper()
	tools := make([]gongu.Tool, 100_000)
	shuffled := make([]string, len(tools))
	for i := range tools {
		parameters := fmt.Sprintf(`{"type":"object","properties":{"arg%d":{"type":"string","description":"%s"},"limit":{"type":"integer","minimum":1}},"required":["arg%d"],"additionalProperties":false}`, i, strings.Repeat("words ", 40), i)
		tools[i] = handled(fmt.Sprintf("server%d__tool_number_%d", i%97, i), gongu.Schema(parameters), echo)
		shuffled[i] = strings.Clone(tools[i].Name)
	}
	rand.Shuffle(len(shuffled), func(i, j int) { shuffled[i], shuffled[j] = shuffled[j], shuffled[i] })
	return tools, shuffled
}

// H13: looking a random name up among 100,000 tools allocates nothing. How
// fast it is, and the batch that adds them, is measured in bench.
func TestH13_LookupAllocatesNothing(t *testing.T) {
	tools, names := hundredThousand(t)
	r := newRegistry(t, tools...)
	c := gongu.Everything(r)
	i := 0
	allocations := testing.AllocsPerRun(1000, func() {
		if !r.Has(names[i]) || !c.Has(names[i]) {
			t.Error("a tool is missing")
		}
		i++
	})
	if allocations != 0 {
		t.Errorf("%v allocations for each look-up", allocations)
	}
}
