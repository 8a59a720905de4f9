package policy

import (
	"context"
	"encoding/json"
	"errors"
	"time"

	"github.com/gongu-ai/gongu/state"
)

// errCannotAsk means that a way turned out to reach no person.
var errCannotAsk = errors.New("no person was asked")

const (
	// minDecision is the shortest time in which a person can read a question and
	// decline. A client that declines earlier did so without asking one.
	minDecision = 300 * time.Millisecond
	// pollInterval is how often a waiting call reads its approval, besides the
	// hints of the store.
	pollInterval = 2 * time.Second
)

// wait asks in one way and waits until the approval no longer does. A decision from
// anywhere ends the wait. The approval is still pending if it may wait for longer
// than this call.
func (k *asking) wait(ctx context.Context, w way) (found *state.Approval, err error) {
	if k.joint != nil {
		defer k.joint.leave(k)
	}
	err = k.a.Await(ctx, func(ctx context.Context) error {
		ctx, stop := context.WithCancel(ctx)
		defer stop()
		if k.opened.Way != state.WaitConnection { // it expires much later
			timer := time.AfterFunc(ConnectionLife, stop)
			defer timer.Stop()
		}
		found, err = k.follow(ctx, w)
		return err
	})
	return found, err
}

// follow reads the approval until it is decided. It asks again if other calls
// have joined the approval.
func (k *asking) follow(ctx context.Context, w way) (*state.Approval, error) {
	hints := k.o.Store.WatchApprovals(ctx)
	poll := time.NewTicker(pollInterval)
	defer poll.Stop()
	var asked int64
	var answers chan error
	stop := func() {}
	defer func() { stop() }()
	for {
		found, err := k.o.Store.GetApproval(ctx, k.opened.ID)
		switch {
		case ctx.Err() != nil:
			return k.opened, nil // its time is over
		case err != nil:
			return nil, err
		case found.State != state.ApprovalPending || k.joint != nil && found.Calls[k.h.index].Approved:
			return found, nil
		}
		if found.Version != asked && k.leads(w) {
			stop()
			asked = found.Version
			answers, stop = k.question(ctx, w, found)
		}
		select {
		case _, open := <-hints:
			if !open {
				hints = nil
			}
		case <-poll.C:
		case err := <-answers:
			if err != nil {
				return nil, err
			}
			answers = nil
		case <-ctx.Done():
		}
	}
}

// leads reports whether this call asks. Of the calls inside of one outermost call,
// one does.
func (k *asking) leads(w way) bool {
	return w != wayWatch && (k.joint == nil || k.joint.leads(k))
}

// question asks about one version of the approval, in the background.
func (k *asking) question(ctx context.Context, w way, found *state.Approval) (chan error, func()) {
	ctx, stop := context.WithCancel(ctx)
	answers, ended := make(chan error, 1), make(chan struct{})
	go func() {
		defer close(ended)
		err := k.putQuestion(ctx, w, found)
		if ctx.Err() == nil {
			answers <- err
		}
	}()
	return answers, func() {
		stop()
		if w == wayAsker { // it withdraws the question, or still remembers the answer
			<-ended
		}
	}
}

// putQuestion asks and records the answer. An error means that there was none.
func (k *asking) putQuestion(ctx context.Context, w way, found *state.Approval) error {
	var err error
	switch w {
	case wayAsker:
		err = k.askTerminal(ctx, found)
	case wayForm:
		err = k.askForm(ctx, found)
	case wayURL:
		err = k.askURL(ctx, found)
	}
	if errors.Is(err, ErrNoAnswer) {
		return errCannotAsk
	}
	if err != nil && ctx.Err() == nil && !errors.Is(err, errCannotAsk) {
		k.o.Logger.Warn("a question about a call failed", "tool", k.a.Call.Name, "approval", found.ID, "error", err)
		return errCannotAsk
	}
	return err
}

func (k *asking) askTerminal(ctx context.Context, found *state.Approval) error {
	answer, err := k.o.Asker.Ask(ctx, found)
	if err != nil {
		return err
	}
	decided, outcome, err := Resolve(ctx, k.o.Store, found.ID, Decider{Name: k.o.Terminal, Kind: ByTerminal}, answer, found.Version, "")
	if err != nil || outcome != Decided || answer.Remember == RememberNothing || k.o.Remember == nil {
		return err
	}
	if err := k.o.Remember(context.WithoutCancel(ctx), decided, answer.Remember, k.o.Terminal); err != nil {
		k.o.Logger.Error("the answer was not remembered", "approval", found.ID, "error", err)
	}
	return nil
}

// askForm asks through the caller's client, which is known to show questions to
// a person.
func (k *asking) askForm(ctx context.Context, found *state.Approval) error {
	question, fits := k.form(found)
	if !fits {
		return errCannotAsk
	}
	began := time.Now()
	answer, err := k.a.Context().Caller.Elicit(ctx, "", question)
	if err != nil {
		return err
	}
	return k.clientSays(ctx, found, answer, time.Since(began))
}

// clientSays records the answer that a client gave to a form.
func (k *asking) clientSays(ctx context.Context, found *state.Approval, answer json.RawMessage, after time.Duration) error {
	yes, no := answerOf(answer)
	if !yes && (!no || after < minDecision) {
		return errCannotAsk
	}
	name, _ := nameOf(k.a.Principal)
	_, _, err := Resolve(ctx, k.o.Store, found.ID, Decider{Name: name, Kind: ByClient, Principal: k.a.Principal}, Answer{Approve: yes}, found.Version, "")
	if errors.Is(err, ErrMayNotDecide) {
		return errCannotAsk
	}
	return err
}

// askURL shows the person at the client the address of the approval's page. Only
// the page decides.
func (k *asking) askURL(ctx context.Context, found *state.Approval) error {
	answer, err := k.a.Context().Caller.Elicit(ctx, "", k.address(found))
	if err != nil {
		return err
	}
	if actionOf(answer) != "accept" {
		return errCannotAsk
	}
	return nil
}
