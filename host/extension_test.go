package host_test

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"github.com/gongu-ai/gongu"
	"github.com/gongu-ai/gongu/agent"
	"github.com/gongu-ai/gongu/host"
)

const echoTool = `apiVersion: gongu/v1
kind: Tool
metadata: { name: x }
spec:
  entry: ./tools/x.ts
  exports:
    - name: echo
      parameters: { type: object, properties: { n: { type: integer } } }
    - { name: fail }
---
apiVersion: gongu/v1
kind: Model
metadata: { name: m }
spec: { provider: openai, model: x }
---
`

const echoModule = `export const handlers = {
  echo: async (ctx, input) => input,
  fail: () => { throw new Error('no'); },
};`

// extended is a bundle with a tool and an extension for each module, all used
// by the agent a.
func extended(t *testing.T, modules ...string) string {
	t.Helper()
	yaml := echoTool
	var refs []string
	for i := range modules {
		yaml += fmt.Sprintf("apiVersion: gongu/v1\nkind: Extension\nmetadata: { name: e%[1]d }\nspec: { entry: ./ext/e%[1]d.ts }\n---\n", i)
		refs = append(refs, fmt.Sprintf("Extension/e%d", i))
	}
	yaml += "apiVersion: gongu/v1\nkind: Agent\nmetadata: { name: a }\nspec:\n  modelConfig: { modelRef: Model/m }\n  tools: [Tool/x]\n  extensions: [" + strings.Join(refs, ", ") + "]\n---\n"
	yaml += "apiVersion: gongu/v1\nkind: Agent\nmetadata: { name: plain }\nspec:\n  modelConfig: { modelRef: Model/m }\n  tools: [Tool/x]\n"
	dir := folder(t, yaml)
	write(t, dir, "tools/x.ts", echoModule)
	for i, module := range modules {
		write(t, dir, fmt.Sprintf("ext/e%d.ts", i), module)
	}
	return dir
}

func register(body string) string { return "export function register(api, config) {" + body + "}" }

// inStep runs fn in a step of the agent.
func inStep(t *testing.T, h *host.Host, name string, fn func(ctx context.Context, x *gongu.Executor)) {
	t.Helper()
	if err := h.Step(t.Context(), name, func(ctx context.Context, x *gongu.Executor) error {
		fn(ctx, x)
		return nil
	}); err != nil {
		t.Fatal(err)
	}
}

func shown(c *gongu.Catalog) string {
	var out []string
	for _, tool := range c.Visible() {
		out = append(out, tool.Name)
	}
	return strings.Join(out, " ")
}

func callOf(name, args string) gongu.Call {
	return gongu.Call{ID: "c", Name: name, Args: json.RawMessage(args)}
}

// say makes one call for the agent a and prints the result.
func say(t *testing.T, h *host.Host, name, args string) string {
	t.Helper()
	result, err := h.Call(t.Context(), "a", callOf(name, args))
	if err != nil {
		t.Fatal(err)
	}
	if result.Error != nil {
		return result.Error.Code + ": " + result.Error.Message
	}
	return string(result.Output)
}

// lines is a logger that keeps what it hears.
type lines struct {
	mu  sync.Mutex
	buf bytes.Buffer
}

func (l *lines) Write(p []byte) (int, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.buf.Write(p)
}

func (l *lines) String() string {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.buf.String()
}

func listen() (*lines, *slog.Logger) {
	out := &lines{}
	return out, slog.New(slog.NewTextHandler(out, &slog.HandlerOptions{Level: slog.LevelDebug}))
}

// Goondan 44 to 48 and 53 for a script: tool call middleware changes
// arguments, answers itself, throws, and calls next twice.
func TestGoondan44_ScriptToolCall(t *testing.T) {
	dir := extended(t, register(`
		let second;
		api.pipeline.register('toolCall', async (ctx) => {
			switch (ctx.args.n) {
			case 1: ctx.args = { n: 10 }; return ctx.next();
			case 2: ctx.args.n = 20; break;
			case 3: ctx.args = { n: 'x' }; break;
			case 4: return { status: 'ok', output: 'mine' };
			case 5: throw Object.assign(new TypeError('no five'), { code: 'E_FIVE', suggestion: 'Take six.' });
			case 6: { const a = await ctx.next(); const b = await ctx.next(); return { ...b, output: [a === b, b.output] }; }
			case 7: { const r = await ctx.next(); r.output = { changed: r.output }; return r; }
			case 8: return undefined;
			case 9: ctx.next(); return undefined;
			case 10: return { output: 1 };
			case 11: return { status: 'error', error: { message: 'mine', code: 'E_MINE' } };
			}
			return ctx.next();
		});`))
	h := open(t, dir, nil)
	for n, want := range map[int]string{
		0: `{"n":0}`, 1: `{"n":10}`, 2: `{"n":20}`, 4: `"mine"`, 6: `[true,{"n":6}]`, 7: `{"changed":{"n":7}}`, 9: `{"n":9}`,
		3:  `E_TOOL_INVALID_ARGS: Invalid arguments for tool 'x__echo': args.n: expected integer but got string`,
		5:  `E_FIVE: no five`,
		8:  `E_TOOL: The toolCall middleware of extension e0 returned nothing and did not call next().`,
		10: `E_TOOL: The toolCall middleware of extension e0 returned something else than a result: status must be ok or error, and an error needs a message.`,
		11: `E_MINE: mine`,
	} {
		if got := say(t, h, "x__echo", fmt.Sprintf(`{"n":%d}`, n)); got != want {
			t.Errorf("%d: %s\nwant %s", n, got, want)
		}
	}
}

