package script

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"slices"
	"strconv"
	"sync"
	"time"

	"github.com/gongu-ai/gongu"
	"github.com/gongu-ai/gongu/internal/fsx"
	"github.com/gongu-ai/gongu/internal/lang"
)

// childSession is one child process of a module and its calls.
type childSession struct {
	pool  *childPool
	key   string
	how   *launch
	child *child
	ready chan struct{} // closed when the start has succeeded or failed

	mu       sync.Mutex
	handlers []string
	settled  bool
	broken   error // why it cannot be used
	retired  bool  // gets no more calls
	calls    map[int]*childCall
	last     int
	idle     *time.Timer
}

func newChildSession(r *childPool, key string, how *launch) *childSession {
	return &childSession{pool: r, key: key, how: how, ready: make(chan struct{}), calls: map[int]*childCall{}}
}

// start starts the process and sends it the module.
func (s *childSession) start() error {
	m := s.pool.module
	opts := &m.engine.opts
	// A child of this program keeps the current directory, so that relative
	// options mean the same.
	if s.key != "" {
		if err := (fsx.Space{Workdir: s.key, Closed: opts.Closed}).MakeWorkdir(); err != nil {
			return err
		}
	}
	started, err := startChild(childCommand{
		argv: s.how.argv, env: s.how.env, dir: s.key, extraPipes: s.how.extraPipes, sandbox: m.policy().In(s.key),
		maxLine: maxChildLine(opts), memory: opts.ChildMemory,
		take: s.take, onOutput: s.logOutput, ended: s.ended,
	})
	if err != nil {
		return err
	}
	s.mu.Lock()
	s.child = started
	s.mu.Unlock()
	theirs := *opts
	theirs.Protected = m.engine.protected(context.Background())
	started.send(&message{Type: msgLoad, Load: &loadRequest{
		Path: m.path, Root: m.root, Source: m.source, Map: m.sourceMap.JSON(), Options: theirs, Forward: s.how.forward,
	}})
	return nil
}

// maxChildLine is the longest message: an output, or the result of an
// operation, with room for JSON escapes.
func maxChildLine(opts *Options) int { return 4*max(opts.MaxOutput, opts.MaxRead) + 1<<20 }

// goMemory returns the GOMEMLIMIT of a child, well below its memory limit.
func goMemory(limit int) string { return "GOMEMLIMIT=" + strconv.Itoa(limit/4*3) }

func (s *childSession) names() []string {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.handlers
}

// problem returns why the child cannot be used, as the error of a call.
func (s *childSession) problem() error {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.broken == nil {
		return nil
	}
	return &gongu.Error{Code: gongu.CodeUnavailable, Message: s.broken.Error()}
}

// fail records why the child cannot be used. The first reason is kept.
func (s *childSession) fail(err error) {
	s.mu.Lock()
	if s.broken == nil {
		s.broken = err
	}
	s.settle()
	s.mu.Unlock()
}

// settle ends the wait for the start. The caller holds the lock.
func (s *childSession) settle() {
	if !s.settled {
		s.settled = true
		close(s.ready)
	}
}

// take processes a message of the child. It never blocks.
func (s *childSession) take(m *message) error {
	switch m.Type {
	case msgReady:
		s.mu.Lock()
		s.handlers = slices.Sorted(slices.Values(m.Handlers))
		s.settle()
		s.rest()
		s.mu.Unlock()
		s.pool.mu.Lock()
		s.pool.handlers = s.handlers
		s.pool.mu.Unlock()
	case msgFailed:
		s.fail(s.loadFailure(m))
		s.pool.forget(s)
		return errLoad
	case msgAck, msgResult, msgLog, msgAsk, msgCancel:
		s.mu.Lock()
		a := s.calls[m.ID]
		s.mu.Unlock()
		if a == nil {
			if m.Type == msgLog {
				s.print(context.Background(), s.pool.module.engine.opts.Logger, m)
			}
			return nil // its call is over
		}
		a.handle(m)
	default:
		return fmt.Errorf("unknown message type %.80q", m.Type)
	}
	return nil
}

