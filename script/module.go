package script

import (
	"context"
	"encoding/json"
	"errors"
	"slices"
	"strings"
	"sync/atomic"
	"time"

	"github.com/gongu-ai/gongu"
	"github.com/gongu-ai/gongu/internal/jsbuild"
	"github.com/gongu-ai/gongu/internal/lang"
	"github.com/gongu-ai/gongu/internal/sandbox"
)

// Module is a loaded module. Its methods are safe for concurrent use.
type Module struct {
	engine    *Engine
	path      string
	code      []byte
	sourceMap *jsbuild.SourceMap
	handlers  []string
	pool      *pool
	// extension is set for an extension, which has no handlers.
	extension *Extension

	lost, burning, discarded atomic.Int64

	// childPool runs the calls in child processes; it is nil for a module that
	// runs in this process. moved reports that a loss was the reason. root and
	// source are sent to the child.
	childPool atomic.Pointer[childPool]
	moved     atomic.Bool
	root      string
	source    string

	// confined has the sandbox of this module alone, in place of the engine's.
	confined atomic.Pointer[confinement]
}

type confinement struct{ policy *sandbox.Policy }

// Confine gives the module a sandbox instead of the engine's; nil is
// none. Call it before the module is used.
func (m *Module) Confine(p *sandbox.Policy) { m.confined.Store(&confinement{p}) }

// policy returns the sandbox of the programs that the module starts.
func (m *Module) policy() *sandbox.Policy {
	if own := m.confined.Load(); own != nil {
		return own.policy
	}
	return m.engine.opts.Sandbox
}

func newModule(e *Engine, b *jsbuild.Script) *Module {
	m := &Module{engine: e, path: b.Entry, sourceMap: b.Map}
	if len(e.opts.Child) > 0 {
		m.source = b.Source
	}
	m.pool = newPool(m, e.opts.MaxVMs)
	return m
}

// bundle is [jsbuild.Bundle] unless the context has ended.
func (e *Engine) bundle(ctx context.Context, root, path string, target jsbuild.Target) (*jsbuild.Script, error) {
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	return jsbuild.Bundle(e.lang, root, path, target)
}

func (m *Module) compile(source string) error {
	code, err := compileSource(source)
	if syntax, ok := errors.AsType[*thrown](err); ok {
		out := &LoadError{Path: m.path, Reason: syntax.Error()}
		if at, ok := m.sourceMap.Find(syntax.line, syntax.column); ok {
			out.File, out.Line, out.Column = at.File, at.Line, at.Column
		}
		return out
	}
	if err != nil {
		return &LoadError{Path: m.path, Reason: err.Error()}
	}
	m.code = code
	return nil
}

// Path returns the module's entry, from its root, with slashes.
func (m *Module) Path() string { return m.path }

// Handlers returns the sorted names of the handlers. A module that was loaded
// for a child process has none before its first call.
func (m *Module) Handlers() []string { return slices.Clone(m.names()) }

// Invoke returns the handler of an export, for [gongu.Tool]. The error is a
// [MissingError].
func (m *Module) Invoke(export string) (gongu.Invoke, error) {
	if m.known() && !slices.Contains(m.handlers, export) {
		return nil, &MissingError{Path: m.path, Export: export, Found: m.Handlers(), lang: m.engine.lang}
	}
	return func(ctx context.Context, call gongu.Call) gongu.Result { return m.invoke(ctx, export, call) }, nil
}

// Stats returns the counters of this module.
func (m *Module) Stats() Stats {
	s := Stats{VMs: m.pool.size(), Discarded: m.discarded.Load(), Lost: m.lost.Load(), Burning: m.burning.Load()}
	if m.moved.Load() {
		s.Moved = 1
	}
	if r := m.childPool.Load(); r != nil {
		r.children.into(&s)
	}
	return s
}

// Close unloads the module. Running calls finish, later ones fail.
func (m *Module) Close() error {
	m.pool.close()
	if m.extension != nil {
		m.extension.end()
	}
	if r := m.childPool.Load(); r != nil {
		r.close()
	}
	m.engine.mu.Lock()
	delete(m.engine.modules, m)
	m.engine.mu.Unlock()
	return nil
}

func (m *Module) invoke(ctx context.Context, export string, request gongu.Call) gongu.Result {
	if err := ctx.Err(); err != nil {
		return gongu.Fail(err)
	}
	if r := m.childPool.Load(); r != nil {
		return r.invoke(ctx, export, request)
	}
	w, err := m.pool.get(ctx)
	if err != nil {
		return gongu.Fail(err)
	}
	return m.serve(w, newCall(ctx, m, export, request))
}

