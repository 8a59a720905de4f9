package httpapi

import (
	"context"
	"time"

	"github.com/gongu-ai/gongu"
	"github.com/gongu-ai/gongu/audit"
	"github.com/gongu-ai/gongu/bundle"
	"github.com/gongu-ai/gongu/explore"
	"github.com/gongu-ai/gongu/source"
	"github.com/gongu-ai/gongu/state"
	"github.com/gongu-ai/gongu/toolrequest"
)

// BundleStatus is which state of a bundle runs, and what is held back.
type BundleStatus struct {
	// Path is the bundle; empty means the starter tools.
	Path string `json:"path,omitempty"`
	// Digest is that of what runs, and Consented when and How a person
	// consented to it. They are empty when no consent was needed.
	Digest    string     `json:"digest,omitempty"`
	Consented *time.Time `json:"consented,omitempty"`
	How       string     `json:"how,omitempty"`
	// Held is a change that does not run, because no person has consented to it.
	Held *HeldChange `json:"held,omitempty"`
	// BrokenPolicies are policy files that cannot be used as they are; their last
	// good rules stay in use.
	BrokenPolicies []BrokenPolicy `json:"brokenPolicies,omitempty"`
}

// BrokenPolicy is a policy file that cannot be used.
type BrokenPolicy struct {
	Tier  string `json:"tier"` // admin or user
	Path  string `json:"path"`
	Error string `json:"error"`
}

// HeldChange is a change of a bundle that is not in use.
type HeldChange struct {
	Digest  string          `json:"digest,omitempty"`
	Since   time.Time       `json:"since"`
	Changes []bundle.Change `json:"changes,omitempty"`
	// Error is why the changed bundle cannot be used at all.
	Error string `json:"error,omitempty"`
	// Waiting means that nothing runs, because there was no consent yet.
	Waiting bool `json:"waiting,omitempty"`
	// Accept is the command by which a person accepts the change.
	Accept string `json:"accept,omitempty"`
}

// ServerStatus is the state of a server.
type ServerStatus struct {
	Version string       `json:"version,omitempty"`
	Bundle  BundleStatus `json:"bundle"`
	// Offered tools of all Tools can be called with the credentials of the
	// request.
	Offered int `json:"offered"`
	Tools   int `json:"tools"`
	// Sources are the programs and servers; Troubled of them do not work.
	Sources  int     `json:"sources"`
	Troubled int     `json:"troubled"`
	Pending  Pending `json:"pending"`
	// Records is nil when the server keeps none.
	Records *RecordStatus `json:"records,omitempty"`
}

// RecordStatus is the state of the store of records.
type RecordStatus struct {
	// Engine is sqlite or postgres, Place where the store is, without a password.
	Engine string `json:"engine"`
	Place  string `json:"place"`
	Bytes  int64  `json:"bytes"`
	// Rows is the number of the last audit row, Sealed that of the last one that
	// is sealed.
	Rows     int64      `json:"rows"`
	Sealed   int64      `json:"sealed"`
	SealedAt *time.Time `json:"sealedAt,omitempty"`
	// Hosts is how many hosts have a lease.
	Hosts int64 `json:"hosts"`
	// Queue is what the server that was asked has not written yet, or could not.
	Queue *audit.Stats `json:"queue,omitempty"`
	// Error is why the store cannot be read.
	Error string `json:"error,omitempty"`
}

// StatusOfRecords reports how a store is. The queue may be nil.
func StatusOfRecords(ctx context.Context, store *state.Store, queue *audit.Stats) *RecordStatus {
	s, err := store.Status(ctx)
	if err != nil {
		return &RecordStatus{Engine: store.Engine(), Place: store.String(), Queue: queue, Error: err.Error()}
	}
	out := &RecordStatus{Engine: s.Engine, Place: s.Place, Bytes: s.Bytes, Rows: s.Rows, Sealed: s.Sealed, Hosts: s.Hosts, Queue: queue}
	if s.Sealed > 0 {
		out.SealedAt = new(moment(s.SealedAt))
	}
	return out
}

// Pending counts what waits for a person's decision.
type Pending struct {
	Requests  int `json:"requests"`
	Pins      int `json:"pins"`
	Changes   int `json:"changes"`
	Approvals int `json:"approvals"`
}

func (x *exchange) serverStatus() (any, error) {
	out := ServerStatus{Version: x.api.opts.Version, Tools: countTools(gongu.Everything(x.api.opts.Backend.Registry()))}
	if x.api.opts.Bundle != nil {
		out.Bundle = x.api.opts.Bundle()
	}
	catalog, err := x.catalogOf("")
	if err != nil {
		return nil, err
	}
	out.Offered = countTools(catalog)
	all := x.api.opts.Sources.Status()
	out.Sources, out.Troubled = len(all), Troubled(all)
	verdicts, err := x.api.opts.Sources.Pins()
	if err != nil {
		return nil, err
	}
	out.Pending.Pins = CountHeld(verdicts)
	if store := x.api.opts.Backend.Requests(); store != nil {
		found, err := store.List(x.r.Context(), toolrequest.Filter{Status: toolrequest.Queued, Limit: maxLimit})
		if err != nil {
			return nil, err
		}
		out.Pending.Requests = len(found.Requests)
	}
	if out.Bundle.Held != nil {
		out.Pending.Changes = 1
	}
	if store := x.api.opts.Approvals; store != nil {
		if out.Pending.Approvals, err = store.CountApprovals(x.r.Context()); err != nil {
			return nil, err
		}
	}
	if store := x.api.opts.Store; store != nil {
		var queue *audit.Stats
		if x.api.opts.Queue != nil {
			queue = new(x.api.opts.Queue())
		}
		out.Records = StatusOfRecords(x.r.Context(), store, queue)
	}
	return out, nil
}

// countTools counts the tools of a catalog without the discovery tools, which are
// always there.
func countTools(c *gongu.Catalog) int {
	n := 0
	for _, tool := range c.Callable() {
		if !explore.IsOwn(tool.Name) {
			n++
		}
	}
	return n
}

// Troubled counts the sources that do not work.
func Troubled(all []source.Status) int {
	n := 0
	for _, s := range all {
		if class, _ := stateWord(s.State); class == "bad" || class == "warn" {
			n++
		}
	}
	return n
}
