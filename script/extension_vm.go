package script

import (
	"encoding/json"
	"errors"
	"slices"
	"sync"
	"sync/atomic"
	"time"

	"github.com/gongu-ai/gongu"
	"github.com/gongu-ai/gongu/internal/lang"
)

// extensionVM is the VM of an extension and the goroutine that owns it. The
// goroutine handles one delivery at a time, with all promise jobs that follow
// from it, so every operation belongs to the call whose delivery started it.
type extensionVM struct {
	ext *Extension
	w   *worker
	ids atomic.Int64

	// Only the goroutine of the VM uses the following fields.
	own    map[string]func(text string) (string, error)
	tasks  map[int]*task
	owners map[int]*call // of the running operations
	// listeners are numbered; the script unsubscribes by number.
	listeners []*slot

	mu       sync.Mutex
	inbox    []delivery
	wake     chan struct{}
	retired  bool // ends after its last task
	entry    int  // number of the current entry
	inside   bool
	watchdog *time.Timer

	// registering is true while register runs. After a restart, replay has the
	// slots that are still expected.
	registering, restarted bool
	replay                 []*slot

	// gone is closed when the VM is stopped. reason is the error of all its
	// calls except failedCall, which caused the stop and gets failedErr.
	gone              chan struct{}
	reason, failedErr error
	failedCall        *call
}

// delivery is an event for the VM.
type delivery struct {
	kind  deliveryKind
	task  *task
	call  *call
	event event
}

type deliveryKind int

const (
	deliverStart deliveryKind = iota
	deliverEvent              // an operation has ended
	deliverNext               // Frame.Next has returned
	deliverEnd                // the task is aborted
)

// start creates a VM with the module in it, and starts its goroutine.
func (x *Extension) start() (*extensionVM, error) {
	m := x.module
	r := &extensionVM{
		ext: x, w: &worker{module: m}, tasks: map[int]*task{}, owners: map[int]*call{},
		wake: make(chan struct{}, 1), gone: make(chan struct{}),
	}
	r.own = r.immediates()
	vm, _, err := m.newVM(&callbacks{now: r.now, begin: r.begin}, entryExtension)
	if err != nil {
		return nil, err
	}
	r.w.vm = vm
	r.watchdog = time.AfterFunc(time.Hour, r.overLimit)
	r.watchdog.Stop()
	go r.serve()
	return r, nil
}

// post queues a delivery. A stopped VM ignores it; callers that wait for an
// answer watch gone.
func (r *extensionVM) post(d delivery) {
	r.mu.Lock()
	r.inbox = append(r.inbox, d)
	r.mu.Unlock()
	select {
	case r.wake <- struct{}{}:
	default:
	}
}

func (r *extensionVM) isDead() bool { return isClosed(r.gone) }

// retire ends the VM after its last call.
func (r *extensionVM) retire() {
	r.mu.Lock()
	r.retired = true
	r.mu.Unlock()
	select {
	case r.wake <- struct{}{}:
	default:
	}
}

// take waits for the next delivery. It returns false when the VM must end.
func (r *extensionVM) take() (delivery, bool) {
	for {
		r.mu.Lock()
		if len(r.inbox) > 0 {
			d := r.inbox[0]
			r.inbox[0] = delivery{}
			r.inbox = r.inbox[1:]
			r.mu.Unlock()
			return d, true
		}
		if r.retired && len(r.tasks) == 0 {
			r.mu.Unlock()
			r.die(r.ext.module.unavailable(lang.ScriptClosed, r.ext.module.path), nil, nil)
			return delivery{}, false
		}
		r.inbox = nil
		r.mu.Unlock()
		select {
		case <-r.wake:
		case <-r.gone:
			return delivery{}, false
		case <-r.ext.module.engine.closing:
			r.die(r.ext.module.unavailable(lang.ScriptClosed, r.ext.module.path), nil, nil)
			return delivery{}, false
		}
	}
}

// serve handles deliveries until the VM must be closed.
func (r *extensionVM) serve() {
	m := r.ext.module
	for {
		d, ok := r.take()
		if !ok {
			break
		}
		if !r.handle(d) || r.isDead() {
			break
		}
	}
	r.w.mu.Lock()
	killed, lost := r.w.killed, r.w.lost
	r.w.active = nil
	r.w.mu.Unlock()
	r.watchdog.Stop()
	if lost {
		m.countReturned()
	} else if r.fault() || killed {
		m.countDiscarded()
	}
	r.releaseAll()
	r.w.vm.close()
	if !lost {
		m.engine.workers.Done()
	}
}

// fault reports whether one of its calls caused the stop.
func (r *extensionVM) fault() bool {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.failedCall != nil
}

// handle handles one delivery and the jobs that follow. It returns false when
// the VM must not be used again.
func (r *extensionVM) handle(d delivery) (good bool) {
	c := d.call
	if d.task != nil {
		c = d.task.call
	}
	defer func() {
		if p := recover(); p != nil {
			l := r.ext.module.engine.lang
			r.stop(c, lang.ExtScriptPanic.In(l, p), &gongu.Error{Code: gongu.CodePanic, Message: lang.ScriptPanic.In(l, p)})
			good = false
		}
	}()
	r.enter(c)
	defer r.exit()
	r.w.vm.limit(r.slice())
	_, err := r.deliver(d)
	if err == nil {
		r.w.vm.limit(r.slice())
		err = r.w.vm.jobs()
	}
	if err == nil {
		return true
	}
	if t, ok := errors.AsType[*thrown](err); ok && t.name != "InternalError" {
		// The shim catches what scripts throw, so this is a bug of the shim.
		r.ext.module.engine.opts.Logger.Error("the shim failed", "module", r.ext.module.path, "error", err)
		return true
	}
	r.discard(c, err)
	return false
}

