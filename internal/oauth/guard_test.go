package oauth

import (
	"errors"
	"net"
	"net/http"
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
