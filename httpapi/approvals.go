package httpapi

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"slices"
	"strings"
	"time"
	"unicode"

	"github.com/gongu-ai/gongu"
	"github.com/gongu-ai/gongu/access"
	"github.com/gongu-ai/gongu/internal/ask"
	"github.com/gongu-ai/gongu/internal/lang"
	"github.com/gongu-ai/gongu/policy"
	"github.com/gongu-ai/gongu/state"
)

// Approvals are the questions about calls that people decide. *state.Store is
// one.
type Approvals interface {
	policy.ApprovalStore
	// Approvals returns a page of those that a filter selects, the newest first.
	Approvals(ctx context.Context, f state.ApprovalFilter) (state.ApprovalPage, error)
}

type approvalList struct {
	Approvals  []ask.View `json:"approvals"`
	NextCursor string     `json:"nextCursor,omitempty"`
}

// decisionJSON is what a person decides.
type decisionJSON struct {
	Approve *bool `json:"approve"`
	// Version is that of the approval that was shown. A yes needs it.
	Version int64  `json:"version,omitempty"`
	Reason  string `json:"reason,omitempty"`
	// Args replace the arguments of the only call.
	Args json.RawMessage `json:"args,omitempty"`
	// Request names the decision: the same one again changes nothing.
	Request string `json:"request,omitempty"`
	// Agent and Instance, if they are given, are those that made the call.
	Agent    *string `json:"agent,omitempty"`
	Instance *string `json:"instance,omitempty"`
}

// decisionReply is the approval after a decision.
type decisionReply struct {
	ask.View
	// Outcome is decided, or duplicate for a decision that was sent again.
	Outcome string `json:"outcome"`
}

// viewApproval returns what is shown of an approval. Whole adds what the calls
// do.
func (a *API) viewApproval(v *state.Approval, whole bool, l lang.Lang) ask.View {
	out := ask.ViewOf(v)
	if a.opts.ApprovalURL != nil {
		out.Link = a.opts.ApprovalURL(v.ID)
	}
	for i := range out.Calls {
		c := &out.Calls[i]
		if whole {
			c.Text = previewText(&v.Calls[i], l, nil)
			continue
		}
		c.Source, c.Definition, c.RuleDigest, c.Changed, c.Args, c.Files, c.Preview = "", "", "", false, nil, nil, nil
	}
	return out
}

// previewText returns what a call will do, as a person reads it.
func previewText(c *state.ApprovalCall, l lang.Lang, paint func(colour, text string) string) string {
	p := policy.Preview{Kind: policy.KindCall}
	if len(c.Preview) > 0 && json.Unmarshal(c.Preview, &p) != nil {
		p = policy.Preview{Kind: policy.KindCall}
	}
	if c.Changed { // the preview is of other arguments
		p = policy.Preview{Kind: policy.KindCall}
	}
	return p.Text(policy.TextOptions{Lang: string(l), Args: c.Args, Whole: true, Paint: paint})
}

// approvals returns the store of approvals.
func (x *exchange) approvals() (Approvals, error) {
	if x.api.opts.Approvals == nil {
		return nil, fail(CodeNotFound, lang.APINoApprovals.With(), lang.APINoApprovalsHint.With())
	}
	return x.api.opts.Approvals, nil
}

// mayShow reports whether the principal may see an approval: its own; others, if
// it decides about those of the agent.
func (x *exchange) mayShow(v *state.Approval) bool {
	if access.Decide(x.who, access.DecideApproval) == nil && (x.who.Agents == nil || x.who.MayUse(v.Agent)) {
		return true
	}
	return access.Owns(x.who, v.Principal) == nil
}

// The parts of a list without a state: what waits comes first.
const (
	partPending = "p."
	partRest    = "r."
)

func approvalStates() []string {
	return []string{
		state.ApprovalPending, state.ApprovalApproved, state.ApprovalUsed, state.ApprovalRejected, state.ApprovalCancelled, state.ApprovalExpired,
	}
}

