package macro

import (
	"cmp"
	"time"

	"github.com/gongu-ai/gongu"
)

// Options set up the tool of a macro. Nil and zero values are fine.
type Options struct {
	// Catalog, when given, is where the macro's annotations come from: it is
	// read-only when the tools of all its steps are, and likewise not
	// destructive and not open to the world. Without it, or when a tool is not
	// in it, the annotations are the most cautious ones. It has no other effect:
	// the steps run in the catalog of the caller.
	Catalog *gongu.Catalog
	// Limits bound a call.
	Limits Limits
	// Timeout covers a call with all its steps; zero is the executor's.
	Timeout time.Duration
	// Lang is the language of messages: en (default) or ko.
	Lang string
}

// Limits bound one call of a macro. Zero values take the defaults. Runs, Cost,
// Held and Depth cover the macros that it calls as well, and the outermost
// decides.
type Limits struct {
	// Items is how many items a forEach may have (default 100).
	Items int
	// Runs is how many steps may run in all, each item counted (default 500).
	Runs int
	// Depth is how deep macros may call macros (default 8).
	Depth int
	// Cost is how much all expressions may cost together, in CEL's units
	// (default 2,000,000; one expression has at most 500,000).
	Cost uint64
	// Bytes is how large arguments, an output and a value may be once they
	// are filled in (default 1 MiB).
	Bytes int
	// Held is how large the outputs kept for later steps may be together
	// (default 8 MiB).
	Held int
}

func (o *Options) complete() Options {
	var done Options
	if o != nil {
		done = *o
	}
	l := &done.Limits
	l.Items = cmp.Or(l.Items, 100)
	l.Runs = cmp.Or(l.Runs, 500)
	l.Depth = cmp.Or(l.Depth, 8)
	l.Cost = cmp.Or(l.Cost, 2_000_000)
	l.Bytes = cmp.Or(l.Bytes, 1<<20)
	l.Held = cmp.Or(l.Held, 8<<20)
	return done
}
