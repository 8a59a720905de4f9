package serve

import (
	"context"
	"encoding/json"
	"net/http"
	"time"

	"github.com/gongu-ai/gongu"
	"github.com/gongu-ai/gongu/internal/lang"
	"github.com/gongu-ai/gongu/internal/limit"
	"github.com/gongu-ai/gongu/internal/rawjson"
	"github.com/gongu-ai/gongu/internal/sse"
)

// MCP returns the handler of POST, GET and DELETE on [Options.Path], and below
// it for each agent. It rejects requests without a principal.
func (s *Server) MCP() http.Handler { return http.HandlerFunc(s.serveHTTP) }

const sessionHeader = "Mcp-Session-Id"

// admit returns the principal and the agent of a request. It answers requests
// that are not served.
func (s *Server) admit(w http.ResponseWriter, r *http.Request, base string) (principal *gongu.Principal, agent string, ok bool) {
	principal = gongu.PrincipalOf(r.Context())
	agent, found := agentOf(r.URL.Path, base)
	switch {
	case principal == nil:
		s.refuse(w, http.StatusUnauthorized, s.fail(codeServer, lang.ServeNoPrincipal))
	case !found:
		http.NotFound(w, r)
	case !principal.MayUse(agent):
		s.refuse(w, http.StatusForbidden, s.fail(codeServer, lang.ServeForbidden, r.URL.Path))
	case !s.known(agent):
		s.refuse(w, http.StatusNotFound, s.fail(codeServer, lang.ServeNoAgent, agent))
	case s.isDraining():
		w.Header().Set("Retry-After", "1")
		s.refuse(w, http.StatusServiceUnavailable, s.fail(codeServer, lang.ServeDraining))
	default:
		return principal, agent, true
	}
	return nil, "", false
}

func (s *Server) serveHTTP(w http.ResponseWriter, r *http.Request) {
	principal, agent, ok := s.admit(w, r, s.opts.Path)
	if !ok {
		return
	}
	switch r.Method {
	case http.MethodPost:
		s.post(w, r, principal, agent)
	case http.MethodGet:
		s.getStream(w, r, principal, agent)
	case http.MethodDelete:
		s.delete(w, r, principal, agent)
	default:
		w.Header().Set("Allow", "GET, POST, DELETE")
		s.refuse(w, http.StatusMethodNotAllowed, failf(codeInvalid, "use POST, GET or DELETE"))
	}
}

// refuse answers with an error before the id of the request is known.
func (s *Server) refuse(w http.ResponseWriter, status int, err *rpcError) {
	s.writeJSON(w, status, appendAnswer(nil, nil, nil, err))
}

// post answers one message, or a batch.
func (s *Server) post(w http.ResponseWriter, r *http.Request, principal *gongu.Principal, agent string) {
	if !isJSON(r.Header) {
		s.refuse(w, http.StatusUnsupportedMediaType, failf(codeInvalid, "the Content-Type must be application/json"))
		return
	}
	buf := takeBuffer()
	body, ok := s.body(w, r, buf)
	if !ok {
		return
	}
	if i := rawjson.Space(body, 0); i < len(body) && body[i] == '[' {
		if err := wellFormed(body, s.limits.Depth); err != nil {
			s.refuse(w, http.StatusBadRequest, failf(codeParse, "%v", err))
			return
		}
		s.postBatch(w, r, principal, agent, body)
		return
	}
	msg, ok := s.scanBody(w, body)
	if !ok {
		giveBuffer(buf)
		return
	}
	rq := &request{principal: principal, agent: agent, msg: msg, header: r.Header}
	if s.isModern(r, rq) {
		s.postModern(w, r, rq)
		if rq.over {
			giveBuffer(buf) // otherwise a call may still read it
		}
		return
	}
	s.postLegacy(w, r, rq)
	giveBuffer(buf)
}

