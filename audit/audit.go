// Package audit records calls and decisions in the store of package state.
//
// A [Recorder] observes an executor: it writes one row for each call, in batches
// of at most 100 ms. For calls that must be on record it has a guard, which
// commits a begin row before the handler runs; the end row is committed before
// the answer. Rows have digests of the exact arguments and results; the copies
// beside them are redacted, bounded and erasable.
package audit

import (
	"cmp"
	"context"
	"errors"
	"log/slog"
	"strconv"
	"sync"
	"sync/atomic"
	"time"

	"github.com/gongu-ai/gongu"
	"github.com/gongu-ai/gongu/internal/lang"
	"github.com/gongu-ai/gongu/internal/secret"
	"github.com/gongu-ai/gongu/internal/trace"
	"github.com/gongu-ai/gongu/state"
)

// Options configure a [Recorder]. Nil and zero values are fine.
type Options struct {
	// Required makes the guard put every call on record before it runs.
	Required bool
	// Secrets are replaced in what rows keep.
	Secrets *secret.Vault
	// Payload is how many bytes of arguments and of a result rows keep (default
	// 64 KiB). Of larger ones they keep the first 4 KiB. Negative keeps none.
	Payload int
	// Every is how long a row waits for others to share its transaction
	// (default 100 ms, which is also the longest).
	Every time.Duration
	// Queue is how many rows (default 4,096) and QueueBytes how many bytes
	// (default 16 MiB) wait for the store. When they do, a call waits up to Wait
	// (default 2 s) before its row is lost and counted.
	Queue, QueueBytes int
	Wait              time.Duration
	// Seal writes a seal each second, if no other host does.
	Seal bool
	// Lang is the language of the guard's errors: en (default) or ko.
	Lang   string
	Logger *slog.Logger
}

const (
	defaultPayload    = 64 << 10
	previewBytes      = 4 << 10
	longestBatch      = 100 * time.Millisecond
	defaultQueue      = 4096
	defaultQueueBytes = 16 << 20
	defaultWait       = 2 * time.Second
	// commitTime is how long a begin or an end row may take.
	commitTime = 10 * time.Second
)

// Recorder writes the rows of calls. Put it into the observers of an executor,
// and its [Recorder.Guard] behind all other guards.
type Recorder struct {
	store  *state.Store
	opts   Options
	lang   lang.Lang
	redact redactor
	queue  queue
	// reported of the lost rows are in rows of kind gap; the writer's own.
	reported int64

	written, lost, failures, refused, seals atomic.Int64
	lastError                               atomic.Pointer[string]
	stop                                    context.CancelFunc
	work                                    sync.WaitGroup
	closing                                 sync.Once
	closed                                  error
}

var _ gongu.Observer = (*Recorder)(nil)

// New returns a recorder and starts its writer. End it with Close before the
// store is closed.
func New(store *state.Store, opts *Options) *Recorder {
	r := &Recorder{store: store}
	if opts != nil {
		r.opts = *opts
	}
	o := &r.opts
	o.Payload = cmp.Or(o.Payload, defaultPayload)
	o.Every = min(cmp.Or(max(o.Every, 0), longestBatch), longestBatch)
	o.Queue = cmp.Or(max(o.Queue, 0), defaultQueue)
	o.QueueBytes = cmp.Or(max(o.QueueBytes, 0), defaultQueueBytes)
	o.Wait = cmp.Or(max(o.Wait, 0), defaultWait)
	if o.Logger == nil {
		o.Logger = slog.New(slog.DiscardHandler)
	}
	r.lang, _ = lang.Parse(o.Lang)
	r.redact.secrets = o.Secrets
	r.queue.init(o.Queue, o.QueueBytes)
	ctx, cancel := context.WithCancel(context.Background())
	r.stop = cancel
	r.work.Go(r.write)
	if o.Seal {
		r.work.Go(func() { r.sealLoop(ctx) })
	}
	return r
}

// Begin does nothing: the row of a call is written at its end.
func (r *Recorder) Begin(ctx context.Context, _ *gongu.Attempt) context.Context { return ctx }

// noteBegin is the note with the number of the begin row of a call.
const noteBegin = "audit"

// End writes the row of a call: now, if the call has a begin row, else with the
// next batch. A dry run is not a call.
func (r *Recorder) End(ctx context.Context, a *gongu.Attempt, result gongu.Result) {
	if a.DryRun {
		return
	}
	e := r.entryOf(ctx, a)
	e.row.Status, e.row.Phase = result.Status, state.PhaseSingle
	if result.Error != nil {
		e.row.Code = result.Error.Code
	}
	for key, value := range a.Notes() {
		switch key {
		case noteBegin:
			e.row.Begins, _ = strconv.ParseInt(value, 10, 64)
		case "rule":
			e.row.Rule = value
		case "approval":
			e.row.Approval = value
		case "suspended":
			e.row.Status, e.row.Code, e.row.Approval = "suspended", "", value
		}
	}
	e.took = time.Since(a.Started)
	e.keepResult(result, r.opts.Payload)
	if e.row.Begins == 0 {
		e.keepArgs(a.Call.Args, r.opts.Payload)
		r.enqueue(e)
		return
	}
	e.row.Phase = state.PhaseEnd
	// The caller may have left; the row is written all the same.
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), commitTime)
	defer cancel()
	if err := r.commit(ctx, e); err != nil {
		r.lost.Add(1)
		r.failed("an end row was not written; the audit shows the outcome of the call as unknown", err)
	}
}

