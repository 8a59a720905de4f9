package mcpclient

import (
	"context"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"net/http"
	"time"

	"github.com/gongu-ai/gongu/internal/secret"
	"github.com/gongu-ai/gongu/internal/stream"
	"github.com/modelcontextprotocol/go-sdk/jsonrpc"
)

const (
	// drainTime is how long the rest of an answered stream is read, so that the
	// connection below it can be used again.
	drainTime = 250 * time.Millisecond
	// A stream that breaks is resumed after a delay that the server names or
	// that grows, and given up when it has no new events several times.
	resumeDelay    = time.Second
	maxResumeDelay = 30 * time.Second
	maxResumes     = 5
)

// httpStream is the answer to one request, or the stream beside all requests.
type httpStream struct {
	conn   *httpConn
	ctx    context.Context // of the request; ends with the connection
	cancel context.CancelFunc
	// detach lets the request outlast its caller.
	detach func() bool
	resp   *http.Response
	origin int64 // the id of the request, or 0

	lastEvent string
	retry     time.Duration
}

// newStream makes the context of a request. It ends with the caller's until the
// answer is there: what follows the answer is read for the connection's sake.
func (c *httpConn) newStream(caller context.Context, origin int64) *httpStream {
	ctx, cancel := context.WithCancel(c.lifetime)
	return &httpStream{conn: c, ctx: ctx, cancel: cancel, detach: context.AfterFunc(caller, cancel), origin: origin}
}

func (s *httpStream) close() {
	_ = s.resp.Body.Close() // it was read as far as wanted
	s.end()
}

// end ends the request.
func (s *httpStream) end() {
	s.detach()
	s.cancel()
}

// begin checks the status and type of the answer, and reads an answer that is
// one document.
func (s *httpStream) begin(msg jsonrpc.Message) error {
	c := s.conn
	if s.resp.StatusCode < 200 || s.resp.StatusCode > 299 {
		defer s.close()
		return c.refused(s.resp)
	}
	if s.origin == 0 { // a notification or an answer: nothing follows
		s.drain()
		s.close()
		return nil
	}
	c.noteSession(msg, s.resp)
	switch kind := mediaType(s.resp); kind {
	case "application/json":
		defer s.close()
		return s.whole()
	case "text/event-stream":
		c.mu.Lock()
		closed := c.closed
		if !closed {
			c.streams.Go(s.follow)
		}
		c.mu.Unlock()
		if closed {
			s.close()
			return faultf(ReasonClosed, true, "the connection was closed")
		}
		return nil
	default:
		defer s.close()
		return faultf(ReasonProtocol, true, "the answer is of the type %q", kind)
	}
}

// whole reads an answer that is one JSON document.
func (s *httpStream) whole() error {
	limit := s.conn.limit
	body, err := io.ReadAll(io.LimitReader(s.resp.Body, int64(limit)+1))
	switch {
	case err != nil && s.ctx.Err() != nil:
		return &fault{reason: faultOf(s.ctx.Err()).reason, sent: true, err: s.ctx.Err()}
	case err != nil:
		return faultf(ReasonBroken, true, "the answer was cut off: %w", err)
	case len(body) > limit:
		return &fault{reason: ReasonTooLarge, sent: true, err: &stream.LongLine{Limit: limit}}
	}
	messages, err := decodeMessages(body, s.origin)
	if err != nil {
		return faultf(ReasonProtocol, true, "the answer %w", err)
	}
	answered := false
	for _, msg := range messages {
		answered = s.take(msg) || answered
	}
	if !answered {
		return faultf(ReasonProtocol, true, "the answer is one to another request")
	}
	return nil
}

// answers reports whether a response is the one to the request of the stream.
func (s *httpStream) answers(answer *jsonrpc.Response) bool {
	return s.origin != 0 && ourID(answer.ID) == s.origin
}

// take passes a message on and reports whether it is the answer. Answers to
// other requests are dropped: a stream belongs to one request.
func (s *httpStream) take(msg jsonrpc.Message) (answered bool) {
	if answer, ok := msg.(*jsonrpc.Response); ok {
		if !s.answers(answer) {
			s.conn.logger.Debug("mcp server: an answer to another request is dropped", "id", answer.ID.Raw())
			return false
		}
		s.detach()
		answered = true
	}
	s.conn.push(msg)
	return answered
}

// follow reads the events of an answer until it is complete, and resumes the
// stream where a legacy server allows that.
func (s *httpStream) follow() {
	defer s.end()
	for idle := 0; ; {
		before := s.lastEvent
		answered, err := s.read()
		if answered {
			s.drain()
		}
		_ = s.resp.Body.Close() // read as far as wanted
		switch {
		case answered || s.ctx.Err() != nil:
			return
		case err != nil && faultOf(err).reason != ReasonBroken:
			s.conn.push(response(s.origin, err))
			return
		case s.lastEvent == "":
			s.conn.push(response(s.origin, faultf(ReasonBroken, true, "the stream ended without an answer")))
			return
		}
		if idle++; s.lastEvent != before {
			idle = 0
		}
		if err := s.resume(idle); err != nil {
			s.conn.push(response(s.origin, err))
			return
		}
	}
}

