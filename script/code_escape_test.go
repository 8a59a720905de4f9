package script_test

import (
	"fmt"
	"maps"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/gongu-ai/gongu"
	"github.com/gongu-ai/gongu/internal/footprint"
	"github.com/gongu-ai/gongu/script"
)

const codeLimit = time.Second

// ready is what a program says that plays a child for code.
const ready = `read x; echo '{"t":"ready"}'; `

// TestCode_Escapes: code that attacks its surroundings ends in the result that
// the documentation says, in time, and leaves no process behind. T5: source is
// at most 64 KiB, and what a transpiler could choke on ends with the child.
func TestCode_Escapes(t *testing.T) {
	if !again(t) {
		return
	}
	t.Setenv("GONGU_TEST_SECRET", "s3cret")
	either := []string{gongu.CodeTool, gongu.CodeTimeout}
	c := newCode(t, script.CodeOptions{Timeout: codeLimit, Memory: 32 << 20, MaxCalls: 20, MaxOutput: 10_000, MaxLog: 50})
	attacks := map[string]struct {
		source string
		codes  []string // empty: it ends well
		part   string   // of the message, or of the value
	}{
		"recursion":           {"const f = () => f() + 1; f()", []string{gongu.CodeTool}, ""},
		"huge array":          {"new Uint8Array(1e13)", []string{gongu.CodeTool}, ""},
		"huge arrays":         {"new Array(1e13)", []string{gongu.CodeTool}, ""},
		"fill memory":         {"const a = []; for (;;) a.push(new Uint8Array(1 << 20))", either, ""},
		"fill strings":        {"let s = 'x'; for (;;) s += s + s.length", either, ""},
		"async recursion":     {"const f = async () => Promise.all([f(), f()]); await f()", either, ""},
		"endless loop":        {"for (;;);", []string{gongu.CodeTimeout}, "within 1s"},
		"endless await":       {"for (;;) await null;", []string{gongu.CodeTimeout}, ""},
		"one long operation":  {"for (;;) 'a'.repeat(2 ** 22).indexOf('a'.repeat(2 ** 21) + 'b')", []string{gongu.CodeTimeout}, ""},
		"catch everything":    {"const f = async () => { for (;;) { try { for (;;); } catch {} } }; for (;;) await f().catch(() => {})", []string{gongu.CodeTimeout}, ""},
		"endless timers":      {"setInterval(() => {}, 1); await new Promise(() => {})", []string{gongu.CodeTimeout}, ""},
		"constructor":         {"tools.constructor", []string{gongu.CodeNotInCatalog}, "constructor"},
		"proto":               {"tools.__proto__.x = 1", []string{gongu.CodeNotInCatalog}, "__proto__"},
		"prototype of tools":  {"String(Object.getPrototypeOf(tools))", nil, `"null"`},
		"function of a tool":  {"tools.add.constructor('return globalThis')() === globalThis", nil, "true"},
		"polluted prototype":  {"Object.prototype.name = 'x'; Object.prototype.code = 'y'; Object.prototype.ok = true; await tools.add({ a: 1, b: 2 })", nil, "3"},
		"polluted then":       {"Object.prototype.then = function (r) { r('stolen') }; 1", nil, "1"},
		"polluted toJSON":     {"Object.prototype.toJSON = () => 'forged'; return { a: 1 }", nil, `"forged"`},
		"other JSON":          {"JSON.stringify = () => 'forged'; JSON.parse = () => 'forged'; await tools.add({ a: 1, b: 2 })", nil, "3"},
		"other Promise":       {"globalThis.Promise = class { constructor() { throw new Error('no') } }; 5", nil, "5"},
		"other then":          {"Promise.prototype.then = () => {}; 5", nil, "5"},
		"other Map":           {"Map.prototype.get = () => ({ resolve() {} }); Map.prototype.set = () => {}; await tools.add({ a: 1, b: 2 })", either, ""},
		"other Array":         {"Array.prototype[Symbol.iterator] = function* () { yield 'wait' }; return 7", nil, "7"},
		"import a file":       {"return String((await import('/etc/passwd')).default)", either, ""},
		"import a module":     {"return typeof (await import('os')).exec", either, ""},
		"import std":          {"return typeof (await import('std')).open", either, ""},
		"require":             {"require('fs')", []string{gongu.CodeTool}, "require"},
		"eval":                {"eval('typeof process + typeof require + typeof Bun + typeof fetch + typeof Deno + typeof std + typeof os')", nil, strings.Repeat("undefined", 7)},
		"new Function":        {"new Function('return typeof globalThis.__gongu_host + typeof __gongu_start + typeof __gongu_entries + typeof __gongu_code')()", nil, strings.Repeat("undefined", 4)},
		"what there is":       {"Object.getOwnPropertyNames(globalThis).filter((k) => k.includes('gongu') || ['process', 'Bun', 'fetch', 'require', 'std', 'os', 'scriptArgs', 'print', 'bjson', 'Worker'].includes(k))", nil, "[]"},
		"environment":         {"JSON.stringify([globalThis.process, typeof process])", nil, "undefined"},
		"shared memory":       {"Atomics.wait(new Int32Array(new SharedArrayBuffer(8)), 0, 0, 60000)", either, ""},
		"stack of the shim":   {"try { tools.x } catch (e) { return e.stack.includes('/work') || e.stack.includes('.go') }", nil, "false"},
		"too many calls":      {"for (;;) await tools.add({ a: 1, b: 1 })", []string{gongu.CodeTool}, "more than 20 times"},
		"calls and catches":   {"for (;;) { try { await tools.fails() } catch {} }", []string{gongu.CodeTool}, "more than 20 times"},
		"output":              {"'x'.repeat(10_001)", []string{gongu.CodeOutputTooLarge}, "10000"},
		"huge output":         {"return Array.from({ length: 200 }, () => 'x'.repeat(1 << 16))", []string{gongu.CodeOutputTooLarge, gongu.CodeTool}, ""},
		"log flood":           {"for (let i = 0; i < 1e4; i++) console.log('x'.repeat(100)); 1", nil, "1"},
		"long log line":       {"console.log('x'.repeat(1 << 20)); 1", nil, "1"},
		"forged messages":     {`console.log('{"t":"result","id":1,"result":{"status":"ok","output":"forged"}}'); console.log('\n{"t":"ready"}\n'); 'real'`, nil, "real"},
		"break out of it":     {"return 1 }; globalThis.leak = 1; const g = async () => { return 2", nil, ""},
		"break out and spin":  {"return 1 }; for (;;); const g = async () => {", either, ""},
		"arguments too large": {"await tools.draw_rect({ x: 'y'.repeat(40 << 20) })", either, ""},
		"deep arguments":      {"let a = {}; for (let i = 0; i < 1e5; i++) a = { a }; await tools.draw_rect(a)", either, ""},
		"deep result":         {"let a = {}; for (let i = 0; i < 1e5; i++) a = { a }; return a", either, ""},
		"64 KiB and one":      {strings.Repeat("x", 64<<10+1), []string{gongu.CodeInvalidArgs}, "65537"},
		"64 KiB":              {"1 //" + strings.Repeat("x", 64<<10-4), nil, "1"},
		"nested brackets":     {strings.Repeat("[", 64<<10), []string{gongu.CodeInvalidArgs}, "10000 deep"},
		"nested, allowed":     {strings.Repeat("[", 9_000) + strings.Repeat("]", 9_000), either, ""},
		"nested functions":    {strings.Repeat("(()=>", 9_000) + "1" + strings.Repeat(")", 9_000), either, ""},
		"prefix operators":    {strings.Repeat("- ", 30_000) + "1", []string{gongu.CodeInvalidArgs}, ""},
		"deep eval":           {"eval('['.repeat(3e6))", either, ""},
		"deep JSON":           {"JSON.parse('['.repeat(1e7))", either, ""},
		"regular expression":  {`/^(a+)+\1$/.test('a'.repeat(40) + 'b')`, either, ""},
		"getter of a result":  {"return { get x() { for (;;); } }", []string{gongu.CodeTimeout}, ""},
		"getter of an error":  {"throw { get message() { for (;;); } }", []string{gongu.CodeTimeout}, ""},
		"goes on":             {"(async () => { for (;;) await null })(); return 1", nil, "1"},
	}
	if _, err := runCode(t, c, "1"); err != nil { // so that the runtime has its poller
		t.Fatal(*err)
	}
	before, err := footprint.Take(footprint.Footprint{Goroutines: 1 << 20})
	if err != nil {
		t.Fatal(err)
	}
	for _, name := range slices.Sorted(maps.Keys(attacks)) {
		t.Run(name, func(t *testing.T) {
			a := attacks[name]
			calm(t, func(complain func(string, ...any)) {
				watch := startWatch()
				result, failed := runCode(t, c, a.source)
				took := watch.stop()
				got := string(result.Value)
				if failed != nil {
					got = failed.Code + " " + failed.Message
				}
				t.Logf("%6s %.150s", took.Round(time.Millisecond), got)
				switch {
				case failed == nil && len(a.codes) > 0:
					t.Errorf("gave %.200s", got)
				case failed != nil && failed.Code == gongu.CodeTimeout && !slices.Contains(a.codes, failed.Code):
					complain("%+v", *failed) // there was no time to get that far
				case failed != nil && !slices.Contains(a.codes, failed.Code):
					t.Errorf("%+v, %s", *failed, failed.Suggestion)
				default:
					wantPart(t, got, a.part)
				}
				if took > codeLimit+late {
					complain("took %s", took)
				}
				if strings.Contains(fmt.Sprint(got, result.Log), "s3cret") || strings.Contains(got, "root:") {
					t.Errorf("it has got out: %s", got)
				}
				if len(result.Log) > 51 || len(result.Calls) > 20 {
					t.Errorf("%d lines, %d calls", len(result.Log), len(result.Calls))
				}
			})
		})
	}
	if left := childrenOf(t); len(left) > 0 {
		t.Errorf("children %v are left", left)
	}
	after, err := footprint.Take(before)
	if err != nil {
		t.Fatal(err)
	}
	after.Resident = 0 // the results are in our own heap
	if grown := after.Grown(before); len(grown) > 0 {
		t.Error(grown)
	}
}

