package policy

import (
	"context"
	"log/slog"
	"sync"
	"time"

	"github.com/gongu-ai/gongu"
	"github.com/gongu-ai/gongu/internal/lang"
	"github.com/gongu-ai/gongu/internal/shellword"
	"github.com/gongu-ai/gongu/state"
)

// GuardOptions configure [NewGuard]. Policy and Store are required.
type GuardOptions struct {
	// Policy returns the rules as they are now.
	Policy func() *Policy
	// Mode returns the mode of a caller; nil is the default mode.
	Mode  func(*gongu.Principal) Mode
	Store ApprovalStore
	// Describe says what a call will do (default [Describe]).
	Describe Describer
	// Asker asks the person at the terminal of this process; nil asks none.
	// Terminal is the name of that person.
	Asker    Asker
	Terminal string
	// URL returns the address of the page of an approval, or "".
	URL func(id string) string
	// Opened is told of each new approval. It must not wait.
	Opened func(context.Context, *state.Approval)
	// Why returns what gongu why says about a call that a rule denied; nil names
	// the rule and the command gongu why.
	Why func(*gongu.Attempt, *Decision) WhyStep
	// Decided is told of each decision; it may be nil.
	Decided func(*Decision)
	// Remember keeps the answer of the person at the terminal for later calls.
	Remember func(ctx context.Context, a *state.Approval, what Remember, by string) error
	Lang     string
	Logger   *slog.Logger
}

// NewGuard returns the guard that decides about each call by the rules, and asks a
// person where they say so. It belongs after the check of pins and before the
// guard that records the call.
func NewGuard(o GuardOptions) gongu.Guard {
	if o.Mode == nil {
		o.Mode = func(*gongu.Principal) Mode { return Default }
	}
	if o.Describe == nil {
		o.Describe = Describe
	}
	if o.URL == nil {
		o.URL = func(string) string { return "" }
	}
	if o.Logger == nil {
		o.Logger = slog.Default()
	}
	g := &guard{o: o, lang: lang.Of(o.Lang), holds: map[*gongu.Attempt]*hold{}, joints: map[*gongu.Attempt]*joint{}}
	return gongu.Guard{Name: "policy", Check: g.check}
}

type guard struct {
	o    GuardOptions
	lang lang.Lang

	mu sync.Mutex
	// holds has what the guard knows about calls that have not ended, joints what
	// the calls inside of one outermost call share.
	holds  map[*gongu.Attempt]*hold
	joints map[*gongu.Attempt]*joint
}

// hold is what the guard knows about one call. The checks of one call run one
// after the other.
type hold struct {
	// yes is the approval that the call may use, index the call in it; used means
	// that it belongs to this call by now.
	yes   *state.Approval
	index int
	used  bool
	// owner is the name under which the call uses an approval.
	owner string
	// begun means that the limits of a rule have counted the call.
	begun bool
	// mine means that the call opened the approval.
	mine bool
	// resumed means that the approval of a suspended call was looked at.
	resumed bool
}

// approved returns the part of the approval that is about the call.
func (h *hold) approved() *state.ApprovalCall { return &h.yes.Calls[h.index] }

// maxAsked is how often one call is asked about, because the rules changed while a
// person was asked.
const maxAsked = 4

// check decides about a call. After each answer of a person it decides again.
func (g *guard) check(ctx context.Context, a *gongu.Attempt) *gongu.Error {
	if a.Parent != nil && !a.DryRun {
		g.follow(a)
	}
	for range maxAsked + 1 {
		p := g.o.Policy()
		r := g.request(ctx, a)
		d := p.Decide(ctx, &r.Request)
		a.Note("rule", d.Rule.String())
		if g.o.Decided != nil {
			g.o.Decided(&d)
		}
		if d.Effect == Deny {
			g.drop(ctx, a)
			if s := a.Resumed(); s != nil && s.Approval != "" {
				g.cancel(ctx, s.Approval)
			}
			return g.denied(a, &d)
		}
		if a.DryRun {
			if d.Effect == Ask {
				a.Note("asks", d.Rule.String())
			}
			return nil
		}
		h := g.known(a)
		switch {
		case h != nil && h.yes != nil:
			again, refusal := g.settle(ctx, a, r, p, &d, h)
			if again {
				continue
			}
			return refusal
		case d.Effect == Allow && (a.Resumed() == nil || h != nil && h.resumed):
			if r.looked {
				a.Expect(r.preview().Files) // they decided that nobody is asked
			}
			return g.begin(a, p, &d)
		}
		done, refusal := g.ask(ctx, a, r, &d, g.hold(a))
		if refusal != nil {
			return refusal
		}
		if done {
			return g.begin(a, p, &d)
		}
	}
	g.drop(ctx, a)
	return &gongu.Error{Code: gongu.CodeDenied, Message: lang.GuardAskedOften.In(g.lang, a.Call.Name)}
}

