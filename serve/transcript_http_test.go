package serve_test

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"io"
	"net/http"
	"net/http/httptest"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"
)

// httpPlayer is a client over HTTP. A step is a request, written as on the
// wire:
//
//	POST /mcp &name
//	Mcp-Session-Id: $SESSION
//
//	{"jsonrpc":"2.0",…}
//
// Content-Type, Accept and the headers that repeat the body in the modern era
// are added where they are not given; "none" takes one away. "&name" leaves the
// answer open, to be read by later steps, and "Until: text" asks again until
// the answer has the text. Or a step is one of:
//
//	read name [count]    the next events of an open answer
//	end name             all events up to its end
//	hang up name         the client closes the connection
//	change tool          the server has a new tool
//	tell method params   an upstream says something
//	release              the tool "hold" returns
//	drain                the server shuts down
type httpPlayer struct {
	t      testing.TB
	stage  *stage
	record *record
	server *httptest.Server
	vars   vars
	open   map[string]*openAnswer
}

// openAnswer is an answer that is still read.
type openAnswer struct {
	lines  *bufio.Reader
	body   io.Closer
	cancel context.CancelFunc
}

func newHTTPPlayer(t testing.TB, s *stage, rec *record) *httpPlayer {
	mux := http.NewServeMux()
	mux.Handle("/mcp", s.server.MCP())
	mux.Handle("/mcp/", s.server.MCP())
	mux.Handle("/sse", s.server.SSE())
	p := &httpPlayer{t: t, stage: s, record: rec, server: httptest.NewServer(local(mux)), open: map[string]*openAnswer{}}
	t.Cleanup(func() {
		for _, a := range p.open {
			a.close()
		}
		p.server.Close()
	})
	return p
}

func (a *openAnswer) close() {
	a.cancel()
	_ = a.body.Close()
}

func (p *httpPlayer) play(in string) string {
	p.t.Helper()
	words := strings.Fields(in)
	switch words[0] {
	case "read":
		count := 1
		if len(words) > 2 {
			count, _ = strconv.Atoi(words[2])
		}
		return p.events(p.named(words[1]), count)
	case "end":
		return p.events(p.named(words[1]), -1)
	case "hang":
		p.named(words[2]).close()
		delete(p.open, words[2])
		return ""
	case "drain":
		return p.drain()
	}
	if p.stage.happen(p.t, in) {
		return ""
	}
	return p.request(in)
}

func (p *httpPlayer) named(name string) *openAnswer {
	p.t.Helper()
	a := p.open[name]
	if a == nil {
		p.t.Fatalf("%s: nothing is open under the name %q", p.record.step, name)
	}
	return a
}

// drain shuts down. Open answers end by themselves.
func (p *httpPlayer) drain() string {
	ctx, cancel := context.WithTimeout(context.Background(), 20*time.Second)
	defer cancel()
	if err := p.stage.server.Drain(ctx); err != nil {
		p.t.Error(err)
	}
	return ""
}

// request sends a request and shows its answer.
func (p *httpPlayer) request(in string) string {
	p.t.Helper()
	head, body := parts(in)
	first, rest, _ := strings.Cut(head, "\n")
	line, name, leave := strings.Cut(first, " &")
	method, path, _ := strings.Cut(line, " ")
	ctx, cancel := context.WithTimeout(context.Background(), 30*time.Second)
	until := ""
	for {
		body := p.vars.expand(compact(body))
		req, err := http.NewRequestWithContext(ctx, method, p.server.URL+p.vars.expand(path), strings.NewReader(body))
		if err != nil {
			p.t.Fatal(err)
		}
		until = p.headers(req, rest, body)
		p.sent(body)
		resp, err := p.server.Client().Do(req)
		if err != nil {
			p.t.Fatalf("%s: %v", p.record.step, err)
		}
		if id := resp.Header.Get("Mcp-Session-Id"); id != "" {
			p.vars.session = id
		}
		answer := &openAnswer{bufio.NewReader(resp.Body), resp.Body, cancel}
		shown := p.status(resp)
		if leave {
			p.open[name] = answer
			return shown
		}
		shown += p.body(resp, answer)
		_ = resp.Body.Close()
		if ctx.Err() != nil || strings.Contains(shown, until) {
			cancel()
			return shown
		}
	}
}