// Goondan 41, 43, 49, 52 and W8 for a script: the order of step middleware,
// and a catalog that is its own for each step.
func TestGoondan41_ScriptSteps(t *testing.T) {
	layer := func(name string, priority int) string {
		return fmt.Sprintf(`api.pipeline.register('step', async (ctx) => { api.logger.info('%[1]s pre'); const r = await ctx.next(); api.logger.info('%[1]s post'); return r; }, { priority: %[2]d });`, name, priority)
	}
	heard, logger := listen()
	h := open(t, extended(t, register(layer("A", 10)+layer("B", 5)+layer("C", 10))), &host.Options{Logger: logger})
	inStep(t, h, "a", func(context.Context, *gongu.Executor) { logger.Info("core") })
	var order []string
	for _, word := range strings.FieldsFunc(heard.String(), func(r rune) bool { return r == '\n' }) {
		for _, known := range []string{"A pre", "B pre", "C pre", "core", "A post", "B post", "C post"} {
			if strings.Contains(word, known) {
				order = append(order, known)
			}
		}
	}
	if got := strings.Join(order, ", "); got != "B pre, A pre, C pre, core, C post, A post, B post" {
		t.Errorf("order = %s", got)
	}
}

func TestGoondan43_ScriptCatalog(t *testing.T) {
	h := open(t, extended(t, register(`
		let steps = 0;
		api.pipeline.register('step', async (ctx) => {
			if (ctx.stepIndex !== 0) throw new Error('stepIndex ' + ctx.stepIndex);
			switch (steps++) {
			case 0:
				ctx.toolCatalog.find((i) => i.name === 'x__echo').parameters.properties.n.type = 'string';
				ctx.toolCatalog = ctx.toolCatalog.filter((item) => item.name !== 'x__fail');
				api.tools.register({ name: 'e__late' }, () => 'late');
				break;
			case 2: ctx.toolCatalog.splice(0); break;
			case 3: ctx.toolCatalog = [{ name: 'e__late' }, { name: '*' }, { name: 'x__echo' }]; break;
			case 4: ctx.toolCatalog = 'all'; break;
			case 5: return { status: 'completed', shouldContinue: false, toolCalls: [], toolResults: [], metadata: {} };
			}
			return ctx.next();
		});`)), nil)
	for i, want := range []string{"x__echo", "x__echo x__fail e__late", "", "e__late x__echo"} {
		inStep(t, h, "a", func(ctx context.Context, x *gongu.Executor) {
			if got := shown(x.Catalog()); got != want {
				t.Errorf("step %d has %q, want %q", i, got, want)
			}
			for _, name := range []string{"x__echo", "x__fail", "e__late"} {
				result := x.Call(ctx, callOf(name, `{"n":1}`))
				denied := result.Error != nil && result.Error.Code == gongu.CodeNotInCatalog
				if denied == strings.Contains(want, name) {
					t.Errorf("step %d: %s: %+v", i, name, result.Error)
				}
			}
		})
	}
	for _, want := range []string{"ctx.toolCatalog must be a list", "ended by a middleware of Agent/a"} {
		err := h.Step(t.Context(), "a", func(context.Context, *gongu.Executor) error { t.Error("the core ran"); return nil })
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%v, want %s", err, want)
		}
	}
}

// B6: the extensions of an agent are its own: their tools, their middleware.
func TestB6_ScopesOfExtensions(t *testing.T) {
	dir := extended(t,
		register(`api.tools.register({ name: 'one__t' }, () => 1); api.pipeline.register('toolCall', async (ctx) => { const r = await ctx.next(); return { ...r, output: ['e0', r.output] }; });`),
		register(`api.tools.register({ name: 'two__t' }, () => 2);`))
	write(t, dir, "agents.yaml", `apiVersion: gongu/v1
kind: Agent
metadata: { name: second }
spec:
  modelConfig: { modelRef: Model/m }
  tools: [Tool/x]
  extensions: [Extension/e1]
`)
	h := open(t, dir, nil)
	for name, want := range map[string]string{
		"": "x__echo x__fail one__t two__t", "a": "x__echo x__fail one__t two__t", "plain": "x__echo x__fail", "second": "x__echo x__fail two__t",
	} {
		catalog, err := firstCatalog(h, name)
		if err != nil {
			t.Fatal(err)
		}
		if got := shown(catalog); got != want {
			t.Errorf("%q has %q, want %q", name, got, want)
		}
		wrapped := `{"n":1}`
		if name == "" || name == "a" {
			wrapped = `["e0",{"n":1}]`
		}
		if got := call(t, h, name, "x__echo", `{"n":1}`); string(got.Output) != wrapped {
			t.Errorf("%q: %s", name, got.Output)
		}
	}
	// What a program adds later is seen by the scopes that exist.
	if err := h.Registry().Add(gongu.Func("mine", "m", func(context.Context, struct{}) (string, error) { return "go", nil })); err != nil {
		t.Fatal(err)
	}
	if got := call(t, h, "", "mine", `{}`); string(got.Output) != `["e0","go"]` {
		t.Errorf("%+v", got)
	}
	h.Registry().Remove("mine")
	if got := call(t, h, "", "mine", `{}`); got.Error == nil || got.Error.Code != gongu.CodeNotInCatalog {
		t.Errorf("%+v", got)
	}
}

