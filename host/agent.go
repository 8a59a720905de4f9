package host

import (
	"context"
	"crypto/rand"
	"encoding/hex"
	"fmt"
	"slices"
	"strings"

	"github.com/gongu-ai/gongu"
	"github.com/gongu-ai/gongu/bundle"
	"github.com/gongu-ai/gongu/internal/near"
)

// Catalog is what an agent of the bundle may call: its spec.tools, in that
// order. Without an agent it is everything.
func (h *Host) Catalog(agent string) (*gongu.Catalog, error) {
	if agent == "" {
		return gongu.Everything(h.registry), nil
	}
	found, err := h.agent(agent)
	if err != nil {
		return nil, err
	}
	names := []string{}
	for _, item := range h.now().bundle.AgentTools(found) {
		if tool, ok := item.(*bundle.Tool); ok {
			for _, definition := range tool.Definitions() {
				names = append(names, definition.Name)
			}
		}
	}
	return gongu.NewCatalog(h.registry, &gongu.CatalogOptions{Names: names})
}

func (h *Host) agent(name string) (*bundle.Agent, error) {
	b := h.now().bundle
	if b == nil {
		return nil, fmt.Errorf("there is no agent %q: the starter tools have no agents; open a bundle", name)
	}
	if found, ok := b.Agent(name); ok {
		return found, nil
	}
	var names []string
	for _, agent := range b.Agents() {
		names = append(names, agent.Name)
	}
	if close := near.Names(name, slices.Values(names), 3); len(close) > 0 {
		return nil, fmt.Errorf("there is no agent %q; did you mean %s?", name, strings.Join(close, ", "))
	}
	return nil, fmt.Errorf("there is no agent %q; the bundle has: %s", name, strings.Join(names, ", "))
}

// Executor runs calls under an agent's catalog as it is now: one step.
func (h *Host) Executor(agent string) (*gongu.Executor, error) {
	catalog, err := h.Catalog(agent)
	if err != nil {
		return nil, err
	}
	return h.executor.WithCatalog(catalog), nil
}

// Context adds to ctx what the tools of an agent need to know: whose call it
// is, and where to work.
func (h *Host) Context(ctx context.Context, agent string) (context.Context, error) {
	name, choice := h.opts.Executor.AgentName, ""
	if agent != "" {
		found, err := h.agent(agent)
		if err != nil {
			return nil, err
		}
		name, choice = agent, found.Spec.Workdir
	}
	if name == "" {
		name = "api"
	}
	return gongu.WithContext(ctx, gongu.Context{
		AgentName:   name,
		InstanceKey: h.instance(),
		TurnID:      "turn_" + randomHex(8),
		TraceID:     randomHex(16),
		Workdir:     h.workdir(agent, choice),
	})
}

// Call makes one call under an agent's catalog, or under everything. A failure
// of the tool is in the result; the error is about the agent.
func (h *Host) Call(ctx context.Context, agent string, call gongu.Call) (gongu.Result, error) {
	executor, err := h.Executor(agent)
	if err != nil {
		return gongu.Result{}, err
	}
	ctx, err = h.Context(ctx, agent)
	if err != nil {
		return gongu.Result{}, err
	}
	return executor.Call(ctx, call), nil
}

func randomHex(bytes int) string {
	raw := make([]byte, bytes)
	rand.Read(raw) // never fails
	return hex.EncodeToString(raw)
}
