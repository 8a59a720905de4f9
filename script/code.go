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
	"github.com/gongu-ai/gongu/internal/proc"
)

const (
	defaultCalls      = 100
	defaultCodeFlight = 16
	defaultCodeOutput = 256 << 10
	defaultCodeLog    = 200
	// codeBase is what a child takes beside the objects of the code.
	codeBase = 256 << 20
)

// CodeOptions bound what code of a model may do. Zero values are fine, but for
// Child.
type CodeOptions struct {
	// Child is the program that runs [ChildMain], as in [Options].
	Child []string
	// Timeout is the longest time of a run, its tool calls included (default
	// 30 s).
	Timeout time.Duration
	// Memory is how many bytes the objects of the code may take (default 64
	// MiB). The process itself is ended 256 MiB above that, on Linux.
	Memory int
	// MaxCalls is how many tool calls a run may make (default 100); the next
	// one ends the run. MaxInFlight is how many may be under way (default 16);
	// more are refused.
	MaxCalls, MaxInFlight int
	// MaxOutput is how many bytes of JSON the result may have (default 256
	// KiB).
	MaxOutput int
	// MaxLog is how many lines of the log are kept (default 200).
	MaxLog int
	// Warm keeps a process ready for the next run, from the first run on. It
	// ends after a minute without one.
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
	if out.Logger == nil {
		out.Logger = slog.Default()
	}
	return out
}

// Binding is a tool that code may call.
type Binding struct {
	// Name is what code calls it by: tools.NAME(args), or tools["NAME"](args)
	// for one that is no identifier.
	Name string `json:"name"`
}

// CallFunc calls a tool for code. It applies catalog, policy and approval: code
// has no rights of its own.
type CallFunc func(ctx context.Context, name string, args json.RawMessage) gongu.Result

// CodeCall is a tool call that code made.
type CodeCall struct {
	ID     string `json:"id"`
	Name   string `json:"name"`
	Status string `json:"status"`
	// Code is that of the error, if there was one.
	Code       string `json:"code,omitempty"`
	DurationMS int64  `json:"durationMs"`
}

// CodeResult is what a run has left behind, also one that failed.
type CodeResult struct {
	// Value is what the code returned.
	Value json.RawMessage `json:"value,omitempty"`
	// Log are the lines that it printed.
	Log []string `json:"log,omitempty"`
	// Calls are its tool calls, in the order in which they began.
	Calls []CodeCall `json:"calls,omitempty"`
	// Line is where in the code an error comes from, from 1.
	Line int `json:"line,omitempty"`
}

// Code runs source that a model has written, each piece in a process of its
// own that is ended with it. The code is the body of an async function in
// TypeScript or JavaScript, of at most 64 KiB: what a return at the top level
// gives is the result, or the value of the last statement when that is an
// expression. It finds tools, console, timers and the language itself; there
// are no files, no network and no environment.
type Code struct {
	opts CodeOptions
	lang lang.Lang

	mu     sync.Mutex
	warm   *codeProcess
	idle   *time.Timer
	closed bool
	alive  sync.WaitGroup
	ending chan struct{}
}

// NewCode returns a runner of code. Close ends what it keeps.
func NewCode(opts *CodeOptions) *Code {
	c := &Code{opts: opts.complete(), ending: make(chan struct{})}
	c.lang, _ = lang.Parse(c.opts.Lang)
	return c
}

// Run runs source. A failure is a value: the error says what to do, and the
// result still has the log and the calls that were made.
func (c *Code) Run(ctx context.Context, source string, tools []Binding, call CallFunc) (CodeResult, *gongu.Error) {
	if err := c.check(source); err != nil {
		return CodeResult{}, err
	}
	if err := ctx.Err(); err != nil {
		return CodeResult{}, c.over(ctx)
	}
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

// check refuses what must not reach a parser.
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

// over is the error of a run that was ended from outside.
func (c *Code) over(ctx context.Context) *gongu.Error {
	if errors.Is(ctx.Err(), context.DeadlineExceeded) {
		return &gongu.Error{Code: gongu.CodeTimeout, Message: lang.CodeTimeout.In(c.lang, c.opts.Timeout)}
	}
	return &gongu.Error{Code: gongu.CodeCancelled, Message: lang.CodeCancelled.In(c.lang)}
}

// get is a process for one run: the one that is ready, or a new one. With Warm,
// the next one is started meanwhile.
func (c *Code) get() (*codeProcess, *gongu.Error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.closed {
		return nil, &gongu.Error{Code: gongu.CodeUnavailable, Message: lang.CodeClosed.In(c.lang)}
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

// refill starts the process for the next run. The lock is held.
func (c *Code) refill() {
	next, err := c.start()
	if err != nil {
		c.opts.Logger.Warn("no process could be started ahead", "error", err)
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

// start starts a process. The lock is held.
func (c *Code) start() (*codeProcess, error) {
	limit := c.opts.Memory + codeBase
	l := &codeProcess{logger: c.opts.Logger, gone: make(chan struct{}), ready: make(chan struct{})}
	c.alive.Add(1)
	started, err := startChild(childCommand{
		argv: c.opts.Child, env: append(proc.Environ(nil), goMemory(limit)), maxLine: maxCodeLine(&c.opts), memory: limit,
		take: l.take, onOutput: l.logOutput, ended: func(*child) { close(l.gone); c.alive.Done() },
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

// Close ends the process that is kept and the runs that are under way, and
// waits for them.
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
