package main

import (
	"bufio"
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"time"
)

// sse is a client over the transport of 2024: requests are posted, responses
// come on one stream.
type sse struct {
	http   *http.Client
	post   string
	events chan []byte
}

// connectSSE opens the stream, learns where to post, and begins the session.
// The stream lives as long as the program.
func connectSSE(ctx context.Context, c *http.Client, address string) (client, error) {
	req, err := http.NewRequestWithContext(context.WithoutCancel(ctx), http.MethodGet, address, nil)
	if err != nil {
		return nil, err
	}
	req.Header.Set("Accept", "text/event-stream")
	resp, err := c.Do(req)
	if err != nil {
		return nil, err
	}
	if resp.StatusCode != http.StatusOK {
		_ = resp.Body.Close() // the status says it all
		return nil, fmt.Errorf("HTTP %d", resp.StatusCode)
	}
	s := &sse{http: c, events: make(chan []byte, 16)}
	go s.read(resp.Body)
	select {
	case where := <-s.events:
		base, err := url.Parse(address)
		if err != nil {
			return nil, err
		}
		target, err := base.Parse(string(where))
		if err != nil || target.Host != base.Host {
			return nil, fmt.Errorf("the server wants requests at %q: %w", where, err)
		}
		s.post = target.String()
	case <-ctx.Done():
		return nil, ctx.Err()
	}
	if _, _, err := s.send(ctx, initialize); err != nil {
		return nil, fmt.Errorf("initialize: %w", err)
	}
	_, _, err = s.send(ctx, initialized)
	return s, err
}

// read hands on the data of each event.
func (s *sse) read(body io.ReadCloser) {
	defer close(s.events)
	defer body.Close()
	lines := bufio.NewScanner(body)
	lines.Buffer(make([]byte, 0, 64<<10), 16<<20)
	for lines.Scan() {
		if data, ok := bytes.CutPrefix(lines.Bytes(), []byte("data:")); ok {
			s.events <- bytes.TrimSpace(bytes.Clone(data))
		}
	}
}

func (s *sse) send(ctx context.Context, m message) ([]byte, time.Time, error) {
	req, err := http.NewRequestWithContext(ctx, http.MethodPost, s.post, bytes.NewReader(m.body))
	if err != nil {
		return nil, time.Time{}, err
	}
	req.Header["Content-Type"] = []string{"application/json"}
	resp, err := s.http.Do(req)
	if err != nil {
		return nil, time.Time{}, err
	}
	text, err := io.ReadAll(io.LimitReader(resp.Body, 1<<20))
	_ = resp.Body.Close() // it was read
	if err != nil || resp.StatusCode >= 300 {
		return nil, time.Time{}, errors.Join(err, fmt.Errorf("HTTP %d: %.300s", resp.StatusCode, text))
	}
	for m.id != 0 {
		select {
		case msg, ok := <-s.events:
			if !ok {
				return nil, time.Time{}, errors.New("the stream ended")
			}
			if hasID(msg, m.id) {
				return msg, time.Now(), nil
			}
		case <-ctx.Done():
			return nil, time.Time{}, ctx.Err()
		}
	}
	return nil, time.Time{}, nil
}
