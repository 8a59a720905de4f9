package main

import (
	"bytes"
	"crypto/rand"
	"io"
	"net/http"
	"strconv"
	"strings"
	"sync"

	"github.com/gongu-ai/gongu/bench/gateway/wire"
)

// maxTools bounds what a path can ask for.
const maxTools = 100_000

// endpoint is streamable HTTP in its simplest form: every answer is one JSON
// body, and there is no stream to listen to.
type endpoint struct {
	buffers sync.Pool
	mu      sync.Mutex
	servers map[int]*server
}

func newEndpoint() *endpoint {
	return &endpoint{
		buffers: sync.Pool{New: func() any { return &exchange{} }},
		servers: map[int]*server{},
	}
}

// exchange is the memory of one request, used again by the next.
type exchange struct {
	in  bytes.Buffer
	out []byte
}

func (e *endpoint) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	s := e.server(r.URL.Path)
	if s == nil {
		http.NotFound(w, r)
		return
	}
	switch r.Method {
	case http.MethodPost:
	case http.MethodDelete:
		return
	default:
		w.Header().Set("Allow", "POST, DELETE")
		http.Error(w, "there is no stream", http.StatusMethodNotAllowed)
		return
	}
	x, ok := e.buffers.Get().(*exchange)
	if !ok {
		x = &exchange{}
	}
	defer e.buffers.Put(x)
	x.in.Reset()
	if _, err := io.Copy(&x.in, r.Body); err != nil {
		http.Error(w, err.Error(), http.StatusBadRequest)
		return
	}
	era := wire.Legacy
	if r.Header.Get(wire.HeaderVersion) == wire.Modern {
		era = wire.Modern
	}
	x.out = s.answer(x.out[:0], x.in.Bytes(), era)
	if len(x.out) == 0 {
		w.WriteHeader(http.StatusAccepted)
		return
	}
	header := w.Header()
	header["Content-Type"] = jsonType
	header["Content-Length"] = []string{strconv.Itoa(len(x.out))}
	if string(wire.Get(x.in.Bytes(), "method")) == `"initialize"` {
		header.Set(wire.HeaderSession, rand.Text())
	}
	_, _ = w.Write(x.out) // a client that is gone needs no answer
}

var jsonType = []string{"application/json"}

// server is the one with as many tools as the path says.
func (e *endpoint) server(path string) *server {
	count := defaultTools
	rest, ok := strings.CutPrefix(path, "/mcp")
	if !ok {
		return nil
	}
	if rest != "" {
		n, err := strconv.Atoi(strings.TrimPrefix(rest, "/"))
		if err != nil || n < 1 || n > maxTools {
			return nil
		}
		count = n
	}
	e.mu.Lock()
	defer e.mu.Unlock()
	if e.servers[count] == nil {
		e.servers[count] = newServer(count)
	}
	return e.servers[count]
}
