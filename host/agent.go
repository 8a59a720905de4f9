package host

import (
	"cmp"
	"context"
	"crypto/rand"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	"github.com/gongu-ai/gongu"
	"github.com/gongu-ai/gongu/agent"
	"github.com/gongu-ai/gongu/bundle"
	"github.com/gongu-ai/gongu/internal/near"
	"github.com/gongu-ai/gongu/internal/trace"
)

// Catalog is what an agent of the bundle may call: its spec.tools, in that
// order, and then what its extensions have added so far. Without an agent it is
// everything. It is what a step begins with: [Host.Step] also runs the step
// middleware, which may change it.
func (h *Host) Catalog(name string) (*gongu.Catalog, error) {
	s, release, err := h.enter(name)
	if err != nil {
		return nil, err
	}
	defer release()
	return s.catalog()
}

// Executor runs calls under an agent's catalog as it is now, through the
// middleware of its extensions around tool calls.
func (h *Host) Executor(name string) (*gongu.Executor, error) {
	s, release, err := h.enter(name)
	if err != nil {
		return nil, err
	}
	defer release()
	catalog, err := s.catalog()
	if err != nil {
		return nil, err
	}
	return s.executorFor(catalog), nil
}

// enter finds the scope of an agent and keeps it until release is called.
func (h *Host) enter(name string) (*scope, func(), error) {
	l, release := h.hold()
	s, err := h.scope(context.Background(), l, name)
	if err != nil {
		release()
		return nil, nil, err
	}
	return s, release, nil
}

// declared is an item of an agent's spec.tools: tools by their names, or all
// tools of a program or server.
type declared struct {
	names  []string
	source string
}

// declaredTools are an agent's spec.tools, in order.
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

// Context adds to ctx what the tools of an agent need to know: whose call it
// is, and where to work.
func (h *Host) Context(ctx context.Context, name string) (context.Context, error) {
	var found *bundle.Agent
	if name != "" {
		var err error
		if found, err = findAgent(h.now().bundle, name); err != nil {
			return nil, err
		}
	}
	return h.contextOf(ctx, name, h.workdir(name, found))
}

func (h *Host) contextOf(ctx context.Context, name, workdir string) (context.Context, error) {
	random := randomHex(24) // for both ids at once
	return gongu.WithContext(ctx, gongu.Context{
		AgentName:   cmp.Or(name, h.opts.Executor.AgentName, "api"),
		InstanceKey: h.instance(),
		TurnID:      "turn_" + random[32:],
		TraceID:     cmp.Or(trace.ID(ctx), random[:32]),
		Workdir:     workdir,
	})
}

// Call makes one call under an agent's catalog, or under everything: a step of
// one call. A failure of the tool is in the result; the error is about the
// agent and its extensions.
func (h *Host) Call(ctx context.Context, name string, call gongu.Call) (gongu.Result, error) {
	var result gongu.Result
	h.Prepare(ctx, call.Name)
	err := h.step(ctx, name, func(ctx context.Context, x *gongu.Executor) (agent.StepResult, error) {
		result = x.Call(ctx, call)
		made := gongu.Call{ID: result.ToolCallID, Name: result.ToolName, Args: call.Args}
		if !json.Valid(made.Args) {
			made.Args = nil // the result says what is wrong with them
		}
		return agent.StepResult{ToolCalls: []gongu.Call{made}, ToolResults: []gongu.Result{result}}, nil
	})
	return result, err
}

func randomHex(bytes int) string {
	raw := make([]byte, bytes)
	rand.Read(raw) // never fails
	return hex.EncodeToString(raw)
}
