package auth

import (
	"cmp"
	"context"
	"crypto/rand"
	"crypto/sha256"
	"crypto/subtle"
	"encoding/hex"
	"errors"
	"log/slog"
	"math/big"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/gongu-ai/gongu"
	"github.com/gongu-ai/gongu/internal/fsx"
	"github.com/gongu-ai/gongu/internal/lang"
	"github.com/gongu-ai/gongu/internal/near"
)

// TokensName is the name of the token file below a state root.
const TokensName = "tokens.json"

// DefaultToken is the name of the token that [Tokens.EnsureDefault] makes.
const DefaultToken = "default"

const (
	secretPrefix = "gongu_"
	secretBytes  = 32
	secretDigits = 43 // of base 62, for any 32 bytes

	maxTokens = 1000
	// keptExpired is how long an expired token stays in the list.
	keptExpired = 30 * 24 * time.Hour
	maxListed   = 100 // agents, globs and sources of one token, each
	maxWord     = 128
	maxURI      = 1024
	// usedEvery is the precision of the time of the last use: a write for each
	// request would cost more than the request.
	usedEvery = time.Hour
	// usedAgain is when to try again after the file was locked.
	usedAgain = time.Minute
	lockWait  = 10 * time.Second
	// usedWait is how long a request waits for the lock to record its use.
	usedWait = 20 * time.Millisecond
)

// digest is the SHA-256 of a secret.
type digest [sha256.Size]byte

func digestOf(secret string) digest { return sha256.Sum256([]byte(secret)) }

// Token is a token without its secret, of which only a hash is kept.
type Token struct {
	Name string `json:"name"`
	Grant
	Created time.Time `json:"created"`
	// Expires is when the token ends, or zero.
	Expires time.Time `json:"expires,omitzero"`
	// LastUsed is exact to an hour, or zero.
	LastUsed time.Time `json:"last_used,omitzero"`
}

// Expired reports whether the token has ended.
func (t Token) Expired(now time.Time) bool { return !t.Expires.IsZero() && !now.Before(t.Expires) }

// Principal returns the caller that the token identifies.
func (t Token) Principal() *gongu.Principal { return t.principal(t.Name, KindToken, t.Expires) }

// NewToken describes a token to create.
type NewToken struct {
	// Name identifies the token; empty is a random one.
	Name string
	Grant
	// Lifetime is how long it is valid; zero does not expire.
	Lifetime time.Duration
}

// TokensOptions change the defaults of [OpenTokens]. The zero value is good.
type TokensOptions struct {
	// Logger logs failures to record a use (default: slog's).
	Logger *slog.Logger
	// Now is the clock (default: the system's).
	Now func() time.Time
}

// Tokens are the bearer tokens in a file that several processes share, or in a
// store that several hosts share. Changes of another process take effect with the
// next request, those of another host within a second.
type Tokens struct {
	path   string
	logger *slog.Logger
	now    func() time.Time

	mu   sync.Mutex
	seen fileState
	// principals has one for each token that was used.
	principals interned
	used       map[digest]time.Time // when a use was last recorded, or tried to be
	rows       *tokenRows           // nil when the tokens are in the file
}

// OpenTokens reads the tokens in a file, which the first token creates. It
// rejects a file that other users can read.
func OpenTokens(file string, opts *TokensOptions) (*Tokens, error) {
	if opts == nil {
		opts = &TokensOptions{}
	}
	t := newTokens(opts)
	t.path = filepath.Clean(file)
	if _, err := t.current(); err != nil {
		return nil, err
	}
	return t, nil
}

func newTokens(opts *TokensOptions) *Tokens {
	t := &Tokens{logger: opts.Logger, now: opts.Now, used: map[digest]time.Time{}}
	if t.logger == nil {
		t.logger = slog.Default()
	}
	if t.now == nil {
		t.now = time.Now
	}
	return t
}

// Path is the file of the tokens, or names the store that they are in.
func (t *Tokens) Path() string { return t.path }

