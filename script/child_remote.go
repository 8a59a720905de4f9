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
	// maxLives is in how many working directories bun or node run one module
	// at a time.
	maxLives = 8
	// A child that fails again and again is started after ever longer pauses.
	firstPause   = 100 * time.Millisecond
	longestPause = 30 * time.Second
	// patientPause is how long a call waits for such a pause to end.
	patientPause = time.Second
)

// remote runs the calls of a module in child processes: one for all, or one
// for each working directory where that is the process's own.
type remote struct {
	module   *Module
	runtime  string
	slots    chan struct{} // one for each call that may run
	children childCounts

	mu       sync.Mutex
	lives    map[string]*life
	handlers []string
	closed   bool
	failed   int // starts that led to nothing, in a row
	failure  error
	retry    time.Time
}

func newRemote(m *Module, runtime string) *remote {
	return &remote{module: m, runtime: runtime, slots: make(chan struct{}, m.engine.opts.MaxVMs), lives: map[string]*life{}}
}

func (r *remote) names() []string {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.handlers
}

// invoke answers a call in a child.
func (r *remote) invoke(ctx context.Context, export string, request gongu.Call) gongu.Result {
	if err := r.module.acquire(ctx, r.slots); err != nil {
		return gongu.Fail(err)
	}
	defer func() { <-r.slots }()
	for {
		c := newCall(ctx, r.module, export, request)
		l, err := r.life(ctx, r.place(c))
		if err != nil {
			return gongu.Fail(err)
		}
		if found := l.names(); !slices.Contains(found, export) {
			missing := &MissingError{Path: r.module.path, Export: export, Found: found, lang: r.module.engine.lang}
			return gongu.Fail(&gongu.Error{Code: gongu.CodeUnavailable, Message: missing.Error()})
		}
		// The time of a call begins when it does.
		c = newCall(ctx, r.module, export, request)
		if a := l.begin(c); a != nil {
			return l.await(a)
		}
		if err := ctx.Err(); err != nil {
			return gongu.Fail(err)
		}
		// It ended between the look and the call: nothing was sent yet.
	}
}

// place tells the children of a module apart: bun and node have one working
// directory each.
func (r *remote) place(c *call) string {
	if r.runtime == RuntimeProcess {
		return ""
	}
	return c.workdir()
}

// life is a child that is ready, started when there is none.
func (r *remote) life(ctx context.Context, key string) (*life, error) {
	l, err := r.find(ctx, key)
	if err != nil {
		return nil, err
	}
	timer := time.NewTimer(startTimeout)
	defer timer.Stop()
	select {
	case <-l.ready:
	case <-ctx.Done():
		return nil, ctx.Err()
	case <-r.module.engine.closing:
		return nil, r.module.unavailable(lang.ScriptClosed, r.module.path)
	case <-timer.C:
		l.fail(errors.New(lang.ChildSlow.In(r.module.engine.lang, r.module.path, startTimeout)))
		l.child.kill(errStuck)
	}
	return l, l.problem()
}

// find is the child for a place, ready or on its way.
func (r *remote) find(ctx context.Context, key string) (*life, error) {
	for {
		r.mu.Lock()
		if r.closed {
			r.mu.Unlock()
			return nil, r.module.unavailable(lang.ScriptClosed, r.module.path)
		}
		if l, ok := r.lives[key]; ok {
			r.mu.Unlock()
			return l, nil
		}
		if pause := time.Until(r.retry); pause > 0 {
			failed, failure := r.failed, r.failure
			r.mu.Unlock()
			if err := r.pause(ctx, pause, failed, failure); err != nil {
				return nil, err
			}
			continue
		}
		l, err := r.start(key)
		r.mu.Unlock()
		return l, err
	}
}

// pause waits for the next try, unless that is far away.
func (r *remote) pause(ctx context.Context, pause time.Duration, failed int, failure error) error {
	m := r.module
	if pause > patientPause {
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
func (r *remote) start(key string) (*life, error) {
	m := r.module
	e := m.engine
	if len(r.lives) >= maxLives && !r.makeRoom() {
		return nil, m.unavailable(lang.ChildMany, m.path, maxLives)
	}
	how, err := e.launch(r.runtime, m.path)
	if err != nil {
		return nil, err
	}
	if !e.adopt() {
		return nil, m.unavailable(lang.ScriptClosed, m.path)
	}
	l := newLife(r, key, how)
	if err := l.start(); err != nil {
		e.workers.Done()
		err = errors.New(lang.ChildNoStart.In(e.lang, m.path, err))
		r.stumble(err)
		return nil, &gongu.Error{Code: gongu.CodeUnavailable, Message: err.Error()}
	}
	r.lives[key] = l
	r.children.now.Add(1)
	e.children.now.Add(1)
	return l, nil
}

// makeRoom ends a child that nobody uses. The lock is held.
func (r *remote) makeRoom() bool {
	for key, l := range r.lives {
		if l.retireIfIdle() {
			delete(r.lives, key)
			return true
		}
	}
	return false
}

// stumble counts a start that led to nothing. The lock is held.
func (r *remote) stumble(err error) {
	r.failed++
	r.failure = err
	if r.failed > 1 { // once is an accident
		r.retry = time.Now().Add(min(firstPause<<min(r.failed-2, 16), longestPause))
	}
}

// succeeded ends a row of failures.
func (r *remote) succeeded() {
	r.mu.Lock()
	r.failed, r.failure, r.retry = 0, nil, time.Time{}
	r.mu.Unlock()
}

// forget takes a child out of use. Later calls get another.
func (r *remote) forget(l *life) {
	r.mu.Lock()
	if r.lives[l.key] == l {
		delete(r.lives, l.key)
	}
	r.mu.Unlock()
}

// buried is called when a child is gone.
func (r *remote) buried(why, cause error) {
	e := r.module.engine
	r.mu.Lock()
	if why == nil || errors.Is(why, errProtocol) || errors.Is(why, errLoad) {
		r.stumble(cause)
	}
	r.mu.Unlock()
	for _, counts := range []*childCounts{&r.children, &e.children} {
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
func (r *remote) close() {
	r.mu.Lock()
	r.closed = true
	lives := r.lives
	r.lives = map[string]*life{}
	r.mu.Unlock()
	for _, l := range lives {
		l.retire()
	}
}
