package script

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/gongu-ai/gongu"
	"github.com/gongu-ai/gongu/internal/clock"
	"github.com/gongu-ai/gongu/internal/jsbuild"
	"github.com/gongu-ai/gongu/internal/jsonx"
	"github.com/gongu-ai/gongu/internal/lang"
)

// codeGrace is how long the child may take to answer after the time limit
// before it is killed.
const codeGrace = 300 * time.Millisecond

// codeProcess is the child process of one run.
type codeProcess struct {
	child  *child
	logger *slog.Logger
	gone   chan struct{}
	ready  chan struct{}

	mu  sync.Mutex
	run *codeRun
}

func (l *codeProcess) attach(r *codeRun) {
	l.mu.Lock()
	l.run = r
	l.mu.Unlock()
}

func (l *codeProcess) logOutput(line string) { l.logger.Info(line, "from", "code") }

// take processes a message of the child, which is not trusted.
func (l *codeProcess) take(m *message) error {
	l.mu.Lock()
	r := l.run
	l.mu.Unlock()
	switch {
	case m.Type == msgReady:
		if !isClosed(l.ready) { // take has one goroutine
			close(l.ready)
		}
	case m.Type == msgAck:
	case r == nil:
		return fmt.Errorf("message %.80q before the code was sent", m.Type)
	case m.Type == msgLog:
		r.log(m)
	case m.Type == msgAsk && m.Op == "tool":
		r.ask(m)
	case m.Type == msgCancel:
	case m.Type == msgResult && m.Result != nil:
		select {
		case r.reply <- m.Result:
		default:
		}
	default:
		return fmt.Errorf("unknown message type %.80q", m.Type)
	}
	return nil
}

// codeRun is the host's side of one run.
type codeRun struct {
	code    *Code
	process *codeProcess
	caller  context.Context // without the time limit
	ctx     context.Context
	cancel  context.CancelFunc
	tools   []string
	call    CallFunc
	reply   chan *gongu.Result
	tooMany chan struct{} // closed when there were too many calls

	mu       sync.Mutex
	over     bool
	lines    []string
	dropped  bool
	calls    []CodeCall
	inFlight int
	value    json.RawMessage
	line     int
	running  sync.WaitGroup
}

func newCodeRun(ctx context.Context, c *Code, l *codeProcess, tools []string, call CallFunc) *codeRun {
	r := &codeRun{code: c, process: l, caller: ctx, tools: tools, call: call, reply: make(chan *gongu.Result, 1), tooMany: make(chan struct{})}
	r.ctx, r.cancel = context.WithCancel(ctx)
	return r
}

// prepare waits until the process is ready. That does not count as time of the
// code.
func (r *codeRun) prepare() *gongu.Error {
	timer := time.NewTimer(startTimeout)
	defer timer.Stop()
	select {
	case <-r.process.ready:
		return nil
	case <-r.process.gone:
		return r.lost()
	case <-r.code.ending:
		return &gongu.Error{Code: gongu.CodeCancelled, Message: lang.CodeCancelled.In(r.code.lang)}
	case <-r.ctx.Done():
		return r.code.over(r.ctx)
	case <-timer.C:
		return &gongu.Error{Code: gongu.CodeUnavailable, Message: lang.CodeNoStart.In(r.code.lang, errStuck)}
	}
}

// await sends the code and waits for its end.
func (r *codeRun) await(source string) *gongu.Error {
	if failure := r.prepare(); failure != nil {
		return failure
	}
	ended := r.cancel
	defer ended()
	r.mu.Lock()
	// The time in which a call waits for a person does not count.
	own, cancel := clock.WithTimeout(r.ctx, r.code.opts.Timeout)
	running := func(context.Context) error { own.Start(); return nil }
	r.ctx, _ = gongu.WithSlot(own, running, own.Stop)
	r.cancel = cancel
	r.mu.Unlock()
	r.process.child.send(&message{Type: msgCode, Code: &codeRequest{Source: source, Tools: r.tools}})
	select {
	case out := <-r.reply:
		failure := r.settle(out)
		if failure != nil && r.ctx.Err() != nil {
			return r.code.over(r.ctx) // the cancellation caused the failure
		}
		return failure
	case <-r.process.gone:
		return r.lost()
	case <-r.tooMany:
		return &gongu.Error{Code: gongu.CodeTool, Message: lang.CodeManyCalls.In(r.code.lang, r.code.opts.MaxCalls), Suggestion: lang.CodeFewerCalls.In(r.code.lang)}
	case <-r.code.ending:
		return &gongu.Error{Code: gongu.CodeCancelled, Message: lang.CodeCancelled.In(r.code.lang)}
	case <-r.ctx.Done():
	}
	r.process.child.send(&message{Type: msgAbort, ID: codeID, Text: "timeout"})
	timer := time.NewTimer(codeGrace)
	defer timer.Stop()
	select {
	case out := <-r.reply:
		if r.settle(out) == nil {
			return nil
		}
	case <-r.process.gone:
	case <-timer.C:
	}
	return r.code.over(r.ctx)
}

