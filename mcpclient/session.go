package mcpclient

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"math"
	"sync"
	"sync/atomic"
	"time"

	"github.com/gongu-ai/gongu/internal/secret"
	"github.com/modelcontextprotocol/go-sdk/jsonrpc"
)

const cancelTimeout = time.Second

// session is one connection after its handshake, shared by all callers. It
// numbers the requests itself, so that ids of callers cannot collide.
type session struct {
	conn    connection
	logger  *slog.Logger
	secrets *secret.Vault
	info    atomic.Pointer[ServerInfo]
	// self and capabilities are the client's, for handshakes.
	self         json.RawMessage
	capabilities json.RawMessage
	owner        Handlers // for requests that no call can serve
	shared       bool     // by several principals
	level        atomic.Int32
	// notify gets notifications that belong to no call. It must not block.
	notify func(method string, params json.RawMessage)

	lifetime context.Context // ends with the session, after failure is set
	cancel   context.CancelFunc
	work     sync.WaitGroup // everything that runs for the session

	replies atomic.Int32 // answers to the server that are being sent

	mu         sync.Mutex
	last       int64
	calls      map[int64]*call
	asked      map[string]context.CancelFunc // the server's requests under way
	askedBytes int                           // of their parameters
	failure    error                         // why the session ended
}

// request is one request to the server.
type request struct {
	method   string
	params   json.RawMessage
	members  []member // of parameters without _meta, where they are known
	traced   []member // goes into their _meta
	handlers *Handlers
	// complete parameters are sent as they are.
	complete bool
	// capabilities are the caller's, in place of those of the session.
	capabilities json.RawMessage
	name         string            // for the header
	mirrored     map[string]string // parameters that are headers, too
	// silence and total bound the waiting; zero or less do not.
	silence, total time.Duration
}

// call is a request under way.
type call struct {
	id       int64
	caller   context.Context
	handlers *Handlers
	token    json.RawMessage // the caller's own progress token
	answer   chan *jsonrpc.Response
	events   inbox
	asking   atomic.Int32 // how many questions of the server wait for the caller

	ctx    context.Context // ends with the call
	cancel context.CancelFunc
}

func newSession(conn connection, logger *slog.Logger) *session {
	lifetime, cancel := context.WithCancel(context.Background())
	s := &session{
		conn: conn, logger: logger, lifetime: lifetime, cancel: cancel,
		calls: map[int64]*call{}, asked: map[string]context.CancelFunc{},
	}
	s.info.Store(&ServerInfo{})
	return s
}

// about is what is known of the server; never nil.
func (s *session) about() *ServerInfo { return s.info.Load() }

// start begins to read.
func (s *session) start() { s.work.Go(s.readLoop) }

// close ends the session and waits until nothing of it is left.
func (s *session) close() {
	s.fail(&fault{reason: ReasonClosed, sent: true, err: errors.New("the connection was closed")})
	_ = s.conn.Close() // nothing depends on how well it ends
	s.work.Wait()
}

// fail ends all calls with one error.
func (s *session) fail(err error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.failure != nil {
		return
	}
	s.failure = err
	s.cancel()
}

func (s *session) alive() bool { return s.lifetime.Err() == nil }

func (s *session) readLoop() {
	for {
		msg, err := s.conn.Read(s.lifetime)
		if err != nil {
			if errors.Is(err, io.EOF) {
				err = errors.New("the server closed the connection")
			}
			s.fail(err)
			return
		}
		switch msg := msg.(type) {
		case *jsonrpc.Response:
			redactAnswer(msg, s.secrets)
			s.deliver(msg)
		case *jsonrpc.Request:
			if msg.ID.IsValid() {
				s.ask(msg)
			} else {
				s.handleNotification(msg)
			}
		}
	}
}

// deliver passes an answer to the call that waits for it, once.
func (s *session) deliver(answer *jsonrpc.Response) {
	s.mu.Lock()
	c := s.calls[ourID(answer.ID)]
	delete(s.calls, ourID(answer.ID))
	s.mu.Unlock()
	if c == nil {
		s.logger.Debug("mcp server: an answer to nothing is dropped", "id", answer.ID.Raw())
		return
	}
	c.answer <- answer
}

func (s *session) register(ctx context.Context, r *request) (*call, error) {
	c := &call{caller: ctx, handlers: r.handlers, answer: make(chan *jsonrpc.Response, 1), events: newInbox()}
	if c.handlers == nil {
		c.handlers = &Handlers{}
	}
	c.ctx, c.cancel = context.WithCancel(ctx)
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.failure != nil {
		c.cancel()
		return nil, notSent(s.failure)
	}
	s.last++
	c.id = s.last
	s.calls[c.id] = c
	return c, nil
}

// busy reports whether calls wait for their answers.
func (s *session) busy() bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	return len(s.calls) > 0
}

