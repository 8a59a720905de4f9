package serve

import (
	"encoding/json"
	"errors"
	"io"
	"mime"
	"net/http"
	"strconv"
	"strings"
	"sync"

	"github.com/gongu-ai/gongu/internal/lang"
	"github.com/gongu-ai/gongu/internal/sse"
)

// postSink answers one POST: with a JSON message, or with a stream if messages
// are sent before the answer.
type postSink struct {
	server  *Server
	w       http.ResponseWriter
	streams bool // the client accepts streams
	session *session

	mu     sync.Mutex
	conn   *sse.Conn
	stream *stream
	over   bool
}

func (s *Server) newPostSink(w http.ResponseWriter, r *http.Request, session *session) *postSink {
	return &postSink{server: s, w: w, session: session, streams: accepts(r, "text/event-stream")}
}

func accepts(r *http.Request, kind string) bool {
	for _, value := range r.Header["Accept"] {
		if strings.Contains(value, kind) || strings.Contains(value, "*/*") {
			return true
		}
	}
	return false
}

var errNoStream = errors.New("the client takes no stream")

// send sends a message before the answer.
func (p *postSink) send(message []byte) error {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.over {
		return errors.New("the request was answered")
	}
	if !p.streams {
		return errNoStream
	}
	p.beginLocked()
	return p.writeLocked(message)
}

func (p *postSink) beginLocked() {
	if p.conn != nil {
		return
	}
	p.conn = sse.Begin(p.w)
	if p.session != nil && p.session.events != nil {
		p.stream = p.session.events.open(p.conn)
	}
}

func (p *postSink) writeLocked(message []byte) error {
	if p.stream != nil {
		p.session.events.send(p.stream, message)
		return nil
	}
	return p.conn.Event("", "", message)
}

// bigAnswer is the size from which a result is written without copying it.
const bigAnswer = 64 << 10

// answer sends the answer and ends the request.
func (p *postSink) answer(id, result json.RawMessage, refusal *rpcError, status int) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.over = true
	if p.conn == nil && refusal == nil && len(result) > bigAnswer {
		p.server.writeLarge(p.w, status, id, result)
		return
	}
	buf := takeBuffer()
	defer giveBuffer(buf)
	buf.b = appendAnswer(buf.b[:0], id, result, refusal)
	if p.conn != nil {
		p.finishLocked(buf.b)
		return
	}
	p.server.writeJSON(p.w, status, buf.b)
}

// finishLocked sends the answers on the stream and ends it.
func (p *postSink) finishLocked(answers ...[]byte) {
	for _, answer := range answers {
		_ = p.writeLocked(answer) // stored for replay, or the client has disconnected
	}
	if p.stream != nil {
		p.session.events.finish(p.stream)
	}
	p.conn.Close()
}

func (s *Server) writeJSON(w http.ResponseWriter, status int, body []byte) {
	h := w.Header()
	h["Content-Type"] = jsonType
	h["Content-Length"] = []string{strconv.Itoa(len(body))}
	w.WriteHeader(status)
	_, _ = w.Write(body) // the client may have disconnected
}

var jsonType = []string{"application/json"}

// buffer is a byte slice of the pool.
type buffer struct{ b []byte }

var buffers = sync.Pool{New: func() any { return new(buffer) }}

func takeBuffer() *buffer {
	b, ok := buffers.Get().(*buffer)
	if !ok {
		return new(buffer)
	}
	return b
}

// maxPooled keeps large buffers out of the pool.
const maxPooled = 256 << 10

func giveBuffer(b *buffer) {
	if cap(b.b) <= maxPooled {
		buffers.Put(b)
	}
}

// writeLarge answers with a result without copying it: a list of many tools has
// megabytes, is encoded once and sent to many clients.
func (s *Server) writeLarge(w http.ResponseWriter, status int, id, result json.RawMessage) {
	const end = "}"
	begin := appendAnswer(make([]byte, 0, 64), id, nil, nil)
	begin = begin[:len(begin)-len(end)]
	h := w.Header()
	h["Content-Type"] = jsonType
	h["Content-Length"] = []string{strconv.Itoa(len(begin) + len(result) + len(end))}
	w.WriteHeader(status)
	for _, part := range [...][]byte{begin, result, []byte(end)} {
		if _, err := w.Write(part); err != nil {
			return // the client has disconnected
		}
	}
}

func isJSON(h http.Header) bool {
	given := h.Get("Content-Type")
	if given == jsonType[0] {
		return true
	}
	kind, _, err := mime.ParseMediaType(given)
	return err == nil && kind == jsonType[0]
}

// body reads the body of a request. It answers if that fails.
func (s *Server) body(w http.ResponseWriter, r *http.Request, buf *buffer) ([]byte, bool) {
	body, err := readBody(r, buf, s.limits.Body)
	switch {
	case errors.Is(err, errTooLarge):
		s.refuse(w, http.StatusRequestEntityTooLarge, s.fail(codeInvalid, lang.ServeTooLarge, s.limits.Body))
	case err != nil:
		s.refuse(w, http.StatusBadRequest, failf(codeParse, "the body cannot be read: %v", err))
	}
	return body, err == nil
}

// scanBody scans a message. It answers if the message is invalid.
func (s *Server) scanBody(w http.ResponseWriter, body []byte) (message, bool) {
	msg, err := scanChecked(body, s.limits.Depth)
	if err == nil {
		return msg, true
	}
	code := codeInvalid
	if errors.Is(err, errNotJSON) || errors.Is(err, errTooDeep) {
		code = codeParse
	}
	s.writeJSON(w, http.StatusBadRequest, appendAnswer(nil, msg.id, nil, failf(code, "%v", err)))
	return msg, false
}

var errTooLarge = errors.New("too large")

func readBody(r *http.Request, buf *buffer, most int) ([]byte, error) {
	if r.ContentLength > int64(most) {
		return nil, errTooLarge
	}
	buf.b = buf.b[:0]
	if n := int(r.ContentLength); n > 0 && cap(buf.b) < n+1 {
		buf.b = make([]byte, 0, n+1)
	} else if cap(buf.b) == 0 {
		buf.b = make([]byte, 0, 1024)
	}
	for {
		if len(buf.b) == cap(buf.b) {
			buf.b = append(buf.b, 0)[:len(buf.b)]
		}
		n, err := r.Body.Read(buf.b[len(buf.b):cap(buf.b)])
		buf.b = buf.b[:len(buf.b)+n]
		switch {
		case len(buf.b) > most:
			return nil, errTooLarge
		case errors.Is(err, io.EOF):
			return buf.b, nil
		case err != nil:
			return nil, err
		}
	}
}
