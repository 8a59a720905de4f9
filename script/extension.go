package script

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"sync"
	"sync/atomic"
	"time"

	"github.com/gongu-ai/gongu"
	"github.com/gongu-ai/gongu/internal/jsbuild"
	"github.com/gongu-ai/gongu/internal/lang"
)

const (
	// sliceTime limits how long an extension may compute without a pause: its
	// other calls wait meanwhile.
	sliceTime = 5 * time.Second
	// maxFailures is how many times in a row an extension may be stopped before
	// it is disabled.
	maxFailures = 3
)

// The levels of the pipeline, for [ExtensionHost.Use].
const (
	LevelTurn     = "turn"
	LevelStep     = "step"
	LevelToolCall = "toolCall"
)

// ExtensionHost receives the registrations of an extension. Its methods are
// called from several goroutines and must not wait for the extension.
type ExtensionHost interface {
	// Use adds a middleware to a level.
	Use(level string, priority int, m Middleware)
	// RegisterTool adds a tool, or replaces one that this extension added.
	RegisterTool(tool gongu.Tool) error
	// On subscribes to an event. The arguments are a JSON array.
	On(event string, listener func(args json.RawMessage)) (off func())
	Emit(event string, args json.RawMessage)
	// State returns the stored state of the extension, or null.
	State() json.RawMessage
	SetState(value json.RawMessage)
	Logger() *slog.Logger
}

// Middleware is a function of the extension around one level. Its error is what
// the function threw, or the error of [Frame.Next] that it passed on.
type Middleware func(ctx context.Context, f Frame) (Outcome, error)

// Outcome is the result of a middleware.
type Outcome struct {
	// Same reports that the middleware returned the result of [Frame.Next]
	// unchanged.
	Same bool
	// Value is any other result, as JSON.
	Value json.RawMessage
}

// Frame is one run of a middleware, as the script sees it. Next is called at
// most once, on the goroutine that runs the middleware. The other methods are
// called from other goroutines, also while Next runs.
type Frame interface {
	// Fixed returns a JSON object with the constant fields of ctx.
	Fixed() json.RawMessage
	// Get returns a field that is computed on demand: args, metadata,
	// turn.metadata, toolCatalog, result.output, result.content,
	// conversation.base, conversation.events, conversation.next.
	Get(field string) (json.RawMessage, error)
	// Set stores a field that the script changed.
	Set(field string, value json.RawMessage) error
	// Emit records a change of the conversation.
	Emit(event json.RawMessage) error
	// Agents calls other agents, as [gongu.AgentRuntime] does.
	Agents(ctx context.Context, operation string, params json.RawMessage) (json.RawMessage, error)
	// Next runs the rest of the level and returns its result as JSON. For a
	// tool call, output and content are null in the result if Get returns them.
	Next(ctx context.Context) (json.RawMessage, error)
}

// Extension is a module that exports register. It runs in one VM, in which many
// calls run interleaved.
//
// A VM that computes for too long, runs out of memory or panics is closed, and
// all its calls fail. The next use loads the module again; register must then
// make the same registrations in the same order. If it does not, after three
// failures in a row, or after two lost VMs, the extension is disabled:
// everything it registered returns an error.
type Extension struct {
	module *Module
	name   string // for messages

	// loading is held by the goroutine that loads the module.
	loading chan struct{}
	vm      atomic.Pointer[extensionVM]

	mu       sync.Mutex
	host     ExtensionHost
	config   json.RawMessage
	origin   context.Context // context of the registration, without its end
	slots    []*slot
	late     bool // middleware was added after register
	failures int
	broken   error
	closed   bool
}

// slot is a registered function of the extension.
type slot struct {
	// key identifies the registration, for the comparison after a restart.
	key string
	fn  int
	// owner is the only VM that has the function. It is nil for functions that
	// register registered, which every VM has.
	owner *extensionVM
	off   func()
}

