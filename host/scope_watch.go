package host

import (
	"slices"
	"sync"
)

// toolNews tells those who want to know that an agent's own tools changed.
type toolNews struct {
	mu  sync.Mutex
	all []*func(agent string)
}

// WatchTools calls fn with the name of an agent when its extensions have
// added, changed or taken back tools of their own while it works, until stop is
// called; the name is empty for the whole bundle. What all agents share is in
// [Host.Registry], which can be watched itself. Fn must not block.
func (h *Host) WatchTools(fn func(agent string)) (stop func()) {
	n := &h.news
	added := &fn
	n.mu.Lock()
	defer n.mu.Unlock()
	n.all = append(n.all, added)
	return func() {
		n.mu.Lock()
		defer n.mu.Unlock()
		n.all = slices.DeleteFunc(n.all, func(f *func(string)) bool { return f == added })
	}
}

// changed says that the tools of the extensions changed.
func (s *scope) changed() {
	if !s.live.Load() {
		return // they are being loaded, or let go with everything else
	}
	n := &s.host.news
	n.mu.Lock()
	all := slices.Clone(n.all)
	n.mu.Unlock()
	for _, fn := range all {
		(*fn)(s.at.Agent)
	}
}