// settle stores the answer of the child, or returns its error.
func (r *codeRun) settle(out *gongu.Result) *gongu.Error {
	l := r.code.lang
	if out.Status != gongu.StatusError {
		if len(out.Output) > r.code.opts.MaxOutput {
			return &gongu.Error{Code: gongu.CodeOutputTooLarge, Message: lang.CodeOutput.In(l, len(out.Output), r.code.opts.MaxOutput), Suggestion: lang.CodeReturnLess.In(l)}
		}
		r.value = out.Output
		return nil
	}
	e := out.Error
	if e == nil {
		e = &gongu.Error{}
	}
	var meta struct {
		At string `json:"gongu/at"`
	}
	if json.Unmarshal(out.Meta, &meta) == nil {
		if at, ok := jsbuild.ParsePosition(meta.At); ok {
			r.line = at.Line
		}
	}
	switch e.Code {
	case "":
		e.Code = gongu.CodeTool
	case gongu.CodeOutputTooLarge:
		e.Suggestion = lang.CodeReturnLess.In(l)
	case gongu.CodeTimeout:
		e.Message = lang.CodeTimeout.In(l, r.code.opts.Timeout)
	case gongu.CodeCancelled:
		e.Message = lang.CodeCancelled.In(l)
	}
	if r.line > 0 {
		e.Suggestion = strings.TrimSpace(e.Suggestion + " " + lang.CodeLine.In(l, r.line))
	}
	return e
}

// lost returns the error of a run whose process has exited.
func (r *codeRun) lost() *gongu.Error {
	select {
	case out := <-r.reply: // it answered just before it exited
		return r.settle(out)
	default:
	}
	l, k := r.code.lang, r.process.child
	why := k.reason()
	switch {
	case errors.Is(why, errTooBig):
		return &gongu.Error{Code: gongu.CodeTool, Message: lang.CodeMemory.In(l, r.code.opts.Memory)}
	case errors.Is(why, errProtocol):
		return &gongu.Error{Code: gongu.CodeTool, Message: lang.CodeGarbage.In(l, k.exitReason())}
	}
	return &gongu.Error{Code: gongu.CodeTool, Message: lang.CodeDied.In(l, k.exitReason())}
}

// end kills the process and cancels the calls that are still running.
func (r *codeRun) end() {
	r.mu.Lock()
	r.over = true
	busy := r.inFlight > 0
	r.mu.Unlock()
	r.cancel()
	r.process.child.kill(errUnused)
	<-r.process.child.gone
	if busy {
		waitFor(&r.running, releaseTime)
	}
}

func (r *codeRun) result() CodeResult {
	r.mu.Lock()
	defer r.mu.Unlock()
	out := CodeResult{Value: r.value, Log: slices.Clone(r.lines), Calls: slices.Clone(r.calls), Line: r.line}
	if r.dropped {
		out.Log = append(out.Log, lang.CodeMoreLog.In(r.code.lang))
	}
	return out
}

// log stores a line, up to the limit.
func (r *codeRun) log(m *message) {
	r.mu.Lock()
	defer r.mu.Unlock()
	switch {
	case r.over:
	case m.ID != codeID && m.Level != "warn": // a message of the engine, which does not help a model
	case len(r.lines) >= r.code.opts.MaxLog:
		r.dropped = true
	default:
		r.lines = append(r.lines, cutLine(m.Text))
	}
}

// ask calls a tool for the code. The host checks the name and the limits,
// because the child is not trusted.
func (r *codeRun) ask(m *message) {
	name, args, _ := strings.Cut(m.Text, "\n")
	l := r.code.lang
	refuse := func(e *gongu.Error) { r.answer(m.Number, gongu.Fail(e)) }
	r.mu.Lock()
	defer r.mu.Unlock()
	switch {
	case r.over:
	case !slices.Contains(r.tools, name):
		refuse(noTool(l, r.tools, name))
	case len(r.calls) >= r.code.opts.MaxCalls:
		r.over = true
		close(r.tooMany)
	case r.inFlight >= r.code.opts.MaxInFlight:
		refuse(&gongu.Error{Code: gongu.CodeTool, Message: lang.CodeInFlight.In(l, r.code.opts.MaxInFlight)})
	default:
		r.inFlight++
		index := len(r.calls)
		r.calls = append(r.calls, CodeCall{ID: fmt.Sprintf("call_%d", index+1), Name: name, Status: "unknown"})
		ctx := r.ctx
		r.running.Go(func() { r.do(ctx, index, m.Number, name, json.RawMessage(args)) })
	}
}

// do calls a tool and sends its result to the code.
func (r *codeRun) do(ctx context.Context, index, number int, name string, args json.RawMessage) {
	began := time.Now()
	out := r.guarded(ctx, name, args)
	r.mu.Lock()
	r.inFlight--
	c := &r.calls[index]
	c.DurationMS = time.Since(began).Milliseconds()
	c.Status = out.Status
	if out.ToolCallID != "" {
		c.ID = out.ToolCallID
	}
	if out.Failed() && out.Error != nil {
		c.Code = out.Error.Code
	}
	r.mu.Unlock()
	r.answer(number, out)
}

// guarded calls a tool and recovers from panics.
func (r *codeRun) guarded(ctx context.Context, name string, args json.RawMessage) (out gongu.Result) {
	defer func() {
		if p := recover(); p != nil {
			out = gongu.Fail(&gongu.Error{Code: gongu.CodePanic, Message: fmt.Sprint(p)})
		}
	}()
	return r.call(ctx, name, args)
}

func (r *codeRun) answer(number int, out gongu.Result) {
	reply := &message{Type: msgAnswer, ID: codeID, Number: number, OK: !out.Failed(), Text: string(out.Output)}
	if out.Failed() {
		e := gongu.Error{Code: gongu.CodeTool}
		if out.Error != nil {
			e = *out.Error
		}
		if e.Name == "" {
			e.Name = "ToolError"
		}
		reply.Text = string(jsonx.Text(e))
	}
	r.process.child.send(reply)
}
