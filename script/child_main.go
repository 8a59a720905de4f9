package script

import (
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"maps"
	"strings"
	"sync"
	"time"

	"github.com/gongu-ai/gongu"
)

// longestOrder bounds what a child reads from its host, which it trusts.
const longestOrder = 256 << 20

// ChildMain is the whole program of a child process: it runs one module, or
// one piece of code, for the host that started it, and returns when the host
// closes in. A program that gives itself as [Options.Child] calls it, with its
// standard input and output, before it does anything else, and exits when it
// returns.
func ChildMain(ctx context.Context, in io.Reader, out io.Writer) error {
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	h := &childHost{ctx: ctx, out: newOutbox(), calls: map[int]context.CancelFunc{}, asked: map[int]chan *message{}}
	written := make(chan error, 1)
	go func() { written <- h.out.drain(ctx, out) }()
	read := make(chan error, 1)
	go func() { read <- receive(in, longestOrder, h.take) }()
	select {
	case err := <-read:
		if errors.Is(err, io.EOF) {
			return nil
		}
		return fmt.Errorf("read from the host: %w", err)
	case err := <-written:
		return fmt.Errorf("write to the host: %w", err)
	case <-ctx.Done():
		return ctx.Err()
	}
}

// childHost is the child's side of the protocol.
type childHost struct {
	ctx    context.Context
	out    *outbox
	engine *Engine
	module *Module
	code   *codeChild

	mu    sync.Mutex
	calls map[int]context.CancelFunc
	asked map[int]chan *message
	last  int
}

func (h *childHost) take(m *message) error {
	switch {
	case m.Type == sayLoad && m.Load != nil && h.engine == nil:
		h.load(m.Load)
	case m.Type == sayCode && h.code != nil && m.Code != nil:
		go h.code.run(m.Code)
	case m.Type == sayCall && h.module != nil && m.Context != nil:
		h.call(m)
	case m.Type == sayAbort:
		h.mu.Lock()
		cancel := h.calls[m.ID]
		h.mu.Unlock()
		h.out.put(&message{Type: sayAck, ID: m.ID})
		if cancel != nil && m.Text != "timeout" { // it knows its own limit
			cancel()
		}
	case m.Type == sayAnswer:
		h.mu.Lock()
		waiting := h.asked[m.Number]
		delete(h.asked, m.Number)
		h.mu.Unlock()
		if waiting != nil {
			waiting <- m
		}
	default:
		return fmt.Errorf("the host said %q, which makes no sense now", m.Type)
	}
	return nil
}

// load makes the engine and the module, as the host has them.
func (h *childHost) load(o *loadOrder) {
	h.engine = NewEngine(&Options{
		Lang: o.Lang, Workdir: o.Workdir, Roots: o.Roots, Closed: o.Closed, Env: o.Env, AllowPrivate: o.AllowPrivate,
		Timeout: o.Timeout, Memory: o.Memory, Stack: o.Stack, MaxOutput: o.MaxOutput,
		MaxRead: o.MaxRead, MaxInFlight: o.MaxInFlight, MaxVMs: o.MaxVMs,
		Logger: slog.New(&childLog{host: h}),
	})
	if o.Code {
		h.code = newCodeChild(h)
		h.out.put(&message{Type: sayReady})
		return
	}
	around := fullReach()
	around.operations = maps.Clone(around.operations)
	for _, op := range o.Forward {
		around.operations[op] = h.forward(op)
	}
	h.engine.reach = around
	m := newModule(h.engine, &built{source: o.Source, lines: &sourceMap{raw: o.Map}, entry: o.Path})
	err := m.compile(o.Source)
	if err == nil {
		var first *worker
		if first, err = m.newWorker(); err == nil {
			m.pool.put(first)
		}
	}
	if err != nil {
		h.out.put(failedLoad(err))
		return
	}
	h.module = m
	h.out.put(&message{Type: sayReady, Handlers: m.handlers})
}

func failedLoad(err error) *message {
	out := &message{Type: sayFailed, Text: err.Error()}
	if _, ok := errors.AsType[*MissingError](err); ok {
		out.Missing = true
	}
	if e, ok := errors.AsType[*LoadError](err); ok {
		out.Failure = &wireFailure{e.Path, e.File, e.Line, e.Column, e.Reason, e.Others}
	}
	return out
}

