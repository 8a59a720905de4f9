package main

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"github.com/gongu-ai/gongu"
)

const (
	gonguName       = "gongu"
	gonguInlineName = "gongu, inline"
	gonguReadName   = "gongu, inline, guards that read"
	gonguBareName   = "gongu, inline and bare"
)

// errRefused is the answer to arguments that break the schema.
var errRefused = errors.New("the arguments were refused")

// newGongu is a call as an agent makes it: a catalog, two middlewares, the
// schema and three guards that let everything pass.
func newGongu(context.Context) (contestant, error) {
	return gonguContestant(gonguName, "Executor.Call: catalog, two middlewares, schema, three guards; the handler runs on its own goroutine, so that the call is answered whatever it does", guarded(), false)
}

// newGonguInline is the same for a tool that vouches for its handler.
func newGonguInline(context.Context) (contestant, error) {
	return gonguContestant(gonguInlineName, "the same with Limits.Inline: the handler runs on the caller's goroutine", guarded(), true)
}

// newGonguReading is the inline call with guards that look at who calls what.
func newGonguReading(context.Context) (contestant, error) {
	opts := guarded()
	for i := range opts.Guards {
		opts.Guards[i].Check = checkReading
	}
	c, err := gonguContestant(gonguReadName, "inline, and each of the three guards reads the principal, the agent's name and the tool's digest", opts, true)
	if err != nil {
		return contestant{}, err
	}
	// A host attaches both once for a step or a request, not for each call.
	ctx, err := gongu.WithContext(context.Background(), gongu.Context{
		AgentName: "bench", InstanceKey: "default", TurnID: "turn_1", TraceID: strings.Repeat("a", 32),
	})
	if err != nil {
		return contestant{}, err
	}
	ctx = gongu.WithPrincipal(ctx, &gongu.Principal{Name: "bench", Kind: "token"})
	prepare := c.prepare
	c.prepare = func(args []byte) caller {
		call := prepare(args)
		return func(context.Context) (answer, error) { return call(ctx) }
	}
	return c, nil
}

// checkReading refuses nothing that the benchmark does.
func checkReading(_ context.Context, a *gongu.Attempt) *gongu.Error {
	if a.Principal == nil || a.Context().AgentName == "" || a.ToolDigest() == [32]byte{} {
		return &gongu.Error{Code: gongu.CodeDenied}
	}
	return nil
}

// newGonguBare leaves out what can be left out.
func newGonguBare(context.Context) (contestant, error) {
	return gonguContestant(gonguBareName, "Executor.Call: catalog and schema only", gongu.ExecutorOptions{}, true)
}

func guarded() gongu.ExecutorOptions {
	pass := func(next gongu.Invoke) gongu.Invoke {
		return func(ctx context.Context, call gongu.Call) gongu.Result { return next(ctx, call) }
	}
	allow := func(context.Context, *gongu.Attempt) *gongu.Error { return nil }
	return gongu.ExecutorOptions{
		Middleware: []gongu.Middleware{pass, pass},
		Guards:     []gongu.Guard{{Name: "pin", Check: allow}, {Name: "policy", Check: allow}, {Name: "approval", Check: allow}},
	}
}

func gonguContestant(name, what string, opts gongu.ExecutorOptions, inline bool) (contestant, error) {
	registry := gongu.NewRegistry(nil)
	tool := gongu.Func(toolName, toolDescription, echo)
	tool.Parameters = noteSchema
	tool.Limits.Inline = inline
	if err := registry.Add(tool); err != nil {
		return contestant{}, err
	}
	opts.Catalog = gongu.Everything(registry)
	executor := gongu.NewExecutor(registry, &opts)
	prepare := func(args []byte) caller {
		return func(ctx context.Context) (answer, error) {
			result := executor.Call(ctx, gongu.Call{ID: "call_1", Name: toolName, Args: args})
			if result.Error == nil {
				return answer{raw: result.Output}, nil
			}
			if result.Error.Code == gongu.CodeInvalidArgs {
				return answer{}, errRefused
			}
			return answer{}, fmt.Errorf("%s: %w", result.Error.Code, result.Error)
		}
	}
	return contestant{name: name, note: what, refuses: true, prepare: prepare}, nil
}
