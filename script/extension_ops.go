package script

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"strconv"
	"strings"

	"github.com/gongu-ai/gongu"
	"github.com/gongu-ai/gongu/internal/lang"
)

// immediates returns the immediate operations that only extensions have.
func (r *extensionVM) immediates() map[string]func(text string) (string, error) {
	return map[string]func(text string) (string, error){
		"frame.get":    r.getField,
		"frame.set":    r.setField,
		"frame.emit":   r.emitMessage,
		"ext.use":      r.use,
		"ext.tool":     r.addTool,
		"ext.on":       r.on,
		"ext.off":      r.off,
		"ext.emit":     r.emit,
		"ext.state":    r.state,
		"ext.setState": r.setState,
		"ext.log":      r.log,
	}
}

// now runs an operation for the script, on the goroutine of the VM.
func (r *extensionVM) now(op, text string) string {
	switch op {
	case "finish":
		r.finish(text)
		return "+"
	case "cancel", "kill":
		r.end(op, text)
		return "+"
	}
	run, ok := r.own[op]
	if !ok {
		return r.w.now(op, text)
	}
	answer, err := run(text)
	if err != nil {
		return "-" + r.w.explain(err)
	}
	return "+" + answer
}

// finish stores the answer of a task.
func (r *extensionVM) finish(text string) {
	number, answer, _ := strings.Cut(text, "\n")
	id, err := strconv.Atoi(number)
	t := r.tasks[id]
	if err != nil || t == nil || answer == "" {
		return // the task was aborted
	}
	delete(r.tasks, id)
	if e := parseException(answer[1:]); answer[0] == '-' && e.Name == "InternalError" {
		// Out of memory, out of stack or interrupted: the VM may be in any
		// state.
		r.discard(t.call, cmp.Or(stopCause(e.Name, e.Message), errors.New(e.Message)))
		return
	}
	if t.kind == "listener" {
		if answer[0] == '-' {
			_, _ = r.w.uncaught(answer[1:]) // it only logs
		}
		t.end()
		return
	}
	t.answers <- answer
	t.end()
}

// end cancels an operation, or kills a program.
func (r *extensionVM) end(op, text string) {
	id, err := strconv.Atoi(text)
	owner := r.owners[id]
	if err != nil || owner == nil {
		return
	}
	if op == "cancel" {
		owner.forget(id)
		delete(r.owners, id)
	} else if started, ok := owner.ops[id]; ok {
		started.killed.Store(true)
		started.cancel()
	}
}

// begin starts an operation whose result follows as an event.
func (r *extensionVM) begin(id int, op, text string) string {
	c := r.w.current
	if c == nil {
		return hostFault("Error", "", lang.ScriptLoadBusy.In(r.ext.module.engine.lang, op))
	}
	switch op {
	case "next":
		t := r.taskOf(text)
		if t == nil || t.frame == nil {
			return hostFault("AbortError", "ABORT_ERR", "The operation was aborted.")
		}
		t.nexts <- id // ctx.next() asks once
		return ""
	case "frame.agents":
		return r.beginAgents(c, id, text)
	}
	refusal := c.begin(id, op, text)
	if refusal == "" {
		r.owners[id] = c
	}
	return refusal
}

func (r *extensionVM) taskOf(number string) *task {
	id, err := strconv.Atoi(number)
	if err != nil {
		return nil
	}
	return r.tasks[id]
}

func (r *extensionVM) beginAgents(c *call, id int, text string) string {
	var args struct {
		Task      int             `json:"task"`
		Operation string          `json:"operation"`
		Params    json.RawMessage `json:"params"`
	}
	if err := json.Unmarshal([]byte(text), &args); err != nil {
		return hostFault("TypeError", "", err.Error())
	}
	t := r.tasks[args.Task]
	if t == nil || t.frame == nil {
		return hostFault("AbortError", "ABORT_ERR", "The operation was aborted.")
	}
	refusal := c.launch(id, func(ctx context.Context, _ *call, _ string) (string, error) {
		answer, err := t.frame.Agents(ctx, args.Operation, args.Params)
		return string(answer), err
	}, "")
	if refusal == "" {
		r.owners[id] = c
	}
	return refusal
}

