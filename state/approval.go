package state

import (
	"slices"
	"time"
)

// The states of an approval.
const (
	// ApprovalPending waits for a person.
	ApprovalPending = "pending"
	// ApprovalApproved was approved, and no call has used it yet.
	ApprovalApproved = "approved"
	// ApprovalUsed belongs to the call that ran with it, or was about to.
	ApprovalUsed = "used"
	// ApprovalRejected was declined by a person.
	ApprovalRejected = "rejected"
	// ApprovalCancelled means that its call has gone: the caller left, or the
	// host that waited has ended.
	ApprovalCancelled = "cancelled"
	// ApprovalExpired was not answered, or not used, in time.
	ApprovalExpired = "expired"
)

// How the call of an approval waits.
const (
	WaitConnection = "connection" // a request of the host is open
	WaitRecord     = "record"     // the call is suspended; any host can resume it
	WaitPermit     = "permit"     // the call was denied; an identical one may pass once
)

// Approval is the record of one question to a person. It is bound to everything
// that decides what the call does.
type Approval struct {
	ID    string
	State string
	// Way is how the call waits.
	Way string
	// Key is the same for identical calls: they share a pending approval.
	Key string

	Principal, PrincipalKind string
	Agent, Instance, Turn    string
	// CallID is the id of the call, or of the outermost call for calls that a
	// macro or code makes; Tool is the tool of that call.
	CallID, Tool string
	// Calls are what is asked about: one call, or those that the outermost call
	// has made until now.
	Calls []ApprovalCall

	// By is who decided, and ByKind how: terminal, session, token or client.
	// Request is the caller's name for the decision, so that it can be repeated.
	By, ByKind, Reason, Request string
	// Owner is the call that used the approval.
	Owner string
	// Host is the token of the lease of the host that waits; empty if several
	// hosts wait, or none.
	Host string
	// Waiting is how many calls wait for the answer.
	Waiting int
	// Version counts the changes of the question and of the state. A decision
	// names the version that was shown.
	Version int64

	Created, Updated, Expires, Decided time.Time
}

// ApprovalCall is one call that is asked about.
type ApprovalCall struct {
	CallID string `json:"callId,omitempty"`
	Tool   string `json:"tool"`
	// Source is who provides the tool, as in gongu.Source.Identity.
	Source string `json:"source,omitempty"`
	// Digest is that of the tool's definition, Args the bytes after middleware.
	Digest []byte `json:"digest"`
	Args   []byte `json:"args"`
	// Changed means that a person put other arguments in the place of those that
	// the call had.
	Changed bool `json:"changed,omitempty"`
	// Parameters is the JSON Schema of the tool, for arguments that a person
	// changes.
	Parameters []byte `json:"parameters,omitempty"`
	// Rule is the rule that asks, as tier/set/name, RuleDigest that of its text.
	Rule       string `json:"rule"`
	RuleDigest string `json:"ruleDigest"`
	Message    string `json:"message,omitempty"`
	// Approvers are globs for those who may decide; empty is everyone who may.
	Approvers []string `json:"approvers,omitempty"`
	// Files are the files that the call changes.
	Files []ApprovalFile `json:"files,omitempty"`
	// Dynamic means that the text of a command does not decide what it runs.
	Dynamic bool `json:"dynamic,omitempty"`
	// Preview is what the call will do, for a person; see policy.Preview.
	Preview []byte `json:"preview,omitempty"`
	// Finished are the calls inside of the same outermost call that had ended when
	// this one was asked about, for people and for the caller after a restart.
	Finished []string `json:"finished,omitempty"`
	// Approved means that a person has approved this call.
	Approved bool `json:"approved,omitempty"`
}

// ApprovalFile is a file that an approval is bound to.
type ApprovalFile struct {
	// Path is the resolved path, and Digest that of the content which was shown;
	// it is empty if there was no file.
	Path   string `json:"path"`
	Digest string `json:"digest,omitempty"`
}

// ApprovalDecision is the answer of a person.
type ApprovalDecision struct {
	Approve bool
	// By is the name of the person or token; ByKind is terminal, session, token
	// or client.
	By, ByKind string
	Reason     string
	// Request names this decision. The same one again changes nothing and is
	// reported as done.
	Request string
	// Version is that of the record that was shown; zero accepts any, for a
	// decline.
	Version int64
	// Args replace the arguments of the only call; nil keeps them. They were
	// checked against the schema.
	Args []byte
}

// MaxApprovalCalls is how many calls one approval asks about at most.
const MaxApprovalCalls = 256

// Ended reports whether nothing can change about the approval any more, but for
// [Approval.Join].
func (a *Approval) Ended() bool { return a.State != ApprovalPending && a.State != ApprovalApproved }

