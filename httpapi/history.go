package httpapi

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/gongu-ai/gongu/access"
	"github.com/gongu-ai/gongu/internal/lang"
	"github.com/gongu-ai/gongu/state"
)

// CallView is a call in the history.
type CallView struct {
	ID string `json:"id"`
	// Seq is the place of the call in the records.
	Seq           int64     `json:"seq"`
	Parent        string    `json:"parent,omitempty"`
	Trace         string    `json:"trace,omitempty"`
	Tool          string    `json:"tool"`
	Source        string    `json:"source,omitempty"`
	Agent         string    `json:"agent,omitempty"`
	Instance      string    `json:"instance,omitempty"`
	Principal     string    `json:"principal,omitempty"`
	PrincipalKind string    `json:"principalKind,omitempty"`
	Status        string    `json:"status"`
	Code          string    `json:"code,omitempty"`
	Rule          string    `json:"rule,omitempty"`
	Approval      string    `json:"approval,omitempty"`
	Started       time.Time `json:"started"`
	// Milliseconds is how long it took.
	Milliseconds float64 `json:"milliseconds"`
	ArgumentSize int64   `json:"argumentSize"`
	ResultSize   int64   `json:"resultSize"`
}

// ViewCall returns what is shown of a row about a call.
func ViewCall(r *state.AuditRow) CallView {
	return CallView{
		ID: r.CallID, Seq: r.Seq, Parent: r.ParentID, Trace: r.Trace, Tool: r.Tool, Source: r.Source, Agent: r.Agent,
		Instance: r.Instance, Principal: r.Principal, PrincipalKind: r.PrincipalKind, Status: r.Status, Code: r.Code,
		Rule: r.Rule, Approval: r.Approval, Started: moment(r.Started), Milliseconds: float64(r.Duration) / 1000,
		ArgumentSize: r.ArgsSize, ResultSize: r.ResultSize,
	}
}

// moment is a time of the records.
func moment(microseconds int64) time.Time { return time.UnixMicro(microseconds).UTC() }

type callList struct {
	Calls      []CallView `json:"calls"`
	NextCursor string     `json:"nextCursor,omitempty"`
}

// callTreeName is the name of a [CallTree] in the document.
const callTreeName = "RecordedCall"

// CallTree is a call with what is kept of its arguments and result, and with
// the calls that it made.
type CallTree struct {
	CallView
	// Arguments and Result are redacted, shortened when they are long, and
	// missing when they were erased.
	Arguments json.RawMessage `json:"arguments,omitempty"`
	Result    json.RawMessage `json:"result,omitempty"`
	Calls     []CallTree      `json:"calls,omitempty"`
	// Async is set for a call that was answered with 202.
	Async *AsyncCall `json:"async,omitempty"`
}

// EventView is what a stream of events and the audit tell of a row.
type EventView struct {
	Seq  int64     `json:"seq"`
	Time time.Time `json:"time"`
	// Kind is call, decision, event, or the name of a change of the records.
	Kind    string `json:"kind"`
	Action  string `json:"action,omitempty"`
	Subject string `json:"subject,omitempty"`
	// By is who decided or asked.
	By     string `json:"by,omitempty"`
	Status string `json:"status,omitempty"`
	// Tool and Agent are those of an approval, whose id is the subject.
	Tool  string `json:"tool,omitempty"`
	Agent string `json:"agent,omitempty"`
	// Call is set for a call. Phase is begin for one that has only begun.
	Call    *CallView       `json:"call,omitempty"`
	Phase   string          `json:"phase,omitempty"`
	Details json.RawMessage `json:"details,omitempty"`
}

// ViewEvent returns what is shown of a row.
func ViewEvent(r *state.AuditRow) EventView {
	e := EventView{Seq: r.Seq, Time: moment(r.Time), Kind: r.Kind, Status: r.Status}
	if r.Kind == state.AuditCall {
		e.Call, e.Phase = new(ViewCall(r)), r.Phase
		return e
	}
	e.Action, e.Subject, e.By = r.Action, r.Subject, r.Principal
	if r.Topic() == topicApproval {
		e.Tool, e.Agent = r.Tool, r.Agent
	}
	if r.Payload != nil && json.Valid(r.Payload.Result) {
		e.Details = r.Payload.Result
	}
	return e
}

// records returns the store.
func (x *exchange) records() (*state.Store, error) {
	if store := x.api.opts.Store; store != nil {
		return store, nil
	}
	return nil, fail(CodeNotFound, lang.APINoRecords.With(), lang.APINoRecordsHint.With())
}

// topicApproval is the topic of rows about approvals.
const topicApproval = "approval"

// maySee reports whether the principal may see a row: its own calls; the approvals
// of its calls, or all if it decides about them; requests, if it may read those; everything, if it sees the whole server.
func (x *exchange) maySee(r *state.AuditRow) bool {
	switch {
	case access.Whole(x.who) == nil:
		return true
	case r.Kind == state.AuditCall:
		return access.Owns(x.who, r.Principal) == nil
	case r.Topic() == topicApproval:
		return access.Decide(x.who, access.DecideApproval) == nil && x.who.Agents == nil ||
			r.Kind == state.AuditEvent && access.Owns(x.who, r.Principal) == nil
	}
	return r.Topic() == "request" && access.Requests(x.who) == nil
}

