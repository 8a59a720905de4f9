package script

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"log/slog"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/gongu-ai/gongu"
	"github.com/gongu-ai/gongu/internal/jsbuild"
	"github.com/gongu-ai/gongu/internal/lang"
	"github.com/gongu-ai/gongu/internal/limit"
	"github.com/gongu-ai/gongu/internal/proc"
	"github.com/gongu-ai/gongu/internal/sandbox"
)

const (
	defaultCalls      = 100
	defaultCodeFlight = 16
	defaultCodeOutput = 256 << 10
	defaultCodeLog    = 200
	// codeBase is the memory of a child without the objects of the code.
	codeBase = 256 << 20

	defaultRuns     = 8
	defaultRunsEach = 2
	defaultRunWait  = time.Minute
	// maxRunQueue is how many runs may wait; each holds its source and caller.
	maxRunQueue = 256
)

// CodeOptions limit what code of a model may do. Only Child is required.
type CodeOptions struct {
	// Child is the program that runs [ChildMain], as in [Options].
	Child []string
	// Timeout is the time limit of a run, including its tool calls (default 30
	// s).
	Timeout time.Duration
	// Memory is the memory limit for the objects of the code, in bytes (default
	// 64 MiB). On Linux, the process is killed at 256 MiB above that.
	Memory int
	// MaxCalls limits the tool calls of a run (default 100); the next one ends
	// the run. MaxInFlight limits the concurrent ones (default 16); further
	// ones are refused.
	MaxCalls, MaxInFlight int
	// MaxOutput limits the JSON of the result, in bytes (default 256 KiB).
	MaxOutput int
	// MaxLog limits the lines of the log (default 200).
	MaxLog int
	// MaxRuns limits the concurrent runs (default 8), and MaxRunsEach those of
	// one principal (default 2): each run is a process. Further runs wait, up to
	// MaxWait (default 1 minute) and not beyond the deadline of the call.
	MaxRuns, MaxRunsEach int
	MaxWait              time.Duration
	// Warm starts the process for the next run ahead, from the first run on. It
	// exits after a minute without a run.
	Warm bool
	// Lang is the language of messages: en (default) or ko.
	Lang   string
	Logger *slog.Logger
}

func (o *CodeOptions) complete() CodeOptions {
	var out CodeOptions
	if o != nil {
		out = *o
	}
	out.Child = slices.Clone(out.Child)
	out.Timeout = cmp.Or(max(out.Timeout, 0), defaultTimeout)
	out.Memory = max(cmp.Or(max(out.Memory, 0), defaultMemory), minimalMemory)
	out.MaxCalls = cmp.Or(max(out.MaxCalls, 0), defaultCalls)
	out.MaxInFlight = cmp.Or(max(out.MaxInFlight, 0), defaultCodeFlight)
	out.MaxOutput = cmp.Or(max(out.MaxOutput, 0), defaultCodeOutput)
	out.MaxLog = cmp.Or(max(out.MaxLog, 0), defaultCodeLog)
	out.MaxRuns = cmp.Or(max(out.MaxRuns, 0), defaultRuns)
	out.MaxRunsEach = cmp.Or(max(out.MaxRunsEach, 0), defaultRunsEach)
	out.MaxWait = cmp.Or(max(out.MaxWait, 0), defaultRunWait)
	if out.Logger == nil {
		out.Logger = slog.Default()
	}
	return out
}

// Binding is a tool that code may call.
type Binding struct {
	// Name is the name in the code: tools.NAME(args), or tools["NAME"](args) if
	// it is not an identifier.
	Name string `json:"name"`
}

// CallFunc calls a tool for the code. It must apply catalog, policy and
// approval.
type CallFunc func(ctx context.Context, name string, args json.RawMessage) gongu.Result

// CodeCall is a tool call of the code.
type CodeCall struct {
	ID     string `json:"id"`
	Name   string `json:"name"`
	Status string `json:"status"`
	// Code is the code of the error, or empty.
	Code       string `json:"code,omitempty"`
	DurationMS int64  `json:"durationMs"`
}

