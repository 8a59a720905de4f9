package auth

import (
	"cmp"
	"crypto/rand"
	"net/url"
	"sync"
	"time"

	"github.com/gongu-ai/gongu"
)

const (
	// codeTime is how long a login code is valid (V3).
	codeTime = 5 * time.Minute
	maxCodes = 100

	loginPath  = "/login"
	logoutPath = "/logout"
)

// LoginOptions change the defaults of [NewLogins]. The zero value is good.
type LoginOptions struct {
	// SessionTime is how long a session of a browser lasts (default 12 hours).
	SessionTime time.Duration
	// Sessions is the number of sessions; a new one replaces the oldest
	// (default 1000).
	Sessions int
	// Dir is a folder for unused codes, so that any process of the same user
	// can issue one for the server. Empty keeps them in memory.
	Dir string
	// Now is the clock (default: the system's).
	Now func() time.Time
}

// Logins authenticate browsers: a one-time code is exchanged for a session.
// Sessions are kept in memory.
type Logins struct {
	opts LoginOptions

	mu       sync.Mutex
	codes    map[digest]session
	sessions map[digest]session
}

// session is an unused code or a session.
type session struct {
	principal *gongu.Principal
	made      time.Time
	expires   time.Time
}

// Login is a one-time login code.
type Login struct {
	// Path is the login path with the code.
	Path    string
	Code    string
	Expires time.Time
}

// NewLogins returns logins without sessions.
func NewLogins(opts *LoginOptions) *Logins {
	l := &Logins{codes: map[digest]session{}, sessions: map[digest]session{}}
	if opts != nil {
		l.opts = *opts
	}
	l.opts.SessionTime = cmp.Or(max(l.opts.SessionTime, 0), 12*time.Hour)
	l.opts.Sessions = cmp.Or(max(l.opts.Sessions, 0), 1000)
	if l.opts.Now == nil {
		l.opts.Now = time.Now
	}
	return l
}

// IssueLogin makes a code for a principal of kind [KindSession]. It can be used
// once, within five minutes, and is not a bearer token. It fails only when the
// folder cannot be written.
func (l *Logins) IssueLogin(who *gongu.Principal) (Login, error) {
	code := rand.Text()
	now := l.opts.Now()
	v := session{principal: new(*who), made: now, expires: now.Add(codeTime)}
	if l.opts.Dir != "" {
		if err := l.store(digestOf(code), v); err != nil {
			return Login{}, err
		}
	} else {
		l.mu.Lock()
		put(l.codes, digestOf(code), v, maxCodes)
		l.mu.Unlock()
	}
	return Login{Path: loginPath + "?" + url.Values{"code": {code}}.Encode(), Code: code, Expires: v.expires}, nil
}

// take returns the session of a code and removes the code.
func (l *Logins) take(key digest) (session, bool) {
	if l.opts.Dir != "" {
		return l.takeFile(key)
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	v, ok := l.codes[key]
	delete(l.codes, key)
	return v, ok
}

// exchange removes a code and starts a session of its principal.
func (l *Logins) exchange(code string) (secret string, v session, ok bool) {
	now := l.opts.Now()
	v, ok = l.take(digestOf(code))
	if !ok || !now.Before(v.expires) {
		return "", session{}, false
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	v.made, v.expires = now, now.Add(l.opts.SessionTime)
	if until := v.principal.Expires; !until.IsZero() && until.Before(v.expires) {
		v.expires = until
	}
	secret = rand.Text()
	put(l.sessions, digestOf(secret), v, l.opts.Sessions)
	return secret, v, true
}

// session returns the principal of a session. It looks secrets up by their
// hashes, which a caller cannot choose, so the time it takes reveals nothing.
func (l *Logins) session(secret string) (*gongu.Principal, bool) {
	l.mu.Lock()
	defer l.mu.Unlock()
	key := digestOf(secret)
	v, ok := l.sessions[key]
	if ok && !l.opts.Now().Before(v.expires) {
		delete(l.sessions, key)
		ok = false
	}
	return v.principal, ok
}

func (l *Logins) end(secret string) {
	l.mu.Lock()
	defer l.mu.Unlock()
	delete(l.sessions, digestOf(secret))
}

// put adds a session. At the limit it removes the expired ones, and then the
// oldest.
func put(sessions map[digest]session, key digest, v session, limit int) {
	if len(sessions) >= limit {
		var oldest digest
		var since time.Time
		for k, old := range sessions {
			if !v.made.Before(old.expires) {
				delete(sessions, k)
			} else if since.IsZero() || old.made.Before(since) {
				oldest, since = k, old.made
			}
		}
		if len(sessions) >= limit {
			delete(sessions, oldest)
		}
	}
	sessions[key] = v
}
