package serve

import (
	"context"
	"encoding/json"
	"errors"
	"strings"
	"time"

	"github.com/gongu-ai/gongu"
	"github.com/gongu-ai/gongu/access"
	"github.com/gongu-ai/gongu/internal/lang"
	"github.com/gongu-ai/gongu/internal/relay"
	"github.com/gongu-ai/gongu/internal/resume"
	"github.com/gongu-ai/gongu/state"
)

// approvalKey names the question of a guard among the input requests.
const approvalKey = "approval"

// execute runs the call of a run, or resumes it. It returns no outcome if a
// guard suspended the call.
func (r *run) execute(ctx context.Context, x *gongu.Executor, call gongu.Call, encode func(gongu.Result) outcome) outcome {
	if r.resumed == nil {
		// Without one of these, the client does not come back to a suspended call.
		if able := capabilitiesOf(r.call.Capabilities); !able.elicitation && !able.task {
			return encode(x.Call(ctx, call))
		}
		result, suspended := x.Try(ctx, call)
		if r.suspended = suspended; suspended != nil {
			return outcome{}
		}
		return encode(result)
	}
	j := &journal{run: r, encode: encode}
	r.resumed.Call.Name = call.Name
	result, suspended := x.Resume(ctx, r.resumed, j)
	r.journaled = !j.begun || j.final
	switch {
	case suspended != nil:
		r.suspended = suspended
		return outcome{}
	case j.has:
		return j.outcome
	}
	return encode(result)
}

// journal records how far a resumed call is, in the record of the call.
type journal struct {
	run    *run
	encode func(gongu.Result) outcome
	// begun means that this host runs the call.
	begun bool
	// outcome is that of this attempt, or that of another host's; final means
	// that it is in the record.
	outcome    outcome
	has, final bool
}

var _ gongu.Journal = (*journal)(nil)

// Begin makes this host the one that runs the call. If another host runs it or
// has run it, Begin waits for the outcome there.
func (j *journal) Begin(ctx context.Context) (*gongu.Result, error) {
	s, r := j.run.server, j.run
	round := r.call.Round
	started, err := resume.Start(ctx, s.pending.store, &r.call, s.retry)
	if err != nil {
		s.pending.worked("start", err)
		return nil, &gongu.Error{Code: gongu.CodeUnavailable, Message: lang.ServeStoreFailed.In(s.lang)}
	}
	if j.begun = started; started {
		return nil, nil
	}
	c, err := s.awaitRecord(ctx, r.call.ID, round)
	if err != nil {
		return nil, err
	}
	if !c.Ended() { // it asks for something else by now
		return nil, &gongu.Error{Code: gongu.CodeUnavailable, Message: lang.ServeStateGone.In(s.lang)}
	}
	j.outcome, j.has, j.final = s.recorded(c), true, true
	return &gongu.Result{}, nil
}

// End stores the outcome of the call.
func (j *journal) End(ctx context.Context, result gongu.Result) error {
	s, r := j.run.server, j.run
	j.outcome, j.has = j.encode(result), true
	row := s.pending.rowOf(r)
	as := state.CallDone
	if s.pending.isCancelled(row.ID) {
		as = state.CallCancelled
	}
	raw, life := j.outcome.record(row.Kind, as == state.CallCancelled, r.progressMessage()), s.limits.life(row.Kind)
	c, changed, err := s.pending.store.ChangeCall(ctx, row.ID, func(c *state.Call, w state.Writer) bool { return c.End(w, as, raw, life) })
	if err != nil {
		return err
	}
	j.final = true
	if !changed && c.Ended() { // another host refused it, or this one's lease had ended
		j.outcome = s.recorded(c)
	}
	return nil
}

// waiting returns what the record of a suspended call has.
func (r *run) waiting() state.Waiting {
	v := r.suspended
	out := resume.Waiting(v)
	if v.Question != nil && capabilitiesOf(r.call.Capabilities).elicitation {
		out.Questions = inputRequests([]*ask{{key: approvalKey, method: askElicit, params: v.Question}})
	}
	return out
}