// LoadExtension bundles and compiles the module at path and checks that it
// exports register. The error is a [LoadError] or a [MissingError].
func (e *Engine) LoadExtension(ctx context.Context, root, path string) (*Extension, error) {
	bundled, err := e.bundle(ctx, root, path, jsbuild.QuickJS)
	if err != nil {
		return nil, err
	}
	m := newModule(e, bundled)
	if err := m.compile(bundled.Source); err != nil {
		return nil, err
	}
	x := &Extension{module: m, name: m.path, loading: make(chan struct{}, 1)}
	m.extension = x
	first, err := x.start()
	if err != nil {
		return nil, err
	}
	x.vm.Store(first)
	if err := e.register(m); err != nil {
		first.retire()
		return nil, err
	}
	return x, nil
}

// Path returns the extension's entry, from its root, with slashes.
func (x *Extension) Path() string { return x.module.path }

// Register runs register(api, config) of the module and waits for it. It must
// be called once. The name is used in messages.
func (x *Extension) Register(ctx context.Context, name string, host ExtensionHost, config json.RawMessage) error {
	x.mu.Lock()
	if x.host != nil {
		x.mu.Unlock()
		return errors.New("the extension is already registered")
	}
	x.name, x.host, x.config, x.origin = name, host, config, context.WithoutCancel(ctx)
	x.mu.Unlock()
	r := x.vm.Load()
	if r == nil {
		return x.module.unavailable(lang.ScriptClosed, x.module.path)
	}
	return r.register(ctx, nil, false)
}

// Close unloads the extension. Running calls finish, later ones fail.
func (x *Extension) Close() error { return x.module.Close() }

// end closes the VM; Module.Close calls it.
func (x *Extension) end() {
	x.mu.Lock()
	x.closed = true
	x.mu.Unlock()
	if r := x.vm.Load(); r != nil {
		r.retire()
	}
}

// size returns the number of VMs.
func (x *Extension) size() int {
	if r := x.vm.Load(); r != nil && !r.isDead() {
		return 1
	}
	return 0
}

// current returns the VM. It replaces one that was stopped.
func (x *Extension) current(ctx context.Context) (*extensionVM, error) {
	x.mu.Lock()
	closed := x.closed
	x.mu.Unlock()
	if closed {
		return nil, x.module.unavailable(lang.ScriptClosed, x.module.path)
	}
	if r := x.vm.Load(); r != nil && !r.isDead() {
		return r, nil
	}
	select {
	case x.loading <- struct{}{}:
	case <-ctx.Done():
		return nil, ctx.Err()
	case <-x.module.engine.closing:
		return nil, x.module.unavailable(lang.ScriptClosed, x.module.path)
	}
	defer func() { <-x.loading }()
	if r := x.vm.Load(); r != nil && !r.isDead() {
		return r, nil
	}
	return x.restart()
}

// restart loads the module again. register must repeat its registrations,
// because their functions replace those of the old VM.
func (x *Extension) restart() (*extensionVM, error) {
	x.mu.Lock()
	broken, closed, late, expected, origin := x.broken, x.closed, x.late, x.slots, x.origin
	x.failures++
	failures := x.failures
	x.mu.Unlock()
	engine := x.module.engine
	switch {
	case closed: // while waiting
		return nil, x.module.unavailable(lang.ScriptClosed, x.module.path)
	case broken != nil:
		return nil, broken
	case failures > maxFailures:
		return nil, x.fail(lang.ExtScriptTooOften.In(engine.lang, maxFailures))
	case late:
		// Middleware that was added later would be missing silently.
		return nil, x.fail(lang.ExtScriptLate.In(engine.lang))
	}
	if x.module.lost.Load() >= maxLost {
		return nil, x.fail(lang.ExtScriptLost.In(engine.lang, maxLost))
	}
	if burning := engine.burning.Load(); burning >= maxLost {
		return nil, x.module.unavailable(lang.ScriptLost, burning)
	}
	r, err := x.start()
	if err != nil {
		return nil, x.fail(err.Error())
	}
	if err := r.register(origin, expected, true); err != nil {
		r.retire()
		return nil, x.fail(err.Error())
	}
	engine.opts.Logger.Warn("an extension was stopped and reloaded", "extension", x.name, "module", x.module.path)
	x.vm.Store(r)
	return r, nil
}