// List returns the tokens, sorted by name.
func (t *Tokens) List() ([]Token, error) {
	entries, err := t.current()
	if err != nil {
		return nil, err
	}
	list := make([]Token, len(entries))
	for i, e := range entries {
		list[i] = e.Token
		list[i].Grant = e.Grant.clone()
	}
	slices.SortFunc(list, func(a, b Token) int { return cmp.Compare(a.Name, b.Name) })
	return list, nil
}

// Create makes a token and returns its secret, which is not stored.
func (t *Tokens) Create(ctx context.Context, n NewToken) (secret string, made Token, err error) {
	if n.Name == "" {
		n.Name = "token-" + strings.ToLower(rand.Text()[:6])
	}
	if err := n.check(); err != nil {
		return "", Token{}, err
	}
	err = t.change(ctx, lockWait, func(entries []entry) ([]entry, error) {
		secret, made, entries, err = t.add(entries, n)
		return entries, err
	})
	if err != nil {
		return "", Token{}, err
	}
	return secret, made, nil
}

// Check reports what is wrong with the token, before a person is asked about it.
// An empty name is right: [Tokens.Create] chooses one.
func (n NewToken) Check() error {
	n.Name = cmp.Or(n.Name, "token")
	return n.check()
}

func (t *Tokens) add(entries []entry, n NewToken) (string, Token, []entry, error) {
	if slices.ContainsFunc(entries, func(e entry) bool { return e.Name == n.Name }) {
		return "", Token{}, nil, lang.NewError(ErrExists, lang.AuthTokenExists.With(n.Name), lang.AuthTokenExistsHint.With(n.Name))
	}
	entries = t.prune(entries)
	if len(entries) >= maxTokens {
		return "", Token{}, nil, lang.NewError(ErrInvalid, lang.AuthTokensFull.With(maxTokens), lang.AuthTokensFullHint.With())
	}
	secret := newSecret()
	now := t.now().UTC().Truncate(time.Second)
	made := Token{Name: n.Name, Grant: n.Grant.clone(), Created: now}
	if n.Lifetime > 0 {
		made.Expires = now.Add(n.Lifetime)
	}
	sum := digestOf(secret)
	return secret, made, append(entries, entry{Token: made, SHA256: hex.EncodeToString(sum[:]), digest: sum}), nil
}

// prune removes tokens that expired long ago, and at the limit all expired ones.
func (t *Tokens) prune(entries []entry) []entry {
	since := t.now().Add(-keptExpired)
	if len(entries) >= maxTokens {
		since = t.now()
	}
	return slices.DeleteFunc(entries, func(e entry) bool { return e.Expired(since) })
}

// newSecret returns a secret that a double click selects completely and that
// scanners for leaked secrets recognise by its prefix.
func newSecret() string {
	random := make([]byte, secretBytes)
	rand.Read(random) // never fails
	digits := new(big.Int).SetBytes(random).Text(62)
	return secretPrefix + strings.Repeat("0", secretDigits-len(digits)) + digits
}

// EnsureDefault makes a token for all tools when there is no token, and returns
// its secret; otherwise the secret is "".
func (t *Tokens) EnsureDefault(ctx context.Context) (secret string, err error) {
	if entries, err := t.current(); err != nil || len(entries) > 0 {
		return "", err
	}
	err = t.change(ctx, lockWait, func(entries []entry) ([]entry, error) {
		if len(entries) > 0 {
			return nil, errUnchanged // another process was first
		}
		secret, _, entries, err = t.add(entries, NewToken{Name: DefaultToken})
		return entries, err
	})
	if err != nil {
		return "", err
	}
	return secret, nil
}

// Revoke removes a token.
func (t *Tokens) Revoke(ctx context.Context, name string) (ended Token, err error) {
	err = t.change(ctx, lockWait, func(entries []entry) ([]entry, error) {
		i := slices.IndexFunc(entries, func(e entry) bool { return e.Name == name })
		if i < 0 {
			return nil, unknownToken(entries, name)
		}
		ended = entries[i].Token
		return slices.Delete(entries, i, i+1), nil
	})
	if err != nil {
		return Token{}, err
	}
	return ended, nil
}

