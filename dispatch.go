package gongu

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"github.com/gongu-ai/gongu/internal/jsonx"
	"github.com/gongu-ai/gongu/internal/lang"
)

// dispatch is one call on its way through the executor.
type dispatch struct {
	exec    *Executor
	attempt Attempt
	depth   int

	// mu makes a second next() wait for, and return, the first result.
	mu      sync.Mutex
	ran     bool
	handled Result

	// What the worker and the caller share while the handler runs. Who moves
	// the state away from running may write handled.
	state      atomic.Int32
	callCtx    callContext
	handlerCtx handlerContext

	// ctx is the context of the call as far as it has come, for
	// [Attempt.Context].
	ctx      context.Context
	observed []context.Context

	over     atomic.Bool
	makeUp   sync.Once
	madeUp   *Context
	describe sync.Once
	about    *Context

	endMu sync.Mutex
	ends  []func(Result)
	ended *Result
}

// maxNesting bounds tools that call tools.
const maxNesting = 32

// dispatch wraps everything else: whatever happens inside, one result with the
// right ids, limits and texts comes out, and the audit hears of it.
func (e *Executor) dispatch(ctx context.Context, call Call, dryRun bool) Result {
	if call.ID == "" {
		call.ID = e.opts.NewID()
	}
	d := &dispatch{exec: e, attempt: Attempt{Call: call, Catalog: e.opts.Catalog, DryRun: dryRun, Started: time.Now()}, ctx: ctx}
	d.attempt.dispatch = d
	d.attempt.Principal = PrincipalOf(ctx)
	if outer, ok := ctx.Value(dispatchKey{}).(*dispatch); ok {
		d.depth = outer.depth + 1
		d.attempt.Parent = &outer.attempt
	}
	returned := false
	defer func() {
		// A middleware can end the goroutine: nothing is returned then, but
		// guards and observers still learn of the end.
		if !returned {
			d.over.Store(true)
			d.end(d.finish(ctx, d.exited()))
		}
	}()
	if e.opts.Begin != nil {
		d.protect("begin", func() { e.opts.Begin(ctx, &d.attempt) })
	}
	ctx = d.beginObservers(ctx)
	d.ctx = ctx
	result := d.run(ctx)
	d.over.Store(true)
	result = d.finish(ctx, result)
	d.audit(ctx, result)
	d.end(result)
	returned = true
	return result
}

// run takes the call as far as the chain, and turns a panic of a middleware
// into a result.
func (d *dispatch) run(ctx context.Context) (result Result) {
	defer func() {
		if thrown := recover(); thrown != nil {
			result = d.crashed(thrown)
		}
	}()
	if d.depth > maxNesting {
		return failed(&Error{Message: lang.CauseNested.In(d.exec.lang, maxNesting)})
	}
	if err := d.admit(); err != nil {
		return failed(d.explained(ctx, err))
	}
	object, problem := jsonx.Object(d.attempt.Call.Args, d.exec.opts.MaxArgs)
	if problem != nil {
		return failed(d.invalidArgs([]string{d.issue(problem.Path, problem.Message)}, nil, nil))
	}
	passed := d.attempt.Call
	d.attempt.Call.Args, passed.Args = copies(object, d.exec.chain.wraps())
	d.callCtx = callContext{ctx, d}
	return d.exec.chain.invoke(&d.callCtx, passed)
}

// copies makes the executor's own copy of the arguments and, where there is
// middleware, one for it to write in: neither the caller's bytes nor the ones
// to be frozen may change by it. Both take one allocation.
func copies(object []byte, wrapped bool) (own, passed []byte) {
	if !wrapped {
		own = bytes.Clone(object)
		return own, own
	}
	size := len(object)
	both := append(append(make([]byte, 0, 2*size), object...), object...)
	return both[:size:size], both[size:]
}

// callContext carries the dispatch, as a part of it: context.WithValue would
// be one more allocation for every call.
type callContext struct {
	context.Context
	dispatch *dispatch
}

// Value finds the dispatch.
func (c *callContext) Value(key any) any {
	if _, ok := key.(dispatchKey); ok {
		return c.dispatch
	}
	return c.Context.Value(key)
}

// admit asks the catalog, and only where it says no the bypass.
func (d *dispatch) admit() *Error {
	name, catalog := d.name(), d.attempt.Catalog
	code := CodeNotInCatalog
	if catalog != nil {
		if d.attempt.entry, code = catalog.admit(name); code == "" {
			return nil
		}
	}
	if code == CodeNotInCatalog && d.bypass(name) {
		return nil
	}
	return d.refusal(code)
}

