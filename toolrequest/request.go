package toolrequest

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"time"

	"github.com/go-json-experiment/json/jsontext"

	"github.com/gongu-ai/gongu/internal/jsonx"
)

// Status is how far a request has come.
type Status string

// The statuses. A queued request waits for a person and is the only open one.
// It becomes approved or rejected, and fulfilled when there is a tool of its
// name; so does an approved one. Nothing else changes.
const (
	Queued    Status = "queued"
	Approved  Status = "approved"
	Rejected  Status = "rejected"
	Fulfilled Status = "fulfilled"
)

func (s Status) known() bool {
	return s == Queued || s == Approved || s == Rejected || s == Fulfilled
}

// mayBecome is the whole table of changes.
func (s Status) mayBecome(next Status) bool {
	switch s {
	case Queued:
		return next == Approved || next == Rejected || next == Fulfilled
	case Approved:
		return next == Fulfilled
	}
	return false
}

// Request is a request for a tool.
type Request struct {
	ID, Name, Description, Rationale string
	// SuggestedParams are names of parameters, or empty.
	SuggestedParams []string
	Status          Status
	CreatedAt       time.Time
	// Agent is the agent that made the request, or empty.
	Agent string
	// Principal is who asked, if that principal sees only its own requests.
	Principal string
	// Proposal is how the tool could be made, such as a macro; nil when there
	// is none.
	Proposal json.RawMessage
	// Reviewer, Reason and ReviewedAt say who decided, why and when.
	Reviewer, Reason string
	ReviewedAt       time.Time

	// Warning is for the caller of [Store.Add] alone and is not kept: what it
	// had to do beside adding, such as putting a broken file aside.
	Warning string
}

// New is a new request. Name and Description are required.
type New struct {
	Name, Description, Rationale string
	SuggestedParams              []string
	Proposal                     json.RawMessage
	// Agent is the agent that asks; empty when it is none.
	Agent string
	// Principal is as in [Request].
	Principal string
}

// Filter chooses requests. The zero value has the first page of all.
type Filter struct {
	// Status leaves out the others; empty takes all.
	Status Status
	// Principal leaves out what others asked for; empty takes all.
	Principal string
	// Limit is the length of a page: 200 when it is 0, and at most 1,000.
	Limit int
	// Cursor is the NextCursor of the page before.
	Cursor string
}

// Page is a part of a list, the oldest request first.
type Page struct {
	Requests []Request
	// NextCursor asks for the page after this one; empty on the last.
	NextCursor string
}

// Decision ends the wait of a request.
type Decision struct {
	Status           Status
	Reviewer, Reason string
	// Digest is that of the request which the reviewer saw. Review refuses a
	// request that has another content by now; empty is for programs that
	// decide without showing it.
	Digest string
	// Agent is the only agent that gets the tool; empty gives it to all.
	Agent string
}

// Store keeps requests. Its errors are of type [*Error] as far as a model or a
// person can do something about them.
type Store interface {
	// Add queues a request. When one of the same name is queued already, it
	// returns that one and true.
	Add(ctx context.Context, n New) (r Request, already bool, err error)
	// Get finds a request, decided or not.
	Get(ctx context.Context, id string) (Request, error)
	// List pages through the requests.
	List(ctx context.Context, f Filter) (Page, error)
	// Review decides about a request.
	Review(ctx context.Context, id string, d Decision) (Request, error)
	// Fulfil marks what was asked for under names that now have a tool, and
	// returns what it changed.
	Fulfil(ctx context.Context, names ...string) ([]Request, error)
}

// wire is a request as the file and a model see it.
type wire struct {
	ID              string          `json:"id"`
	Name            string          `json:"name"`
	Description     string          `json:"description"`
	Rationale       string          `json:"rationale"`
	SuggestedParams []string        `json:"suggested_params,omitempty"`
	Status          Status          `json:"status"`
	CreatedAt       stamp           `json:"created_at,omitzero"`
	Agent           string          `json:"agent,omitempty"`
	Principal       string          `json:"principal,omitempty"`
	Proposal        json.RawMessage `json:"proposal,omitempty"`
	Reviewer        string          `json:"reviewer,omitempty"`
	Reason          string          `json:"reason,omitempty"`
	ReviewedAt      stamp           `json:"reviewed_at,omitzero"`
}

// stamp is a time with exactly three digits for milliseconds, where package
// time would leave out zeros.
type stamp struct{ time.Time }

const stampLayout = "2006-01-02T15:04:05.000Z07:00"

// MarshalJSON keeps the precision that all times of a queue have.
func (s stamp) MarshalJSON() ([]byte, error) {
	return []byte(`"` + s.Format(stampLayout) + `"`), nil
}

func (r *Request) wire() wire {
	return wire{
		ID: r.ID, Name: r.Name, Description: r.Description, Rationale: r.Rationale,
		SuggestedParams: r.SuggestedParams, Status: r.Status, CreatedAt: stamp{r.CreatedAt},
		Agent: r.Agent, Principal: r.Principal, Proposal: r.Proposal, Reviewer: r.Reviewer, Reason: r.Reason, ReviewedAt: stamp{r.ReviewedAt},
	}
}

// Content is what a reviewer decides about: everything that the model wrote.
func (r Request) Content() json.RawMessage {
	w := wire{
		ID: r.ID, Name: r.Name, Description: r.Description, Rationale: r.Rationale,
		SuggestedParams: r.SuggestedParams, Agent: r.Agent, Proposal: r.Proposal,
	}
	value := jsontext.Value(jsonx.Text(w))
	if err := value.Canonicalize(); err != nil {
		return json.RawMessage(jsonx.Text(w)) // what it cannot order counts as it is written
	}
	return json.RawMessage(value)
}

// Digest is the fingerprint of the content.
func (r Request) Digest() string {
	sum := sha256.Sum256(r.Content())
	return "sha256:" + hex.EncodeToString(sum[:])
}

// MarshalJSON writes a request as the file has it.
func (r Request) MarshalJSON() ([]byte, error) { return jsonx.Marshal(r.wire()) }

// UnmarshalJSON reads what MarshalJSON wrote.
func (r *Request) UnmarshalJSON(raw []byte) error {
	var w wire
	if err := json.Unmarshal(raw, &w); err != nil {
		return fmt.Errorf("tool request: %w", err)
	}
	*r = Request{
		ID: w.ID, Name: w.Name, Description: w.Description, Rationale: w.Rationale,
		SuggestedParams: w.SuggestedParams, Status: w.Status, CreatedAt: w.CreatedAt.Time,
		Agent: w.Agent, Principal: w.Principal, Proposal: w.Proposal, Reviewer: w.Reviewer, Reason: w.Reason, ReviewedAt: w.ReviewedAt.Time,
	}
	return nil
}
