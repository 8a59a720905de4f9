package host

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"sync"

	"github.com/gongu-ai/gongu"
	"github.com/gongu-ai/gongu/agent"
	"github.com/gongu-ai/gongu/internal/lang"
	"github.com/gongu-ai/gongu/script"
)

// frame is a turn, a step or a tool call as a script sees it. A script reads it
// from another goroutine.
type frame[R any] struct {
	lang   lang.Lang
	fixed  map[string]any // never changes
	fields map[string]field
	turn   *agent.Turn // nil for a tool call
	next   agent.Next[R]
	show   func(R) any // nil shows the result itself
	result R
	same   bool

	mu sync.Mutex
	// frozen has the fields that can be set, as they were when the rest of the
	// level began: inner layers may change them meanwhile.
	frozen map[string]reader
	// over is set when the middleware has returned.
	over bool
}

// field is a part of a context that a script reads on demand.
type field struct {
	now func() reader
	set func(json.RawMessage) error // nil for a field that cannot be set
}

// reader returns a field as it was at some time.
type reader func() (json.RawMessage, error)

// encoded returns a reader of a value that was encoded already.
func encoded(raw json.RawMessage, err error) reader {
	return func() (json.RawMessage, error) { return raw, err }
}

// readOnly returns a field that a script cannot set.
func readOnly(read reader) field {
	return field{now: func() reader { return read }}
}

var errFrameOver = errors.New("the middleware has already returned")

// Fixed implements [script.Frame].
func (f *frame[R]) Fixed() json.RawMessage { return encodeFields(f.fixed) }

// Get implements [script.Frame].
func (f *frame[R]) Get(name string) (json.RawMessage, error) {
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.over {
		return nil, errFrameOver
	}
	if was, ok := f.frozen[name]; ok {
		return was()
	}
	if found, ok := f.fields[name]; ok {
		return found.now()()
	}
	return nil, noField(f.lang, name)
}

// Set implements [script.Frame].
func (f *frame[R]) Set(name string, value json.RawMessage) error {
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.over || f.frozen != nil {
		return errFrameOver
	}
	if found := f.fields[name]; found.set != nil {
		return found.set(value)
	}
	return noField(f.lang, name)
}

// Emit implements [script.Frame]. A tool call has no conversation.
func (f *frame[R]) Emit(raw json.RawMessage) error {
	if f.turn == nil {
		return noField(f.lang, "emitMessageEvent")
	}
	if f.turn.Conversation == nil {
		return noField(f.lang, "conversationState")
	}
	var event agent.MessageEvent
	err := json.Unmarshal(raw, &event)
	if err == nil {
		err = f.turn.Conversation.Emit(event)
	}
	if err != nil {
		return errors.New(lang.ExtScriptEvent.In(f.lang, err))
	}
	return nil
}

// Agents implements [script.Frame]. A tool call has no agents.
func (f *frame[R]) Agents(ctx context.Context, operation string, params json.RawMessage) (json.RawMessage, error) {
	if f.turn == nil {
		return nil, noField(f.lang, "agents")
	}
	reply, err := script.AskAgents(ctx, f.lang, f.turn.Agents, operation, params)
	if err != nil && f.turn.Agents == nil {
		err = fmt.Errorf("agents.%s: %w", operation, err)
	}
	return reply, err
}

// Next implements [script.Frame]. It runs the rest of the level.
func (f *frame[R]) Next(ctx context.Context) (json.RawMessage, error) {
	frozen := map[string]reader{}
	for name, part := range f.fields {
		if part.set != nil {
			frozen[name] = part.now()
		}
	}
	f.mu.Lock()
	f.frozen = frozen
	f.mu.Unlock()
	result, err := f.next(ctx)
	f.mu.Lock()
	f.result, f.frozen = result, nil
	f.mu.Unlock()
	if err != nil {
		return nil, err
	}
	if f.show != nil {
		return json.Marshal(f.show(result))
	}
	return json.Marshal(result)
}

// end makes the frame read-only: a script that continues to run must not change a
// context that others use.
func (f *frame[R]) end() {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.over = true
}

func noField(l lang.Lang, name string) error {
	return errors.New(lang.ExtScriptNoField.In(l, name))
}

