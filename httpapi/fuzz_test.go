package httpapi_test

import (
	"encoding/json"
	"net/http"
	"net/http/httptest"
	"net/url"
	"strings"
	"testing"

	"github.com/gongu-ai/gongu"
	"github.com/gongu-ai/gongu/httpapi"
)

// fuzzTarget is one API that all inputs of a worker meet, without a network.
func fuzzTarget(f *testing.F) (*backend, http.Handler) {
	f.Helper()
	b := newBackend(f, nil)
	a, err := httpapi.New(httpapi.Options{Backend: b, Sources: b, Logger: quiet()})
	if err != nil {
		f.Fatal(err)
	}
	person := &gongu.Principal{Name: "kim", Person: true, Manage: "all"}
	return b, http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		a.Handler().ServeHTTP(w, r.WithContext(gongu.WithPrincipal(r.Context(), person)))
	})
}

// answered checks what every answer has, whatever was asked.
func answered(t *testing.T, w *httptest.ResponseRecorder) {
	t.Helper()
	if w.Code >= 500 && w.Code != http.StatusServiceUnavailable {
		t.Fatalf("status %d: %s", w.Code, w.Body)
	}
	if !json.Valid(w.Body.Bytes()) {
		t.Fatalf("status %d with no JSON: %s", w.Code, w.Body)
	}
	if w.Code >= 400 {
		var p problem
		if err := json.Unmarshal(w.Body.Bytes(), &p); err != nil || p.Code == "" || p.Message == "" || p.Suggestion == "" || p.Status != w.Code {
			t.Fatalf("status %d: %s", w.Code, w.Body)
		}
	}
}

// A body is answered with JSON, is never a fault of the server, and only a sound
// one does anything.
func FuzzBody(f *testing.F) {
	for _, r := range every {
		if r.body != "" {
			f.Add(r.path, r.body)
		}
	}
	f.Add("/calls", `{"name":"read_file","arguments":"{\"path\":\"\\u0000\"}","id":"\ud800"}`)
	f.Add("/calls", `{"name":"read_file","name":"broken"}`)
	f.Add("/pins/accept", `{"names":[""],"all":false}`)
	b, handler := fuzzTarget(f)
	f.Fuzz(func(t *testing.T, path, body string) {
		target, err := url.Parse(httpapi.Prefix + "/" + strings.TrimPrefix(path, "/"))
		if err != nil {
			return
		}
		r := &http.Request{Method: http.MethodPost, URL: target, Header: sendsJSON, Body: http.NoBody, Host: "localhost"}
		r.Body = readCloser{strings.NewReader(body)}
		before := len(b.accepted)
		w := httptest.NewRecorder()
		handler.ServeHTTP(w, r.WithContext(t.Context()))
		if w.Code == http.StatusTemporaryRedirect || w.Code == http.StatusMovedPermanently {
			return // a path that is not clean
		}
		answered(t, w)
		if len(b.accepted) > before && (w.Code != 200 || !json.Valid([]byte(body))) {
			t.Fatalf("%d: pins were accepted by %q", w.Code, body)
		}
	})
}

type readCloser struct{ *strings.Reader }

func (readCloser) Close() error { return nil }

// A query is answered with JSON and is never a fault of the server.
func FuzzQuery(f *testing.F) {
	for _, r := range every {
		if r.body == "" {
			path, query, _ := strings.Cut(r.path, "?")
			f.Add(path, query)
		}
	}
	f.Add("/tools", "cursor=bGlzdFRvb2xzAAEBeA&limit=1")
	f.Add("/tools", "domain=%5B&source=*")
	f.Add("/requests", "cursor=9999999999999999999999&status=queued")
	_, handler := fuzzTarget(f)
	f.Fuzz(func(t *testing.T, path, query string) {
		target, err := url.Parse(httpapi.Prefix + "/" + strings.TrimPrefix(path, "/"))
		if err != nil {
			return
		}
		target.RawQuery = query
		w := httptest.NewRecorder()
		r := &http.Request{Method: http.MethodGet, URL: target, Header: http.Header{}, Body: http.NoBody, Host: "localhost"}
		handler.ServeHTTP(w, r.WithContext(t.Context()))
		if w.Code == http.StatusTemporaryRedirect || w.Code == http.StatusMovedPermanently {
			return
		}
		answered(t, w)
	})
}
