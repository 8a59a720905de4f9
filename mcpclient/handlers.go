package mcpclient

import (
	"context"
	"encoding/json"
	"errors"

	"github.com/modelcontextprotocol/go-sdk/jsonrpc"
)

// Handlers serve the notifications and requests that a server sends during a
// call. Parameters and results are those of MCP, unchanged. A nil function means
// that the caller does not support it.
type Handlers struct {
	// Progress and Log receive notifications/progress and notifications/message.
	Progress, Log func(ctx context.Context, params json.RawMessage)
	// LogLevel is the lowest level that Log receives (default info).
	LogLevel string
	// Elicit, Sample and Roots answer elicitation/create,
	// sampling/createMessage and roots/list. A *jsonrpc.Error is passed on.
	Elicit, Sample, Roots func(ctx context.Context, params json.RawMessage) (json.RawMessage, error)
}

type askFunc = func(ctx context.Context, params json.RawMessage) (json.RawMessage, error)

// The requests of servers.
const (
	askElicit = "elicitation/create"
	askSample = "sampling/createMessage"
	askRoots  = "roots/list"
)

const (
	// maxAsked is how many requests of a server may be open at a time, and
	// maxAskedBytes how large their parameters may be together.
	maxAsked      = 32
	maxAskedBytes = 16 << 20
	// maxReplies is how many answers to a server may be under way. A server
	// that asks without reading the answers gets no more of them.
	maxReplies = 64
)

// answerTo is the function that answers a method, or nil.
func (h *Handlers) answerTo(method string) askFunc {
	switch method {
	case askElicit:
		return h.Elicit
	case askSample:
		return h.Sample
	case askRoots:
		return h.Roots
	}
	return nil
}

// ask serves a request of the server, in the background.
func (s *session) ask(req *jsonrpc.Request) {
	if req.Method == "ping" {
		s.reply(req, json.RawMessage(`{}`), nil)
		return
	}
	if s.about().Modern {
		s.logger.Debug("mcp server: asks in a way that its version of the protocol does not have", "method", req.Method)
		return
	}
	in, _ := req.Extra.(*inbound)
	c := s.callFor(in, func(h *Handlers) bool { return h.answerTo(req.Method) != nil })
	ctx, cancel := context.WithCancel(s.lifetime)
	if !s.openAsked(req, cancel) {
		cancel()
		s.reply(req, nil, &jsonrpc.Error{Code: -32000, Message: "too many requests of the server are open"})
		return
	}
	s.work.Go(func() {
		defer s.closeAsked(req)
		defer cancel()
		handlers := &s.owner
		if c != nil {
			// The question ends with the call it belongs to.
			defer context.AfterFunc(c.ctx, cancel)()
			c.asking.Add(1)
			defer c.asking.Add(-1)
			handlers = c.handlers
		}
		result, err := answer(ctx, req.Method, req.Params, handlers)
		s.reply(req, result, err)
	})
}

// answer calls the handler of a method, or declines where there is none.
func answer(ctx context.Context, method string, params json.RawMessage, h *Handlers) (json.RawMessage, error) {
	if fn := h.answerTo(method); fn != nil {
		result, err := fn(ctx, params)
		if !errors.Is(err, errors.ErrUnsupported) {
			return result, err
		}
	}
	switch method {
	case askElicit:
		return json.RawMessage(`{"action":"cancel"}`), nil
	case askSample:
		return nil, &jsonrpc.Error{Code: -1, Message: "the caller has no model to ask"}
	}
	return nil, &jsonrpc.Error{Code: jsonrpc.CodeMethodNotFound, Message: "method not found: " + method}
}

