package script

import (
	"context"
	"errors"
	"slices"
	"sync"
	"time"

	"github.com/gongu-ai/gongu"
	"github.com/gongu-ai/gongu/internal/lang"
)

const (
	defaultChildMemory = 1 << 30
	// startTimeout is for a child to start and load its module.
	startTimeout = 10 * time.Second
	// processGrace is what a call in a child of ours gets after its limit: the
	// child's own watch on its VMs answers within it. workerGrace is the same
	// for bun and node, which have no such watch.
	processGrace = 1800 * time.Millisecond
	workerGrace  = time.Second
	// maxSessions is in how many working directories bun or node run one module
	// at a time.
	maxSessions = 8
	// A child that fails again and again is started after ever longer pauses.
	firstPause   = 100 * time.Millisecond
	longestPause = 30 * time.Second
	// maxPauseWait is how long a call waits for such a pause to end.
	maxPauseWait = time.Second
)

// childPool runs the calls of a module in child processes: one for all, or one
// for each working directory where that is the process's own.
type childPool struct {
	module   *Module
	runtime  string
	slots    chan struct{} // one for each call that may run
	children childCounts

	mu       sync.Mutex
	sessions map[string]*childSession
	handlers []string
	closed   bool
	failed   int // starts that led to nothing, in a row
	failure  error
	retry    time.Time
}

func newChildPool(m *Module, runtime string) *childPool {
	return &childPool{module: m, runtime: runtime, slots: make(chan struct{}, m.engine.opts.MaxVMs), sessions: map[string]*childSession{}}
}

func (p *childPool) names() []string {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.handlers
}

// invoke answers a call in a child.
func (p *childPool) invoke(ctx context.Context, export string, request gongu.Call) gongu.Result {
	if err := p.module.acquire(ctx, p.slots); err != nil {
		return gongu.Fail(err)
	}
	defer func() { <-p.slots }()
	for {
		c := newCall(ctx, p.module, export, request)
		s, err := p.session(ctx, p.key(c))
		if err != nil {
			return gongu.Fail(err)
		}
		if found := s.names(); !slices.Contains(found, export) {
			missing := &MissingError{Path: p.module.path, Export: export, Found: found, lang: p.module.engine.lang}
			return gongu.Fail(&gongu.Error{Code: gongu.CodeUnavailable, Message: missing.Error()})
		}
		// The time of a call begins when it does.
		c = newCall(ctx, p.module, export, request)
		if a := s.begin(c); a != nil {
			return s.await(a)
		}
		if err := ctx.Err(); err != nil {
			return gongu.Fail(err)
		}
		// It ended between the look and the call: nothing was sent yet.
	}
}

// place tells the children of a module apart: bun and node have one working
// directory each.
func (p *childPool) key(c *call) string {
	if p.runtime == RuntimeProcess {
		return ""
	}
	return c.workdir()
}

// childSession is a child that is ready, started when there is none.
func (p *childPool) session(ctx context.Context, key string) (*childSession, error) {
	s, err := p.find(ctx, key)
	if err != nil {
		return nil, err
	}
	timer := time.NewTimer(startTimeout)
	defer timer.Stop()
	select {
	case <-s.ready:
	case <-ctx.Done():
		return nil, ctx.Err()
	case <-p.module.engine.closing:
		return nil, p.module.unavailable(lang.ScriptClosed, p.module.path)
	case <-timer.C:
		s.fail(errors.New(lang.ChildSlow.In(p.module.engine.lang, p.module.path, startTimeout)))
		s.child.kill(errStuck)
	}
	return s, s.problem()
}

