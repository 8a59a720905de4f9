package script_test

import (
	"context"
	"encoding/json"
	"fmt"

	"github.com/gongu-ai/gongu"
	"github.com/gongu-ai/gongu/script"
)

// A module of a bundle becomes a tool.
func ExampleEngine_Load() {
	ctx := context.Background()
	engine := script.NewEngine(nil)
	defer engine.Close()
	module, err := engine.Load(ctx, "testdata/greeter", "index.ts")
	if err != nil {
		fmt.Println(err)
		return
	}
	greet, err := module.Invoke("greet")
	if err != nil {
		fmt.Println(err)
		return
	}
	registry := gongu.NewRegistry(nil)
	if err := registry.Add(gongu.Tool{Name: "greeter__greet", Invoke: greet}); err != nil {
		fmt.Println(err)
		return
	}
	executor := gongu.NewExecutor(registry, &gongu.ExecutorOptions{Catalog: gongu.Everything(registry)})
	result := executor.Call(ctx, gongu.Call{Name: "greeter__greet", Args: json.RawMessage(`{"name":"Mina"}`)})
	fmt.Println(string(result.Output))

	_, err = module.Invoke("part")
	fmt.Println(err)
	// Output:
	// {"text":"Hello, Mina"}
	// index.ts has no handler "part"; it has greet.
}