// Guard returns the guard that puts a call on record before its handler runs. It
// comes after all other guards. Required is asked for calls that the options do
// not require to be on record; nil requires no others. Without a recorder, the
// guard of a nil one refuses what is required.
func (r *Recorder) Guard(required func(a *gongu.Attempt) bool) gongu.Guard {
	return gongu.Guard{Name: "record", Check: func(ctx context.Context, a *gongu.Attempt) *gongu.Error {
		always := r != nil && r.opts.Required
		if a.DryRun || !always && (required == nil || !required(a)) {
			return nil
		}
		if r == nil {
			return &gongu.Error{Code: gongu.CodeAudit, Message: lang.MessageAudit.In(lang.English, a.Call.Name)}
		}
		if err := r.begin(ctx, a); err != nil {
			r.refused.Add(1)
			r.failed("a call was refused, because it could not be recorded", err)
			return &gongu.Error{Code: gongu.CodeAudit, Message: lang.MessageAudit.In(r.lang, a.Call.Name)}
		}
		return nil
	}}
}

// begin commits the begin row of a call.
func (r *Recorder) begin(ctx context.Context, a *gongu.Attempt) error {
	ctx, cancel := context.WithTimeout(ctx, commitTime)
	defer cancel()
	e := r.entryOf(ctx, a)
	e.row.Phase, e.row.Status = state.PhaseBegin, state.AuditStarted
	token, err := r.hostToken(ctx)
	if err != nil {
		return err
	}
	e.row.Host = token
	e.keepArgs(a.Call.Args, r.opts.Payload)
	if err := r.commit(ctx, e); err != nil {
		return err
	}
	a.Note(noteBegin, strconv.FormatInt(e.row.Seq, 10))
	return nil
}

// entryOf returns an entry with what is known of a call at any time.
func (r *Recorder) entryOf(ctx context.Context, a *gongu.Attempt) *entry {
	about := a.Context()
	e := &entry{started: a.Started}
	e.params, e.output = a.Schemas()
	row := &e.row
	row.Kind, row.CallID, row.Tool = state.AuditCall, a.Call.ID, a.Call.Name
	row.Agent, row.Instance = about.AgentName, about.InstanceKey
	if row.Trace = trace.ID(ctx); row.Trace == "" {
		row.Trace = about.TraceID
	}
	if a.Parent != nil {
		row.ParentID = a.Parent.Call.ID
	}
	if p := a.Principal; p != nil {
		row.Principal, row.PrincipalKind = p.Name, p.Kind
	}
	if source := a.Source(); source.Type != "" {
		row.Source = source.Identity()
	}
	return e
}

// commit writes the row of one entry in a transaction.
func (r *Recorder) commit(ctx context.Context, e *entry) error {
	e.finish(&r.redact)
	err := r.store.Update(ctx, func(ctx context.Context, tx *state.Tx) error { return writeEntries(ctx, tx, []*entry{e}) })
	if err == nil {
		r.written.Add(1)
	}
	return err
}

// failed counts and logs a failure of the store.
func (r *Recorder) failed(what string, err error) {
	r.failures.Add(1)
	text := r.opts.Secrets.Redact(err.Error())
	r.lastError.Store(&text)
	if !errors.Is(err, context.Canceled) {
		r.opts.Logger.Error(what, "error", text)
	}
}

// Stats are the figures of a recorder since it was made.
type Stats struct {
	// Written rows are committed; Waiting ones are not yet.
	Written int64 `json:"written"`
	Waiting int64 `json:"waiting"`
	// Lost rows could not be written, Refused calls did not run because of
	// that, and Failures counts what the store did not take at the first try.
	Lost     int64 `json:"lost"`
	Refused  int64 `json:"refused"`
	Failures int64 `json:"failures"`
	Seals    int64 `json:"seals"`
	// LastError is the latest failure.
	LastError string `json:"lastError,omitempty"`
}

// Stats returns the figures.
func (r *Recorder) Stats() Stats {
	s := Stats{
		Written: r.written.Load(), Waiting: r.queue.waiting(), Lost: r.lost.Load(), Refused: r.refused.Load(),
		Failures: r.failures.Load(), Seals: r.seals.Load(),
	}
	if text := r.lastError.Load(); text != nil {
		s.LastError = *text
	}
	return s
}
