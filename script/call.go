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

// call is one call of a handler. It stores its context because it passes from
// the goroutine of the caller to that of the VM.
type call struct {
	ctx      context.Context
	module   *Module
	export   string
	request  gongu.Call
	context  *gongu.Context
	roots    []string // beside those of the engine
	began    time.Time
	limit    time.Duration
	deadline time.Time
	// slice bounds what the VM does in one go; zero is the deadline alone.
	slice time.Duration
	reply chan gongu.Result

	// Only the goroutine of the VM uses the following fields.
	work        context.Context // of the operations
	cancel      context.CancelFunc
	running     sync.WaitGroup
	ops         map[int]*operation
	timers      map[int]*time.Timer
	lines       int
	answer      string // of the handler, once settled
	settled     bool
	afterAnswer *time.Timer // interrupts a script that runs on after its answer

	mu    sync.Mutex
	queue []event
	over  bool
	wake  chan struct{}

	// extension is the VM of an extension, which serves many calls at a time.
	// It is nil for the handler of a tool.
	extension *extensionVM
}

// operation is an operation of the host that a script waits for.
type operation struct {
	cancel context.CancelFunc
	// killed reports that the script itself killed the program.
	killed atomic.Bool
}

// operationKey is the context key of the operation.
type operationKey struct{}

// wasKilled reports whether the script itself killed the operation.
func wasKilled(ctx context.Context) bool {
	op, ok := ctx.Value(operationKey{}).(*operation)
	return ok && op.killed.Load()
}

// event is the end of an operation or a timer.
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
	if of := m.engine.opts.CallRoots; of != nil {
		c.roots = of(ctx)
	}
	return c
}

// left returns how long the VM may run now.
func (c *call) left() time.Duration {
	left := time.Until(c.deadline)
	if c.slice > 0 {
		left = min(left, c.slice)
	}
	return left
}

// arguments returns the arguments of the shim's invoke function.
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

// workdir returns the working directory of the call, as an absolute path.
func (c *call) workdir() string {
	return absolute(cmp.Or(c.context.Workdir, c.module.engine.opts.Workdir))
}

func absolute(dir string) string {
	if full, err := filepath.Abs(dir); err == nil {
		return full
	}
	return dir
}

func (c *call) logger() *slog.Logger {
	return cmp.Or(c.context.Logger, c.module.engine.opts.Logger)
}

// under returns the context of the operations. It is created for the first one,
// because most calls have none.
func (c *call) under() context.Context {
	switch {
	case c.work != nil:
	case c.extension != nil:
		// Operations of an extension may serve other calls, too.
		c.work, c.cancel = context.WithCancel(context.WithoutCancel(c.ctx))
	default:
		c.work, c.cancel = context.WithDeadline(c.ctx, c.deadline)
	}
	return c.work
}

// begin starts an operation. It returns "" or the error for the script.
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

// launch runs an operation on a new goroutine.
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

// bounded returns the context of one operation. An operation of an extension
// can outlive its call, so it has its own timeout.
func (c *call) bounded(ctx context.Context) (context.Context, context.CancelFunc) {
	if c.extension == nil {
		return context.WithCancel(ctx)
	}
	return context.WithTimeout(ctx, c.module.engine.opts.Timeout)
}

// attempt runs an operation and recovers from panics, for example of a custom
// transport.
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

// post queues an event for the goroutine of the VM.
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

// next returns the events since the last call.
func (c *call) next() []event {
	c.mu.Lock()
	defer c.mu.Unlock()
	list := c.queue
	c.queue = nil
	return list
}

// arrived removes an operation that has ended. It returns false if the script
// had cancelled it.
func (c *call) arrived(id int) bool {
	if _, ok := c.timers[id]; ok {
		delete(c.timers, id)
		return true
	}
	_, ok := c.ops[id]
	delete(c.ops, id)
	return ok
}

// forget cancels an operation or a timer.
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

// pending reports whether operations or timers are running.
func (c *call) pending() bool { return len(c.ops)+len(c.timers) > 0 }

// release cancels everything that the call started, and waits up to
// releaseTime, so that programs are killed with their groups.
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
