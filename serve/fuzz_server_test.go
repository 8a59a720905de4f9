package serve_test

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"net/textproto"
	"net/url"
	"os"
	"runtime"
	"strings"
	"testing"
	"time"

	"github.com/gongu-ai/gongu"
	"github.com/gongu-ai/gongu/serve"
	"golang.org/x/tools/txtar"
)

// fuzzed is one server for all inputs of a fuzz target.
type fuzzed struct {
	stage *stage
	mux   http.Handler
}

// newFuzzed makes a server on which nothing takes long: questions that nobody
// answers end soon, and so do streams.
func newFuzzed(t testing.TB) *fuzzed {
	s := newStageWith(t, func(opts *serve.Options) {
		opts.Sampling = true
		opts.TaskAfter = time.Millisecond
		opts.Limits.Wait = 2 * time.Millisecond
		opts.Limits.TasksEach, opts.Limits.TaskTTL = 32, time.Millisecond
		opts.Limits.Waiting = 64
	})
	s.release()
	mcp, sse := s.server.MCP(), s.server.SSE()
	return &fuzzed{stage: s, mux: http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		r = r.WithContext(gongu.WithPrincipal(r.Context(), &gongu.Principal{Name: "fuzz"}))
		if strings.HasPrefix(r.URL.Path, "/sse") {
			sse.ServeHTTP(w, r)
			return
		}
		mcp.ServeHTTP(w, r)
	})}
}

// fuzzBound is when something counts as a hang.
const fuzzBound = 20 * time.Second

// within runs something and fails with all stacks when it does not end.
func within(t *testing.T, run func()) {
	t.Helper()
	done := make(chan struct{})
	go func() {
		defer close(done)
		run()
	}()
	select {
	case <-done:
	case <-time.After(fuzzBound):
		stacks := make([]byte, 1<<20)
		t.Fatalf("it hangs:\n%s", stacks[:runtime.Stack(stacks, true)])
	}
}

// call is one request over HTTP.
type call struct {
	method, path, headers string
	body                  []byte
}

// do lets the server answer. Streams are closed by the client after a moment.
func (f *fuzzed) do(c call) *httptest.ResponseRecorder {
	ctx, cancel := context.WithTimeout(context.Background(), 10*time.Millisecond)
	defer cancel()
	path, query, _ := strings.Cut(c.path, "?")
	req := (&http.Request{
		Method: c.method, URL: &url.URL{Path: path, RawQuery: query}, Header: http.Header{}, Host: "localhost",
		Proto: "HTTP/1.1", ProtoMajor: 1, ProtoMinor: 1,
		Body: io.NopCloser(bytes.NewReader(c.body)), ContentLength: int64(len(c.body)),
	}).WithContext(ctx)
	for line := range strings.Lines(c.headers) {
		if key, value, ok := strings.Cut(strings.TrimSpace(line), ":"); ok {
			req.Header.Add(textproto.CanonicalMIMEHeaderKey(key), strings.TrimSpace(value))
		}
	}
	w := httptest.NewRecorder()
	f.mux.ServeHTTP(w, req)
	return w
}

// begin opens a session of a revision.
func (f *fuzzed) begin(version string) string {
	w := f.do(call{http.MethodPost, "/mcp", "Content-Type: application/json", []byte(
		`{"jsonrpc":"2.0","id":0,"method":"initialize","params":{"protocolVersion":"` + version + `","capabilities":{"elicitation":{},"sampling":{},"roots":{}}}}`)})
	return w.Header().Get("Mcp-Session-Id")
}

func (f *fuzzed) end(session string) {
	f.do(call{http.MethodDelete, "/mcp", "Mcp-Session-Id: " + session, nil})
}

// judge says what is wrong with an answer.
func judge(c call, w *httptest.ResponseRecorder) error {
	s := newSaid()
	kind, _, _ := strings.Cut(w.Header().Get("Content-Type"), ";")
	var err error
	switch {
	case kind == "text/event-stream":
		err = s.takeEvents(w.Body.String())
	case kind == "application/json":
		err = s.takeAll(w.Body.Bytes())
	case w.Body.Len() > 0 && !(kind == "text/plain" && w.Code == http.StatusNotFound || w.Body.String() == "Accepted"):
		err = fmt.Errorf("a body of the type %q: %q", kind, w.Body)
	}
	if err != nil {
		return err
	}
	if w.Code >= 500 && w.Code != http.StatusServiceUnavailable {
		return fmt.Errorf("status %d: %s", w.Code, w.Body)
	}
	if c.method != http.MethodPost || c.path != "/mcp" || !strings.HasPrefix(c.headers, "Content-Type: application/json\n") {
		return nil
	}
	return judgePost(c, w, s)
}

// judgePost holds the answer against the message.
func judgePost(c call, w *httptest.ResponseRecorder, s *said) error {
	kind, id, members := read(c.body)
	total := 0
	for _, n := range s.answers {
		total += n
	}
	switch kind {
	case broken:
		if w.Code != http.StatusBadRequest || s.answers["null"] != 1 || s.codes["null"] != -32700 || total != 1 {
			return fmt.Errorf("what is no JSON is answered with %d %s", w.Code, w.Body)
		}
	case asks:
		if string(members["method"]) == `"subscriptions/listen"` && total == 0 && w.Code == http.StatusOK {
			return nil // it is the client who ends it
		}
		if s.answers[id] != 1 || total != 1 {
			return fmt.Errorf("the request %s has the answers %v: %d %s", id, s.answers, w.Code, w.Body)
		}
	case tells, answers:
		if w.Code != http.StatusAccepted && w.Code != http.StatusBadRequest && w.Code != http.StatusNotFound {
			return fmt.Errorf("what wants no answer is answered with %d %s", w.Code, w.Body)
		}
	case unclear:
		if total > 0 && w.Code == http.StatusAccepted {
			return fmt.Errorf("%d %s", w.Code, w.Body)
		}
	}
	return nil
}

// seeds calls fn with the steps of all transcripts of a transport.
func seeds(f *testing.F, transport string, fn func(file string, steps []string)) {
	f.Helper()
	for _, name := range transcripts(f) {
		if !strings.Contains(name, "/"+transport) {
			continue
		}
		raw, err := os.ReadFile(name)
		if err != nil {
			f.Fatal(err)
		}
		var steps []string
		for _, file := range txtar.Parse(raw).Files {
			if strings.HasSuffix(file.Name, ".in") {
				steps = append(steps, strings.TrimSpace(string(file.Data)))
			}
		}
		fn(name, steps)
	}
}

// written is a step of a transcript as the request that it is.
func written(step string) (call, bool) {
	v := &vars{session: "$SESSION", state: "$STATE", task: "$TASK", cursor: "$CURSOR"}
	head, body := parts(step)
	first, rest, _ := strings.Cut(head, "\n")
	line, _, _ := strings.Cut(first, " &")
	method, path, ok := strings.Cut(line, " ")
	if !ok || !strings.HasPrefix(path, "/") {
		return call{}, false
	}
	body = v.expand(compact(body))
	req := &http.Request{Header: http.Header{}}
	modernHeaders(req, body)
	headers := "Content-Type: application/json\nAccept: application/json, text/event-stream\n"
	for key := range req.Header {
		headers += key + ": " + req.Header.Get(key) + "\n"
	}
	return call{method, path, headers + rest, []byte(body)}, true
}

// isJSON tells a line of a conversation that is a message.
func isJSON(line string) bool { return json.Valid([]byte(line)) }
