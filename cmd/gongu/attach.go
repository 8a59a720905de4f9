package main

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"strings"
	"sync"
	"time"

	"github.com/gongu-ai/gongu/internal/lang"
)

// maxLine is the longest message on standard input.
const maxLine = 16 << 20

// attachment speaks for a client on standard input and output with a server
// that already runs, so that the tools of a bundle are started once.
type attachment struct {
	url, token string
	client     *http.Client
	out        io.Writer
	lang       lang.Lang

	mu       sync.Mutex // of out
	session  string
	revision string
	running  map[string]context.CancelFunc // by id, those of the modern era
	about    sync.Mutex                    // of session, revision and running
	calls    sync.WaitGroup
	streams  sync.WaitGroup
}

// attach passes messages on until the input ends.
func (t *attachment) attach(ctx context.Context, in io.Reader) error {
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
		if head.Method == "notifications/cancelled" && t.cancel(head) {
			continue
		}
		if head.Method == "initialize" || head.ID == nil {
			// What follows builds on it: one after the other.
			t.pass(ctx, message, head)
			if head.Method == "notifications/initialized" {
				t.streams.Go(func() { t.listen(ctx) })
			}
			continue
		}
		work := &t.calls
		if head.Method == "subscriptions/listen" {
			work = &t.streams // it never ends by itself
		}
		inner, done := t.begin(ctx, head)
		work.Go(func() {
			defer done()
			t.pass(inner, message, head)
		})
	}
	err := lines.Err()
	t.calls.Wait() // whoever closes the input may still read
	t.end()
	cancel()
	t.streams.Wait()
	if err != nil {
		return fmt.Errorf("read standard input: %w", err)
	}
	return nil
}

// head is what the way of a message depends on.
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

// begin makes a request of the modern era one that can be cancelled. Over HTTP
// that is done by going away, and not, as on pipes, by a notification.
func (t *attachment) begin(ctx context.Context, h head) (context.Context, func()) {
	if h.Params.Meta.Revision == "" {
		return ctx, func() {}
	}
	ctx, cancel := context.WithCancel(ctx)
	id := string(h.ID)
	t.about.Lock()
	defer t.about.Unlock()
	if t.running == nil {
		t.running = map[string]context.CancelFunc{}
	}
	t.running[id] = cancel
	return ctx, func() {
		cancel()
		t.about.Lock()
		defer t.about.Unlock()
		delete(t.running, id)
	}
}

// cancel ends such a request, if there is one.
func (t *attachment) cancel(h head) bool {
	t.about.Lock()
	defer t.about.Unlock()
	cancel, ok := t.running[string(h.Params.RequestID)]
	if ok {
		cancel()
	}
	return ok
}

// pass sends one message and hands back what the server says to it.
func (t *attachment) pass(ctx context.Context, message []byte, h head) {
	err := t.post(ctx, message, h)
	if err == nil || h.ID == nil || ctx.Err() != nil {
		return
	}
	answer, failed := json.Marshal(map[string]any{
		"jsonrpc": "2.0", "id": h.ID,
		"error": map[string]any{"code": -32000, "message": lang.CLIAttachLost.In(t.lang, err)},
	})
	if failed == nil {
		t.write(answer)
	}
}

func (t *attachment) post(ctx context.Context, message []byte, h head) error {
	request, err := t.request(ctx, http.MethodPost, bytes.NewReader(message))
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
	response, err := t.client.Do(request)
	if err != nil {
		return err
	}
	defer response.Body.Close()
	if h.Method == "initialize" {
		t.about.Lock()
		t.session = response.Header.Get("Mcp-Session-Id")
		t.about.Unlock()
	}
	return t.read(response, h)
}

func (t *attachment) request(ctx context.Context, method string, body io.Reader) (*http.Request, error) {
	request, err := http.NewRequestWithContext(ctx, method, t.url, body)
	if err != nil {
		return nil, err
	}
	request.Header.Set("Accept", "application/json, text/event-stream")
	request.Header.Set("Authorization", "Bearer "+t.token)
	t.about.Lock()
	defer t.about.Unlock()
	if t.session != "" {
		request.Header.Set("Mcp-Session-Id", t.session)
	}
	if t.revision != "" {
		request.Header.Set("Mcp-Protocol-Version", t.revision)
	}
	return request, nil
}

// read hands on the messages of an answer: one as JSON, or a stream of them.
func (t *attachment) read(response *http.Response, h head) error {
	kind := response.Header.Get("Content-Type")
	if strings.HasPrefix(kind, "text/event-stream") {
		return t.follow(response.Body, h)
	}
	body, err := io.ReadAll(io.LimitReader(response.Body, maxLine))
	if err != nil {
		return err
	}
	body = bytes.TrimSpace(body)
	switch {
	case len(body) > 0 && strings.HasPrefix(kind, "application/json") && json.Valid(body):
		t.deliver(body, h)
		return nil
	case response.StatusCode >= 400 && h.ID != nil:
		return fmt.Errorf("status %s", response.Status)
	}
	return nil
}

// follow hands on the events of a stream.
func (t *attachment) follow(stream io.Reader, h head) error {
	lines := bufio.NewScanner(stream)
	lines.Buffer(make([]byte, 0, 64<<10), maxLine)
	var data []byte
	for lines.Scan() {
		line := lines.Bytes()
		if len(line) == 0 {
			if len(data) > 0 {
				t.deliver(bytes.Clone(data), h)
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
func (t *attachment) deliver(message []byte, h head) {
	if h.Method == "initialize" {
		var answer struct {
			Result struct {
				Revision string `json:"protocolVersion"`
			} `json:"result"`
		}
		if json.Unmarshal(message, &answer) == nil && answer.Result.Revision != "" {
			t.about.Lock()
			t.revision = answer.Result.Revision
			t.about.Unlock()
		}
	}
	if bytes.ContainsAny(message, "\r\n") {
		var packed bytes.Buffer
		if json.Compact(&packed, message) != nil {
			return
		}
		message = packed.Bytes()
	}
	t.write(message)
}

func (t *attachment) write(line []byte) {
	t.mu.Lock()
	defer t.mu.Unlock()
	// A client that has gone reads nothing more; its input ends, too.
	_, _ = t.out.Write(append(line, '\n'))
}

// listen keeps the stream open on which the server speaks of its own accord.
func (t *attachment) listen(ctx context.Context) {
	for ctx.Err() == nil {
		request, err := t.request(ctx, http.MethodGet, nil)
		if err != nil {
			return
		}
		response, err := t.client.Do(request)
		if err == nil {
			gone := response.StatusCode >= 400
			if !gone {
				_ = t.follow(response.Body, head{})
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

// end tells the server that the session is over.
func (t *attachment) end() {
	t.about.Lock()
	session := t.session
	t.about.Unlock()
	if session == "" {
		return
	}
	ctx, cancel := context.WithTimeout(context.Background(), time.Second)
	defer cancel()
	request, err := t.request(ctx, http.MethodDelete, nil)
	if err != nil {
		return
	}
	if response, err := t.client.Do(request); err == nil {
		_ = response.Body.Close()
	}
}