// frameOf splits a request into the frame of its task and the rest.
func (r *extensionVM) frameOf(text string) (Frame, string, error) {
	number, rest, _ := strings.Cut(text, "\n")
	t := r.taskOf(number)
	if t == nil || t.frame == nil {
		return nil, "", &hostError{"AbortError", "ABORT_ERR", "The call is over."}
	}
	return t.frame, rest, nil
}

func (r *extensionVM) getField(text string) (string, error) {
	f, field, err := r.frameOf(text)
	if err != nil {
		return "", err
	}
	value, err := f.Get(field)
	return string(value), err
}

func (r *extensionVM) setField(text string) (string, error) {
	f, rest, err := r.frameOf(text)
	if err != nil {
		return "", err
	}
	field, value, _ := strings.Cut(rest, "\n")
	return "", f.Set(field, json.RawMessage(value))
}

func (r *extensionVM) emitMessage(text string) (string, error) {
	f, event, err := r.frameOf(text)
	if err != nil {
		return "", err
	}
	return "", f.Emit(json.RawMessage(event))
}

// addSlot returns the slot for a function. After a restart, register gets the
// existing slots in order, and fresh is false.
func (r *extensionVM) addSlot(key string, fn int) (s *slot, fresh bool, err error) {
	x := r.ext
	r.mu.Lock()
	defer r.mu.Unlock()
	x.mu.Lock()
	defer x.mu.Unlock()
	switch {
	case r.registering && r.restarted:
		if len(r.replay) == 0 || r.replay[0].key != key {
			r.replay = append(r.replay, nil) // never matches, so that register fails
			return nil, false, errors.New(lang.ExtScriptDiffers.In(x.module.engine.lang))
		}
		s = r.replay[0]
		r.replay = r.replay[1:]
		s.fn = fn
		return s, false, nil
	case r.registering:
		s = &slot{key: key, fn: fn}
		x.slots = append(x.slots, s)
		return s, true, nil
	}
	return &slot{key: key, fn: fn, owner: r}, true, nil
}

// removeSlot removes a slot whose registration failed.
func (r *extensionVM) removeSlot(s *slot) {
	r.ext.mu.Lock()
	defer r.ext.mu.Unlock()
	if n := len(r.ext.slots); n > 0 && r.ext.slots[n-1] == s {
		r.ext.slots = r.ext.slots[:n-1]
	}
}

func (r *extensionVM) use(text string) (string, error) {
	l := r.ext.module.engine.lang
	var args struct {
		Level    string          `json:"level"`
		Fn       int             `json:"fn"`
		Priority json.RawMessage `json:"priority"`
	}
	if err := json.Unmarshal([]byte(text), &args); err != nil {
		return "", err
	}
	if args.Level != LevelTurn && args.Level != LevelStep && args.Level != LevelToolCall {
		return "", typeError(lang.ExtScriptLevel.In(l, args.Level))
	}
	if args.Fn < 0 {
		return "", typeError(lang.ExtScriptFunction.In(l, "api.pipeline.register"))
	}
	var number float64
	if err := json.Unmarshal(args.Priority, &number); err != nil || number != math.Trunc(number) || math.Abs(number) > math.MaxInt32 {
		return "", typeError(lang.ExtScriptPriority.In(l))
	}
	priority := int(number)
	s, fresh, err := r.addSlot(fmt.Sprintf("%s %d", args.Level, priority), args.Fn)
	if err != nil || !fresh {
		return "", err
	}
	if s.owner != nil {
		r.ext.mu.Lock()
		r.ext.late = true
		r.ext.mu.Unlock()
	}
	r.ext.host.Use(args.Level, priority, r.ext.middleware(args.Level, s))
	return "", nil
}

func typeError(message string) error { return &hostError{"TypeError", "", message} }

