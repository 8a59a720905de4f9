package gongu

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"path/filepath"
	"sync/atomic"
	"time"

	"github.com/gongu-ai/gongu/internal/capability"
)

// Context describes the conversation and the call that a handler runs in.
// [ContextOf] returns it; a runtime that has a conversation sets it with
// [WithContext]. It has no credentials and no bundle: a tool gets what it needs
// through its arguments.
type Context struct {
	AgentName   string `json:"agentName"`
	InstanceKey string `json:"instanceKey"`
	TurnID      string `json:"turnId"`
	TraceID     string `json:"traceId"`
	ToolCallID  string `json:"toolCallId"`
	// Message is the assistant message that holds the call.
	Message json.RawMessage `json:"message"`
	Workdir string          `json:"workdir"`

	// Principal is the caller, attached by [WithPrincipal]; nil is the program
	// itself. ToolName is the tool being called.
	Principal *Principal `json:"-"`
	ToolName  string     `json:"-"`

	Logger *slog.Logger `json:"-"`
	// Runtime reaches other agents; nil outside a swarm.
	Runtime AgentRuntime `json:"-"`
	Caller  Caller       `json:"-"`
	// Catalog and Executor are the caller's own, for tools that call tools.
	Catalog  *Catalog  `json:"-"`
	Executor *Executor `json:"-"`

	ended *atomic.Bool
	slot  *slot // innermost slot of the call, released while a question waits
}

// Caller has the functions by which a running tool reaches the client that made
// the call. A nil function means that the client does not support it.
type Caller struct {
	Progress func(ctx context.Context, done, total float64, message string)
	Partial  func(ctx context.Context, block Content)
	Log      func(ctx context.Context, level slog.Level, message string)
	// Elicit asks the client's user. From is the MCP server that asks, so that
	// the user knows who reads the answer; it is empty for a question of gongu
	// or of its own tools.
	Elicit func(ctx context.Context, from string, request json.RawMessage) (json.RawMessage, error)
	// ElicitURL means that Elicit also takes questions of mode url, which show
	// the user an address.
	ElicitURL bool
	// NeedsQuestion means that the client comes back to a suspended call only
	// with the answer to a question.
	NeedsQuestion bool
	Sample        func(ctx context.Context, request json.RawMessage) (json.RawMessage, error)
}

type (
	baseKey     struct{}
	dispatchKey struct{}
)

// isTraceID reports whether id is a W3C trace id.
func isTraceID(id string) bool {
	for _, c := range []byte(id) {
		if (c < '0' || c > '9') && (c < 'a' || c > 'f') {
			return false
		}
	}
	return len(id) == 32
}

// WithContext checks c and attaches it for the calls made with the returned
// context. ToolCallID, ToolName, Catalog and Executor belong to each call and are
// set by the executor; the Principal is attached by [WithPrincipal] alone.
func WithContext(ctx context.Context, c Context) (context.Context, error) {
	switch {
	case c.AgentName == "":
		return nil, errors.New("context: agentName is empty")
	case c.InstanceKey == "":
		return nil, errors.New("context: instanceKey is empty")
	case c.TurnID == "":
		return nil, errors.New("context: turnId is empty")
	case !isTraceID(c.TraceID):
		return nil, fmt.Errorf("context: traceId %q is not 32 lower-case hex digits", c.TraceID)
	case c.Workdir != "" && !filepath.IsAbs(c.Workdir):
		return nil, fmt.Errorf("context: workdir %q is not absolute", c.Workdir)
	case c.ToolCallID != "" || c.ToolName != "" || c.Catalog != nil || c.Executor != nil:
		return nil, errors.New("context: toolCallId, toolName, catalog and executor are set by the executor")
	case c.Principal != nil && c.Principal != PrincipalOf(ctx):
		return nil, errors.New("context: attach the principal with WithPrincipal")
	}
	if len(c.Message) > 0 && !isAssistantMessage(c.Message) {
		return nil, errors.New("context: message must be the assistant message that holds the call")
	}
	v := valuesOf(ctx)
	v.conversation = &c
	return v, nil
}

func isAssistantMessage(raw json.RawMessage) bool {
	var message struct {
		Data struct {
			Role string `json:"role"`
		} `json:"data"`
	}
	return json.Unmarshal(raw, &message) == nil && message.Data.Role == "assistant"
}

// ContextOf returns the Context of the call that ctx belongs to. It is never
// nil: outside a conversation AgentName is the executor's and InstanceKey is
// "default".
func ContextOf(ctx context.Context) *Context {
	if d, ok := ctx.Value(dispatchKey{}).(*dispatch); ok {
		return d.context(ctx)
	}
	c := &Context{AgentName: "api", InstanceKey: "default", TurnID: newID("turn_"), TraceID: newTraceID()}
	if set, ok := ctx.Value(baseKey{}).(*Context); ok {
		*c = *set
	}
	if c.Logger == nil {
		c.Logger = slog.Default()
	}
	c.Principal = PrincipalOf(ctx)
	return c
}

