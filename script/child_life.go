package script

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"os"
	"slices"
	"strconv"
	"sync"
	"time"

	"github.com/gongu-ai/gongu"
	"github.com/gongu-ai/gongu/internal/lang"
)

// life is one child of a module, from its start to its end.
type life struct {
	remote *remote
	key    string
	how    *launch
	child  *child
	ready  chan struct{} // closed when it can be used, or never will

	mu       sync.Mutex
	handlers []string
	settled  bool
	broken   error // why it cannot be used
	retired  bool  // gets no more calls
	calls    map[int]*away
	last     int
	idle     *time.Timer
}

func newLife(r *remote, key string, how *launch) *life {
	return &life{remote: r, key: key, how: how, ready: make(chan struct{}), calls: map[int]*away{}}
}

// start starts the process and tells it what to load.
func (l *life) start() error {
	m := l.remote.module
	opts := &m.engine.opts
	// A child of ours stays where we are: relative options mean the same.
	if l.key != "" {
		if err := os.MkdirAll(l.key, 0o755); err != nil {
			return err
		}
	}
	started, err := startChild(childCommand{
		argv: l.how.argv, env: l.how.env, dir: l.key, apart: l.how.apart,
		maxLine: longestLine(opts), memory: opts.ChildMemory,
		take: l.take, noise: l.noise, ended: l.ended,
	})
	if err != nil {
		return err
	}
	l.mu.Lock()
	l.child = started
	l.mu.Unlock()
	started.send(&message{Type: sayLoad, Load: &loadOrder{
		Path: m.path, Root: m.root, Source: m.source, Map: m.sourceMap.JSON(), Options: *opts, Forward: l.how.forward,
	}})
	return nil
}

// longestLine is what a message may take: an output, or what an operation gives,
// with room for what JSON must escape.
func longestLine(opts *Options) int { return 4*max(opts.MaxOutput, opts.MaxRead) + 1<<20 }

// goMemory keeps the collector of a child of ours well below the limit.
func goMemory(limit int) string { return "GOMEMLIMIT=" + strconv.Itoa(limit/4*3) }

func (l *life) names() []string {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.handlers
}

// problem is why the child cannot be used, as an answer to a call.
func (l *life) problem() error {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.broken == nil {
		return nil
	}
	return &gongu.Error{Code: gongu.CodeUnavailable, Message: l.broken.Error()}
}

// fail says why the child cannot be used. The first reason counts.
func (l *life) fail(err error) {
	l.mu.Lock()
	if l.broken == nil {
		l.broken = err
	}
	l.settle()
	l.mu.Unlock()
}

// settle ends the wait for the child. The lock is held.
func (l *life) settle() {
	if !l.settled {
		l.settled = true
		close(l.ready)
	}
}

// take hears what the child says. It never waits: the child does.
func (l *life) take(m *message) error {
	switch m.Type {
	case sayReady:
		l.mu.Lock()
		l.handlers = slices.Sorted(slices.Values(m.Handlers))
		l.settle()
		l.rest()
		l.mu.Unlock()
		l.remote.mu.Lock()
		l.remote.handlers = l.handlers
		l.remote.mu.Unlock()
	case sayFailed:
		l.fail(l.loadFailure(m))
		l.remote.forget(l)
		return errLoad
	case sayAck, sayResult, sayLog, sayAsk, sayCancel:
		l.mu.Lock()
		a := l.calls[m.ID]
		l.mu.Unlock()
		if a == nil {
			if m.Type == sayLog {
				l.print(context.Background(), l.remote.module.engine.opts.Logger, m)
			}
			return nil // its call is over
		}
		a.hear(m)
	default:
		return fmt.Errorf("%.80q is no kind of message", m.Type)
	}
	return nil
}

func (l *life) loadFailure(m *message) error {
	module := l.remote.module
	e := module.engine
	if m.Missing {
		return &MissingError{Path: module.path, lang: e.lang}
	}
	if m.Failure != nil {
		return m.Failure
	}
	return errors.New(lang.ChildLoadFailed.In(e.lang, module.path, RuntimeName(l.remote.runtime), m.Text))
}

