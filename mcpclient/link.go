package mcpclient

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"log/slog"
	"maps"
	"net/http"
	"slices"
	"sync"
	"sync/atomic"
	"time"

	"github.com/gongu-ai/gongu/internal/limit"
	"github.com/gongu-ai/gongu/internal/oauth"
)

// link connects to one server process or address: at the first use, once for all
// callers, and again after the connection has ended. Clients with equal launch
// keys share one.
type link struct {
	config Config
	opts   Options
	logger *slog.Logger
	limits *limit.Limiter
	broken *breaker

	lifetime context.Context // ends with close
	cancel   context.CancelFunc
	work     sync.WaitGroup

	mu     sync.Mutex
	live   *session
	flight *pending[*session]
	era    era
	oldSSE bool // the address supports HTTP+SSE only
	closed bool
	users  int

	watched  watched // resources
	watchMu  sync.Mutex
	watchers map[*Client]struct{}
	notices  chan notice
	noticed  atomic.Int64 // bytes in notices
	dropped  atomic.Int64 // notifications

	// roundTripper keeps the connections to the address, auth the tokens.
	roundTripper func() *http.Transport
	auth         atomic.Pointer[oauth.Authorization]

	health health
}

// pending is a result that several callers wait for.
type pending[T any] struct {
	done  chan struct{} // closed when the result is there
	value T
	err   error
}

func newPending[T any]() *pending[T] { return &pending[T]{done: make(chan struct{})} }

// wait returns the result, unless ctx ends before.
func (p *pending[T]) wait(ctx context.Context) (T, error) {
	select {
	case <-p.done:
		return p.value, p.err
	case <-ctx.Done():
		var none T
		return none, notSent(ctx.Err())
	}
}

type notice struct {
	method string
	params json.RawMessage
}

const (
	// noticeBuffer is how many notifications may wait for the clients, and
	// noticeBytes how large they may be together.
	noticeBuffer = 256
	noticeBytes  = 1 << 20
)

func newLink(config Config, opts Options) *link {
	lifetime, cancel := context.WithCancel(context.Background())
	l := &link{
		config: config, opts: opts, logger: opts.Logger.With("mcpServer", config.Name),
		limits: limit.New(limit.Options{Total: config.MaxConcurrent, Queue: config.Queue}), broken: &breaker{now: opts.Clock},
		lifetime: lifetime, cancel: cancel, watchers: map[*Client]struct{}{}, notices: make(chan notice, noticeBuffer),
	}
	l.roundTripper = sync.OnceValue(func() *http.Transport { return newRoundTripper(config.MaxConcurrent) })
	l.work.Go(l.passNotices)
	if config.Warm {
		l.work.Go(l.keepWarm)
	}
	return l
}

// close ends the connection and waits for everything that belongs to it.
func (l *link) close() {
	l.mu.Lock()
	l.closed = true
	live := l.live
	l.live = nil
	l.mu.Unlock()
	l.cancel()
	if live != nil {
		live.close()
	}
	l.work.Wait()
	l.roundTripper().CloseIdleConnections()
}

// session returns the live connection, or waits until there is one.
func (l *link) session(ctx context.Context) (*session, error) {
	l.mu.Lock()
	if l.closed {
		l.mu.Unlock()
		return nil, faultf(ReasonClosed, false, "the client was closed")
	}
	if l.live != nil {
		if l.live.alive() {
			s := l.live
			l.mu.Unlock()
			return s, nil
		}
		l.dropLocked(l.live)
	}
	if l.flight == nil {
		if err := l.broken.allow(); err != nil {
			l.mu.Unlock()
			return nil, err
		}
		l.flight = newPending[*session]()
		l.work.Go(l.connect)
	}
	f := l.flight
	l.mu.Unlock()
	return f.wait(ctx)
}

// drop closes a session, so that the next use makes another.
func (l *link) drop(s *session) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.live == s && !l.closed {
		l.dropLocked(s)
	}
}

// retire stops using a session that the server does not know any more. It waits
// for the requests under way, which the server may still answer.
func (l *link) retire(s *session) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.live != s || l.closed {
		return
	}
	l.live = nil
	l.work.Go(func() {
		for s.busy() && pause(l.lifetime, retireCheck, 0) == nil {
		}
		s.fail(errSessionLost)
		s.close()
	})
}

// retireCheck is how often a retired session is checked.
const retireCheck = 50 * time.Millisecond

func (l *link) dropLocked(s *session) {
	l.live = nil
	l.work.Go(s.close)
}