// metadataField returns the field of a metadata map. Setting it replaces the
// members of the map, which others hold.
func metadataField(l lang.Lang, name string, target *map[string]any) field {
	return field{
		now: func() reader {
			if *target == nil {
				return encoded(json.RawMessage("{}"), nil)
			}
			return encoded(json.Marshal(*target))
		},
		set: func(raw json.RawMessage) error {
			var fresh map[string]any
			if err := json.Unmarshal(raw, &fresh); err != nil || fresh == nil {
				return errors.New(lang.ExtScriptMetadata.In(l, name))
			}
			if *target == nil {
				*target = fresh
				return nil
			}
			clear(*target)
			maps.Copy(*target, fresh)
			return nil
		},
	}
}

// conversationFields returns the fields of the conversation that a turn has
// when they are read.
func conversationFields(t *agent.Turn) map[string]field {
	of := func() *agent.Conversation {
		if t.Conversation == nil {
			return agent.NewConversation(nil)
		}
		return t.Conversation
	}
	return map[string]field{
		"conversation.base": readOnly(func() (json.RawMessage, error) { return json.Marshal(of().Base()) }),
		"conversation.next": readOnly(func() (json.RawMessage, error) { return json.Marshal(of().Next()) }),
		"conversation.events": readOnly(func() (json.RawMessage, error) {
			return json.Marshal(append([]agent.MessageEvent{}, of().Events()...))
		}),
	}
}

func orNull(raw json.RawMessage) json.RawMessage {
	if len(raw) == 0 {
		return json.RawMessage("null")
	}
	return raw
}

// encodeFields encodes the fixed part of a context.
func encodeFields(fields map[string]any) json.RawMessage {
	raw, err := json.Marshal(fields)
	if err != nil {
		return json.RawMessage("{}") // only a broken Runtime or Input of a program
	}
	return raw
}

func turnFields(t *agent.Turn) map[string]any {
	return map[string]any{
		"agentName": t.AgentName, "instanceKey": t.InstanceKey, "turnId": t.TurnID, "traceId": t.TraceID,
		"runtime": orNull(t.Runtime),
	}
}

// turnFrame returns the frame of a turn.
func (e *extensionHost) turnFrame(t *agent.Turn, next agent.Next[agent.TurnResult]) *frame[agent.TurnResult] {
	f := &frame[agent.TurnResult]{
		lang: e.lang, next: next, turn: t, fixed: turnFields(t), fields: conversationFields(t),
	}
	f.fixed["inputEvent"] = orNull(t.Input)
	f.fields["metadata"] = metadataField(e.lang, "metadata", &t.Metadata)
	return f
}

// callFrame returns the frame of a tool call.
func (e *extensionHost) callFrame(ctx context.Context, call *agent.ToolCall, next agent.Next[gongu.Result]) *frame[gongu.Result] {
	at := gongu.ContextOf(ctx)
	var runtime json.RawMessage
	if step, ok := agent.StepOf(ctx); ok && step.Turn != nil {
		runtime = step.Turn.Runtime
	}
	f := &frame[gongu.Result]{lang: e.lang, next: next}
	f.fixed = map[string]any{
		"agentName": at.AgentName, "instanceKey": at.InstanceKey, "turnId": at.TurnID, "traceId": at.TraceID,
		"stepIndex": call.StepIndex, "toolName": call.ToolName, "toolCallId": call.ToolCallID, "runtime": orNull(runtime),
	}
	f.fields = map[string]field{
		"args": {
			now: func() reader { return encoded(call.Args, nil) },
			set: func(value json.RawMessage) error {
				call.Args = bytes.Clone(value)
				return nil
			},
		},
		"metadata":       metadataField(e.lang, "metadata", &call.Metadata),
		"result.output":  readOnly(func() (json.RawMessage, error) { return f.result.Output, nil }),
		"result.content": readOnly(func() (json.RawMessage, error) { return f.result.Content, nil }),
	}
	f.show = func(r gongu.Result) any { return shownResult(call, &r) }
	return f
}

// shownResult returns the result of a call for a script. Output and content,
// which can be large, are read on demand.
func shownResult(call *agent.ToolCall, r *gongu.Result) map[string]any {
	shown := map[string]any{"toolCallId": call.ToolCallID, "toolName": call.ToolName, "status": gongu.StatusOK}
	if r.Error != nil || r.Status == gongu.StatusError {
		shown["status"], shown["error"] = gongu.StatusError, r.Error
	}
	if len(r.Output) > 0 {
		shown["output"] = nil
	}
	if len(r.Content) > 0 {
		shown["content"] = nil
	}
	if len(r.Meta) > 0 {
		shown["_meta"] = r.Meta
	}
	return shown
}
