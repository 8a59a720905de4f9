package serve

import (
	"context"
	"encoding/json"

	"github.com/gongu-ai/gongu/internal/lang"
)

// method answers one kind of request.
type method func(ctx context.Context, rq *request) (json.RawMessage, *rpcError)

// methods are all requests that a server answers, by era. What is not in here
// is not found, and what is in here has a transcript.
type methods struct{ legacy, modern map[string]method }

// methodListen is answered by a stream: see listen.
const methodListen = "subscriptions/listen"

func newMethods(s *Server) methods {
	m := methods{
		legacy: map[string]method{
			"initialize": s.initialize, "ping": s.ping, "logging/setLevel": s.setLevel,
			"tools/list": s.toolsList, "tools/call": s.toolsCall,
		},
		modern: map[string]method{
			"server/discover": s.discover, "tools/list": s.toolsList, "tools/call": s.toolsCall,
			"tasks/get": s.tasksMethod, "tasks/update": s.tasksMethod, "tasks/cancel": s.tasksMethod,
			methodListen: nil,
		},
	}
	if s.opts.Upstreams == nil {
		return m
	}
	for name, answer := range s.upstreamMethods() {
		m.legacy[name], m.modern[name] = answer, completed(answer)
	}
	m.legacy["resources/subscribe"], m.legacy["resources/unsubscribe"] = s.subscribe, s.subscribe
	return m
}

// answer finds the method of a request and lets it answer.
func (s *Server) answer(ctx context.Context, rq *request, known map[string]method) (json.RawMessage, *rpcError) {
	if answer := known[rq.msg.method]; answer != nil {
		return answer(ctx, rq)
	}
	return nil, s.fail(codeNoMethod, lang.ServeNoMethod, rq.msg.method).with(404)
}

// completed says of the result of an older upstream that it is one.
func completed(answer method) method {
	return func(ctx context.Context, rq *request) (json.RawMessage, *rpcError) {
		result, refusal := answer(ctx, rq)
		if refusal == nil && !hasResultType(result) {
			result = splice(`"resultType":"complete"`, result)
		}
		return result, refusal
	}
}