// isModern reports whether a request is of the modern era: by the header, and
// without one by the _meta of the body.
func (s *Server) isModern(r *http.Request, rq *request) bool {
	if version := headerValue(r.Header, "Mcp-Protocol-Version"); version != "" {
		if isLegacy(version) {
			return false
		}
		rq.readMeta()
		return true
	}
	rq.readMeta()
	return rq.meta.version != "" && r.Header.Get(sessionHeader) == ""
}

func (s *Server) postModern(w http.ResponseWriter, r *http.Request, rq *request) {
	rq.modern = true
	if !rq.msg.isRequest() {
		// Notifications have no meaning here: closing the stream cancels a
		// request.
		w.WriteHeader(http.StatusAccepted)
		return
	}
	sink := s.newPostSink(w, r, nil)
	rq.out = sink
	if rq.msg.method == "subscriptions/listen" {
		if err := s.checkModern(rq); err != nil {
			sink.answer(rq.msg.id, nil, err, err.httpStatus())
			return
		}
		s.listen(r.Context(), rq, sink)
		return
	}
	ctx, ok := s.takeSlot(r.Context(), rq)
	if !ok {
		w.Header().Set("Retry-After", "1")
		sink.answer(rq.msg.id, nil, s.fail(codeServer, lang.ServeBusy), http.StatusTooManyRequests)
		return
	}
	defer rq.slot.Release()
	result, refusal := s.modern(ctx, rq)
	status := http.StatusOK
	if refusal != nil {
		status = refusal.httpStatus()
	}
	sink.answer(rq.msg.id, result, refusal, status)
}

// takeSlot takes a slot for a running request, if one is free. Calls made with
// the returned context free the slot while they wait. The caller releases it.
func (s *Server) takeSlot(ctx context.Context, rq *request) (context.Context, bool) {
	slot, ok := limit.Take(s.running, s.waits, rq.principal.Name)
	if !ok {
		s.count.refused.Add(1)
		return ctx, false
	}
	s.count.requests.Add(1)
	rq.slot = slot
	ctx, _ = gongu.WithSlot(ctx, slot.Resume, slot.Wait)
	return ctx, true
}

func (s *Server) postLegacy(w http.ResponseWriter, r *http.Request, rq *request) {
	session, ok := s.sessionFor(w, r, rq)
	if !ok {
		return
	}
	rq.session = session
	if session.received(&rq.msg) {
		w.WriteHeader(http.StatusAccepted)
		return
	}
	sink := s.newPostSink(w, r, session)
	rq.out = sink
	result, refusal := s.inSession(r.Context(), rq)
	sink.answer(rq.msg.id, result, refusal, http.StatusOK)
}

// inSession answers a request of a session.
func (s *Server) inSession(ctx context.Context, rq *request) (json.RawMessage, *rpcError) {
	session := rq.session
	ctx, ok := s.takeSlot(ctx, rq)
	if !ok {
		return nil, s.fail(codeServer, lang.ServeBusy)
	}
	defer rq.slot.Release()
	session.touch(1)
	defer session.touch(-1)
	if !rq.meta.given {
		rq.readMeta()
	}
	ctx, done := session.work(ctx, rq.msg.id)
	defer done()
	return s.legacy(ctx, rq)
}

// sessionFor returns the session of a request, or begins one.
func (s *Server) sessionFor(w http.ResponseWriter, r *http.Request, rq *request) (*session, bool) {
	id := r.Header.Get(sessionHeader)
	if rq.msg.isRequest() && rq.msg.method == "initialize" && id == "" {
		session := s.sessions.open(rq.principal, rq.agent)
		if session == nil {
			s.count.refused.Add(1)
			s.writeJSON(w, http.StatusServiceUnavailable, appendAnswer(nil, rq.msg.id, nil, s.fail(codeServer, lang.ServeSessions)))
			return nil, false
		}
		w.Header().Set(sessionHeader, session.id)
		return session, true
	}
	status, refusal := http.StatusNotFound, s.fail(codeServer, lang.ServeNoSession)
	if id == "" {
		status = http.StatusBadRequest
		if rq.readMeta(); rq.meta.version != "" { // a request of the modern era under the header of an older one
			refusal = s.fail(codeHeader, lang.ServeHeader, "MCP-Protocol-Version")
		}
	} else if session := s.sessions.get(id, rq.principal, rq.agent); session != nil {
		return session, true
	}
	s.writeJSON(w, status, appendAnswer(nil, rq.msg.id, nil, refusal))
	return nil, false
}

