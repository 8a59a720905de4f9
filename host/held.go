package host

import (
	"path/filepath"
	"time"

	"github.com/gongu-ai/gongu/bundle"
	"github.com/gongu-ai/gongu/internal/event"
	"github.com/gongu-ai/gongu/internal/fsx"
	"github.com/gongu-ai/gongu/internal/lang"
	"github.com/gongu-ai/gongu/internal/shellword"
)

// Held is a change of the bundle that is not in use, because no person has consented
// to it.
type Held struct {
	// Digest is that of the changed bundle; empty when it has errors.
	Digest string
	Since  time.Time
	// Changes are the differences to what runs.
	Changes []bundle.Change
	// Err is why the changed bundle cannot be used at all.
	Err error
	// Accept is the command by which a person accepts the change, or finds what is
	// wrong with it.
	Accept string
	// Waiting means that nothing runs, because there is no consent yet.
	Waiting bool
}

// Held returns the change that is held back, or nil.
func (h *Host) Held() *Held { return h.held.Load() }

// Consented returns the digest of what runs and how it was consented to; false
// means that no consent was needed.
func (h *Host) Consented() (Consent, bool) {
	l := h.now()
	return l.consent, l.consent.Digest != ""
}

// hold reports a change that is not used. A change of the same files as before is
// reported once: a log file in a program's folder changes all the time.
func (h *Host) holdBack(next *Held) {
	before := h.held.Load()
	next.Since, next.Accept = time.Now(), h.acceptCommand(next.Err)
	for i, c := range next.Changes {
		next.Changes[i].By, _ = h.WrittenBy(fsx.Resolve(filepath.Join(h.dir, filepath.FromSlash(c.Label))))
	}
	if before != nil && sameChanges(before, next) {
		next.Since = before.Since
		h.held.Store(next)
		return
	}
	h.held.Store(next)
	if h.opts.Watch || next.Waiting {
		var names []string
		for _, c := range next.Changes {
			names = append(names, string(c.Kind)+" "+c.Label)
		}
		h.opts.Logger.Warn(lang.HostHeld.In(h.lang()), "bundle", h.path, "changes", names, "accept", next.Accept, "error", next.Err)
	}
	h.events.Publish(Event{Kind: event.Held})
}

// acceptCommand returns the command that accepts the bundle as it is, from any
// folder.
func (h *Host) acceptCommand(broken error) string {
	path := h.dir
	if h.single() {
		path = filepath.Join(h.dir, filepath.Base(h.path))
	}
	if broken != nil {
		return shellword.Join("gongu", "validate", path)
	}
	return shellword.Join("gongu", "trust", path)
}

func sameChanges(a, b *Held) bool {
	if a.Waiting != b.Waiting || len(a.Changes) != len(b.Changes) || (a.Err == nil) != (b.Err == nil) {
		return false
	}
	for i, c := range a.Changes {
		if c.Label != b.Changes[i].Label || c.Kind != b.Changes[i].Kind || c.Summary != b.Changes[i].Summary {
			return false
		}
	}
	return true
}

// released forgets a held change when the present one is in use.
func (h *Host) released(err error) error {
	if err == nil && h.held.Swap(nil) != nil {
		h.events.Publish(Event{Kind: event.Held})
	}
	return err
}
