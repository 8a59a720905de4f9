package builtin_test

import (
	"context"
	"encoding/json"
	"fmt"

	"github.com/gongu-ai/gongu"
	"github.com/gongu-ai/gongu/builtin"
)

func ExampleTools() {
	registry := gongu.NewRegistry(nil)
	if err := registry.Add(builtin.Tools(nil)...); err != nil {
		fmt.Println(err)
		return
	}
	executor := gongu.NewExecutor(registry, &gongu.ExecutorOptions{Catalog: gongu.Everything(registry)})
	result := executor.Call(context.Background(), gongu.Call{
		Name: "json-query__query",
		Args: json.RawMessage(`{"data":"{\"users\":[{\"name\":\"Ann\"}]}","path":"users[0].name"}`),
	})
	fmt.Println(string(result.Output))
	// Output: {"path":"users[0].name","found":true,"value":"Ann"}
}

func ExampleDomains() {
	registry := gongu.NewRegistry(nil)
	if err := registry.Add(builtin.Tools(nil)...); err != nil {
		fmt.Println(err)
		return
	}
	builtin.Domains(registry, nil)
	for _, domain := range registry.Domains() {
		fmt.Println(domain.Name, domain.Count, domain.Description)
	}
	// Output:
	// json-query 4 Read values out of JSON text.
	// text-transform 6 Change, cut and put together plain text.
	// wait 1 Let time pass.
}
