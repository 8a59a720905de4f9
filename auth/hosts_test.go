package auth_test

import (
	"encoding/json"
	"net"
	"net/http"
	"strings"
	"testing"

	"github.com/gongu-ai/gongu/auth"
)

// noAuth is a server that lets everyone in, so that only the places count.
func noAuth(hosts, origins []string) auth.Options {
	return auth.Options{NoAuth: true, Hosts: hosts, Origins: origins}
}

// A page whose name now leads to this machine (DNS rebinding) still sends its
// own name.
func TestHost(t *testing.T) {
	server := start(t, noAuth([]string{"Gongu.Example.com", "ported.example.com:8443", "[2001:db8::7]"}, nil), http.HandlerFunc(whoami))
	_, port, err := net.SplitHostPort(server.Listener.Addr().String())
	if err != nil {
		t.Fatal(err)
	}
	for host, want := range map[string]int{
		"127.0.0.1:" + port:        200,
		"127.0.0.1":                200,
		"127.8.9.1:1":              200, // all of 127/8 is this machine
		"localhost:" + port:        200,
		"LOCALHOST":                200,
		"localhost:65535":          200, // a forwarded port
		"[::1]:" + port:            200,
		"[::1]":                    200,
		"[0:0:0:0:0:0:0:1]":        200,
		"[::ffff:127.0.0.1]:80":    200,
		"[::FFFF:7f00:1]":          200,
		"gongu.example.com":        200,
		"GONGU.EXAMPLE.COM:443":    200,
		"ported.example.com:8443":  200,
		"[2001:DB8:0::7]:99":       200,
		"ported.example.com":       403,
		"ported.example.com:8444":  403,
		"evil.com":                 403,
		"evil.com:" + port:         403,
		"localhost.evil.com":       403,
		"evil.localhost":           403,
		"localhost.":               403,
		"gongu.example.com.":       403,
		"gongu.example.com.evil":   403,
		"xgongu.example.com":       403,
		"127.0.0.1.nip.io":         403,
		"127.0.0.1.":               403,
		"0.0.0.0:" + port:          403,
		"[::]:" + port:             403,
		"127.1":                    403,
		"2130706433":               403,
		"0x7f000001":               403,
		"0177.0.0.1":               403,
		"[127.0.0.1]":              403,
		"[::1%lo]":                 403,
		"[::1%25lo]":               403,
		"::1":                      403,
		"[::1":                     403,
		"[::1]evil.com":            403,
		"[::1]:80:80":              403,
		"localhost:":               403,
		"localhost:0":              403,
		"localhost:080":            403,
		"localhost:65536":          403,
		"localhost:99999999999999": 403,
		"localhost:80a":            403,
		"localhost@evil.com":       400,
		"evil.com@localhost":       400,
		"user:pw@localhost":        400,
		"localhost,evil.com":       403,
		"localhost evil.com":       400, // by the server of Go, like the other four hundreds
		"localhost/evil":           400,
		"localhost#evil":           400,
		"10.0.0.1":                 403,
		"localhоst":                400, // a Cyrillic letter
		"":                         403,
	} {
		t.Run(host, func(t *testing.T) {
			resp, body := raw(t, server, lines("GET / HTTP/1.1", "Host: "+host))
			if resp.StatusCode != want {
				t.Fatalf("got %d, want %d: %s", resp.StatusCode, want, body)
			}
			if want == 403 && !strings.Contains(body, `"error":"host_refused"`) {
				t.Errorf("got %s", body)
			}
		})
	}
}

// The target of a request may name a host, and then that one counts.
func TestHostInTarget(t *testing.T) {
	server := start(t, noAuth(nil, nil), http.HandlerFunc(whoami))
	for request, want := range map[string]int{
		lines("GET http://evil.com/ HTTP/1.1", "Host: localhost"):   403,
		lines("GET http://localhost/ HTTP/1.1", "Host: evil.com"):   200,
		lines("GET http://evil.com@localhost/ HTTP/1.1", "Host: x"): 200,
		lines("GET / HTTP/1.0"): 403,
		lines("GET / HTTP/1.1", "Host: localhost", "Host: evil.com"): 400,
		lines("GET / HTTP/1.1"): 400,
		lines("GET / HTTP/1.1", "Host: evil", "X-Forwarded-Host: local"):              403,
		lines("GET / HTTP/1.1", "Host: evil.com", "Forwarded: host=::1"):              403,
		lines("OPTIONS * HTTP/1.1", "Host: evil.com"):                                 403,
		lines("OPTIONS / HTTP/1.1", "Host: evil.com"):                                 403,
		lines("GET /healthz HTTP/1.1", "Host: evil.com"):                              403,
		lines("GET /.well-known/oauth-protected-resource HTTP/1.1", "Host: evil.com"): 403,
	} {
		if resp, body := raw(t, server, request); resp.StatusCode != want {
			t.Errorf("%q: got %d, want %d: %s", request, resp.StatusCode, want, body)
		}
	}
}

