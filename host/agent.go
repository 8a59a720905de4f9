package host

import (
	"cmp"
	"context"
	"crypto/rand"
	"encoding/hex"
	"fmt"
	"slices"
	"strings"

	"github.com/gongu-ai/gongu"
	"github.com/gongu-ai/gongu/bundle"
	"github.com/gongu-ai/gongu/internal/near"
	"github.com/gongu-ai/gongu/internal/trace"
)

// declared is an item of an agent's spec.tools: tools by their names, or all
// tools of a program or server.
type declared struct {
	names  []string
	source string
}

// declaredTools returns an agent's spec.tools, in order.
func declaredTools(b *bundle.Bundle, a *bundle.Agent) []declared {
	var all []declared
	for _, item := range b.AgentTools(a) {
		switch item := item.(type) {
		case *bundle.Tool:
			var names []string
			for _, definition := range item.Definitions() {
				names = append(names, definition.Name)
			}
			all = append(all, declared{names: names})
		case *bundle.Macro:
			all = append(all, declared{names: []string{item.Name}})
		default:
			all = append(all, declared{source: item.Head().Identity()})
		}
	}
	return all
}

// declaredNames lists the tools that spec.tools of an agent selects, to compare them.
func declaredNames(b *bundle.Bundle, a *bundle.Agent) []string {
	var names []string
	for _, item := range declaredTools(b, a) {
		names = append(append(names, item.source), item.names...)
	}
	return names
}

func findAgent(b *bundle.Bundle, name string) (*bundle.Agent, error) {
	if b == nil {
		return nil, fmt.Errorf("there is no agent %q: the starter tools have no agents; open a bundle", name)
	}
	if found, ok := b.Agent(name); ok {
		return found, nil
	}
	var names []string
	for _, other := range b.Agents() {
		names = append(names, other.Name)
	}
	if close := near.Names(name, slices.Values(names), 3); len(close) > 0 {
		return nil, fmt.Errorf("there is no agent %q; did you mean %s?", name, strings.Join(close, ", "))
	}
	return nil, fmt.Errorf("there is no agent %q; the bundle has: %s", name, strings.Join(names, ", "))
}

// contextOf attaches the agent, the instance, ids and the working directory to
// the context of a call.
func (h *Host) contextOf(ctx context.Context, at Address, workdir string) (context.Context, error) {
	random := randomHex(24) // for both ids at once
	return gongu.WithContext(ctx, gongu.Context{
		AgentName:   cmp.Or(at.Agent, h.opts.Executor.AgentName, "api"),
		InstanceKey: at.Instance,
		TurnID:      "turn_" + random[32:],
		TraceID:     cmp.Or(trace.ID(ctx), random[:32]),
		Workdir:     workdir,
	})
}

func randomHex(bytes int) string {
	raw := make([]byte, bytes)
	rand.Read(raw) // never fails
	return hex.EncodeToString(raw)
}
