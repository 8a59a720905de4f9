package serve_test

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"flag"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/gongu-ai/gongu"
	"github.com/gongu-ai/gongu/serve"
	"golang.org/x/tools/txtar"
)

var update = flag.Bool("update", false, "write the transcripts anew")

type sum struct {
	A int `json:"a"`
	B int `json:"b"`
}

// transcriptServer is small enough to read its lists.
func transcriptServer(t *testing.T) *serve.Server {
	add := gongu.Func("add", "Adds two numbers.", func(_ context.Context, in sum) (map[string]int, error) {
		return map[string]int{"sum": in.A + in.B}, nil
	})
	add.Output = `{"type":"object","properties":{"sum":{"type":"integer"}}}`
	add.Annotations.ReadOnly = new(true)
	count := gongu.Func("count", "Counts.", func(context.Context, struct{}) (int, error) { return 3, nil })
	count.Output = `{"type":"integer"}`
	var tools []gongu.Tool
	for _, t := range append(plainTools(), askingTools()...) {
		switch t.Name {
		case "test_error_handling", "test_tool_with_progress", "test_tool_with_logging", "test_elicitation", "test_sampling":
			tools = append(tools, t)
		}
	}
	tools = append(tools, add, count, taskTools()[1])
	return newServer(t, serve.Options{
		Backend: newBackend(t, nil, tools...), Upstreams: &upstream{prefix: "fixture"}, Allow: []string{"*"},
		Version: "1.0.0", Instructions: "Use add.", TaskAfter: 50 * time.Millisecond,
	})
}

const transcriptMeta = `"_meta":{"io.modelcontextprotocol/protocolVersion":"2026-07-28","io.modelcontextprotocol/clientInfo":{"name":"t","version":"1"},"io.modelcontextprotocol/clientCapabilities":`

// vars are what one answer gives and a later request uses.
type vars struct {
	session, state, task string
}

func (v *vars) expand(in string) string {
	in = strings.ReplaceAll(in, "$META(", transcriptMeta)
	return strings.NewReplacer("$SESSION", v.session, "$STATE", v.state, "$TASK", v.task, ")META", "}").Replace(in)
}

var (
	statePattern = regexp.MustCompile(`"requestState":"([^"]*)"`)
	taskPattern  = regexp.MustCompile(`"taskId":"([^"]*)"`)
	timePattern  = regexp.MustCompile(`"\d{4}-\d\d-\d\dT[0-9:.]+Z"`)
)

// scrub keeps what the answer gives and hides what differs each time.
func (v *vars) scrub(out string) string {
	if m := statePattern.FindStringSubmatch(out); m != nil {
		v.state = m[1]
	}
	if m := taskPattern.FindStringSubmatch(out); m != nil {
		v.task = m[1]
	}
	out = statePattern.ReplaceAllString(out, `"requestState":"STATE"`)
	out = taskPattern.ReplaceAllString(out, `"taskId":"TASK"`)
	out = timePattern.ReplaceAllString(out, `"TIME"`)
	if v.session != "" {
		out = strings.ReplaceAll(out, v.session, "SESSION")
	}
	return out
}

// TestTranscripts plays every request of the transcripts and compares the
// answers. Each .in file is answered by the .out file that follows it.
func TestTranscripts(t *testing.T) {
	files, err := filepath.Glob("testdata/transcript/*.txtar")
	if err != nil || len(files) == 0 {
		t.Fatal("no transcripts", err)
	}
	for _, name := range files {
		t.Run(filepath.Base(name), func(t *testing.T) {
			raw, err := os.ReadFile(name)
			if err != nil {
				t.Fatal(err)
			}
			archive := txtar.Parse(raw)
			play := playHTTP(t)
			if strings.HasPrefix(filepath.Base(name), "stdio") {
				play = playStdio(t)
			}
			next := &txtar.Archive{Comment: archive.Comment}
			want := map[string]string{}
			for _, f := range archive.Files {
				want[f.Name] = string(f.Data)
			}
			for _, f := range archive.Files {
				if !strings.HasSuffix(f.Name, ".in") {
					continue
				}
				got := play(strings.TrimSpace(string(f.Data)))
				out := strings.TrimSuffix(f.Name, ".in") + ".out"
				if !*update && got != want[out] {
					t.Errorf("%s:\n got %s\nwant %s", f.Name, got, want[out])
				}
				next.Files = append(next.Files, f, txtar.File{Name: out, Data: []byte(got)})
			}
			if *update {
				if err := os.WriteFile(name, txtar.Format(next), 0o644); err != nil {
					t.Fatal(err)
				}
			}
		})
	}
}

