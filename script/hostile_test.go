package script_test

import (
	"fmt"
	"maps"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/gongu-ai/gongu"
	"github.com/gongu-ai/gongu/script"
)

const (
	hostileLimit = 300 * time.Millisecond
	// late is how much later than its limit a call may be answered.
	late = 2 * time.Second
)

// hostile are scripts that must be stopped, or fail, and leave the next call
// alone: those that promise T3 names, known ones of other engines, and a few of ours.
func hostile() map[string]string {
	return map[string]string{
		// T3
		"stringify forever": "const big = Array.from({ length: 20000 }, (_, i) => ({ a: i, b: 'x' + i })); for (;;) JSON.stringify(big);",
		"async recursion":   "const f = async () => Promise.all([f(), f()]); return f();",
		"proxy and async":   "const p = new Proxy(async function () {}, { apply: async () => { await Promise.all([p(), p()]); } }); return p();",
		"proxy get async":   "const p = new Proxy({}, { get: async (t, k, r) => (k === 'then' ? undefined : Promise.all([r[k], r[k]])) }); return p.x;",
		"finally loop":      "try { for (;;) {} } finally { for (;;) {} }",
		"finally recursion": "function f() { try { f(); } finally { f(); } } f();",
		"finally async":     "async function f() { try { await f(); } finally { await f(); } } return f();",
		// known from other engines
		"loop":                "for (;;) {}",
		"await loop":          "for (;;) await null;",
		"recursion":           "function f() { return f() + 1; } return f();",
		"map recursion":       "const f = () => [1].map(f); return f();",
		"proxy recursion":     "const p = new Proxy({}, { get: (t, k, r) => r[k] }); return p.x;",
		"toString recursion":  "const o = { toString() { return '' + o; } }; return '' + o;",
		"push forever":        "const a = []; for (;;) a.push('xxxx' + a.length);",
		"keys forever":        "const a = {}; for (let i = 0; ; i++) a['k' + i] = i;",
		"repeat":              "return 'x'.repeat(2 ** 28).length;",
		"huge array":          "return new Uint8Array(1e13).length;",
		"deep eval":           "return eval('['.repeat(3e6));",
		"deep function":       "return new Function('['.repeat(3e6))();",
		"deep JSON":           "return JSON.parse('['.repeat(2e7));",
		"regex backreference": `return /^(a+)+\1$/.test('a'.repeat(40) + 'b');`,
		"regex":               "return /(x+x+)+y/.test('x'.repeat(5000));",
		"nested generators":   "function* g() { yield* g(); } return [...g()];",
		// ours
		"promise recursion":  "const f = () => new Promise((r) => { r(Promise.all([f(), f()])); }); return f();",
		"catch loop":         "for (;;) { try { null.x; } catch {} }",
		"async catch loop":   "async function f() { for (;;) { try { await f(); } catch {} } } return f();",
		"async generator":    "async function* g() { for (;;) yield 1; } for await (const x of g()) {}",
		"endless thenable":   "const t = { then(r) { r(t); } }; return t;",
		"sort":               "const a = new Array(2 ** 20).fill(0).map((_, i) => (i * 7919) % 1000003); for (;;) a.sort((x, y) => x - y);",
		"big numbers":        "let x = 3n; for (;;) x = x * x;",
		"replace":            "const s = 'a'.repeat(1 << 20); for (;;) s.replaceAll('a', 'bb');",
		"split":              "const s = 'a'.repeat(1 << 22); for (;;) s.split('');",
		"timers":             "const f = () => { setTimeout(f, 0); }; f(); await new Promise(() => {});",
		"interval":           "setInterval(() => {}, 1); await new Promise(() => {});",
		"caught interrupts":  "const f = async () => { for (;;) { try { for (;;) {} } catch {} } }; for (;;) await f().catch(() => {});",
		"throw in toJSON":    "return { toJSON() { for (;;) {} } };",
		"getter of an error": "throw { get message() { for (;;) {} } };",
		"output":             "return 'x'.repeat(9 << 20);",
		"goes on":            "(async () => { for (;;) await null; })(); return 1;",
		"works on":           "for (let i = 0; i < 20; i++) Bun.sleep(1e6); return 1;",
	}
}

