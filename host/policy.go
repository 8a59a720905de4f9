package host

import (
	"context"

	"github.com/gongu-ai/gongu/policy"
	"github.com/gongu-ai/gongu/state"
)

// PolicyOptions are the rules that count beside those of the bundle, and how a
// person is asked. The zero value has no further rules and nobody to ask.
type PolicyOptions struct {
	// Rules are those of the program that opens the bundle.
	Rules []policy.Set
	// Mode is how much asking a person wants (default: as the rules say).
	Mode policy.Mode
	// Asker asks the person at the terminal of this process, whose name Terminal
	// is; nil is none. Remember keeps that person's answer for later calls.
	Asker    policy.Asker
	Terminal string
	Remember func(ctx context.Context, a *state.Approval, what policy.Remember, by string) error
	// URL returns the page of an approval, or "".
	URL func(id string) string
	// Opened is told of each new question. It must not wait.
	Opened func(context.Context, *state.Approval)
}

// rulebook has the rules of all tiers.
type rulebook struct{ current *policy.Policy }

// Policy returns the rules of all tiers as they are now. It is never nil.
func (h *Host) Policy() *policy.Policy { return h.rules.current }

func (h *Host) openRules() error {
	p, err := policy.New(h.opts.Policy.Rules...)
	if err != nil {
		return err
	}
	h.rules = &rulebook{p}
	return nil
}