// go-sdk checks the Host alone: a page of anybody could ask a server at
// localhost with localhost as Host.
func TestOrigin(t *testing.T) {
	server := start(t, noAuth([]string{"gongu.example.com"}, []string{"https://Console.example.com", "http://localhost:3000", "vscode-webview://abc123"}), http.HandlerFunc(whoami))
	for _, tc := range []struct {
		host, origin string
		want         int
	}{
		{"localhost:7410", "http://localhost:7410", 200},
		{"localhost:7410", "HTTP://LOCALHOST:7410", 200},
		{"localhost", "http://localhost", 200},
		{"localhost:80", "http://localhost", 200},
		{"localhost", "http://localhost:80", 200},
		{"gongu.example.com", "https://gongu.example.com", 200}, // TLS ends at a proxy
		{"gongu.example.com", "https://gongu.example.com:443", 200},
		{"[::1]:7410", "http://[::1]:7410", 200},
		{"localhost:7410", "https://console.example.com", 200},
		{"localhost:7410", "https://console.example.com:443", 200},
		{"localhost:7410", "http://localhost:3000", 200},
		{"localhost:7410", "vscode-webview://abc123", 200},
		{"localhost:7410", "http://console.example.com", 403},
		{"localhost:7410", "https://console.example.com:444", 403},
		{"localhost:7410", "http://localhost", 403},
		{"localhost:7410", "http://localhost:3001", 403},
		{"localhost:7410", "http://127.0.0.1:7410", 403},
		{"localhost:7410", "http://evil.com", 403},
		{"localhost:7410", "http://localhost.evil.com:7410", 403},
		{"localhost:7410", "http://localhost:7410.evil.com", 403},
		{"localhost:7410", "http://localhost:7410@evil.com", 403},
		{"localhost:7410", "http://evil.com@localhost:7410", 403},
		{"localhost:7410", "http://localhost:7410/", 403},
		{"localhost:7410", "http://localhost:7410 ", 200}, // the server of Go trims it
		{"localhost:7410", "http://localhost:7410?x", 403},
		{"localhost:7410", "http://localhost:7410, http://evil.com", 403},
		{"localhost:7410", "null", 403},
		{"localhost:7410", "", 403},
		{"localhost:7410", "*", 403},
		{"localhost:7410", "file://", 403},
		{"localhost:7410", "localhost:7410", 403},
		{"localhost:7410", "//localhost:7410", 403},
		{"localhost:7410", "ftp://localhost:7410", 403},
		{"localhost:7410", "vscode-webview://abc124", 403},
	} {
		t.Run(tc.host+" from "+tc.origin, func(t *testing.T) {
			resp, body := raw(t, server, lines("GET / HTTP/1.1", "Host: "+tc.host, "Origin: "+tc.origin))
			if resp.StatusCode != tc.want {
				t.Fatalf("got %d, want %d: %s", resp.StatusCode, tc.want, body)
			}
			if tc.want == 403 && !strings.Contains(body, `"error":"origin_refused"`) {
				t.Errorf("got %s", body)
			}
			if shared := resp.Header.Get("Access-Control-Allow-Origin"); tc.want == 403 && shared != "" {
				t.Errorf("shared with %s", shared)
			}
		})
	}
	resp, body := raw(t, server, lines("GET / HTTP/1.1", "Host: localhost:1", "Origin: http://localhost:1", "Origin: http://localhost:1"))
	if resp.StatusCode != 403 {
		t.Errorf("two origins: %d %s", resp.StatusCode, body)
	}
	if resp, _ := raw(t, server, lines("GET / HTTP/1.1", "Host: localhost")); resp.StatusCode != 200 {
		t.Errorf("no origin: %d", resp.StatusCode)
	}
}

