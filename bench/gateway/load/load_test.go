package main

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/gongu-ai/gongu/bench/gateway/job"
	"github.com/gongu-ai/gongu/bench/gateway/wire"
)

// echo answers calls as a server would, in a form that a test chooses.
func echo(form string, calls *atomic.Int64) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		body, err := io.ReadAll(r.Body)
		if err != nil {
			http.Error(w, err.Error(), http.StatusBadRequest)
			return
		}
		id, method := wire.Get(body, "id"), string(wire.Get(body, "method"))
		if id == nil {
			w.WriteHeader(http.StatusAccepted)
			return
		}
		if method == `"initialize"` {
			w.Header().Set(wire.HeaderSession, "s")
			_, _ = fmt.Fprintf(w, `{"jsonrpc":"2.0","id":%s,"result":{}}`, id)
			return
		}
		modern := r.Header.Get(wire.HeaderVersion) == wire.Modern
		if modern != (r.Header.Get(wire.HeaderName) == "echo") || modern == (r.Header.Get(wire.HeaderSession) == "s") {
			http.Error(w, "the headers are of the other era", http.StatusBadRequest)
			return
		}
		n := calls.Add(1)
		text := wire.Get(body, "params", "arguments", "text")
		answer := fmt.Appendf(nil, `{"jsonrpc":"2.0","id":%s,"result":{"content":[{"type":"text","text":%s}]}}`, id, text)
		switch {
		case form == "stream":
			w.Header().Set("Content-Type", "text/event-stream")
			answer = fmt.Appendf(nil, "id: 1\ndata:\n\nevent: message\ndata: {\"jsonrpc\":\"2.0\",\"method\":\"x\"}\n\nevent: message\ndata: %s\n\n", answer)
		case form == "wrong text" && n%7 == 0:
			answer = bytes.Replace(answer, []byte("fox"), []byte("cat"), 1)
		case form == "another's answer" && n%7 == 0:
			answer = bytes.Replace(answer, id, []byte("1"), 1)
		case form == "tool error" && n%7 == 0:
			answer = fmt.Appendf(nil, `{"jsonrpc":"2.0","id":%s,"result":{"isError":true,"content":[{"type":"text","text":"no"}]}}`, id)
		case form == "status" && n%7 == 0:
			w.WriteHeader(http.StatusBadGateway)
		}
		_, _ = w.Write(answer)
	})
}

func do(t *testing.T, j job.Job) job.Result {
	t.Helper()
	raw, err := json.Marshal(j)
	if err != nil {
		t.Fatal(err)
	}
	var out bytes.Buffer
	if err := run(t.Context(), bytes.NewReader(append(raw, '\n')), &out); err != nil {
		t.Fatal(err)
	}
	var r job.Result
	if err := json.Unmarshal(out.Bytes(), &r); err != nil {
		t.Fatal(err)
	}
	return r
}

// Right answers count, wrong ones are errors, whatever is wrong about them.
func TestEveryEchoIsChecked(t *testing.T) {
	for _, era := range []string{wire.Legacy, wire.Modern} {
		for form, right := range map[string]bool{
			"plain": true, "stream": true, "wrong text": false, "another's answer": false, "tool error": false, "status": false,
		} {
			var calls atomic.Int64
			server := httptest.NewServer(echo(form, &calls))
			r := do(t, job.Job{URL: server.URL, Transport: job.Streamable, Era: era, Kind: job.Calls, Tool: "echo", Size: 100, Clients: 3, WarmMS: 20, MS: 100})
			server.Close()
			if right != (r.Errors == 0) || int64(r.All) != calls.Load() {
				t.Errorf("%s, %s: %+v", era, form, r)
			}
			if right && (r.Done == 0 || r.Done >= r.All || r.P50 <= 0 || r.P99 < r.P50 || r.Rate <= 0) {
				t.Errorf("%s, %s: %+v", era, form, r)
			}
		}
	}
}

// A text has exactly the size that was asked for, and no two are the same.
func TestTexts(t *testing.T) {
	for _, size := range []int{20, 100, 1000, 100_000, 500_000} {
		seen := map[string]bool{}
		for id := range int64(3) {
			w := &worker{job: job.Job{Size: size}, id: 1<<39 + id}
			var text string
			if err := json.Unmarshal(w.appendText(nil), &text); err != nil {
				t.Fatal(err)
			}
			if len(text) != size || seen[text] {
				t.Errorf("the text has %d bytes, want %d; seen before: %v", len(text), size, seen[text])
			}
			seen[text] = true
		}
	}
}

func TestListsAreRead(t *testing.T) {
	pages := [][]string{{"echo", "tool_00001"}, {"tool_00002"}}
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		body, err := io.ReadAll(r.Body)
		if err != nil {
			t.Error(err)
		}
		at, next := 0, `,"nextCursor":"more"`
		if string(wire.Get(body, "params", "cursor")) == `"more"` {
			at, next = 1, ""
		}
		_, _ = fmt.Fprintf(w, `{"jsonrpc":"2.0","id":%s,"result":{"tools":[{"name":"%s"}]%s}}`,
			wire.Get(body, "id"), strings.Join(pages[at], `"},{"name":"`), next)
	}))
	defer server.Close()
	j := job.Job{URL: server.URL, Transport: job.Streamable, Era: wire.Modern, Kind: job.Lists, Tools: 3, Clients: 1, MS: 50}
	if r := do(t, j); r.Errors > 0 || r.Pages != 2 || r.FirstByte <= 0 || r.FirstByte > r.P50 {
		t.Errorf("%+v", r)
	}
	j.Tools = 4
	if r := do(t, j); r.Errors == 0 {
		t.Error("a list that lacks a tool is accepted")
	}
	j.Tools, pages[0][1] = 3, "tool_00009"
	if r := do(t, j); r.Errors == 0 {
		t.Error("a list with another tool is accepted")
	}
}

// The transport of 2024: the answer comes on the stream.
func TestSSE(t *testing.T) {
	answers := make(chan []byte, 16)
	mux := http.NewServeMux()
	mux.HandleFunc("GET /mcp", func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Content-Type", "text/event-stream")
		_, _ = fmt.Fprint(w, "event: endpoint\ndata: /post?s=1\n\n")
		for {
			if err := http.NewResponseController(w).Flush(); err != nil {
				return
			}
			select {
			case answer := <-answers:
				_, _ = fmt.Fprintf(w, "event: message\ndata: %s\n\n", answer)
			case <-r.Context().Done():
				return
			}
		}
	})
	mux.HandleFunc("POST /post", func(w http.ResponseWriter, r *http.Request) {
		body, err := io.ReadAll(r.Body)
		if err != nil {
			t.Error(err)
		}
		if id := wire.Get(body, "id"); id != nil {
			answers <- fmt.Appendf(nil, `{"jsonrpc":"2.0","id":%s,"result":{"content":[{"type":"text","text":%s}]}}`, id, wire.Get(body, "params", "arguments", "text"))
		}
		w.WriteHeader(http.StatusAccepted)
	})
	server := httptest.NewServer(mux)
	defer server.Close()
	defer server.CloseClientConnections()
	r := do(t, job.Job{URL: server.URL + "/mcp", Transport: job.SSE, Era: wire.Legacy, Kind: job.Calls, Tool: "echo", Size: 100, Clients: 1, MS: 50})
	if r.Errors > 0 || r.Done == 0 {
		t.Errorf("%+v", r)
	}
}