// callFor finds the call that a message of the server belongs to. Over HTTP that
// is the call of its stream. On a pipe it is the newest call that can handle the
// message; where the server is shared by principals, the only one.
func (s *session) callFor(in *inbound, can func(*Handlers) bool) *call {
	s.mu.Lock()
	defer s.mu.Unlock()
	if in != nil && in.origin != 0 {
		if c := s.calls[in.origin]; c != nil && can(c.handlers) {
			return c
		}
		return nil
	}
	var found *call
	for _, c := range s.calls {
		if !can(c.handlers) {
			continue
		}
		if found != nil && s.shared {
			return nil
		}
		if found == nil || c.id > found.id {
			found = c
		}
	}
	return found
}

func (s *session) openAsked(req *jsonrpc.Request, cancel context.CancelFunc) bool {
	key := askedKey(req)
	s.mu.Lock()
	defer s.mu.Unlock()
	if _, twice := s.asked[key]; twice || len(s.asked) >= maxAsked || s.askedBytes+len(req.Params) > maxAskedBytes || s.failure != nil {
		return false
	}
	s.asked[key] = cancel
	s.askedBytes += len(req.Params)
	return true
}

func (s *session) closeAsked(req *jsonrpc.Request) {
	s.mu.Lock()
	defer s.mu.Unlock()
	delete(s.asked, askedKey(req))
	s.askedBytes -= len(req.Params)
}

func askedKey(req *jsonrpc.Request) string { return string(appendID(nil, req.ID, nil)) }

func (s *session) reply(req *jsonrpc.Request, result json.RawMessage, err error) {
	msg := &jsonrpc.Response{ID: req.ID, Result: result, Error: err, Extra: req.Extra}
	if err == nil && len(result) == 0 {
		msg.Error = &jsonrpc.Error{Code: jsonrpc.CodeInternalError, Message: "the caller gave no answer"}
	}
	if s.replies.Add(1) > maxReplies {
		s.replies.Add(-1)
		return
	}
	begun := s.background(func() {
		defer s.replies.Add(-1)
		ctx, cancel := context.WithTimeout(s.lifetime, defaultConnect)
		defer cancel()
		if err := s.conn.Write(ctx, msg); err != nil {
			s.logger.Debug("mcp server: an answer to it could not be sent", "method", req.Method, "error", err)
		}
	})
	if !begun {
		s.replies.Add(-1)
	}
}

// handleNotification passes a notification to the call it belongs to.
func (s *session) handleNotification(req *jsonrpc.Request) {
	in, _ := req.Extra.(*inbound)
	switch req.Method {
	case "notifications/progress":
		s.handleProgress(req.Params)
	case "notifications/message":
		req.Params = s.secrets.RedactJSON(req.Params)
		if c := s.callFor(in, func(h *Handlers) bool { return h.Log != nil }); c != nil {
			c.events.add(req.Params, func(params json.RawMessage) { c.handlers.Log(c.ctx, params) })
			return
		}
		s.logger.Debug("mcp server says", "message", string(cut(req.Params, 1000)))
		s.notify(req.Method, req.Params)
	case "notifications/cancelled":
		var params struct {
			RequestID json.RawMessage `json:"requestId"`
		}
		if json.Unmarshal(req.Params, &params) != nil {
			return
		}
		s.mu.Lock()
		cancel := s.asked[string(params.RequestID)]
		s.mu.Unlock()
		if cancel != nil {
			cancel()
		}
	default:
		s.notify(req.Method, req.Params)
	}
}

func (s *session) handleProgress(params json.RawMessage) {
	var read struct {
		Token json.RawMessage `json:"progressToken"`
	}
	if json.Unmarshal(params, &read) != nil {
		return
	}
	id, err := idOf(read.Token)
	if err != nil {
		return
	}
	s.mu.Lock()
	c := s.calls[ourID(id)]
	s.mu.Unlock()
	if c == nil || c.handlers.Progress == nil {
		return
	}
	if c.token != nil {
		if members, err := membersOf(params); err == nil {
			params = object(set(members, metaProgress, c.token))
		}
	}
	c.events.add(params, func(params json.RawMessage) { c.handlers.Progress(c.ctx, params) })
}
