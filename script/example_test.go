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

// Code calls tools through a function of the host.
func ExampleCode_Run() {
	code := script.NewCode(&script.CodeOptions{Child: self()})
	defer code.Close()
	double := func(_ context.Context, _ string, args json.RawMessage) gongu.Result {
		var in struct{ N int }
		if err := json.Unmarshal(args, &in); err != nil {
			return gongu.Fail(err)
		}
		return gongu.OK(in.N * 2)
	}
	tools := []script.Binding{{Name: "double"}}
	result, failure := code.Run(context.Background(), `
		const all = await Promise.all([1, 2, 3].map((n) => tools.double({ n })));
		return all.reduce((a, b) => a + b);`, tools, double)
	fmt.Println(string(result.Value), len(result.Calls), failure)

	_, failure = code.Run(context.Background(), `return await tools.duoble({ n: 1 })`, tools, double)
	fmt.Println(failure.Message, failure.Suggestion)
	// Output:
	// 12 3 <nil>
	// There is no tool "duoble" here. Did you mean tools.double? Line 1 of the code failed; correct it and run the code again.
}

// Typings tell a model what code may call.
func ExampleTypings() {
	fmt.Print(script.Typings([]gongu.Tool{{
		Name: "draw_rect", Description: "Draws a rectangle.",
		Parameters: `{"type":"object","properties":{"x":{"type":"number","description":"Left edge"},"fill":{"enum":["none","solid"]}},"required":["x"]}`,
	}}))
	// Output:
	// declare const tools: {
	//   /** Draws a rectangle. */
	//   draw_rect(args: {
	//     /** Left edge */
	//     x: number;
	//     fill?: "none" | "solid";
	//   }): Promise<any>;
	// };
}

// A module may run in a process of its own.
func ExampleEngine_LoadIn() {
	ctx := context.Background()
	engine := script.NewEngine(&script.Options{Child: self()})
	defer engine.Close()
	module, err := engine.LoadIn(ctx, script.RuntimeProcess, "testdata/greeter", "index.ts")
	if err != nil {
		fmt.Println(err)
		return
	}
	greet, err := module.Invoke("greet")
	if err != nil {
		fmt.Println(err)
		return
	}
	result := greet(ctx, gongu.Call{ID: "call_1", Args: json.RawMessage(`{"name":"Mina"}`)})
	fmt.Println(string(result.Output), engine.Stats().Children)
	// Output: {"text":"Hello, Mina"} 1
}