// request is a request with the preview, which is made once, if it is needed.
type request struct {
	Request
	preview func() *Preview
	// looked means that the preview was needed to decide.
	looked bool
}

func (g *guard) request(ctx context.Context, a *gongu.Attempt) *request {
	r := &request{preview: sync.OnceValue(func() *Preview { return new(g.o.Describe(ctx, a)) })}
	r.Tool, r.Call, r.Principal, r.Now = a.SharedTool(), a.Call, a.Principal, time.Now()
	r.Agent, r.Mode = a.Context().AgentName, g.o.Mode(a.Principal)
	if a.Parent != nil {
		r.Parent = a.Parent.Call.Name
	}
	r.InWorkdir = func() bool {
		r.looked = true
		return r.preview().InWorkdir
	}
	return r
}

// known returns what the guard knows about a call, or nil.
func (g *guard) known(a *gongu.Attempt) *hold {
	g.mu.Lock()
	defer g.mu.Unlock()
	return g.holds[a]
}

// hold returns what the guard knows about a call, and forgets it at its end.
func (g *guard) hold(a *gongu.Attempt) *hold {
	g.mu.Lock()
	defer g.mu.Unlock()
	if h := g.holds[a]; h != nil {
		return h
	}
	h := &hold{owner: ownerOf(a)}
	g.holds[a] = h
	a.OnEnd(func(gongu.Result) {
		g.mu.Lock()
		defer g.mu.Unlock()
		delete(g.holds, a)
	})
	return h
}

// drop gives up a yes that the call did not use.
func (g *guard) drop(ctx context.Context, a *gongu.Attempt) {
	h := g.known(a)
	if h == nil || h.yes == nil {
		return
	}
	if !h.used {
		g.cancel(ctx, h.yes.ID)
	}
	h.yes, h.used = nil, false
}

// begin counts the call for the limits of its rule.
func (g *guard) begin(a *gongu.Attempt, p *Policy, d *Decision) *gongu.Error {
	if d.Limits == (Limits{}) {
		return nil
	}
	a.Limit(gongu.Limits{Timeout: d.Limits.Timeout, Output: d.Limits.Output})
	if d.Limits.Rate.Calls == 0 && d.Limits.Concurrent == 0 {
		return nil
	}
	h := g.hold(a)
	if h.begun {
		return nil
	}
	end, refused := p.Begin(d, time.Now())
	if refused != nil {
		hint := lang.GuardBusyHint.In(g.lang)
		if refused.After > 0 {
			hint = lang.GuardRateHint.In(g.lang, refused.After.Round(time.Millisecond))
		}
		return &gongu.Error{Code: gongu.CodeDenied, Message: lang.GuardRate.In(g.lang, d.Rule, a.Call.Name), Suggestion: hint}
	}
	h.begun = true
	a.OnEnd(func(gongu.Result) { end() })
	return nil
}

func (g *guard) denied(a *gongu.Attempt, d *Decision) *gongu.Error {
	if g.o.Why == nil {
		out := &gongu.Error{
			Code: gongu.CodeDenied, Message: lang.GuardDenied.In(g.lang, a.Call.Name, d.Rule),
			Suggestion: lang.GuardDeniedHint.In(g.lang, shellword.Join("gongu", "why", a.Call.Name)),
		}
		if d.Message != "" {
			out.Message += " " + d.Message
		}
		return out
	}
	step := g.o.Why(a, d)
	out := &gongu.Error{Code: gongu.CodeDenied, Message: lang.WhyDenied.In(g.lang, a.Call.Name, step.Text), Suggestion: lang.WhyTell.In(g.lang)}
	if step.Command != "" {
		out.Suggestion += " " + lang.WhyChange.In(g.lang, step.Command)
	}
	return out
}
