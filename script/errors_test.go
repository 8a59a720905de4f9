package script_test

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"strings"
	"testing"

	"github.com/gongu-ai/gongu"
	"github.com/gongu-ai/gongu/script"
)

const throwing = `
class Own extends Error { name = 'X'; code = 'E_X'; }
function deep(n: number): never { if (n > 0) return deep(n - 1); throw new Error('deep'); }
export const handlers = {
  long: () => { throw new Error('m'.repeat(2000)); },
  told: () => { throw Object.assign(new Error('no'), { suggestion: 'try b', helpUrl: 'https://x.test/h' }); },
  own: async () => { throw new Own('mine'); },
  numeric: () => { throw Object.assign(new Error('n'), { code: 42, suggestion: 7 }); },
  text: () => { throw 'boom'; },
  textLater: async () => { throw 'boom later'; },
  object: () => { throw { message: 'as object', code: 'E_O' }; },
  odd: () => { throw { a: [1, 2] }; },
  nothing: () => { throw undefined; },
  value: () => ({ a: [1, 'two', null, true] }),
  undef: () => undefined,
  nul: async () => null,
  nested: () => ({ a: undefined, b: [undefined, 1], d: new Date(0), n: NaN }),
  fn: () => ({ list: [1, { cb: () => 1 }] }),
  big: async () => ({ 'a b': { n: 10n } }),
  cycle: () => { const o: any = { in: {} }; o.in.self = o; return o; },
  deep: () => deep(3),
  wrong: (ctx: any, input: any) => input.a.b.c,
  reject: () => Promise.reject(new Error('rejected')),
  loose: async () => { Promise.reject(new Error('nobody cares')); return 'ok'; },
  unknown: () => new WebSocket('ws://x'),
  typo: () => setTimeuot(() => {}, 1),
  never: () => new Promise(() => {}),
  hostile: () => { throw { get message() { throw 1; }, toJSON() { throw 2; } }; },
};
`

// TestGoondanErrors are cases 10 to 16 and 30 of goondan as scripts meet them.
func TestGoondanErrors(t *testing.T) {
	m := load(t, newEngine(t, script.Options{}), throwing)
	for name, want := range map[string]gongu.Error{
		"told":      {Message: "no", Name: "Error", Suggestion: "try b", HelpURL: "https://x.test/h"}, // 11
		"own":       {Message: "mine", Name: "X", Code: "E_X"},                                        // 12
		"numeric":   {Message: "n", Name: "Error"},                                                    // 13
		"text":      {Message: "boom", Name: "UnknownError"},                                          // 14
		"textLater": {Message: "boom later", Name: "UnknownError"},
		"object":    {Message: "as object", Name: "UnknownError", Code: "E_O"},
		"odd":       {Message: `{"a":[1,2]}`, Name: "UnknownError"},
		"nothing":   {Message: "undefined", Name: "UnknownError"},
		"hostile":   {Message: "[object Object]", Name: "UnknownError"},
		"reject":    {Message: "rejected", Name: "Error"}, // 30
		"deep":      {Message: "deep", Name: "Error"},
	} {
		t.Run(name, func(t *testing.T) {
			got := failure(t, m, name, `{}`)
			same := got.Message == want.Message && got.Name == want.Name && got.Code == want.Code
			if !same || got.Suggestion != want.Suggestion || got.HelpURL != want.HelpURL {
				t.Errorf("got %+v, want %+v", got, want)
			}
		})
	}
	if n := len(failure(t, m, "long", `{}`).Message); n != 2000 { // 10: the executor cuts, nobody else
		t.Errorf("the message has %d characters", n)
	}
	for name, want := range map[string]string{
		"value": `{"a":[1,"two",null,true]}`, // 15
		"undef": `null`,                      // 16
		"nul":   `null`,
		"loose": `"ok"`,
	} {
		wantText(t, output(t, m, name, `{}`), want)
	}
}

// TestB4_Values: what JSON cannot carry is refused, with its path.
func TestB4_Values(t *testing.T) {
	m := load(t, newEngine(t, script.Options{}), throwing)
	wantText(t, output(t, m, "nested", `{}`), `{"a":null,"b":[null,1],"d":"1970-01-01T00:00:00.000Z","n":null}`)
	for name, parts := range map[string][]string{
		"fn":    {"output.list[1].cb", "function"},
		"big":   {`output["a b"].n`, "bigint"},
		"cycle": {"output.in.self", "contains itself"},
	} {
		wantPart(t, failure(t, m, name, `{}`).Message, parts...)
	}
}

// TestErrorsHaveTypeScriptPlaces: file and line of the TypeScript, in _meta for
// every error and in the suggestion when the tool itself is at fault.
func TestErrorsHaveTypeScriptPlaces(t *testing.T) {
	var log bytes.Buffer
	logger := slog.New(slog.NewTextHandler(&log, &slog.HandlerOptions{Level: slog.LevelDebug}))
	e := newEngine(t, script.Options{Logger: logger})
	root := tree(t, map[string]string{
		"tools/a/index.ts":  "import { half } from '../lib/math';\ntype T = { n: number };\n\nexport const handlers = {\n  run: async (ctx: unknown, input: T) => {\n    await null;\n    return half(input.n);\n  },\n};\n",
		"tools/lib/math.ts": "interface Unused { a: string }\n\n// a comment\nexport function half(n: number): number {\n  const none: any = undefined;\n  return none.x / n;\n}\n",
	})
	m, err := e.Load(t.Context(), root, "tools/a/index.ts")
	if err != nil {
		t.Fatal(err)
	}
	ctx, err := gongu.WithContext(t.Context(), gongu.Context{AgentName: "a", InstanceKey: "i", TurnID: "t", TraceID: strings.Repeat("0", 32), Logger: logger})
	if err != nil {
		t.Fatal(err)
	}
	r := call(ctx, m, "run", `{"n":1}`)
	if !r.Failed() {
		t.Fatal("worked")
	}
	wantText(t, r.Error.Name, "TypeError")
	wantPart(t, r.Error.Suggestion, "tools/lib/math.ts:6")
	wantText(t, string(r.Meta), `{"gongu/at":"tools/lib/math.ts:6"}`)
	wantPart(t, log.String(), "tools/lib/math.ts:6:", "tools/a/index.ts:7:")
}

