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
	"github.com/gongu-ai/gongu/internal/jsbuild"
	"github.com/gongu-ai/gongu/internal/sandbox"
)

// maxHostLine limits a line that a child reads from its host, which it trusts.
const maxHostLine = 256 << 20

// ChildMain is the main function of a child process: it runs one module, or one
// piece of code, and returns when the host closes the input. A program that
// names itself in [Options.Child] must call it first, with its standard input
// and output, and exit when it returns.
func ChildMain(ctx context.Context, in io.Reader, out io.Writer) error {
	sandbox.LauncherMain() // the same program starts others in a sandbox
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	h := &childHost{ctx: ctx, out: newOutbox(), calls: map[int]context.CancelFunc{}, asked: map[int]chan *message{}}
	written := make(chan error, 1)
	go func() { written <- h.out.drain(ctx, out) }()
	read := make(chan error, 1)
	go func() { read <- receive(in, maxHostLine, h.take) }()
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
	case m.Type == msgLoad && m.Load != nil && h.engine == nil:
		h.load(m.Load)
	case m.Type == msgCode && h.code != nil && m.Code != nil:
		go h.code.run(m.Code)
	case m.Type == msgCall && h.module != nil && m.Context != nil:
		h.call(m)
	case m.Type == msgAbort:
		h.mu.Lock()
		cancel := h.calls[m.ID]
		h.mu.Unlock()
		h.out.put(&message{Type: msgAck, ID: m.ID})
		if cancel != nil && m.Text != "timeout" { // the child enforces the limit itself
			cancel()
		}
	case m.Type == msgAnswer:
		h.mu.Lock()
		waiting := h.asked[m.Number]
		delete(h.asked, m.Number)
		h.mu.Unlock()
		if waiting != nil {
			waiting <- m
		}
	default:
		return fmt.Errorf("unexpected message %q from the host", m.Type)
	}
	return nil
}

// load creates the engine and the module with the options of the host.
func (h *childHost) load(o *loadRequest) {
	opts := o.Options
	opts.Logger = slog.New(&childLog{host: h})
	h.engine = NewEngine(&opts)
	if o.Code {
		h.code = newCodeChild(h)
		h.out.put(&message{Type: msgReady})
		return
	}
	around := moduleAPI()
	around.operations = maps.Clone(around.operations)
	for _, op := range o.Forward {
		around.operations[op] = h.forward(op)
	}
	h.engine.api = around
	m := newModule(h.engine, &jsbuild.Script{Entry: o.Path, Source: o.Source, Map: jsbuild.NewSourceMap(o.Map)})
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
	h.out.put(&message{Type: msgReady, Handlers: m.handlers})
}

func failedLoad(err error) *message {
	out := &message{Type: msgFailed, Text: err.Error()}
	if _, ok := errors.AsType[*MissingError](err); ok {
		out.Missing = true
	}
	if e, ok := errors.AsType[*LoadError](err); ok {
		out.Failure = e
	}
	return out
}

// childCallKey is the context key of the host's call number.
type childCallKey struct{}

// call runs a handler on a new goroutine.
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
		answer := &message{Type: msgResult, ID: m.ID, Result: &result, Lost: h.engine.lost.Load() > before}
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
		known.Runtime = hostSwarm{}
	}
	c.context, c.roots = &known, m.Context.Roots
	c.limit = time.Duration(m.Limit * float64(time.Millisecond))
	c.deadline = c.began.Add(c.limit)
	return h.module.serve(w, c)
}

// hostSwarm makes ctx.runtime available to handlers. The operation agents is
// forwarded to the host, so its methods are never called.
type hostSwarm struct{ gongu.AgentRuntime }

// forward returns an operation that the host runs.
func (h *childHost) forward(op string) operationFunc {
	return func(ctx context.Context, _ *call, text string) (string, error) {
		id, _ := ctx.Value(childCallKey{}).(int)
		answer := make(chan *message, 1)
		h.mu.Lock()
		h.last++
		number := h.last
		h.asked[number] = answer
		h.mu.Unlock()
		h.out.put(&message{Type: msgAsk, ID: id, Number: number, Op: op, Text: text})
		select {
		case m := <-answer:
			return hostAnswer(m)
		case <-ctx.Done():
		}
		killed := wasKilled(ctx)
		h.out.put(&message{Type: msgCancel, ID: id, Number: number, Kill: killed})
		if killed { // the script still gets the exit status of a program that it killed
			timer := time.NewTimer(time.Second)
			defer timer.Stop()
			select {
			case m := <-answer:
				return hostAnswer(m)
			case <-timer.C:
			}
		}
		h.mu.Lock()
		delete(h.asked, number)
		h.mu.Unlock()
		return "", ctx.Err()
	}
}

// hostAnswer converts the host's answer to an operation.
func hostAnswer(m *message) (string, error) {
	if m.OK {
		return m.Text, nil
	}
	return "", &hostAnswerError{m.Text}
}

// hostAnswerError is an error of the host, already encoded for the shim.
type hostAnswerError struct{ text string }

func (e *hostAnswerError) Error() string { return e.text }

// childLog is a slog handler that sends records to the host.
type childLog struct {
	host  *childHost
	call  int
	attrs string
	// code separates records of the engine from lines that the code prints.
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
	l.host.out.put(&message{Type: msgLog, ID: call, Level: strings.ToLower(r.Level.String()), Text: text})
	return nil
}

// printed formats an attribute. The host adds the module itself.
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
