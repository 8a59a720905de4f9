package serve

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"strconv"
	"time"

	"github.com/gongu-ai/gongu"
	"github.com/gongu-ai/gongu/access"
	"github.com/gongu-ai/gongu/internal/lang"
	"github.com/gongu-ai/gongu/mcpclient"
	"github.com/gongu-ai/gongu/state"
)

// pollInterval is how often a client should poll a task.
const pollInterval = time.Second

// task is a snapshot of a task.
type task struct {
	server    *Server
	call      state.Call
	run       *run // nil if the task does not run in this process
	updated   time.Time
	cancelled bool
}

// created returns the answer to the call that became the task.
func (t *task) created() json.RawMessage {
	status, message := "working", ""
	if t.run != nil {
		message = t.run.progressMessage()
	} else if len(t.call.Questions) > 0 {
		status, message = "input_required", t.waitsFor()
	} else {
		message = t.waitsFor()
	}
	return append(append(t.server.begin("task"), t.fields(status, message)...), '}')
}

// waitsFor says what a suspended task waits for, and how a person answers.
func (t *task) waitsFor() string {
	if t.call.State != state.CallSuspended || t.call.Approval == "" {
		return ""
	}
	return lang.ServeWaitsFor.In(t.server.lang, t.call.Approval)
}

func (t *task) fields(status, message string) []byte {
	const form = "2006-01-02T15:04:05.000Z"
	out := quote([]byte(`"taskId":`), t.call.ID)
	out = quote(append(out, `,"status":`...), status)
	if message != "" {
		out = quote(append(out, `,"statusMessage":`...), message)
	}
	out = quote(append(out, `,"createdAt":`...), t.call.Created.UTC().Format(form))
	out = quote(append(out, `,"lastUpdatedAt":`...), t.updated.UTC().Format(form))
	out = strconv.AppendInt(append(out, `,"ttlMs":`...), t.server.limits.TaskTTL.Milliseconds(), 10)
	return strconv.AppendInt(append(out, `,"pollIntervalMs":`...), pollInterval.Milliseconds(), 10)
}

// detailed returns the task with its open questions, its result or its error.
func (t *task) detailed() json.RawMessage {
	out := t.server.begin("complete")
	if t.run == nil && t.call.Ended() {
		ended := t.ended()
		out = append(out, t.fields(text(member(ended, "status")), text(member(ended, "statusMessage")))...)
		for _, name := range []string{"result", "error"} {
			if value := member(ended, name); value != nil {
				out = append(append(quote(append(out, ','), name), ':'), value...)
			}
		}
		return append(out, '}')
	}
	questions, message := json.RawMessage(t.call.Questions), t.waitsFor()
	if t.run != nil {
		questions, message = nil, t.run.progressMessage()
		if asks, _ := t.run.pending(); len(asks) > 0 {
			questions = inputRequests(asks)
		}
	}
	switch {
	case t.cancelled || t.call.Stopped:
		return append(append(out, t.fields("cancelled", message)...), '}')
	case len(questions) > 0:
		out = append(out, t.fields("input_required", message)...)
		return append(append(append(out, `,"inputRequests":`...), questions...), '}')
	}
	return append(append(out, t.fields("working", message)...), '}')
}

// ended returns how a task ended, as [outcome.record] does.
func (t *task) ended() json.RawMessage {
	switch {
	case t.call.State == state.CallUnknown:
		lost := t.server.lostError(&t.call, gongu.CodeOutcomeUnknown, lang.ServeHostEnded)
		return (&outcome{refusal: failf(codeInternal, "%s", lost.Message).withData(lost)}).record(state.KindTask, false, lost.Message)
	case t.call.Result == nil:
		return (&outcome{}).record(state.KindTask, true, "")
	}
	return t.call.Result
}

// record returns the [state.Call.Result] of a call: an object with status,
// statusMessage, and result or error.
func (o *outcome) record(kind string, cancelled bool, message string) json.RawMessage {
	status, name, value := "completed", "result", []byte(o.result)
	switch {
	case cancelled:
		status, name = "cancelled", ""
	case o.refusal != nil:
		status, name, value = "failed", "error", o.refusal.json(nil)
	case o.crashed && kind == state.KindTask:
		status, name, value = "failed", "error", failf(codeInternal, "%s", crashText(o.result)).json(nil)
	}
	out := quote([]byte(`{"status":`), status)
	if message != "" {
		out = quote(append(out, `,"statusMessage":`...), message)
	}
	if name != "" {
		out = append(append(quote(append(out, ','), name), ':'), value...)
	}
	return append(out, '}')
}

// crashText returns the message of a tool that panicked.
func crashText(result json.RawMessage) string {
	blocks, err := elements(member(result, "content"))
	if err != nil || len(blocks) == 0 {
		return "internal error"
	}
	return text(member(blocks[0], "text"))
}

