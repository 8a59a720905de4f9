package serve_test

import (
	"slices"
	"testing"

	"github.com/gongu-ai/gongu/serve"
)

// Each method says what a principal needs to use it, and which era has it.
func TestMethodsHaveAccess(t *testing.T) {
	kinds := []serve.Access{
		serve.AccessSession, serve.AccessTools, serve.AccessTasks, serve.AccessResources,
		serve.AccessPrompts, serve.AccessCompletions, serve.AccessSubscriptions, serve.AccessLogs,
	}
	seen := map[string]bool{}
	for _, m := range serve.Methods() {
		if !slices.Contains(kinds, m.Access) || !m.Legacy && !m.Modern || seen[m.Name] {
			t.Errorf("%+v", m)
		}
		seen[m.Name] = true
	}
	if len(seen) < 18 {
		t.Errorf("%d methods", len(seen))
	}
}
