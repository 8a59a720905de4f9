package host

import (
	"cmp"
	"context"

	"github.com/gongu-ai/gongu"
	"github.com/gongu-ai/gongu/access"
	"github.com/gongu-ai/gongu/policy"
	"github.com/gongu-ai/gongu/state"
)

// Approvals returns the store of the questions to people: that of the records, or
// one in memory.
func (h *Host) Approvals() policy.ApprovalStore { return h.approvals }

func (h *Host) openApprovals() {
	if h.opts.Store != nil {
		h.approvals = h.opts.Store
		return
	}
	h.approvals = policy.NewMemoryApprovals()
}

// policyGuard decides about calls by the rules, and asks people.
func (h *Host) policyGuard() gongu.Guard {
	o := &h.opts.Policy
	return policy.NewGuard(policy.GuardOptions{
		Policy: h.Policy, Mode: h.mode, Store: h.approvals,
		Asker: o.Asker, Terminal: o.Terminal, URL: o.URL, Remember: o.Remember,
		Opened: h.opened, Why: h.whyDenied, Lang: h.opts.Lang, Logger: h.opts.Logger,
	})
}

// mode returns the mode of a caller.
func (h *Host) mode(p *gongu.Principal) policy.Mode { return h.opts.Policy.Mode.For(p) }

// Hidden returns which tools a caller is not shown, because the rules deny every
// call of them; see [access.Options].
func (h *Host) Hidden(p *gongu.Principal, agent string) (hide func(*gongu.Tool) bool, key any) {
	return h.Policy().Hides(p, cmp.Or(agent, h.opts.Executor.AgentName, "api"), h.mode(p))
}

// openAccess makes the rules count for what is shown where the program narrows
// nothing itself.
func (h *Host) openAccess() (err error) {
	if h.opts.Access == nil {
		h.opts.Access, err = access.New(access.Options{Hidden: h.Hidden, Logger: h.opts.Logger})
	}
	return err
}

// opened tells people of a new question.
func (h *Host) opened(ctx context.Context, a *state.Approval) {
	if h.opts.Policy.Opened != nil {
		h.opts.Policy.Opened(ctx, a)
	}
}
