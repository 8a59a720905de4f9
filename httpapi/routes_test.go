package httpapi_test

import (
	"maps"
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/gongu-ai/gongu/httpapi"
)

// every is a request for each operation, answered with 200.
var every = []struct{ method, path, body string }{
	{"GET", "/tools", ""},
	{"GET", "/tools/read_file", ""},
	{"GET", "/domains", ""},
	{"GET", "/agents", ""},
	{"GET", "/search?q=file", ""},
	{"GET", "/declarations?dialect=openai", ""},
	{"POST", "/calls", `{"name":"read_file","arguments":{"path":"x"}}`},
	{"GET", "/calls", ""},
	{"GET", "/calls/call_outer", ""},
	{"GET", "/audit", ""},
	{"GET", "/audit/head", ""},
	{"GET", "/audit/verify", ""},
	{"GET", "/approvals", ""},
	{"GET", "/approvals/a1", ""},
	{"POST", "/approvals/a1", `{"approve":true,"version":1}`},
	{"GET", "/events", ""},
	{"GET", "/requests", ""},
	{"GET", "/requests/req_001", ""},
	{"POST", "/requests/req_001/approve", `DIGEST}`},
	{"POST", "/requests/req_002/reject", `{"reason":"no"}`},
	{"GET", "/pins", ""},
	{"POST", "/pins/accept", `{"names":["McpServer/git/log@sha256:bb"]}`},
	{"GET", "/status", ""},
	{"GET", "/sources", ""},
	{"GET", "/status", ""},
	{"POST", "/sources/refresh", `{}`},
	{"GET", "/openapi.json", ""},
}

// What is served is in the document, and what is in the document is served.
func TestEveryRoute(t *testing.T) {
	b := newBackend(t, nil)
	ask(t, b.store, 2)
	store := openStore(t, callRows()...)
	askFor(t, store, "a1")
	s := start(t, b, withStore(store), withApprovals(store))
	served := map[string]bool{}
	for _, r := range every {
		if r.path == "/events" {
			s.events(r.path, "0").close()
			served["GET /events"] = true
			continue
		}
		s.do(r.method, r.path, strings.Replace(r.body, "DIGEST", digest(t, b.store, "req_001"), 1), 200, nil)
		served[r.method+" "+s.doc.find(r.path)] = true
	}
	var documented []string
	for path, item := range s.doc.root["paths"].(map[string]any) {
		for method := range item.(map[string]any) {
			documented = append(documented, strings.ToUpper(method)+" "+path)
		}
	}
	slices.Sort(documented)
	if got := slices.Sorted(maps.Keys(served)); !slices.Equal(got, documented) {
		t.Errorf("served %v\ndocumented %v", got, documented)
	}
}

// The page of the documentation has every operation, metric and code.
func TestDocumentation(t *testing.T) {
	raw, err := os.ReadFile("../docs/http-api.md")
	if err != nil {
		t.Fatal(err)
	}
	m := newMetrics(t, nil)
	s := start(t, newBackend(t, nil), func(o *testOptions) { o.Metrics = m })
	s.do("POST", "/calls", `{"name":"broken"}`, 200, nil)
	want := []string{httpapi.CodeInvalid, httpapi.CodeForbidden, httpapi.CodeNotFound, httpapi.CodeMethod, httpapi.CodeConflict, httpapi.CodeTooLarge, httpapi.CodeMediaType, httpapi.CodeRefused, httpapi.CodeBusy, httpapi.CodeInternal}
	for path := range s.doc.root["paths"].(map[string]any) {
		want = append(want, path)
	}
	for line := range strings.Lines(scrape(t, m)) {
		if fields := strings.Fields(line); fields[0] == "#" && strings.HasPrefix(fields[2], "gongu_") {
			want = append(want, "`"+fields[2]+"`")
		}
	}
	for _, text := range want {
		if !strings.Contains(string(raw), text) {
			t.Errorf("docs/http-api.md has no %s", text)
		}
	}
}

// No parameter that a route does not name is taken, by any of them.
func TestEveryRouteRefusesUnknownParameters(t *testing.T) {
	s := start(t, newBackend(t, nil))
	for _, r := range every {
		sep := "?"
		if strings.Contains(r.path, "?") {
			sep = "&"
		}
		s.refuses(r.method, r.path+sep+"unknown=1", r.body, 400, httpapi.CodeInvalid)
	}
}

// Every body is strict.
func TestEveryBodyIsStrict(t *testing.T) {
	s := start(t, newBackend(t, nil))
	for _, r := range every {
		if r.body == "" {
			continue
		}
		s.refuses(r.method, r.path, strings.TrimSuffix(r.body, "}")+comma(r.body)+`"unknown":1}`, 400, httpapi.CodeInvalid)
		s.refuses(r.method, r.path, `[`+r.body+`]`, 400, httpapi.CodeInvalid)
		s.refuses(r.method, r.path, r.body+r.body, 400, httpapi.CodeInvalid)
	}
}

func comma(body string) string {
	if body == "{}" {
		return ""
	}
	return ","
}

func TestNewRefuses(t *testing.T) {
	b := newBackend(t, nil)
	for name, opts := range map[string]httpapi.Options{
		"no backend": {Sources: b},
		"no sources": {Backend: b},
	} {
		if _, err := httpapi.New(opts); err == nil || !strings.HasPrefix(err.Error(), "httpapi: ") {
			t.Errorf("%s: %v", name, err)
		}
	}
}