// CodeResult is the result of a run. A run that failed has a log and calls as
// well.
type CodeResult struct {
	// Value is what the code returned.
	Value json.RawMessage `json:"value,omitempty"`
	// Log has the lines that the code printed.
	Log []string `json:"log,omitempty"`
	// Calls are the tool calls in the order of their start.
	Calls []CodeCall `json:"calls,omitempty"`
	// Line is the line of the code that failed, from 1, or 0.
	Line int `json:"line,omitempty"`
}

// Code runs source that a model has written, each piece in its own child
// process. The source is the body of an async function in TypeScript or
// JavaScript, of at most 64 KiB. Its result is the value of a return statement
// at the top level, or else of the last statement if that is an expression. The
// code can use tools, console, timers and the language; it has no files,
// network or environment.
type Code struct {
	opts CodeOptions
	lang lang.Lang
	runs *limit.Limiter

	mu     sync.Mutex
	warm   *codeProcess
	idle   *time.Timer
	closed bool
	alive  sync.WaitGroup
	ending chan struct{}
}

// NewCode returns a runner of code. The caller closes it.
func NewCode(opts *CodeOptions) *Code {
	c := &Code{opts: opts.complete(), ending: make(chan struct{})}
	c.lang = lang.Of(c.opts.Lang)
	c.runs = limit.New(limit.Options{Total: c.opts.MaxRuns, PerKey: c.opts.MaxRunsEach, Queue: maxRunQueue})
	return c
}

// Run runs source. If it fails, the error says what to do, and the result still
// has the log and the calls.
func (c *Code) Run(ctx context.Context, source string, tools []Binding, call CallFunc) (CodeResult, *gongu.Error) {
	if err := c.check(source); err != nil {
		return CodeResult{}, err
	}
	if err := ctx.Err(); err != nil {
		return CodeResult{}, c.over(ctx)
	}
	if isClosed(c.ending) {
		return CodeResult{}, &gongu.Error{Code: gongu.CodeUnavailable, Message: lang.CodeClosed.In(c.lang)}
	}
	release, err := c.queue(ctx)
	if err != nil {
		return CodeResult{}, err
	}
	defer release()
	l, err := c.get()
	if err != nil {
		return CodeResult{}, err
	}
	names := make([]string, len(tools))
	for i, tool := range tools {
		names[i] = tool.Name
	}
	r := newCodeRun(ctx, c, l, names, call)
	l.attach(r)
	failure := r.await(source)
	r.end()
	result := r.result()
	if failure == nil {
		return result, nil
	}
	result.Value = nil
	return result, failure
}

// queue waits until one more run may begin for the principal of ctx. The caller
// ends the run with release.
func (c *Code) queue(ctx context.Context) (release func(), failure *gongu.Error) {
	principal := ""
	if p := gongu.PrincipalOf(ctx); p != nil {
		principal = p.Name
	}
	waiting, cancel := context.WithTimeout(ctx, c.opts.MaxWait)
	defer cancel()
	go func() { // Close ends the waiting, too
		select {
		case <-c.ending:
			cancel()
		case <-waiting.Done():
		}
	}()
	err := c.runs.Acquire(waiting, principal)
	if err == nil && isClosed(c.ending) { // Close ended the run before this one
		c.runs.Release(principal)
		err = context.Canceled
	}
	switch {
	case err == nil:
		return func() { c.runs.Release(principal) }, nil
	case ctx.Err() != nil && !errors.Is(ctx.Err(), context.DeadlineExceeded), isClosed(c.ending):
		return nil, &gongu.Error{Code: gongu.CodeCancelled, Message: lang.CodeCancelled.In(c.lang)}
	}
	return nil, &gongu.Error{
		Code: gongu.CodeUnavailable, Message: lang.CodeBusy.In(c.lang, c.opts.MaxRuns, c.opts.MaxRunsEach), Suggestion: lang.CodeBusyHint.In(c.lang),
	}
}

