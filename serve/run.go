package serve

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"strconv"
	"sync"
	"time"

	"github.com/gongu-ai/gongu"
	"github.com/gongu-ai/gongu/internal/lang"
	"github.com/gongu-ai/gongu/internal/relay"
	"github.com/gongu-ai/gongu/state"
)

// run is a modern call that may outlive its request, while it waits for an
// answer of the client or as a task.
type run struct {
	server  *Server
	call    state.Call // as it was at the beginning of the run
	purpose func() string
	cancel  context.CancelFunc
	// resumed is the suspended call that the run continues, or nil.
	resumed *gongu.Suspended

	done chan struct{}
	// ended is the outcome, unless a guard suspended the call; journaled means
	// that the record is as it should be. They are written before done is closed.
	ended     outcome
	suspended *gongu.Suspended
	journaled bool

	// The mutex of the pending table guards these. over is set before done is
	// closed; row is the record of the call, if recorded is true.
	over, recorded bool
	row            state.Call

	recording sync.Mutex // one record of questions at a time

	mu      sync.Mutex
	round   int
	alone   bool // no request of this host waits for the run
	count   int
	asks    []*ask        // open questions, oldest first
	asked   chan struct{} // closed when there is a new question
	out     sink          // of the request that waits now; nil if none does
	message string        // of the last progress
}

// ask is one open question.
type ask struct {
	key, method string
	params      json.RawMessage
	answer      chan json.RawMessage
}

// modernCall answers tools/call of the modern era.
func (s *Server) modernCall(ctx context.Context, rq *request, c *callParams) (json.RawMessage, *rpcError) {
	if c.responses != nil && !isObject(c.responses) {
		return nil, s.fail(codeParams, lang.ServeBadAnswer, "*", rq.msg.method).with(400)
	}
	relayed := &relay.Call{Modern: true, Responses: c.responses}
	// Computed on demand: it hashes all arguments, and most calls do not use it.
	purpose := func() string { return purposeOf(rq, c.name, c.arguments) }
	if c.hasState {
		opened, ok := s.seal.open(ctx, c.state, purpose(), time.Now())
		switch {
		case !ok:
			return nil, s.fail(codeParams, lang.ServeBadState).with(400)
		case opened.Kind == "run":
			return s.resume(ctx, rq, c, opened)
		}
		relayed.State = opened.State
	}
	able := rq.able()
	if !able.elicitation && !able.task && !able.roots && !(able.sampling && s.samples(rq)) {
		// Copied, because a handler that outlives the call may still read it.
		rq.over = true
		relayed.Responses = bytes.Clone(relayed.Responses)
		o := s.runCall(ctx, rq, c, s.caller(rq, c, rq.out, nil), relayed, nil)
		return s.inputRequired(ctx, rq, c, o, purpose)
	}
	r := s.newRun(rq, purpose, state.Call{
		ID: randomID(), CallID: "call_" + randomID(), Principal: rq.principal.Name, Agent: rq.agent, Tool: c.name, Args: c.arguments, Capabilities: rq.able().raw,
	})
	s.start(ctx, rq, c, relayed, r)
	return r.wait(ctx, rq)
}

func (s *Server) newRun(rq *request, purpose func() string, call state.Call) *run {
	return &run{
		server: s, call: call, purpose: purpose, round: call.Round,
		done: make(chan struct{}), asked: make(chan struct{}), out: rq.out,
	}
}

// start begins a call that may outlive its request.
func (s *Server) start(ctx context.Context, rq *request, c *callParams, relayed *relay.Call, r *run) {
	lifetime, cancel := context.WithCancel(context.WithoutCancel(ctx))
	stop := context.AfterFunc(s.lifetime, cancel)
	r.cancel = cancel
	own, params := *rq, *c
	own.out = r
	relayed.Roots = rq.roots(r.ask)
	caller := s.caller(&own, &params, r, r.ask)
	if rq.able().task && caller.Progress == nil {
		caller.Progress = func(_ context.Context, _, _ float64, message string) { r.setMessage(message) }
	}
	s.work.Go(func() {
		defer stop()
		defer cancel()
		r.ended = s.runCall(lifetime, &own, &params, caller, relayed, r)
		s.pending.ended(context.WithoutCancel(lifetime), r)
		close(r.done)
	})
}

// nextRound begins a round of questions.
func (r *run) nextRound() int {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.round++
	return r.round
}

func (r *run) atRound() int {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.round
}

// send sends a message on the request that waits for the run, if there is one.
func (r *run) send(message []byte) error {
	r.mu.Lock()
	out := r.out
	r.mu.Unlock()
	if out == nil {
		return nil
	}
	return out.send(message)
}

func (r *run) setMessage(message string) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.message = message
}

// progressMessage returns the last progress message of the tool.
func (r *run) progressMessage() string {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.message
}

// detach stops sending messages to the request, which is about to be answered.
// Further questions are recorded for the client.
func (r *run) detach() {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.out, r.alone = nil, true
}

// attach makes a request wait for the run again.
func (r *run) attach(out sink) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.out, r.alone = out, false
}

// waits reports whether the run has an open question.
func (r *run) waits() bool {
	r.mu.Lock()
	defer r.mu.Unlock()
	return len(r.asks) > 0
}

