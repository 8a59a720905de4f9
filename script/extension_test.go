package script_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/gongu-ai/gongu"
	"github.com/gongu-ai/gongu/script"
)

// bench is a host of extensions that keeps what they register.
type bench struct {
	mu     sync.Mutex
	tools  map[string]gongu.Tool
	layers map[string][]script.Middleware
	hears  map[string][]func(json.RawMessage)
	order  []string
	state  json.RawMessage
	logger *slog.Logger
}

func newBench() *bench {
	return &bench{tools: map[string]gongu.Tool{}, layers: map[string][]script.Middleware{}, hears: map[string][]func(json.RawMessage){}, state: json.RawMessage("null"), logger: quiet()}
}

func (b *bench) Use(level string, priority int, m script.Middleware) {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.layers[level] = append(b.layers[level], m)
	b.order = append(b.order, fmt.Sprint(level, " ", priority))
}

func (b *bench) RegisterTool(tool gongu.Tool) error {
	b.mu.Lock()
	defer b.mu.Unlock()
	if tool.Name == "taken__x" {
		return errors.New("it is taken")
	}
	b.tools[tool.Name] = tool
	b.order = append(b.order, "tool "+tool.Name)
	return nil
}

func (b *bench) On(event string, listener func(json.RawMessage)) func() {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.hears[event] = append(b.hears[event], listener)
	at := len(b.hears[event]) - 1
	return func() {
		b.mu.Lock()
		defer b.mu.Unlock()
		b.hears[event][at] = nil
	}
}

func (b *bench) Emit(event string, args json.RawMessage) {
	b.mu.Lock()
	listeners := append([]func(json.RawMessage){}, b.hears[event]...)
	b.mu.Unlock()
	for _, hear := range listeners {
		if hear != nil {
			hear(args)
		}
	}
}

func (b *bench) State() json.RawMessage {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.state
}

func (b *bench) SetState(value json.RawMessage) {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.state = value
}

func (b *bench) Logger() *slog.Logger { return b.logger }

// frame is a tool call whose rest is a function.
type frame struct {
	args, metadata string
	next           func(ctx context.Context) (json.RawMessage, error)
	output         string
}

func (f *frame) Fixed() json.RawMessage {
	return json.RawMessage(`{"agentName":"a","instanceKey":"i","turnId":"t","traceId":"0","stepIndex":0,"toolName":"x__y","toolCallId":"c","runtime":null}`)
}

func (f *frame) Get(field string) (json.RawMessage, error) {
	fields := map[string]string{"args": f.args, "metadata": f.metadata, "result.output": f.output}
	if text, ok := fields[field]; ok && text != "" {
		return json.RawMessage(text), nil
	}
	return json.RawMessage("{}"), nil
}

func (f *frame) Set(field string, value json.RawMessage) error {
	switch field {
	case "args":
		f.args = string(value)
	case "metadata":
		f.metadata = string(value)
	}
	return nil
}

func (f *frame) Emit(json.RawMessage) error { return nil }

func (f *frame) Agents(context.Context, string, json.RawMessage) (json.RawMessage, error) {
	return nil, errors.ErrUnsupported
}

func (f *frame) Next(ctx context.Context) (json.RawMessage, error) {
	if f.next == nil {
		return json.RawMessage(`{"status":"ok"}`), nil
	}
	return f.next(ctx)
}

func loadExtension(t *testing.T, e *script.Engine, source string) (*script.Extension, error) {
	t.Helper()
	return e.LoadExtension(t.Context(), tree(t, map[string]string{"ext.ts": source}), "ext.ts")
}

// extend loads a module whose register has this body.
func extend(t *testing.T, e *script.Engine, body string) (*script.Extension, *bench) {
	t.Helper()
	x, err := loadExtension(t, e, "export function register(api: any, config?: any) {"+body+"}")
	if err != nil {
		t.Fatal(err)
	}
	b := newBench()
	if err := x.Register(t.Context(), "ext", b, nil); err != nil {
		t.Fatal(err)
	}
	return x, b
}

func (b *bench) call(ctx context.Context, name, args string) gongu.Result {
	b.mu.Lock()
	tool := b.tools[name]
	b.mu.Unlock()
	return tool.Invoke(ctx, gongu.Call{ID: "c", Name: name, Args: json.RawMessage(args)})
}

func (b *bench) around(ctx context.Context, f *frame) (script.Outcome, error) {
	b.mu.Lock()
	m := b.layers["toolCall"][0]
	b.mu.Unlock()
	return m(ctx, f)
}

