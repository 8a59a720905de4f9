package serve

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"strconv"
	"sync"
	"time"

	"github.com/gongu-ai/gongu"
	"github.com/gongu-ai/gongu/access"
	"github.com/gongu-ai/gongu/internal/relay"
	"github.com/gongu-ai/gongu/mcpclient"
)

// session is a session of a legacy client.
type session struct {
	server        *Server
	id            string
	principal     string
	agent         string
	lifetime      context.Context
	end           context.CancelFunc
	events        *replay // nil over stdio
	pipe          sink    // of the HTTP+SSE transport alone
	disconnected  chan struct{}
	disconnecting sync.Once

	mu         sync.Mutex
	version    string
	begun      bool
	can        capabilities
	passed     string // the part of can that upstreams see
	least      slog.Level
	used       time.Time
	busy       int
	running    map[string]context.CancelFunc // by the client's ids
	asked      int64
	questions  map[string]chan *message // by our ids
	subscribed subscriptions
	// expiry ends a session over HTTP with the credentials of its principal.
	expiry  *time.Timer
	expires time.Time
}

func (s *Server) newSession(principal *gongu.Principal, agent string) *session {
	n := &session{
		server: s, id: randomID(), principal: principal.Name, agent: agent, least: slog.LevelInfo, used: time.Now(),
		disconnected: make(chan struct{}),
		running:      map[string]context.CancelFunc{}, questions: map[string]chan *message{},
	}
	n.lifetime, n.end = context.WithCancel(s.lifetime)
	return n
}

// Capabilities implements [relay.Session].
func (n *session) Capabilities() (string, bool) {
	n.mu.Lock()
	defer n.mu.Unlock()
	return n.passed, n.begun
}

var _ relay.Session = (*session)(nil)

// begin starts the session with what the client can do; sampling reports whether
// upstreams may use its model.
func (n *session) begin(version string, can capabilities, sampling bool) bool {
	n.mu.Lock()
	defer n.mu.Unlock()
	if n.begun {
		return false
	}
	n.begun, n.version, n.can = true, version, can
	n.passed = mcpclient.SessionCapabilities(can.raw, sampling)
	return true
}

func (n *session) able() capabilities {
	n.mu.Lock()
	defer n.mu.Unlock()
	return n.can
}

func (n *session) level() slog.Level {
	n.mu.Lock()
	defer n.mu.Unlock()
	return n.least
}

func (n *session) setLevel(level slog.Level) {
	n.mu.Lock()
	defer n.mu.Unlock()
	n.least = level
}

// touch records that the session is used; delta changes the number of its open
// requests and streams.
func (n *session) touch(delta int) {
	n.mu.Lock()
	defer n.mu.Unlock()
	n.used = time.Now()
	n.busy += delta
}

func (n *session) idleSince(now time.Time) time.Duration {
	n.mu.Lock()
	defer n.mu.Unlock()
	if n.busy > 0 {
		return 0
	}
	return now.Sub(n.used)
}

// work returns the context of a request, which its client can cancel. The end of
// the connection does not cancel it: the client may reconnect for the result.
func (n *session) work(ctx context.Context, id json.RawMessage) (context.Context, func()) {
	lifetime, cancel := context.WithCancel(n.lifetime)
	ctx = &working{lifetime, ctx}
	key := string(id)
	n.mu.Lock()
	n.running[key] = cancel
	n.mu.Unlock()
	return ctx, func() {
		cancel()
		n.mu.Lock()
		delete(n.running, key)
		n.mu.Unlock()
	}
}

// working is the context of a request: it ends with the session and has the
// values of the connection's context.
type working struct {
	context.Context
	values context.Context
}

// Value looks in the lifetime first, where derived contexts find their parent.
func (w *working) Value(key any) any {
	if v := w.Context.Value(key); v != nil {
		return v
	}
	return w.values.Value(key)
}

func (n *session) cancelRequest(id json.RawMessage) {
	n.mu.Lock()
	cancel := n.running[string(id)]
	n.mu.Unlock()
	if cancel != nil {
		cancel()
	}
}

// ask sends a question to the client and waits for the answer.
func (n *session) ask(ctx context.Context, out sink, method string, params json.RawMessage) (json.RawMessage, error) {
	answer := make(chan *message, 1)
	n.mu.Lock()
	n.asked++
	id := n.asked
	key := strconv.FormatInt(id, 10)
	n.questions[key] = answer
	n.mu.Unlock()
	defer func() {
		n.mu.Lock()
		delete(n.questions, key)
		n.mu.Unlock()
	}()
	if err := out.send(question(id, method, params)); err != nil {
		return nil, fmt.Errorf("%s: the client cannot be asked: %w", method, err)
	}
	timeout := time.NewTimer(n.server.limits.Wait)
	defer timeout.Stop()
	select {
	case reply := <-answer:
		if reply.error != nil {
			return nil, fmt.Errorf("%s: the client says: %s", method, text(member(reply.error, "message")))
		}
		return reply.result, nil
	case <-ctx.Done():
		_ = out.send(notification("notifications/cancelled", marshal(map[string]any{"requestId": id}))) // best effort
		return nil, ctx.Err()
	case <-n.lifetime.Done():
		return nil, errors.New(method + ": the session has ended")
	case <-n.disconnected:
		return nil, errors.New(method + ": the client is gone")
	case <-timeout.C:
		return nil, fmt.Errorf("%s: the client did not answer: %w", method, context.DeadlineExceeded)
	}
}