// tasksMethod answers the methods of the tasks extension.
func (s *Server) tasksMethod(ctx context.Context, rq *request) (json.RawMessage, *rpcError) {
	if !rq.able().task {
		return nil, s.lacks(rq.msg.method, tasksExtension, map[string]any{"extensions": map[string]any{tasksExtension: struct{}{}}})
	}
	id := text(member(rq.msg.params, "taskId"))
	t, ok, refusal := s.findTask(ctx, rq, id)
	switch {
	case refusal != nil:
		return nil, refusal
	case !ok:
		return s.upstreamTask(ctx, rq, id, id)
	}
	if inner := t.inner(); inner != "" {
		s.pending.touch(ctx, id)
		return s.upstreamTask(ctx, rq, inner, id)
	}
	switch rq.msg.method {
	case "tasks/update":
		if refusal := s.updateTask(ctx, rq, &t); refusal != nil {
			return nil, refusal
		}
		s.pending.touch(ctx, id)
		return s.signed("complete", emptyResult), nil
	case "tasks/cancel":
		if err := s.pending.cancel(ctx, id); err != nil {
			return nil, s.storeFailed(err)
		}
		return s.signed("complete", emptyResult), nil
	}
	if t.run == nil && t.call.State == state.CallSuspended && t.call.Ready {
		s.resumeTask(ctx, rq, &t, nil)
	}
	return t.detailed(), nil
}

// findTask returns a task of the principal, wherever it runs.
func (s *Server) findTask(ctx context.Context, rq *request, id string) (task, bool, *rpcError) {
	s.pending.expire(ctx, time.Now())
	t, ok := s.pending.local(id)
	if !ok {
		row, err := s.pending.store.GetCall(ctx, id)
		if err != nil && !errors.Is(err, state.ErrNotFound) {
			return task{}, false, s.storeFailed(err)
		}
		if err != nil || row.Kind != state.KindTask {
			return task{}, false, nil
		}
		t = task{server: s, call: *row, updated: row.Updated}
	}
	return t, access.Owns(rq.principal, t.call.Principal) == nil, nil
}

// updateTask passes the answers of the client on to the task.
func (s *Server) updateTask(ctx context.Context, rq *request, t *task) *rpcError {
	responses := member(rq.msg.params, "inputResponses")
	switch {
	case t.run != nil:
		round := t.run.atRound()
		left, err := t.run.answer(responses)
		if err == nil {
			s.pending.answered(ctx, t.run, round, left)
		}
		return err
	case t.call.Ended():
		return nil
	}
	if err := s.checkAnswers(&t.call, responses); err != nil {
		return err
	}
	if t.call.State == state.CallSuspended {
		if answer := approvalAnswer(&t.call, responses); answer != nil || t.call.Ready {
			s.resumeTask(ctx, rq, t, answer)
		}
		return nil
	}
	if err := s.answerElsewhere(ctx, &t.call, responses); err != nil {
		return s.storeFailed(err)
	}
	return nil
}

// resumeTask resumes a suspended task in the background.
func (s *Server) resumeTask(ctx context.Context, rq *request, t *task, answer json.RawMessage) {
	own := *rq
	own.msg.method = "tools/call"
	row := t.call
	r := s.newRun(&own, func() string { return purposeOf(&own, row.Tool, row.Args) }, row)
	r.detach()
	if !s.pending.adopt(r) {
		return // it is being resumed
	}
	t.run, t.call.Questions = r, nil
	s.startAgain(ctx, &own, r, answer)
}

// A call may become a task at an upstream, which then owns it. The client gets a
// signed id with the name of the upstream, so that this server stores nothing
// and other principals cannot use the id.

func isTask(result json.RawMessage) bool {
	return bytes.Contains(result, []byte(`"task"`)) && text(member(result, "resultType")) == "task"
}

// signTaskID replaces the id of an upstream's task with a signed one.
func (s *Server) signTaskID(ctx context.Context, rq *request, server string, result json.RawMessage) (json.RawMessage, *rpcError) {
	id := text(member(result, "taskId"))
	if server == "" || id == "" {
		return nil, s.fail(codeInternal, lang.ServeNoTask, id)
	}
	ours, err := s.seal.seal(ctx, sealed{Kind: "task", For: taskPurpose(rq), Run: server, State: id, Till: time.Now().Add(upstreamTaskLife).Unix()})
	if err != nil {
		return nil, s.storeFailed(err)
	}
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
	found, ok := s.seal.open(ctx, id, taskPurpose(rq), time.Now())
	if !ok || found.Kind != "task" || s.opts.Upstreams == nil {
		return nil, missing
	}
	for _, up := range s.opts.Upstreams.For(ctx, rq.agent, access.Tasks) {
		if up.Name() != found.Run {
			continue
		}
		params := replaced(only(rq.msg.params, "taskId"), "taskId", quote(nil, found.State))
		result, err := up.Request(ctx, rq.msg.method, params, &mcpclient.RequestOptions{
			Capabilities: s.declared(rq), InputRequired: true, Repeatable: rq.msg.method == "tasks/get",
		})
		if err == nil {
			err = wellFormed(result, s.limits.Depth*2)
		}
		if err != nil {
			return nil, s.upstreamError(up, err)
		}
		s.noteLinks(rq, identityOf(up), member(result, "result"))
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