// finished answers the request that waits for a run which has ended.
func (s *Server) finished(ctx context.Context, rq *request, r *run) (json.RawMessage, *rpcError) {
	if r.suspended == nil {
		return r.ended.result, r.ended.refusal
	}
	if !s.pending.isRecorded(r) {
		c, l := r.call, &s.limits
		v := r.waiting()
		c.Kind, c.State, c.Round = state.KindCall, state.CallSuspended, 1
		most := state.CallLimits{All: l.Waiting, Each: l.WaitingEach}
		if rq.able().task {
			c.Kind, most = state.KindTask, state.CallLimits{All: l.Tasks, Each: l.TasksEach}
		}
		c.CallID, c.Digest, c.Args, c.Agent, c.Instance = v.CallID, v.Digest, v.Args, v.Agent, v.Instance
		c.Approval, c.Questions = v.Approval, v.Questions
		if err := s.pending.add(ctx, r, c, l.Suspend, most); errors.Is(err, state.ErrTooMany) {
			return nil, s.fail(codeServer, lang.ServeBusy).with(503)
		} else if err != nil {
			return nil, s.fail(codeServer, lang.ServeStoreFailed).with(503)
		}
	}
	row := s.pending.rowOf(r)
	if row.Kind == state.KindTask {
		t := task{server: s, call: row, updated: row.Updated}
		return t.created(), nil
	}
	return s.asksFor(ctx, r.purpose(), &row, s.limits.Suspend)
}

// resume continues a call that waits, with the answers of the client. The signed
// state has proved that the call is the client's.
func (s *Server) resume(ctx context.Context, rq *request, c *callParams, opened sealed) (json.RawMessage, *rpcError) {
	if r := s.pending.waiting(opened.Run, opened.Round); r != nil {
		r.attach(rq.out)
		if _, err := r.answer(c.responses); err != nil {
			r.detach()
			return nil, err // the client may send a better answer
		}
		if s.pending.take(opened.Run, opened.Round) != nil {
			s.pending.answered(ctx, r, opened.Round, false)
			return r.wait(ctx, rq)
		}
	}
	row, err := s.pending.store.GetCall(ctx, opened.Run)
	switch {
	case errors.Is(err, state.ErrNotFound) || err == nil && (row.Round != opened.Round || access.Owns(rq.principal, row.Principal) != nil):
		return nil, s.fail(codeParams, lang.ServeStateGone).with(400)
	case err != nil:
		return nil, s.storeFailed(err)
	}
	if refusal := s.checkAnswers(row, c.responses); refusal != nil {
		return nil, refusal
	}
	purpose := func() string { return purposeOf(rq, c.name, c.arguments) }
	switch row.State {
	case state.CallSuspended:
		answer := approvalAnswer(row, c.responses)
		if answer == nil && !row.Ready && len(row.Questions) == 0 {
			if row, err = s.awaitReady(ctx, rq, row); err != nil {
				return nil, s.storeFailed(err)
			}
			if row.State != state.CallSuspended {
				return s.resume(ctx, rq, c, opened)
			}
		}
		if answer == nil && !row.Ready {
			return s.asksFor(ctx, purpose(), row, s.limits.Suspend)
		}
		r := s.newRun(rq, purpose, *row)
		s.startAgain(ctx, rq, r, answer)
		return r.wait(ctx, rq)
	case state.CallStarted:
		if err := s.answerElsewhere(ctx, row, c.responses); err != nil {
			return nil, s.storeFailed(err)
		}
		if row, err = s.awaitRecord(ctx, row.ID, row.Round); err != nil {
			return nil, s.storeFailed(err)
		}
	}
	if !row.Ended() {
		return s.asksFor(ctx, purpose(), row, s.limits.Wait)
	}
	o := s.recorded(row)
	return o.result, o.refusal
}

// approvalAnswer returns the answer to the question of a guard, if that was asked.
func approvalAnswer(row *state.Call, responses json.RawMessage) json.RawMessage {
	if !isObject(row.Questions) || !isObject(responses) || member(row.Questions, approvalKey) == nil {
		return nil
	}
	return member(responses, approvalKey)
}

