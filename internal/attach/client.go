package attach

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net"
	"net/http"
	"strings"
	"sync"
	"time"

	"github.com/gongu-ai/gongu/internal/lang"
)

// maxLine is the longest message on standard input.
const maxLine = 16 << 20

// client passes the messages of a client on standard input and output to a
// server.
type client struct {
	url  string
	http *http.Client
	out  io.Writer
	lang lang.Lang

	mu       sync.Mutex // of out
	session  string
	revision string
	running  map[string]context.CancelFunc // by id, those of the modern era
	about    sync.Mutex                    // of session, revision and running
	calls    sync.WaitGroup
	streams  sync.WaitGroup
}

// Options change how a client is attached.
type Options struct {
	// Agent is the agent whose tools the client gets; empty is all tools.
	Agent string
	// Client is what the server is told about the client.
	Client Client
	Lang   lang.Lang
}

// Run passes the messages of in to a server, and its answers to out, until in
// ends. It speaks HTTP over connections on which the server has proven itself;
// they need no token.
func (s *Server) Run(ctx context.Context, o *Options, in io.Reader, out io.Writer) error {
	as := *s
	as.client = o.Client
	transport := as.transport()
	defer transport.CloseIdleConnections()
	c := &client{url: s.endpoint(o.Agent), http: &http.Client{Transport: transport}, out: out, lang: o.Lang}
	return c.run(ctx, in)
}

// maxAnswer bounds the answer of [Server.Get].
const maxAnswer = 16 << 20

// Get returns the answer of the server's HTTP API to a GET of a path.
func (s *Server) Get(ctx context.Context, path string) ([]byte, error) {
	transport := s.transport()
	defer transport.CloseIdleConnections()
	request, err := http.NewRequestWithContext(ctx, http.MethodGet, "http://localhost"+path, nil)
	if err != nil {
		return nil, err
	}
	response, err := (&http.Client{Transport: transport}).Do(request)
	if err != nil {
		return nil, err
	}
	defer response.Body.Close()
	body, err := io.ReadAll(io.LimitReader(response.Body, maxAnswer))
	if err == nil && response.StatusCode != http.StatusOK {
		err = fmt.Errorf("the server answered %s", response.Status)
	}
	return body, err
}

// transport connects to the server alone, whatever the URL is.
func (s *Server) transport() *http.Transport {
	return &http.Transport{
		MaxIdleConnsPerHost: 32,
		DialContext:         func(ctx context.Context, _, _ string) (net.Conn, error) { return s.dial(ctx) },
	}
}

// endpoint is the MCP endpoint on the socket; the host of the URL means nothing
// there.
func (s *Server) endpoint(agent string) string {
	if agent != "" {
		return "http://localhost/mcp/" + agent
	}
	return "http://localhost/mcp"
}

// run passes messages on until the input ends.
func (c *client) run(ctx context.Context, in io.Reader) error {
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	lines := bufio.NewScanner(in)
	lines.Buffer(make([]byte, 0, 64<<10), maxLine)
	for lines.Scan() {
		message := bytes.Clone(bytes.TrimSpace(lines.Bytes()))
		if len(message) == 0 {
			continue
		}
		head := headOf(message)
		if head.Method == "notifications/cancelled" && c.cancel(head) {
			continue
		}
		if head.Method == "initialize" || head.ID == nil {
			// Later messages depend on this one, so it is sent before them.
			c.pass(ctx, message, head)
			if head.Method == "notifications/initialized" {
				c.streams.Go(func() { c.listen(ctx) })
			}
			continue
		}
		work := &c.calls
		if head.Method == "subscriptions/listen" {
			work = &c.streams // it never ends by itself
		}
		inner, done := c.begin(ctx, head)
		work.Go(func() {
			defer done()
			c.pass(inner, message, head)
		})
	}
	err := lines.Err()
	c.calls.Wait() // the client may still read
	c.end()
	cancel()
	c.streams.Wait()
	if err != nil {
		return fmt.Errorf("read standard input: %w", err)
	}
	return nil
}

// head has the fields of a message that decide how it is sent.
type head struct {
	ID     json.RawMessage `json:"id"`
	Method string          `json:"method"`
	Params struct {
		Name string `json:"name"`
		URI  string `json:"uri"`
		// RequestID is what a cancellation is about.
		RequestID json.RawMessage `json:"requestId"`
		Meta      struct {
			Revision string `json:"io.modelcontextprotocol/protocolVersion"`
		} `json:"_meta"`
	} `json:"params"`
}

func headOf(message []byte) head {
	var h head
	_ = json.Unmarshal(message, &h) // what cannot be read the server refuses
	return h
}

// begin makes a request of the modern era cancellable. Over HTTP a request is
// cancelled by closing it, and not, as on stdio, by a notification.
func (c *client) begin(ctx context.Context, h head) (context.Context, func()) {
	if h.Params.Meta.Revision == "" {
		return ctx, func() {}
	}
	ctx, cancel := context.WithCancel(ctx)
	id := string(h.ID)
	c.about.Lock()
	defer c.about.Unlock()
	if c.running == nil {
		c.running = map[string]context.CancelFunc{}
	}
	c.running[id] = cancel
	return ctx, func() {
		cancel()
		c.about.Lock()
		defer c.about.Unlock()
		delete(c.running, id)
	}
}