// Goondan 57 to 59, 35 and W8 for scripts: all extensions load, in order, or
// none; the error says which and what to do.
func TestGoondan59_ScriptLoad(t *testing.T) {
	first := register(`api.tools.register({ name: 'one__t' }, () => 1);`)
	for name, c := range map[string]struct{ second, code, text string }{
		"throws":       {register(`throw new Error('the cause');`), agent.CodeExtensionInit, "the cause (ext/e1.ts:1"},
		"no register":  {`export const handlers = {};`, agent.CodeExtensionLoad, "exports no register"},
		"syntax":       {`export function register(`, agent.CodeExtensionLoad, "ext/e1.ts:1"},
		"takes over":   {register(`api.tools.register({ name: 'x__echo' }, () => 'mine');`), agent.CodeExtensionInit, `tool "x__echo" belongs to Tool/x`},
		"takes over 2": {register(`api.tools.register({ name: 'one__t' }, () => 'mine');`), agent.CodeExtensionInit, `tool "one__t" belongs to Extension/e0`},
		"plain name":   {register(`api.tools.register({ name: 'plain' }, () => 'mine');`), agent.CodeExtensionInit, "resource__export"},
		"bad schema":   {register(`api.tools.register({ name: 'e__t', parameters: { type: 'str' } }, () => 1);`), agent.CodeExtensionInit, "e__t"},
	} {
		h := open(t, extended(t, first, c.second), nil)
		_, err := h.Call(t.Context(), "a", callOf("x__echo", `{}`))
		known, ok := errors.AsType[*agent.ExtensionError](err)
		if !ok || known.Code != c.code || known.Extension != "e1" || known.Suggestion == "" || !strings.Contains(err.Error(), c.text) {
			t.Errorf("%s: %v (%+v)", name, err, known)
		}
		if got := call(t, h, "plain", "x__echo", `{"n":1}`); string(got.Output) != `{"n":1}` {
			t.Errorf("%s: another agent: %+v", name, got)
		}
		if h.Registry().Has("one__t") {
			t.Errorf("%s: the tool of the first extension is left", name)
		}
	}
}

// Goondan 60: what an extension remembers is its own, on disk after the step,
// and there again after a restart; only an object is kept.
func TestGoondan60_ScriptState(t *testing.T) {
	remember := register(`
		api.tools.register({ name: config.name + '__get' }, () => api.state.get());
		api.tools.register({ name: config.name + '__set' }, (ctx, input) => { api.state.set(input.value); });`)
	dir := extended(t, remember, remember)
	yaml, err := os.ReadFile(filepath.Join(dir, "gongu.yaml"))
	if err != nil {
		t.Fatal(err)
	}
	text := string(yaml)
	for i := range 2 {
		text = strings.Replace(text, fmt.Sprintf("entry: ./ext/e%d.ts", i), fmt.Sprintf("entry: ./ext/e%[1]d.ts, config: { name: s%[1]d }", i), 1)
	}
	write(t, dir, "gongu.yaml", text)
	heard, logger := listen()
	h := open(t, dir, &host.Options{Logger: logger})
	if got := say(t, h, "s0__get", `{}`); got != "null" {
		t.Errorf("before set: %s", got)
	}
	say(t, h, "s0__set", `{"value":{"n":1}}`)
	if got := say(t, h, "s0__get", `{}`) + say(t, h, "s1__get", `{}`); got != `{"n":1}null` {
		t.Errorf("after set: %s", got)
	}
	files, err := filepath.Glob(filepath.Join(stateOf(t, dir), "instances", "*", "extensions", "*"))
	if err != nil || len(files) != 1 || filepath.Base(files[0]) != "e0.json" {
		t.Errorf("%v, %v", files, err)
	}
	say(t, h, "s1__set", `{"value":[1]}`)
	if !strings.Contains(heard.String(), "must be a JSON object") {
		t.Error("a state that is no object was kept without a word")
	}
	again := open(t, dir, nil)
	if got := say(t, again, "s0__get", `{}`) + say(t, again, "s1__get", `{}`); got != `{"n":1}null` {
		t.Errorf("after a restart: %s", got)
	}
	if got := call(t, again, "", "s0__get", `{}`); string(got.Output) != "null" {
		t.Errorf("another scope sees %s", got.Output)
	}
}
