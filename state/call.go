package state

import "time"

// Kinds of calls that outlive their request.
const (
	KindCall = "call"
	KindTask = "task"
	// KindAsync is a call over HTTP whose caller comes back for the result. Any
	// host resumes it once it is decided.
	KindAsync = "async"
)

// States of a call.
const (
	// CallSuspended: the handler has not run; any host can start it.
	CallSuspended = "suspended"
	// CallStarted: the handler runs on one host.
	CallStarted = "started"
	// CallDone: the call has ended, and Result is how.
	CallDone = "done"
	// CallCancelled: the call ended because its caller did not want it any more.
	CallCancelled = "cancelled"
	// CallUnknown: the host that ran the call ended before the result was
	// stored. The call may have taken effect and is never run again.
	CallUnknown = "unknown"
)

// Call is the record of a call that outlives its request: it waits for an answer,
// or it is a task.
type Call struct {
	ID   string
	Kind string
	// State is one of the constants above.
	State string
	// Principal, Agent and Instance made the call; only they can read or resume
	// it.
	Principal, Agent, Instance string
	// Tool is the name that the client called.
	Tool string
	// CallID, Digest and Args are those of a suspended call: the handler gets
	// exactly these bytes of the tool with this digest.
	CallID       string
	Digest, Args []byte
	// Capabilities are those that the client declared.
	Capabilities []byte
	// Round counts how often the call has asked for something. An answer is for
	// one round.
	Round int
	// Approval is what a suspended call waits for; Ready means that it was
	// decided.
	Approval string
	Ready    bool
	// Questions are what the client is asked in this round, and Answers what it
	// said to another host than the one that runs the call.
	Questions, Answers []byte
	// Stopped asks the host that runs the call to cancel it.
	Stopped bool
	// Result is how the call ended.
	Result []byte
	// Host is the token of the lease of the host that started the call, and
	// Attempt the name of the attempt that did.
	Host, Attempt string
	// Expires is when the record may be removed; zero keeps it while the call
	// runs.
	Created, Updated, Expires time.Time

	version int64
}

// Ended reports whether the call has ended, however that was.
func (c *Call) Ended() bool { return c.State != CallSuspended && c.State != CallStarted }

// Writer is who changes a call, and when.
type Writer struct {
	// Token is that of this host's lease.
	Token string
	// Now is the time of the store.
	Now time.Time
}

// The transitions of a call. Each changes the record and returns true, or
// returns false and changes nothing. Life is how long the record is kept.

// Start makes a suspended call one that this host runs; see [Store.StartCall].
func (c *Call) Start(w Writer, round int, attempt string) bool {
	if c.State != CallSuspended || c.Round != round {
		return false
	}
	c.State, c.Host, c.Attempt, c.Expires = CallStarted, w.Token, attempt, time.Time{}
	c.Questions, c.Answers, c.Ready = nil, nil, false
	return true
}

// Unstart makes a started call again what it was, for an attempt of this host
// that did not run the handler and does not know whether it started the call.
func (c *Call) Unstart(w Writer, attempt string, was *Call) bool {
	if c.State != CallStarted || c.Host != w.Token || c.Attempt != attempt {
		return false
	}
	c.State, c.Host, c.Expires, c.Questions, c.Ready = CallSuspended, "", was.Expires, was.Questions, was.Ready
	return true
}

// Waiting is what a suspended call waits with.
type Waiting struct {
	CallID       string
	Digest, Args []byte
	// Agent and Instance are those of the call's context.
	Agent, Instance string
	Approval        string
	Questions       []byte
}

// Suspend suspends a call whose handler has not run: one that was resumed in a
// round, or one that this host runs.
func (c *Call) Suspend(w Writer, round int, v Waiting, life time.Duration) bool {
	if c.Round != round || c.State != CallSuspended && (c.State != CallStarted || c.Host != w.Token) {
		return false
	}
	c.State, c.Host = CallSuspended, ""
	c.CallID, c.Digest, c.Args, c.Agent, c.Instance = v.CallID, v.Digest, v.Args, v.Agent, v.Instance
	c.Approval, c.Questions, c.Answers, c.Ready = v.Approval, v.Questions, nil, false
	c.Round++
	c.Expires = w.Now.Add(life)
	return true
}

// Ask records the questions of a call that this host runs, and in which round.
func (c *Call) Ask(w Writer, round int, questions []byte) bool {
	if c.State != CallStarted || c.Host != w.Token {
		return false
	}
	c.Round, c.Questions, c.Answers = round, questions, nil
	return true
}

// Answer records the answers to the questions of a call that another host runs.
func (c *Call) Answer(round int, answers []byte) bool {
	if c.State != CallStarted || c.Round != round || len(c.Questions) == 0 || len(c.Answers) > 0 {
		return false
	}
	c.Answers = answers
	return true
}

// Answered removes the questions of a round and their answers, when the host
// that runs the call has the answers.
func (c *Call) Answered(w Writer, round int) bool {
	if c.State != CallStarted || c.Host != w.Token || c.Round != round {
		return false
	}
	c.Questions, c.Answers = nil, nil
	return true
}

// End stores the result of a call that this host runs, or of a suspended one
// that was refused. State is CallDone or CallCancelled.
func (c *Call) End(w Writer, state string, result []byte, life time.Duration) bool {
	if c.State != CallSuspended && (c.State != CallStarted || c.Host != w.Token) {
		return false
	}
	c.State, c.Result, c.Expires = state, result, w.Now.Add(life)
	c.Questions, c.Answers, c.Ready = nil, nil, false
	return true
}

// Cancel ends a suspended call, and asks the host that runs a started one to
// end it.
func (c *Call) Cancel(w Writer, life time.Duration) bool {
	switch {
	case c.State == CallSuspended:
		c.State, c.Expires, c.Questions = CallCancelled, w.Now.Add(life), nil
	case c.State == CallStarted && !c.Stopped:
		c.Stopped = true
	default:
		return false
	}
	return true
}

// Keep keeps the record of an ended call for longer.
func (c *Call) Keep(w Writer, life time.Duration) bool {
	if !c.Ended() {
		return false
	}
	c.Expires = w.Now.Add(life)
	return true
}

// lose records that the host of a started call has ended.
func (c *Call) lose(w Writer) bool {
	if c.State != CallStarted {
		return false
	}
	c.State, c.Expires, c.Questions, c.Answers = CallUnknown, w.Now.Add(unknownLife), nil, nil
	return true
}

// unknownLife is how long the record of a call with an unknown outcome is kept.
const unknownLife = 24 * time.Hour
