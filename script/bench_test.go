package script_test

import (
	"testing"

	"github.com/gongu-ai/gongu/script"
)

const benched = `
import type { ToolHandler } from '@goondan/core';
type Args = { a: number };
export const handlers: Record<string, ToolHandler> = {
  sync: (ctx, input: Args) => ({ sum: input.a + 1, agent: ctx.agentName }),
  async: async (ctx, input: Args) => ({ sum: input.a + 1, agent: ctx.agentName }),
  awaits: async (ctx, input: Args) => { await null; await null; await null; return { sum: input.a + 1 }; },
  file: async (ctx) => ({ size: (await Bun.file('x').text()).length }),
};
`

func BenchmarkCold(b *testing.B) {
	e := newEngine(b, script.Options{})
	root := tree(b, map[string]string{"index.ts": benched})
	for b.Loop() {
		m, err := e.Load(b.Context(), root, "index.ts")
		if err != nil {
			b.Fatal(err)
		}
		if err := m.Close(); err != nil {
			b.Fatal(err)
		}
	}
}

func BenchmarkWarm(b *testing.B) {
	e := newEngine(b, script.Options{Workdir: tree(b, map[string]string{"x": "text"})})
	m := load(b, e, benched)
	for _, export := range m.Handlers() {
		b.Run(export, func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				if r := call(b.Context(), m, export, `{"a":1}`); r.Failed() {
					b.Fatal(r.Error)
				}
			}
		})
	}
}
