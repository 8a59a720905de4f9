package policy

import (
	"context"
	"encoding/json"
	"errors"
	"time"

	"github.com/gongu-ai/gongu"
	"github.com/gongu-ai/gongu/state"
)

// ApprovalStore keeps approvals. [state.Store] is one, which several hosts can
// share; [NewMemoryApprovals] is one for a program without records.
type ApprovalStore interface {
	// OpenApproval adds a pending approval, or returns the one that identical
	// calls have already: a pending one, or one that was approved and not used.
	// It sets ID if that is empty, the times, Host, Waiting and Version. The error
	// is state.ErrTooMany if too many wait.
	OpenApproval(ctx context.Context, a *state.Approval, life time.Duration, most state.CallLimits) (opened *state.Approval, joined bool, err error)
	// JoinApproval adds a call to the approval of the same outermost call. The
	// error is state.ErrConflict if that has ended.
	JoinApproval(ctx context.Context, id string, c state.ApprovalCall, life time.Duration) (*state.Approval, error)
	// GetApproval returns an approval, or state.ErrNotFound. One whose time is
	// over is expired; one whose waiting host has ended is cancelled.
	GetApproval(ctx context.Context, id string) (*state.Approval, error)
	// DecideApproval records a person's answer, once, with its audit row, and
	// makes suspended calls ready to be resumed. It reports whether this decision
	// was taken. If not, the record says what was, and [state.Approval.Repeats]
	// whether that is this decision, sent before.
	DecideApproval(ctx context.Context, id string, d state.ApprovalDecision, life time.Duration) (a *state.Approval, decided bool, err error)
	// UseApproval makes a yes belong to one call.
	UseApproval(ctx context.Context, id, owner string) (*state.Approval, bool, error)
	// CancelApproval takes back the question of one call: once for each call that
	// opened, shared or joined the approval and gave up. It reports whether the
	// approval has ended with it; other calls may wait for it.
	CancelApproval(ctx context.Context, id string) (*state.Approval, bool, error)
	// Approvals lists approvals, the newest first.
	Approvals(ctx context.Context, f state.ApprovalFilter) (state.ApprovalPage, error)
	// CountApprovals counts the pending ones.
	CountApprovals(ctx context.Context) (int, error)
	// WatchApprovals hints at changes.
	WatchApprovals(ctx context.Context) <-chan struct{}
	// SeePerson records that a person can see questions now, and how: session,
	// watch or notifier. SeenPerson reports whether there was one since.
	SeePerson(ctx context.Context, kind, name string) error
	SeenPerson(ctx context.Context, within time.Duration) (bool, error)
	// RememberApproval makes the yes to an approval count for the same call by the
	// same caller in the same instance. Remembered returns the answer that counts
	// for a question which is about to be opened, or state.ErrNotFound.
	RememberApproval(ctx context.Context, id string) error
	Remembered(ctx context.Context, a *state.Approval) (state.RememberedAnswer, error)
}

var (
	_ ApprovalStore = (*state.Store)(nil)
	_ ApprovalStore = (*MemoryApprovals)(nil)
)

// The times of an approval.
const (
	// ConnectionLife is how long a call waits while its connection is open.
	ConnectionLife = 2 * time.Minute
	// RecordLife is how long a suspended call waits.
	RecordLife = 24 * time.Hour
	// PermitLife is how long a yes after a denial can be used.
	PermitLife = time.Hour
	// Presence is how long ago a person must have been seen to be asked.
	Presence = 60 * time.Second
)

// The most approvals that wait.
const (
	MaxPendingEach = 32
	MaxPending     = 1000
)

// Answer is what a person said to an [Asker].
type Answer struct {
	Approve bool
	// Args replace the arguments; nil keeps them.
	Args   json.RawMessage
	Reason string
	// Remember is what to do with the next call like this one.
	Remember Remember
}

// Remember says for which later calls an answer counts.
type Remember string

// What can be remembered.
const (
	RememberNothing  Remember = ""
	RememberInstance Remember = "instance" // these exact arguments, in this instance
	RememberRule     Remember = "rule"     // a rule in the user's policy
)

// ErrNoAnswer means that the person could not be asked, or gave no answer.
var ErrNoAnswer = errors.New("there was no answer")

// Asker asks the person at the terminal of this process.
type Asker interface {
	// Ask shows the approval and returns the answer, or [ErrNoAnswer]. It must
	// return soon after ctx ends.
	Ask(ctx context.Context, a *state.Approval) (Answer, error)
}

// Describer says what a call will do. It must be quick and change nothing.
// [Describe] is one.
type Describer func(ctx context.Context, a *gongu.Attempt) Preview