// checkAnswers checks the answers of a client to the questions of a record.
func (s *Server) checkAnswers(row *state.Call, responses json.RawMessage) *rpcError {
	if !isObject(row.Questions) || !isObject(responses) {
		return nil
	}
	var refusal *rpcError
	_ = members(row.Questions, func(key string, question json.RawMessage) error { // it is an object
		method := text(member(question, "method"))
		if value := member(responses, key); value != nil && !isAnswer(method, value) {
			refusal = s.fail(codeParams, lang.ServeBadAnswer, key, method).with(400)
		}
		return nil
	})
	return refusal
}

// answerElsewhere records answers for the host that runs the call.
func (s *Server) answerElsewhere(ctx context.Context, row *state.Call, responses json.RawMessage) error {
	if len(row.Questions) == 0 || !isObject(responses) {
		return nil
	}
	round := row.Round
	_, _, err := s.pending.store.ChangeCall(ctx, row.ID, func(c *state.Call, _ state.Writer) bool { return c.Answer(round, responses) })
	return err
}

// startAgain resumes a suspended call on this host.
func (s *Server) startAgain(ctx context.Context, rq *request, r *run, answer json.RawMessage) {
	row := r.call
	r.row, r.recorded = row, true
	r.resumed = resume.Suspended(&row)
	r.resumed.Answer = answer
	// The client of a task may come back with other capabilities.
	r.call.Capabilities = rq.able().raw
	s.start(ctx, rq, &callParams{name: row.Tool, arguments: row.Args}, &relay.Call{Modern: true}, r)
}

// awaitRecord waits until a call that another host runs has ended or asks something
// in a later round.
func (s *Server) awaitRecord(ctx context.Context, id string, round int) (*state.Call, error) {
	return resume.Until(ctx, s.pending.store, id, s.lifetime.Done(), func(c *state.Call) bool { return c.Ended() || c.Round > round })
}

// readyTime is how long a request waits for the decision about a suspended call
// that asks its client nothing: the client would come back at once.
const readyTime = 25 * time.Second

// awaitReady waits until a suspended call can be resumed, for up to readyTime. It
// returns the record as it is then.
func (s *Server) awaitReady(ctx context.Context, rq *request, row *state.Call) (*state.Call, error) {
	rq.slot.Wait()
	over := time.Now().Add(readyTime)
	found, err := resume.Until(ctx, s.pending.store, row.ID, s.lifetime.Done(), func(c *state.Call) bool {
		return c.Ready || c.State != state.CallSuspended || c.Round != row.Round || time.Now().After(over)
	})
	if resumed := rq.slot.Resume(ctx); err == nil {
		err = resumed
	}
	return found, err
}

// recorded returns the outcome of a call that has ended.
func (s *Server) recorded(c *state.Call) outcome {
	code, message := gongu.CodeCancelled, lang.MessageCancelled
	switch c.State {
	case state.CallDone:
		if failure := member(c.Result, "error"); failure != nil {
			return outcome{refusal: rpcErrorOf(failure)}
		}
		return outcome{result: member(c.Result, "result")}
	case state.CallUnknown:
		code, message = gongu.CodeOutcomeUnknown, lang.ServeHostEnded
	}
	r := gongu.Fail(s.lostError(c, code, message))
	r.ToolCallID, r.ToolName = c.CallID, c.Tool
	return s.encode(&request{modern: true}, nil, r)
}

// lostError describes a call without a result.
func (s *Server) lostError(c *state.Call, code string, message lang.Text) *gongu.Error {
	name, suggestion, text := "ToolCancelledError", lang.SuggestCancelled, message.In(s.lang, c.Tool)
	if code == gongu.CodeOutcomeUnknown {
		name, suggestion = "ToolOutcomeUnknownError", lang.SuggestOutcomeUnknown
		if finished := resume.Finished(s.lifetime, s.pending.store, c); len(finished) > 0 {
			text += " " + lang.ServeFinished.In(s.lang, strings.Join(finished, ", "))
		}
	}
	return &gongu.Error{
		Code: code, Name: name, Message: text, Suggestion: suggestion.In(s.lang), HelpURL: lang.HelpBase + "/" + code,
	}
}
