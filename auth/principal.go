package auth

import (
	"reflect"
	"sync"
	"time"

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

// stdioName is the name of the user's own programs on stdio and on the socket. No
// token can have it: tasks, linked resources and processes of servers belong to a
// name.
const stdioName = "stdio"

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

func samePrincipal(a, b *gongu.Principal) bool {
	x, y := *a, *b
	x.Expires, y.Expires = time.Time{}, time.Time{} // compared below: equal times may differ in their zone
	return a.Expires.Equal(b.Expires) && reflect.DeepEqual(x, y)
}