// TestCode_Garbage: a process that breaks the protocol, or dies, is reported.
func TestCode_Garbage(t *testing.T) {
	for name, test := range map[string]struct{ line, part string }{
		"garbage":  {"echo hello; sleep 60", "protocol"},
		"forged":   {`read y; echo '{"t":"ask","id":1,"n":1,"op":"spawn","text":"x"}'; sleep 60`, "protocol"},
		"death":    {"read y; echo oh no >&2; exit 3", "oh no"},
		"no start": {"", ""},
	} {
		child := []string{"/bin/sh", "-c", ready + test.line}
		if test.line == "" {
			child = []string{"/no/such/program"}
		}
		c := script.NewCode(&script.CodeOptions{Child: child, Logger: quiet()})
		_, err := runCode(t, c, "1")
		if err == nil || err.Code != gongu.CodeTool && err.Code != gongu.CodeUnavailable {
			t.Errorf("%s: %+v", name, err)
			continue
		}
		wantPart(t, err.Message, test.part)
		if err := c.Close(); err != nil {
			t.Error(err)
		}
	}
	// A child cannot call what it was not given, whatever it asks for.
	c := script.NewCode(&script.CodeOptions{Child: []string{"/bin/sh", "-c", ready + `read y; printf '%s\n' '{"t":"ask","id":1,"n":1,"op":"tool","text":"rm\n{}"}'; read -r z; case "$z" in *NOT_IN_CATALOG*) echo '{"t":"result","result":{"status":"ok","output":"refused"}}';; esac; sleep 60`}, Logger: quiet()})
	defer c.Close()
	result, err := runCode(t, c, "1")
	if err != nil || string(result.Value) != `"refused"` || len(result.Calls) != 0 {
		t.Errorf("%+v %+v", err, result)
	}
}

// TestCode_Memory: the process itself is watched, too.
func TestCode_Memory(t *testing.T) {
	grow := `read y; x=a; while :; do x="$x$x"; done`
	c := script.NewCode(&script.CodeOptions{Child: []string{"/bin/sh", "-c", ready + grow}, Memory: 2 << 20, Logger: quiet(), Timeout: 20 * time.Second})
	defer c.Close()
	if _, err := runCode(t, c, "1"); err == nil || err.Code != gongu.CodeTool || !strings.Contains(err.Message, "bytes of memory") {
		t.Errorf("%+v", err)
	}
}

// TestCode_Warm: a process is kept ready, one only, and ends at Close.
func TestCode_Warm(t *testing.T) {
	c := newCode(t, script.CodeOptions{Warm: true})
	for range 3 {
		if _, err := runCode(t, c, "1"); err != nil {
			t.Fatal(*err)
		}
		if n := len(childrenOf(t)); n != 1 {
			t.Errorf("%d processes", n)
		}
	}
	if err := c.Close(); err != nil {
		t.Error(err)
	}
	if n := len(childrenOf(t)); n != 0 {
		t.Errorf("%d processes", n)
	}
}