// delete answers DELETE: it ends a session.
func (s *Server) delete(w http.ResponseWriter, r *http.Request, principal *gongu.Principal, agent string) {
	id := r.Header.Get(sessionHeader)
	session := s.sessions.get(id, principal, agent)
	switch {
	case id == "":
		s.refuse(w, http.StatusBadRequest, s.fail(codeServer, lang.ServeNoSession))
		return
	case session == nil:
		s.refuse(w, http.StatusNotFound, s.fail(codeServer, lang.ServeNoSession))
		return
	}
	s.sessions.drop(session)
	w.WriteHeader(http.StatusNoContent)
}

// heartbeat is the interval of comments on a stream, which detect clients that
// have disconnected.
const heartbeat = 25 * time.Second

// openStream counts a stream of a principal. False means that there are too
// many.
func (s *Server) openStream(principal *gongu.Principal) bool {
	if !s.streams.TryAcquire(principal.Name) {
		s.count.refused.Add(1)
		return false
	}
	return true
}

// getStream answers GET: it opens the standalone stream of a session, or resumes
// one whose connection was lost.
func (s *Server) getStream(w http.ResponseWriter, r *http.Request, principal *gongu.Principal, agent string) {
	session := s.sessions.get(r.Header.Get(sessionHeader), principal, agent)
	switch {
	case r.Header.Get(sessionHeader) == "":
		w.Header().Set("Allow", "POST")
		s.refuse(w, http.StatusMethodNotAllowed, s.fail(codeServer, lang.ServeNoSession))
		return
	case session == nil:
		s.refuse(w, http.StatusNotFound, s.fail(codeServer, lang.ServeNoSession))
		return
	case !accepts(r, "text/event-stream"):
		s.refuse(w, http.StatusNotAcceptable, failf(codeInvalid, "the client must accept text/event-stream"))
		return
	}
	id, after := standalone, 0
	if last := r.Header.Get("Last-Event-ID"); last != "" {
		var ok bool
		if id, after, ok = parseEventID(last); !ok {
			s.refuse(w, http.StatusBadRequest, failf(codeInvalid, "the Last-Event-ID is not one of ours"))
			return
		}
	}
	if !s.openStream(principal) {
		s.refuse(w, http.StatusTooManyRequests, s.fail(codeServer, lang.ServeStreams))
		return
	}
	defer s.streams.Release(principal.Name)
	session.touch(1)
	defer session.touch(-1)
	// Subscribe before the headers are sent: a client that has them must not
	// miss a later change.
	var messages <-chan []byte
	if id == standalone {
		sub := session.subscription(principal)
		messages = queued(sub)
		defer s.notifier.add(sub)()
	}
	conn := sse.Begin(w)
	defer conn.Close()
	if conn.Retry() != nil {
		return
	}
	t := session.events.attach(id, after, conn)
	if t == nil {
		return
	}
	defer session.events.leave(t, conn)
	ctx, cancel := untilExpired(r.Context(), principal)
	defer cancel()
	s.follow(ctx, session, t, conn, messages)
}

// follow sends messages on a stream until it ends.
func (s *Server) follow(ctx context.Context, session *session, t *stream, conn *sse.Conn, messages <-chan []byte) {
	session.events.mu.Lock()
	moved := t.moved
	session.events.mu.Unlock()
	tick := time.NewTicker(heartbeat)
	defer tick.Stop()
	for {
		select {
		case <-ctx.Done():
			return
		case <-session.lifetime.Done():
			return
		case <-moved:
			return
		case <-t.ended:
			return
		case message := <-messages:
			session.events.send(t, message)
		case <-tick.C:
			if conn.Comment() != nil {
				return
			}
		}
	}
}
