package oauth

import (
	"errors"
	"io"
	"net"
	"net/http"
	"strings"
	"testing"

	"github.com/gongu-ai/gongu/internal/netguard"
)

// TestGuarded: what a server on the internet names as its authorization server
// must not be inside of our network.
func TestGuarded(t *testing.T) {
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = listener.Close() }()
	server := &http.Server{Handler: http.NotFoundHandler()}
	go func() { _ = server.Serve(listener) }()
	defer func() { _ = server.Close() }()
	for serverURL, reached := range map[string]bool{"https://mcp.example.com/mcp": false, "http://localhost:1/mcp": true, "http://127.0.0.1/": true} {
		resp, err := (&http.Client{Transport: guarded(serverURL)}).Get("http://" + listener.Addr().String())
		if err == nil {
			_ = resp.Body.Close()
		}
		if _, refused := errors.AsType[*netguard.Refused](err); refused == reached {
			t.Errorf("%s: %v", serverURL, err)
		}
	}
}

type reached struct{ count int }

func (r *reached) RoundTrip(*http.Request) (*http.Response, error) {
	r.count++
	return &http.Response{StatusCode: http.StatusOK, Body: io.NopCloser(zeros{}), Header: http.Header{}}, nil
}

type zeros struct{}

func (zeros) Read(p []byte) (int, error) { return len(p), nil }

// K14: without a configured issuer the client's secret stays on the origin of
// the server, whatever authorization server the server names.
func TestK14SecretStaysOnOrigin(t *testing.T) {
	for _, tc := range []struct {
		url, secret, issuer, to string
		sent                    bool
	}{
		{"https://mcp.example.com/mcp", "s", "", "https://evil.example.org/token", false},
		{"https://mcp.example.com/mcp", "s", "", "https://mcp.example.com:8443/token", false},
		{"https://mcp.example.com/mcp", "s", "", "http://mcp.example.com/token", false},
		{"https://mcp.example.com/mcp", "s", "", "https://mcp.example.com/token", true},
		{"https://mcp.example.com/mcp", "s", "https://login.example.org", "https://login.example.org/token", true},
		{"https://mcp.example.com/mcp", "", "", "https://login.example.org/token", true},
		{"http://localhost:1/mcp", "s", "", "http://127.0.0.1:2/token", true},
		{"http://localhost:1/mcp", "s", "", "http://example.org/token", false},
	} {
		base := &reached{}
		opts := &Options{URL: tc.url, Registration: Registration{ClientSecret: tc.secret, Issuer: tc.issuer}}
		resp, err := (&http.Client{Transport: &originGuard{opts, base}}).Post(tc.to, "text/plain", strings.NewReader("x"))
		if (base.count > 0) != tc.sent || (err == nil) != tc.sent {
			t.Errorf("%+v: sent %d times, %v", tc, base.count, err)
		}
		if err != nil {
			continue
		}
		if n, _ := io.Copy(io.Discard, resp.Body); n > maxAnswer {
			t.Errorf("%d bytes were read", n)
		}
		_ = resp.Body.Close()
	}
}