// ask adds a question and waits for the answer, which the client sends with a
// later request.
func (r *run) ask(ctx context.Context, method string, params json.RawMessage) (json.RawMessage, error) {
	if isNull(params) {
		params = json.RawMessage(`{}`)
	}
	a := &ask{method: method, params: params, answer: make(chan json.RawMessage, 1)}
	r.mu.Lock()
	r.count++
	kind := map[string]string{askElicit: "elicitation-", askSample: "sampling-", askRoots: "roots-"}[method]
	a.key = kind + strconv.Itoa(r.count)
	r.asks = append(r.asks, a)
	close(r.asked)
	r.asked = make(chan struct{})
	alone := r.alone
	r.mu.Unlock()
	if alone {
		r.server.pending.askAlone(ctx, r)
	}
	timeout := time.NewTimer(r.server.limits.Wait)
	defer timeout.Stop()
	select {
	case answer := <-a.answer:
		return answer, nil
	case <-ctx.Done():
		return nil, ctx.Err()
	case <-timeout.C:
		return nil, errors.New("the client did not come back with an answer: " + context.DeadlineExceeded.Error())
	}
}

// pending returns the open questions, and a channel that is closed at the next
// one.
func (r *run) pending() ([]*ask, <-chan struct{}) {
	r.mu.Lock()
	defer r.mu.Unlock()
	return append([]*ask(nil), r.asks...), r.asked
}

// answer passes the client's answers to their questions. It ignores unknown
// keys. More means that questions are left.
func (r *run) answer(responses json.RawMessage) (more bool, refusal *rpcError) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if !isObject(responses) {
		return len(r.asks) > 0, nil
	}
	var left []*ask
	for _, a := range r.asks {
		value := member(responses, a.key)
		switch {
		case value == nil:
			left = append(left, a)
		case !isAnswer(a.method, value):
			return true, r.server.fail(codeParams, lang.ServeBadAnswer, a.key, a.method).with(400)
		}
	}
	for _, a := range r.asks {
		if value := member(responses, a.key); value != nil {
			a.answer <- append(json.RawMessage(nil), value...)
		}
	}
	r.asks = left
	return len(left) > 0, nil
}

// isAnswer checks that an answer has the required members.
func isAnswer(method string, value json.RawMessage) bool {
	if !isObject(value) {
		return false
	}
	switch method {
	case askElicit:
		return text(member(value, "action")) != ""
	case askSample:
		return member(value, "role") != nil && member(value, "content") != nil
	}
	return true
}

// wait waits until the run ends, asks a question, or becomes a task because it
// takes long.
func (r *run) wait(ctx context.Context, rq *request) (json.RawMessage, *rpcError) {
	s := r.server
	var late <-chan time.Time
	if rq.able().task {
		timer := time.NewTimer(max(s.opts.TaskAfter, 0))
		defer timer.Stop()
		late = timer.C
	}
	for {
		asks, next := r.pending()
		select {
		case <-r.done:
			return s.finished(ctx, rq, r)
		default:
		}
		if len(asks) > 0 {
			if rq.able().task {
				if t, ok := s.pending.addTask(ctx, r, rq.out); ok {
					return t.created(), nil
				}
			}
			return r.suspend(ctx, rq, asks)
		}
		select {
		case <-r.done:
		case <-next:
		case <-late:
			late = nil
			if t, ok := s.pending.addTask(ctx, r, rq.out); ok {
				return t.created(), nil
			}
		case <-ctx.Done():
			r.cancel()
			return nil, s.fail(codeServer, lang.ServeCancelled)
		}
	}
}

// suspend answers the request with the open questions and keeps the run for the
// client's next request.
func (r *run) suspend(ctx context.Context, rq *request, asks []*ask) (json.RawMessage, *rpcError) {
	s := r.server
	r.detach()
	questions := inputRequests(asks)
	if !s.pending.suspend(ctx, r, rq.slot, questions) {
		select {
		case <-r.done: // meanwhile
			return s.finished(ctx, rq, r)
		default:
		}
		r.cancel()
		return nil, s.fail(codeServer, lang.ServeBusy).with(503)
	}
	return s.asksFor(ctx, r.purpose(), &state.Call{ID: r.call.ID, Round: r.atRound(), Questions: questions}, s.limits.Wait)
}

// asksFor answers a request with the questions of a call.
func (s *Server) asksFor(ctx context.Context, purpose string, c *state.Call, life time.Duration) (json.RawMessage, *rpcError) {
	signed, err := s.seal.seal(ctx, sealed{Kind: "run", For: purpose, Run: c.ID, Round: c.Round, Till: time.Now().Add(life).Unix()})
	if err != nil {
		return nil, s.storeFailed(err)
	}
	out := s.begin("input_required")
	if len(c.Questions) > 0 {
		out = append(append(append(out, `"inputRequests":`...), c.Questions...), ',')
	}
	return append(quote(append(out, `"requestState":`...), signed), '}'), nil
}

// storeFailed returns the error for a call that cannot be recorded.
func (s *Server) storeFailed(err error) *rpcError {
	s.opts.Logger.Error("the store of pending calls failed", "error", err)
	return s.fail(codeServer, lang.ServeStoreFailed).with(503)
}

func inputRequests(asks []*ask) json.RawMessage {
	out := []byte{'{'}
	for i, a := range asks {
		if i > 0 {
			out = append(out, ',')
		}
		out = quote(out, a.key)
		out = quote(append(out, `:{"method":`...), a.method)
		out = append(append(append(out, `,"params":`...), a.params...), '}')
	}
	return append(out, '}')
}
