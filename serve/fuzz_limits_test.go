package serve_test

import (
	"bytes"
	"context"
	"encoding/json"
	"io"
	"math"
	"net/http"
	"net/http/httptest"
	"runtime"
	"strings"
	"testing"

	"github.com/gongu-ai/gongu/internal/footprint"
	"github.com/gongu-ai/gongu/serve"
)

// endless gives the same bytes again and again, and counts them.
type endless struct {
	piece []byte
	left  int
	given int
}

func (e *endless) Read(p []byte) (int, error) {
	if e.left == 0 {
		return 0, io.EOF
	}
	n := 0
	for n < len(p) && e.left > 0 {
		more := copy(p[n:min(len(p), n+e.left)], e.piece[e.given%len(e.piece):])
		n, e.left, e.given = n+more, e.left-more, e.given+more
	}
	return n, nil
}

// costs runs something and returns how many bytes it allocated. Nothing of it
// may be left behind.
func costs(t *testing.T, run func()) uint64 {
	t.Helper()
	start, err := footprint.Take(footprint.Footprint{Goroutines: math.MaxInt})
	if err != nil {
		t.Fatal(err)
	}
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	run()
	runtime.ReadMemStats(&after)
	end, err := footprint.Take(start)
	if err != nil {
		t.Fatal(err)
	}
	for _, grown := range end.Grown(start) {
		if !strings.Contains(grown, "resident") { // what is not yet given back is counted by the caller
			t.Errorf("left behind: %s", grown)
		}
	}
	return after.TotalAlloc - before.TotalAlloc
}

const mb = 1 << 20

// TestDecoderLimitsHTTP gives the endpoint more than it takes: it says so, and
// what it holds meanwhile is a matter of its limits and not of the message.
func TestDecoderLimitsHTTP(t *testing.T) {
	s := newFuzzed(t)
	session := s.begin("2025-03-26")
	defer s.end(session)
	million, filler := 1_000_000, bytes.Repeat([]byte("x"), 1<<16)
	for _, c := range []struct {
		name   string
		body   io.Reader
		length int64 // as the client says; -1 is unknown
		status int
		code   int
		most   uint64
	}{
		{"64 MB", &endless{piece: filler, left: 64 * mb}, 64 * mb, 413, -32600, 1 * mb},
		{"64 MB of unknown length", &endless{piece: filler, left: 64 * mb}, -1, 413, -32600, 32 * mb},
		{"64 MB that say they are less", &endless{piece: filler, left: 64 * mb}, 10, 413, -32600, 32 * mb},
		{"nested arrays", strings.NewReader(strings.Repeat("[", million) + strings.Repeat("]", million)), -1, 400, -32700, 16 * mb},
		{"nested objects", strings.NewReader(strings.Repeat(`{"a":`, million/2) + "1" + strings.Repeat("}", million/2)), -1, 400, -32700, 24 * mb},
		{"nesting that does not end", strings.NewReader(strings.Repeat("[", million)), -1, 400, -32700, 8 * mb},
		{"nesting inside a request", strings.NewReader(`{"jsonrpc":"2.0","id":1,"method":"ping","params":` + strings.Repeat("[", million) + strings.Repeat("]", million) + `}`), -1, 400, -32700, 16 * mb},
		{"a batch of a million", strings.NewReader("[" + strings.Repeat("1,", million) + "1]"), -1, 400, -32600, 16 * mb},
		{"an id of a million digits", strings.NewReader(`{"jsonrpc":"2.0","method":"ping","id":` + strings.Repeat("1", million) + `}`), -1, 400, -32600, 8 * mb},
		{"a million members", strings.NewReader(`{"jsonrpc":"2.0","method":5,"id":1` + strings.Repeat(`,"":1`, million/2) + `}`), -1, 400, -32600, 16 * mb},
	} {
		t.Run(c.name, func(t *testing.T) {
			req := httptest.NewRequestWithContext(t.Context(), http.MethodPost, "/mcp", c.body)
			req.ContentLength = c.length
			req.Header.Set("Content-Type", "application/json")
			req.Header.Set("Mcp-Session-Id", session)
			w := httptest.NewRecorder()
			cost := costs(t, func() { s.mux.ServeHTTP(w, req) })
			var answer struct {
				Error struct {
					Code    int
					Message string
				}
			}
			if err := json.Unmarshal(w.Body.Bytes(), &answer); err != nil {
				t.Fatal(err)
			}
			if w.Code != c.status || answer.Error.Code != c.code || answer.Error.Message == "" || w.Body.Len() > 1000 {
				t.Errorf("%d %s", w.Code, w.Body)
			}
			if cost > c.most {
				t.Errorf("it cost %d KB, at most %d are right", cost>>10, c.most>>10)
			}
			if e, ok := c.body.(*endless); ok && e.given > 8*mb {
				t.Errorf("%d bytes were read", e.given)
			}
			t.Logf("%d KB: %s", cost>>10, w.Body)
		})
	}
}

// TestDecoderLimitsStdio gives a server on pipes lines that are too long, too
// deep or too many in one. Each is answered, and so is the line behind it.
func TestDecoderLimitsStdio(t *testing.T) {
	s := newFuzzed(t).stage.server
	begin := `{"jsonrpc":"2.0","id":0,"method":"initialize","params":{"protocolVersion":"2025-03-26","capabilities":{}}}` + "\n"
	ping := "\n" + `{"jsonrpc":"2.0","id":"last","method":"ping"}`
	million, filler := 1_000_000, bytes.Repeat([]byte("x"), 1<<16)
	for _, c := range []struct {
		name string
		line io.Reader
		code int
		most uint64
	}{
		{"256 MB without an end", &endless{piece: filler, left: 256 * mb}, -32600, 48 * mb},
		{"nested arrays", strings.NewReader(strings.Repeat("[", million) + strings.Repeat("]", million)), -32700, 24 * mb},
		{"a batch of a million", strings.NewReader("[" + strings.Repeat("1,", million) + "1]"), -32600, 24 * mb},
		{"zeros", &endless{piece: make([]byte, 1<<16), left: mb}, -32700, 16 * mb},
	} {
		t.Run(c.name, func(t *testing.T) {
			var out bytes.Buffer
			cost := costs(t, func() {
				in := io.MultiReader(strings.NewReader(begin), c.line, strings.NewReader(ping))
				if err := s.ServeStdio(context.Background(), in, &out); err != nil {
					t.Error(err)
				}
			})
			got := newSaid()
			for line := range bytes.Lines(out.Bytes()) {
				if err := got.take(line); err != nil {
					t.Error(err)
				}
			}
			if got.answers["null"] != 1 || got.codes["null"] != c.code || got.answers[`"last"`] != 1 {
				t.Errorf("%s", out.String())
			}
			if cost > c.most {
				t.Errorf("it cost %d KB, at most %d are right", cost>>10, c.most>>10)
			}
			t.Logf("%d KB", cost>>10)
		})
	}
}

// A line that never ends does not keep a server from ending.
func TestDecoderLimitsEndlessLine(t *testing.T) {
	s := newServer(t, serve.Options{Backend: newBackend(t, nil)})
	in, out := io.Pipe()
	ctx, cancel := context.WithCancel(t.Context())
	done := make(chan error, 1)
	go func() { done <- s.ServeStdio(ctx, in, io.Discard) }()
	for range 100 {
		if _, err := out.Write(bytes.Repeat([]byte("x"), 1<<16)); err != nil {
			t.Fatal(err)
		}
	}
	cancel()
	if err := <-done; err == nil {
		t.Error("it ended without a reason")
	}
	_ = out.Close()
}
