package gateway_test

import (
	"context"
	"encoding/base64"
	"encoding/hex"
	"errors"
	"io"
	"log/slog"
	"net"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"go.uber.org/goleak"

	"github.com/gongu-ai/gongu"
	"github.com/gongu-ai/gongu/access"
	"github.com/gongu-ai/gongu/auth"
	"github.com/gongu-ai/gongu/bundle"
	"github.com/gongu-ai/gongu/gateway"
	"github.com/gongu-ai/gongu/host"
	"github.com/gongu-ai/gongu/internal/attach"
	"github.com/gongu-ai/gongu/internal/secret"
	"github.com/gongu-ai/gongu/policy"
)

func TestMain(m *testing.M) {
	goleak.VerifyTestMain(m, goleak.IgnoreAnyFunction("net/http.(*persistConn).readLoop"), goleak.IgnoreAnyFunction("net/http.(*persistConn).writeLoop"))
}

// hangs means "does not hang".
const hangs = 20 * time.Second

// optionsFor are options with a state root and a cache of the test's own.
func optionsFor(t *testing.T) *gateway.Options {
	t.Helper()
	t.Setenv("XDG_CACHE_HOME", t.TempDir())
	return &gateway.Options{
		Host:   host.Options{StateRoot: t.TempDir()},
		Access: access.Options{Offer: []gongu.Rule{{}}},
		Logger: slog.New(slog.DiscardHandler),
	}
}

// running is a gateway that serves a listener.
type running struct {
	*gateway.Gateway
	started gateway.Started
	// stop ends it and returns what Serve returned.
	stop func() error
}

func start(t *testing.T, o *gateway.Options) *running {
	t.Helper()
	r := &running{}
	ready := make(chan gateway.Started, 1)
	o.Started = func(s gateway.Started) error { ready <- s; return nil }
	g, err := gateway.New(t.Context(), o)
	if err != nil {
		t.Fatal(err)
	}
	r.Gateway = g
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(context.Background())
	ended := make(chan error, 1)
	go func() { ended <- g.Serve(ctx, l) }()
	r.stop = func() error {
		cancel()
		select {
		case err := <-ended:
			ended <- err // for a second stop
			return err
		case <-time.After(hangs):
			t.Fatal("the gateway does not end")
			return nil
		}
	}
	t.Cleanup(func() {
		_ = r.stop()
		if err := g.Close(); err != nil {
			t.Error(err)
		}
	})
	select {
	case r.started = <-ready:
	case err := <-ended:
		t.Fatalf("the gateway ended: %v", err)
	}
	return r
}

// call posts a tools/call.
func call(t *testing.T, url, token, tool, args string) (int, string) {
	t.Helper()
	body := `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"` + tool + `","arguments":` + args +
		`,"_meta":{"io.modelcontextprotocol/protocolVersion":"2026-07-28","io.modelcontextprotocol/clientCapabilities":{}}}}`
	request, err := http.NewRequest(http.MethodPost, url, strings.NewReader(body))
	if err != nil {
		t.Fatal(err)
	}
	for name, value := range map[string]string{
		"Content-Type": "application/json", "Accept": "application/json, text/event-stream",
		"Mcp-Protocol-Version": "2026-07-28", "Mcp-Method": "tools/call", "Mcp-Name": tool,
	} {
		request.Header.Set(name, value)
	}
	if token != "" {
		request.Header.Set("Authorization", "Bearer "+token)
	}
	response, err := http.DefaultClient.Do(request)
	if err != nil {
		return 0, err.Error()
	}
	defer response.Body.Close()
	raw, err := io.ReadAll(response.Body)
	if err != nil {
		t.Error(err)
	}
	return response.StatusCode, string(raw)
}