func (l *life) noise(line string) {
	m := l.remote.module
	m.engine.opts.Logger.Info(line, "module", m.path, "runtime", l.remote.runtime)
}

// print logs a line of a script.
func (l *life) print(ctx context.Context, logger *slog.Logger, m *message) {
	logger.Log(ctx, logLevel(m.Level), cutLine(m.Text), "module", l.remote.module.path)
}

// ended answers the calls that the child took with it.
func (l *life) ended(k *child) {
	why := k.reason()
	m := l.remote.module
	l.remote.forget(l)
	cause := errors.New(l.lost(k, why).Error.Message)
	l.mu.Lock()
	l.retired = true
	if l.broken != nil {
		cause = l.broken
	} else if !l.settled {
		l.broken = cause
	}
	l.settle()
	if l.idle != nil {
		l.idle.Stop()
	}
	calls := l.calls
	l.calls = map[int]*away{}
	l.mu.Unlock()
	switch {
	case errors.Is(why, errUnused), errors.Is(why, errStuck):
	case errors.Is(why, errLoad):
		m.engine.opts.Logger.Warn("a module cannot be loaded", "module", m.path, "runtime", l.remote.runtime, "error", cause)
	default:
		m.engine.opts.Logger.Warn("a process that ran scripts ended", "module", m.path, "runtime", l.remote.runtime, "reason", k.epitaph(), "why", why, "calls", len(calls))
	}
	l.remote.buried(why, cause)
	for _, a := range calls {
		a.finish(l.lost(k, why))
	}
}

// lost is the answer to a call whose child is gone. It had begun, so what it
// has done is not known.
func (l *life) lost(k *child, why error) gongu.Result {
	m := l.remote.module
	switch {
	case errors.Is(why, errTooBig):
		return m.failure(gongu.CodeTool, lang.ChildMemory, m.path, m.engine.opts.ChildMemory)
	case errors.Is(why, errProtocol):
		return m.failure(gongu.CodeOutcomeUnknown, lang.ChildGarbage, m.path, k.epitaph())
	case errors.Is(why, errStuck):
		return m.failure(gongu.CodeOutcomeUnknown, lang.ChildKilled, m.path)
	}
	return m.failure(gongu.CodeOutcomeUnknown, lang.ChildDied, m.path, k.epitaph())
}

// begin hands a call to the child. Nil means that it takes none.
func (l *life) begin(c *call) *away {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.retired || l.broken != nil {
		return nil
	}
	if l.idle != nil {
		l.idle.Stop()
		l.idle = nil
	}
	l.last++
	a := newAway(l, c, l.last)
	if !l.child.send(a.order()) {
		return nil
	}
	l.calls[a.id] = a
	return a
}

// over ends a call for the child.
func (l *life) over(a *away) {
	l.mu.Lock()
	delete(l.calls, a.id)
	l.rest()
	done := l.retired && len(l.calls) == 0
	l.mu.Unlock()
	if done {
		l.child.end()
	}
}

// rest lets the child end when nothing comes for a while. The lock is held.
func (l *life) rest() {
	if len(l.calls) > 0 || l.retired || l.idle != nil {
		return
	}
	l.idle = time.AfterFunc(l.remote.module.engine.opts.ChildIdle, func() {
		if l.retireIfIdle() {
			l.remote.forget(l)
		}
	})
}

// retireIfIdle ends a child that has nothing to do.
func (l *life) retireIfIdle() bool {
	l.mu.Lock()
	idle := len(l.calls) == 0 && l.settled
	if idle {
		l.retired = true
	}
	l.mu.Unlock()
	if idle {
		l.child.end()
	}
	return idle
}

// retire gives the child no more calls; it ends with its last one.
func (l *life) retire() {
	l.remote.forget(l)
	l.mu.Lock()
	l.retired = true
	done := len(l.calls) == 0
	l.mu.Unlock()
	if done {
		l.child.end()
	}
}
