package script

import (
	"context"
	"encoding/json"
	"errors"
	"slices"
	"sync"
	"sync/atomic"
	"time"

	"github.com/gongu-ai/gongu"
	"github.com/gongu-ai/gongu/internal/jsbuild"
	"github.com/gongu-ai/gongu/internal/lang"
)

// childCall is a call that runs in a child process.
type childCall struct {
	session *childSession
	call    *call
	id      int
	reply   chan gongu.Result
	acked   atomic.Bool // the child has received the abort

	work   context.Context // of the operations that the host runs for it
	cancel context.CancelFunc

	mu      sync.Mutex
	over    bool
	ops     map[int]*operation
	running sync.WaitGroup
	lines   int
}

func newChildCall(s *childSession, c *call, id int) *childCall {
	a := &childCall{session: s, call: c, id: id, reply: make(chan gongu.Result, 1), ops: map[int]*operation{}}
	a.work, a.cancel = context.WithDeadline(c.ctx, c.deadline)
	return a
}

// callMessage returns the message that starts the call in the child.
func (a *childCall) callMessage() *message {
	c := a.call
	args := c.request.Args
	if len(args) == 0 {
		args = json.RawMessage("{}")
	}
	known := wireContext{Context: *c.context, Swarm: c.context.Runtime != nil, Roots: c.roots}
	known.Workdir = c.workdir()
	if known.ToolCallID == "" {
		known.ToolCallID = c.request.ID
	}
	return &message{Type: msgCall, ID: a.id, Export: c.export, Args: args, Context: &known, Limit: float64(c.limit) / float64(time.Millisecond)}
}

// await waits for the answer, and stops the call at its deadline or when its
// context ends.
func (s *childSession) await(a *childCall) gongu.Result {
	defer a.leave()
	c := a.call
	timer := time.NewTimer(time.Until(c.deadline))
	defer timer.Stop()
	why := "abort"
	select {
	case out := <-a.reply:
		return out
	case <-c.ctx.Done():
		if errors.Is(c.ctx.Err(), context.DeadlineExceeded) {
			why = "timeout"
		}
	case <-s.pool.module.engine.closing:
	case <-timer.C:
		why = "timeout"
	}
	return s.stop(a, why)
}

// stop asks the child to stop a call. If the call does not stop in time, the
// child is replaced: it gets no more calls if it still responds and has other
// calls, and is killed otherwise.
func (s *childSession) stop(a *childCall, why string) gongu.Result {
	s.child.send(&message{Type: msgAbort, ID: a.id, Text: why})
	grace := processGrace
	if s.pool.runtime != RuntimeProcess {
		grace = workerGrace
	}
	timer := time.NewTimer(grace)
	defer timer.Stop()
	select {
	case out := <-a.reply:
		if out.Failed() && out.Error.Code != gongu.CodeTool {
			return s.pool.module.stopResult(a.call)
		}
		return out
	case <-timer.C:
	}
	if a.acked.Load() && s.others(a) {
		s.retire()
	} else {
		s.pool.forget(s)
		s.child.kill(errStuck)
	}
	return s.pool.module.stopResult(a.call)
}

// others reports whether the child serves other calls.
func (s *childSession) others(a *childCall) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	for id := range s.calls {
		if id != a.id {
			return true
		}
	}
	return false
}

// leave cancels the operations of the call and removes the call from its
// session.
func (a *childCall) leave() {
	a.mu.Lock()
	a.over = true
	a.mu.Unlock()
	a.cancel()
	if a.busy() {
		waitFor(&a.running, releaseTime)
	}
	a.session.over(a)
}

func (a *childCall) busy() bool {
	a.mu.Lock()
	defer a.mu.Unlock()
	return len(a.ops) > 0
}

// finish answers the call. Only the first answer counts.
func (a *childCall) finish(result gongu.Result) {
	select {
	case a.reply <- result:
	default:
	}
}