// deliver calls into the VM.
func (r *extensionVM) deliver(d delivery) (string, error) {
	vm := r.w.vm
	switch d.kind {
	case deliverStart:
		t := d.task
		t.begun.Store(true)
		r.tasks[t.id] = t
		return vm.call(entryEnter, t.id, t.kind, t.fn, t.fixed, t.input, t.message)
	case deliverEvent:
		delete(r.owners, d.event.id)
		if !d.call.arrived(d.event.id) {
			return "", nil
		}
		return vm.call(entrySettle, d.event.id, d.event.ok, d.event.text)
	case deliverNext:
		return vm.call(entrySettle, d.event.id, d.event.ok, d.event.text)
	}
	if r.tasks[d.task.id] == nil {
		return "", nil
	}
	delete(r.tasks, d.task.id)
	ended, err := json.Marshal(r.drop(d.task.call))
	if err != nil {
		return "", err
	}
	return vm.call(entryGiveUp, d.task.id, d.event.text, string(ended))
}

// drop cancels the operations of an aborted call and returns their numbers.
func (r *extensionVM) drop(c *call) []int {
	ids := []int{}
	for id, owner := range r.owners {
		if owner == c {
			c.forget(id)
			delete(r.owners, id)
			ids = append(ids, id)
		}
	}
	slices.Sort(ids)
	return ids
}

// releaseAll cancels all operations, and waits for them up to releaseTime.
func (r *extensionVM) releaseAll() {
	var calls []*call
	for _, c := range r.owners {
		if !slices.Contains(calls, c) {
			calls = append(calls, c)
		}
	}
	var group sync.WaitGroup
	for _, c := range calls {
		group.Go(c.release)
	}
	group.Wait()
}

func (r *extensionVM) slice() time.Duration { return min(sliceTime, r.ext.module.engine.opts.Timeout) }

// enter marks the call that the VM runs, and starts the watchdog.
func (r *extensionVM) enter(c *call) {
	r.w.take(c)
	r.mu.Lock()
	r.entry++
	r.inside = true
	r.mu.Unlock()
	r.watchdog.Reset(r.slice() + interruptTime)
}

func (r *extensionVM) exit() {
	r.watchdog.Stop()
	r.mu.Lock()
	r.inside = false
	r.mu.Unlock()
	r.w.current = nil
	r.w.mu.Lock()
	r.w.active = nil
	r.w.mu.Unlock()
}

// at returns the number of the current entry, or 0.
func (r *extensionVM) at() int {
	r.mu.Lock()
	defer r.mu.Unlock()
	if !r.inside {
		return 0
	}
	return r.entry
}

// interruptLater stops the VM if it still runs for an aborted call after
// interruptTime.
func (r *extensionVM) interruptLater(c *call) {
	r.w.mu.Lock()
	busy := r.w.active == c
	r.w.mu.Unlock()
	if entry := r.at(); busy && entry != 0 {
		time.AfterFunc(interruptTime, func() { r.stopEntry(entry, c) })
	}
}

// overLimit stops an entry that exceeds its time although the engine's own
// limit should have stopped it.
func (r *extensionVM) overLimit() {
	r.w.mu.Lock()
	c := r.w.active
	r.w.mu.Unlock()
	if entry := r.at(); entry != 0 && c != nil {
		r.stopEntry(entry, c)
	}
}

// stopEntry interrupts an entry, then kills the VM; a VM that still runs is
// lost.
func (r *extensionVM) stopEntry(entry int, c *call) {
	ticker := time.NewTicker(interruptInterval)
	defer ticker.Stop()
	for began := time.Now(); time.Since(began) < killTime; <-ticker.C {
		if r.at() != entry || r.isDead() {
			return
		}
		r.w.interrupt(c, time.Since(began) >= interruptTime)
	}
	r.abandon(entry, c)
}

// abandon counts the VM as lost.
func (r *extensionVM) abandon(entry int, c *call) {
	m := r.ext.module
	r.w.mu.Lock()
	if r.w.active != c || r.w.lost || r.at() != entry {
		r.w.mu.Unlock()
		return
	}
	r.w.lost = true
	r.w.mu.Unlock()
	m.countLost()
	r.discard(c, errInterrupted)
	m.engine.workers.Done()
	m.engine.wasLost(m, c.export)
}

// discard stops a VM because of an error of one of its calls.
func (r *extensionVM) discard(c *call, err error) {
	l, opts := r.ext.module.engine.lang, &r.ext.module.engine.opts
	switch {
	case errors.Is(err, errMemory):
		r.stop(c, lang.ExtScriptMemory.In(l, opts.Memory), &gongu.Error{Code: gongu.CodeTool, Message: lang.ScriptMemory.In(l, opts.Memory)})
	case errors.Is(err, errInterrupted):
		r.stop(c, lang.ExtScriptSlice.In(l, r.slice()), &gongu.Error{Code: gongu.CodeTimeout, Message: lang.ScriptTimeout.In(l, r.slice())})
	default:
		r.stop(c, err.Error(), &gongu.Error{Code: gongu.CodeTool, Message: err.Error()})
	}
}

// stop fails all calls of the VM.
func (r *extensionVM) stop(failedCall *call, why string, failedErr error) {
	l := r.ext.module.engine.lang
	r.die(&gongu.Error{
		Code: gongu.CodeUnavailable, Message: lang.ExtScriptStopped.In(l, r.ext.name, why), Suggestion: lang.ExtScriptStoppedHint.In(l),
	}, failedCall, failedErr)
}

func (r *extensionVM) die(reason error, failedCall *call, failedErr error) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.isDead() {
		return
	}
	r.reason, r.failedCall, r.failedErr = reason, failedCall, failedErr
	close(r.gone)
}