// A page that was allowed can really ask and read, and gets no cookies.
func TestOriginShared(t *testing.T) {
	tokens, secret := openTokens(t, auth.NewToken{}, nil)
	server := start(t, auth.Options{Tokens: tokens, Origins: []string{"https://console.example.com"}}, http.HandlerFunc(whoami))
	resp, _ := ask(t, server, "OPTIONS", "/mcp", "Origin", "https://console.example.com",
		"Access-Control-Request-Method", "POST", "Access-Control-Request-Headers", "authorization,mcp-param-x")
	if resp.StatusCode != 204 || resp.Header.Get("Access-Control-Allow-Headers") != "authorization,mcp-param-x" ||
		resp.Header.Get("Access-Control-Allow-Methods") != "GET, POST, DELETE" {
		t.Errorf("got %d %v", resp.StatusCode, resp.Header)
	}
	resp, _ = ask(t, server, "GET", "/mcp", "Origin", "https://console.example.com", "Authorization", "Bearer "+secret)
	if resp.StatusCode != 200 || resp.Header.Get("Access-Control-Allow-Origin") != "https://console.example.com" ||
		resp.Header.Get("Vary") != "Origin" || resp.Header.Get("Access-Control-Allow-Credentials") != "" {
		t.Errorf("got %d %v", resp.StatusCode, resp.Header)
	}
	// Without the question before, OPTIONS is a request like others.
	if resp, _ = ask(t, server, "OPTIONS", "/mcp", "Origin", "https://console.example.com"); resp.StatusCode != 401 {
		t.Errorf("got %d", resp.StatusCode)
	}
	// The refusal can be read, too.
	if resp.Header.Get("Access-Control-Allow-Origin") == "" {
		t.Error("the page cannot read why")
	}
}

func TestPlacesAreChecked(t *testing.T) {
	for _, tc := range []struct {
		name string
		opts auth.Options
	}{
		{"wildcard host", noAuth([]string{"*.example.com"}, nil)},
		{"host with a scheme", noAuth([]string{"http://example.com"}, nil)},
		{"host with a dot at the end", noAuth([]string{"example.com."}, nil)},
		{"empty host", noAuth([]string{""}, nil)},
		{"wildcard origin", noAuth(nil, []string{"*"})},
		{"origin with a path", noAuth(nil, []string{"https://example.com/"})},
		{"origin without a scheme", noAuth(nil, []string{"example.com"})},
		{"null", noAuth(nil, []string{"null"})},
		{"all is public", auth.Options{NoAuth: true, Public: []string{"/"}}},
		{"public folder", auth.Options{NoAuth: true, Public: []string{"/assets/"}}},
		{"public without a slash", auth.Options{NoAuth: true, Public: []string{"healthz"}}},
		{"resource", auth.Options{NoAuth: true, Resource: "ftp://example.com"}},
		{"resource with a user", auth.Options{NoAuth: true, Resource: "https://a@example.com"}},
	} {
		t.Run(tc.name, func(t *testing.T) {
			tc.opts.Addr = "127.0.0.1:7410"
			_, err := auth.New(tc.opts, http.NotFoundHandler())
			wantInvalid(t, err)
		})
	}
}

// What is refused is told in both languages, with what to do.
func TestRefusalIsJSON(t *testing.T) {
	for language, want := range map[string]string{"en": "is not allowed", "ko": "허용되지 않은 호스트입니다"} {
		opts := noAuth(nil, nil)
		opts.Lang = language
		server := start(t, opts, http.HandlerFunc(whoami))
		resp, body := raw(t, server, lines("GET / HTTP/1.1", "Host: evil.com"))
		var got struct{ Error, Message, Hint, RequestID string }
		if err := json.Unmarshal([]byte(body), &got); err != nil {
			t.Fatalf("%v: %s", err, body)
		}
		if !strings.Contains(got.Message, want) || got.Hint == "" || got.RequestID == "" || got.RequestID != resp.Header.Get("X-Request-Id") {
			t.Errorf("got %+v", got)
		}
		if resp.Header.Get("Content-Type") != "application/json" || resp.Header.Get("Cache-Control") != "no-store" || len(body) > 600 {
			t.Errorf("got %v, %d bytes", resp.Header, len(body))
		}
	}
}
