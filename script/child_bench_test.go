package script_test

import (
	"os/exec"
	"testing"

	"github.com/gongu-ai/gongu/script"
)

// benchRuntimes are those that this machine has.
func benchRuntimes() []string {
	out := []string{script.RuntimeEmbedded, script.RuntimeProcess}
	for _, name := range []string{script.RuntimeNode, script.RuntimeBun} {
		if _, err := exec.LookPath(name); err == nil {
			out = append(out, name)
		}
	}
	return out
}

const benchModule = `export const handlers = {
	sync: (ctx, input) => ({ sum: input.a + input.b }),
	async: async (ctx, input) => { await null; return { sum: input.a + input.b }; },
};`

func benchLoad(b *testing.B, e *script.Engine, runtime, root string) *script.Module {
	b.Helper()
	m, err := e.LoadIn(b.Context(), runtime, root, "index.ts")
	if err != nil {
		b.Fatal(err)
	}
	return m
}

// BenchmarkRuntimes is a call of a loaded module, and the first call of one:
// bundle, start, load and call. bench/ prints it.
func BenchmarkRuntimes(b *testing.B) {
	root := tree(b, map[string]string{"index.ts": benchModule})
	for _, runtime := range benchRuntimes() {
		for _, export := range []string{"sync", "async"} {
			b.Run("warm "+export+"/"+runtime, func(b *testing.B) {
				m := benchLoad(b, newEngine(b, script.Options{Child: self()}), runtime, root)
				output(b, m, export, `{"a":1,"b":2}`)
				b.ReportAllocs()
				for b.Loop() {
					output(b, m, export, `{"a":1,"b":2}`)
				}
			})
		}
		b.Run("cold/"+runtime, func(b *testing.B) {
			e := newEngine(b, script.Options{Child: self()})
			b.ReportAllocs()
			for b.Loop() {
				m := benchLoad(b, e, runtime, root)
				output(b, m, "sync", `{"a":1,"b":2}`)
				if err := m.Close(); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}

// BenchmarkCode is a run of code that calls one tool. A process that is kept
// ready hides most of the start when runs do not follow each other at once.
func BenchmarkCode(b *testing.B) {
	for name, warm := range map[string]bool{"cold": false, "warm": true} {
		b.Run(name, func(b *testing.B) {
			c := newCode(b, script.CodeOptions{Warm: warm})
			run := func() {
				if _, err := runCode(b, c, "return await tools.add({ a: 1, b: 2 })"); err != nil {
					b.Fatal(*err)
				}
			}
			run()
			b.ReportAllocs()
			for b.Loop() {
				if warm {
					b.StopTimer()
					waitWarm(b)
					b.StartTimer()
				}
				run()
			}
		})
	}
}
