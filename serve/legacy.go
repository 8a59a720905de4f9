package serve

import (
	"bytes"
	"context"
	"encoding/json"

	"github.com/gongu-ai/gongu/access"
	"github.com/gongu-ai/gongu/internal/lang"
	"github.com/gongu-ai/gongu/internal/relay"
)

var emptyResult = json.RawMessage(`{}`)

// legacy answers a request within a session.
func (s *Server) legacy(ctx context.Context, rq *request) (json.RawMessage, *rpcError) {
	if rq.msg.method != "initialize" && rq.msg.method != "ping" && rq.session.revision() == "" {
		return nil, s.fail(codeInvalid, lang.ServeNotInitialize)
	}
	return s.answer(relay.WithSession(ctx, rq.session), rq, s.methods.legacy)
}

func (s *Server) ping(context.Context, *request) (json.RawMessage, *rpcError) {
	return emptyResult, nil
}

// initialize answers initialize: with the client's revision if it is known, else
// with the newest one that has sessions.
func (s *Server) initialize(ctx context.Context, rq *request) (json.RawMessage, *rpcError) {
	asked := text(member(rq.msg.params, "protocolVersion"))
	version := legacyVersion
	if isLegacy(asked) {
		version = asked
	}
	// Copied, because the buffer of the message is reused.
	can := bytes.Clone(member(rq.msg.params, "capabilities"))
	if !rq.session.begin(version, capabilitiesOf(can), s.samples(rq)) {
		return nil, failf(codeInvalid, "the session has begun already")
	}
	out := quote([]byte(`{"protocolVersion":`), version)
	out = append(append(out, `,"capabilities":`...), s.capabilities(ctx, rq)...)
	out = append(append(out, `,"serverInfo":`...), s.self()...)
	if s.opts.Instructions != "" {
		out = quote(append(out, `,"instructions":`...), s.opts.Instructions)
	}
	return append(out, '}'), nil
}

// setLevel answers logging/setLevel. A principal that gets no logs was not told
// that there are any.
func (s *Server) setLevel(_ context.Context, rq *request) (json.RawMessage, *rpcError) {
	if !access.Any(rq.principal, access.Logs) {
		return nil, s.fail(codeNoMethod, lang.ServeNoMethod, rq.msg.method)
	}
	name := text(member(rq.msg.params, "level"))
	level, ok := levelOf(name)
	if !ok {
		return nil, s.fail(codeParams, lang.ServeBadLevel, name)
	}
	rq.session.setLevel(level)
	return emptyResult, nil
}

// ask asks the client of a session and waits for the answer. It frees the slot
// of the request meanwhile.
func (rq *request) ask(ctx context.Context, method string, params json.RawMessage) (json.RawMessage, error) {
	rq.slot.Wait()
	answer, err := rq.session.ask(ctx, rq.out, method, params)
	if resumed := rq.slot.Resume(ctx); err == nil {
		err = resumed
	}
	return answer, err
}