func (s *childSession) loadFailure(m *message) error {
	module := s.pool.module
	e := module.engine
	if m.Missing {
		return &MissingError{Path: module.path, lang: e.lang}
	}
	if m.Failure != nil {
		return m.Failure
	}
	return errors.New(lang.ChildLoadFailed.In(e.lang, module.path, RuntimeName(s.pool.runtime), m.Text))
}

func (s *childSession) logOutput(line string) {
	m := s.pool.module
	m.engine.opts.Logger.Info(line, "module", m.path, "runtime", s.pool.runtime)
}

// print logs a line of a script.
func (s *childSession) print(ctx context.Context, logger *slog.Logger, m *message) {
	logger.Log(ctx, logLevel(m.Level), cutLine(m.Text), "module", s.pool.module.path)
}

// ended answers the calls of a child that has exited.
func (s *childSession) ended(k *child) {
	why := k.reason()
	m := s.pool.module
	s.pool.forget(s)
	cause := errors.New(s.lost(k, why).Error.Message)
	s.mu.Lock()
	s.retired = true
	if s.broken != nil {
		cause = s.broken
	} else if !s.settled {
		s.broken = cause
	}
	s.settle()
	if s.idle != nil {
		s.idle.Stop()
	}
	calls := s.calls
	s.calls = map[int]*childCall{}
	s.mu.Unlock()
	switch {
	case errors.Is(why, errUnused), errors.Is(why, errStuck):
	case errors.Is(why, errLoad):
		m.engine.opts.Logger.Warn("a module cannot be loaded", "module", m.path, "runtime", s.pool.runtime, "error", cause)
	default:
		m.engine.opts.Logger.Warn("a child process for scripts exited", "module", m.path, "runtime", s.pool.runtime, "reason", k.exitReason(), "why", why, "calls", len(calls))
	}
	s.pool.exited(why, cause)
	for _, a := range calls {
		a.finish(s.lost(k, why))
	}
}

// lost returns the result of a call whose child has exited. The call had
// started, so its outcome is unknown.
func (s *childSession) lost(k *child, why error) gongu.Result {
	m := s.pool.module
	switch {
	case errors.Is(why, errTooBig):
		return m.failure(gongu.CodeTool, lang.ChildMemory, m.path, m.engine.opts.ChildMemory)
	case errors.Is(why, errProtocol):
		return m.failure(gongu.CodeOutcomeUnknown, lang.ChildGarbage, m.path, k.exitReason())
	case errors.Is(why, errStuck):
		return m.failure(gongu.CodeOutcomeUnknown, lang.ChildKilled, m.path)
	}
	return m.failure(gongu.CodeOutcomeUnknown, lang.ChildDied, m.path, k.exitReason())
}

// begin sends a call to the child. It returns nil if the child takes no calls.
func (s *childSession) begin(c *call) *childCall {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.retired || s.broken != nil {
		return nil
	}
	if s.idle != nil {
		s.idle.Stop()
		s.idle = nil
	}
	s.last++
	a := newChildCall(s, c, s.last)
	if !s.child.send(a.callMessage()) {
		return nil
	}
	s.calls[a.id] = a
	return a
}

// over removes a call that has ended.
func (s *childSession) over(a *childCall) {
	s.mu.Lock()
	delete(s.calls, a.id)
	s.rest()
	done := s.retired && len(s.calls) == 0
	s.mu.Unlock()
	if done {
		s.child.end()
	}
}

// rest starts the idle timer if the child has no calls. The caller holds the
// lock.
func (s *childSession) rest() {
	if len(s.calls) > 0 || s.retired || s.idle != nil {
		return
	}
	s.idle = time.AfterFunc(s.pool.module.engine.opts.ChildIdle, func() {
		if s.retireIfIdle() {
			s.pool.forget(s)
		}
	})
}

// retireIfIdle ends the child if it has no calls.
func (s *childSession) retireIfIdle() bool {
	s.mu.Lock()
	idle := len(s.calls) == 0 && s.settled
	if idle {
		s.retired = true
	}
	s.mu.Unlock()
	if idle {
		s.child.end()
	}
	return idle
}

// retire sends the child no more calls. It ends after its last one.
func (s *childSession) retire() {
	s.pool.forget(s)
	s.mu.Lock()
	s.retired = true
	done := len(s.calls) == 0
	s.mu.Unlock()
	if done {
		s.child.end()
	}
}
