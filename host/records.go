package host

import (
	"context"
	"crypto/rand"
	"encoding/json"
	"fmt"
	"iter"
	"log/slog"
	"time"

	"github.com/gongu-ai/gongu"
	"github.com/gongu-ai/gongu/internal/event"
	"github.com/gongu-ai/gongu/state"
	"github.com/gongu-ai/gongu/toolrequest"
)

// recordTime bounds how long a change waits for its record.
const recordTime = 5 * time.Second

// recorder keeps rows about what has happened. Without a store it does nothing.
type recorder struct {
	store  *state.Store
	logger *slog.Logger
}

// record writes rows. A failure is logged: what they are about cannot be undone.
func (r recorder) record(ctx context.Context, rows ...*state.AuditRow) {
	if r.store == nil || len(rows) == 0 {
		return
	}
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), recordTime)
	defer cancel()
	err := r.store.Update(ctx, func(ctx context.Context, tx *state.Tx) error { return tx.Audit(ctx, rows...) })
	if err != nil {
		r.logger.Warn("a change was not recorded", "action", rows[0].Action, "subject", rows[0].Subject, "error", err)
	}
}

// eventRow returns the row of an event, with details as JSON.
func eventRow(ctx context.Context, kind, action, subject string, details any) *state.AuditRow {
	row := &state.AuditRow{Kind: kind, Action: action, Subject: subject, Status: "ok"}
	if p := gongu.PrincipalOf(ctx); p != nil {
		row.Principal, row.PrincipalKind = p.Name, p.Kind
	}
	if raw, err := json.Marshal(details); err == nil {
		row.Payload = &state.AuditPayload{Salt: []byte(rand.Text()), Result: raw}
	}
	return row
}

// recordedRequests records the changes of a queue of tool requests.
type recordedRequests struct {
	toolrequest.Store
	recorder
	// decided means that the queue records its decisions itself.
	decided bool
}

// RecordRequests returns a queue that records what changes in it. The store may be
// nil. Decided is for a queue that records its decisions itself.
func RecordRequests(queue toolrequest.Store, store *state.Store, decided bool, logger *slog.Logger) toolrequest.Store {
	if store == nil {
		return queue
	}
	return &recordedRequests{queue, recorder{store, logger}, decided}
}

// requestDetails are what an event tells of a request.
type requestDetails struct {
	ID     string `json:"id"`
	Name   string `json:"name"`
	Status string `json:"status"`
	Agent  string `json:"agent,omitempty"`
	Digest string `json:"digest,omitempty"`
	Reason string `json:"reason,omitempty"`
}

func requestRow(ctx context.Context, kind, action string, r toolrequest.Request) *state.AuditRow {
	row := eventRow(ctx, kind, "request."+action, r.ID+" "+r.Name, requestDetails{
		ID: r.ID, Name: r.Name, Status: string(r.Status), Agent: r.Agent, Digest: r.Digest(), Reason: r.Reason,
	})
	row.Agent = r.Agent
	return row
}

// Add queues a request and records a new one.
func (q *recordedRequests) Add(ctx context.Context, n toolrequest.New) (toolrequest.Request, bool, error) {
	r, already, err := q.Store.Add(ctx, n)
	if err == nil && !already {
		q.record(ctx, requestRow(ctx, state.AuditEvent, "added", r))
	}
	return r, already, err
}

// Review decides about a request and records the decision.
func (q *recordedRequests) Review(ctx context.Context, id string, d toolrequest.Decision) (toolrequest.Request, error) {
	r, err := q.Store.Review(ctx, id, d)
	if err == nil && !q.decided {
		row := requestRow(ctx, state.AuditDecision, string(d.Status), r)
		row.Principal = d.Reviewer
		q.record(ctx, row)
	}
	return r, err
}

// Fulfil marks requests and records those that it changed.
func (q *recordedRequests) Fulfil(ctx context.Context, names ...string) ([]toolrequest.Request, error) {
	changed, err := q.Store.Fulfil(ctx, names...)
	var rows []*state.AuditRow
	for _, r := range changed {
		rows = append(rows, requestRow(ctx, state.AuditEvent, "fulfilled", r))
	}
	q.record(ctx, rows...)
	return changed, err
}

// recordEvents records what happens while the bundle is open.
func (h *Host) recordEvents() {
	ctx, cancel := context.WithCancel(context.Background())
	events, ended := h.events.Subscribe(ctx), make(chan struct{})
	go func() {
		defer close(ended)
		h.followEvents(ctx, events)
	}()
	h.addCloser(func() error {
		cancel()
		<-ended
		return nil
	})
}

// followEvents records that the bundle was loaded again, that a change of it is
// held back, and that a source works or does not work any more.
func (h *Host) followEvents(ctx context.Context, events iter.Seq[Event]) {
	working := map[string]string{} // the last row of each source
	for e := range events {
		switch e.Kind {
		case event.Reload:
			h.recorder.record(ctx, failed(eventRow(ctx, state.AuditEvent, "reload.done", h.path, reloadDetails{Revision: e.Revision, Error: h.text(e.Err)}), "reload.failed", e.Err))
		case event.Held:
			if held := h.Held(); held != nil {
				h.recorder.record(ctx, eventRow(ctx, state.AuditEvent, "reload.held", h.path, reloadDetails{Digest: held.Digest, Changes: len(held.Changes), Error: h.text(held.Err)}))
			}
		case event.Source:
			details := h.sourceDetails(e.Source)
			if details.Error = h.text(e.Err); working[e.Source] == details.key() {
				continue // it is listed again and again
			}
			working[e.Source] = details.key()
			h.recorder.record(ctx, failed(eventRow(ctx, state.AuditEvent, "source.listed", e.Source, details), "source.failed", e.Err))
		}
	}
}

// text returns the text of an error without secrets.
func (h *Host) text(err error) string {
	if err == nil {
		return ""
	}
	return h.opts.Secrets.Redact(err.Error())
}

// failed changes the row of something that did not work.
func failed(row *state.AuditRow, action string, err error) *state.AuditRow {
	if err != nil {
		row.Action, row.Status = action, "error"
	}
	return row
}

type reloadDetails struct {
	Revision uint64 `json:"revision,omitempty"`
	Digest   string `json:"digest,omitempty"`
	Changes  int    `json:"changes,omitempty"`
	Error    string `json:"error,omitempty"`
}

type sourceDetails struct {
	Source string `json:"source"`
	State  string `json:"state,omitempty"`
	Tools  int    `json:"tools"`
	Held   int    `json:"held,omitempty"`
	Error  string `json:"error,omitempty"`
}

func (d sourceDetails) key() string { return fmt.Sprint(d) }

func (h *Host) sourceDetails(identity string) sourceDetails {
	for _, s := range h.sources.Status() {
		if s.Identity == identity {
			return sourceDetails{Source: identity, State: string(s.State), Tools: s.Tools, Held: s.Held}
		}
	}
	return sourceDetails{Source: identity}
}

// pinDetails are what an event tells of a definition that was accepted.
type pinDetails struct {
	Source string `json:"source"`
	Name   string `json:"name"`
	Was    string `json:"was"`
	Pinned string `json:"pinned,omitempty"`
}
