package host

import (
	"context"

	"github.com/gongu-ai/gongu/policy"
	"github.com/gongu-ai/gongu/state"
)

// openNotifier makes what tells people of questions, as the policy files of the
// administrator and of the user say.
func (h *Host) openNotifier() error {
	if len(h.rules.files) == 0 || h.opts.Inspect {
		return nil
	}
	n, err := policy.NewNotifier(policy.NotifierOptions{
		Targets: h.notifyTargets, Store: h.approvals, URL: h.opts.Policy.URL,
		AllowPrivate: h.opts.System.AllowPrivate, Logger: h.opts.Logger,
	})
	if err != nil {
		return err
	}
	h.notifier = n
	h.addCloser(func() error {
		n.Close()
		return nil
	})
	return nil
}

// notifyTargets returns who is told of questions now.
func (h *Host) notifyTargets() []policy.Notify {
	var targets []policy.Notify
	for _, f := range h.PolicyFiles() {
		for _, p := range f.Policies {
			if t := (policy.Notify{Command: p.Spec.Notify.Command, Webhook: p.Spec.Notify.Webhook}); len(t.Command) > 0 || t.Webhook != "" {
				targets = append(targets, t)
			}
		}
	}
	return targets
}

// opened tells people of a new question.
func (h *Host) opened(ctx context.Context, a *state.Approval) {
	if h.notifier != nil {
		h.notifier.Opened(ctx, a)
	}
	if h.opts.Policy.Opened != nil {
		h.opts.Policy.Opened(ctx, a)
	}
}
