package serve

import (
	"context"
	"fmt"

	"github.com/gongu-ai/gongu"
	"github.com/gongu-ai/gongu/access"
)

// Tools returns a backend that serves the tools of a registry, without a bundle
// and without agents. It offers every tool that the principal may use.
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
	var everything *access.Access
	catalog, err := everything.Catalog(gongu.PrincipalOf(ctx), agent, gongu.Everything(b.registry))
	if err != nil {
		return err
	}
	return core(ctx, b.executor.WithCatalog(catalog))
}

func (b *toolsBackend) Registry() *gongu.Registry { return b.registry }

// Prepare has nothing to wait for: the tools are in the registry.
func (b *toolsBackend) Prepare(context.Context, string) {}