// retire ends a call: whatever still runs for it is cancelled.
func (s *session) retire(c *call) {
	s.mu.Lock()
	delete(s.calls, c.id)
	s.mu.Unlock()
	c.cancel()
}

// roundTrip sends a request and waits for its answer.
func (s *session) roundTrip(ctx context.Context, r *request) (json.RawMessage, error) {
	c, err := s.register(ctx, r)
	if err != nil {
		return nil, err
	}
	defer s.retire(c)
	msg, err := s.message(r, c)
	if err != nil {
		return nil, &fault{reason: ReasonProtocol, err: err}
	}
	sending := make(chan error, 1)
	if !s.background(func() { sending <- s.conn.Write(c.ctx, msg) }) {
		return nil, notSent(s.failure)
	}
	return s.await(c, r, sending)
}

// await waits for the answer to a call. It is the only place that times how
// long a server is silent, whatever the transport.
func (s *session) await(c *call, r *request, sending <-chan error) (json.RawMessage, error) {
	silence, total := time.NewTimer(orForever(r.silence)), time.NewTimer(orForever(r.total))
	defer silence.Stop()
	defer total.Stop()
	for {
		select {
		case answer := <-c.answer:
			return c.finish(answer)
		case <-c.events.added:
			c.events.run()
			silence.Reset(orForever(r.silence))
		case err := <-sending:
			if err != nil {
				return c.orAnswer(err)
			}
			sending = nil
		case <-silence.C:
			if c.asking.Load() == 0 {
				return s.giveUp(c, sending, faultf(ReasonTimeout, true, "no answer within %s", r.silence))
			}
			silence.Reset(r.silence)
		case <-total.C:
			return s.giveUp(c, sending, faultf(ReasonTimeout, true, "no answer within %s, in spite of its progress", r.total))
		case <-c.caller.Done():
			err := c.caller.Err()
			return s.giveUp(c, sending, &fault{reason: faultOf(err).reason, sent: true, err: err})
		case <-s.lifetime.Done():
			if err := c.abort(sending); err != nil && !faultOf(err).sent {
				return c.orAnswer(notSent(s.failure))
			}
			return c.orAnswer(s.failure)
		}
	}
}

// orForever returns a limit, or the longest time where there is none.
func orForever(limit time.Duration) time.Duration {
	if limit <= 0 {
		return math.MaxInt64
	}
	return limit
}

// abort cancels the sending of a request and returns its error. Whether the
// server may have seen the request is known only after the sender has returned.
// A sender that ignores its context is not waited for; the request then counts
// as sent.
func (c *call) abort(sending <-chan error) error {
	c.cancel()
	if sending == nil {
		return nil
	}
	timer := time.NewTimer(cancelTimeout)
	defer timer.Stop()
	select {
	case err := <-sending:
		return err
	case <-timer.C:
		return nil
	}
}

// giveUp ends a call without an answer and notifies the server, which may have
// begun its work.
func (s *session) giveUp(c *call, sending <-chan error, why *fault) (json.RawMessage, error) {
	if err := c.abort(sending); err != nil && !faultOf(err).sent {
		return nil, &fault{reason: why.reason, err: why.err}
	}
	s.tellCancelled(c.id, why)
	return nil, why
}

// orAnswer prefers an answer that came in the same moment.
func (c *call) orAnswer(err error) (json.RawMessage, error) {
	select {
	case answer := <-c.answer:
		return c.finish(answer)
	default:
		return nil, err
	}
}

// finish handles the events that came before the answer, and returns it.
func (c *call) finish(answer *jsonrpc.Response) (json.RawMessage, error) {
	c.events.run()
	if answer.Error != nil {
		return nil, answer.Error
	}
	if len(answer.Result) == 0 {
		return nil, faultf(ReasonProtocol, true, "the answer has no result")
	}
	return answer.Result, nil
}

// tellCancelled notifies the server that a call is cancelled, without waiting.
// Over HTTP in the modern era the end of the request does that already.
func (s *session) tellCancelled(id int64, why error) {
	if s.conn.traits().http && s.about().Modern {
		return
	}
	params := json.RawMessage(fmt.Sprintf(`{"requestId":%d,"reason":%s}`, id, quote(why.Error())))
	s.background(func() {
		ctx, cancel := context.WithTimeout(s.lifetime, cancelTimeout)
		defer cancel()
		// The call is over for us whether or not this arrives.
		_ = s.conn.Write(ctx, &jsonrpc.Request{Method: "notifications/cancelled", Params: params})
	})
}

// background runs a function that close waits for, unless the session has ended.
func (s *session) background(work func()) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.failure != nil {
		return false
	}
	s.work.Go(work)
	return true
}

// tell sends a notification.
func (s *session) tell(ctx context.Context, method string, params json.RawMessage) error {
	return s.conn.Write(ctx, &jsonrpc.Request{Method: method, Params: params})
}