// disconnect ends all questions, because the client cannot answer them.
func (n *session) disconnect() { n.disconnecting.Do(func() { close(n.disconnected) }) }

// received handles a response or a notification of the client. False means that
// the message is a request.
func (n *session) received(msg *message) bool {
	switch {
	case msg.isResponse():
		n.answered(*msg)
	case msg.isNotification() && msg.method == "notifications/cancelled":
		n.cancelRequest(member(msg.params, "requestId"))
	}
	return !msg.isRequest()
}

// answered passes a client's answer to the question it is for.
func (n *session) answered(msg message) {
	n.mu.Lock()
	waiting := n.questions[string(msg.id)]
	delete(n.questions, string(msg.id))
	n.mu.Unlock()
	if waiting != nil {
		// Copied, because the buffer of the message is reused.
		kept := &message{id: msg.id, result: append(json.RawMessage(nil), msg.result...)}
		if msg.error != nil {
			kept.error = append(json.RawMessage(nil), msg.error...)
		}
		waiting <- kept
	}
}

// sessionTable holds the sessions over HTTP.
type sessionTable struct {
	server   *Server
	mu       sync.Mutex
	sessions map[string]*session
	each     map[string]int
	closed   bool
}

func newSessionTable(s *Server) *sessionTable {
	return &sessionTable{server: s, sessions: map[string]*session{}, each: map[string]int{}}
}

// open begins a session, or returns nil if there are too many.
func (t *sessionTable) open(principal *gongu.Principal, agent string) *session {
	t.mu.Lock()
	defer t.mu.Unlock()
	limits := &t.server.limits
	if t.closed {
		return nil
	}
	if len(t.sessions) >= limits.Sessions || t.each[principal.Name] >= limits.SessionsEach {
		t.expireLocked()
	}
	if len(t.sessions) >= limits.Sessions || t.each[principal.Name] >= limits.SessionsEach {
		return nil
	}
	n := t.server.newSession(principal, agent)
	n.events = newReplay(limits.Replay)
	t.sessions[n.id] = n
	t.expireWithLocked(n, principal)
	t.each[n.principal]++
	t.server.count.sessions.Store(int64(len(t.sessions)))
	return n
}

// get returns a session of this principal and agent, or nil.
func (t *sessionTable) get(id string, principal *gongu.Principal, agent string) *session {
	t.mu.Lock()
	defer t.mu.Unlock()
	n := t.sessions[id]
	if n == nil || access.Owns(principal, n.principal) != nil || n.agent != agent {
		return nil
	}
	if n.idleSince(time.Now()) > t.server.limits.SessionIdle {
		t.dropLocked(n)
		return nil
	}
	t.expireWithLocked(n, principal)
	return n
}

// expireWithLocked ends a session with the credentials of its last request: a
// client of an issuer renews its token and goes on.
func (t *sessionTable) expireWithLocked(n *session, principal *gongu.Principal) {
	if principal.Expires.Equal(n.expires) {
		return
	}
	if n.expiry != nil {
		n.expiry.Stop()
		n.expiry = nil
	}
	n.expires = principal.Expires
	if !n.expires.IsZero() {
		n.expiry = time.AfterFunc(time.Until(n.expires), func() { t.dropExpired(n) })
	}
}

// dropExpired ends a session, unless its credentials were renewed meanwhile.
func (t *sessionTable) dropExpired(n *session) {
	t.mu.Lock()
	defer t.mu.Unlock()
	if !n.expires.IsZero() && !time.Now().Before(n.expires) {
		t.dropLocked(n)
	}
}

func (t *sessionTable) expireLocked() {
	now := time.Now()
	for _, n := range t.sessions {
		if n.idleSince(now) > t.server.limits.SessionIdle {
			t.dropLocked(n)
		}
	}
}

func (t *sessionTable) drop(n *session) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.dropLocked(n)
}

func (t *sessionTable) dropLocked(n *session) {
	if t.sessions[n.id] != n {
		return
	}
	delete(t.sessions, n.id)
	if n.expiry != nil {
		n.expiry.Stop()
	}
	if t.each[n.principal]--; t.each[n.principal] == 0 {
		delete(t.each, n.principal)
	}
	n.end()
	t.server.count.sessions.Store(int64(len(t.sessions)))
}

func (t *sessionTable) closeAll() {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.closed = true
	for _, n := range t.sessions {
		t.dropLocked(n)
	}
}