// handle processes a message about the call.
func (a *childCall) handle(m *message) {
	switch m.Type {
	case msgAck:
		a.acked.Store(true)
	case msgResult:
		if m.Lost {
			a.session.retire() // the lost VM keeps a core busy; other calls may finish
		}
		a.session.pool.succeeded()
		a.finish(a.result(m))
	case msgLog:
		a.log(m)
	case msgAsk:
		a.ask(m)
	case msgCancel:
		a.mu.Lock()
		op := a.ops[m.Number]
		a.mu.Unlock()
		if op != nil {
			op.killed.Store(m.Kill)
			op.cancel()
		}
	}
}

// result converts the answer of the child. It applies the limits again, because
// bun and node do not.
func (a *childCall) result(m *message) gongu.Result {
	module := a.session.pool.module
	limit := module.engine.opts.MaxOutput
	switch {
	case m.Size > 0:
		return module.failure(gongu.CodeOutputTooLarge, lang.ScriptOutput, m.Size, limit)
	case m.Result != nil && m.Result.Status == gongu.StatusError && m.Result.Error != nil:
		out := gongu.Fail(m.Result.Error)
		out.Meta = m.Result.Meta
		return out
	case m.Result != nil:
		return a.bounded(m.Result.Output)
	case m.Unfit != "":
		return gongu.Fail(&gongu.Error{Name: "TypeError", Message: unfitText(module.engine.lang, m.Unfit)})
	case len(m.Error) > 0:
		e := parseException(string(m.Error))
		at, _ := module.sourceMap.Stack(e.Stack)
		if known, ok := jsbuild.ParsePosition(m.At); ok {
			at = known
		}
		return module.faultAt(e, at)
	}
	return a.bounded(m.Value)
}

func (a *childCall) bounded(output json.RawMessage) gongu.Result {
	module := a.session.pool.module
	if limit := module.engine.opts.MaxOutput; len(output) > limit {
		return module.failure(gongu.CodeOutputTooLarge, lang.ScriptOutput, len(output), limit)
	}
	if len(output) == 0 {
		output = json.RawMessage("null")
	}
	return gongu.Result{Status: gongu.StatusOK, Output: output}
}

func (a *childCall) log(m *message) {
	a.mu.Lock()
	a.lines++
	lines, over := a.lines, a.over
	a.mu.Unlock()
	module := a.session.pool.module
	switch {
	case over || lines > maxLogLines+1:
	case lines == maxLogLines+1:
		a.call.logger().Warn(lang.ScriptMoreLines.In(module.engine.lang, maxLogLines), "module", module.path)
	default:
		a.session.print(a.call.ctx, a.call.logger(), m)
	}
}

// ask runs an operation that the child may not or cannot run itself.
func (a *childCall) ask(m *message) {
	module := a.session.pool.module
	e := module.engine
	number := m.Number
	answer := func(ok bool, text string) {
		a.session.child.send(&message{Type: msgAnswer, ID: a.id, Number: number, OK: ok, Text: text})
	}
	run, known := operations[m.Op]
	if !known || !slices.Contains(a.session.how.forward, m.Op) {
		answer(false, hostFault("TypeError", "", lang.ScriptUnsupported.In(e.lang, m.Op)))
		return
	}
	op := &operation{}
	ctx, cancel := context.WithCancel(context.WithValue(a.work, operationKey{}, op))
	op.cancel = cancel
	a.mu.Lock()
	full := len(a.ops) >= e.opts.MaxInFlight
	if !full && !a.over {
		a.ops[number] = op
		a.running.Go(func() {
			defer cancel()
			text, err := a.call.attempt(ctx, run, m.Text)
			a.mu.Lock()
			delete(a.ops, number)
			a.mu.Unlock()
			if err != nil {
				answer(false, a.call.explain(err))
				return
			}
			answer(true, text)
		})
	}
	a.mu.Unlock()
	if full {
		cancel()
		answer(false, hostFault("RangeError", "ERR_TOO_MANY_OPERATIONS", lang.ScriptInFlight.In(e.lang, e.opts.MaxInFlight)))
	}
}
