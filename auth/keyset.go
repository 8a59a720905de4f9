package auth

import (
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net"
	"net/http"
	"net/url"
	"strings"
	"sync"
	"time"

	"github.com/go-jose/go-jose/v4"
	"github.com/go-json-experiment/json"
)

const (
	keysFresh = time.Hour
	// keysStale is how long keys are used while the issuer is unreachable.
	keysStale = 24 * time.Hour
	// minFetchInterval is the shortest time between two fetches: anyone can send
	// tokens that name unknown keys.
	minFetchInterval = 30 * time.Second
	fetchTime        = 10 * time.Second
	maxFetch         = 1 << 20
	maxHops          = 3
)

// keySet fetches and caches the keys of an issuer.
type keySet struct {
	issuer, address string
	client          *http.Client
	logger          *slog.Logger
	now             func() time.Time

	asking chan struct{} // a lock, held during a fetch
	asked  time.Time     // the start of the last fetch; guarded by asking

	mu      sync.RWMutex
	keys    []jose.JSONWebKey
	fetched time.Time // when the keys were fetched
}

func newKeySet(opts *JWTOptions) *keySet {
	client := &http.Client{
		Transport: &http.Transport{
			Proxy:                  http.ProxyFromEnvironment,
			DialContext:            (&net.Dialer{Timeout: fetchTime}).DialContext,
			TLSHandshakeTimeout:    fetchTime,
			DisableKeepAlives:      true, // it is used once an hour
			MaxResponseHeaderBytes: 64 << 10,
			ForceAttemptHTTP2:      true,
		},
		CheckRedirect: func(req *http.Request, via []*http.Request) error {
			if len(via) > maxHops || !isSafeURL(req.URL.String()) {
				return errors.New("redirected too often, or to an unsafe address")
			}
			return nil
		},
	}
	return &keySet{
		issuer: opts.Issuer, address: opts.JWKS, client: client, logger: opts.Logger, now: opts.Now,
		asking: make(chan struct{}, 1),
	}
}

// isSafeURL reports whether a URL is https, or http on this machine.
func isSafeURL(text string) bool {
	u, err := url.Parse(text)
	if err != nil || u.Host == "" || u.User != nil {
		return false
	}
	return u.Scheme == "https" || u.Scheme == "http" && isLoopbackHost(u.Hostname())
}

// key returns the one key of the issuer that a header names, and fetches the
// keys when it is unknown or they are old.
func (k *keySet) key(ctx context.Context, header *joseHeader) (*jose.JSONWebKey, error) {
	key, known := k.find(header)
	if !known || k.isOlder(keysFresh) {
		err := k.refresh(ctx, known)
		key, known = k.find(header)
		if !known && err != nil {
			return nil, err
		}
	}
	if !known {
		return nil, errors.New("jwt: no key of the issuer fits kid and alg")
	}
	return key, nil
}

// find returns the one key that a header names. Without an id there must be only
// one key for the algorithm: trying several could accept a key that is meant
// for another use.
func (k *keySet) find(header *joseHeader) (*jose.JSONWebKey, bool) {
	if k.isOlder(keysStale) {
		return nil, false
	}
	k.mu.RLock()
	defer k.mu.RUnlock()
	var found *jose.JSONWebKey
	for i := range k.keys {
		key := &k.keys[i]
		if !keyFits(key, header.Alg) || header.Kid != "" && key.KeyID != header.Kid {
			continue
		}
		if found != nil {
			return nil, false
		}
		found = key
	}
	return found, found != nil
}

// isOlder reports whether the keys were fetched longer ago than age, or never.
func (k *keySet) isOlder(age time.Duration) bool {
	k.mu.RLock()
	defer k.mu.RUnlock()
	return k.now().Sub(k.fetched) >= age
}

// refresh fetches the keys, unless that was done a moment ago. There is one
// fetch at a time; callers without a key wait for it.
func (k *keySet) refresh(ctx context.Context, haveKey bool) error {
	if haveKey {
		select {
		case k.asking <- struct{}{}:
		default:
			return nil
		}
	} else {
		select {
		case k.asking <- struct{}{}:
		case <-ctx.Done():
			return fmt.Errorf("%w: %w", ErrUnavailable, context.Cause(ctx))
		}
	}
	defer func() { <-k.asking }()
	now := k.now()
	if !k.asked.IsZero() && now.Sub(k.asked) < minFetchInterval {
		if k.isOlder(keysStale) {
			return ErrUnavailable
		}
		return nil
	}
	k.asked = now
	// The fetch serves all callers, so it does not end with this one.
	work, cancel := context.WithTimeout(context.WithoutCancel(ctx), fetchTime)
	defer cancel()
	keys, err := k.fetch(work)
	if err != nil {
		k.logger.Warn("fetching the issuer's keys failed", "issuer", k.issuer, "error", err)
		return fmt.Errorf("%w: %w", ErrUnavailable, err)
	}
	k.mu.Lock()
	k.keys, k.fetched = keys, now
	k.mu.Unlock()
	return nil
}

func (k *keySet) fetch(ctx context.Context) ([]jose.JSONWebKey, error) {
	address := k.address
	if address == "" {
		var err error
		if address, err = k.discover(ctx); err != nil {
			return nil, err
		}
	}
	raw, err := k.get(ctx, address)
	if err != nil {
		return nil, err
	}
	return parseKeys(raw)
}

// discover finds the address of the keys: by OpenID Connect Discovery, then by
// RFC 8414.
func (k *keySet) discover(ctx context.Context) (string, error) {
	base := strings.TrimSuffix(k.issuer, "/")
	u, err := url.Parse(base)
	if err != nil {
		return "", err
	}
	second := *u
	second.Path = "/.well-known/oauth-authorization-server" + u.Path
	var problems []error
	for _, address := range []string{base + "/.well-known/openid-configuration", second.String()} {
		raw, err := k.get(ctx, address)
		if err != nil {
			problems = append(problems, err)
			continue
		}
		var document struct {
			Issuer string `json:"issuer"`
			JWKS   string `json:"jwks_uri"`
		}
		if err := json.Unmarshal(raw, &document); err != nil {
			problems = append(problems, fmt.Errorf("%s: not a discovery document", address))
			continue
		}
		// A document counts for its own issuer only.
		if document.Issuer != k.issuer || !isSafeURL(document.JWKS) {
			problems = append(problems, fmt.Errorf("%s: names another issuer or no safe jwks_uri", address))
			continue
		}
		return document.JWKS, nil
	}
	return "", errors.Join(problems...)
}

func (k *keySet) get(ctx context.Context, address string) ([]byte, error) {
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, address, nil)
	if err != nil {
		return nil, err
	}
	req.Header.Set("Accept", "application/json")
	resp, err := k.client.Do(req)
	if err != nil {
		return nil, err
	}
	defer func() { _ = resp.Body.Close() }() // it was only read
	if resp.StatusCode != http.StatusOK {
		return nil, fmt.Errorf("%s: status %d", address, resp.StatusCode)
	}
	raw, err := io.ReadAll(io.LimitReader(resp.Body, maxFetch+1))
	if err != nil {
		return nil, err
	}
	if len(raw) > maxFetch {
		return nil, fmt.Errorf("%s: more than %d bytes", address, maxFetch)
	}
	return raw, nil
}
