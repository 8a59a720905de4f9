package auth

import (
	"slices"
	"sync"

	"github.com/gongu-ai/gongu"
)

// The values of [gongu.Principal].Kind that this package sets.
const (
	KindToken = "token"
	KindOIDC  = "oidc"
	// KindSession is a browser session, made from a login link.
	KindSession   = "session"
	KindAnonymous = "anonymous"
)

// anonymousName is the name of every caller without authentication. No token
// can have it.
const anonymousName = "anonymous"

// manageAll is the value of Principal.Manage that allows all decisions.
const manageAll = "all"

// rulesOf turns globs of tool names into rules. nil, which allows everything,
// stays nil.
func rulesOf(globs []string) []gongu.Rule {
	if globs == nil {
		return nil
	}
	rules := make([]gongu.Rule, len(globs))
	for i, glob := range globs {
		rules[i] = gongu.Rule{Name: glob}
	}
	return rules
}

// maxInterned bounds the principals of a JWT verifier that are kept.
const maxInterned = 1024

// interned keeps one principal for each token, so that what is cached for a
// principal can be found by its pointer.
type interned struct {
	mu    sync.Mutex
	known map[digest]*gongu.Principal
}

// get returns the principal that is kept for a token if it equals fresh, and
// else keeps and returns fresh.
func (i *interned) get(token digest, fresh *gongu.Principal) *gongu.Principal {
	i.mu.Lock()
	defer i.mu.Unlock()
	if before := i.known[token]; before != nil && samePrincipal(before, fresh) {
		return before
	}
	if i.known == nil || len(i.known) >= maxInterned {
		i.known = make(map[digest]*gongu.Principal)
	}
	i.known[token] = fresh
	return fresh
}

// samePrincipal compares the fields that this package sets.
func samePrincipal(a, b *gongu.Principal) bool {
	return a.Name == b.Name && a.Kind == b.Kind && a.Person == b.Person && a.Manage == b.Manage && a.Expires.Equal(b.Expires) &&
		(a.Agents == nil) == (b.Agents == nil) && slices.Equal(a.Agents, b.Agents) &&
		(a.Allow == nil) == (b.Allow == nil) && slices.EqualFunc(a.Allow, b.Allow, gongu.Rule.Equal)
}
