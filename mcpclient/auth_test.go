package mcpclient_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/gongu-ai/gongu/mcpclient"
	"github.com/modelcontextprotocol/go-sdk/mcp"
)

// grantor is an MCP server with its authorization server, all in one.
type grantor struct {
	*httptest.Server
	pages, tokens, refreshes atomic.Int32
	refused                  atomic.Int32 // refresh tokens that were used before
	seconds                  int          // how long tokens last
	valid                    sync.Map
}

func newGrantor(t *testing.T, seconds int) *grantor {
	g := &grantor{seconds: seconds}
	server := sdkServer()
	inner := mcp.NewStreamableHTTPHandler(func(*http.Request) *mcp.Server { return server }, &mcp.StreamableHTTPOptions{Stateless: true})
	mux := http.NewServeMux()
	mux.HandleFunc("/mcp", func(w http.ResponseWriter, r *http.Request) {
		token := strings.TrimPrefix(r.Header.Get("Authorization"), "Bearer ")
		if _, ok := g.valid.Load(token); !ok {
			w.Header().Set("WWW-Authenticate", `Bearer resource_metadata="`+g.URL+`/prm", scope="tools"`)
			w.WriteHeader(http.StatusUnauthorized)
			return
		}
		inner.ServeHTTP(w, r)
	})
	reply := func(w http.ResponseWriter, v any) {
		w.Header().Set("Content-Type", "application/json")
		_ = json.NewEncoder(w).Encode(v)
	}
	mux.HandleFunc("/prm", func(w http.ResponseWriter, _ *http.Request) {
		reply(w, map[string]any{"resource": g.URL + "/mcp", "authorization_servers": []string{g.URL}})
	})
	mux.HandleFunc("/.well-known/oauth-authorization-server", func(w http.ResponseWriter, _ *http.Request) {
		reply(w, map[string]any{
			"issuer": g.URL, "authorization_endpoint": g.URL + "/authorize", "token_endpoint": g.URL + "/token",
			"registration_endpoint": g.URL + "/register", "code_challenge_methods_supported": []string{"S256"},
			"response_types_supported": []string{"code"},
		})
	})
	mux.HandleFunc("/register", func(w http.ResponseWriter, r *http.Request) {
		var in map[string]any
		_ = json.NewDecoder(r.Body).Decode(&in)
		in["client_id"], in["token_endpoint_auth_method"] = "c1", "none"
		w.Header().Set("Content-Type", "application/json")
		w.WriteHeader(http.StatusCreated)
		_ = json.NewEncoder(w).Encode(in)
	})
	mux.HandleFunc("/authorize", func(w http.ResponseWriter, r *http.Request) {
		g.pages.Add(1)
		q := r.URL.Query()
		// An answer with another state comes first: it must not count.
		if resp, err := http.Get(q.Get("redirect_uri") + "?code=evil&state=evil"); err == nil {
			_ = resp.Body.Close()
		}
		http.Redirect(w, r, q.Get("redirect_uri")+"?code=good&state="+q.Get("state"), http.StatusFound)
	})
	mux.HandleFunc("/token", func(w http.ResponseWriter, r *http.Request) {
		if r.FormValue("grant_type") == "refresh_token" {
			g.refreshes.Add(1)
			if last := fmt.Sprint("r", g.tokens.Load()); r.FormValue("refresh_token") != last {
				g.refused.Add(1)
				w.Header().Set("Content-Type", "application/json")
				w.WriteHeader(http.StatusBadRequest)
				_, _ = io.WriteString(w, `{"error":"invalid_grant"}`)
				return
			}
		} else if r.FormValue("code") != "good" || r.FormValue("code_verifier") == "" {
			w.WriteHeader(http.StatusBadRequest)
			return
		}
		n := g.tokens.Add(1)
		token := fmt.Sprint("t", n)
		g.valid.Store(token, true)
		reply(w, map[string]any{"access_token": token, "token_type": "Bearer", "expires_in": g.seconds, "refresh_token": fmt.Sprint("r", n)})
	})
	g.Server = serveHTTP(t, mux)
	return g
}