// cancel ends such a request, if there is one.
func (c *client) cancel(h head) bool {
	c.about.Lock()
	defer c.about.Unlock()
	cancel, ok := c.running[string(h.Params.RequestID)]
	if ok {
		cancel()
	}
	return ok
}

// pass sends one message and writes the server's answer.
func (c *client) pass(ctx context.Context, message []byte, h head) {
	err := c.post(ctx, message, h)
	if err == nil || h.ID == nil || ctx.Err() != nil {
		return
	}
	answer, failed := json.Marshal(map[string]any{
		"jsonrpc": "2.0", "id": h.ID,
		"error": map[string]any{"code": -32000, "message": lang.CLIAttachLost.In(c.lang, err)},
	})
	if failed == nil {
		c.write(answer)
	}
}

func (c *client) post(ctx context.Context, message []byte, h head) error {
	request, err := c.request(ctx, http.MethodPost, bytes.NewReader(message))
	if err != nil {
		return err
	}
	request.Header.Set("Content-Type", "application/json")
	if revision := h.Params.Meta.Revision; revision != "" {
		request.Header.Set("Mcp-Protocol-Version", revision)
		request.Header.Set("Mcp-Method", h.Method)
		if name := h.Params.Name + h.Params.URI; name != "" {
			request.Header.Set("Mcp-Name", name)
		}
	}
	response, err := c.http.Do(request)
	if err != nil {
		return err
	}
	defer response.Body.Close()
	if h.Method == "initialize" {
		c.about.Lock()
		c.session = response.Header.Get("Mcp-Session-Id")
		c.about.Unlock()
	}
	return c.read(response, h)
}

func (c *client) request(ctx context.Context, method string, body io.Reader) (*http.Request, error) {
	request, err := http.NewRequestWithContext(ctx, method, c.url, body)
	if err != nil {
		return nil, err
	}
	request.Header.Set("Accept", "application/json, text/event-stream")
	c.about.Lock()
	defer c.about.Unlock()
	if c.session != "" {
		request.Header.Set("Mcp-Session-Id", c.session)
	}
	if c.revision != "" {
		request.Header.Set("Mcp-Protocol-Version", c.revision)
	}
	return request, nil
}

// read passes on the messages of a response: one as JSON, or a stream of them.
func (c *client) read(response *http.Response, h head) error {
	kind := response.Header.Get("Content-Type")
	if strings.HasPrefix(kind, "text/event-stream") {
		return c.follow(response.Body, h)
	}
	body, err := io.ReadAll(io.LimitReader(response.Body, maxLine))
	if err != nil {
		return err
	}
	body = bytes.TrimSpace(body)
	switch {
	case len(body) > 0 && strings.HasPrefix(kind, "application/json") && json.Valid(body):
		c.deliver(body, h)
		return nil
	case response.StatusCode >= 400 && h.ID != nil:
		return fmt.Errorf("status %s", response.Status)
	}
	return nil
}

// follow passes on the events of a stream.
func (c *client) follow(stream io.Reader, h head) error {
	lines := bufio.NewScanner(stream)
	lines.Buffer(make([]byte, 0, 64<<10), maxLine)
	var data []byte
	for lines.Scan() {
		line := lines.Bytes()
		if len(line) == 0 {
			if len(data) > 0 {
				c.deliver(bytes.Clone(data), h)
			}
			data = data[:0]
			continue
		}
		if text, ok := bytes.CutPrefix(line, []byte("data:")); ok {
			if len(data) > 0 {
				data = append(data, '\n')
			}
			data = append(data, bytes.TrimPrefix(text, []byte(" "))...)
		}
	}
	return lines.Err()
}

// deliver writes a message to the client, on one line.
func (c *client) deliver(message []byte, h head) {
	if h.Method == "initialize" {
		var answer struct {
			Result struct {
				Revision string `json:"protocolVersion"`
			} `json:"result"`
		}
		if json.Unmarshal(message, &answer) == nil && answer.Result.Revision != "" {
			c.about.Lock()
			c.revision = answer.Result.Revision
			c.about.Unlock()
		}
	}
	if bytes.ContainsAny(message, "\r\n") {
		var packed bytes.Buffer
		if json.Compact(&packed, message) != nil {
			return
		}
		message = packed.Bytes()
	}
	c.write(message)
}

func (c *client) write(line []byte) {
	c.mu.Lock()
	defer c.mu.Unlock()
	// A client that has gone reads nothing more; its input ends, too.
	_, _ = c.out.Write(append(line, '\n'))
}

// listen keeps the stream open on which the server sends notifications.
func (c *client) listen(ctx context.Context) {
	for ctx.Err() == nil {
		request, err := c.request(ctx, http.MethodGet, nil)
		if err != nil {
			return
		}
		response, err := c.http.Do(request)
		if err == nil {
			gone := response.StatusCode >= 400
			if !gone {
				_ = c.follow(response.Body, head{})
			}
			_ = response.Body.Close()
			if gone {
				return
			}
		}
		select {
		case <-ctx.Done():
		case <-time.After(time.Second):
		}
	}
}

// end deletes the session on the server.
func (c *client) end() {
	c.about.Lock()
	session := c.session
	c.about.Unlock()
	if session == "" {
		return
	}
	ctx, cancel := context.WithTimeout(context.Background(), time.Second)
	defer cancel()
	request, err := c.request(ctx, http.MethodDelete, nil)
	if err != nil {
		return
	}
	if response, err := c.http.Do(request); err == nil {
		_ = response.Body.Close()
	}
}
