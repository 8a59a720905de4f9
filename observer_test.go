package gongu_test

import (
	"context"
	"slices"
	"testing"

	"github.com/gongu-ai/gongu"
)

type spanKey struct{}

// spans is an observer that leaves its name in the context, and may panic.
type spans struct {
	name   string
	heard  *[]string
	panics bool
}

func (s spans) Begin(ctx context.Context, a *gongu.Attempt) context.Context {
	*s.heard = append(*s.heard, "begin "+s.name+" "+a.Call.Name)
	if s.panics {
		panic("an observer that fails")
	}
	return context.WithValue(ctx, spanKey{}, s.name)
}

func (s spans) End(ctx context.Context, _ *gongu.Attempt, r gongu.Result) {
	own, _ := ctx.Value(spanKey{}).(string)
	*s.heard = append(*s.heard, "end "+s.name+" "+own+" "+r.Status)
	if s.panics {
		panic("again")
	}
}

// Observers are told in order and back; each ends with its own context; the
// handler gets the innermost; a panic goes no further.
func TestObservers(t *testing.T) {
	var heard []string
	e := newExecutor(t, &gongu.ExecutorOptions{
		Observers: []gongu.Observer{spans{"a", &heard, false}, spans{"broken", &heard, true}, spans{"b", &heard, false}},
	}, handled("look", "", func(ctx context.Context, _ gongu.Call) gongu.Result {
		own, _ := ctx.Value(spanKey{}).(string)
		heard = append(heard, "handler "+own)
		return gongu.OK(nil)
	}))
	wantOK(t, run(t, e, "look", `{}`), `null`)
	want := []string{"begin a look", "begin broken look", "begin b look", "handler b", "end b b ok", "end broken a ok", "end a a ok"}
	if !slices.Equal(heard, want) {
		t.Errorf("heard %q", heard)
	}
	heard = nil
	wantCode(t, run(t, e, "nothing", `{}`), gongu.CodeNotInCatalog)
	if len(heard) != 6 || heard[5] != "end a a error" {
		t.Errorf("a call that was refused: %q", heard)
	}
}

// silent returns no context.
type silent struct{ ended }

func (silent) Begin(context.Context, *gongu.Attempt) context.Context { return nil }

func TestObserverWithoutContext(t *testing.T) {
	ends := 0
	e := newExecutor(t, &gongu.ExecutorOptions{Observers: []gongu.Observer{silent{func(ctx context.Context, _ *gongu.Attempt, _ gongu.Result) {
		if ctx != nil {
			ends++
		}
	}}}}, tool("x"))
	run(t, e, "x", `{}`)
	if ends != 1 {
		t.Errorf("%d ends with a context", ends)
	}
}
