package gongu

import (
	"bytes"
	"cmp"
	"context"
	"crypto/sha256"
	"encoding/json"
	"sync"

	"github.com/gongu-ai/gongu/internal/jsonx"
	"github.com/gongu-ai/gongu/internal/lang"
)

// Suspended is a call that a guard ended before the handler ran, because it
// waits for a decision that may take long. [Executor.Try] returns it to a
// caller that can come back; [Executor.Resume] continues it, in any process
// that has the same tool.
type Suspended struct {
	// Call has the arguments after middleware: the handler will get these bytes.
	Call Call
	// Digest is that of the tool's definition; see [Attempt.ToolDigest].
	Digest [sha256.Size]byte
	// Principal is the name of the caller, "" being the program itself. Agent
	// and Instance are those of its [Context]. Only they can resume the call.
	Principal, Agent, Instance string
	// Approval identifies what the guard waits for.
	Approval string
	// Question is what the guard wants to ask the caller's user: the parameters
	// of an MCP elicitation, or nil.
	Question json.RawMessage
	// Answer is the answer to Question that the caller came back with, or nil.
	// The caller sets it for [Executor.Resume].
	Answer json.RawMessage
}

// Journal records how far a resumed call is, so that its handler runs once even
// if several processes resume the call or one of them dies.
type Journal interface {
	// Begin is called when all guards have passed. Only the first Begin of a
	// call returns nil and nil, and its handler then runs. Every other one waits
	// for the result of the first and returns it. An error means that the
	// handler must not run, for example because the outcome of the first
	// attempt is unknown; the result of the call is that of [Fail].
	Begin(ctx context.Context) (*Result, error)
	// End stores the result of the call. It also ends a call whose handler did
	// not run, because a guard refused it.
	End(ctx context.Context, r Result) error
}

// suspension is the part of a dispatch whose caller can come back.
type suspension struct {
	// of is the suspended call that is resumed; nil at the first attempt.
	of      *Suspended
	journal Journal
	// cancel ends the middleware of a call that is suspended.
	cancel context.CancelFunc

	// offered is the last answer of Attempt.Suspend, err what the guard returns
	// with it.
	offered *Suspended
	err     *Error

	// mu guards the rest: a middleware may answer while guards still run.
	mu    sync.Mutex
	over  bool // the middleware has answered
	taken *Suspended
	// begun is true when the journal let the handler run; stored is the result
	// of another process that ran it. kept means that the journal stays as it is.
	begun, kept bool
	stored      *Result
}

// Try runs a call like [Executor.Call], for a caller that can come back: a guard
// may suspend the call, and then Try returns how to resume it in place of a
// result. The middleware of a suspended call is cancelled, and its answer is
// dropped; it runs again when the call is resumed.
func (e *Executor) Try(ctx context.Context, call Call) (Result, *Suspended) {
	return e.suspendable(ctx, call, &suspension{})
}

// Resume continues a suspended call: the catalog is asked again, middleware runs
// again, the guards check the stored arguments, and the handler runs unless the
// journal has the call's result already. Arguments that middleware passes on
// are ignored. A call whose tool has changed is refused with E_TOOL_CHANGED,
// and so is a guard's patch that changes the arguments. The call may be
// suspended again.
func (e *Executor) Resume(ctx context.Context, s *Suspended, j Journal) (Result, *Suspended) {
	return e.suspendable(ctx, s.Call, &suspension{of: s, journal: j})
}

func (e *Executor) suspendable(ctx context.Context, call Call, s *suspension) (Result, *Suspended) {
	ctx, s.cancel = context.WithCancel(ctx)
	defer s.cancel()
	result := e.dispatch(ctx, call, false, s)
	if s.taken != nil {
		return Result{}, s.taken
	}
	return result, nil
}

// CanSuspend reports whether the caller can come back, so that a guard may
// return [Attempt.Suspend]. A guard of another call waits with [Attempt.Await]
// or refuses the call.
func (a *Attempt) CanSuspend() bool { return a.dispatch != nil && a.dispatch.suspension != nil }

// Suspend returns the error with which a guard suspends the call: return it
// unchanged. Approval identifies what the guard waits for; question, if it is
// not nil, is what to ask the caller's user. A call that cannot be suspended is
// refused.
func (a *Attempt) Suspend(approval string, question json.RawMessage) *Error {
	if !a.CanSuspend() {
		return &Error{Code: CodeDenied, Message: lang.CauseCannotSuspend.In(a.lang(), a.Call.Name)}
	}
	c := a.Context()
	s := a.dispatch.suspension
	s.offered = &Suspended{
		Call: a.Call, Digest: a.ToolDigest(), Principal: nameOf(a.Principal), Agent: c.AgentName, Instance: c.InstanceKey,
		Approval: approval, Question: question,
	}
	s.err = &Error{Code: CodeCancelled, Message: lang.CauseSuspended.In(a.lang(), a.Call.Name, approval)}
	return s.err
}