func (x *exchange) listApprovals() (any, error) {
	limit, err := x.limit(defaultLimit, maxLimit)
	if err != nil {
		return nil, err
	}
	wanted := x.query("state")
	if wanted != "" && !slices.Contains(approvalStates(), wanted) {
		return nil, fail(CodeInvalid, lang.APIBadValue.With("state", clip(wanted)), x.oneOf(wanted, approvalStates()))
	}
	found, next, err := x.pageOfApprovals(state.ApprovalFilter{State: wanted, Agent: x.query("agent"), Limit: limit}, x.query("cursor"))
	if err != nil {
		return nil, err
	}
	list := approvalList{Approvals: []ask.View{}, NextCursor: next}
	for _, v := range found {
		list.Approvals = append(list.Approvals, x.api.viewApproval(v, false, x.lang))
	}
	return list, nil
}

// pageOfApprovals returns the approvals that the principal may see. Without a
// state those that wait come first, and then the others; both the newest first.
func (x *exchange) pageOfApprovals(f state.ApprovalFilter, cursor string) (found []*state.Approval, next string, err error) {
	store, err := x.approvals()
	if err != nil {
		return nil, "", err
	}
	if access.Decide(x.who, access.DecideApproval) != nil {
		f.Principal = x.who.Name
	}
	wanted, part, most := f.State, partPending, f.Limit
	if f.After = cursor; wanted == "" && cursor != "" {
		part, f.After = cursor[:min(2, len(cursor))], cursor[min(2, len(cursor)):]
		if part != partPending && part != partRest {
			return nil, "", fail(CodeInvalid, lang.APIBadValue.With("cursor", clip(cursor)), lang.APICursorHint.With())
		}
	}
	for range maxEmptyPages {
		if wanted == "" && part == partPending {
			f.State = state.ApprovalPending
		} else {
			f.State = wanted
		}
		f.Limit = most - len(found)
		page, err := store.Approvals(x.r.Context(), f)
		if errors.Is(err, state.ErrInvalid) {
			return nil, "", fail(CodeInvalid, lang.APIBadValue.With("cursor", clip(cursor)), lang.APICursorHint.With())
		}
		if err != nil {
			return nil, "", err
		}
		for _, v := range page.Approvals {
			if x.mayShow(v) && (wanted != "" || part == partPending || v.State != state.ApprovalPending) {
				found = append(found, v)
			}
		}
		f.After = page.Next
		if wanted == "" && part == partPending && page.Next == "" {
			part = partRest
		} else if page.Next == "" {
			return found, "", nil
		}
		if len(found) >= most {
			break
		}
	}
	if wanted == "" {
		return found, part + f.After, nil
	}
	return found, f.After, nil
}

// approval returns one that the principal may see.
func (x *exchange) approval(id string) (*state.Approval, error) {
	store, err := x.approvals()
	if err != nil {
		return nil, err
	}
	found, err := store.GetApproval(x.r.Context(), id)
	if errors.Is(err, state.ErrNotFound) || err == nil && !x.mayShow(found) {
		return nil, fail(CodeNotFound, lang.APINoApproval.With(clip(id)), lang.APINoApprovalHint.With())
	}
	return found, err
}

func (x *exchange) getApproval() (any, error) {
	found, err := x.approval(x.r.PathValue("id"))
	if err != nil {
		return nil, err
	}
	return x.api.viewApproval(found, true, x.lang), nil
}

func (x *exchange) decideApproval() (any, error) {
	var in decisionJSON
	if err := x.body(&in); err != nil {
		return nil, err
	}
	if string(in.Args) == "null" {
		in.Args = nil
	}
	after, outcome, err := x.decide(x.r.PathValue("id"), &in)
	if err != nil {
		return nil, err
	}
	return decisionReply{x.api.viewApproval(after, true, x.lang), string(outcome)}, nil
}

// maxRequest is the longest name of a decision.
const maxRequest = 128

