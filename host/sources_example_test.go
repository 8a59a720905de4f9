package host_test

import (
	"context"
	"fmt"
	"log"
	"log/slog"
	"os"
	"path/filepath"

	"github.com/gongu-ai/gongu"
	"github.com/gongu-ai/gongu/dialect"
	"github.com/gongu-ai/gongu/host"
)

// The registry operations of seed 002.
func Example_seed002() {
	dir, err := os.MkdirTemp("", "gongu-example-*")
	if err != nil {
		log.Fatal(err)
	}
	defer func() { _ = os.RemoveAll(dir) }()
	const yaml = `apiVersion: gongu/v1
kind: ToolCommand
metadata: {name: weather}
spec:
  discover: echo '[{"name":"today","description":"The weather of today."},{"name":"week","description":"The weather of the week."}]'
  call: echo sunny,
`
	if err := os.WriteFile(filepath.Join(dir, "gongu.yaml"), []byte(yaml), 0o600); err != nil {
		log.Fatal(err)
	}
	ctx := context.Background()
	h, err := host.Open(ctx, dir, &host.Options{Logger: slog.New(slog.DiscardHandler)})
	if err != nil {
		log.Fatal(err)
	}
	defer func() { _ = h.Close() }()

	// registerTool
	greet := gongu.Func("greet", "Greets.", func(context.Context, struct{}) (string, error) { return "hello", nil })
	if err := h.Registry().Add(greet); err != nil {
		log.Fatal(err)
	}
	// discoverAllTools, and one source alone
	if err := h.Sources().Refresh(ctx); err != nil {
		log.Fatal(err)
	}
	if err := h.Sources().Refresh(ctx, "weather"); err != nil {
		log.Fatal(err)
	}
	// getTool
	today, ok := h.Registry().Get("weather__today")
	fmt.Println(ok, today.Description)
	// getAllTools: built-in, command, MCP by server name
	catalog, err := firstCatalog(h, "")
	if err != nil {
		log.Fatal(err)
	}
	for _, tool := range catalog.Visible() {
		fmt.Println(tool.Name)
	}
	// getFunctionDeclarations, filtered by names
	declared, err := dialect.DeclareAll(dialect.Gemini, h.Registry().ToolsByName("weather__today"), nil)
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(string(declared.JSON))
	result, err := h.Call(ctx, "", gongu.Call{Name: "weather__today"})
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(string(result.Output))
	// remove by source
	if err := h.Registry().Replace(today.Source); err != nil {
		log.Fatal(err)
	}
	fmt.Println(h.Registry().Has("weather__today"))
	// Output:
	// true The weather of today.
	// greet
	// weather__today
	// weather__week
	// [{"functionDeclarations":[{"name":"weather__today","description":"The weather of today.","parametersJsonSchema":{"type":"object","properties":{}}}]}]
	// "sunny, today\n"
	// false
}
