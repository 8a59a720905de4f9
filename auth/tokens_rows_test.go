package auth_test

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/gongu-ai/gongu/auth"
	"github.com/gongu-ai/gongu/internal/rows"
)

func tokenRows(t *testing.T, store rows.Store) *auth.Tokens {
	t.Helper()
	tokens, err := auth.OpenTokenRows(store, &auth.TokensOptions{Logger: quiet()})
	if err != nil {
		t.Fatal(err)
	}
	return tokens
}

// soon waits for what another host must notice within a second.
func soon(t *testing.T, what string, ok func() bool) {
	t.Helper()
	for end := time.Now().Add(15 * time.Second); !ok(); time.Sleep(10 * time.Millisecond) {
		if time.Now().After(end) {
			t.Fatal("not within 15 seconds: " + what)
		}
	}
}

// Promise R3: tokens of a store are those of every host, as hashes; one that is
// revoked on a host ends on the others.
func TestR3_TokensOfSeveralHosts(t *testing.T) {
	store := &rows.Memory{}
	a, b := tokenRows(t, store), tokenRows(t, store)
	secret, _, err := a.Create(t.Context(), auth.NewToken{Name: "ci", Grant: auth.Grant{Agents: []string{}, Tools: []string{"fs__*"}}})
	if err != nil {
		t.Fatal(err)
	}
	if !known(t, a, secret) {
		t.Error("not good at once on the host that made it")
	}
	soon(t, "the token is good on the other host", func() bool { return known(t, b, secret) })
	id, _, _ := b.Identify(t.Context(), secret)
	if again, _, _ := b.Identify(t.Context(), secret); again != id || id.Agents == nil || id.MayUse("a") || id.Allow[0].Name != "fs__*" {
		t.Errorf("%+v and %+v", id, again)
	}
	if list, err := b.List(); err != nil || len(list) != 1 || list[0].LastUsed.IsZero() {
		t.Errorf("%+v, %v", list, err)
	}
	err = store.View(t.Context(), func(ctx context.Context, tx rows.Tx) error {
		row, there, err := tx.Get(ctx, "tokens.token", "ci")
		if !there || strings.Contains(string(row.Value), secret) || strings.Contains(string(row.Value), "gongu_") {
			t.Errorf("stored: %s", row.Value)
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	if _, _, err := b.Create(t.Context(), auth.NewToken{Name: "ci"}); !errors.Is(err, auth.ErrExists) {
		t.Errorf("%v", err)
	}
	if _, err := b.Revoke(t.Context(), "cj"); !errors.Is(err, auth.ErrNotFound) {
		t.Errorf("%v", err)
	}
	if _, err := a.Revoke(t.Context(), "ci"); err != nil || known(t, a, secret) {
		t.Errorf("good after it was revoked: %v", err)
	}
	soon(t, "the token ends on the other host", func() bool { return !known(t, b, secret) })
	if got := fmt.Sprint(store.Decisions()); got != "[{token.new ci  } {token.revoke ci  }]" {
		t.Errorf("recorded decisions: %s", got)
	}
}

// Promise R3: hosts that start at once make one first token.
func TestR3_FirstTokenIsMadeOnce(t *testing.T) {
	store := &rows.Memory{}
	var made atomic.Int32
	var group sync.WaitGroup
	for range 8 {
		mine := tokenRows(t, store)
		group.Go(func() {
			secret, err := mine.EnsureDefault(t.Context())
			if err != nil {
				t.Error(err)
			}
			if secret != "" {
				made.Add(1)
			}
		})
	}
	group.Wait()
	if made.Load() != 1 {
		t.Errorf("%d first tokens", made.Load())
	}
}

// Promise R3: a token with a member that this version does not know is not accepted
// and not replaced, and the others go on.
func TestR3_TokenOfANewerVersion(t *testing.T) {
	store := &rows.Memory{}
	tokens := tokenRows(t, store)
	secret, _, err := tokens.Create(t.Context(), auth.NewToken{Name: "old"})
	if err != nil {
		t.Fatal(err)
	}
	put := func(key, value string) {
		t.Helper()
		if err := store.Update(t.Context(), auth.TokensFeed, func(ctx context.Context, tx rows.Tx) error {
			return tx.Put(ctx, "tokens.token", key, []byte(value))
		}); err != nil {
			t.Fatal(err)
		}
	}
	hash := strings.Repeat("ab", 32)
	put("new", `{"name":"new","created":"2026-01-01T00:00:00Z","sha256":"`+hash+`","only_on":"monday"}`)
	put("other", `{"name":"another","created":"2026-01-01T00:00:00Z","sha256":"`+hash+`"}`)
	put("short", `{"name":"short","created":"2026-01-01T00:00:00Z","sha256":"ab"}`)
	again := tokenRows(t, store)
	if list, err := again.List(); err != nil || len(list) != 1 || !known(t, again, secret) {
		t.Errorf("%+v, %v", list, err)
	}
	if _, _, err := again.Create(t.Context(), auth.NewToken{Name: "new"}); !errors.Is(err, auth.ErrExists) {
		t.Errorf("%v", err)
	}
}

// Promise R3: while the store does not answer a token could be revoked, so requests
// are rejected as unavailable, and accepted again afterwards.
func TestR3_UnreachableTokens(t *testing.T) {
	var down atomic.Bool
	store := &rows.Memory{Fail: func() error {
		if down.Load() {
			return errors.New("no connection")
		}
		return nil
	}}
	tokens := tokenRows(t, store)
	secret, _, err := tokens.Create(t.Context(), auth.NewToken{Name: "ci"})
	if err != nil {
		t.Fatal(err)
	}
	server := start(t, auth.Options{Tokens: tokens}, http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(http.StatusNoContent) }))
	status := func() int {
		resp, _ := ask(t, server, "GET", "/mcp", "Authorization", "Bearer "+secret)
		return resp.StatusCode
	}
	soon(t, "accepted", func() bool { return status() == http.StatusNoContent })
	down.Store(true)
	soon(t, "rejected", func() bool { return status() == http.StatusServiceUnavailable })
	down.Store(false)
	soon(t, "accepted again", func() bool { return status() == http.StatusNoContent })
}