// Resumed returns the suspended call that this attempt resumes, with the
// caller's answer, or nil.
func (a *Attempt) Resumed() *Suspended {
	if !a.CanSuspend() {
		return nil
	}
	return a.dispatch.suspension.of
}

// Suspended returns how the attempt was suspended, for observers, or nil. The
// result that they see says so as an error, because no result is pending.
func (a *Attempt) Suspended() *Suspended {
	if !a.CanSuspend() {
		return nil
	}
	s := a.dispatch.suspension
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.taken
}

func (a *Attempt) lang() lang.Lang {
	if a.dispatch == nil {
		return "" // the default
	}
	return a.dispatch.exec.lang
}

func nameOf(p *Principal) string {
	if p == nil {
		return ""
	}
	return p.Name
}

// suspend makes a refusal a suspension if a guard meant it so and the
// middleware has not answered meanwhile.
func (d *dispatch) suspend(refusal *Error) {
	s := d.suspension
	if s == nil || s.err == nil || refusal != s.err {
		return
	}
	s.mu.Lock()
	if !s.over {
		s.taken = s.offered
	}
	s.mu.Unlock()
	d.attempt.Note("approval", s.offered.Approval)
	s.cancel()
}

// resumable checks that the resumed call is the caller's and that the tool is
// the same. Strangers leave the journal as it is.
func (d *dispatch) resumable(ctx context.Context) *Error {
	s := d.suspension
	if s.of == nil {
		return nil
	}
	c := d.baseContext(ctx)
	if s.of.Principal != nameOf(d.attempt.Principal) || s.of.Agent != c.AgentName || s.of.Instance != c.InstanceKey {
		s.kept = true
		return &Error{Code: CodeDenied, Message: lang.CauseNotYours.In(d.exec.lang, d.name())}
	}
	if s.of.Digest != d.attempt.entry.digest {
		return d.refusal(CodeChanged)
	}
	return nil
}

// fixedArgs reports whether the arguments are those of a suspended call, which
// neither middleware nor guards can change.
func (d *dispatch) fixedArgs() bool { return d.suspension != nil && d.suspension.of != nil }

// repatched returns the error of a guard that changes the arguments of a resumed
// call.
func (d *dispatch) repatched(args json.RawMessage) *Error {
	if object, problem := jsonx.Object(args, d.exec.opts.MaxArgs); problem == nil && bytes.Equal(object, d.attempt.Call.Args) {
		return nil
	}
	err := d.refusal(CodeChanged)
	err.Message = lang.CauseArgsFixed.In(d.exec.lang, d.name())
	return err
}

// begin asks the journal whether the handler of a resumed call may run. Stop is
// true if it may not; r is then the result.
func (d *dispatch) begin(ctx context.Context) (r Result, stop bool) {
	s := d.suspension
	if s.journal == nil {
		return Result{}, false
	}
	stored, err := s.journal.Begin(ctx)
	s.mu.Lock()
	defer s.mu.Unlock()
	s.begun, s.stored, s.kept = err == nil && stored == nil, stored, err != nil || stored != nil
	switch {
	case err != nil:
		failure := Fail(err)
		failure.Error.Code = cmp.Or(failure.Error.Code, CodeUnavailable)
		return failure, true
	case stored != nil:
		return *stored, true
	}
	return Result{}, false
}

// conclude is finish for a caller that can come back: the result of a resumed
// call is in the journal before it is returned.
func (d *dispatch) conclude(ctx context.Context, r Result) Result {
	s := d.suspension
	s.mu.Lock()
	s.over = true
	taken, stored := s.taken, s.stored
	left := s.kept || ctx.Err() != nil && !s.begun // a caller that went away may come back
	s.mu.Unlock()
	switch {
	case taken != nil:
		return d.finish(ctx, failed(s.err)) // for observers
	case stored != nil:
		return *stored
	}
	r = d.finish(ctx, r)
	if s.journal == nil || left {
		return r
	}
	if err := s.journal.End(context.WithoutCancel(ctx), r); err != nil {
		d.exec.opts.Logger.Error("the result of a resumed call was not stored", "tool", d.name(), "toolCallId", d.attempt.Call.ID, "error", err)
	}
	return r
}