// parts tells the head of a request from its body, which begins behind an empty
// line.
func parts(in string) (head, body string) {
	head, body, _ = strings.Cut(in, "\n\n")
	return head, strings.TrimSpace(body)
}

func (p *httpPlayer) headers(req *http.Request, lines, body string) (until string) {
	if req.Method == http.MethodPost {
		req.Header.Set("Content-Type", "application/json")
	}
	req.Header.Set("Accept", "application/json, text/event-stream")
	modernHeaders(req, body)
	for line := range strings.Lines(lines) {
		key, value, _ := strings.Cut(strings.TrimSpace(line), ": ")
		switch {
		case key == "Until":
			until = value
		case value == "none":
			req.Header.Del(key)
		default:
			req.Header.Set(key, p.vars.expand(value))
		}
	}
	return until
}

func (p *httpPlayer) sent(body string) {
	var batch []json.RawMessage
	if json.Unmarshal([]byte(body), &batch) != nil {
		batch = []json.RawMessage{json.RawMessage(body)}
	}
	for _, one := range batch {
		if json.Valid(one) {
			p.record.add(true, one)
		}
	}
}

// status shows how an answer begins.
func (p *httpPlayer) status(resp *http.Response) string {
	out := resp.Status + "\n"
	for _, key := range []string{"Content-Type", "Cache-Control", "X-Accel-Buffering", "Mcp-Session-Id", "Allow", "Retry-After"} {
		if value := resp.Header.Get(key); value != "" {
			out += key + ": " + p.vars.scrub(value) + "\n"
		}
	}
	return out
}

func (p *httpPlayer) body(resp *http.Response, answer *openAnswer) string {
	p.t.Helper()
	if resp.Header.Get("Content-Type") == "text/event-stream" {
		return "\n" + p.events(answer, -1)
	}
	raw, err := io.ReadAll(answer.lines)
	if err != nil {
		p.t.Fatal(err)
	}
	if len(raw) == 0 {
		return ""
	}
	p.vars.keep(string(raw))
	if strings.HasPrefix(resp.Header.Get("Content-Type"), "application/json") {
		p.received(raw)
	}
	return "\n" + fold([]byte(p.vars.scrub(string(raw))), "") + "\n"
}

func (p *httpPlayer) received(raw []byte) {
	p.t.Helper()
	var batch []json.RawMessage
	if json.Unmarshal(raw, &batch) != nil {
		batch = []json.RawMessage{raw}
	}
	for _, one := range batch {
		if !json.Valid(one) {
			p.t.Errorf("%s: not JSON: %s", p.record.step, one)
		}
		p.record.add(false, one)
	}
}

// events shows some events of a stream, or all that are left.
func (p *httpPlayer) events(a *openAnswer, count int) string {
	p.t.Helper()
	var out []string
	for count != 0 {
		event, err := nextEvent(a.lines)
		if errors.Is(err, io.EOF) && count < 0 {
			break
		}
		if err != nil {
			p.t.Fatalf("%s: the stream ends: %v", p.record.step, err)
		}
		out = append(out, p.event(event))
		count--
	}
	return strings.Join(out, "\n")
}

// nextEvent reads up to the next empty line. Comments are passed over.
func nextEvent(lines *bufio.Reader) ([]string, error) {
	var event []string
	for {
		line, err := lines.ReadString('\n')
		if err != nil {
			return nil, err
		}
		switch line = strings.TrimSuffix(line, "\n"); {
		case line == "" && len(event) > 0:
			return event, nil
		case line != "" && !strings.HasPrefix(line, ":"):
			event = append(event, line)
		}
	}
}

func (p *httpPlayer) event(lines []string) string {
	out := ""
	for _, line := range lines {
		if data, ok := strings.CutPrefix(line, "data: "); ok {
			p.vars.keep(data)
			if lines[0] != "event: endpoint" {
				p.received([]byte(data))
			}
			line = "data: " + fold([]byte(p.vars.scrub(data)), "")
		}
		out += line + "\n"
	}
	return out
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
	if slices.Contains([]string{"tools/call", "prompts/get", "resources/read", "tasks/get", "tasks/update", "tasks/cancel"}, msg.Method) {
		req.Header.Set("Mcp-Name", msg.Params.Name+msg.Params.URI+msg.Params.TaskID)
	}
}

var _ player = (*httpPlayer)(nil)
