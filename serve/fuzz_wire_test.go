package serve_test

import (
	"bytes"
	"context"
	"net/http"
	"slices"
	"strings"
	"sync"
	"testing"
)

// FuzzHTTP gives the endpoint whole requests. Whatever comes, it answers in
// time, in JSON-RPC, once, and to the request that was made.
func FuzzHTTP(f *testing.F) {
	seeds(f, "http", func(_ string, steps []string) {
		for _, step := range steps {
			if c, ok := written(step); ok {
				f.Add(c.method, c.path, c.headers, c.body)
			}
		}
	})
	const session = "Content-Type: application/json\nAccept: text/event-stream\nMcp-Session-Id: $SESSION\n"
	for _, body := range []string{ // what is echoed must be worth it
		`{"jsonrpc":"2.0","id":"` + "\xff" + `","method":"ping"}`,
		`{"jsonrpc":"2.0","id":1,"method":"` + "\xff" + `"}`,
		`{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"` + "\xff" + `"}}`,
		`{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"test_tool_with_progress","_meta":{"progressToken":"` + "\xff" + `"}}}`,
		`{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"test_elicitation","arguments":{"message":"` + "\xff" + `"}}}`,
		`{"jsonrpc":"2.0","id":1,"method":"resources/read","params":{"uri":"test://template/` + "\xff" + `/data"}}`,
	} {
		f.Add(http.MethodPost, "/mcp", session, []byte(body))
	}
	server := newFuzzed(f)
	f.Fuzz(func(t *testing.T, method, path, headers string, body []byte) {
		if strings.Contains(headers, "$SESSION") || strings.Contains(path, "$SESSION") {
			session := server.begin([]string{"2025-11-25", "2025-03-26"}[len(body)%2])
			defer server.end(session)
			headers, path = strings.ReplaceAll(headers, "$SESSION", session), strings.ReplaceAll(path, "$SESSION", session)
		}
		c := call{method, path, headers, body}
		within(t, func() {
			if err := judge(c, server.do(c)); err != nil {
				t.Errorf("%s %q %q %q: %v", method, path, headers, body, err)
			}
		})
	})
}

// FuzzSession plays conversations over one session: a message to a line, those
// behind "&" at the same time as what follows.
func FuzzSession(f *testing.F) {
	versions := []string{"2025-11-25", "2025-06-18", "2025-03-26", "2024-11-05"}
	seeds(f, "", func(file string, steps []string) {
		var lines []string
		for _, step := range steps {
			background := strings.Contains(step, " &") || strings.HasPrefix(step, "& ")
			if c, ok := written(step); ok {
				step = string(c.body)
			}
			for line := range strings.Lines(step) {
				line = strings.TrimPrefix(strings.TrimSpace(line), "& ")
				if background {
					line = "&" + line
				}
				if isJSON(strings.TrimPrefix(line, "&")) {
					lines = append(lines, line)
				}
			}
		}
		f.Add(uint8(len(file)%len(versions)), []byte(strings.Join(lines, "\n")))
	})
	server := newFuzzed(f)
	f.Fuzz(func(t *testing.T, version uint8, conversation []byte) {
		lines := bytes.Split(conversation, []byte("\n"))
		if len(lines) > 60 {
			return
		}
		session := server.begin(versions[int(version)%len(versions)])
		if session == "" {
			t.Fatal("no session begins")
		}
		within(t, func() {
			var background sync.WaitGroup
			for _, line := range lines {
				body, beside := bytes.CutPrefix(line, []byte("&"))
				c := call{http.MethodPost, "/mcp", "Content-Type: application/json\nAccept: text/event-stream\nMcp-Session-Id: " + session, body}
				post := func() {
					if err := judge(c, server.do(c)); err != nil {
						t.Errorf("%q: %v", body, err)
					}
				}
				if beside {
					background.Go(post)
				} else {
					post()
				}
			}
			background.Wait()
		})
		server.end(session)
		if n := server.stage.server.Counters(); n.Sessions != 0 || n.Running != 0 || n.Streams != 0 {
			t.Errorf("left behind: %+v", n)
		}
	})
}

// FuzzStdio gives a server on pipes any bytes and the end of the input.
func FuzzStdio(f *testing.F) {
	seeds(f, "stdio", func(_ string, steps []string) {
		all := ""
		for _, step := range steps {
			for line := range strings.Lines(step) {
				line = (&vars{}).expand(strings.TrimPrefix(strings.TrimSpace(line), "& "))
				f.Add([]byte(line))
				all += line + "\n"
			}
		}
		f.Add([]byte(all))
	})
	server := newFuzzed(f)
	f.Fuzz(func(t *testing.T, input []byte) {
		lines := slices.Collect(bytes.SplitSeq(input, []byte("\n")))
		if len(lines) > 200 {
			return
		}
		var out bytes.Buffer
		within(t, func() {
			if err := server.stage.server.ServeStdio(context.Background(), bytes.NewReader(input), &out); err != nil {
				t.Errorf("%v", err)
			}
		})
		got := newSaid()
		for line := range bytes.Lines(out.Bytes()) {
			if err := got.take(bytes.TrimSuffix(line, []byte("\n"))); err != nil {
				t.Errorf("%q: %v", input, err)
			}
		}
		judgeLines(t, lines, got)
	})
}

// judgeLines holds what a server on pipes said against the lines it was given.
func judgeLines(t *testing.T, lines [][]byte, got *said) {
	t.Helper()
	want, loose := map[string]int{}, false
	for _, line := range lines {
		if len(bytes.TrimSpace(line)) == 0 {
			continue
		}
		switch kind, id, members := read(line); {
		case kind == broken:
			want["null"]++
		case kind == unclear, kind == asks && string(members["method"]) == `"subscriptions/listen"`:
			loose = true
		case kind == asks:
			want[id]++
		}
	}
	for id, n := range want {
		if got.answers[id] < n || got.answers[id] > n && !loose {
			t.Errorf("%d answers to %s, want %d", got.answers[id], id, n)
		}
	}
	if loose {
		return
	}
	for id, n := range got.answers {
		if want[id] == 0 {
			t.Errorf("%d answers to %s, which nobody asked", n, id)
		}
	}
}
