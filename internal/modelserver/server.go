package modelserver

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"regexp"
	"slices"
	"strings"
	"sync"
	"time"
)

// maxBody bounds a request: clients send their whole conversation.
const maxBody = 32 << 20

// Request is what a client sent.
type Request struct {
	// API is openai-chat, openai-responses, anthropic or gemini.
	API    string
	Model  string
	Stream bool
	// Tools are the names of the declared tools, with their namespace.
	Tools []string
	// Results are the results of tools in the conversation, in order.
	Results []string
	// Called is the tool that the model called in answer, Text what it said.
	Called, Text string
	Body         json.RawMessage
}

// Server is the scripted model.
type Server struct {
	// URL is where it listens, without a path.
	URL string

	script   []Turn
	patterns []*regexp.Regexp
	http     *http.Server
	served   chan struct{}

	mu       sync.Mutex
	requests []Request
}

// Start listens on a free port of loopback until [Server.Close].
func Start(script ...Turn) (*Server, error) {
	patterns, err := compile(script)
	if err != nil {
		return nil, fmt.Errorf("modelserver: %w", err)
	}
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return nil, fmt.Errorf("modelserver: %w", err)
	}
	s := &Server{URL: "http://" + listener.Addr().String(), script: script, patterns: patterns, served: make(chan struct{})}
	s.http = &http.Server{Handler: s, ReadHeaderTimeout: 10 * time.Second}
	go func() {
		defer close(s.served)
		_ = s.http.Serve(listener) // always ErrServerClosed, after Close
	}()
	return s, nil
}

// Close stops listening and ends what is still open.
func (s *Server) Close() error {
	err := s.http.Close()
	<-s.served
	return err
}

// Requests are the requests for an answer so far, in order.
func (s *Server) Requests() []Request {
	s.mu.Lock()
	defer s.mu.Unlock()
	return slices.Clone(s.requests)
}

// conversation is a request in the form that all providers share.
type conversation struct {
	model   string
	stream  bool
	tools   []Tool
	results []string
}

func (c *conversation) names() []string {
	names := make([]string, len(c.tools))
	for i, tool := range c.tools {
		names[i] = tool.Full()
	}
	return names
}

// form is how a provider writes conversations and answers.
type form struct {
	api   string
	read  func(path string, body []byte) (*conversation, error)
	write func(w http.ResponseWriter, c *conversation, r reply)
}

// formOf finds the form by the path, whatever a client puts before it.
func formOf(path string) *form {
	switch {
	case strings.HasSuffix(path, "/chat/completions"):
		return &form{"openai-chat", readChat, writeChat}
	case strings.HasSuffix(path, "/responses"):
		return &form{"openai-responses", readResponses, writeResponses}
	case strings.HasSuffix(path, "/messages"):
		return &form{"anthropic", readMessages, writeMessages}
	case strings.HasSuffix(path, ":generateContent"), strings.HasSuffix(path, ":streamGenerateContent"):
		return &form{"gemini", readGemini, writeGemini}
	}
	return nil
}

// ServeHTTP answers as the model.
func (s *Server) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	if r.Method != http.MethodPost {
		s.beside(w, r)
		return
	}
	body, err := io.ReadAll(http.MaxBytesReader(w, r.Body, maxBody))
	if err != nil {
		refuse(w, http.StatusRequestEntityTooLarge, err)
		return
	}
	switch {
	case strings.HasSuffix(r.URL.Path, "/count_tokens"):
		writeJSON(w, map[string]any{"input_tokens": 1})
		return
	case strings.HasSuffix(r.URL.Path, ":countTokens"):
		writeJSON(w, map[string]any{"totalTokens": 1})
		return
	}
	f := formOf(r.URL.Path)
	if f == nil {
		refuse(w, http.StatusNotFound, errors.New("unknown path "+r.URL.Path))
		return
	}
	c, err := f.read(r.URL.Path, body)
	if err != nil {
		refuse(w, http.StatusBadRequest, err)
		return
	}
	answer := s.answer(c)
	s.note(f.api, c, answer, body)
	f.write(w, c, answer)
}

func (s *Server) note(api string, c *conversation, answer reply, body []byte) {
	entry := Request{API: api, Model: c.model, Stream: c.stream, Tools: c.names(), Results: c.results, Text: answer.text, Body: body}
	if answer.call != nil {
		entry.Called = answer.call.tool.Full()
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	s.requests = append(s.requests, entry)
}

// beside answers what clients ask before they begin.
func (s *Server) beside(w http.ResponseWriter, r *http.Request) {
	if strings.HasSuffix(r.URL.Path, "/models") {
		writeJSON(w, map[string]any{"object": "list", "data": []any{map[string]any{"id": "scripted", "object": "model"}}})
		return
	}
	if r.Method == http.MethodHead {
		return
	}
	refuse(w, http.StatusNotFound, errors.New("unknown path "+r.URL.Path))
}

func refuse(w http.ResponseWriter, status int, err error) {
	w.Header().Set("Content-Type", "application/json")
	w.WriteHeader(status)
	encode(w, map[string]any{"error": map[string]any{"type": "invalid_request_error", "message": err.Error(), "code": status}})
}

func writeJSON(w http.ResponseWriter, v any) {
	w.Header().Set("Content-Type", "application/json")
	encode(w, v)
}

// encode leaves a client that is gone alone.
func encode(w io.Writer, v any) { _ = json.NewEncoder(w).Encode(v) }

// events writes server-sent events.
type events struct{ w http.ResponseWriter }

func newEvents(w http.ResponseWriter) events {
	w.Header().Set("Content-Type", "text/event-stream")
	w.Header().Set("Cache-Control", "no-cache")
	return events{w}
}

// send writes one event; the name may be empty.
func (e events) send(name string, v any) {
	if name != "" {
		fmt.Fprintf(e.w, "event: %s\n", name)
	}
	fmt.Fprint(e.w, "data: ")
	encode(e.w, v)
	fmt.Fprint(e.w, "\n")
	if flusher, ok := e.w.(http.Flusher); ok {
		flusher.Flush()
	}
}

// textOf is the text in a value that is a text or a list of parts with one.
func textOf(raw json.RawMessage) string {
	var text string
	if json.Unmarshal(raw, &text) == nil {
		return text
	}
	var parts []struct {
		Text string `json:"text"`
	}
	if json.Unmarshal(raw, &parts) == nil && len(parts) > 0 {
		var texts []string
		for _, part := range parts {
			texts = append(texts, part.Text)
		}
		return strings.Join(texts, "\n")
	}
	return string(raw)
}