// catalogItem is a ToolCatalogItem of an extension, with the annotations of
// MCP.
type catalogItem struct {
	Name        string            `json:"name"`
	Title       string            `json:"title"`
	Description string            `json:"description"`
	Parameters  json.RawMessage   `json:"parameters"`
	Annotations gongu.Annotations `json:"annotations"`
	Source      *gongu.Source     `json:"source"`
}

func (r *extensionVM) addTool(text string) (string, error) {
	l := r.ext.module.engine.lang
	var args struct {
		Item json.RawMessage `json:"item"`
		Fn   int             `json:"fn"`
	}
	if err := json.Unmarshal([]byte(text), &args); err != nil {
		return "", err
	}
	if args.Fn < 0 {
		return "", typeError(lang.ExtScriptFunction.In(l, "api.tools.register"))
	}
	var item catalogItem
	if err := json.Unmarshal(args.Item, &item); err != nil {
		return "", typeError(lang.ExtScriptItem.In(l, err))
	}
	tool := gongu.Tool{Name: item.Name, Title: item.Title, Description: item.Description, Annotations: item.Annotations}
	if len(item.Parameters) > 0 && string(item.Parameters) != "null" {
		tool.Parameters = gongu.Schema(item.Parameters)
	}
	if item.Source != nil {
		if item.Source.Type != "mcp" && item.Source.Type != "extension" {
			return "", typeError(lang.ExtScriptItemSource.In(l, item.Source.Type))
		}
		tool.Source = *item.Source
	}
	s, fresh, err := r.addSlot("tool "+string(args.Item), args.Fn)
	if err != nil || !fresh {
		return "", err
	}
	tool.Invoke = r.ext.tool(s)
	if err := r.ext.host.RegisterTool(tool); err != nil {
		r.removeSlot(s)
		return "", err
	}
	return "", nil
}

func (r *extensionVM) on(text string) (string, error) {
	l := r.ext.module.engine.lang
	var args struct {
		Event string `json:"event"`
		Fn    int    `json:"fn"`
	}
	if err := json.Unmarshal([]byte(text), &args); err != nil {
		return "", err
	}
	if args.Fn < 0 {
		return "", typeError(lang.ExtScriptFunction.In(l, "api.events.on"))
	}
	s, fresh, err := r.addSlot("on "+args.Event, args.Fn)
	if err != nil {
		return "", err
	}
	if fresh {
		s.off = r.ext.host.On(args.Event, r.ext.listener(s))
	}
	r.listeners = append(r.listeners, s)
	return strconv.Itoa(len(r.listeners) - 1), nil
}

func (r *extensionVM) off(text string) (string, error) {
	i, err := strconv.Atoi(text)
	if err == nil && i >= 0 && i < len(r.listeners) && r.listeners[i] != nil {
		r.listeners[i].off()
		r.listeners[i] = nil
	}
	return "", err
}

func (r *extensionVM) emit(text string) (string, error) {
	var args struct {
		Event string          `json:"event"`
		Args  json.RawMessage `json:"args"`
	}
	if err := json.Unmarshal([]byte(text), &args); err != nil {
		return "", err
	}
	r.ext.host.Emit(args.Event, args.Args)
	return "", nil
}

func (r *extensionVM) state(string) (string, error) { return string(r.ext.host.State()), nil }

func (r *extensionVM) setState(text string) (string, error) {
	if len(text) > r.ext.module.engine.opts.MaxOutput {
		return "", &hostError{"RangeError", "", lang.ScriptMuchOutput.In(r.ext.module.engine.lang, "state", r.ext.module.engine.opts.MaxOutput)}
	}
	r.ext.host.SetState(json.RawMessage(text))
	return "", nil
}

// log prints a line of api.logger.
func (r *extensionVM) log(text string) (string, error) {
	level, line, _ := strings.Cut(text, "\n")
	ctx, logger := context.Background(), r.ext.host.Logger()
	if c := r.w.current; c != nil {
		ctx = c.ctx
		if c.lines++; c.lines > maxLogLines {
			return "", nil
		}
	}
	logger.Log(ctx, logLevel(level), cutLine(line))
	return "", nil
}