// check refuses source that the parser must not get.
func (c *Code) check(source string) *gongu.Error {
	switch {
	case len(c.opts.Child) == 0:
		return &gongu.Error{Code: gongu.CodeUnavailable, Message: lang.CodeUnavailable.In(c.lang), Suggestion: lang.ChildNoneHint.In(c.lang)}
	case len(source) > jsbuild.MaxCode:
		return &gongu.Error{Code: gongu.CodeInvalidArgs, Message: lang.CodeTooLarge.In(c.lang, len(source), jsbuild.MaxCode), Suggestion: lang.CodeSmaller.In(c.lang)}
	case jsbuild.Nesting([]byte(source)) > jsbuild.MaxNesting:
		return &gongu.Error{Code: gongu.CodeInvalidArgs, Message: lang.CodeTooDeep.In(c.lang, jsbuild.MaxNesting), Suggestion: lang.CodeSmaller.In(c.lang)}
	case strings.TrimSpace(source) == "":
		return &gongu.Error{Code: gongu.CodeInvalidArgs, Message: lang.CodeEmpty.In(c.lang), Suggestion: lang.CodeEmptyHint.In(c.lang)}
	}
	return nil
}

// over returns the error of a run whose context has ended.
func (c *Code) over(ctx context.Context) *gongu.Error {
	if errors.Is(ctx.Err(), context.DeadlineExceeded) {
		return &gongu.Error{Code: gongu.CodeTimeout, Message: lang.CodeTimeout.In(c.lang, c.opts.Timeout)}
	}
	return &gongu.Error{Code: gongu.CodeCancelled, Message: lang.CodeCancelled.In(c.lang)}
}

// get returns a process for one run: the one that was started ahead, or a new
// one. With Warm, it starts the next one.
func (c *Code) get() (*codeProcess, *gongu.Error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.closed { // between the check of Run and here
		return nil, &gongu.Error{Code: gongu.CodeCancelled, Message: lang.CodeCancelled.In(c.lang)}
	}
	l := c.warm
	c.warm = nil
	if l != nil && isClosed(l.gone) {
		l = nil
	}
	if l == nil {
		var err error
		if l, err = c.start(); err != nil {
			return nil, &gongu.Error{Code: gongu.CodeUnavailable, Message: lang.CodeNoStart.In(c.lang, err)}
		}
	}
	if c.opts.Warm {
		c.refill()
	}
	return l, nil
}

// refill starts the process for the next run. The caller holds the lock.
func (c *Code) refill() {
	next, err := c.start()
	if err != nil {
		c.opts.Logger.Warn("cannot start a process for the next run", "error", err)
		return
	}
	c.warm = next
	if c.idle != nil {
		c.idle.Stop()
	}
	c.idle = time.AfterFunc(idleTime, func() {
		c.mu.Lock()
		defer c.mu.Unlock()
		if c.warm == next {
			c.warm = nil
			next.child.kill(errUnused)
		}
	})
}

// start starts a process. The caller holds the lock.
func (c *Code) start() (*codeProcess, error) {
	limit := c.opts.Memory + codeBase
	l := &codeProcess{logger: c.opts.Logger, gone: make(chan struct{}), ready: make(chan struct{})}
	c.alive.Add(1)
	started, err := startChild(childCommand{
		argv: c.opts.Child, env: append(proc.Environ(nil), goMemory(limit)), maxLine: maxCodeLine(&c.opts), memory: limit,
		// The code has no files and no network; the process that runs it has none either.
		sandbox: &sandbox.Policy{Network: sandbox.NetworkNone},
		take:    l.take, onOutput: l.logOutput, ended: func(*child) { close(l.gone); c.alive.Done() },
	})
	if err != nil {
		c.alive.Done()
		return nil, err
	}
	l.child = started
	started.send(&message{Type: msgLoad, Load: &loadRequest{
		Path: jsbuild.CodeName, Code: true,
		Options: Options{
			Lang: c.opts.Lang, Timeout: c.opts.Timeout, Memory: c.opts.Memory,
			MaxOutput: c.opts.MaxOutput, MaxInFlight: c.opts.MaxInFlight, MaxVMs: 1,
		},
	}})
	return l, nil
}

// maxCodeLine is the longest line that a child for code may write: a result, or
// the arguments of a tool.
func maxCodeLine(o *CodeOptions) int { return 2*max(o.MaxOutput, defaultOutput) + 1<<20 }

// Close ends all processes and runs, and waits for them.
func (c *Code) Close() error {
	c.mu.Lock()
	if !c.closed {
		c.closed = true
		close(c.ending)
		if c.idle != nil {
			c.idle.Stop()
		}
		if c.warm != nil {
			c.warm.child.kill(errUnused)
		}
	}
	c.mu.Unlock()
	c.alive.Wait()
	return nil
}
