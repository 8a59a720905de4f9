package ask

import (
	"context"
	"errors"
	"time"

	"github.com/gongu-ai/gongu/internal/terminal"
	"github.com/gongu-ai/gongu/policy"
	"github.com/gongu-ai/gongu/state"
)

// lookEvery is how often approvals are read, besides the hints of the store.
const lookEvery = 2 * time.Second

// Person decides about approvals at the terminal of this process.
type Person struct {
	Asker *Asker
	Store policy.ApprovalStore
	Name  string
}

// Decision is what became of a question.
type Decision struct {
	Approval *state.Approval
	Answer   policy.Answer
	// Outcome is decided, or already if the approval was decided elsewhere.
	Outcome policy.Outcome
	// Refused is why the answer does not count; nil if it does.
	Refused error
	// NotRemembered is why the answer counts only once, against the wish of the
	// person; nil if there was none.
	NotRemembered error
}

// Decide shows an approval and asks about it, again if it changes meanwhile,
// until it is decided.
func (p *Person) Decide(ctx context.Context, id string) (Decision, error) {
	tty, err := terminal.Open()
	if err != nil {
		return Decision{}, err
	}
	defer tty.Close()
	for {
		a, err := p.Store.GetApproval(ctx, id)
		if err != nil {
			return Decision{}, err
		}
		if a.State != state.ApprovalPending {
			return Decision{Approval: a, Outcome: policy.Already}, nil
		}
		d, err := p.ask(ctx, tty, a, "")
		if d.Outcome != policy.Changed || err != nil {
			return d, err
		}
	}
}

// ask asks about one version of an approval.
func (p *Person) ask(ctx context.Context, tty *terminal.Terminal, a *state.Approval, more string) (Decision, error) {
	asked, stop := context.WithCancelCause(ctx)
	defer stop(nil)
	go p.follow(asked, a, stop)
	answer, err := p.Asker.ask(asked, a, tty, more)
	ended, isEnded := errors.AsType[*Ended](context.Cause(asked))
	switch {
	case ctx.Err() != nil:
		return Decision{}, ctx.Err()
	case err != nil && isEnded:
		return Decision{Approval: ended.Approval, Outcome: policy.Already}, nil
	case err != nil && errors.Is(context.Cause(asked), errChanged):
		return Decision{Approval: a, Outcome: policy.Changed}, nil
	case err != nil:
		return Decision{}, err
	}
	return p.resolve(ctx, a, answer)
}

// resolve records an answer. A yes binds to the version that was shown.
func (p *Person) resolve(ctx context.Context, a *state.Approval, answer policy.Answer) (Decision, error) {
	by := policy.Decider{Name: p.Name, Kind: policy.ByTerminal}
	decided, outcome, err := policy.Resolve(ctx, p.Store, a.ID, by, answer, a.Version, "")
	d := Decision{Approval: decided, Answer: answer, Outcome: outcome}
	if errors.Is(err, policy.ErrMayNotDecide) || errors.Is(err, policy.ErrBadAnswer) {
		d.Refused = err
		return d, nil
	}
	if err == nil && outcome == policy.Decided && answer.Remember != policy.RememberNothing {
		d.NotRemembered = p.Asker.Remember(ctx, p.Store, decided, answer.Remember)
	}
	return d, err
}

// Deny declines an approval as it was shown.
func (p *Person) Deny(ctx context.Context, a *state.Approval, reason string) (Decision, error) {
	return p.resolve(ctx, a, policy.Answer{Reason: reason})
}

// follow ends the question about an approval that is decided elsewhere, has ended
// or has changed.
func (p *Person) follow(ctx context.Context, shown *state.Approval, stop context.CancelCauseFunc) {
	hints := p.Store.WatchApprovals(ctx)
	look := time.NewTicker(lookEvery)
	defer look.Stop()
	for ctx.Err() == nil {
		a, err := p.Store.GetApproval(ctx, shown.ID)
		switch {
		case err != nil: // the answer will tell
		case a.State != state.ApprovalPending:
			stop(&Ended{a})
			return
		case a.Version != shown.Version:
			stop(errChanged)
			return
		}
		select {
		case _, open := <-hints:
			if !open {
				hints = nil
			}
		case <-look.C:
		case <-ctx.Done():
		}
	}
}
