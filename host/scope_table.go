package host

import (
	"cmp"
	"context"
	"encoding/json"
	"slices"
	"strings"
	"time"

	"github.com/gongu-ai/gongu"
)

// Address names an instance of an agent. An empty Agent is the whole bundle,
// an empty Instance the one of [Options].
type Address struct{ Agent, Instance string }

// address fills in the instance.
func (h *Host) address(at Address) Address {
	at.Instance = cmp.Or(at.Instance, h.opts.Instance, "default")
	return at
}

// defaultIdleAfter is when an unused scope is closed.
const defaultIdleAfter = 10 * time.Minute

// hold returns the current bundle and keeps it open until release is called.
func (h *Host) hold() (l *loaded, release func()) {
	h.mu.RLock()
	defer h.mu.RUnlock()
	l = h.current
	l.mu.Lock()
	l.users++
	l.mu.Unlock()
	return l, func() {
		l.mu.Lock()
		l.users--
		last := l.retired && l.users == 0
		l.mu.Unlock()
		if last {
			h.warnClose(l.close())
		}
	}
}

// retire closes a replaced bundle when its last user has released it.
func (l *loaded) retire() error {
	l.mu.Lock()
	l.retired = true
	used := l.users > 0
	l.mu.Unlock()
	if used {
		return nil
	}
	return l.close()
}

// acquireScope returns the scope of an address and keeps it open until release
// is called. It makes a missing one.
func (h *Host) acquireScope(ctx context.Context, at Address) (s *scope, release func(), err error) {
	l, releaseBundle := h.hold()
	s, err = h.useScope(ctx, l, h.address(at))
	if err != nil {
		releaseBundle()
		return nil, nil, err
	}
	return s, func() {
		l.mu.Lock()
		s.users--
		h.armIdle(s)
		l.mu.Unlock()
		releaseBundle()
	}, nil
}

// useScope finds or makes a scope and counts one more user of it.
func (h *Host) useScope(ctx context.Context, l *loaded, at Address) (*scope, error) {
	if made := l.use(at); made != nil {
		return made, nil
	}
	select {
	case l.building <- struct{}{}:
	case <-ctx.Done():
		return nil, ctx.Err()
	}
	defer func() { <-l.building }()
	if made := l.use(at); made != nil {
		return made, nil
	}
	made, err := h.newScope(ctx, l, at, h.registry)
	if err != nil {
		return nil, err
	}
	made.users = 1
	l.mu.Lock()
	defer l.mu.Unlock()
	l.scopes[at], made.home = made, l
	return made, nil
}

// use returns the scope of an address with one more user, or nil.
func (l *loaded) use(at Address) *scope {
	l.mu.Lock()
	defer l.mu.Unlock()
	s := l.scopes[at]
	if s == nil {
		return nil
	}
	s.users++
	if s.idle != nil {
		s.idle.Stop()
	}
	return s
}

// armIdle starts the timer that closes an unused scope. The caller holds the
// mutex of the scopes.
func (h *Host) armIdle(s *scope) {
	if s.users > 0 || s.at.Instance == h.address(Address{}).Instance {
		return
	}
	after := cmp.Or(h.opts.IdleAfter, defaultIdleAfter)
	if s.idle != nil {
		s.idle.Reset(after)
		return
	}
	s.idle = time.AfterFunc(after, func() {
		h.scopesMu.Lock()
		unused := s.users == 0 && s.home.scopes[s.at] == s
		if unused {
			delete(s.home.scopes, s.at)
		}
		h.scopesMu.Unlock()
		if unused {
			h.warnClose(s.close())
		}
	})
}

// takeScopes removes all scopes and returns them, sorted by address.
func (l *loaded) takeScopes() []*scope {
	l.mu.Lock()
	defer l.mu.Unlock()
	all := l.sortedScopes()
	l.scopes = make(map[Address]*scope)
	for _, s := range all {
		if s.idle != nil {
			s.idle.Stop()
		}
	}
	return all
}

// sortedScopes returns the scopes by address. The caller holds l.mu.
func (l *loaded) sortedScopes() []*scope {
	all := make([]*scope, 0, len(l.scopes))
	for _, s := range l.scopes {
		all = append(all, s)
	}
	slices.SortFunc(all, func(a, b *scope) int {
		return cmp.Or(strings.Compare(a.at.Agent, b.at.Agent), strings.Compare(a.at.Instance, b.at.Instance))
	})
	return all
}

