package script

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"sync/atomic"
	"time"

	"github.com/gongu-ai/gongu"
	"github.com/gongu-ai/gongu/internal/lang"
)

// task is one call into an extension: of a middleware, a tool, a listener or
// register. Many tasks run interleaved in one VM.
type task struct {
	id   int
	kind string
	fn   int
	call *call // for its operations
	// frame is set for middleware.
	frame                 Frame
	fixed, input, message string

	begun   atomic.Bool
	answers chan string
	nexts   chan int // the operation number of ctx.next()
	nextErr error
	nextRan bool // Frame.Next has run
	// rest is the context of Frame.Next. It ends with the task.
	rest context.Context
	end  context.CancelFunc
}

func (r *extensionVM) newTask(ctx context.Context, kind string, fn int, request gongu.Call) *task {
	t := &task{id: int(r.ids.Add(1)), kind: kind, fn: fn, answers: make(chan string, 1), nexts: make(chan int, 1)}
	t.call = newCall(ctx, r.ext.module, kind, request)
	t.call.extension = r
	t.rest, t.end = context.WithCancel(ctx)
	return t
}

// describe sets the fields that the shim builds ctx and input from.
func (t *task) describe() error {
	c, at := t.call, t.call.context
	raw, err := json.Marshal(map[string]any{
		"agentName": at.AgentName, "instanceKey": at.InstanceKey, "turnId": at.TurnID, "traceId": at.TraceID,
		"toolCallId": cmp.Or(at.ToolCallID, c.request.ID), "workdir": c.workdir(), "swarm": at.Runtime != nil,
	})
	t.fixed, t.message, t.input = string(raw), string(at.Message), cmp.Or(string(c.request.Args), "{}")
	return err
}

// do runs a task and waits for its answer. The time limit excludes Frame.Next.
func (r *extensionVM) do(ctx context.Context, t *task) (string, error) {
	defer t.end()
	if err := ctx.Err(); err != nil {
		return "", err
	}
	r.post(delivery{kind: deliverStart, task: t})
	left := t.call.limit
	timer := time.NewTimer(left)
	defer timer.Stop()
	since := time.Now()
	for {
		select {
		case text := <-t.answers:
			return text, nil
		case <-r.gone:
			return r.finalAnswer(t)
		case op := <-t.nexts:
			left -= time.Since(since)
			r.runNext(t, op)
			since = time.Now()
			timer.Reset(max(left, 0))
		case <-ctx.Done():
			return "", r.leave(t)
		case <-r.ext.module.engine.closing:
			return "", r.leave(t)
		case <-timer.C:
			return "", r.leave(t)
		}
	}
}

var errNotBegun = errors.New("the VM was stopped before the task began")

// finalAnswer returns an answer that arrived just before the VM was stopped, or
// the reason of the stop.
func (r *extensionVM) finalAnswer(t *task) (string, error) {
	select {
	case text := <-t.answers:
		return text, nil
	default:
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	if !t.begun.Load() && r.failedCall != nil {
		return "", errNotBegun
	}
	reason := r.reason
	if r.failedCall == t.call && r.failedErr != nil {
		reason = r.failedErr
	}
	if known, ok := errors.AsType[*gongu.Error](reason); ok && t.nextRan && t.kind == LevelToolCall {
		// The tool has run; only the result of the extension is missing.
		return "", &gongu.Error{Code: gongu.CodeOutcomeUnknown, Message: known.Message}
	}
	return "", reason
}

// runNext runs Frame.Next on the goroutine that called the middleware. The
// context of Next ends when the middleware answers first.
func (r *extensionVM) runNext(t *task, op int) {
	t.nextRan = true
	text, err := t.frame.Next(t.rest)
	e := event{id: op, ok: err == nil, text: string(text)}
	if err != nil {
		t.nextErr = err
		e.text = t.call.explain(err)
	}
	r.post(delivery{kind: deliverNext, task: t, event: e})
}

// leave aborts a task at its time limit or when its context ends.
func (r *extensionVM) leave(t *task) error {
	why := "abort"
	err := t.call.ctx.Err()
	if errors.Is(err, context.DeadlineExceeded) || err == nil && !isClosed(r.ext.module.engine.closing) {
		why = "timeout"
	}
	r.post(delivery{kind: deliverEnd, task: t, event: event{text: why}})
	r.interruptLater(t.call)
	return r.ext.module.stopResult(t.call).Error
}

// register runs register of the module. After a restart, each registration must
// match the next expected slot.
func (r *extensionVM) register(ctx context.Context, expected []*slot, again bool) error {
	x := r.ext
	x.mu.Lock()
	config := x.config
	x.mu.Unlock()
	r.mu.Lock()
	r.replay, r.registering = expected, true
	r.restarted = again
	r.mu.Unlock()
	t := r.newTask(ctx, "register", -1, gongu.Call{})
	t.fixed = string(config)
	text, err := r.do(ctx, t)
	r.mu.Lock()
	r.registering = false
	left := len(r.replay)
	r.mu.Unlock()
	if err != nil {
		return err
	}
	if text[:1] == "-" {
		result, _ := x.module.finish(t.call, text)
		return x.module.located(result.Error, text)
	}
	if left > 0 {
		return errors.New(lang.ExtScriptDiffers.In(x.module.engine.lang))
	}
	return nil
}

// located adds the position to an error of register.
func (m *Module) located(err *gongu.Error, text string) error {
	at, _ := m.sourceMap.Stack(parseException(text[1:]).Stack)
	if at.File == "" {
		return err
	}
	out := *err
	out.Message += " (" + at.String() + ")"
	return &out
}
