package macro_test

import (
	"context"
	"encoding/json"
	"fmt"

	"github.com/gongu-ai/gongu"
	"github.com/gongu-ai/gongu/macro"
)

type rect struct {
	Name  string  `json:"name"`
	X     float64 `json:"x"`
	Width float64 `json:"width"`
}

func drawRect() gongu.Tool {
	return gongu.Func("draw_rect", "Draws a rectangle.", func(_ context.Context, in rect) (map[string]string, error) {
		fmt.Printf("%s at %v, %v wide\n", in.Name, in.X, in.Width)
		return map[string]string{"entity": in.Name}, nil
	})
}

func Example() {
	registry := gongu.NewRegistry(nil)
	if err := registry.Add(drawRect()); err != nil {
		fmt.Println(err)
		return
	}
	chair, err := macro.Parse(json.RawMessage(`{
	  "name": "draw_my_chair",
	  "description": "Draws a chair.",
	  "parameters": {"type": "object", "properties": {"w": {"type": "number"}}, "required": ["w"]},
	  "steps": [
	    {"id": "seat", "tool": "draw_rect", "params": {"name": "seat", "x": 0, "width": "${params.w}"}},
	    {"id": "legs", "tool": "draw_rect", "forEach": "[0, params.w - 2]",
	     "params": {"name": "leg_${index}", "x": "${item}", "width": 2}}
	  ],
	  "output": {"drawn": "${[steps.seat.output.entity] + steps.legs.output.map(l, l.entity)}"}
	}`))
	if err != nil {
		fmt.Println(err)
		return
	}
	tool, err := chair.Tool(nil)
	if err != nil {
		fmt.Println(err)
		return
	}
	if err := registry.Add(tool); err != nil {
		fmt.Println(err)
		return
	}
	executor := gongu.NewExecutor(registry, &gongu.ExecutorOptions{Catalog: gongu.Everything(registry)})
	result := executor.Call(context.Background(), gongu.Call{Name: "draw_my_chair", Args: json.RawMessage(`{"w": 10.5}`)})
	fmt.Println(string(result.Output))
	// Output:
	// seat at 0, 10.5 wide
	// leg_0 at 0, 2 wide
	// leg_1 at 8.5, 2 wide
	// {"drawn":["seat","leg_0","leg_1"]}
}

func ExampleDefinition_Check() {
	registry := gongu.NewRegistry(nil)
	if err := registry.Add(drawRect()); err != nil {
		fmt.Println(err)
		return
	}
	d, err := macro.Parse(json.RawMessage(`{"name": "m", "steps": [
	  {"tool": "draw_rectangle", "params": {"name": "a"}},
	  {"tool": "draw_rect", "params": {"name": "b", "x": "${x + 1}"}}
	]}`))
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println(d.Check(gongu.Everything(registry)))
	// Output:
	// macro "m": steps[1].params.x: there is no variable "x"
	//   x + 1
	//   ^
	//   The variables are params, steps, and with forEach item and index.
	// steps[0].tool: there is no tool "draw_rectangle" that may be called
	//   Did you mean: draw_rect
	// steps[1].params: draw_rect needs "width"
	//   Add "width".
}

func ExampleParse() {
	_, err := macro.Parse(json.RawMessage(`{"name": "m", "steps": [{"tool": "echo", "parms": {}}]}`))
	fmt.Println(err)
	// Output:
	// macro "m": steps[0].parms: there is no field "parms"
	//   Did you mean: params
}

func ExampleCycle() {
	a := &macro.Definition{Name: "a", Steps: []macro.Step{{Tool: "b"}}}
	b := &macro.Definition{Name: "b", Steps: []macro.Step{{Tool: "a"}}}
	fmt.Println(macro.Cycle(a, b))
	// Output: [a b a]
}