// The first token is made and told once, it is needed, and other processes find
// the server by its record while it runs.
func TestServe(t *testing.T) {
	o := optionsFor(t)
	observed := &counter{}
	o.Observers = []gongu.Observer{observed}
	g := start(t, o)
	if status, body := call(t, g.started.URL, "", "text-transform__case", `{"text":"hi","to":"upper"}`); status != http.StatusUnauthorized {
		t.Errorf("without a token: %d %s", status, body)
	}
	status, body := call(t, g.started.URL, g.started.FirstToken, "text-transform__case", `{"text":"hi","to":"upper"}`)
	if status != http.StatusOK || !strings.Contains(body, "HI") {
		t.Errorf("with the first token: %d %s", status, body)
	}
	if observed.ended.Load() != 1 {
		t.Errorf("an observer saw %d calls", observed.ended.Load())
	}
	server, ok := attach.Find(t.Context(), o.Host.StateRoot)
	if !ok || server.URL != g.started.URL {
		t.Fatalf("%+v, %v", server, ok)
	}
	in := strings.NewReader(`{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":"2025-06-18","capabilities":{}}}
{"jsonrpc":"2.0","id":2,"method":"tools/call","params":{"name":"text-transform__case","arguments":{"text":"hi","to":"upper"}}}
`)
	var out strings.Builder
	if err := server.Run(t.Context(), &attach.Options{}, in, &out); err != nil || !strings.Contains(out.String(), "HI") {
		t.Errorf("an attached client: %v, %s", err, out.String())
	}
	if err := g.stop(); err != nil {
		t.Error(err)
	}
	if left, err := filepath.Glob(filepath.Join(o.Host.StateRoot, "servers", "*.json")); err != nil || len(left) > 0 {
		t.Errorf("records are still there: %v, %v", left, err)
	}
	if _, err := os.Stat(filepath.Dir(server.Address)); !os.IsNotExist(err) {
		t.Errorf("the socket is still there: %v", err)
	}
	tokens, err := auth.OpenTokens(filepath.Join(o.Host.StateRoot, auth.TokensName), nil)
	if err != nil {
		t.Fatal(err)
	}
	if list, err := tokens.List(); err != nil || len(list) != 1 || list[0].Name != auth.DefaultToken {
		t.Errorf("tokens afterwards: %+v, %v", list, err)
	}
	again := start(t, optionsWith(o))
	if again.started.FirstToken != "" {
		t.Error("a first token was made twice")
	}
}

// optionsWith is a copy of options, for another gateway on the same state.
func optionsWith(o *gateway.Options) *gateway.Options {
	other := *o
	return &other
}

type counter struct{ ended atomic.Int32 }

func (c *counter) Begin(ctx context.Context, _ *gongu.Attempt) context.Context { return ctx }
func (c *counter) End(context.Context, *gongu.Attempt, gongu.Result)           { c.ended.Add(1) }

// A running call is finished within the grace, one that takes longer is
// cancelled, and neither delays the end any further.
func TestServeDrains(t *testing.T) {
	for _, tc := range []struct {
		name     string
		grace    time.Duration
		finishes bool
	}{{"finishes", hangs, true}, {"is cut off", 50 * time.Millisecond, false}} {
		t.Run(tc.name, func(t *testing.T) {
			o := optionsFor(t)
			o.Auth.NoAuth, o.Grace, o.Host.Policy.Mode = true, tc.grace, policy.Bypass
			g := start(t, o)
			began, release := make(chan struct{}), make(chan struct{})
			err := g.Host().Registry().Add(gongu.Func("hold", "Waits.", func(ctx context.Context, _ struct{}) (string, error) {
				close(began)
				select {
				case <-release:
					return "finished", nil
				case <-ctx.Done():
					return "", ctx.Err()
				}
			}))
			if err != nil {
				t.Fatal(err)
			}
			answered := make(chan string, 1)
			go func() {
				_, body := call(t, g.started.URL, "", "hold", `{}`)
				answered <- body
			}()
			<-began
			ended := make(chan error, 1)
			go func() { ended <- g.stop() }()
			waitNotReady(t, g.started.Address)
			if tc.finishes {
				close(release)
			}
			if body := <-answered; strings.Contains(body, "finished") != tc.finishes {
				t.Errorf("the answer was %s", body)
			}
			if err := <-ended; err != nil {
				t.Error(err)
			}
		})
	}
}

// waitNotReady waits until /readyz says so, or nothing answers any more.
func waitNotReady(t *testing.T, address string) {
	t.Helper()
	for deadline := time.Now().Add(hangs); time.Now().Before(deadline); time.Sleep(5 * time.Millisecond) {
		response, err := http.Get("http://" + address + "/readyz")
		if err != nil {
			return
		}
		_ = response.Body.Close()
		if response.StatusCode != http.StatusOK {
			return
		}
	}
	t.Fatal("a gateway that ends is still ready")
}

// Handler serves the same behind a server of the caller's own, with tokens of
// the caller's own.
func TestHandler(t *testing.T) {
	o := optionsFor(t)
	tokens, err := auth.OpenTokens(filepath.Join(t.TempDir(), "tokens.json"), nil)
	if err != nil {
		t.Fatal(err)
	}
	secret, _, err := tokens.Create(t.Context(), auth.NewToken{Name: "mine"})
	if err != nil {
		t.Fatal(err)
	}
	o.Auth.Tokens = tokens
	g, err := gateway.New(t.Context(), o)
	if err != nil {
		t.Fatal(err)
	}
	defer g.Close()
	server := httptest.NewServer(g.Handler())
	defer server.Close()
	if status, body := call(t, server.URL+"/mcp", secret, "text-transform__case", `{"text":"hi","to":"upper"}`); status != http.StatusOK || !strings.Contains(body, "HI") {
		t.Errorf("%d %s", status, body)
	}
	if status, _ := call(t, server.URL+"/mcp", "", "text-transform__case", `{"text":"hi","to":"upper"}`); status != http.StatusUnauthorized {
		t.Errorf("without a token: %d", status)
	}
}

