package script

import (
	"cmp"
	"context"
	"fmt"
	"log/slog"
	"path/filepath"
	"sync"
	"sync/atomic"
	"time"

	"github.com/gongu-ai/gongu"
	"github.com/gongu-ai/gongu/internal/lang"
)

// call is one use of a VM. It keeps its context because it travels from the
// goroutine of the caller to that of the VM.
type call struct {
	ctx      context.Context
	module   *Module
	export   string
	request  gongu.Call
	context  *gongu.Context
	began    time.Time
	limit    time.Duration
	deadline time.Time
	reply    chan gongu.Result

	// The rest belongs to the goroutine of the VM, but for the queue.
	work        context.Context // of what the call started
	cancel      context.CancelFunc
	running     sync.WaitGroup
	ops         map[int]*operation
	timers      map[int]*time.Timer
	lines       int
	answer      string // what the handler said, once it did
	settled     bool
	afterAnswer *time.Timer // ends what goes on after the answer

	mu    sync.Mutex
	queue []event
	over  bool
	wake  chan struct{}

	// extensionVM is the VM of an extension, which serves many calls at a time;
	// nil for the handler of a tool.
	extension *extensionVM
}

// operation is work of the host for a script.
type operation struct {
	cancel context.CancelFunc
	// killed says that the script ended a program on purpose.
	killed atomic.Bool
}

// operationKey finds the operation that a context belongs to.
type operationKey struct{}

// wasKilled says whether the script itself ended an operation.
func wasKilled(ctx context.Context) bool {
	op, ok := ctx.Value(operationKey{}).(*operation)
	return ok && op.killed.Load()
}

// event is the end of work that a script waits for.
type event struct {
	id   int
	ok   bool
	text string
}

func newCall(ctx context.Context, m *Module, export string, request gongu.Call) *call {
	c := &call{
		ctx: ctx, module: m, export: export, request: request, context: gongu.ContextOf(ctx),
		began: time.Now(), limit: m.engine.opts.Timeout,
		reply: make(chan gongu.Result, 1), wake: make(chan struct{}, 1),
	}
	if deadline, ok := ctx.Deadline(); ok {
		c.limit = min(c.limit, max(deadline.Sub(c.began), 0).Round(time.Millisecond))
	}
	c.deadline = c.began.Add(c.limit)
	return c
}

// arguments are what the shim makes the handler's ctx and input of.
func (c *call) arguments() []any {
	input := string(c.request.Args)
	if input == "" {
		input = "{}"
	}
	at := c.context
	return []any{
		c.export, input, string(at.Message), at.AgentName, at.InstanceKey, at.TurnID, at.TraceID,
		cmp.Or(at.ToolCallID, c.request.ID), c.workdir(), at.Runtime != nil,
	}
}

// workdir is where the call works, as an absolute path.
func (c *call) workdir() string {
	dir := cmp.Or(c.context.Workdir, c.module.engine.opts.Workdir)
	if full, err := filepath.Abs(dir); err == nil {
		return full
	}
	return dir
}

func (c *call) logger() *slog.Logger {
	return cmp.Or(c.context.Logger, c.module.engine.opts.Logger)
}

// under is the context of what the call starts. It is made for the first that
// needs it: most calls start nothing.
func (c *call) under() context.Context {
	switch {
	case c.work != nil:
	case c.extension != nil:
		// What a call of an extension has begun may serve others.
		c.work, c.cancel = context.WithCancel(context.WithoutCancel(c.ctx))
	default:
		c.work, c.cancel = context.WithDeadline(c.ctx, c.deadline)
	}
	return c.work
}

// begin starts an operation. The answer is the reason why not, or empty.
func (c *call) begin(id int, op, text string) string {
	if op == "timer" {
		return c.beginTimer(id, text)
	}
	run, ok := c.module.engine.api.operations[op]
	if !ok {
		return hostFault("TypeError", "", lang.ScriptUnsupported.In(c.module.engine.lang, op))
	}
	return c.launch(id, run, text)
}

