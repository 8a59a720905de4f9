package serve

import (
	"bytes"
	"net/http"
	"slices"
	"sync"

	"github.com/gongu-ai/gongu"
)

// postBatch answers a batch of messages, which only 2025-03-26 allows.
func (s *Server) postBatch(w http.ResponseWriter, r *http.Request, principal *gongu.Principal, agent string, body []byte) {
	raws, err := elementsUpTo(body, s.limits.Batch)
	session := s.sessions.get(r.Header.Get(sessionHeader), principal, agent)
	if err != nil || session == nil || session.revision() != "2025-03-26" || len(raws) == 0 || len(raws) > s.limits.Batch {
		s.refuse(w, http.StatusBadRequest, s.noBatch())
		return
	}
	sink := s.newPostSink(w, r, session)
	answers := make([][]byte, len(raws))
	var all sync.WaitGroup
	for i, raw := range raws {
		msg, err := scan(raw)
		switch {
		case err != nil:
			answers[i] = appendAnswer(nil, msg.id, nil, failf(codeInvalid, "%v", err))
		case !session.received(&msg):
			rq := &request{principal: principal, agent: agent, msg: msg, header: r.Header, session: session, out: sink}
			all.Go(func() {
				result, refusal := s.inSession(r.Context(), rq)
				answers[i] = appendAnswer(nil, msg.id, result, refusal)
			})
		}
	}
	all.Wait()
	sink.answerBatch(answers)
}

func (s *Server) noBatch() *rpcError {
	return failf(codeInvalid, "a batch of 1 to %d messages is taken within a session of 2025-03-26 alone", s.limits.Batch)
}

func (n *session) revision() string {
	n.mu.Lock()
	defer n.mu.Unlock()
	return n.version
}

// answerBatch sends the answers of a batch and ends the request.
func (p *postSink) answerBatch(answers [][]byte) {
	given := slices.DeleteFunc(answers, func(answer []byte) bool { return answer == nil })
	p.mu.Lock()
	defer p.mu.Unlock()
	p.over = true
	switch {
	case p.conn != nil:
		p.finishLocked(given...)
	case len(given) == 0:
		p.w.WriteHeader(http.StatusAccepted)
	default:
		body := append([]byte{'['}, bytes.Join(given, []byte{','})...)
		p.server.writeJSON(p.w, http.StatusOK, append(body, ']'))
	}
}