func (d *dispatch) bypass(name string) bool {
	opts := &d.exec.opts
	if !slices.ContainsFunc(opts.Bypass, func(glob string) bool { return globMatch(glob, name) }) {
		return false
	}
	found := d.exec.registry.find(name)
	if found == nil {
		return false
	}
	opts.Logger.Warn("catalog bypassed", "tool", name, "toolCallId", d.attempt.Call.ID, "bypass", opts.Bypass)
	d.attempt.entry, d.attempt.Bypassed = found, true
	return true
}

// readmit repeats the admission after a wait. The tool must still be the one
// that was asked about.
func (d *dispatch) readmit() *Error {
	before := d.attempt.entry.digest
	if err := d.admit(); err != nil {
		return err
	}
	if d.attempt.entry.digest != before {
		return d.refusal(CodeChanged)
	}
	return nil
}

// explained lets the owner of the executor say more about a refusal. It cannot
// undo it.
func (d *dispatch) explained(ctx context.Context, refusal *Error) *Error {
	if d.exec.opts.Refused != nil {
		if more := d.exec.opts.Refused(ctx, &d.attempt, refusal); more != nil {
			return more
		}
	}
	return refusal
}

func (d *dispatch) refusal(code string) *Error {
	l := d.exec.lang
	text := codeTexts[code]
	err := &Error{Code: code, Message: text.message.In(l, d.name()), Suggestion: text.suggestion.In(l)}
	if code == CodeNotInCatalog && d.attempt.Catalog != nil {
		if near := d.attempt.Catalog.Near(d.name()); len(near) > 0 {
			err.Suggestion += " " + lang.SuggestNear.In(l, strings.Join(near, ", "))
		}
	}
	return err
}

// core is the innermost part of every chain: freeze, guards, handler. It runs
// once for each call, however often a middleware calls next. The executor's
// own copy of the arguments, made before the chain, is what is frozen unless a
// middleware passes on something else.
func (e *Executor) core(ctx context.Context, call Call) Result {
	d, ok := ctx.Value(dispatchKey{}).(*dispatch)
	if !ok {
		return failed(&Error{Message: lang.CauseContextLost.In(e.lang)})
	}
	d.mu.Lock()
	defer d.mu.Unlock()
	if !d.ran {
		d.ran = true
		d.handled = d.runCore(ctx, call)
	}
	return d.handled
}

func (d *dispatch) runCore(ctx context.Context, call Call) Result {
	d.ctx = ctx
	if !bytes.Equal(call.Args, d.attempt.Call.Args) {
		if err := d.freeze(call.Args); err != nil {
			return failed(err)
		}
	}
	if err := d.passGuards(ctx); err != nil {
		return failed(err)
	}
	if err := ctx.Err(); err != nil {
		return failed(d.interrupted(err, 0))
	}
	if d.attempt.DryRun {
		return d.wouldRun()
	}
	return d.runHandler(ctx)
}

func (d *dispatch) wouldRun() Result {
	guards := []string{"schema"}
	for _, g := range d.exec.opts.Guards {
		guards = append(guards, g.Name)
	}
	return OK(map[string]any{
		"dryRun": true,
		"tool":   d.name(),
		"args":   d.attempt.Call.Args,
		"source": d.attempt.entry.tool.Source.Identity(),
		"passed": guards,
	})
}

func (d *dispatch) name() string { return d.attempt.Call.Name }

// context is built when a handler asks for it; most never do.
func (d *dispatch) context(ctx context.Context) *Context {
	d.describe.Do(func() {
		c := d.baseContext(ctx)
		c.Logger = cmp.Or(c.Logger, d.exec.opts.Logger).With("tool", c.ToolName, "toolCallId", c.ToolCallID)
		if len(c.Message) == 0 {
			c.Message = syntheticMessage(d.attempt.Call, time.Now())
		}
		d.about = &c
	})
	c := *d.about
	return &c
}

func (d *dispatch) audit(ctx context.Context, result Result) {
	if d.exec.opts.Audit != nil {
		d.protect("audit", func() { d.exec.opts.Audit(ctx, &d.attempt, result) })
	}
}

// crashed says what was thrown. A value that names its own code keeps it.
func (d *dispatch) crashed(thrown any) Result {
	err := errorOfPanic(thrown)
	if err.Code == "" {
		err.Code = CodePanic
	}
	return failed(err)
}

// interrupted tells a deadline from a cancellation.
func (d *dispatch) interrupted(cause error, timeout time.Duration) *Error {
	l := d.exec.lang
	if errors.Is(cause, context.DeadlineExceeded) {
		return &Error{Code: CodeTimeout, Message: lang.MessageTimeout.In(l, d.name(), timeout.String()), cause: cause}
	}
	return &Error{Code: CodeCancelled, Message: lang.MessageCancelled.In(l, d.name()), cause: cause}
}

func failed(err *Error) Result { return Result{Status: StatusError, Error: err} }
