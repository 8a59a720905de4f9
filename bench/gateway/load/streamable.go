package main

import (
	"bytes"
	"context"
	"fmt"
	"net/http"
	"net/http/httptrace"
	"strconv"
	"strings"
	"time"

	"github.com/gongu-ai/gongu/bench/gateway/job"
	"github.com/gongu-ai/gongu/bench/gateway/wire"
)

// crews are the clients of all targets, by target and era.
type crews struct{ all map[string]*crew }

// crew is the clients of one target that speak one era. They share a pool of
// connections.
type crew struct {
	http    *http.Client
	clients []client
}

// clients returns as many clients as the job wants, and connects those that
// are missing.
func (c *crews) clients(ctx context.Context, j job.Job) ([]client, error) {
	key := strings.Join([]string{j.URL, j.Era, j.Transport}, " ")
	found := c.all[key]
	if found == nil {
		found = &crew{http: &http.Client{Transport: &http.Transport{
			MaxIdleConns: 2048, MaxIdleConnsPerHost: 2048, IdleConnTimeout: 10 * time.Minute,
			DisableCompression: true, WriteBufferSize: 64 << 10, ReadBufferSize: 64 << 10,
		}}}
		c.all[key] = found
	}
	for len(found.clients) < j.Clients {
		one, err := found.connect(ctx, j)
		if err != nil {
			return nil, fmt.Errorf("connect to %s: %w", j.URL, err)
		}
		found.clients = append(found.clients, one)
	}
	return found.clients[:j.Clients], nil
}

func (c *crew) connect(ctx context.Context, j job.Job) (client, error) {
	if j.Transport == job.SSE {
		return connectSSE(ctx, c.http, j.URL)
	}
	s := &streamable{http: c.http, url: j.URL, header: http.Header{
		"Content-Type": {"application/json"}, "Accept": {"application/json, text/event-stream"},
	}}
	if j.Era == wire.Modern {
		s.header.Set(wire.HeaderVersion, wire.Modern)
		return s, nil
	}
	if _, _, err := s.send(ctx, initialize); err != nil {
		return nil, fmt.Errorf("initialize: %w", err)
	}
	s.header.Set(wire.HeaderVersion, wire.Legacy)
	if _, _, err := s.send(ctx, initialized); err != nil {
		return nil, fmt.Errorf("initialized: %w", err)
	}
	return s, nil
}

var (
	initialize = message{1, "initialize", "", []byte(`{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":"` +
		wire.Legacy + `","capabilities":{},"clientInfo":` + clientInfo + `}}`)}
	initialized = message{0, "notifications/initialized", "", []byte(`{"jsonrpc":"2.0","method":"notifications/initialized"}`)}
)

// streamable is a client over streamable HTTP, in either era.
type streamable struct {
	http   *http.Client
	url    string
	header http.Header
	in     bytes.Buffer
}

func (s *streamable) send(ctx context.Context, m message) ([]byte, time.Time, error) {
	var first time.Time
	if m.method == "tools/list" {
		ctx = httptrace.WithClientTrace(ctx, &httptrace.ClientTrace{GotFirstResponseByte: func() { first = time.Now() }})
	}
	req, err := http.NewRequestWithContext(ctx, http.MethodPost, s.url, bytes.NewReader(m.body))
	if err != nil {
		return nil, first, err
	}
	req.Header = s.header
	if s.header.Get(wire.HeaderVersion) == wire.Modern {
		req.Header = s.header.Clone()
		req.Header[wire.HeaderMethod] = []string{m.method}
		if m.name != "" {
			req.Header[wire.HeaderName] = []string{m.name}
		}
	}
	resp, err := s.http.Do(req)
	if err != nil {
		return nil, first, err
	}
	defer resp.Body.Close()
	s.in.Reset()
	if _, err := s.in.ReadFrom(resp.Body); err != nil {
		return nil, first, err
	}
	if session := resp.Header.Get(wire.HeaderSession); session != "" && m.method == "initialize" {
		s.header.Set(wire.HeaderSession, session)
	}
	if m.id == 0 && resp.StatusCode < 300 {
		return nil, first, nil
	}
	if resp.StatusCode != http.StatusOK {
		return nil, first, fmt.Errorf("HTTP %d: %.300s", resp.StatusCode, s.in.Bytes())
	}
	raw, err := responseIn(s.in.Bytes(), resp.Header.Get("Content-Type"), m.id)
	return raw, first, err
}

// responseIn finds the response to the request with this id in a body, which
// is the response itself or a stream of events.
func responseIn(body []byte, kind string, id int64) ([]byte, error) {
	if !strings.HasPrefix(kind, "text/event-stream") {
		if !hasID(body, id) {
			return nil, fmt.Errorf("this is no answer to %d: %.300s", id, body)
		}
		return body, nil
	}
	for rest := body; len(rest) > 0; {
		line, after, _ := bytes.Cut(rest, []byte{'\n'})
		if data, ok := bytes.CutPrefix(line, []byte("data:")); ok && hasID(data, id) {
			return bytes.TrimSpace(data), nil
		}
		rest = after
	}
	return nil, fmt.Errorf("the stream has no answer to %d: %.300s", id, body)
}

// hasID reports whether a message is the response to a request.
func hasID(msg []byte, id int64) bool {
	if wire.Get(msg, "method") != nil {
		return false
	}
	got, err := strconv.ParseInt(string(wire.Get(msg, "id")), 10, 64)
	return err == nil && got == id
}
