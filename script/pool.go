package script

import (
	"context"
	"sync"
	"time"

	"github.com/gongu-ai/gongu/internal/lang"
)

// pool keeps the idle VMs of a module, and limits the busy ones.
type pool struct {
	module *Module
	slots  chan struct{} // one for each VM that may be busy

	mu     sync.Mutex
	idle   []*worker // the last used is last
	busy   int
	closed bool
	reaper *time.Timer
}

func newPool(m *Module, size int) *pool {
	return &pool{module: m, slots: make(chan struct{}, size)}
}

// get returns an idle VM or creates one. It waits if all are busy.
func (p *pool) get(ctx context.Context) (*worker, error) {
	m := p.module
	if burning := m.engine.burning.Load(); burning >= maxLost {
		return nil, m.unavailable(lang.ScriptLost, burning)
	}
	if err := m.acquire(ctx, p.slots); err != nil {
		return nil, err
	}
	p.mu.Lock()
	if p.closed {
		p.mu.Unlock()
		<-p.slots
		return nil, m.unavailable(lang.ScriptClosed, m.path)
	}
	p.busy++
	if n := len(p.idle); n > 0 {
		w := p.idle[n-1]
		p.idle[n-1] = nil
		p.idle = p.idle[:n-1]
		p.mu.Unlock()
		return w, nil
	}
	p.mu.Unlock()
	w, err := m.newWorker()
	if err != nil {
		p.release()
		return nil, err
	}
	return w, nil
}

// release frees the slot of a VM that is not reused.
func (p *pool) release() {
	p.mu.Lock()
	p.busy--
	p.mu.Unlock()
	<-p.slots
}

// giveBack returns a VM to the pool. It returns false if the pool is closed.
func (p *pool) giveBack(w *worker) bool {
	kept := p.put(w)
	p.release()
	return kept
}

func (p *pool) put(w *worker) bool {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.closed {
		return false
	}
	w.since = time.Now()
	p.idle = append(p.idle, w)
	if p.reaper == nil {
		p.reaper = time.AfterFunc(idleTime, p.reap)
	}
	return true
}

// reap closes the VMs that were idle for idleTime.
func (p *pool) reap() {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.closed {
		return
	}
	old := 0
	for old < len(p.idle) && time.Since(p.idle[old].since) >= idleTime {
		close(p.idle[old].jobs)
		old++
	}
	p.idle = append([]*worker(nil), p.idle[old:]...)
	p.reaper = nil
	if len(p.idle) > 0 {
		p.reaper = time.AfterFunc(idleTime, p.reap)
	}
}

func (p *pool) close() {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.closed {
		return
	}
	p.closed = true
	if p.reaper != nil {
		p.reaper.Stop()
	}
	for _, w := range p.idle {
		close(w.jobs)
	}
	p.idle = nil
}

func (p *pool) size() int {
	p.mu.Lock()
	defer p.mu.Unlock()
	if x := p.module.extension; x != nil {
		return x.size()
	}
	return len(p.idle) + p.busy
}