// renewScopes makes the scopes of the previous bundle again for the next one, on
// a registry that has its tools already. It drops those of removed agents, and
// leaves those that are kept to putScopes.
func (h *Host) renewScopes(ctx context.Context, before, next *loaded, tools []gongu.Tool) error {
	if before == nil {
		return nil
	}
	before.mu.Lock()
	used := before.sortedScopes()
	before.mu.Unlock()
	if len(used) == 0 {
		return nil
	}
	staged, err := h.stagedRegistry(before, next, tools)
	if err != nil {
		return err
	}
	for _, old := range used {
		if old.at.Agent != "" {
			if _, err := findAgent(next.bundle, old.at.Agent); err != nil {
				continue
			}
		}
		if old.serves(next, staged) {
			continue
		}
		old.save()
		made, err := h.newScope(ctx, next, old.at, staged)
		if err != nil {
			return err
		}
		next.scopes[old.at], made.home = made, next
	}
	return nil
}

// stagedRegistry returns a registry with the tools after the reload: those of the
// next bundle, and those that neither bundle owns.
func (h *Host) stagedRegistry(before, next *loaded, tools []gongu.Tool) (*gongu.Registry, error) {
	owned := map[string]bool{}
	for _, l := range []*loaded{before, next} {
		for _, source := range l.sources {
			owned[source.Identity()] = true
		}
	}
	var all []gongu.Tool
	for _, tool := range h.registry.Tools() {
		if !owned[tool.Source.Identity()] {
			all = append(all, tool)
		}
	}
	staged := gongu.NewRegistry(&gongu.RegistryOptions{Logger: h.opts.Logger})
	for _, domain := range h.registry.Domains() {
		staged.Domain(domain.Name, domain.Description)
	}
	return staged, staged.Add(append(all, tools...)...)
}

// serves reports whether a scope can stay as it is: its agent and its extensions
// did not change, and the tools that it requires are there. Then the memory of
// its extensions and the tools that they added stay.
func (s *scope) serves(next *loaded, staged *gongu.Registry) bool {
	if s.extensions == nil || s.signature == "" || s.signature != s.host.scopeSignature(next, s.at) {
		return false
	}
	if s.agent == nil {
		return true
	}
	return !slices.ContainsFunc(s.agent.Spec.RequiredTools, func(name string) bool {
		tool, added := s.registry.Get(name)
		return !staged.Has(name) && !(added && s.extensions.Owns(tool.Source))
	})
}

// scopeSignature returns a text that differs when a scope must be made again. It
// is empty when that is not known.
func (h *Host) scopeSignature(l *loaded, at Address) string {
	if l.cover == nil || l.bundle == nil {
		return ""
	}
	s := &scope{host: h, at: at}
	var of any
	if at.Agent != "" {
		found, err := findAgent(l.bundle, at.Agent)
		if err != nil {
			return ""
		}
		s.agent, of = found, []any{found.Spec, declaredNames(l.bundle, found)}
	}
	parts := []any{of, l.approved, h.workdir(at, s.agent)}
	for _, use := range s.extensionUses(l.bundle) {
		parts = append(parts, use.Extension.Key(), use.Extension.Spec.Entry, l.cover.Part(use.Extension.Key()), use.Config)
	}
	encoded, err := json.Marshal(parts)
	if err != nil {
		return ""
	}
	return string(encoded)
}

// putScopes moves the scopes of a bundle to the host's registry, which has its
// tools now, with those of the previous bundle that are kept.
func (h *Host) putScopes(before, next *loaded) error {
	next.mu.Lock()
	defer next.mu.Unlock()
	for _, s := range next.scopes {
		if err := s.useRegistry(h.registry); err != nil {
			return err
		}
		h.armIdle(s)
	}
	if before == nil {
		return nil
	}
	for at, s := range before.scopes {
		if next.scopes[at] == nil && s.extensions != nil && s.signature != "" && s.signature == h.scopeSignature(next, at) {
			delete(before.scopes, at)
			next.scopes[at], s.home = s, next
		}
	}
	return nil
}
