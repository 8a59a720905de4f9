package auth

import (
	"context"
	"encoding/hex"
	"errors"
	"log/slog"
	"slices"
	"sync"
	"time"

	"github.com/go-json-experiment/json"

	"github.com/gongu-ai/gongu/internal/lang"
	"github.com/gongu-ai/gongu/internal/rows"
)

// TokensFeed is the feed of the rows of tokens.
const TokensFeed = "tokens"

const (
	kindToken = TokensFeed + ".token" // by the name of the token

	// checkEvery is how old the tokens may be. A stream is checked once a second,
	// so a token that another host revoked ends within 1.25 seconds.
	checkEvery = 250 * time.Millisecond
	// checkTime bounds a read. While the store does not answer, requests are
	// rejected: a token could be revoked.
	checkTime = 3 * time.Second
	// rowsWait is the least time that a change gets.
	rowsWait = time.Second
)

// tokenRows are the tokens in a store.
type tokenRows struct {
	store  rows.Store
	logger *slog.Logger
	now    func() time.Time

	mu      sync.Mutex
	checked time.Time
	loaded  bool
	version int64
	entries []entry
	err     error
}

// OpenTokenRows opens the tokens in a store that several hosts share. A row has the
// hash of a token and never the token.
func OpenTokenRows(store rows.Store, opts *TokensOptions) (*Tokens, error) {
	if opts == nil {
		opts = &TokensOptions{}
	}
	t := newTokens(opts)
	t.path, t.rows = store.Place(), &tokenRows{store: store, logger: t.logger, now: t.now}
	if _, err := t.current(); err != nil {
		return nil, err
	}
	return t, nil
}

// current returns the tokens as they were at most checkEvery ago.
func (r *tokenRows) current(t *Tokens) ([]entry, error) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if !r.checked.IsZero() && time.Since(r.checked) < checkEvery {
		return r.entries, r.err
	}
	ctx, cancel := context.WithTimeout(context.Background(), checkTime)
	defer cancel()
	at := time.Now()
	if r.err = r.renew(ctx, t); r.err != nil {
		// The callers that waited meanwhile get the same answer.
		r.entries, r.loaded, at = nil, false, time.Now()
	}
	r.checked = at
	return r.entries, r.err
}

func (r *tokenRows) renew(ctx context.Context, t *Tokens) error {
	versions, err := r.store.Versions(ctx, TokensFeed)
	if err != nil {
		return r.failed(err)
	}
	if r.loaded && r.version == versions[0] {
		return nil
	}
	err = r.store.View(ctx, func(ctx context.Context, tx rows.Tx) (err error) {
		r.entries, err = r.load(ctx, tx)
		return err
	})
	if err != nil {
		return r.failed(err)
	}
	for i := range r.entries {
		e := &r.entries[i]
		e.who = t.principals.get(e.digest, e.Grant.principal(e.Name, KindToken, e.Expires))
	}
	r.loaded, r.version = true, versions[0]
	return nil
}

func (r *tokenRows) failed(err error) error {
	return lang.NewError(ErrStorage, lang.AuthRows.With(r.store.Place(), err), lang.AuthRowsHint.With()).Because(err)
}

// load reads the tokens. One with a member that is not known is left out, because
// the member could be a restriction of a newer version.
func (r *tokenRows) load(ctx context.Context, tx rows.Tx) ([]entry, error) {
	list, err := tx.List(ctx, kindToken)
	if err != nil {
		return nil, err
	}
	entries := make([]entry, 0, len(list))
	for _, row := range list {
		e, ok := readEntry(row)
		if !ok {
			r.logger.Warn("a token in the store is not valid for this gongu and is not accepted", "token", row.Key)
			continue
		}
		entries = append(entries, e)
	}
	return entries, nil
}

func readEntry(row rows.Row) (entry, bool) {
	var e entry
	if json.Unmarshal(row.Value, &e, json.RejectUnknownMembers(true)) != nil {
		return entry{}, false
	}
	sum, err := hex.DecodeString(e.SHA256)
	if err != nil || len(sum) != len(e.digest) || e.Name != row.Key || !isTokenName(e.Name) || e.Grant.check() != nil {
		return entry{}, false
	}
	e.digest = digest(sum)
	return e, true
}

// change runs work on the tokens and stores what it changed, as one transaction.
func (r *tokenRows) change(ctx context.Context, wait time.Duration, work func([]entry) ([]entry, error)) error {
	waiting, cancel := context.WithTimeout(ctx, max(wait, rowsWait))
	defer cancel()
	err := r.store.Update(waiting, TokensFeed, func(ctx context.Context, tx rows.Tx) error {
		before, err := r.load(ctx, tx)
		if err != nil {
			return err
		}
		after, err := work(slices.Clone(before))
		if err != nil {
			return err
		}
		return r.save(ctx, tx, before, after)
	})
	r.mu.Lock()
	r.checked = time.Time{}
	r.mu.Unlock()
	switch {
	case err == nil, errors.Is(err, errUnchanged):
		return nil
	case ctx.Err() != nil, errors.Is(err, ErrInvalid), errors.Is(err, ErrExists), errors.Is(err, ErrNotFound), errors.Is(err, ErrStorage):
		return err
	}
	return r.failed(err)
}

// save writes the tokens that are new or changed, and removes those that are gone.
func (r *tokenRows) save(ctx context.Context, tx rows.Tx, before, after []entry) error {
	known := make(map[string]entry, len(before))
	for _, e := range before {
		known[e.Name] = e
	}
	for _, e := range after {
		old, there := known[e.Name]
		delete(known, e.Name)
		if there && old.LastUsed.Equal(e.LastUsed) && old.digest == e.digest {
			continue
		}
		if !there {
			if _, taken, err := tx.Get(ctx, kindToken, e.Name); err != nil {
				return err
			} else if taken { // by one that this version does not accept
				return lang.NewError(ErrExists, lang.AuthTokenExists.With(e.Name), lang.AuthTokenExistsHint.With(e.Name))
			}
			if err := tx.Decided(ctx, rows.Decision{Action: "token.new", Subject: e.Name}); err != nil {
				return err
			}
		}
		raw, err := json.Marshal(e)
		if err != nil {
			return err
		}
		if err := tx.Put(ctx, kindToken, e.Name, raw); err != nil {
			return err
		}
	}
	for name, e := range known {
		if err := tx.Delete(ctx, kindToken, name); err != nil {
			return err
		}
		if e.Expired(r.now()) {
			continue
		}
		if err := tx.Decided(ctx, rows.Decision{Action: "token.revoke", Subject: name}); err != nil {
			return err
		}
	}
	return nil
}
