package serve

import (
	"bytes"
	"context"
	"encoding/json"
	"math"
	"time"

	"github.com/gongu-ai/gongu/access"
	"github.com/gongu-ai/gongu/internal/lang"
	"github.com/gongu-ai/gongu/mcpclient"
)

// A call may become a task at an upstream, which then owns it. The client gets a
// signed id with the name of the upstream, so that this server stores nothing
// and other principals cannot use the id.

func isTask(result json.RawMessage) bool {
	return bytes.Contains(result, []byte(`"task"`)) && text(member(result, "resultType")) == "task"
}

// signTaskID replaces the id of an upstream's task with a signed one.
func (s *Server) signTaskID(rq *request, server string, result json.RawMessage) (json.RawMessage, *rpcError) {
	id := text(member(result, "taskId"))
	if server == "" || id == "" {
		return nil, s.fail(codeInternal, lang.ServeNoTask, id)
	}
	ours := s.seal.seal(sealed{Kind: "task", For: taskPurpose(rq), Run: server, State: id, Till: math.MaxInt64})
	return replaced(result, "taskId", quote(nil, ours)), nil
}

// taskPurpose binds the id of a task to its principal and agent.
func taskPurpose(rq *request) string {
	return purposeOf(&request{principal: rq.principal, agent: rq.agent, msg: message{method: "tasks"}}, "", nil)
}

// upstreamTask forwards a request about a task to its upstream. Shown is the id
// that the client has.
func (s *Server) upstreamTask(ctx context.Context, rq *request, id, shown string) (json.RawMessage, *rpcError) {
	missing := s.fail(codeParams, lang.ServeNoTask, shown)
	found, ok := s.seal.open(id, taskPurpose(rq), time.Now())
	if !ok || found.Kind != "task" || s.opts.Upstreams == nil {
		return nil, missing
	}
	for _, up := range s.opts.Upstreams.For(ctx, rq.agent, access.Tasks) {
		if up.Name() != found.Run {
			continue
		}
		params := replaced(rq.msg.params, "taskId", quote(nil, found.State))
		result, err := up.Request(ctx, rq.msg.method, params, &mcpclient.RequestOptions{
			Capabilities: s.declared(rq), InputRequired: true, Repeatable: rq.msg.method == "tasks/get",
		})
		if err == nil {
			err = wellFormed(result, s.limits.Depth*2)
		}
		if err != nil {
			return nil, s.upstreamError(up, err)
		}
		return s.withTaskID(rq, up, result, shown), nil
	}
	return nil, missing
}

// withTaskID gives a task the id that its client has, and its questions the name of
// the upstream.
func (s *Server) withTaskID(rq *request, up Upstream, result json.RawMessage, shown string) json.RawMessage {
	if member(result, "taskId") != nil {
		result = replaced(result, "taskId", quote(nil, shown))
	}
	if asked := member(result, "inputRequests"); isObject(asked) {
		kept, _ := s.questions(rq, &callParams{server: up.Name()}, asked)
		result = replaced(result, "inputRequests", kept)
	}
	return result
}

// inner returns the id of the upstream's task that a task of ours ended with:
// the upstream answered after the call had become a task here.
func (t *task) inner() string {
	result := member(t.call.Result, "result")
	if result == nil || !isTask(result) {
		return ""
	}
	return text(member(result, "taskId"))
}