// text is the output or the error of a result.
func text(r gongu.Result) string {
	if r.Error != nil {
		return r.Error.Code + ": " + r.Error.Message
	}
	return string(r.Output)
}

// Goondan 57: register in any of its forms, awaited, with its config; the API
// has five members and nothing else.
func TestGoondan57_ScriptRegister(t *testing.T) {
	e := newEngine(t, script.Options{})
	for name, source := range map[string]string{
		"named":          "export async function register(api, config) { BODY }",
		"default":        "export default async function (api, config) { BODY }",
		"default object": "export default { register: async (api, config) => { BODY } }",
	} {
		body := `await new Promise((r) => setTimeout(r, 5));
			const keys = (o) => Object.keys(o).sort().join();
			api.state.set({ config: config === undefined ? 'none' : config, api: keys(api), pipeline: keys(api.pipeline), tools: keys(api.tools), state: keys(api.state), events: keys(api.events), logger: keys(api.logger), before: api.state.get() });`
		x, err := loadExtension(t, e, strings.ReplaceAll(source, "BODY", body))
		if err != nil {
			t.Fatal(name, err)
		}
		for config, want := range map[string]string{`{"a":1}`: `{"a":1}`} {
			b := newBench()
			if err := x.Register(t.Context(), "ext", b, json.RawMessage(config)); err != nil {
				t.Fatal(name, err)
			}
			wantText(t, string(b.State()), `{"config":`+want+`,"api":"events,logger,pipeline,state,tools","pipeline":"register","tools":"register","state":"get,set","events":"emit,on","logger":"debug,error,info,warn","before":null}`)
			if err := x.Register(t.Context(), "ext", b, nil); err == nil {
				t.Error("registered twice")
			}
		}
	}
	_, b := extend(t, e, `api.state.set({ config: config === undefined });`)
	wantText(t, string(b.State()), `{"config":true}`)
}

// Goondan 58: a module without register, and one whose register throws.
func TestGoondan58_ScriptRegister(t *testing.T) {
	e := newEngine(t, script.Options{})
	_, err := loadExtension(t, e, "export const handlers = {};")
	missing, ok := errors.AsType[*script.MissingError](err)
	if !ok || !missing.Register {
		t.Fatalf("%v", err)
	}
	wantPart(t, err.Error(), "ext.ts exports no register", "export function register(api)")
	for body, want := range map[string]string{
		"\nthrow new Error('the cause')":                                     "the cause (ext.ts:2",
		"return Promise.reject(new Error('later'))":                          "later (ext.ts:1",
		"api.pipeline.register('toolcall', () => {})":                        `there is no pipeline "toolcall"; use turn, step or toolCall`,
		"api.pipeline.register('step', 5)":                                   "api.pipeline.register: a function is needed",
		"api.pipeline.register('step', () => {}, { priority: 1.5 })":         "the priority must be a whole number",
		"api.pipeline.register('step', () => {}, { priority: 'high' })":      "the priority must be a whole number",
		"api.tools.register({ name: 'a__b' })":                               "api.tools.register: a function is needed",
		"api.tools.register({ name: 5 }, () => 1)":                           "the item cannot be read",
		"api.tools.register({ name: 'taken__x' }, () => 1)":                  "it is taken",
		"api.tools.register({ name: 'a__b', source: {type:'go'} }, () => 1)": `source.type "go" is not known`,
		"api.events.on('x')":                                                 "api.events.on: a function is needed",
		"api.state.set({ f: () => 1 })":                                      "output.f is a function",
		"for (;;) {}":                                                        "did not finish within 200ms",
		"return new Promise(() => {})":                                       "did not finish within 200ms",
	} {
		slow := newEngine(t, script.Options{Timeout: 200 * time.Millisecond})
		x, err := loadExtension(t, slow, "export function register(api) {"+body+"}")
		if err != nil {
			t.Fatal(err)
		}
		if err := x.Register(t.Context(), "ext", newBench(), nil); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v\nwant %s", body, err, want)
		}
	}
}