// TestOAuth: one grant serves all who asked, is kept in a file that only its
// owner reads, and is taken up again by the next process. Gemini E21.
func TestOAuth(t *testing.T) {
	defer http.DefaultClient.CloseIdleConnections()
	g := newGrantor(t, 3600)
	file := filepath.Join(t.TempDir(), "state", "tokens.json")
	cfg := mcpclient.Config{Name: "web", URL: g.URL + "/mcp"}
	store := &mcpclient.FileTokens{Path: file}
	c := client(t, cfg, &mcpclient.Options{Authorize: visit, Tokens: store})
	var all sync.WaitGroup
	for range 10 {
		all.Go(func() { wantOutput(t, invoke(t, t.Context(), c, "hello", `{}`), `"hello"`) })
	}
	all.Wait()
	if n := g.pages.Load(); n != 1 {
		t.Errorf("a person was asked %d times", n)
	}
	info, err := os.Stat(file)
	if err != nil || info.Mode().Perm() != 0o600 {
		t.Fatalf("%v %v", info, err)
	}
	c.Close()

	// The next process uses the grant; without one, nobody is there to ask.
	again := client(t, cfg, &mcpclient.Options{Tokens: &mcpclient.FileTokens{Path: file}})
	wantOutput(t, invoke(t, t.Context(), again, "hello", `{}`), `"hello"`)
	again.Close()
	other := client(t, cfg, &mcpclient.Options{Tokens: store, Principal: "somebody else"})
	_, err = other.Tools(t.Context())
	if own, ok := errors.AsType[*mcpclient.Error](err); !ok || own.Reason != mcpclient.ReasonAuth {
		t.Errorf("%v", err)
	}
	other.Close()

	if err := os.Chmod(file, 0o644); err != nil {
		t.Fatal(err)
	}
	if _, err := store.Load("x"); err == nil || !strings.Contains(err.Error(), "chmod 600") {
		t.Errorf("%v", err)
	}
	if err := errors.Join(os.Chmod(file, 0o600), os.WriteFile(file, []byte(`{"version":99}`), 0o600)); err != nil {
		t.Fatal(err)
	}
	if err := store.Save("x", json.RawMessage(`{}`)); err == nil || !strings.Contains(read(t, file), "99") {
		t.Errorf("a newer file was overwritten: %v", err)
	}
}

// TestOAuthRenewal: a token that has run out is renewed without a person.
func TestOAuthRenewal(t *testing.T) {
	defer http.DefaultClient.CloseIdleConnections()
	g := newGrantor(t, 1) // over before it is used: oauth2 renews 10 s before
	c := client(t, mcpclient.Config{Name: "web", URL: g.URL + "/mcp"}, &mcpclient.Options{Authorize: visit})
	wantOutput(t, invoke(t, t.Context(), c, "hello", `{}`), `"hello"`)
	if g.pages.Load() != 1 || g.refreshes.Load() == 0 {
		t.Errorf("%d pages, %d renewals", g.pages.Load(), g.refreshes.Load())
	}
	c.Close()
}

// TestOAuthRenewedElsewhere: a refresh token can be used once. A client whose
// grant was renewed by another process takes up the renewed one, and asks
// nobody.
func TestOAuthRenewedElsewhere(t *testing.T) {
	defer http.DefaultClient.CloseIdleConnections()
	g := newGrantor(t, 1) // every use renews
	file := filepath.Join(t.TempDir(), "tokens.json")
	cfg := mcpclient.Config{Name: "web", URL: g.URL + "/mcp"}
	var clients []*mcpclient.Client
	for range 2 {
		c := client(t, cfg, &mcpclient.Options{Authorize: visit, Tokens: &mcpclient.FileTokens{Path: file}})
		clients = append(clients, c)
		wantOutput(t, invoke(t, t.Context(), c, "hello", `{}`), `"hello"`)
	}
	for range 2 {
		for _, c := range clients {
			wantOutput(t, invoke(t, t.Context(), c, "hello", `{}`), `"hello"`)
		}
	}
	if g.pages.Load() != 1 || g.refused.Load() == 0 {
		t.Errorf("%d pages, %d used refresh tokens", g.pages.Load(), g.refused.Load())
	}
	for _, c := range clients {
		c.Close()
	}
}

// TestFileTokensTogether: two loads of one file lose no grant of each other.
func TestFileTokensTogether(t *testing.T) {
	file := filepath.Join(t.TempDir(), "state", "tokens.json")
	var all sync.WaitGroup
	for i := range 8 {
		store := &mcpclient.FileTokens{Path: file}
		all.Go(func() {
			for n := range 10 {
				if err := store.Save(fmt.Sprint(i, "-", n), json.RawMessage(`{}`)); err != nil {
					t.Error(err)
				}
			}
		})
	}
	all.Wait()
	store := &mcpclient.FileTokens{Path: file}
	for i := range 8 {
		for n := range 10 {
			if grant, err := store.Load(fmt.Sprint(i, "-", n)); err != nil || grant == nil {
				t.Errorf("grant %d of %d: %s %v", n, i, grant, err)
			}
		}
	}
}

// TestOAuthTakesItsTime: a person who is slow does not hold the caller, and the
// next use finds the grant.
func TestOAuthTakesItsTime(t *testing.T) {
	defer http.DefaultClient.CloseIdleConnections()
	g := newGrantor(t, 3600)
	go2 := make(chan struct{})
	c := client(t, mcpclient.Config{Name: "web", URL: g.URL + "/mcp", Timeouts: mcpclient.Timeouts{Connect: 300 * time.Millisecond}},
		&mcpclient.Options{Authorize: func(ctx context.Context, page string) error {
			<-go2
			return visit(ctx, page)
		}})
	_, err := c.Tools(t.Context())
	own, ok := errors.AsType[*mcpclient.Error](err)
	if !ok || own.Reason != mcpclient.ReasonAuth || !strings.Contains(err.Error(), g.URL+"/authorize") {
		t.Errorf("%v", err)
	}
	close(go2)
	await(t, func() bool { return g.tokens.Load() == 1 })
	await(t, func() bool { c.Retry(); _, err := c.Tools(t.Context()); return err == nil })
	if g.pages.Load() != 1 {
		t.Errorf("%d pages", g.pages.Load())
	}
	c.Close()
}
