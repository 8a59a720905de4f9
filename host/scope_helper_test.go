package host_test

import (
	"context"
	"testing"

	"github.com/gongu-ai/gongu"
	"github.com/gongu-ai/gongu/host"
)

// firstCatalog is what the next step of an agent begins with.
func firstCatalog(h *host.Host, agent string) (*gongu.Catalog, error) {
	s, err := h.Scope(context.Background(), host.Address{Agent: agent})
	if err != nil {
		return nil, err
	}
	return s.Catalog(context.Background())
}

// contextOf is the context of an agent's calls.
func contextOf(t *testing.T, h *host.Host, agent string) (context.Context, error) {
	s, err := h.Scope(t.Context(), host.Address{Agent: agent})
	if err != nil {
		return nil, err
	}
	return s.Context(t.Context())
}
