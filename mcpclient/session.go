package mcpclient

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"sync"
	"sync/atomic"
	"time"

	"github.com/modelcontextprotocol/go-sdk/jsonrpc"
	"github.com/modelcontextprotocol/go-sdk/mcp"
)

const cancelTimeout = time.Second

// session is one connection after its handshake, shared by all who call. The
// ids of requests are its own, so callers cannot meet on one.
type session struct {
	conn   mcp.Connection
	logger *slog.Logger
	info   atomic.Pointer[ServerInfo]
	// self and capabilities are what we say about ourselves.
	self         json.RawMessage
	capabilities json.RawMessage
	owner        Handlers // answers where no call can
	shared       bool     // callers do not know each other
	level        atomic.Int32
	// notify gets what belongs to no call. It must not block.
	notify func(method string, params json.RawMessage)

	life   context.Context // ends with the session
	cancel context.CancelFunc
	work   sync.WaitGroup // everything that runs for the session

	mu      sync.Mutex
	last    int64
	calls   map[int64]*call
	asked   map[string]context.CancelFunc // the server's requests under way
	failure error
	done    chan struct{} // closed when the connection has ended
}

// request is one thing to ask the server.
type request struct {
	method   string
	params   json.RawMessage
	members  []member // of parameters without _meta, where they are known
	traced   []member // goes into their _meta
	handlers *Handlers
	// complete parameters are sent as they are.
	complete bool
	// capabilities are the caller's, in place of our own.
	capabilities json.RawMessage
	name         string            // for the header
	mirrored     map[string]string // parameters that are headers, too
	// silence and total bound the waiting; zero or less do not.
	silence, total time.Duration
}

// call is a request under way.
type call struct {
	id       int64
	ctx      context.Context // of the caller; see [call.context]
	handlers *Handlers
	token    json.RawMessage // the caller's own progress token
	answer   chan *jsonrpc.Response
	events   inbox
	asking   atomic.Int32 // how many questions of the server wait for the caller
	patience patience

	mu      sync.Mutex
	own     context.Context
	cancel  context.CancelFunc
	retired bool
}

// context ends with the call. It is made for the first who asks: most servers
// say nothing while they work.
func (c *call) context() context.Context {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.own == nil {
		c.own, c.cancel = context.WithCancel(c.ctx)
		if c.retired {
			c.cancel()
		}
	}
	return c.own
}

