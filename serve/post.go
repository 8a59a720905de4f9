package serve

import (
	"encoding/json"
	"errors"
	"net/http"
	"strconv"
	"strings"
	"sync"
)

// postSink answers one POST: with a JSON message, or with a stream if messages
// are sent before the answer.
type postSink struct {
	server  *Server
	w       http.ResponseWriter
	streams bool // the client accepts streams
	session *session

	mu     sync.Mutex
	conn   *eventConn
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
	p.conn = newEventConn(p.w)
	if p.session != nil && p.session.events != nil {
		p.stream = p.session.events.open(p.conn)
	}
}

func (p *postSink) writeLocked(message []byte) error {
	if p.stream != nil {
		p.session.events.send(p.stream, message)
		return nil
	}
	return p.conn.event("", message)
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
		_ = p.writeLocked(buf.b) // stored for replay, or the client has disconnected
		if p.stream != nil {
			p.session.events.finish(p.stream)
		}
		p.conn.close()
		return
	}
	p.server.writeJSON(p.w, status, buf.b)
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