// CallerOf returns the Caller of [ContextOf] at a lower cost. After the call has
// ended, its functions do nothing.
func CallerOf(ctx context.Context) Caller {
	set, ok := ctx.Value(baseKey{}).(*Context)
	if !ok {
		return Caller{}
	}
	d, ok := ctx.Value(dispatchKey{}).(*dispatch)
	if !ok {
		return set.Caller
	}
	c := set.Caller
	if c.Progress == nil && c.Partial == nil && c.Log == nil && c.Elicit == nil && c.Sample == nil {
		return c
	}
	about := &Context{Caller: c, Executor: d.exec, ended: &d.over, slot: slotOf(ctx)}
	if c.Progress != nil {
		c.Progress = about.Progress
	}
	if c.Partial != nil {
		c.Partial = about.Partial
	}
	if c.Log != nil {
		c.Log = about.Log
	}
	if c.Elicit != nil {
		c.Elicit = about.Elicit
	}
	if c.Sample != nil {
		c.Sample = about.Sample
	}
	return c
}

// baseContext returns the Context of a call without the fields that are
// expensive to make. Outside a conversation the ids are generated once for each
// call.
func (d *dispatch) baseContext(ctx context.Context) Context {
	set, ok := ctx.Value(baseKey{}).(*Context)
	if !ok {
		d.makeUp.Do(func() {
			d.madeUp = &Context{AgentName: d.exec.opts.AgentName, InstanceKey: "default", TurnID: newID("turn_"), TraceID: newTraceID()}
		})
		set = d.madeUp
	}
	c := *set
	c.ToolCallID, c.ToolName, c.Principal = d.attempt.Call.ID, d.name(), d.attempt.Principal
	c.Catalog, c.Executor = d.attempt.Catalog, d.exec
	c.ended, c.slot = &d.over, slotOf(ctx)
	return c
}

// syntheticMessage returns an assistant message with the call, for calls outside
// a conversation: a tool can always read the message that holds its call.
func syntheticMessage(call Call, now time.Time) json.RawMessage {
	type part struct {
		Type       string          `json:"type"`
		ToolCallID string          `json:"toolCallId"`
		ToolName   string          `json:"toolName"`
		Input      json.RawMessage `json:"input"`
	}
	raw, err := encode(map[string]any{
		"id":        newID("msg_"),
		"data":      map[string]any{"role": "assistant", "content": []part{{"tool-call", call.ID, call.Name, call.Args}}},
		"metadata":  map[string]any{"synthetic": true},
		"createdAt": now.UTC().Format("2006-01-02T15:04:05.000Z"),
		"source":    map[string]any{"type": "assistant", "stepId": ""},
	})
	if err != nil {
		return nil
	}
	return raw
}

// Progress reports progress to the caller.
func (c *Context) Progress(ctx context.Context, done, total float64, message string) {
	if c.Caller.Progress != nil && !c.over() {
		c.Caller.Progress(ctx, done, total, message)
	}
}

// Partial sends the caller a part of the output while the tool runs.
func (c *Context) Partial(ctx context.Context, block Content) {
	if c.Caller.Partial != nil && !c.over() {
		c.Caller.Partial(ctx, block)
	}
}

// Log sends a log message to the caller. It does not write to Logger.
func (c *Context) Log(ctx context.Context, level slog.Level, message string) {
	if c.Caller.Log != nil && !c.over() {
		if c.Executor != nil && c.Executor.opts.Redact != nil {
			message = c.Executor.opts.Redact(message)
		}
		c.Caller.Log(ctx, level, message)
	}
}

// Elicit asks the client's user; see [Caller].Elicit for from. It returns
// [errors.ErrUnsupported] if the client cannot ask.
func (c *Context) Elicit(ctx context.Context, from string, request json.RawMessage) (json.RawMessage, error) {
	var ask askFunc
	if c.Caller.Elicit != nil {
		ask = func(ctx context.Context, request json.RawMessage) (json.RawMessage, error) {
			return c.Caller.Elicit(ctx, from, request)
		}
	}
	return c.ask(ctx, capability.Elicit, ask, request)
}

// Sample asks the client's model. It returns [errors.ErrUnsupported] if the
// client offers none.
func (c *Context) Sample(ctx context.Context, request json.RawMessage) (json.RawMessage, error) {
	return c.ask(ctx, capability.Sample, c.Caller.Sample, request)
}

type askFunc = func(context.Context, json.RawMessage) (json.RawMessage, error)

func (c *Context) ask(ctx context.Context, what string, fn askFunc, request json.RawMessage) (json.RawMessage, error) {
	if fn == nil {
		return nil, &capability.MissingError{Asked: what}
	}
	if c.over() {
		return nil, fmt.Errorf("%s: the call has already ended: %w", what, context.Canceled)
	}
	var answer json.RawMessage
	err := c.slot.outside(ctx, func(ctx context.Context) (err error) {
		answer, err = fn(ctx, request)
		return err
	})
	return answer, err
}

// over reports whether the call has ended, although its handler may still run.
func (c *Context) over() bool { return c.ended != nil && c.ended.Load() }
