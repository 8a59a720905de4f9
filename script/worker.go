package script

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"sync"
	"time"

	"github.com/gongu-ai/gongu"
	"github.com/gongu-ai/gongu/internal/lang"
)

const (
	// interruptTime is how long a VM is interrupted after its limit before it
	// is killed, killTime how long after its limit it is given up as lost.
	// Together with releaseTime they stay below the two seconds that a call may
	// be late.
	interruptTime     = 50 * time.Millisecond
	killTime          = 1600 * time.Millisecond
	interruptInterval = 20 * time.Millisecond
	// releaseTime is how long the end of a call waits for its programs and
	// requests to end.
	releaseTime = 400 * time.Millisecond
	// graceTime is how long a script may run to handle the abort of its call,
	// and after its answer.
	graceTime = 50 * time.Millisecond
)

// worker is a VM and the goroutine that owns it.
type worker struct {
	module *Module
	vm     *quickVM
	jobs   chan *call
	since  time.Time // when it became idle

	current *call // used by the goroutine only; nil while the module loads

	mu     sync.Mutex
	active *call // the call that may be interrupted
	killed bool
	lost   bool
}

// newWorker creates a VM with the module in it, and starts its goroutine. The
// first worker of a module finds the names of the handlers.
func (m *Module) newWorker() (*worker, error) {
	w := &worker{module: m, jobs: make(chan *call, 1)}
	vm, exports, err := m.newVM(&callbacks{now: w.now, begin: w.begin}, entryLoad)
	if err != nil {
		return nil, err
	}
	w.vm = vm
	if m.handlers == nil {
		names := []string{}
		if err := json.Unmarshal([]byte(exports), &names); err != nil {
			vm.close()
			m.engine.workers.Done()
			return nil, m.loadError(err)
		}
		slices.Sort(names)
		m.handlers = names
	}
	go w.serve()
	return w, nil
}

// newVM creates a VM with the module in it, and counts it as a worker of the
// engine. It returns what the loader, a function of the shim, found in the
// module.
func (m *Module) newVM(back *callbacks, loader entry) (*quickVM, string, error) {
	vm, err := newQuickVM(m.engine.opts.Memory, m.engine.opts.Stack, back)
	if err != nil {
		return nil, "", err
	}
	exports, err := m.load(vm, loader)
	if err == nil && exports == "" {
		err = &MissingError{Path: m.path, Register: loader == entryExtension, lang: m.engine.lang}
	}
	if err == nil && !m.engine.adopt() {
		err = m.unavailable(lang.ScriptClosed, m.path)
	}
	if err != nil {
		vm.close()
		return nil, "", err
	}
	return vm, exports, nil
}

// load runs the shim and the module in a new VM.
func (m *Module) load(vm *quickVM, loader entry) (exports string, err error) {
	defer func() {
		if p := recover(); p != nil {
			err = &LoadError{Path: m.path, Reason: lang.ScriptPanic.In(m.engine.lang, p)}
		}
	}()
	shim, err := m.engine.api.shim()
	if err != nil {
		return "", err
	}
	vm.limit(loadTimeout)
	if err := errors.Join(vm.run(shim), vm.bind()); err != nil {
		return "", fmt.Errorf("load the shim: %w", err)
	}
	if err := vm.run(m.code); err != nil {
		return "", m.loadError(err)
	}
	if exports, err = vm.call(loader); err != nil {
		return "", m.loadError(err)
	}
	return exports, nil
}

// loadError returns the error of a module that failed while it was loaded.
func (m *Module) loadError(err error) error {
	out := &LoadError{Path: m.path, Reason: err.Error()}
	switch {
	case errors.Is(err, errInterrupted):
		out.Reason = lang.ScriptLoadTimeout.In(m.engine.lang, m.path, loadTimeout)
	case errors.Is(err, errMemory):
		out.Reason = lang.ScriptLoadMemory.In(m.engine.lang, m.path, m.engine.opts.Memory)
	}
	if t, ok := errors.AsType[*thrown](err); ok {
		at, _ := m.sourceMap.Stack(t.stack)
		out.File, out.Line, out.Column = at.File, at.Line, at.Column
	}
	return out
}

// serve answers calls until the VM must be closed.
func (w *worker) serve() {
	m := w.module
	for c := range w.jobs {
		w.take(c)
		result, broken := w.answer(c)
		c.release()
		killed, lost := w.finished()
		if lost {
			// Its call was answered and its slot released when it was lost.
			m.countReturned()
			w.vm.close()
			return
		}
		if broken || killed {
			m.countDiscarded()
			c.reply <- result
			w.vm.close() // slow with a full heap, so after the reply
			m.pool.release()
			m.engine.workers.Done()
			return
		}
		kept := m.pool.giveBack(w)
		c.reply <- result
		if !kept {
			break
		}
	}
	w.vm.close()
	m.engine.workers.Done()
}

func (w *worker) take(c *call) {
	w.current = c
	w.mu.Lock()
	w.active = c
	w.mu.Unlock()
}

