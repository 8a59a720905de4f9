package macro

import (
	"context"
	"sync/atomic"
)

// budget limits what one call may use, together with all macros that it calls.
// The context carries it, so that a nested macro does not get a new one.
type budget struct {
	limits Limits
	runs   atomic.Int64
	cost   atomic.Uint64
	held   atomic.Int64
}

// run takes one step run from the budget.
func (b *budget) run() bool { return b.runs.Add(1) <= int64(b.limits.Runs) }

// spend takes the cost of an expression.
func (b *budget) spend(cost uint64) bool { return b.cost.Add(cost) <= b.limits.Cost }

// hold takes room for an output that later steps may read.
func (b *budget) hold(bytes int) bool { return b.held.Add(int64(bytes)) <= int64(b.limits.Held) }

func (b *budget) release(bytes int) { b.held.Add(-int64(bytes)) }

// nesting has the macros around a call and their shared budget.
type nesting struct {
	names  []string // outermost first
	budget *budget
}

type nestingKey struct{}

func nestingOf(ctx context.Context) (nesting, bool) {
	n, ok := ctx.Value(nestingKey{}).(nesting)
	return n, ok
}

// inside returns the context for the steps of a macro.
func (n nesting) inside(ctx context.Context) context.Context {
	return context.WithValue(ctx, nestingKey{}, n)
}