// find is the child for a place, ready or on its way.
func (p *childPool) find(ctx context.Context, key string) (*childSession, error) {
	for {
		p.mu.Lock()
		if p.closed {
			p.mu.Unlock()
			return nil, p.module.unavailable(lang.ScriptClosed, p.module.path)
		}
		if s, ok := p.sessions[key]; ok {
			p.mu.Unlock()
			return s, nil
		}
		if pause := time.Until(p.retry); pause > 0 {
			failed, failure := p.failed, p.failure
			p.mu.Unlock()
			if err := p.pause(ctx, pause, failed, failure); err != nil {
				return nil, err
			}
			continue
		}
		s, err := p.start(key)
		p.mu.Unlock()
		return s, err
	}
}

// pause waits for the next try, unless that is far away.
func (p *childPool) pause(ctx context.Context, pause time.Duration, failed int, failure error) error {
	m := p.module
	if pause > maxPauseWait {
		return m.unavailable(lang.ChildFailing, m.path, pause.Round(time.Second), failed, failure)
	}
	timer := time.NewTimer(pause)
	defer timer.Stop()
	select {
	case <-timer.C:
		return nil
	case <-ctx.Done():
		return ctx.Err()
	case <-m.engine.closing:
		return m.unavailable(lang.ScriptClosed, m.path)
	}
}

// start makes a child. The lock is held.
func (p *childPool) start(key string) (*childSession, error) {
	m := p.module
	e := m.engine
	if len(p.sessions) >= maxSessions && !p.makeRoom() {
		return nil, m.unavailable(lang.ChildMany, m.path, maxSessions)
	}
	how, err := e.launch(p.runtime, m.path)
	if err != nil {
		return nil, err
	}
	if !e.adopt() {
		return nil, m.unavailable(lang.ScriptClosed, m.path)
	}
	s := newChildSession(p, key, how)
	if err := s.start(); err != nil {
		e.workers.Done()
		err = errors.New(lang.ChildNoStart.In(e.lang, m.path, err))
		p.countFailure(err)
		return nil, &gongu.Error{Code: gongu.CodeUnavailable, Message: err.Error()}
	}
	p.sessions[key] = s
	p.children.now.Add(1)
	e.children.now.Add(1)
	return s, nil
}

// makeRoom ends a child that nobody uses. The lock is held.
func (p *childPool) makeRoom() bool {
	for key, s := range p.sessions {
		if s.retireIfIdle() {
			delete(p.sessions, key)
			return true
		}
	}
	return false
}

// countFailure counts a start that led to nothing. The lock is held.
func (p *childPool) countFailure(err error) {
	p.failed++
	p.failure = err
	if p.failed > 1 { // once is an accident
		p.retry = time.Now().Add(min(firstPause<<min(p.failed-2, 16), longestPause))
	}
}

// succeeded ends a row of failures.
func (p *childPool) succeeded() {
	p.mu.Lock()
	p.failed, p.failure, p.retry = 0, nil, time.Time{}
	p.mu.Unlock()
}

// forget takes a child out of use. Later calls get another.
func (p *childPool) forget(s *childSession) {
	p.mu.Lock()
	if p.sessions[s.key] == s {
		delete(p.sessions, s.key)
	}
	p.mu.Unlock()
}

// exited is called when a child is gone.
func (p *childPool) exited(why, cause error) {
	e := p.module.engine
	p.mu.Lock()
	if why == nil || errors.Is(why, errProtocol) || errors.Is(why, errLoad) {
		p.countFailure(cause)
	}
	p.mu.Unlock()
	for _, counts := range []*childCounts{&p.children, &e.children} {
		counts.now.Add(-1)
		switch {
		case why == nil:
			counts.died.Add(1)
		case !errors.Is(why, errUnused) && !errors.Is(why, errLoad):
			counts.killed.Add(1)
		}
	}
	e.workers.Done()
}

// close lets go of the children. Calls that run finish.
func (p *childPool) close() {
	p.mu.Lock()
	p.closed = true
	sessions := p.sessions
	p.sessions = map[string]*childSession{}
	p.mu.Unlock()
	for _, s := range sessions {
		s.retire()
	}
}
