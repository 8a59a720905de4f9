package dialect_test

import (
	"testing"

	"github.com/gongu-ai/gongu"
	"github.com/gongu-ai/gongu/dialect"
)

// The cost shown for a tool and for a declaration come from the same guess.
func TestEstimateTokens(t *testing.T) {
	tool := gongu.Tool{Name: "a", Description: "b", Parameters: `{"type":"object"}`}
	declared := `{"name":"a","description":"b","parameters":{"type":"object"}}`
	if got := dialect.EstimateTokens(len(declared)); got != tool.Tokens() || got != (len(declared)+3)/4 {
		t.Errorf("%d, and the tool counts %d", got, tool.Tokens())
	}
}
