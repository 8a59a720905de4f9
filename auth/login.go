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
	// codeTime is how long a login code is good for (V3).
	codeTime = 5 * time.Minute
	maxCodes = 100

	loginPath  = "/login"
	logoutPath = "/logout"
)

// LoginOptions change the defaults of [NewLogins]. The zero value is good.
type LoginOptions struct {
	// SessionTime is how long a session of a browser lasts (default 12 hours).
	SessionTime time.Duration
	// Sessions is how many there are at the same time; the oldest makes room
	// (default 1000).
	Sessions int
	// Dir is a folder for codes that were not used yet, so that any process of
	// the same user can issue one that the server takes. Empty keeps them in
	// the memory of this process.
	Dir string
	// Now is the clock (default: the system's).
	Now func() time.Time
}

// Logins let a person with a browser in: a code that is good once is exchanged
// for a session. Sessions live in this process and end with it.
type Logins struct {
	opts LoginOptions

	mu       sync.Mutex
	codes    map[digest]session
	sessions map[digest]session
}

// session is a login: a code that was not used yet, or a session.
type session struct {
	principal *gongu.Principal
	made      time.Time
	expires   time.Time
}

// Login is a code that lets a browser in, once.
type Login struct {
	// Path is where to send the browser, with the code in it.
	Path    string
	Code    string
	Expires time.Time
}

// NewLogins begins without codes and sessions.
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
// once, within five minutes, and is not a bearer token. Only a folder that
// cannot be written is an error.
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

// take is what a code stands for. Whoever takes it first has it.
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

// exchange takes a code away and begins a session of its principal.
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

// session is whose session a secret is. Secrets are compared by their hashes,
// which nobody can choose, so the time of a look-up says nothing.
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

// put keeps a visit. When there is no room the ended ones go, and then the
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