// fail disables the extension.
func (x *Extension) fail(why string) error {
	l := x.module.engine.lang
	err := &gongu.Error{
		Code: gongu.CodeUnavailable, Message: lang.ExtScriptFailed.In(l, x.name, why), Suggestion: lang.ExtScriptFailedHint.In(l),
	}
	x.mu.Lock()
	defer x.mu.Unlock()
	x.broken = err
	x.module.engine.opts.Logger.Error("an extension is disabled", "extension", x.name, "module", x.module.path, "error", why)
	return err
}

// succeeded resets the count of failures.
func (x *Extension) succeeded() {
	x.mu.Lock()
	x.failures = 0
	x.mu.Unlock()
}

// find returns the VM that has the function of a slot, and the function's
// number there.
func (x *Extension) find(ctx context.Context, s *slot) (*extensionVM, int, error) {
	r, err := x.current(ctx)
	if err != nil {
		return nil, 0, err
	}
	if s.owner != nil && s.owner != r {
		return nil, 0, x.module.unavailable(lang.ExtScriptStale, s.key, x.name)
	}
	x.mu.Lock()
	defer x.mu.Unlock()
	return r, s.fn, nil
}

// run calls the function of a slot. If the VM was stopped before the task
// began, run repeats it in the next VM.
func (x *Extension) run(ctx context.Context, s *slot, kind string, request gongu.Call, prepare func(*task) error) (*task, string, error) {
	for {
		r, fn, err := x.find(ctx, s)
		if err != nil {
			return nil, "", err
		}
		t := r.newTask(ctx, kind, fn, request)
		if err := prepare(t); err != nil {
			return nil, "", err
		}
		text, err := r.do(ctx, t)
		if !errors.Is(err, errNotBegun) {
			return t, text, err
		}
	}
}

// middleware returns the function of a slot as a Middleware.
func (x *Extension) middleware(level string, s *slot) Middleware {
	return func(ctx context.Context, f Frame) (Outcome, error) {
		t, text, err := x.run(ctx, s, level, gongu.Call{}, func(t *task) error {
			t.frame, t.fixed = f, string(f.Fixed())
			return nil
		})
		if err != nil {
			return Outcome{}, err
		}
		switch text[:1] {
		case "=":
			x.succeeded()
			return Outcome{Same: true}, nil
		case "+":
			x.succeeded()
			return Outcome{Value: json.RawMessage(text[1:])}, nil
		case "^":
			return Outcome{}, t.nextErr
		case "~":
			return Outcome{}, fmt.Errorf("%s", lang.ExtScriptNoResult.In(x.module.engine.lang, level, x.name))
		}
		result, _ := x.module.finish(t.call, text)
		return Outcome{}, result.Error
	}
}

// tool returns the function of a slot as the handler of a tool.
func (x *Extension) tool(s *slot) gongu.Invoke {
	return func(ctx context.Context, request gongu.Call) gongu.Result {
		t, text, err := x.run(ctx, s, "tool", request, (*task).describe)
		if err != nil {
			return gongu.Fail(err)
		}
		result, _ := x.module.finish(t.call, text)
		x.succeeded()
		return result
	}
}

// listener returns the function of a slot as an event listener. It does not
// wait.
func (x *Extension) listener(s *slot) func(json.RawMessage) {
	return func(args json.RawMessage) {
		r := x.vm.Load()
		if r == nil || r.isDead() || s.owner != nil && s.owner != r {
			return // the listener was lost with its VM
		}
		x.mu.Lock()
		fn, origin := s.fn, x.origin
		x.mu.Unlock()
		t := r.newTask(origin, "listener", fn, gongu.Call{})
		t.fixed = string(args)
		r.post(delivery{kind: deliverStart, task: t})
	}
}
