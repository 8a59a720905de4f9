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

// away is a call that a child runs.
type away struct {
	life  *life
	call  *call
	id    int
	reply chan gongu.Result
	acked atomic.Bool // the child has heard that the call must end

	work   context.Context // of what the host does for it
	cancel context.CancelFunc

	mu      sync.Mutex
	over    bool
	ops     map[int]*operation
	running sync.WaitGroup
	lines   int
}

func newAway(l *life, c *call, id int) *away {
	a := &away{life: l, call: c, id: id, reply: make(chan gongu.Result, 1), ops: map[int]*operation{}}
	a.work, a.cancel = context.WithDeadline(c.ctx, c.deadline)
	return a
}

// order is the call as the child gets it.
func (a *away) order() *message {
	c := a.call
	args := c.request.Args
	if len(args) == 0 {
		args = json.RawMessage("{}")
	}
	known := wireContext{Context: *c.context, Swarm: c.context.Runtime != nil}
	known.Workdir = c.workdir()
	if known.ToolCallID == "" {
		known.ToolCallID = c.request.ID
	}
	return &message{Type: sayCall, ID: a.id, Export: c.export, Args: args, Context: &known, Limit: float64(c.limit) / float64(time.Millisecond)}
}

// await waits for the answer, and ends the call when its time is over.
func (l *life) await(a *away) gongu.Result {
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
	case <-l.remote.module.engine.closing:
	case <-timer.C:
		why = "timeout"
	}
	return l.stop(a, why)
}

// stop asks the child to end a call. When it does not within the grace, the
// child itself ends: with its other calls when it still listens, at once when
// it does not.
func (l *life) stop(a *away, why string) gongu.Result {
	l.child.send(&message{Type: sayAbort, ID: a.id, Text: why})
	grace := processGrace
	if l.remote.runtime != RuntimeProcess {
		grace = workerGrace
	}
	timer := time.NewTimer(grace)
	defer timer.Stop()
	select {
	case out := <-a.reply:
		if out.Failed() && out.Error.Code != gongu.CodeTool {
			return l.remote.module.overdue(a.call)
		}
		return out
	case <-timer.C:
	}
	if a.acked.Load() && l.others(a) {
		l.retire()
	} else {
		l.remote.forget(l)
		l.child.kill(errStuck)
	}
	return l.remote.module.overdue(a.call)
}

// others says whether the child has calls beside this one.
func (l *life) others(a *away) bool {
	l.mu.Lock()
	defer l.mu.Unlock()
	for id := range l.calls {
		if id != a.id {
			return true
		}
	}
	return false
}

// leave ends what the host does for the call, and the call itself.
func (a *away) leave() {
	a.mu.Lock()
	a.over = true
	a.mu.Unlock()
	a.cancel()
	if a.busy() {
		waitFor(&a.running, releaseTime)
	}
	a.life.over(a)
}

func (a *away) busy() bool {
	a.mu.Lock()
	defer a.mu.Unlock()
	return len(a.ops) > 0
}

// finish answers the call; only the first answer counts.
func (a *away) finish(result gongu.Result) {
	select {
	case a.reply <- result:
	default:
	}
}

// hear takes a message about the call.
func (a *away) hear(m *message) {
	switch m.Type {
	case sayAck:
		a.acked.Store(true)
	case sayResult:
		if m.Lost {
			a.life.retire() // it burns a core; its other calls may finish
		}
		a.life.remote.succeeded()
		a.finish(a.result(m))
	case sayLog:
		a.log(m)
	case sayAsk:
		a.ask(m)
	case sayCancel:
		a.mu.Lock()
		op := a.ops[m.Number]
		a.mu.Unlock()
		if op != nil {
			op.killed.Store(m.Kill)
			op.cancel()
		}
	}
}

// result is what the child answered, within our own limits: it may be a
// program that is not ours.
func (a *away) result(m *message) gongu.Result {
	module := a.life.remote.module
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

func (a *away) bounded(output json.RawMessage) gongu.Result {
	module := a.life.remote.module
	if limit := module.engine.opts.MaxOutput; len(output) > limit {
		return module.failure(gongu.CodeOutputTooLarge, lang.ScriptOutput, len(output), limit)
	}
	if len(output) == 0 {
		output = json.RawMessage("null")
	}
	return gongu.Result{Status: gongu.StatusOK, Output: output}
}

func (a *away) log(m *message) {
	a.mu.Lock()
	a.lines++
	lines, over := a.lines, a.over
	a.mu.Unlock()
	module := a.life.remote.module
	switch {
	case over || lines > maxLogLines+1:
	case lines == maxLogLines+1:
		a.call.logger().Warn(lang.ScriptMoreLines.In(module.engine.lang, maxLogLines), "module", module.path)
	default:
		a.life.print(a.call.ctx, a.call.logger(), m)
	}
}

// ask does something for the child that only the host can, or may.
func (a *away) ask(m *message) {
	module := a.life.remote.module
	e := module.engine
	number := m.Number
	answer := func(ok bool, text string) {
		a.life.child.send(&message{Type: sayAnswer, ID: a.id, Number: number, OK: ok, Text: text})
	}
	run, known := operations[m.Op]
	if !known || !slices.Contains(a.life.how.forward, m.Op) {
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