// finished marks the call as over. The VM is not interrupted for it any more.
func (w *worker) finished() (killed, lost bool) {
	w.current = nil
	w.mu.Lock()
	defer w.mu.Unlock()
	w.active = nil
	return w.killed, w.lost
}

// interrupt stops what the VM runs for a call, from any goroutine; with force it
// kills the VM. It does nothing once the call is over: the VM may be closed then.
func (w *worker) interrupt(c *call, force bool) {
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.active != c {
		return
	}
	if force {
		w.killed = true
		w.vm.kill()
		return
	}
	w.vm.interrupt()
}

// stop stops a call and returns its result, whatever the VM does. It runs on
// the caller's goroutine.
func (w *worker) stop(c *call) gongu.Result {
	began := time.Now()
	ticker := time.NewTicker(interruptInterval)
	defer ticker.Stop()
	for time.Since(began) < killTime {
		w.interrupt(c, time.Since(began) >= interruptTime)
		select {
		case out := <-c.reply:
			return out
		case <-ticker.C:
		}
	}
	return w.abandon(c)
}

// abandon counts the VM as lost, unless it has just answered.
func (w *worker) abandon(c *call) gongu.Result {
	m := w.module
	w.mu.Lock()
	if w.active != c {
		w.mu.Unlock()
		return <-c.reply
	}
	w.lost = true
	w.mu.Unlock()
	m.countLost()
	m.pool.release()
	m.engine.workers.Done()
	m.engine.wasLost(m, c.export)
	return m.stopResult(c)
}

// answer runs the handler to its end. A broken VM must not be used again.
func (w *worker) answer(c *call) (result gongu.Result, broken bool) {
	m := w.module
	defer func() {
		if p := recover(); p != nil {
			result, broken = m.failure(gongu.CodePanic, lang.ScriptPanic, p), true
		}
	}()
	w.vm.limit(c.left())
	text, err := w.vm.call(entryInvoke, c.arguments()...)
	if err != nil {
		return m.stopped(c, err), true
	}
	if text != "" {
		result, broken = m.finish(c, text)
		return result, broken || !w.reset(c)
	}
	if err := w.loop(c); err != nil {
		return m.stopped(c, err), true
	}
	result, broken = m.finish(c, c.answer)
	return result, broken || !w.reset(c)
}

// The reasons for which loop ends without an answer.
var (
	errOver    = errors.New("the call is over")
	errNothing = errors.New("no operation is running")
)

// loop runs jobs and delivers events until the handler has answered.
func (w *worker) loop(c *call) error {
	for {
		w.vm.limit(c.left())
		err := w.vm.jobs()
		if c.settled {
			return nil
		}
		if err != nil {
			return err
		}
		events := c.next()
		if len(events) == 0 {
			if !time.Now().Before(c.deadline) {
				return errOver
			}
			if !c.pending() {
				// jobs may have stopped before the queue was empty; run it once
				// more.
				if err := w.vm.jobs(); err != nil || c.settled {
					return err
				}
				return errNothing
			}
			if err := w.wait(c); err != nil {
				return err
			}
			continue
		}
		for _, e := range events {
			if !c.arrived(e.id) {
				continue
			}
			w.vm.limit(c.left())
			if _, err := w.vm.call(entrySettle, e.id, e.ok, e.text); err != nil {
				return err
			}
		}
	}
}

// wait waits for an event. When the call is over, it aborts the script, which
// may run for graceTime.
func (w *worker) wait(c *call) error {
	select {
	case <-c.wake:
		return nil
	case <-c.under().Done():
	case <-w.module.engine.closing:
	}
	why := "abort"
	if err := c.ctx.Err(); errors.Is(err, context.DeadlineExceeded) || err == nil && !time.Now().Before(c.deadline) {
		why = "timeout"
	}
	w.vm.limit(graceTime)
	if _, err := w.vm.call(entryAbort, why); err != nil {
		return err
	}
	if err := w.vm.jobs(); err != nil {
		return err
	}
	return errOver
}

// stopped returns the result of a call whose VM stopped without an answer.
func (m *Module) stopped(c *call, err error) gongu.Result {
	switch {
	case errors.Is(err, errNothing):
		return m.failure(gongu.CodeTool, lang.ScriptNeverSettles)
	case errors.Is(err, errMemory) && time.Now().Before(c.deadline) && c.ctx.Err() == nil:
		return m.failure(gongu.CodeTool, lang.ScriptMemory, m.engine.opts.Memory)
	}
	if t, ok := errors.AsType[*thrown](err); ok && time.Now().Before(c.deadline) {
		result, _ := m.fault(exception{Error: gongu.Error{Name: t.name, Message: t.message}, Stack: t.stack})
		return result
	}
	return m.stopResult(c)
}

// reset prepares the VM for the next call. It returns false if the script still
// runs after its answer; the VM is discarded then.
func (w *worker) reset(c *call) bool {
	w.vm.limit(graceTime)
	if w.vm.jobs() != nil {
		return false
	}
	if !c.pending() {
		return true
	}
	_, err := w.vm.call(entryReset)
	return err == nil
}