// What others can reach is not served without authentication.
func TestServeRefusesPublicWithoutAuth(t *testing.T) {
	o := optionsFor(t)
	o.Auth.NoAuth, o.Auth.Addr = true, "127.0.0.1:7410" // what is said does not count
	g, err := gateway.New(t.Context(), o)
	if err != nil {
		t.Fatal(err)
	}
	defer g.Close()
	l, err := net.Listen("tcp", "0.0.0.0:0")
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithTimeout(t.Context(), time.Second)
	defer cancel()
	if err := g.Serve(ctx, l); !errors.Is(err, auth.ErrUnsafe) {
		t.Errorf("got %v", err)
	}
	if _, err := l.Accept(); err == nil {
		t.Error("the listener is still open")
	}
}

// A client on pipes needs no token, and none is made for it.
func TestServeStdio(t *testing.T) {
	o := optionsFor(t)
	g, err := gateway.New(t.Context(), o)
	if err != nil {
		t.Fatal(err)
	}
	in := strings.NewReader(`{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":"2025-06-18","capabilities":{}}}
{"jsonrpc":"2.0","id":2,"method":"tools/call","params":{"name":"text-transform__case","arguments":{"text":"hi","to":"upper"}}}
`)
	var out strings.Builder
	if err := g.ServeStdio(t.Context(), in, &out); err != nil {
		t.Error(err)
	}
	if err := g.Close(); err != nil {
		t.Error(err)
	}
	if !strings.Contains(out.String(), "HI") {
		t.Errorf("got %s", out.String())
	}
	if _, err := os.Stat(filepath.Join(o.Host.StateRoot, auth.TokensName)); !os.IsNotExist(err) {
		t.Errorf("a token was made: %v", err)
	}
}

// A bundle with errors is refused with all of them, and a callback that fails
// ends Serve.
func TestFailures(t *testing.T) {
	o := optionsFor(t)
	o.Bundle = t.TempDir()
	if err := os.WriteFile(filepath.Join(o.Bundle, "gongu.yaml"), []byte("kind: Nothing\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	_, err := gateway.New(t.Context(), o)
	if diagnostics, ok := errors.AsType[bundle.Diagnostics](err); !ok || len(diagnostics) == 0 {
		t.Errorf("got %v", err)
	}
	o.Bundle = ""
	failed := errors.New("nobody reads this")
	o.Started = func(gateway.Started) error { return failed }
	g, err := gateway.New(t.Context(), o)
	if err != nil {
		t.Fatal(err)
	}
	defer g.Close()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	if err := g.Serve(t.Context(), l); !errors.Is(err, failed) {
		t.Errorf("got %v", err)
	}
}

// Tokens that the program brings are left as they are: no first token is made.
func TestServeKeepsGivenTokens(t *testing.T) {
	o := optionsFor(t)
	tokens, err := auth.OpenTokens(filepath.Join(t.TempDir(), "tokens.json"), nil)
	if err != nil {
		t.Fatal(err)
	}
	o.Auth.Tokens = tokens
	g := start(t, o)
	if g.started.FirstToken != "" {
		t.Error("a first token was made")
	}
	if err := g.stop(); err != nil {
		t.Error(err)
	}
	if list, err := tokens.List(); err != nil || len(list) != 0 {
		t.Errorf("%+v, %v", list, err)
	}
}

// K13: the secret that clients on stdio prove to know is not printed, in any form.
func TestK13_AttachSecret(t *testing.T) {
	o := optionsFor(t)
	o.Host.Secrets = &secret.Vault{}
	start(t, o)
	raw, err := os.ReadFile(filepath.Join(o.Host.StateRoot, "attach.key"))
	if err != nil {
		t.Fatal(err)
	}
	for name, text := range map[string]string{"itself": string(raw), "in digits": hex.EncodeToString(raw), "in base64": base64.StdEncoding.EncodeToString(raw)} {
		if got := o.Host.Secrets.Redact("it is " + text); got != "it is [secret attach.key]" && !(name == "itself" && strings.Contains(got, "[secret attach.key]")) {
			t.Errorf("%s: %q", name, got)
		}
	}
	found, ok := attach.Find(t.Context(), o.Host.StateRoot)
	if !ok {
		t.Fatal("the server is not found")
	}
	theirs := &secret.Vault{}
	found.Keep(theirs)
	if got := theirs.Redact(hex.EncodeToString(raw)); got != "[secret attach.key]" {
		t.Errorf("of a client: %q", got)
	}
}
