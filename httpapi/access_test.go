package httpapi_test

import (
	"strings"
	"testing"

	"github.com/gongu-ai/gongu/httpapi"
)

// Each route says what a principal needs to use it: what changes something
// needs more than what shows it.
func TestRoutesHaveAccess(t *testing.T) {
	b := newBackend(t, nil)
	api, err := httpapi.New(httpapi.Options{Backend: b, Sources: b, Logger: quiet()})
	if err != nil {
		t.Fatal(err)
	}
	for _, r := range api.Routes() {
		want := httpapi.AccessRead
		switch {
		case r.Method == "POST" && strings.HasSuffix(r.Path, "/calls"):
			want = httpapi.AccessCall
		case r.Method != "GET":
			want = httpapi.AccessDecide
		case strings.Contains(r.Path, "/calls"), strings.HasSuffix(r.Path, "/events"), strings.Contains(r.Path, "/approvals"):
			want = httpapi.AccessHistory
		case strings.HasSuffix(r.Path, "/audit/verify"):
			want = httpapi.AccessManage
		case strings.Contains(r.Path, "/audit"):
			want = httpapi.AccessServer
		case strings.HasSuffix(r.Path, "/pins"), strings.HasSuffix(r.Path, "/sources"), strings.HasSuffix(r.Path, "/status"):
			want = httpapi.AccessServer
		case strings.Contains(r.Path, "/requests"):
			want = httpapi.AccessRequests
		}
		if r.Access != want {
			t.Errorf("%s %s needs %q, want %q", r.Method, r.Path, r.Access, want)
		}
	}
	if len(api.Routes()) < 16 {
		t.Errorf("%d routes", len(api.Routes()))
	}
}