// Repeats reports whether a decision is the one that the approval has, under the
// same name.
func (a *Approval) Repeats(d ApprovalDecision) bool {
	return d.Request != "" && a.Request == d.Request && a.By == d.By && a.ByKind == d.ByKind &&
		!a.Decided.IsZero() && d.Approve == (a.State != ApprovalRejected)
}

// The transitions of an approval. Each changes the record and returns true, or
// returns false and changes nothing that was asked or decided.

// Open begins a new approval.
func (a *Approval) Open(w Writer, life time.Duration) {
	a.State, a.Version, a.Waiting, a.Host = ApprovalPending, 1, 1, ""
	a.By, a.ByKind, a.Reason, a.Request, a.Owner = "", "", "", "", ""
	a.Created, a.Updated, a.Expires, a.Decided = w.Now, w.Now, w.Now.Add(life), time.Time{}
	switch a.Way {
	case WaitConnection:
		a.Host = w.Token
	case WaitPermit:
		a.Waiting = 0
	}
}

// Share lets an identical call wait for the same answer. The approval then lives
// for as long as the call that can wait longest.
func (a *Approval) Share(w Writer, way string, life time.Duration) {
	if a.State != ApprovalPending {
		return
	}
	if way != WaitPermit {
		a.Waiting++
	}
	if a.Way == WaitConnection && (way != WaitConnection || a.Host != w.Token) {
		a.Host = "" // the end of one host does not end it
	}
	if rankOfWay(way) > rankOfWay(a.Way) {
		a.Way = way
	}
	if until := w.Now.Add(life); until.After(a.Expires) {
		a.Expires = until
	}
}

func rankOfWay(way string) int {
	return slices.Index([]string{WaitConnection, WaitPermit, WaitRecord}, way)
}

// Decide records the answer of a person. Life is how long a yes can be used.
func (a *Approval) Decide(w Writer, d ApprovalDecision, life time.Duration) bool {
	if a.State != ApprovalPending || d.Version != 0 && d.Version != a.Version || d.Approve && d.Version == 0 {
		return false
	}
	if d.Args != nil && (!d.Approve || len(a.Calls) != 1) {
		return false
	}
	a.By, a.ByKind, a.Reason, a.Request, a.Decided = d.By, d.ByKind, d.Reason, d.Request, w.Now
	a.Version++
	if !d.Approve {
		a.State = ApprovalRejected
		return true
	}
	a.State, a.Expires = ApprovalApproved, w.Now.Add(life)
	a.Calls = slices.Clone(a.Calls)
	for i := range a.Calls {
		a.Calls[i].Approved = true
	}
	if d.Args != nil {
		a.Calls[0].Args, a.Calls[0].Changed = d.Args, true
	}
	return true
}

// Use makes a yes belong to one call. It is true again for the same call, whose
// own record lets its handler run once.
func (a *Approval) Use(w Writer, owner string) bool {
	if a.State == ApprovalUsed && owner != "" && a.Owner == owner {
		return true
	}
	if a.State != ApprovalApproved || !w.Now.Before(a.Expires) {
		return false
	}
	a.State, a.Owner, a.Waiting = ApprovalUsed, owner, 0
	a.Version++
	return true
}

// Cancel takes back the question of one call. It ends the approval, unless
// another call waits for it or an identical one may still come.
func (a *Approval) Cancel(Writer) bool {
	if a.Ended() {
		return false
	}
	a.Waiting = max(a.Waiting-1, 0)
	if a.Waiting > 0 || a.Way == WaitPermit {
		return false
	}
	a.end(ApprovalCancelled)
	return true
}

// Lose ends an approval whose only waiting host has ended.
func (a *Approval) Lose(Writer) bool {
	if a.Ended() || a.Host == "" {
		return false
	}
	a.end(ApprovalCancelled)
	return true
}

// Expire ends an approval whose time is over.
func (a *Approval) Expire(w Writer) bool {
	if a.Ended() || w.Now.Before(a.Expires) {
		return false
	}
	a.end(ApprovalExpired)
	return true
}

func (a *Approval) end(state string) {
	a.State, a.Waiting = state, 0
	a.Version++
}

// Join adds a call that the same outermost call makes, and asks about it again.
func (a *Approval) Join(w Writer, c ApprovalCall, life time.Duration) bool {
	if a.Ended() && a.State != ApprovalUsed || len(a.Calls) >= MaxApprovalCalls {
		return false
	}
	a.Calls = append(slices.Clone(a.Calls), c)
	a.State, a.Owner, a.Expires = ApprovalPending, "", w.Now.Add(life)
	a.Waiting++
	a.Version++
	return true
}