// read passes on the events of one response body.
func (s *httpStream) read() (answered bool, err error) {
	in := newEvents(s.resp.Body, s.conn.limit)
	for {
		ev, err := in.next()
		if _, long := errors.AsType[*stream.LongLine](err); long {
			return false, &fault{reason: ReasonTooLarge, sent: true, err: err}
		}
		if err != nil {
			return false, faultf(ReasonBroken, true, "the stream ended: %w", err)
		}
		if ev.id != "" {
			s.lastEvent = ev.id
		}
		if ev.retry > 0 {
			s.retry = ev.retry
		}
		if len(ev.data) == 0 || ev.name != "" && ev.name != "message" {
			continue
		}
		messages, err := decodeMessages(ev.data, s.origin)
		if err != nil {
			return false, faultf(ReasonProtocol, true, "an event of the answer %w", err)
		}
		for _, msg := range messages {
			answered = s.take(msg) || answered
		}
		if answered {
			return true, nil
		}
	}
}

// resume asks for the rest of a stream.
func (s *httpStream) resume(idle int) error {
	if idle > maxResumes {
		return faultf(ReasonBroken, true, "the stream broke %d times without anything new", idle)
	}
	if err := s.pause(idle); err != nil {
		return &fault{reason: ReasonCancelled, sent: true, err: err}
	}
	resp, err := s.conn.get(s.ctx, s.lastEvent)
	if err != nil {
		return faultf(ReasonBroken, true, "the stream could not be taken up again: %w", err)
	}
	s.resp = resp
	return nil
}

func (s *httpStream) pause(times int) error { return pause(s.ctx, s.retry, times) }

// pause waits as long as the server asked for, or longer each time.
func pause(ctx context.Context, asked time.Duration, times int) error {
	delay := asked
	if delay == 0 {
		delay = min(resumeDelay<<min(times, 5), maxResumeDelay)
		delay += rand.N(delay / 4)
	}
	timer := time.NewTimer(min(delay, maxResumeDelay))
	defer timer.Stop()
	select {
	case <-timer.C:
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}

// drain reads the little that follows an answer.
func (s *httpStream) drain() {
	timer := time.AfterFunc(drainTime, s.cancel)
	defer timer.Stop()
	_, _ = io.CopyN(io.Discard, s.resp.Body, maxErrorBody) // only for reuse
}

// errNoStream means that the server has no such stream, which is optional.
var errNoStream = errors.New("the server offers no stream")

// get opens a stream, or an old one again.
func (c *httpConn) get(ctx context.Context, lastEvent string) (*http.Response, error) {
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, c.url, nil)
	if err != nil {
		return nil, err
	}
	c.setCommonHeaders(req)
	req.Header.Set("Accept", "text/event-stream")
	if lastEvent != "" {
		req.Header.Set(headerLastEvent, lastEvent)
	}
	resp, err := c.client.Do(req)
	if err != nil {
		return nil, secret.WithoutURL(err)
	}
	switch {
	case resp.StatusCode == http.StatusOK && mediaType(resp) == "text/event-stream":
		return resp, nil
	case resp.StatusCode >= 500 || resp.StatusCode == http.StatusTooManyRequests:
		err = fmt.Errorf("HTTP %s", resp.Status)
	default:
		err = errNoStream // 405, and what servers say instead of it
	}
	_ = resp.Body.Close() // its content is not needed
	return nil, err
}

// longStream is how long a stream must have lasted for its end to be usual:
// proxies end quiet ones.
const longStream = 20 * time.Second

// followEvents keeps the stream of the server's own messages of a legacy session
// open. It closes opened when the server has answered the first request for it.
func (c *httpConn) followEvents(opened chan struct{}) {
	s := &httpStream{conn: c, ctx: c.lifetime}
	for idle := 0; idle <= maxResumes; idle++ {
		began := time.Now()
		resp, err := c.get(c.lifetime, s.lastEvent)
		if opened != nil {
			close(opened)
			opened = nil
		}
		if errors.Is(err, errNoStream) || c.lifetime.Err() != nil {
			return
		}
		if err == nil {
			s.resp = resp
			before := s.lastEvent
			_, _ = s.read() // it is opened again whatever ended it
			_ = resp.Body.Close()
			if s.lastEvent != before || time.Since(began) > longStream {
				idle = 0
			}
		}
		if s.pause(idle) != nil {
			return
		}
	}
}
