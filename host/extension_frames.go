package host

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"sync"

	"github.com/gongu-ai/gongu"
	"github.com/gongu-ai/gongu/agent"
	"github.com/gongu-ai/gongu/internal/lang"
	"github.com/gongu-ai/gongu/script"
)

// level is what the frames of all levels share: the rest of the level, and who
// may look at the context now. A script reads it from another goroutine.
type level[R any] struct {
	next   agent.Next[R]
	lang   lang.Lang
	result R
	same   bool

	mu sync.Mutex
	// frozen is what a script sees while inner layers may change things; over
	// says that the middleware has answered.
	frozen map[string]reader
	over   bool
}

// reader gives a field as it was at some time.
type reader func() (json.RawMessage, error)

// asItWas is a field that was read already.
func asItWas(raw json.RawMessage, err error) reader {
	return func() (json.RawMessage, error) { return raw, err }
}

var errFrameOver = errors.New("the middleware has already answered")

// end keeps a script that goes on from touching a context that others own.
func (l *level[R]) end() {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.over = true
}

// get reads a field, live or as it was when the rest of the level began.
func (l *level[R]) get(field string, live func(string) (json.RawMessage, error)) (json.RawMessage, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.over {
		return nil, errFrameOver
	}
	if was, ok := l.frozen[field]; ok {
		return was()
	}
	return live(field)
}

func (l *level[R]) set(field string, value json.RawMessage, live func(string, json.RawMessage) error) error {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.over || l.frozen != nil {
		return errFrameOver
	}
	return live(field, value)
}

// run runs the rest of the level. Meanwhile the script sees the fields that
// others may change as they were.
func (l *level[R]) run(ctx context.Context, frozen map[string]reader) error {
	l.mu.Lock()
	l.frozen = frozen
	l.mu.Unlock()
	result, err := l.next(ctx)
	l.mu.Lock()
	defer l.mu.Unlock()
	l.result, l.frozen = result, nil
	return err
}

func noField(l lang.Lang, field string) error {
	return errors.New(lang.ExtScriptNoField.In(l, field))
}

// setMetadata puts the members into the map that everybody holds.
func setMetadata(l lang.Lang, field string, target *map[string]any, raw json.RawMessage) error {
	var fresh map[string]any
	if err := json.Unmarshal(raw, &fresh); err != nil || fresh == nil {
		return errors.New(lang.ExtScriptMetadata.In(l, field))
	}
	if *target == nil {
		*target = fresh
		return nil
	}
	clear(*target)
	for key, value := range fresh {
		(*target)[key] = value
	}
	return nil
}

func metadata(m map[string]any) (json.RawMessage, error) {
	if m == nil {
		return json.RawMessage("{}"), nil
	}
	return json.Marshal(m)
}

func orNull(raw json.RawMessage) json.RawMessage {
	if len(raw) == 0 {
		return json.RawMessage("null")
	}
	return raw
}

// fixedFields is the part of a context that never changes.
type fixedFields map[string]any

func (f fixedFields) json() json.RawMessage {
	raw, err := json.Marshal(f)
	if err != nil {
		return json.RawMessage("{}") // only a broken Runtime or Input of a program
	}
	return raw
}

func turnFields(t *agent.Turn) fixedFields {
	return fixedFields{
		"agentName": t.AgentName, "instanceKey": t.InstanceKey, "turnId": t.TurnID, "traceId": t.TraceID,
		"runtime": orNull(t.Runtime),
	}
}

// callFrame is a tool call as a script sees it.
type callFrame struct {
	ctx  context.Context
	call *agent.ToolCall
	level[gongu.Result]
}

var _ script.Frame = (*callFrame)(nil)

// Fixed implements [script.Frame].
func (f *callFrame) Fixed() json.RawMessage {
	at := gongu.ContextOf(f.ctx)
	var runtime json.RawMessage
	if step, ok := agent.StepOf(f.ctx); ok && step.Turn != nil {
		runtime = step.Turn.Runtime
	}
	return fixedFields{
		"agentName": at.AgentName, "instanceKey": at.InstanceKey, "turnId": at.TurnID, "traceId": at.TraceID,
		"stepIndex": f.call.StepIndex, "toolName": f.call.ToolName, "toolCallId": f.call.ToolCallID, "runtime": orNull(runtime),
	}.json()
}

// Get implements [script.Frame].
func (f *callFrame) Get(field string) (json.RawMessage, error) { return f.get(field, f.read) }

