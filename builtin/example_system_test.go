package builtin_test

import (
	"context"
	"encoding/json"
	"fmt"

	"github.com/gongu-ai/gongu"
	"github.com/gongu-ai/gongu/builtin"
)

func ExampleAll() {
	for _, tool := range builtin.All(nil) {
		if tool.Annotations.IsDestructive() {
			fmt.Println(tool.Name)
		}
	}
	// Output:
	// bash__exec
	// bash__script
	// file-system__write
	// file-system__edit
	// file-system__patch
	// file-system__mkdir
	// http-fetch__post
	// self-restart__request
}

func ExampleResource() {
	tools, ok := builtin.Resource("self-restart", &builtin.Options{
		Restart: func(_ context.Context, reason string) { fmt.Println("asked to restart:", reason) },
	})
	if !ok {
		fmt.Println("there are", builtin.Resources())
		return
	}
	result := tools[0].Invoke(context.Background(), gongu.Call{
		Name: tools[0].Name,
		Args: json.RawMessage(`{"reason":"new tools"}`),
	})
	fmt.Println(string(result.Output))
	// Output:
	// asked to restart: new tools
	// {"ok":true,"restartRequested":true,"restartReason":"new tools"}
}

func ExampleResources() {
	fmt.Println(builtin.Resources())
	// Output: [json-query text-transform wait bash file-system http-fetch self-restart]
}
