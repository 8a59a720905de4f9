package gongu

import (
	"context"
	"errors"
)

// names maps names to tools: those of a registry itself, then those of its base.
// It is immutable.
type names struct {
	own  map[string]*entry
	base *names
	// only narrows the base to a view of it; nil is all of it.
	only map[string]struct{}
}

func namesOf(entries []*entry) *names {
	own := make(map[string]*entry, len(entries))
	for _, e := range entries {
		own[e.tool.Name] = e
	}
	return &names{own: own}
}

// find returns the tool of a name, or nil.
func (n *names) find(name string) *entry {
	for n != nil {
		if e, ok := n.own[name]; ok {
			return e
		}
		if n.only != nil {
			if _, ok := n.only[name]; !ok {
				return nil
			}
		}
		n = n.base
	}
	return nil
}

// snapshot returns the current state of the registry. That of an overlay is
// combined from its own and its base's, once after each change of either, and
// shares the entries of both.
func (s *store) snapshot() *snapshot {
	for {
		own := s.current.Load()
		if own.below == nil {
			return own
		}
		known, base := s.combined.Load(), own.below.snapshot()
		if known != nil && known.own == own && known.base == base {
			return known
		}
		next := &snapshot{
			// Both only grow, so the sum changes with either.
			revision: own.revision + base.revision,
			byName:   &names{own: own.byName.own, base: base.byName, only: own.below.allow},
			domains:  mergeDomains(base.domains, own.domains),
			own:      own,
			base:     base,
		}
		if s.combined.CompareAndSwap(known, next) {
			s.reportHidden(known, next)
			return next
		}
	}
}

// reportHidden logs names that were added to the base although the overlay has
// them: the base does not know its overlays and cannot refuse them.
func (s *store) reportHidden(before, now *snapshot) {
	for _, e := range now.own.order {
		below := now.own.below.findIn(now.base, e.tool.Name)
		if below == nil || before != nil && before.own.below.findIn(before.base, e.tool.Name) == below {
			continue
		}
		s.logger.Warn("tool hides one of the base registry", "tool", e.tool.Name, "owner", e.tool.Source.Identity(), "hidden", below.tool.Source.Identity())
	}
}

// allEntries returns the tools in order: the base's, then the overlay's own.
func (s *store) allEntries(snap *snapshot) []*entry {
	if snap.own == nil {
		return snap.order
	}
	below, own := snap.own.below.entriesIn(snap.base), snap.own
	if len(own.order) == 0 {
		return below
	}
	all := make([]*entry, 0, len(below)+len(own.order))
	for _, e := range below {
		if _, hidden := own.byName.own[e.tool.Name]; !hidden {
			all = append(all, e)
		}
	}
	return append(all, own.order...)
}

// Rebase atomically replaces the base of an overlay. A name that both have stays
// the overlay's. It lets a program prepare an overlay on one registry and, once
// its configuration is accepted, put it on the registry in use.
func (r *Registry) Rebase(base *Registry) error {
	if r.allow != nil {
		return errReadOnly
	}
	r.write.Lock()
	defer r.write.Unlock()
	old := r.current.Load()
	if old.below == nil || base == nil {
		return errors.New("rebase: only an overlay can get another base; make it with RegistryOptions.Base")
	}
	next := old.successor(old.order)
	next.below = base
	// The revision of the whole must grow although that of the base may not.
	next.revision += old.below.Revision()
	r.publish(old, next)
	return nil
}

// mergeDomains returns base with own added; a description of own replaces
// base's.
func mergeDomains(base, own []Domain) []Domain {
	if len(own) == 0 {
		return base
	}
	merged := append(make([]Domain, 0, len(base)+len(own)), base...)
	for _, d := range own {
		merged = declareDomain(merged, d)
	}
	return merged
}

// wait returns when the state is no longer current, or ctx ends.
func (snap *snapshot) wait(ctx context.Context) {
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	select {
	case <-ctx.Done():
	case <-snap.changed(ctx):
	}
}

// changed returns a channel that is closed when the state is no longer current.
// For an overlay a goroutine waits for both parts until ctx ends.
func (snap *snapshot) changed(ctx context.Context) <-chan struct{} {
	if snap.base == nil {
		return snap.superseded
	}
	either := make(chan struct{})
	own, base := snap.own.superseded, snap.base.changed(ctx)
	go func() {
		defer close(either)
		select {
		case <-own:
		case <-base:
		case <-ctx.Done():
		}
	}()
	return either
}
