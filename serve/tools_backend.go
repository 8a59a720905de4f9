package serve

import (
	"context"
	"fmt"

	"github.com/gongu-ai/gongu"
)

// Tools returns a backend that serves all tools of a registry to every
// principal, without a bundle and without agents.
func Tools(registry *gongu.Registry) Backend {
	return &toolsBackend{registry, gongu.NewExecutor(registry, nil)}
}

type toolsBackend struct {
	registry *gongu.Registry
	executor *gongu.Executor
}

func (b *toolsBackend) Step(ctx context.Context, agent string, core func(ctx context.Context, x *gongu.Executor) error) error {
	if agent != "" {
		return fmt.Errorf("there is no agent %q", agent)
	}
	return core(ctx, b.executor.WithCatalog(gongu.Everything(b.registry)))
}

func (b *toolsBackend) Registry() *gongu.Registry { return b.registry }

// Prepare has nothing to wait for: the tools are in the registry.
func (b *toolsBackend) Prepare(context.Context, string) {}
