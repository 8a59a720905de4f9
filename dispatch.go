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

	"github.com/gongu-ai/gongu/internal/clock"
	"github.com/gongu-ai/gongu/internal/jsonx"
	"github.com/gongu-ai/gongu/internal/lang"
)

// dispatch is the state of one call in the executor.
type dispatch struct {
	exec    *Executor
	attempt Attempt
	depth   int

	// mu makes a second next() wait for, and return, the first result.
	mu      sync.Mutex
	ran     bool
	handled Result

	// clock is the time of the handler, set before it runs; nil for an inline one.
	clock *clock.Clock

	callCtx callContext
	// ctx is the latest context of the call, for [Attempt.Context].
	ctx      context.Context
	observed []context.Context

	// suspension is nil for a caller that cannot come back.
	suspension *suspension

	over     atomic.Bool
	makeUp   sync.Once
	madeUp   *Context
	describe sync.Once
	about    *Context

	// ends are the functions of [Attempt.OnEnd]; final is the result once the
	// call has ended.
	endMu sync.Mutex
	ends  []func(Result)
	ended bool
	final Result
}

// maxNesting limits how deep tools may call tools.
const maxNesting = 32

// dispatch runs one call. It always returns one complete result, within the
// limits, and ends the observers with it.
func (e *Executor) dispatch(ctx context.Context, call Call, dryRun bool, s *suspension) Result {
	if call.ID == "" {
		call.ID = e.opts.NewID()
	}
	d := &dispatch{exec: e, attempt: Attempt{Call: call, Catalog: e.opts.Catalog, DryRun: dryRun, Started: time.Now()}, ctx: ctx, suspension: s}
	d.attempt.dispatch = d
	d.attempt.Principal = PrincipalOf(ctx)
	if outer, ok := ctx.Value(dispatchKey{}).(*dispatch); ok {
		d.depth = outer.depth + 1
		d.attempt.Parent = &outer.attempt
	}
	returned := false
	defer func() {
		// A middleware can end the goroutine with runtime.Goexit: nothing is
		// returned then, but the call still ends for guards and observers.
		if !returned {
			d.over.Store(true)
			exited := d.exited()
			if s != nil {
				exited = d.conclude(ctx, exited)
			} else {
				exited = d.finish(ctx, exited)
			}
			d.end(exited)
		}
	}()
	ctx = d.beginObservers(ctx)
	d.ctx = ctx
	result := d.run(ctx)
	d.over.Store(true)
	if s == nil {
		result = d.finish(ctx, result)
	} else {
		result = d.conclude(ctx, result)
	}
	d.end(result)
	returned = true
	return result
}

// run admits the call, decodes its arguments and runs the middleware chain. It
// turns a panic into a result.
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
	if d.suspension != nil {
		if err := d.resumable(ctx); err != nil {
			return failed(err)
		}
	}
	object, problem := jsonx.Object(d.attempt.Call.Args, d.exec.opts.MaxArgs)
	if problem != nil {
		return failed(d.invalidArgs([]string{d.issue(problem.Path, problem.Message)}, nil, nil))
	}
	passed := d.attempt.Call
	chain := d.exec.middleware.composed.Load()
	d.attempt.Call.Args, passed.Args = copies(object, chain.wraps)
	d.callCtx = callContext{ctx, d}
	return chain.invoke(&d.callCtx, passed)
}

// copies returns the executor's copy of the arguments and, if there is
// middleware, a second copy that the middleware may write to. Both share one
// allocation.
func copies(object []byte, wrapped bool) (own, passed []byte) {
	if !wrapped {
		own = bytes.Clone(object)
		return own, own
	}
	size := len(object)
	both := append(append(make([]byte, 0, 2*size), object...), object...)
	return both[:size:size], both[size:]
}

// callContext is a context with the dispatch as a value. It is part of the
// dispatch, which saves the allocation of context.WithValue.
type callContext struct {
	context.Context
	dispatch *dispatch
}

// Value returns the dispatch for its key.
func (c *callContext) Value(key any) any {
	if _, ok := key.(dispatchKey); ok {
		return c.dispatch
	}
	return c.Context.Value(key)
}

// admit finds the tool in the catalog or, if it is not there, by the bypass.
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

// readmit repeats the admission after a wait. The tool must not have changed.
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

// explained returns the refusal, or the one that [ExecutorOptions].Explain
// returns for it.
func (d *dispatch) explained(ctx context.Context, refusal *Error) *Error {
	if d.exec.opts.Explain != nil {
		if more := d.exec.opts.Explain(ctx, &d.attempt, refusal); more != nil {
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
// once for each call, however often a middleware calls next. It uses the
// executor's copy of the arguments unless a middleware passes on others.
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
	if !d.fixedArgs() && !bytes.Equal(call.Args, d.attempt.Call.Args) {
		if err := d.freeze(call.Args); err != nil {
			return failed(err)
		}
	}
	if err := d.passGuards(ctx); err != nil {
		d.suspend(err)
		return failed(err)
	}
	if err := ctx.Err(); err != nil {
		return failed(d.interrupted(err, 0))
	}
	if d.attempt.DryRun {
		return d.wouldRun()
	}
	if d.suspension != nil {
		if r, stop := d.begin(ctx); stop {
			return r
		}
	}
	return d.runHandler(ctx)
}

// noteAsks is the note of a guard that would ask a person, with the rule.
const noteAsks = "asks"

func (d *dispatch) wouldRun() Result {
	guards := []string{"schema"}
	for _, g := range d.exec.opts.Guards {
		guards = append(guards, g.Name)
	}
	out := map[string]any{
		"dryRun": true,
		"tool":   d.name(),
		"args":   d.attempt.Call.Args,
		"source": d.attempt.entry.tool.Source.Identity(),
		"passed": guards,
	}
	for key, value := range d.attempt.Notes() {
		if key == noteAsks {
			out[key] = value
		}
	}
	return OK(out)
}

func (d *dispatch) name() string { return d.attempt.Call.Name }

// context returns the Context of the call. It is built at the first use, because
// most handlers do not read it.
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

// crashed returns the result for a panic. A value with a code keeps it.
func (d *dispatch) crashed(thrown any) Result {
	err := errorOfPanic(thrown)
	if err.Code == "" {
		err.Code = CodePanic
	}
	return failed(err)
}

// interrupted returns the error for a deadline or a cancellation.
func (d *dispatch) interrupted(cause error, timeout time.Duration) *Error {
	l := d.exec.lang
	if errors.Is(cause, context.DeadlineExceeded) {
		return &Error{Code: CodeTimeout, Message: lang.MessageTimeout.In(l, d.name(), timeout.String()), cause: cause}
	}
	return &Error{Code: CodeCancelled, Message: lang.MessageCancelled.In(l, d.name()), cause: cause}
}

func failed(err *Error) Result { return Result{Status: StatusError, Error: err} }
