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
	// startTimeout limits the start of a child, including the load of its
	// module.
	startTimeout = 10 * time.Second
	// processGrace is how long after its limit a call in a child of this
	// program may answer: the child stops its own VMs within that time.
	// workerGrace is the same for bun and node, which do not.
	processGrace = 1800 * time.Millisecond
	workerGrace  = time.Second
	// maxSessions is the number of working directories in which bun or node run
	// a module at the same time.
	maxSessions = 8
	// A child that fails repeatedly is restarted with exponential backoff.
	firstPause   = 100 * time.Millisecond
	longestPause = 30 * time.Second
	// maxPauseWait is the longest backoff that a call waits for.
	maxPauseWait = time.Second
)

// childPool runs the calls of a module in child processes: in one, or for bun
// and node in one for each working directory.
type childPool struct {
	module   *Module
	runtime  string
	slots    chan struct{} // one for each call that may run
	children childCounts

	mu       sync.Mutex
	sessions map[string]*childSession
	handlers []string
	closed   bool
	failed   int // failed starts in a row
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

// invoke runs a call in a child.
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
		// The time limit starts once the child is ready.
		c = newCall(ctx, p.module, export, request)
		if a := s.begin(c); a != nil {
			return s.await(a)
		}
		if err := ctx.Err(); err != nil {
			return gongu.Fail(err)
		}
		// The child ended before the call was sent: try another.
	}
}

// key returns the key of the child for a call: bun and node have one child for
// each working directory.
func (p *childPool) key(c *call) string {
	if p.runtime == RuntimeProcess {
		return ""
	}
	return c.workdir()
}

// session returns a ready child, and starts one if necessary.
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

// find returns the child for a key, ready or starting.
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

// pause waits for the end of a backoff, or refuses the call if that takes too
// long.
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

// start starts a child. The caller holds the lock.
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

// makeRoom ends an idle child. The caller holds the lock.
func (p *childPool) makeRoom() bool {
	for key, s := range p.sessions {
		if s.retireIfIdle() {
			delete(p.sessions, key)
			return true
		}
	}
	return false
}

// countFailure counts a failed start and sets the backoff. The caller holds the
// lock.
func (p *childPool) countFailure(err error) {
	p.failed++
	p.failure = err
	if p.failed > 1 { // the first restart is immediate
		p.retry = time.Now().Add(min(firstPause<<min(p.failed-2, 16), longestPause))
	}
}

// succeeded resets the backoff.
func (p *childPool) succeeded() {
	p.mu.Lock()
	p.failed, p.failure, p.retry = 0, nil, time.Time{}
	p.mu.Unlock()
}

// forget removes a child from the pool. Later calls get another.
func (p *childPool) forget(s *childSession) {
	p.mu.Lock()
	if p.sessions[s.key] == s {
		delete(p.sessions, s.key)
	}
	p.mu.Unlock()
}

// exited counts a child that has exited.
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

// close retires the children. Running calls finish.
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