// serve runs a call in a VM.
func (m *Module) serve(w *worker, c *call) gongu.Result {
	ctx := c.ctx
	w.jobs <- c
	timer := time.NewTimer(time.Until(c.deadline) + interruptTime)
	defer timer.Stop()
	select {
	case out := <-c.reply:
		return out
	case <-ctx.Done():
	case <-m.engine.closing:
	case <-timer.C:
	}
	return w.stop(c)
}

// finish converts the answer of a handler: + and JSON, or - and an exception.
func (m *Module) finish(c *call, text string) (result gongu.Result, broken bool) {
	if strings.HasPrefix(text, "+") {
		output := text[1:]
		if len(output) > m.engine.opts.MaxOutput {
			return m.failure(gongu.CodeOutputTooLarge, lang.ScriptOutput, len(output), m.engine.opts.MaxOutput), false
		}
		return gongu.Result{Status: gongu.StatusOK, Output: json.RawMessage(output)}, false
	}
	e := parseException(strings.TrimPrefix(text, "-"))
	switch stopCause(e.Name, e.Message) {
	case errMemory:
		return m.failure(gongu.CodeTool, lang.ScriptMemory, m.engine.opts.Memory), true
	case errInterrupted:
		return m.stopResult(c), true
	}
	result, at := m.fault(e)
	_, stack := m.sourceMap.Stack(e.Stack)
	c.logger().Debug("a script failed", "module", m.path, "export", c.export, "error", e.Message, "at", at.String(), "stack", stack)
	return result, e.Name == "InternalError"
}

// unavailable returns the error of a call that the module cannot take now.
func (m *Module) unavailable(text lang.Text, args ...any) error {
	return &gongu.Error{Code: gongu.CodeUnavailable, Message: text.In(m.engine.lang, args...)}
}

// acquire takes a slot of the module. It waits at most for the timeout of a
// call.
func (m *Module) acquire(ctx context.Context, slots chan struct{}) error {
	select {
	case slots <- struct{}{}:
		return nil
	default:
	}
	timer := time.NewTimer(m.engine.opts.Timeout)
	defer timer.Stop()
	select {
	case slots <- struct{}{}:
		return nil
	case <-ctx.Done():
		return ctx.Err()
	case <-m.engine.closing:
		return m.unavailable(lang.ScriptClosed, m.path)
	case <-timer.C:
		return m.unavailable(lang.ScriptBusy, cap(slots), m.path)
	}
}

// countLost counts a VM that does not stop, countReturned a lost one that
// stopped later, and countDiscarded one that was closed after a failure.
func (m *Module) countLost() {
	for _, counter := range []*atomic.Int64{&m.lost, &m.burning, &m.engine.lost, &m.engine.burning} {
		counter.Add(1)
	}
}

func (m *Module) countReturned() {
	m.burning.Add(-1)
	m.engine.burning.Add(-1)
}

func (m *Module) countDiscarded() {
	m.discarded.Add(1)
	m.engine.discarded.Add(1)
}

func (m *Module) failure(code string, text lang.Text, args ...any) gongu.Result {
	return gongu.Fail(&gongu.Error{Code: code, Message: text.In(m.engine.lang, args...)})
}

// stopResult returns the result of a call that was stopped. If the context
// ended, the result wraps its error, which the executor recognises.
func (m *Module) stopResult(c *call) gongu.Result {
	if err := c.ctx.Err(); err != nil {
		out := &stopError{shown: gongu.Error{Code: gongu.CodeCancelled, Message: lang.ScriptCancelled.In(m.engine.lang)}, cause: err}
		if errors.Is(err, context.DeadlineExceeded) {
			out.shown = gongu.Error{Code: gongu.CodeTimeout, Message: lang.ScriptTimeout.In(m.engine.lang, c.limit)}
		}
		return gongu.Fail(out)
	}
	if isClosed(m.engine.closing) {
		return m.failure(gongu.CodeCancelled, lang.ScriptCancelled)
	}
	return m.failure(gongu.CodeTimeout, lang.ScriptTimeout, c.limit)
}

// stopError shows an error to the model and wraps the error of the context.
type stopError struct {
	shown gongu.Error
	cause error
}

func (e *stopError) Error() string   { return e.shown.Message }
func (e *stopError) Unwrap() []error { return []error{&e.shown, e.cause} }
