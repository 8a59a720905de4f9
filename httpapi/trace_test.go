package httpapi_test

import (
	"context"
	"net/http"
	"regexp"
	"strings"
	"testing"

	"github.com/gongu-ai/gongu"
	"github.com/gongu-ai/gongu/httpapi"
	"github.com/gongu-ai/gongu/internal/trace"
)

const (
	someTrace  = "4bf92f3577b34da6a3ce929d0e0e4736"
	someParent = "00-" + someTrace + "-00f067aa0ba902b7-01"
)

// tracer is a tool that tells its trace, and what it would send upstream.
func tracer() gongu.Tool {
	yes := true
	return gongu.Tool{Name: "trace", Annotations: gongu.Annotations{ReadOnly: &yes}, Invoke: func(ctx context.Context, _ gongu.Call) gongu.Result {
		return gongu.OK([]string{trace.ID(ctx), trace.Parent(ctx)})
	}}
}

func callTracer(t *testing.T, s *server, header http.Header) (id, parent string) {
	t.Helper()
	header = header.Clone()
	header.Set("Content-Type", "application/json")
	got := s.raw("POST", httpapi.Prefix+"/calls", header, strings.NewReader(`{"name":"trace"}`))
	found := regexp.MustCompile(`"output":\["([0-9a-f]*)","([0-9a-f-]*)"\]`).FindSubmatch(got.body)
	if found == nil {
		t.Fatalf("%d %s", got.status, got.body)
	}
	return string(found[1]), string(found[2])
}

// A traceparent that comes is the one that tools and their upstreams see. One
// that is broken is dropped, not repeated.
func TestTraceContinues(t *testing.T) {
	s := start(t, newBackend(t, nil, tracer()))
	id, parent := callTracer(t, s, http.Header{"Traceparent": {someParent}})
	if id != someTrace || parent != someParent {
		t.Errorf("trace %s, upstream %s", id, parent)
	}
	for _, broken := range []string{"", "garbage", "00-" + strings.Repeat("0", 32) + "-00f067aa0ba902b7-01", "ff-" + someTrace + "-00f067aa0ba902b7-01"} {
		if id, parent := callTracer(t, s, http.Header{"Traceparent": {broken}}); id != "" || parent != "" {
			t.Errorf("%q: trace %s, upstream %s", broken, id, parent)
		}
	}
}