// auditFilter reads the filters and the place in the list that a request asks for.
func (x *exchange) auditFilter(kind string) (state.AuditFilter, error) {
	f := state.AuditFilter{
		Kind: kind, Tool: x.query("tool"), Principal: x.query("principal"), Agent: x.query("agent"),
		Status: x.query("status"), Trace: x.query("trace"),
	}
	var err error
	if f.Limit, err = x.limit(defaultLimit, maxLimit); err != nil {
		return f, err
	}
	if text := x.query("since"); text != "" {
		since, err := time.Parse(time.RFC3339, text)
		if err != nil {
			return f, fail(CodeInvalid, lang.APIBadValue.With("since", clip(text)), lang.APISinceHint.With())
		}
		f.Since = max(since.UnixMicro(), 1)
	}
	if text := x.query("cursor"); text != "" {
		if f.Before, err = strconv.ParseInt(text, 36, 64); err != nil || f.Before < 1 {
			return f, fail(CodeInvalid, lang.APIBadValue.With("cursor", clip(text)), lang.APICursorHint.With())
		}
	}
	return f, nil
}

// auditPage reads a page of rows and the cursor of the next one. A page that the
// store found nothing for in time is not the end, so it reads on.
func (x *exchange) auditPage(store *state.Store, f state.AuditFilter) (rows []*state.AuditRow, next string, err error) {
	for range maxEmptyPages {
		page, err := store.AuditPage(x.r.Context(), f)
		if err != nil {
			return nil, "", err
		}
		rows = append(rows, page.Rows...)
		f.Limit -= len(page.Rows)
		if f.Before = page.Next; page.Next == 0 || f.Limit <= 0 {
			break
		}
	}
	if f.Before > 0 {
		next = strconv.FormatInt(f.Before, 36)
	}
	return rows, next, nil
}

// maxEmptyPages bounds the search for one page.
const maxEmptyPages = 8

func (x *exchange) listCalls() (any, error) {
	store, err := x.records()
	if err != nil {
		return nil, err
	}
	f, err := x.auditFilter(state.AuditCall)
	if err != nil {
		return nil, err
	}
	list := callList{Calls: []CallView{}}
	if access.Whole(x.who) != nil {
		if f.Principal != "" && access.Owns(x.who, f.Principal) != nil {
			return list, nil
		}
		f.Principal = x.who.Name
	}
	rows, next, err := x.auditPage(store, f)
	if err != nil {
		return nil, err
	}
	for _, r := range rows {
		list.Calls = append(list.Calls, ViewCall(r))
	}
	list.NextCursor = next
	return list, nil
}

// getCall finds the last call with an id, and the calls below it.
func (x *exchange) getCall() (any, error) {
	store, err := x.records()
	if err != nil {
		return nil, err
	}
	id, owner := x.r.PathValue("id"), ""
	if strings.HasPrefix(id, asyncPrefix) {
		return x.getAsync(id)
	}
	if access.Whole(x.who) != nil {
		owner = x.who.Name
	}
	found, err := FindCall(x.r.Context(), store, id, owner)
	if errors.Is(err, state.ErrNotFound) {
		return nil, fail(CodeNotFound, lang.APINoCall.With(clip(id)), lang.APINoCallHint.With())
	}
	return found, err
}

// FindCall returns the last call with an id, and the calls below it. With an owner
// it finds only calls of that principal. The error wraps [state.ErrNotFound] if
// there is none.
func FindCall(ctx context.Context, store *state.Store, id, owner string) (*CallTree, error) {
	page, err := store.AuditPage(ctx, state.AuditFilter{Kind: state.AuditCall, Call: id, Principal: owner, Limit: 1})
	if err != nil {
		return nil, err
	}
	if len(page.Rows) == 0 {
		return nil, fmt.Errorf("call %q: %w", id, state.ErrNotFound)
	}
	found := page.Rows[0]
	if found.Trace == "" {
		return new(treeOf(found, nil, 0)), nil
	}
	below, err := store.AuditPage(ctx, state.AuditFilter{Kind: state.AuditCall, Trace: found.Trace, Principal: owner, Limit: maxLimit})
	if err != nil {
		return nil, err
	}
	return new(treeOf(found, below.Rows, maxTree)), nil
}

// maxTree is how deep the calls below a call are shown.
const maxTree = 16

// treeOf returns a call with those of the rows that are below it, in the order
// in which they began.
func treeOf(r *state.AuditRow, all []*state.AuditRow, depth int) CallTree {
	out := CallTree{CallView: ViewCall(r)}
	if p := r.Payload; p != nil {
		out.Arguments, out.Result = kept(p.Args), kept(p.Result)
	}
	if depth == 0 || r.CallID == "" {
		return out
	}
	for _, child := range all {
		if child.ParentID == r.CallID && child.Seq != r.Seq {
			out.Calls = append(out.Calls, treeOf(child, all, depth-1))
		}
	}
	slices.SortStableFunc(out.Calls, func(a, b CallTree) int {
		return cmp.Or(a.Started.Compare(b.Started), cmp.Compare(a.Seq, b.Seq))
	})
	return out
}

// kept returns what is kept of arguments or of a result as JSON: text, if it was
// shortened.
func kept(raw []byte) json.RawMessage {
	if len(raw) == 0 || json.Valid(raw) {
		return raw
	}
	text, err := json.Marshal(string(raw))
	if err != nil {
		return nil
	}
	return text
}
