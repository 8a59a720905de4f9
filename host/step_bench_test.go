package host_test

import (
	"context"
	"encoding/json"
	"fmt"
	"log/slog"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/gongu-ai/gongu"
	"github.com/gongu-ai/gongu/agent"
	"github.com/gongu-ai/gongu/host"
)

// manyTools are tools such as a large set of servers has.
func manyTools(n int) []gongu.Tool {
	tools := make([]gongu.Tool, n)
	for i := range tools {
		tools[i] = gongu.Tool{
			Name: fmt.Sprintf("many_%d", i), Description: "One of many tools, with a description of the usual length that a model reads.",
			Parameters:  gongu.Schema(fmt.Sprintf(`{"type":"object","properties":{"p%d":{"type":"string"}}}`, i%100)),
			Annotations: gongu.Annotations{ReadOnly: new(true)},
			Invoke:      func(context.Context, gongu.Call) gongu.Result { return gongu.OK("ok") },
		}
	}
	return tools
}

const manyBundle = commandTools + `---
apiVersion: gongu/v1
kind: Model
metadata: { name: m }
spec: { provider: openai, model: x }
---
apiVersion: gongu/v1
kind: Extension
metadata: { name: idle }
spec: { entry: "builtin:idle" }
---
apiVersion: gongu/v1
kind: Agent
metadata: { name: plain }
spec: { modelConfig: { modelRef: Model/m }, tools: [ToolCommand/local] }
---
apiVersion: gongu/v1
kind: Agent
metadata: { name: extended }
spec: { modelConfig: { modelRef: Model/m }, tools: [ToolCommand/local], extensions: [Extension/idle] }
`

// BenchmarkStep is a step that does nothing, among 10,000 tools: of a bundle
// without extensions, of an agent with those tools, and of one that has an
// extension, too.
func BenchmarkStep(b *testing.B) {
	var list strings.Builder
	for i := range 10_000 {
		fmt.Fprintf(&list, "{\"name\":\"many_%d\",\"description\":\"Number %d.\"}\n", i, i)
	}
	dir := b.TempDir()
	for name, text := range map[string]string{"gongu.yaml": manyBundle, "list.json": list.String()} {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o644); err != nil {
			b.Fatal(err)
		}
	}
	idle := agent.ExtensionFunc(func(context.Context, *agent.API, json.RawMessage) error { return nil })
	logger := slog.New(slog.DiscardHandler)
	starter, err := host.Open(b.Context(), "", &host.Options{StateRoot: b.TempDir(), Logger: logger})
	if err != nil {
		b.Fatal(err)
	}
	b.Cleanup(func() { _ = starter.Close() })
	if err := starter.Registry().Add(manyTools(10_000)...); err != nil {
		b.Fatal(err)
	}
	bundle, err := host.Open(b.Context(), dir, &host.Options{Logger: logger, Extensions: map[string]agent.Extension{"idle": idle}})
	if err != nil {
		b.Fatal(err)
	}
	b.Cleanup(func() { _ = bundle.Close() })
	bundle.Sources().Load(b.Context())
	for _, tc := range []struct {
		name, agent, tool string
		host              *host.Host
	}{{"whole", "", "many_9999", starter}, {"agent", "plain", "local__many_9999", bundle}, {"extended", "extended", "local__many_9999", bundle}} {
		b.Run(tc.name, func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				err := tc.host.Step(b.Context(), tc.agent, func(_ context.Context, x *gongu.Executor) error {
					if !x.Catalog().Has(tc.tool) {
						b.Error("a tool is missing")
					}
					return nil
				})
				if err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}
