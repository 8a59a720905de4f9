package script

import (
	"context"
	"errors"
	"maps"
	"slices"
	"sync/atomic"
	"time"
)

// Loss reports a VM that did not stop at its limit and could not be killed.
type Loss struct {
	// Module and Export name the handler that it runs.
	Module string    `json:"module"`
	Export string    `json:"export"`
	Time   time.Time `json:"time"`
	// Moved are the modules that run in a child process from now on.
	Moved []string `json:"moved,omitempty"`
}

// childCounts counts child processes.
type childCounts struct {
	now, killed, died atomic.Int64
}

func (c *childCounts) into(s *Stats) {
	s.Children, s.Killed, s.Died = int(c.now.Load()), c.killed.Load(), c.died.Load()
}

// wasLost moves modules to child processes after a loss: the one that lost a
// VM, and all of them after the second loss. Without [Options.Child] they stay.
func (e *Engine) wasLost(m *Module, export string) {
	loss := Loss{Module: m.path, Export: export, Time: time.Now()}
	if len(e.opts.Child) > 0 {
		candidates := []*Module{m}
		if e.lost.Load() >= maxLost {
			candidates = e.all()
		}
		for _, one := range candidates {
			if one.moveToProcess() {
				loss.Moved = append(loss.Moved, one.path)
			}
		}
	}
	e.opts.Logger.Warn("a script does not stop and keeps a core busy", "module", m.path, "export", export, "moved", loss.Moved)
	if e.opts.OnLoss != nil {
		e.opts.OnLoss(loss)
	}
}

func (e *Engine) all() []*Module {
	e.mu.Lock()
	defer e.mu.Unlock()
	return slices.Collect(maps.Keys(e.modules))
}

// moveToProcess runs a module in a child process from the next call on. An
// extension stays, because its registrations refer to this process.
func (m *Module) moveToProcess() bool {
	if m.extension != nil {
		return false
	}
	if !m.childPool.CompareAndSwap(nil, newChildPool(m, RuntimeProcess)) {
		return false
	}
	m.moved.Store(true)
	return true
}

// mustIsolate reports whether new modules must run in child processes.
func (e *Engine) mustIsolate() bool { return len(e.opts.Child) > 0 && e.lost.Load() >= maxLost }

// loadIsolated loads an embedded module in a child process, and waits for the
// names of its handlers, which [Engine.Load] promises.
func (e *Engine) loadIsolated(ctx context.Context, m *Module) (*Module, error) {
	m.moveToProcess()
	if err := e.register(m); err != nil {
		return nil, err
	}
	r := m.childPool.Load()
	l, err := r.session(ctx, "")
	if err != nil {
		return nil, errors.Join(err, m.Close())
	}
	m.handlers = l.names()
	return m, nil
}