func newSession(conn mcp.Connection, logger *slog.Logger) *session {
	life, cancel := context.WithCancel(context.Background())
	s := &session{
		conn: conn, logger: logger, life: life, cancel: cancel,
		calls: map[int64]*call{}, asked: map[string]context.CancelFunc{}, done: make(chan struct{}),
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
	close(s.done)
	s.cancel()
}

func (s *session) alive() bool {
	select {
	case <-s.done:
		return false
	default:
		return true
	}
}

func (s *session) readLoop() {
	for {
		msg, err := s.conn.Read(s.life)
		if err != nil {
			if errors.Is(err, io.EOF) {
				err = errors.New("the server closed the connection")
			}
			s.fail(err)
			return
		}
		switch msg := msg.(type) {
		case *jsonrpc.Response:
			s.deliver(msg)
		case *jsonrpc.Request:
			if msg.ID.IsValid() {
				s.ask(msg)
			} else {
				s.hear(msg)
			}
		}
	}
}

// deliver hands an answer to whoever waits for it, once.
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

func (s *session) enroll(ctx context.Context, r *request) (*call, error) {
	c := &call{ctx: ctx, handlers: r.handlers, answer: make(chan *jsonrpc.Response, 1)}
	if c.handlers == nil {
		c.handlers = &Handlers{}
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.failure != nil {
		return nil, notSent(s.failure)
	}
	s.last++
	c.id = s.last
	s.calls[c.id] = c
	return c, nil
}

// busy says that somebody waits for an answer.
func (s *session) busy() bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	return len(s.calls) > 0
}

func (s *session) retire(c *call) {
	s.mu.Lock()
	delete(s.calls, c.id)
	s.mu.Unlock()
	c.mu.Lock()
	defer c.mu.Unlock()
	c.retired = true
	if c.cancel != nil {
		c.cancel()
	}
}

// roundTrip sends a request and waits for its answer.
func (s *session) roundTrip(ctx context.Context, r *request) (json.RawMessage, error) {
	c, err := s.enroll(ctx, r)
	if err != nil {
		return nil, err
	}
	defer s.retire(c)
	msg, err := s.message(r, c)
	if err != nil {
		return nil, &fault{reason: ReasonProtocol, err: err}
	}
	if over, ok := s.conn.(*httpConn); ok {
		return s.exchange(ctx, over, c, r, msg)
	}
	ctx = c.context()
	return s.await(ctx, c, r, s.send(ctx, msg, r.silence))
}

// exchange sends a request over HTTP and waits in the connection for the answer
// to begin. One JSON document is all of it; a stream is followed like a pipe.
func (s *session) exchange(ctx context.Context, conn *httpConn, c *call, r *request, msg *jsonrpc.Request) (json.RawMessage, error) {
	e := lateErrand(ctx, conn)
	c.patience.begin(c, r.silence, r.total, e)
	answer, err := conn.exchange(ctx, e, msg)
	c.patience.end()
	switch over := c.patience.over(); {
	case answer != nil:
		return c.finish(answer)
	case err == nil:
		e.attend() // what follows may take long
		return s.await(ctx, c, r, nil)
	case over != nil:
		return c.giveUp(s, over)
	case ctx.Err() == nil || !faultOf(err).sent:
		return nil, err
	}
	return c.giveUp(s, &fault{reason: faultOf(ctx.Err()).reason, sent: true, err: ctx.Err()})
}

// send writes a message. A pipe takes it at once; what else there is must not
// hold up the waiting.
func (s *session) send(ctx context.Context, msg jsonrpc.Message, limit time.Duration) <-chan error {
	written := make(chan error, 1)
	if _, pipe := s.conn.(*childConn); pipe {
		if limit > 0 {
			var cancel context.CancelFunc
			ctx, cancel = context.WithTimeout(ctx, limit)
			defer cancel()
		}
		written <- s.conn.Write(ctx, msg)
		return written
	}
	if !s.background(func() { written <- s.conn.Write(ctx, msg) }) {
		written <- notSent(s.failure)
	}
	return written
}

func (s *session) await(ctx context.Context, c *call, r *request, written <-chan error) (json.RawMessage, error) {
	silence, total := newAlarm(r.silence), newAlarm(r.total)
	total.reset(max(r.total-c.patience.spent(), 0)) // waiting may have begun before
	defer silence.stop()
	defer total.stop()
	events := c.events.attend()
	for {
		select {
		case answer := <-c.answer:
			return c.finish(answer)
		case <-events:
			c.events.run()
			silence.reset(r.silence)
		case err := <-written:
			if err != nil {
				return c.orAnswer(err)
			}
			written = nil
		case <-silence.c:
			if c.asking.Load() == 0 {
				return c.giveUp(s, faultf(ReasonTimeout, true, "no answer within %s", r.silence))
			}
			silence.reset(r.silence)
		case <-total.c:
			return c.giveUp(s, faultf(ReasonTimeout, true, "no answer within %s, in spite of its progress", r.total))
		case <-ctx.Done():
			return c.giveUp(s, &fault{reason: faultOf(ctx.Err()).reason, sent: true, err: ctx.Err()})
		case <-s.done:
			select { // what the writer knows is more exact: perhaps nothing was sent
			case err := <-written:
				if err != nil {
					return c.orAnswer(err)
				}
			default:
			}
			return c.orAnswer(s.failure)
		}
	}
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

func (c *call) giveUp(s *session, err *fault) (json.RawMessage, error) {
	s.tellCancelled(c.id, err)
	return nil, err
}

// finish lets the listeners hear what came before the answer.
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

// tellCancelled lets the server stop its work, without waiting for it. Over
// HTTP in the modern era the end of the request says so already.
func (s *session) tellCancelled(id int64, why error) {
	if _, overHTTP := s.conn.(*httpConn); overHTTP && s.about().Modern {
		return
	}
	params := json.RawMessage(fmt.Sprintf(`{"requestId":%d,"reason":%s}`, id, quote(why.Error())))
	s.background(func() {
		ctx, cancel := context.WithTimeout(s.life, cancelTimeout)
		defer cancel()
		// A courtesy: the call is over for us whether or not this arrives.
		_ = s.conn.Write(ctx, &jsonrpc.Request{Method: "notifications/cancelled", Params: params})
	})
}

// background runs something that close waits for, unless it is too late.
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