// decide decides about an approval as the principal of the request. The errors
// say who was faster.
func (x *exchange) decide(id string, in *decisionJSON) (*state.Approval, policy.Outcome, error) {
	if in.Approve == nil {
		return nil, "", fail(CodeInvalid, lang.APIMissing.With("approve"), lang.APIMissingApprove.With())
	}
	if *in.Approve && in.Version <= 0 {
		return nil, "", fail(CodeInvalid, lang.APIMissing.With("version"), lang.APIMissingVersion.With())
	}
	if len(in.Request) > maxRequest || strings.ContainsFunc(in.Request, func(r rune) bool { return !unicode.IsPrint(r) }) {
		return nil, "", fail(CodeInvalid, lang.APIBadField.With("request"), lang.APIBadCallID.With(maxRequest))
	}
	found, err := x.approval(id)
	if err != nil {
		return nil, "", err
	}
	if in.Agent != nil && *in.Agent != found.Agent || in.Instance != nil && *in.Instance != found.Instance {
		return nil, "", fail(CodeConflict, lang.APIOtherConversation.With(found.ID, found.Agent, found.Instance), lang.APIOtherConversationHint.With())
	}
	by := x.decider()
	if by.Kind != policy.BySession && access.Owns(x.who, found.Principal) == nil {
		return nil, "", fail(CodeForbidden, lang.APIOwnCall.With(), lang.APIOwnCallHint.With())
	}
	answer := policy.Answer{Approve: *in.Approve, Args: in.Args, Reason: strings.TrimSpace(in.Reason)}
	after, outcome, err := policy.Resolve(x.r.Context(), x.api.opts.Approvals, found.ID, by, answer, in.Version, in.Request)
	x.about = []string{found.ID, found.Tool}
	switch {
	case errors.Is(err, policy.ErrMayNotDecide):
		return after, "", &failure{code: CodeForbidden, message: textOf(err), hint: lang.APIMayNotDecideHint.With().In, cause: err}
	case errors.Is(err, policy.ErrBadAnswer):
		return after, "", &failure{code: CodeRefused, message: textOf(err), hint: lang.APIBadAnswerHint.With().In, cause: err}
	case err != nil:
		return after, "", err
	case outcome == policy.Changed:
		return after, outcome, fail(CodeConflict, lang.APIApprovalChanged.With(after.ID, after.Version), lang.APIApprovalChangedHint.With())
	case outcome == policy.Already:
		return after, outcome, fail(CodeConflict, alreadyText(after), lang.APIApprovalAlreadyHint.With())
	}
	return after, outcome, nil
}

func textOf(err error) func(lang.Lang) string {
	return func(lang.Lang) string { return err.Error() }
}

// alreadyText says what became of an approval, and through whom.
func alreadyText(v *state.Approval) lang.Message {
	if v.By == "" {
		return lang.APIApprovalOver.With(v.ID, v.State)
	}
	return lang.APIApprovalAlready.With(v.ID, v.State, v.By)
}

// decider is who decides with this request.
func (x *exchange) decider() policy.Decider {
	kind := policy.ByToken
	if x.who.Kind == policy.BySession {
		kind = policy.BySession
	}
	return policy.Decider{Name: x.reviewer(), Kind: kind, Principal: x.who}
}

// isPerson reports whether a principal is a person's session that can decide.
func isPerson(p *gongu.Principal) bool {
	return p.Kind == policy.BySession && p.Person && access.Decide(p, access.DecideApproval) == nil
}

// presenceInterval is how often the presence of a session is recorded.
const presenceInterval = 20 * time.Second

// see records that a person's session can see questions.
func (a *API) see(ctx context.Context, who *gongu.Principal) {
	if a.opts.Approvals == nil || !isPerson(who) || !a.present.due(who, time.Now()) {
		return
	}
	if err := a.opts.Approvals.SeePerson(ctx, policy.BySession, cmp.Or(who.Name, policy.BySession)); err != nil && ctx.Err() == nil {
		a.opts.Logger.Warn("the presence of a person was not recorded", "error", err)
	}
}