func unknownToken(entries []entry, name string) error {
	names := make([]string, len(entries))
	for i, e := range entries {
		names[i] = e.Name
	}
	slices.Sort(names)
	hint := lang.AuthTokenListHint.With()
	found := near.Names(name, slices.Values(names), 3)
	if len(found) > 0 {
		hint = lang.CLIDidYouMean.With(strings.Join(found, ", "))
	}
	e := lang.NewError(ErrNotFound, lang.AuthTokenUnknown.With(name), hint)
	e.Near = found
	return e
}

// Identify returns the principal that a secret belongs to, the same pointer for
// as long as the token does not change.
func (t *Tokens) Identify(ctx context.Context, secret string) (*gongu.Principal, bool, error) {
	sum := digestOf(secret)
	e, ok, err := t.find(sum)
	if err != nil || !ok {
		return nil, false, err
	}
	t.noteUse(ctx, e)
	return e.who, true, nil
}

// Named returns the principal of the token that had a name at a time, for what it
// began then. False means that there is no such token any more; a later one of
// the same name is another's.
func (t *Tokens) Named(name string, at time.Time) (*gongu.Principal, bool, error) {
	entries, err := t.current()
	if err != nil {
		return nil, false, err
	}
	for i := range entries {
		if entries[i].Name == name && !entries[i].Created.After(at) && !entries[i].Expired(t.now()) {
			return entries[i].who, true, nil
		}
	}
	return nil, false, nil
}

// find compares every token, so that the time it takes reveals nothing.
func (t *Tokens) find(sum digest) (*entry, bool, error) {
	entries, err := t.current()
	if err != nil {
		return nil, false, err
	}
	var found *entry
	for i := range entries {
		if subtle.ConstantTimeCompare(entries[i].digest[:], sum[:]) == 1 {
			found = &entries[i]
		}
	}
	if found == nil || found.Expired(t.now()) {
		return nil, false, nil
	}
	return found, true, nil
}

// noteUse records the time of a use, at most once per usedEvery. A failure does
// not reject the request.
func (t *Tokens) noteUse(ctx context.Context, e *entry) {
	now := t.now().UTC().Truncate(time.Second)
	t.mu.Lock()
	recent := now.Sub(e.LastUsed) < usedEvery || now.Sub(t.used[e.digest]) < usedEvery
	if !recent {
		t.used[e.digest] = now
	}
	t.mu.Unlock()
	if recent {
		return
	}
	err := t.change(ctx, usedWait, func(entries []entry) ([]entry, error) {
		for i := range entries {
			if entries[i].digest == e.digest && now.Sub(entries[i].LastUsed) >= usedEvery {
				entries[i].LastUsed = now
				return entries, nil
			}
		}
		return nil, errUnchanged
	})
	switch {
	case err == nil:
	case errors.Is(err, fsx.ErrLocked), errors.Is(err, context.Canceled), errors.Is(err, context.DeadlineExceeded):
		t.mu.Lock()
		t.used[e.digest] = now.Add(usedAgain - usedEvery)
		t.mu.Unlock()
	default:
		t.logger.Warn("recording the use of a token failed", "token", e.Name, "error", err)
	}
}

func (n *NewToken) check() error {
	if !isTokenName(n.Name) || n.Name == stdioName {
		return lang.NewError(ErrInvalid, lang.AuthBadName.With(n.Name), lang.AuthBadNameHint.With(anonymousName, stdioName))
	}
	if n.Lifetime < 0 {
		return lang.NewError(ErrInvalid, lang.AuthBadLifetime.With(n.Lifetime), lang.AuthBadLifetimeHint.With())
	}
	return n.Grant.check()
}

func isTokenName(name string) bool {
	const letters = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789"
	return name != "" && len(name) <= 64 && name != anonymousName &&
		strings.IndexByte(letters, name[0]) >= 0 && strings.Trim(name, letters+"._-") == ""
}