// TestT3_Hostile: each script is answered within its limit plus two seconds,
// the next call works, and no VM is lost.
func TestT3_Hostile(t *testing.T) {
	if !again(t) {
		return
	}
	var lost int64
	defer func() { t.Logf("%d VMs lost in %d scripts", lost, len(hostile())) }()
	for _, name := range slices.Sorted(maps.Keys(hostile())) {
		t.Run(name, func(t *testing.T) {
			calm(t, func(complain func(string, ...any)) {
				e := newEngine(t, script.Options{Timeout: hostileLimit, MaxVMs: 1})
				m := load(t, e, "export const handlers = { run: async () => {"+hostile()[name]+"}, next: async () => { await Bun.sleep(1); return 'works'; } };")
				watch, computed := startWatch(), cpuTime()
				result := call(t.Context(), m, "run", `{}`)
				took, computed := watch.stop(), cpuTime()-computed
				what := string(result.Output)
				if result.Failed() {
					what = fmt.Sprintf("%s %.60s", result.Error.Code, strings.ReplaceAll(result.Error.Message, "\n", " "))
				}
				t.Logf("%-22s %6s  %s", name, took.Round(time.Millisecond), what)
				if took > hostileLimit+late {
					complain("answered after %s", took)
				}
				if !result.Failed() && name != "goes on" && name != "works on" {
					t.Errorf("gave %.100s", what)
				}
				wantNext(t, e, m)
				lost += e.Stats().Lost
				// A VM that got no time to stop in may be lost, but it stops.
				if s := e.Stats(); s.Lost > 0 && computed > late/2 {
					complain("%+v", s)
				}
				for deadline := time.Now().Add(time.Minute); e.Stats().Burning > 0; time.Sleep(10 * time.Millisecond) {
					if time.Now().After(deadline) {
						t.Fatalf("it does not stop: %+v", e.Stats())
					}
				}
			})
		})
	}
}

// wantNext wants the call after a hostile one to work. Its limit is as short,
// so a busy machine gets several.
func wantNext(t *testing.T, e *script.Engine, m *script.Module) {
	t.Helper()
	for deadline := time.Now().Add(30 * time.Second); ; {
		r := call(t.Context(), m, "next", `{}`)
		if !r.Failed() {
			wantText(t, string(r.Output), `"works"`)
			return
		}
		if time.Now().After(deadline) || r.Error.Code != gongu.CodeTimeout {
			t.Errorf("the next call: %+v, %+v", r.Error, e.Stats())
			return
		}
	}
}

// TestT3_Lost: two scripts stay inside one operation of the engine that cannot
// be interrupted. Their calls are answered in time, and the next ones work
// until there are two of them; then scripts are unavailable, and the error says
// why. When one returns, so do the scripts.
func TestT3_Lost(t *testing.T) {
	if !again(t) {
		return
	}
	e := script.NewEngine(&script.Options{Timeout: lossLimit, Workdir: t.TempDir(), Logger: quiet()}) // never closed: it could not
	m := load(t, e, `export const handlers = {
		indexOf: () => { for (;;) 'a'.repeat(2 ** 24).indexOf('a'.repeat(2 ** 23) + 'b'); },
		join: () => { const a = new Array(2 ** 26); for (;;) a.join(''); },
		next: () => 'works',
	};`)
	lost := func(export string) {
		t.Helper()
		watch := startWatch()
		err := failure(t, m, export, `{}`)
		took := watch.stop()
		t.Logf("%-22s %6s  %s", export, took.Round(time.Millisecond), err.Message)
		if took > lossLimit+late || err.Code != gongu.CodeTimeout {
			t.Errorf("%s: %+v after %s", export, err, took)
		}
	}
	lost("indexOf")
	if s := e.Stats(); s.Lost != 1 || s.Burning != 1 {
		t.Errorf("%+v", s)
	}
	wantText(t, output(t, m, "next", `{}`), `"works"`)
	lost("join")
	if s := m.Stats(); s.Lost != 2 {
		t.Errorf("%+v", s)
	}
	if e.Stats().Burning == 2 {
		refused := failure(t, m, "next", `{}`)
		wantText(t, refused.Code, gongu.CodeUnavailable)
		wantPart(t, refused.Message, "2 of them", "process")
	}
	for deadline := time.Now().Add(4 * time.Minute); e.Stats().Burning > 1 && time.Now().Before(deadline); {
		time.Sleep(50 * time.Millisecond)
	}
	wantText(t, output(t, m, "next", `{}`), `"works"`)
	if s := e.Stats(); s.Lost != 2 || s.Burning != 1 {
		t.Errorf("%+v", s)
	}
}
