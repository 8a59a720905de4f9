package serve

import (
	"net/http"
	"time"

	"github.com/gongu-ai/gongu"
	"github.com/gongu-ai/gongu/internal/lang"
	"github.com/gongu-ai/gongu/internal/sse"
)

// ssePath is the path of the HTTP+SSE transport.
const ssePath = "/sse"

// SSE returns the handler of the HTTP+SSE transport of 2024-11-05, at /sse and,
// for an agent, below it: a stream that names the URL for POST and has all
// answers. Without [Options.LegacySSE] it answers 404.
func (s *Server) SSE() http.Handler {
	if !s.opts.LegacySSE {
		return http.NotFoundHandler()
	}
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		principal, agent, ok := s.admit(w, r, ssePath)
		switch {
		case !ok:
		case r.Method == http.MethodGet:
			s.sseStream(w, r, principal, agent)
		case r.Method == http.MethodPost:
			s.ssePost(w, r, principal, agent)
		default:
			w.Header().Set("Allow", "GET, POST")
			s.refuse(w, http.StatusMethodNotAllowed, failf(codeInvalid, "use GET or POST"))
		}
	})
}

// sseSink sends messages on the stream of a session.
type sseSink struct{ conn *sse.Conn }

func (p sseSink) send(message []byte) error { return p.conn.Event("", "", message) }

// sseStream opens a session, which ends with its stream.
func (s *Server) sseStream(w http.ResponseWriter, r *http.Request, principal *gongu.Principal, agent string) {
	if !s.openStream(principal) {
		s.refuse(w, http.StatusTooManyRequests, s.fail(codeServer, lang.ServeStreams))
		return
	}
	defer s.streams.Release(principal.Name)
	session := s.sessions.open(principal, agent)
	if session == nil {
		s.refuse(w, http.StatusServiceUnavailable, s.fail(codeServer, lang.ServeSessions))
		return
	}
	defer s.sessions.drop(session)
	session.touch(1)
	conn := sse.Begin(w)
	defer conn.Close()
	session.mu.Lock()
	session.pipe = sseSink{conn}
	session.mu.Unlock()
	if conn.Event("", "endpoint", []byte(r.URL.Path+"?sessionId="+session.id)) != nil {
		return
	}
	sub := session.subscription(principal)
	messages := queued(sub)
	defer s.notifier.add(sub)()
	ctx, cancel := untilExpired(r.Context(), principal)
	defer cancel()
	tick := time.NewTicker(heartbeat)
	defer tick.Stop()
	for {
		select {
		case <-ctx.Done():
			return
		case <-session.lifetime.Done():
			return
		case message := <-messages:
			if conn.Event("", "", message) != nil {
				return
			}
		case <-tick.C:
			if conn.Comment() != nil {
				return
			}
		}
	}
}

// ssePost handles a message for a session and answers on its stream.
func (s *Server) ssePost(w http.ResponseWriter, r *http.Request, principal *gongu.Principal, agent string) {
	session := s.sessions.get(r.URL.Query().Get("sessionId"), principal, agent)
	var pipe sink
	if session != nil {
		session.mu.Lock()
		pipe = session.pipe
		session.mu.Unlock()
	}
	if pipe == nil { // none, or a session of streamable HTTP
		s.refuse(w, http.StatusNotFound, s.fail(codeServer, lang.ServeNoSession))
		return
	}
	body, ok := s.body(w, r, new(buffer))
	if !ok {
		return
	}
	msg, ok := s.scanBody(w, body)
	if !ok {
		return
	}
	if !session.received(&msg) {
		rq := &request{principal: principal, agent: agent, msg: msg, header: r.Header, session: session, out: pipe}
		ctx := r.Context()
		s.work.Go(func() {
			result, refusal := s.inSession(ctx, rq)
			_ = pipe.send(appendAnswer(nil, msg.id, result, refusal)) // the client may have disconnected
		})
	}
	w.WriteHeader(http.StatusAccepted)
	_, _ = w.Write([]byte("Accepted")) // some clients wait for a body
}
