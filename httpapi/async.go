package httpapi

import (
	"crypto/rand"
	"encoding/json"
	"errors"
	"net/http"
	"strings"
	"time"

	"github.com/gongu-ai/gongu"
	"github.com/gongu-ai/gongu/access"
	"github.com/gongu-ai/gongu/internal/lang"
	"github.com/gongu-ai/gongu/internal/resume"
	"github.com/gongu-ai/gongu/policy"
	"github.com/gongu-ai/gongu/state"
)

// AsyncCall is a call that waits for a person, or did so: POST /calls with the
// header Prefer: respond-async was answered before it ran.
type AsyncCall struct {
	// State is suspended, started, done, cancelled or unknown.
	State string `json:"state"`
	// Approval is what the call waits for, and Link its page.
	Approval string    `json:"approval,omitempty"`
	Link     string    `json:"link,omitempty"`
	Expires  time.Time `json:"expires,omitzero"`
	// Result is that of the call, once it has ended.
	Result *gongu.Result `json:"result,omitempty"`
}

const (
	// asyncPrefix begins the ids of these calls: no id of a plain call does.
	asyncPrefix = "async_"
	// asyncLife is how long a call waits: a little longer than its approval, so
	// that the end of that is its result.
	asyncLife = policy.RecordLife + time.Hour
	// asyncKept is how long a result is kept.
	asyncKept = 24 * time.Hour
)

// asyncOrigin is what the record of such a call has about its caller.
type asyncOrigin struct {
	Principal gongu.Principal `json:"principal"`
	// Agent is what the caller asked for.
	Agent string `json:"agent,omitempty"`
}

// accepted is a reply that the request will be answered later.
type acceptedReply struct {
	location string
	body     any
}

// prefersAsync reports whether a request has the preference respond-async (RFC
// 7240).
func prefersAsync(r *http.Request) bool {
	for _, line := range r.Header["Prefer"] {
		for part := range strings.SplitSeq(line, ",") {
			name, _, _ := strings.Cut(part, ";")
			if strings.EqualFold(strings.TrimSpace(name), "respond-async") {
				return true
			}
		}
	}
	return false
}

// suspendCall records a call that a guard suspended.
func (x *exchange) suspendCall(s *gongu.Suspended, agent string) (any, error) {
	origin, err := encodeOrigin(asyncOrigin{*x.who, agent})
	if err != nil {
		return nil, err
	}
	w := resume.Waiting(s)
	c := state.Call{
		ID: asyncPrefix + strings.ToLower(rand.Text()), Kind: state.KindAsync, State: state.CallSuspended, Round: 1, Principal: x.who.Name,
		Agent: w.Agent, Instance: w.Instance, Tool: s.Call.Name, CallID: w.CallID, Digest: w.Digest, Args: w.Args, Approval: w.Approval, Capabilities: origin,
	}
	err = x.api.opts.Store.AddCall(x.r.Context(), &c, asyncLife, state.CallLimits{All: policy.MaxPending, Each: policy.MaxPendingEach})
	if errors.Is(err, state.ErrTooMany) {
		return nil, fail(CodeBusy, lang.APITooManyAsync.With(), lang.APITooManyAsyncHint.With())
	}
	if err != nil {
		return nil, err
	}
	x.w.Header().Set("Preference-Applied", "respond-async")
	return acceptedReply{Prefix + "/calls/" + c.ID, x.api.viewAsync(&c, x.lang)}, nil
}

// viewAsync returns what is shown of a call that waits or has waited.
func (a *API) viewAsync(c *state.Call, l lang.Lang) *CallTree {
	out := &CallTree{CallView: CallView{
		ID: c.ID, Tool: c.Tool, Agent: c.Agent, Instance: c.Instance, Principal: c.Principal, Status: c.State, Approval: c.Approval,
		Started: c.Created.UTC(), ArgumentSize: int64(len(c.Args)), ResultSize: int64(len(c.Result)),
	}}
	out.Async = &AsyncCall{State: c.State, Approval: c.Approval}
	if !c.Expires.IsZero() {
		out.Async.Expires = c.Expires.UTC()
	}
	if c.State == state.CallSuspended && a.opts.ApprovalURL != nil {
		out.Async.Link = a.opts.ApprovalURL(c.Approval)
	}
	if c.Ended() {
		out.Milliseconds = float64(c.Updated.Sub(c.Created).Microseconds()) / 1000
		out.Async.Result = asyncResult(c, l)
		out.Status = out.Async.Result.Status
		if e := out.Async.Result.Error; e != nil {
			out.Code = e.Code
		}
	}
	return out
}

// asyncResult returns the result of a call that has ended.
func asyncResult(c *state.Call, l lang.Lang) *gongu.Result {
	var r gongu.Result
	if c.State == state.CallDone && json.Unmarshal(c.Result, &r) == nil {
		return &r
	}
	e := &gongu.Error{Code: gongu.CodeCancelled, Name: "ToolCancelledError", Message: lang.MessageCancelled.In(l, c.Tool), Suggestion: lang.SuggestCancelled.In(l)}
	if c.State == state.CallUnknown {
		e = &gongu.Error{Code: gongu.CodeOutcomeUnknown, Name: "ToolOutcomeUnknownError", Message: lang.ServeHostEnded.In(l, c.Tool), Suggestion: lang.SuggestOutcomeUnknown.In(l)}
	}
	e.HelpURL = lang.HelpBase + "/" + e.Code
	r = gongu.Fail(e)
	r.ToolCallID, r.ToolName = c.CallID, c.Tool
	return &r
}

// getAsync returns a call of the principal that waits or has waited.
func (x *exchange) getAsync(id string) (any, error) {
	c, err := x.api.opts.Store.GetCall(x.r.Context(), id)
	if errors.Is(err, state.ErrNotFound) || err == nil && (c.Kind != state.KindAsync || access.Owns(x.who, c.Principal) != nil) {
		return nil, fail(CodeNotFound, lang.APINoCall.With(clip(id)), lang.APINoCallHint.With())
	}
	if err != nil {
		return nil, err
	}
	return x.api.viewAsync(c, x.lang), nil
}