// playHTTP sends a request: lines of headers that differ, "GET" or "DELETE"
// alone on a line, and the body.
func playHTTP(t *testing.T) func(in string) string {
	server := httptest.NewServer(local(transcriptServer(t).MCP()))
	t.Cleanup(server.Close)
	v := &vars{}
	return func(in string) string {
		method, header, body := http.MethodPost, http.Header{}, ""
		for line := range strings.Lines(in) {
			line = strings.TrimSpace(line)
			key, value, found := strings.Cut(line, ": ")
			switch {
			case line == "GET" || line == "DELETE":
				method = line
			case strings.HasPrefix(line, "{") || strings.HasPrefix(line, "["):
				body = v.expand(line)
			case found:
				header.Set(key, v.expand(value))
			}
		}
		ctx, cancel := context.WithTimeout(t.Context(), 20*time.Second)
		defer cancel()
		req, err := http.NewRequestWithContext(ctx, method, server.URL+"/mcp", strings.NewReader(body))
		if err != nil {
			t.Fatal(err)
		}
		modernHeaders(req, body)
		req.Header.Set("Content-Type", "application/json")
		req.Header.Set("Accept", "application/json, text/event-stream")
		for key := range header {
			req.Header.Set(key, header.Get(key))
			if header.Get(key) == "none" {
				req.Header.Del(key)
			}
		}
		resp, err := server.Client().Do(req)
		if err != nil {
			t.Fatal(err)
		}
		defer resp.Body.Close()
		answer, err := io.ReadAll(resp.Body)
		if err != nil {
			t.Fatal(err)
		}
		if id := resp.Header.Get("Mcp-Session-Id"); id != "" {
			v.session = id
		}
		out := fmt.Sprintf("%d %s\n%s", resp.StatusCode, resp.Header.Get("Content-Type"), answer)
		return strings.TrimRight(v.scrub(out), "\n") + "\n"
	}
}

// modernHeaders repeats in the headers what the body says, as clients do.
func modernHeaders(req *http.Request, body string) {
	var msg struct {
		Method string
		Params struct {
			Name, URI, TaskID string
			Meta              map[string]any `json:"_meta"`
		}
	}
	if json.Unmarshal([]byte(body), &msg) != nil || msg.Params.Meta["io.modelcontextprotocol/protocolVersion"] == nil {
		return
	}
	req.Header.Set("Mcp-Protocol-Version", "2026-07-28")
	req.Header.Set("Mcp-Method", msg.Method)
	if name := msg.Params.Name + msg.Params.URI + msg.Params.TaskID; name != "" {
		req.Header.Set("Mcp-Name", name)
	}
}

// playStdio sends lines and reads until each request among them is answered.
func playStdio(t *testing.T) func(in string) string {
	inR, inW := io.Pipe()
	outR, outW := io.Pipe()
	done := make(chan error, 1)
	s := transcriptServer(t)
	go func() { done <- s.ServeStdio(context.Background(), inR, outW) }()
	t.Cleanup(func() {
		_ = inW.Close()
		go func() { _, _ = io.Copy(io.Discard, outR) }()
		if err := <-done; err != nil {
			t.Error(err)
		}
		_ = outW.Close()
	})
	lines := bufio.NewReader(outR)
	v := &vars{}
	return func(in string) string {
		var out bytes.Buffer
		for line := range strings.Lines(in) {
			line = v.expand(strings.TrimSpace(line))
			if _, err := io.WriteString(inW, line+"\n"); err != nil {
				t.Fatal(err)
			}
			var msg struct {
				ID     json.RawMessage
				Method string
			}
			broken := json.Unmarshal([]byte(line), &msg) != nil
			for waiting := broken || msg.Method != "" && msg.ID != nil; waiting; {
				answer, err := lines.ReadString('\n')
				if err != nil {
					t.Fatal(err)
				}
				out.WriteString(v.scrub(answer))
				var got struct {
					ID     json.RawMessage
					Method string
				}
				if err := json.Unmarshal([]byte(answer), &got); err != nil {
					t.Fatal(err)
				}
				// A question of the server is answered by the next line.
				waiting = got.Method != "" && got.ID == nil
			}
		}
		return out.String()
	}
}
