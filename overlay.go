package gongu

import "context"

// names finds tools by name: those of a registry itself, then those of its
// base. It never changes once it is made.
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

// find returns nil for an unknown name.
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

// snapshot returns the state of the registry now. That of an overlay is put
// together from its own and its base's, once after each change of either, and
// shares the entries of both.
func (s *store) snapshot() *snapshot {
	if s.base == nil {
		return s.current.Load()
	}
	for {
		known := s.combined.Load()
		own, base := s.current.Load(), s.base.snapshot()
		if known != nil && known.own == own && known.base == base {
			return known
		}
		next := &snapshot{
			// Both only grow, so the sum changes with either.
			revision: own.revision + base.revision,
			byName:   &names{own: own.byName.own, base: base.byName, only: s.base.allow},
			domains:  mergeDomains(base.domains, own.domains),
			own:      own,
			base:     base,
		}
		if s.combined.CompareAndSwap(known, next) {
			s.reportShadowed(next)
			return next
		}
	}
}

// reportShadowed logs names that the base has gained although the overlay has
// them: the base does not know its overlays and cannot refuse.
func (s *store) reportShadowed(snap *snapshot) {
	for _, e := range snap.own.order {
		if below := s.base.findIn(snap.base, e.tool.Name); below != nil {
			s.logger.Warn("tool hides one of the base registry", "tool", e.tool.Name, "owner", e.tool.Source.Identity(), "hidden", below.tool.Source.Identity())
		}
	}
}

// allEntries returns the tools in order: the base's, then the overlay's own.
func (s *store) allEntries(snap *snapshot) []*entry {
	if s.base == nil {
		return snap.order
	}
	below, own := s.base.entriesIn(snap.base), snap.own
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

// mergeDomains is base with own added; a description of own replaces base's.
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

// wait returns when the state is no longer the current one, or ctx ends.
func (snap *snapshot) wait(ctx context.Context) {
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	select {
	case <-ctx.Done():
	case <-snap.changed(ctx):
	}
}

// changed is closed when the state is no longer the current one. For an overlay
// a goroutine waits for both parts until ctx ends.
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