// childCallKey finds the host's number of a call.
type childCallKey struct{}

// call runs a handler on a goroutine of its own, as calls of an engine do.
func (h *childHost) call(m *message) {
	ctx, cancel := context.WithCancel(context.WithValue(h.ctx, childCallKey{}, m.ID))
	h.mu.Lock()
	h.calls[m.ID] = cancel
	h.mu.Unlock()
	go func() {
		defer cancel()
		before := h.engine.lost.Load()
		result := h.invoke(ctx, m)
		h.mu.Lock()
		delete(h.calls, m.ID)
		h.mu.Unlock()
		answer := &message{Type: sayResult, ID: m.ID, Result: &result, Lost: h.engine.lost.Load() > before}
		if !h.out.put(answer) {
			broken := gongu.Fail(errors.New("the output is not JSON"))
			answer.Result = &broken
			h.out.put(answer)
		}
	}()
}

func (h *childHost) invoke(ctx context.Context, m *message) gongu.Result {
	w, err := h.module.pool.get(ctx)
	if err != nil {
		return gongu.Fail(err)
	}
	c := newCall(ctx, h.module, m.Export, gongu.Call{ID: m.Context.ToolCallID, Args: m.Args})
	known := m.Context.Context
	known.Logger = slog.New(&childLog{host: h, call: m.ID})
	if m.Context.Swarm {
		known.Runtime = swarmElsewhere{}
	}
	c.context = &known
	c.limit = time.Duration(m.Limit * float64(time.Millisecond))
	c.deadline = c.began.Add(c.limit)
	return h.module.serve(w, c)
}

// swarmElsewhere says that there is a swarm. It is never called: the operation
// goes to the host.
type swarmElsewhere struct{ gongu.AgentRuntime }

// forward has the host do an operation.
func (h *childHost) forward(op string) operationFunc {
	return func(ctx context.Context, _ *call, text string) (string, error) {
		id, _ := ctx.Value(childCallKey{}).(int)
		answer := make(chan *message, 1)
		h.mu.Lock()
		h.last++
		number := h.last
		h.asked[number] = answer
		h.mu.Unlock()
		h.out.put(&message{Type: sayAsk, ID: id, Number: number, Op: op, Text: text})
		select {
		case m := <-answer:
			return told(m)
		case <-ctx.Done():
		}
		killed := wasKilled(ctx)
		h.out.put(&message{Type: sayCancel, ID: id, Number: number, Kill: killed})
		if killed { // a program that was ended on purpose still has an end
			timer := time.NewTimer(time.Second)
			defer timer.Stop()
			select {
			case m := <-answer:
				return told(m)
			case <-timer.C:
			}
		}
		h.mu.Lock()
		delete(h.asked, number)
		h.mu.Unlock()
		return "", ctx.Err()
	}
}

// told is the answer of the host; an error of it is already in words.
func told(m *message) (string, error) {
	if m.OK {
		return m.Text, nil
	}
	return "", &toldError{m.Text}
}

// toldError is an error as the shim takes it.
type toldError struct{ text string }

func (e *toldError) Error() string { return e.text }

// childLog sends what is logged to the host.
type childLog struct {
	host  *childHost
	call  int
	attrs string
	// code keeps what the engine has to say apart from what code prints.
	code bool
}

var _ slog.Handler = (*childLog)(nil)

func (*childLog) Enabled(context.Context, slog.Level) bool { return true }

func (l *childLog) Handle(_ context.Context, r slog.Record) error {
	text := l.attrs
	r.Attrs(func(a slog.Attr) bool {
		text += printed(a)
		return true
	})
	call := l.call
	if l.code && text != "" {
		call = 0
	}
	text = r.Message + text
	l.host.out.put(&message{Type: sayLog, ID: call, Level: strings.ToLower(r.Level.String()), Text: text})
	return nil
}

// printed is an attribute as text. The host names the module itself.
func printed(a slog.Attr) string {
	if a.Key == "module" {
		return ""
	}
	return " " + a.String()
}

func (l *childLog) WithAttrs(attrs []slog.Attr) slog.Handler {
	out := *l
	for _, a := range attrs {
		out.attrs += printed(a)
	}
	return &out
}

func (l *childLog) WithGroup(string) slog.Handler { return l }
