package policy

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"time"

	"github.com/gongu-ai/gongu"
	"github.com/gongu-ai/gongu/internal/jsonx"
	"github.com/gongu-ai/gongu/internal/schema"
	"github.com/gongu-ai/gongu/state"
)

// The ways in which a decision arrives.
const (
	ByTerminal = "terminal"
	BySession  = "session"
	ByToken    = "token"
	ByClient   = "client" // the caller's own client says that its user answered
)

// Decider is who decides about an approval.
type Decider struct {
	// Name is that of the person or token, and Kind one of the constants above.
	Name, Kind string
	// Principal made the decision; nil at a terminal.
	Principal *gongu.Principal
}

// Outcome is what became of a decision.
type Outcome string

// The outcomes.
const (
	// Decided means that the decision counts.
	Decided Outcome = "decided"
	// Duplicate means that the same request has decided it already.
	Duplicate Outcome = "duplicate"
	// Already means that somebody else decided before, or that the call no
	// longer waits; the approval says who and what.
	Already Outcome = "already"
	// Changed means that the approval asks for something else than what was
	// shown; show it again.
	Changed Outcome = "changed"
)

// The reasons why a decision is refused. The approval stays as it is.
var (
	ErrMayNotDecide = errors.New("this decision does not count")
	ErrBadAnswer    = errors.New("this answer cannot be used")
)

// maxAnswerArgs bounds the arguments that a person puts in place of the caller's.
const maxAnswerArgs = 4 << 20

// Resolve decides about an approval. It is the only way to do so, for terminals,
// sessions, tokens and clients. Version is that of the approval which was shown; a
// yes needs one. Request names the decision, so that it can be sent again.
func Resolve(ctx context.Context, store ApprovalStore, id string, by Decider, a Answer, version int64, request string) (*state.Approval, Outcome, error) {
	found, err := store.GetApproval(ctx, id)
	if err != nil {
		return nil, "", err
	}
	if err := mayDecide(&by, found); err != nil {
		return found, "", err
	}
	d := state.ApprovalDecision{
		Approve: a.Approve, By: by.Name, ByKind: by.Kind, Reason: a.Reason, Request: request, Version: version,
	}
	if found.State != state.ApprovalPending {
		return found, lateOutcome(found, d), nil
	}
	if version != 0 && version != found.Version {
		return found, Changed, nil
	}
	if d.Args, err = checkAnswer(found, &a, version); err != nil {
		return found, "", err
	}
	decided, done, err := store.DecideApproval(ctx, id, d, yesLife(found))
	switch {
	case err != nil:
		return found, "", err
	case done:
		return decided, Decided, nil
	case decided.State == state.ApprovalPending:
		return decided, Changed, nil
	}
	return decided, lateOutcome(decided, d), nil
}

// lateOutcome tells a decision that was sent again from one that came too late.
func lateOutcome(a *state.Approval, d state.ApprovalDecision) Outcome {
	if a.Repeats(d) {
		return Duplicate
	}
	return Already
}

// mayDecide checks who decides. The answer of a client counts for its own calls,
// if it is known to show questions to a person.
func mayDecide(by *Decider, a *state.Approval) error {
	p := by.Principal
	switch by.Kind {
	case ByTerminal:
	case BySession:
		if p == nil || !p.Person {
			return fmt.Errorf("%w: the session is not a person's", ErrMayNotDecide)
		}
	case ByToken:
		if p == nil || p.Manage == "" {
			return fmt.Errorf("%w: the token may not decide; make one with: gongu token new NAME --manage approvals", ErrMayNotDecide)
		}
	case ByClient:
		switch {
		case p == nil || !p.Attended:
			return fmt.Errorf("%w: the client is not known to show questions to a person", ErrMayNotDecide)
		case p.Name != a.Principal || p.Kind != a.PrincipalKind:
			return fmt.Errorf("%w: the call is another caller's", ErrMayNotDecide)
		}
	default:
		return fmt.Errorf("%w: unknown way %q", ErrMayNotDecide, by.Kind)
	}
	for i := range a.Calls {
		if approvers := a.Calls[i].Approvers; len(approvers) > 0 && !anyGlob(approvers, by.Name) {
			return fmt.Errorf("%w: rule %s leaves it to %q", ErrMayNotDecide, a.Calls[i].Rule, approvers)
		}
	}
	return nil
}

// checkAnswer checks what comes with an answer and returns the arguments that
// replace the caller's, or nil.
func checkAnswer(a *state.Approval, answer *Answer, version int64) ([]byte, error) {
	if !answer.Approve {
		return nil, nil
	}
	if version == 0 {
		return nil, fmt.Errorf("%w: a yes must name the version of the approval that was shown", ErrBadAnswer)
	}
	if answer.Remember != RememberNothing {
		for i := range a.Calls {
			if a.Calls[i].Dynamic {
				return nil, fmt.Errorf("%w: the text of the command does not decide what it runs, so it is not remembered", ErrBadAnswer)
			}
		}
	}
	if answer.Args == nil {
		return nil, nil
	}
	if len(a.Calls) != 1 {
		return nil, fmt.Errorf("%w: the arguments of %d calls cannot be changed together", ErrBadAnswer, len(a.Calls))
	}
	return checkArgs(a.Calls[0].Parameters, answer.Args)
}

// checkArgs checks arguments against the stored schema of the tool.
func checkArgs(parameters []byte, args json.RawMessage) ([]byte, error) {
	object, problem := jsonx.Object(args, maxAnswerArgs)
	if problem != nil {
		return nil, fmt.Errorf("%w: the arguments: %v", ErrBadAnswer, problem)
	}
	checker, err := schema.Compile(cmp.Or(string(parameters), `{"type":"object"}`), nil)
	if err != nil {
		return nil, fmt.Errorf("%w: the schema of the tool: %v", ErrBadAnswer, err)
	}
	if failure := checker.Check(object); failure != nil {
		if len(failure.Issues) == 0 {
			return nil, fmt.Errorf("%w: the arguments do not match the schema of the tool", ErrBadAnswer)
		}
		issue := failure.Issues[0]
		return nil, fmt.Errorf("%w: %s: %s", ErrBadAnswer, issue.Path, issue.Message.In("en"))
	}
	return append([]byte(nil), object...), nil
}

// yesLife is how long a yes can be used.
func yesLife(a *state.Approval) time.Duration {
	switch a.Way {
	case state.WaitRecord:
		return RecordLife
	case state.WaitPermit:
		return PermitLife
	}
	return ConnectionLife
}
