package serve

import (
	"bytes"
	"context"
	"encoding/json"
	"time"
)

// inputRequired adapts a result that asks for input, as modern upstreams do: it
// signs the state, adds the name of the server to questions and removes those
// that are not allowed. It also adapts a task that an upstream made of the call.
func (s *Server) inputRequired(ctx context.Context, rq *request, c *callParams, o outcome, purpose func() string) (json.RawMessage, *rpcError) {
	if o.refusal == nil && isTask(o.result) {
		return s.signTaskID(ctx, rq, c.server, o.result)
	}
	if o.refusal != nil || !bytes.Contains(o.result, []byte(`"input_required"`)) || text(member(o.result, "resultType")) != "input_required" {
		return o.result, o.refusal
	}
	questions, refused := s.questions(rq, c, member(o.result, "inputRequests"))
	if refused != "" && len(questions) <= len(`{}`) {
		return nil, s.lacks(c.name, refused, map[string]any{refused: struct{}{}})
	}
	signed := ""
	if own := member(o.result, "requestState"); own != nil {
		var err error
		signed, err = s.seal.seal(ctx, sealed{Kind: "tool", For: purpose(), State: text(own), Till: time.Now().Add(s.limits.Wait).Unix()})
		if err != nil {
			return nil, s.storeFailed(err)
		}
	}
	return edited(o.result, func(name string, value json.RawMessage) json.RawMessage {
		switch name {
		case "requestState":
			return quote(nil, signed)
		case "inputRequests":
			return questions
		}
		return value
	}), nil
}

// questions returns the questions that the client can answer and the owner
// allows. Refused is the capability that one of the others needs.
func (s *Server) questions(rq *request, c *callParams, requests json.RawMessage) (kept json.RawMessage, refused string) {
	if !isObject(requests) {
		return requests, ""
	}
	able := rq.able()
	kept = edited(requests, func(_ string, value json.RawMessage) json.RawMessage {
		method := text(member(value, "method"))
		need, allowed := "elicitation", able.elicitation
		switch method {
		case askSample:
			need, allowed = "sampling", able.sampling && s.samples(rq)
		case askRoots:
			need, allowed = "roots", able.roots
		}
		if !allowed {
			refused = need
			return nil
		}
		if method == askElicit {
			return replaced(value, "params", s.named(c.server, member(value, "params")))
		}
		return value
	})
	return kept, refused
}
