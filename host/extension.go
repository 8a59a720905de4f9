package host

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"maps"
	"slices"
	"strings"

	"github.com/gongu-ai/gongu"
	"github.com/gongu-ai/gongu/agent"
	"github.com/gongu-ai/gongu/bundle"
	"github.com/gongu-ai/gongu/internal/lang"
	"github.com/gongu-ai/gongu/script"
)

// knownExtension reports whether builtin:NAME of an Extension exists.
func (h *Host) knownExtension(name string) bool {
	_, ok := h.builtinExtension(name)
	return ok
}

// builtinExtension returns an extension of the options, or one of gongu.
func (h *Host) builtinExtension(name string) (agent.Extension, bool) {
	if own, ok := h.opts.Extensions[name]; ok {
		return own, true
	}
	switch name {
	case "cad":
		return h.cadExtension(), true
	case "code":
		return h.codeExtension(), true
	}
	return agent.BaseExtension(name)
}

// BaseExtensions returns the names that builtin:NAME of an Extension may have in
// every host.
func BaseExtensions() []string { return append(agent.BaseExtensions(), "cad", "code") }

func (h *Host) lang() lang.Lang {
	l, _ := lang.Parse(h.opts.Lang)
	return l
}

// extension finds the code of an Extension resource. Scripts that it loads
// belong to the scope.
func (h *Host) extension(ctx context.Context, s *scope, resource *bundle.Extension) (agent.Extension, error) {
	fail := func(hint lang.Text, cause error) error {
		return &agent.ExtensionError{Code: agent.CodeExtensionLoad, Extension: resource.Name, Suggestion: hint.In(h.lang()), Cause: cause}
	}
	if name := resource.Module.Builtin; name != "" {
		found, ok := h.builtinExtension(name)
		if !ok {
			names := append(slices.Collect(maps.Keys(h.opts.Extensions)), BaseExtensions()...)
			slices.Sort(names)
			return nil, fail(lang.HostNoExtensionHint, errors.New(lang.HostNoExtension.In(h.lang(), name, strings.Join(names, ", "))))
		}
		return found, nil
	}
	loaded, err := h.scripts().LoadExtension(ctx, resource.Module.Root, resource.Module.Path)
	if err != nil {
		hint := lang.HostExtensionHint
		if missing, ok := errors.AsType[*script.MissingError](err); ok && missing.Register {
			hint = lang.ExtensionExportHint
		}
		return nil, fail(hint, err)
	}
	s.scripts = append(s.scripts, loaded)
	return agent.ExtensionFunc(func(ctx context.Context, api *agent.API, config json.RawMessage) error {
		return loaded.Register(ctx, api.Name, &extensionHost{api: api, scope: s, lang: h.lang()}, config)
	}), nil
}

// extensionHost is the API of an agent for a script.
type extensionHost struct {
	api   *agent.API
	scope *scope
	lang  lang.Lang
}

var _ script.ExtensionHost = (*extensionHost)(nil)

// Use adds a middleware to its level.
func (e *extensionHost) Use(level string, priority int, m script.Middleware) {
	switch level {
	case script.LevelTurn:
		// Only a Go program that calls Scope.Turn runs turns.
		e.api.Logger.Warn("this extension has turn middleware, which has no effect until gongu runs turns")
		e.api.UseTurn(priority, e.turn(m))
	case script.LevelStep:
		e.api.UseStep(priority, e.step(m))
	default:
		e.api.UseToolCall(priority, e.toolCall(m))
	}
}

// RegisterTool adds a tool of the extension.
func (e *extensionHost) RegisterTool(tool gongu.Tool) error { return e.api.RegisterTool(tool) }

// On subscribes to an event of the agent.
func (e *extensionHost) On(event string, listener func(json.RawMessage)) (off func()) {
	return e.api.On(event, func(args ...any) {
		if args == nil {
			args = []any{}
		}
		raw, err := json.Marshal(args)
		if err != nil {
			e.api.Logger.Error("encoding an event for a script failed", "event", event, "error", err)
			return
		}
		listener(raw)
	})
}

// Emit sends an event to the agent's listeners.
func (e *extensionHost) Emit(event string, raw json.RawMessage) {
	var args []any
	if err := json.Unmarshal(raw, &args); err != nil {
		e.api.Logger.Error("decoding an event of a script failed", "event", event, "error", err)
		return
	}
	e.api.Emit(event, args...)
}

// State returns the state of the extension.
func (e *extensionHost) State() json.RawMessage { return e.api.State.Get() }

// SetState replaces the state of the extension.
func (e *extensionHost) SetState(value json.RawMessage) { e.api.State.Set(value) }

// Logger returns the logger of the extension.
func (e *extensionHost) Logger() *slog.Logger { return e.api.Logger }

func (e *extensionHost) turn(m script.Middleware) agent.TurnMiddleware {
	return func(ctx context.Context, turn *agent.Turn, next agent.Next[agent.TurnResult]) (agent.TurnResult, error) {
		return runLevel(ctx, e, script.LevelTurn, m, e.turnFrame(turn, next))
	}
}

func (e *extensionHost) step(m script.Middleware) agent.StepMiddleware {
	return func(ctx context.Context, step *agent.Step, next agent.Next[agent.StepResult]) (agent.StepResult, error) {
		return runLevel(ctx, e, script.LevelStep, m, e.stepFrame(step, next))
	}
}

func (e *extensionHost) toolCall(m script.Middleware) agent.ToolCallMiddleware {
	return func(ctx context.Context, call *agent.ToolCall, next agent.Next[gongu.Result]) (gongu.Result, error) {
		f := e.callFrame(ctx, call, next)
		result, err := runLevel(ctx, e, script.LevelToolCall, m, f)
		if err == nil && !isResult(result) && !f.same {
			err = e.badAnswer(script.LevelToolCall, errors.New(lang.ExtScriptAnswerStatus.In(e.lang)))
		}
		return result, err
	}
}

// isResult reports whether a script returned a valid result.
func isResult(r gongu.Result) bool {
	if r.Status == gongu.StatusError {
		return r.Error != nil && r.Error.Message != ""
	}
	return r.Status == gongu.StatusOK && r.Error == nil
}

func (e *extensionHost) badAnswer(level string, cause error) error {
	return fmt.Errorf("%s", lang.ExtScriptAnswer.In(e.lang, level, e.api.Name, cause))
}

// runLevel runs a script's middleware around a level and returns its result.
func runLevel[R any](ctx context.Context, e *extensionHost, name string, m script.Middleware, f *frame[R]) (R, error) {
	out, err := m(ctx, f)
	f.end()
	var zero R
	switch {
	case err != nil:
		return zero, err
	case out.Same:
		f.same = true
		return f.result, nil
	}
	var changed R
	if err := json.Unmarshal(out.Value, &changed); err != nil {
		return zero, e.badAnswer(name, err)
	}
	return changed, nil
}