// The keys of a tool's ctx in an extension are those of any tool (B4).
func TestB4_ExtensionTool(t *testing.T) {
	e := newEngine(t, script.Options{})
	_, b := extend(t, e, `
		api.tools.register({ name: 'e__keys', description: 'd', parameters: { type: 'object' } }, async (ctx, input) => [Object.keys(ctx).sort().join(), input, ctx.workdir !== '']);
		api.tools.register({ name: 'e__bad' }, () => ({ list: [1n] }));
		api.tools.register({ name: 'e__throws' }, () => { throw Object.assign(new RangeError('far'), { code: 'E_FAR', suggestion: 'Nearer.' }); });`)
	wantText(t, text(b.call(t.Context(), "e__keys", `{"a":1}`)), `["abortSignal,agentName,instanceKey,logger,message,toolCallId,traceId,turnId,workdir",{"a":1},true]`)
	wantPart(t, text(b.call(t.Context(), "e__bad", `{}`)), "output.list[0] is a bigint")
	r := b.call(t.Context(), "e__throws", `{}`)
	wantText(t, text(r), "E_FAR: far")
	wantText(t, r.Error.Suggestion, "Nearer.")
	wantPart(t, string(r.Meta), "ext.ts:")
	tool := b.tools["e__keys"]
	wantText(t, tool.Description+string(tool.Parameters), `d{"type":"object"}`)
}

// Fields that a middleware assigns or changes in place reach the Go side
// before the rest runs; what it did not touch keeps its bytes.
func TestMiddlewareFields(t *testing.T) {
	e := newEngine(t, script.Options{})
	_, b := extend(t, e, `api.pipeline.register('toolCall', async (ctx) => {
		api.state.set({ keys: Object.keys(ctx).sort().join() });
		if (ctx.args.assign) ctx.args = { b: 2 };
		if (ctx.args.place) ctx.args.place = 3;
		ctx.metadata.before = 1;
		const result = await ctx.next();
		ctx.metadata.after = ctx.metadata.inner;
		return result;
	});`)
	for args, want := range map[string]string{
		`{"assign":true}`:                        `{"b":2}`,
		`{"place":true}`:                         `{"place":3}`,
		`{"n":12345678901234567890.10, "a":"<"}`: `{"n":12345678901234567890.10, "a":"<"}`,
	} {
		f := &frame{args: args}
		f.next = func(context.Context) (json.RawMessage, error) {
			wantText(t, f.args, want)
			wantText(t, f.metadata, `{"before":1}`)
			f.metadata = `{"before":1,"inner":"x"}`
			return json.RawMessage(`{"status":"ok","output":null}`), nil
		}
		out, err := b.around(t.Context(), f)
		if err != nil || !out.Same {
			t.Errorf("%+v, %v", out, err)
		}
		wantText(t, f.metadata, `{"before":1,"inner":"x","after":"x"}`)
	}
	// No agents and no emitMessageEvent in a tool call (goondan 42).
	wantText(t, string(b.State()), `{"keys":"agentName,args,instanceKey,metadata,next,runtime,stepIndex,toolCallId,toolName,traceId,turnId"}`)
}

// An error of the rest that a middleware lets through is still the same error.
func TestMiddlewareError(t *testing.T) {
	e := newEngine(t, script.Options{})
	_, b := extend(t, e, `api.pipeline.register('toolCall', async (ctx) => {
		if (ctx.args.catch) { try { await ctx.next(); } catch (e) { return { status: 'ok', output: e.message }; } }
		return ctx.next();
	});`)
	cause := errors.New("deep down")
	failing := func(context.Context) (json.RawMessage, error) { return nil, fmt.Errorf("outer: %w", cause) }
	if _, err := b.around(t.Context(), &frame{args: `{}`, next: failing}); !errors.Is(err, cause) {
		t.Errorf("%v", err)
	}
	out, err := b.around(t.Context(), &frame{args: `{"catch":true}`, next: failing})
	if err != nil || string(out.Value) != `{"status":"ok","output":"outer: deep down"}` {
		t.Errorf("%s, %v", out.Value, err)
	}
}

// A middleware that answers before the rest is done ends it.
func TestMiddlewareAnswersFirst(t *testing.T) {
	e := newEngine(t, script.Options{})
	_, b := extend(t, e, `api.pipeline.register('toolCall', (ctx) => Promise.race([ctx.next(), { status: 'ok', output: 'first' }]));`)
	out, err := b.around(t.Context(), &frame{next: func(ctx context.Context) (json.RawMessage, error) {
		<-ctx.Done()
		return nil, ctx.Err()
	}})
	if err != nil || string(out.Value) != `{"status":"ok","output":"first"}` {
		t.Errorf("%s, %v", out.Value, err)
	}
}
