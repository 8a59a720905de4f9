package httpapi_test

import (
	"strings"
	"testing"
)

func TestHealthAndReadiness(t *testing.T) {
	s := start(t, newBackend(t, nil))
	expect := func(path string, status int, word string) {
		t.Helper()
		got := s.raw("GET", path, nil, nil)
		if got.status != status || strings.TrimSpace(string(got.body)) != `{"status":"`+word+`"}` {
			t.Errorf("%s: %d %s, want %d %s", path, got.status, got.body, status, word)
		}
	}
	expect("/healthz", 200, "ok")
	expect("/readyz", 200, "ready")
	s.api.Drain()
	expect("/readyz", 503, "draining")
	expect("/healthz", 200, "ok")
	// What comes all the same is answered.
	s.do("POST", "/calls", `{"name":"broken"}`, 200, nil)
}