// launch runs an operation on a goroutine of its own.
func (c *call) launch(id int, run operationFunc, text string) string {
	opts := &c.module.engine.opts
	if len(c.ops) >= opts.MaxInFlight {
		return hostFault("RangeError", "ERR_TOO_MANY_OPERATIONS", lang.ScriptInFlight.In(c.module.engine.lang, opts.MaxInFlight))
	}
	if c.ops == nil {
		c.ops = map[int]*operation{}
	}
	started := &operation{}
	ctx, cancel := c.bounded(context.WithValue(c.under(), operationKey{}, started))
	started.cancel = cancel
	c.ops[id] = started
	c.running.Go(func() {
		defer cancel()
		answer, err := c.attempt(ctx, run, text)
		if err != nil {
			c.post(event{id: id, text: c.explain(err)})
			return
		}
		c.post(event{id: id, ok: true, text: answer})
	})
	return ""
}

// bounded can be ended. An operation of an extension outlives its call, so it
// gets a limit of its own.
func (c *call) bounded(ctx context.Context) (context.Context, context.CancelFunc) {
	if c.extension == nil {
		return context.WithCancel(ctx)
	}
	return context.WithTimeout(ctx, c.module.engine.opts.Timeout)
}

// attempt runs an operation. Some of them call code of others, such as a
// transport, which may panic.
func (c *call) attempt(ctx context.Context, run operationFunc, text string) (answer string, err error) {
	defer func() {
		if p := recover(); p != nil {
			err = &hostError{"Error", gongu.CodePanic, fmt.Sprint(p)}
		}
	}()
	return run(ctx, c, text)
}

func (c *call) beginTimer(id int, text string) string {
	if len(c.timers) >= maxTimers {
		return hostFault("RangeError", "ERR_TOO_MANY_TIMERS", lang.ScriptTimers.In(c.module.engine.lang, maxTimers))
	}
	if c.timers == nil {
		c.timers = map[int]*time.Timer{}
	}
	c.timers[id] = time.AfterFunc(milliseconds(text), func() { c.post(event{id: id, ok: true}) })
	return ""
}

// post tells the VM's goroutine that work has ended.
func (c *call) post(e event) {
	if c.extension != nil {
		c.extension.post(delivery{kind: deliverEvent, call: c, event: e})
		return
	}
	c.mu.Lock()
	if !c.over {
		c.queue = append(c.queue, e)
	}
	c.mu.Unlock()
	select {
	case c.wake <- struct{}{}:
	default:
	}
}

// next takes what has ended since the last time.
func (c *call) next() []event {
	c.mu.Lock()
	defer c.mu.Unlock()
	list := c.queue
	c.queue = nil
	return list
}

// arrived forgets work that has ended, and says whether it was still wanted.
func (c *call) arrived(id int) bool {
	if _, ok := c.timers[id]; ok {
		delete(c.timers, id)
		return true
	}
	_, ok := c.ops[id]
	delete(c.ops, id)
	return ok
}

// forget ends work that the script does not want any more.
func (c *call) forget(id int) {
	if timer, ok := c.timers[id]; ok {
		timer.Stop()
		delete(c.timers, id)
	}
	if op, ok := c.ops[id]; ok {
		op.cancel()
		delete(c.ops, id)
	}
}

// pending holds while something may still happen.
func (c *call) pending() bool { return len(c.ops)+len(c.timers) > 0 }

// release ends everything that the call started, and waits for it for a
// moment: a program needs that to be killed with its group.
func (c *call) release() {
	c.mu.Lock()
	c.over = true
	c.queue = nil
	c.mu.Unlock()
	for _, timer := range c.timers {
		timer.Stop()
	}
	if c.afterAnswer != nil {
		c.afterAnswer.Stop()
	}
	if c.cancel == nil {
		return
	}
	c.cancel()
	if len(c.ops) > 0 {
		waitFor(&c.running, releaseTime)
	}
}

// waitFor waits for a group, but not longer than limit.
func waitFor(group *sync.WaitGroup, limit time.Duration) {
	done := make(chan struct{})
	go func() {
		group.Wait()
		close(done)
	}()
	timer := time.NewTimer(limit)
	defer timer.Stop()
	select {
	case <-done:
	case <-timer.C:
	}
}

func isClosed(c <-chan struct{}) bool {
	select {
	case <-c:
		return true
	default:
		return false
	}
}