func (f *callFrame) read(field string) (json.RawMessage, error) {
	switch field {
	case "args":
		return f.call.Args, nil
	case "metadata":
		return metadata(f.call.Metadata)
	case "result.output":
		return f.result.Output, nil
	case "result.content":
		return f.result.Content, nil
	}
	return nil, noField(f.lang, field)
}

// Set implements [script.Frame].
func (f *callFrame) Set(field string, value json.RawMessage) error {
	return f.set(field, value, func(field string, value json.RawMessage) error {
		switch field {
		case "args":
			f.call.Args = bytes.Clone(value)
			return nil
		case "metadata":
			return setMetadata(f.lang, field, &f.call.Metadata, value)
		}
		return noField(f.lang, field)
	})
}

// Emit implements [script.Frame]. A tool call has no conversation.
func (f *callFrame) Emit(json.RawMessage) error { return noField(f.lang, "emitMessageEvent") }

// Agents implements [script.Frame]. A tool call has no agents.
func (f *callFrame) Agents(context.Context, string, json.RawMessage) (json.RawMessage, error) {
	return nil, noField(f.lang, "agents")
}

// Next implements [script.Frame].
func (f *callFrame) Next(ctx context.Context) (json.RawMessage, error) {
	if err := f.run(ctx, map[string]reader{"args": asItWas(f.call.Args, nil), "metadata": asItWas(metadata(f.call.Metadata))}); err != nil {
		return nil, err
	}
	r := f.result
	shown := map[string]any{"toolCallId": f.call.ToolCallID, "toolName": f.call.ToolName, "status": gongu.StatusOK}
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
	return json.Marshal(shown)
}

// turnFrame is a turn as a script sees it.
type turnFrame struct {
	turn *agent.Turn
	level[agent.TurnResult]
}

var _ script.Frame = (*turnFrame)(nil)

// Fixed implements [script.Frame].
func (f *turnFrame) Fixed() json.RawMessage {
	fields := turnFields(f.turn)
	fields["inputEvent"] = orNull(f.turn.Input)
	return fields.json()
}

// Get implements [script.Frame].
func (f *turnFrame) Get(field string) (json.RawMessage, error) { return f.get(field, f.read) }

func (f *turnFrame) read(field string) (json.RawMessage, error) {
	if field == "metadata" {
		return metadata(f.turn.Metadata)
	}
	return readConversation(f.lang, f.turn.Conversation, field)
}

// Set implements [script.Frame].
func (f *turnFrame) Set(field string, value json.RawMessage) error {
	return f.set(field, value, func(field string, value json.RawMessage) error {
		if field == "metadata" {
			return setMetadata(f.lang, field, &f.turn.Metadata, value)
		}
		return noField(f.lang, field)
	})
}

// Emit implements [script.Frame].
func (f *turnFrame) Emit(event json.RawMessage) error { return emitMessage(f.lang, f.turn, event) }

// Agents implements [script.Frame].
func (f *turnFrame) Agents(ctx context.Context, operation string, params json.RawMessage) (json.RawMessage, error) {
	return askAgents(ctx, f.lang, f.turn, operation, params)
}

// Next implements [script.Frame].
func (f *turnFrame) Next(ctx context.Context) (json.RawMessage, error) {
	if err := f.run(ctx, map[string]reader{"metadata": asItWas(metadata(f.turn.Metadata))}); err != nil {
		return nil, err
	}
	return json.Marshal(f.result)
}

func readConversation(l lang.Lang, c *agent.Conversation, field string) (json.RawMessage, error) {
	if c == nil {
		c = agent.NewConversation(nil)
	}
	switch field {
	case "conversation.base":
		return json.Marshal(c.Base())
	case "conversation.next":
		return json.Marshal(c.Next())
	case "conversation.events":
		events := c.Events()
		if events == nil {
			events = []agent.MessageEvent{}
		}
		return json.Marshal(events)
	}
	return nil, noField(l, field)
}

func emitMessage(l lang.Lang, turn *agent.Turn, raw json.RawMessage) error {
	if turn.Conversation == nil {
		return noField(l, "conversationState")
	}
	var event agent.MessageEvent
	err := json.Unmarshal(raw, &event)
	if err == nil {
		err = turn.Conversation.Emit(event)
	}
	if err != nil {
		return errors.New(lang.ExtScriptEvent.In(l, err))
	}
	return nil
}

func askAgents(ctx context.Context, l lang.Lang, turn *agent.Turn, operation string, params json.RawMessage) (json.RawMessage, error) {
	answer, err := script.AskAgents(ctx, l, turn.Agents, operation, params)
	if err != nil && turn.Agents == nil {
		err = fmt.Errorf("agents.%s: %w", operation, err)
	}
	return answer, err
}
