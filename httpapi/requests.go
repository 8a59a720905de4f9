package httpapi

import (
	"cmp"
	"encoding/json"
	"strings"
	"time"

	"github.com/gongu-ai/gongu/internal/lang"
	"github.com/gongu-ai/gongu/toolrequest"
)

// toolRequest is a request for a tool.
type toolRequest struct {
	ID              string          `json:"id"`
	Name            string          `json:"name"`
	Description     string          `json:"description"`
	Rationale       string          `json:"rationale"`
	SuggestedParams []string        `json:"suggestedParams"`
	Status          string          `json:"status"`
	CreatedAt       time.Time       `json:"createdAt,omitzero"`
	Agent           string          `json:"agent,omitempty"`
	Proposal        json.RawMessage `json:"proposal,omitempty"`
	// Digest is the fingerprint of what the model wrote; an approval names it.
	Digest     string    `json:"digest"`
	Reviewer   string    `json:"reviewer,omitempty"`
	Reason     string    `json:"reason,omitempty"`
	ReviewedAt time.Time `json:"reviewedAt,omitzero"`
}

func requestOf(r toolrequest.Request) toolRequest {
	return toolRequest{
		ID: r.ID, Name: r.Name, Description: r.Description, Rationale: r.Rationale,
		SuggestedParams: append([]string{}, r.SuggestedParams...), Status: string(r.Status), CreatedAt: r.CreatedAt,
		Agent: r.Agent, Proposal: r.Proposal, Digest: r.Digest(), Reviewer: r.Reviewer, Reason: r.Reason, ReviewedAt: r.ReviewedAt,
	}
}

type requestList struct {
	Requests   []toolRequest `json:"requests"`
	NextCursor string        `json:"nextCursor,omitempty"`
}

// approveJSON names what the reviewer saw, and may come with the macro to
// install.
type approveJSON struct {
	Digest string `json:"digest"`
	// Agent is the only agent that gets the tool.
	Agent  string          `json:"agent,omitempty"`
	Reason string          `json:"reason,omitempty"`
	Macro  json.RawMessage `json:"macro,omitempty"`
}

type rejectJSON struct {
	Reason string `json:"reason"`
}

func (x *exchange) requests() (toolrequest.Store, error) {
	if store := x.api.opts.Backend.Requests(); store != nil {
		return store, nil
	}
	return nil, fail(CodeNotFound, lang.APINoQueue.With(), lang.APINoQueueHint.With())
}

func (x *exchange) listRequests() (any, error) {
	store, err := x.requests()
	if err != nil {
		return nil, err
	}
	limit, err := x.limit(defaultLimit, maxLimit)
	if err != nil {
		return nil, err
	}
	found, err := store.List(x.r.Context(), toolrequest.Filter{
		Status: toolrequest.Status(x.query("status")), Limit: limit, Cursor: x.query("cursor"),
	})
	if err != nil {
		return nil, err
	}
	list := requestList{Requests: []toolRequest{}, NextCursor: found.NextCursor}
	for _, r := range found.Requests {
		x.api.shown.add(r)
		list.Requests = append(list.Requests, requestOf(r))
	}
	return list, nil
}

func (x *exchange) getRequest() (any, error) {
	store, err := x.requests()
	if err != nil {
		return nil, err
	}
	found, err := store.Get(x.r.Context(), x.r.PathValue("id"))
	if err != nil {
		return nil, err
	}
	x.api.shown.add(found)
	return requestOf(found), nil
}

// reviewer returns the name of the principal that decides.
func (x *exchange) reviewer() string { return cmp.Or(x.who.Name, "api") }

func (x *exchange) approve() (any, error) {
	var in approveJSON
	if err := x.body(&in); err != nil {
		return nil, err
	}
	if string(in.Macro) == "null" {
		in.Macro = nil
	}
	store, err := x.requests()
	if err != nil {
		return nil, err
	}
	id := x.r.PathValue("id")
	// An unknown or decided request is rejected before anything is installed.
	found, err := store.Get(x.r.Context(), id)
	if err != nil {
		return nil, err
	}
	if found.Status != toolrequest.Queued {
		return nil, fail(CodeConflict, lang.RequestClosed.With(found.ID, string(found.Status), string(toolrequest.Approved)), lang.RequestClosedAlready.With())
	}
	if in.Digest == "" {
		return nil, fail(CodeInvalid, lang.APIMissing.With("digest"), lang.APIMissingDigest.With())
	}
	if in.Digest != found.Digest() {
		return nil, fail(CodeConflict, lang.RequestChanged.With(found.ID, clip(in.Digest), found.Digest()), x.api.shown.difference(in.Digest, found))
	}
	err = x.api.opts.Backend.Approve(x.r.Context(), id, toolrequest.Decision{
		Reviewer: x.reviewer(), Reason: strings.TrimSpace(in.Reason), Digest: in.Digest, Agent: in.Agent,
	}, in.Macro)
	if err != nil {
		return nil, refused(err)
	}
	x.about = []string{found.ID, found.Name}
	return x.getRequest()
}

func (x *exchange) reject() (any, error) {
	var in rejectJSON
	if err := x.body(&in); err != nil {
		return nil, err
	}
	reason := strings.TrimSpace(in.Reason)
	if reason == "" {
		return nil, fail(CodeInvalid, lang.APIMissing.With("reason"), lang.APIMissingReason.With())
	}
	store, err := x.requests()
	if err != nil {
		return nil, err
	}
	decided, err := store.Review(x.r.Context(), x.r.PathValue("id"), toolrequest.Decision{
		Status: toolrequest.Rejected, Reviewer: x.reviewer(), Reason: reason,
	})
	if err != nil {
		return nil, err
	}
	x.about = []string{decided.ID, decided.Name}
	return requestOf(decided), nil
}