// TestT2_UnknownGlobals: a name that is not there is named, with a near one.
func TestT2_UnknownGlobals(t *testing.T) {
	m := load(t, newEngine(t, script.Options{}), throwing)
	wantPart(t, failure(t, m, "unknown", `{}`).Message, "WebSocket")
	typo := failure(t, m, "typo", `{}`)
	wantPart(t, typo.Message, "setTimeuot")
	wantPart(t, typo.Suggestion, "setTimeout", "index.ts:26")
}

func TestNothingUnderWay(t *testing.T) {
	m := load(t, newEngine(t, script.Options{}), throwing)
	wantPart(t, failure(t, m, "never", `{}`).Message, "cannot happen")
	wantText(t, output(t, m, "value", `{}`), `{"a":[1,"two",null,true]}`)
}

// TestGoondan85: a module without handlers, or without the one for an export.
func TestGoondan85_Handlers(t *testing.T) {
	e := newEngine(t, script.Options{})
	for name, source := range map[string]string{
		"none":       "export const x = 1;",
		"null":       "export const handlers = null;",
		"a function": "export function handlers() {}",
		"empty file": "",
	} {
		_, err := e.Load(t.Context(), tree(t, map[string]string{"tools/x.ts": source}), "tools/x.ts")
		missing, ok := errors.AsType[*script.MissingError](err)
		if !ok || missing.Path != "tools/x.ts" || missing.Export != "" || !strings.Contains(err.Error(), "handlers") {
			t.Errorf("%s: %v", name, err)
		}
	}
	m := load(t, e, "export const handlers = { a: () => 1, b: 2, c() {} };")
	wantText(t, fmt.Sprint(m.Handlers()), "[a c]")
	for _, export := range []string{"b", "x", "toString", "constructor", "__proto__"} {
		_, err := m.Invoke(export)
		missing, ok := errors.AsType[*script.MissingError](err)
		if !ok || missing.Export != export || fmt.Sprint(missing.Found) != "[a c]" {
			t.Errorf("%s: %v", export, err)
		}
	}
	for _, source := range []string{
		"export default { handlers: { run: () => 'default' } };",
		"module.exports = { handlers: { run: () => 'default' } };",
		"class T { run() { return 'default' } }; const t = new T(); export const handlers = { run: () => t.run() };",
	} {
		wantText(t, output(t, load(t, e, source), "run", `{}`), `"default"`)
	}
}

// TestB4_Context: the keys of ctx, and what they hold. goondan 54: message is
// the assistant message; goondan 55: workdir is the workspace; goondan 56:
// there is no oauth and no swarmBundle.
func TestB4_Context(t *testing.T) {
	e := newEngine(t, script.Options{})
	m := load(t, e, `export const handlers = {
		keys: (ctx) => Object.keys(ctx),
		data: (ctx) => ({ ...ctx, runtime: 0, logger: Object.keys(ctx.logger).slice(0, 5), abortSignal: ctx.abortSignal.aborted, at: ctx.message.createdAt instanceof Date }),
		runtime: async (ctx) => [await ctx.runtime.request('b', { input: 'x' }, { timeoutMs: 5 }), await ctx.runtime.catalog()],
		bad: (ctx) => ctx.runtime.send('none', {}),
	};`)
	wantText(t, output(t, m, "keys", `{}`), `["agentName","instanceKey","turnId","traceId","toolCallId","message","workdir","logger","abortSignal"]`)
	work := t.TempDir()
	base := gongu.Context{
		AgentName: "agent", InstanceKey: "key", TurnID: "turn", TraceID: strings.Repeat("a", 32), Workdir: work,
		Message: json.RawMessage(`{"data":{"role":"assistant"},"createdAt":"2026-01-02T03:04:05.000Z"}`), Runtime: swarm{},
	}
	ctx, err := gongu.WithContext(t.Context(), base)
	if err != nil {
		t.Fatal(err)
	}
	wantText(t, string(call(ctx, m, "keys", `{}`).Output), `["agentName","instanceKey","turnId","traceId","toolCallId","message","workdir","logger","abortSignal","runtime"]`)
	var got map[string]any
	if err := json.Unmarshal(call(ctx, m, "data", `{}`).Output, &got); err != nil {
		t.Fatal(err)
	}
	for key, want := range map[string]any{
		"agentName": "agent", "instanceKey": "key", "turnId": "turn", "traceId": strings.Repeat("a", 32), "toolCallId": "call_1",
		"workdir": work, "abortSignal": false, "at": true,
	} {
		if got[key] != want {
			t.Errorf("%s is %v, want %v", key, got[key], want)
		}
	}
	wantText(t, fmt.Sprint(got["logger"]), "[debug info log warn error]")
	wantText(t, string(call(ctx, m, "runtime", `{}`).Output), `[{"eventId":"e1","target":"b","response":{"event":{"input":"x"},"timeout":"5ms"},"correlationId":"c1"},{"swarmName":"s","entryAgent":"a","selfAgent":"a","availableAgents":["a","b"],"callableAgents":["b"]}]`)
	refused := call(ctx, m, "bad", `{}`)
	if !refused.Failed() || refused.Error.Code != "AGENT_NOT_FOUND" {
		t.Errorf("%+v", refused.Error)
	}
}