// connect makes a connection for all who wait for it. It does not end with the
// caller that began it.
func (l *link) connect() {
	ctx, cancel := withTimeout(l.lifetime, l.config.Timeouts.Connect)
	defer cancel()
	l.health.connecting()
	began := l.opts.Clock()
	s, err := l.open(ctx)
	if err != nil {
		f := faultOf(err)
		if f.reason == ReasonTimeout && l.lifetime.Err() == nil {
			f = faultf(ReasonTimeout, false, "no connection within %s", l.config.Timeouts.Connect)
		}
		if page := l.authorizationPage(); f.reason == ReasonTimeout && page != "" {
			f = &fault{reason: ReasonAuth, err: oauth.Expected(page)}
		}
		err = &fault{reason: f.reason, err: l.opts.Secrets.Error(f.err)} // nothing of a caller was sent
		if errors.Is(l.lifetime.Err(), context.Canceled) {
			err = faultf(ReasonClosed, false, "the client was closed")
		}
		if f.reason == ReasonAuth {
			l.broken.undecided() // the server works
		} else {
			l.broken.failed(began, err)
		}
		l.health.failed(err)
		l.logger.Warn("mcp server cannot be used", "reason", faultOf(err).reason, "error", err)
	} else {
		l.broken.succeeded()
		l.health.connected(s.about(), l.opts.Clock().Sub(began))
	}
	l.mu.Lock()
	f := l.flight
	l.flight = nil
	if err == nil && l.closed {
		l.mu.Unlock()
		s.close()
		l.mu.Lock()
		s, err = nil, faultf(ReasonClosed, false, "the client was closed")
	}
	l.live = s
	f.value, f.err = s, err
	l.mu.Unlock()
	close(f.done)
	if s != nil {
		s.background(func() { l.subscribe(s) })
		s.background(func() { l.followResources(s) })
		context.AfterFunc(s.lifetime, func() { l.ended(s) })
	}
}

// ended records a connection that the server ended, also between calls.
func (l *link) ended(s *session) {
	s.mu.Lock()
	err := s.failure
	s.mu.Unlock()
	if faultOf(err).reason != ReasonClosed {
		l.health.failed(err)
	}
}

// keepWarm connects again whenever the connection has ended.
func (l *link) keepWarm() {
	for l.lifetime.Err() == nil {
		s, err := l.session(l.lifetime)
		if err != nil {
			_ = pause(l.lifetime, restFirst, 0) // the loop ends with the link
			continue
		}
		select {
		case <-s.lifetime.Done():
		case <-l.lifetime.Done():
		}
	}
}

func withTimeout(ctx context.Context, limit time.Duration) (context.Context, context.CancelFunc) {
	if limit <= 0 {
		return context.WithCancel(ctx)
	}
	return context.WithTimeout(ctx, limit)
}

// subscribe subscribes to the changes of a modern server's lists. A legacy server
// sends them without a subscription.
func (l *link) subscribe(s *session) {
	info := s.about()
	if !info.Modern {
		return
	}
	var wanted []member
	for _, kind := range []string{"tools", "prompts", "resources"} {
		if info.offers(kind, "listChanged") {
			wanted = append(wanted, member{kind + "ListChanged", json.RawMessage("true")})
		}
	}
	if len(wanted) == 0 {
		return
	}
	params := object([]member{{"notifications", object(wanted)}})
	for times := 0; s.alive(); times++ {
		_, err := s.roundTrip(s.lifetime, &request{method: "subscriptions/listen", params: params})
		if err != nil && faultOf(err).reason == ReasonRemote {
			l.logger.Debug("mcp server tells of no changes", "error", err)
			return
		}
		if pause(s.lifetime, 0, times) != nil {
			return
		}
		// Changes in between were not reported.
		l.changed("notifications/tools/list_changed")
	}
}

// notified queues a notification that belongs to no call. It does not block.
func (l *link) notified(method string, params json.RawMessage) {
	l.changed(method)
	size := int64(len(method) + len(params))
	if l.noticed.Add(size) <= noticeBytes {
		select {
		case l.notices <- notice{method, bytes.Clone(params)}: // without the rest of the message
			return
		default:
		}
	}
	l.noticed.Add(-size)
	// A server can send them without end, so a few lines say how many.
	if n := l.dropped.Add(1); n&(n-1) == 0 {
		l.logger.Warn("mcp server: notifications are dropped, too many wait", "method", string(cut([]byte(method), 80)), "dropped", n)
	}
}

func (l *link) changed(method string) {
	if method != "notifications/tools/list_changed" {
		return
	}
	for _, c := range l.watching() {
		c.changed()
	}
}

// passNotices passes notifications to the clients, one after the other.
func (l *link) passNotices() {
	for {
		select {
		case n := <-l.notices:
			l.noticed.Add(-int64(len(n.method) + len(n.params)))
			for _, c := range l.watching() {
				if c.opts.OnNotification != nil {
					c.opts.OnNotification(c.Name(), n.method, n.params)
				}
			}
		case <-l.lifetime.Done():
			return
		}
	}
}

func (l *link) watching() []*Client {
	l.watchMu.Lock()
	defer l.watchMu.Unlock()
	return slices.Collect(maps.Keys(l.watchers))
}

// background runs something that close waits for.
func (l *link) background(work func()) bool {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.closed {
		return false
	}
	l.work.Go(work)
	return true
}
