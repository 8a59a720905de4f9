package auth_test

import (
	"errors"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/gongu-ai/gongu/auth"
)

func wantInvalid(t *testing.T, err error) {
	t.Helper()
	e, ok := errors.AsType[*auth.Error](err)
	if !ok || !errors.Is(err, auth.ErrInvalid) || e.Hint("en") == "" || e.Message("ko") == e.Message("en") {
		t.Errorf("got %v", err)
	}
}

// promise V3: without authentication on loopback only.
func TestV3CheckBind(t *testing.T) {
	for addr, loopback := range map[string]bool{
		"127.0.0.1:7410":          true,
		"127.3.2.1:7410":          true,
		"localhost:7410":          true,
		"LocalHost:0":             true,
		"[::1]:7410":              true,
		"[::ffff:127.0.0.1]:7410": true,
		":7410":                   false,
		"0.0.0.0:7410":            false,
		"[::]:7410":               false,
		"192.168.0.2:7410":        false,
		"[fe80::1%eth0]:7410":     false,
		"example.com:7410":        false,
		"localhost.evil.com:7410": false,
	} {
		err := auth.CheckBind(addr, false)
		if loopback != (err == nil) || !loopback && !errors.Is(err, auth.ErrUnsafe) {
			t.Errorf("%s: %v", addr, err)
		}
		if err := auth.CheckBind(addr, true); err != nil {
			t.Errorf("%s with authentication: %v", addr, err)
		}
		_, err = auth.New(auth.Options{NoAuth: true, Addr: addr}, http.NotFoundHandler())
		if loopback != (err == nil) {
			t.Errorf("%s: New: %v", addr, err)
		}
	}
	for _, addr := range []string{"", "7410", "127.0.0.1", "127.0.0.1:", "a:b:c"} {
		wantInvalid(t, auth.CheckBind(addr, true))
	}
}

// promise V3: it is loud.
func TestV3NoAuthIsLoud(t *testing.T) {
	for language, want := range map[string]string{"en": "NO AUTHENTICATION", "ko": "인증 없음"} {
		if got := auth.NoAuthNotice("127.0.0.1:7410", language); !strings.HasPrefix(got, want) || !strings.Contains(got, "127.0.0.1:7410") {
			t.Errorf("got %s", got)
		}
	}
	err := auth.CheckBind("0.0.0.0:7410", false)
	if e, ok := errors.AsType[*auth.Error](err); !ok || !strings.Contains(e.Hint("en"), "127.0.0.1:7410") {
		t.Errorf("got %v", err)
	}
}

// promise V3: the handler itself refuses what came in elsewhere, whatever the
// options said about the address.
func TestV3NoAuthLooksAtTheConnection(t *testing.T) {
	handler, err := auth.New(auth.Options{NoAuth: true, Addr: "127.0.0.1:7410", Logger: quiet()}, http.HandlerFunc(whoami))
	if err != nil {
		t.Fatal(err)
	}
	for local, want := range map[string]int{"127.0.0.1:7410": 200, "192.168.0.2:7410": 403, "[2001:db8::1]:7410": 403} {
		w := httptest.NewRecorder()
		handler.ServeHTTP(w, arrivedAt(t, local, "localhost:7410"))
		if w.Code != want {
			t.Errorf("%s: got %d", local, w.Code)
		}
	}
}

// A server on all addresses answers to the one that was called.
func TestHostIsTheCalledAddress(t *testing.T) {
	tokens, secret := openTokens(t, auth.NewToken{}, nil)
	handler, err := auth.New(auth.Options{Addr: "[::]:7410", Tokens: tokens, Logger: quiet()}, http.HandlerFunc(whoami))
	if err != nil {
		t.Fatal(err)
	}
	for _, tc := range []struct {
		local, host string
		want        int
	}{
		{"192.168.0.2:7410", "192.168.0.2:7410", 200},
		{"192.168.0.2:7410", "192.168.0.2:80", 200},
		{"[2001:db8::1]:7410", "[2001:db8::1]:7410", 200},
		{"192.168.0.2:7410", "192.168.0.3:7410", 403},
		{"192.168.0.2:7410", "[::]:7410", 403},
		{"192.168.0.2:7410", "0.0.0.0:7410", 403},
		{"192.168.0.2:7410", "evil.com", 403},
	} {
		w := httptest.NewRecorder()
		r := arrivedAt(t, tc.local, tc.host)
		r.Header.Set("Authorization", "Bearer "+secret)
		handler.ServeHTTP(w, r)
		if w.Code != tc.want {
			t.Errorf("%s at %s: got %d", tc.host, tc.local, w.Code)
		}
	}
}

func TestAuthMustBeChosen(t *testing.T) {
	tokens, _ := openTokens(t, auth.NewToken{}, nil)
	for name, opts := range map[string]auth.Options{
		"nothing":         {},
		"logins alone":    {Logins: auth.NewLogins(nil)},
		"both":            {NoAuth: true, Tokens: tokens},
		"logins for none": {NoAuth: true, Logins: auth.NewLogins(nil)},
	} {
		t.Run(name, func(t *testing.T) {
			opts.Addr = "127.0.0.1:7410"
			_, err := auth.New(opts, http.NotFoundHandler())
			wantInvalid(t, err)
		})
	}
	if _, err := auth.New(auth.Options{Tokens: tokens}, nil); err == nil {
		t.Error("a gate before nothing")
	}
}
