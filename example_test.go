package gongu_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"strings"

	"github.com/gongu-ai/gongu"
)

// The smallest useful program: one tool, one call.
func Example() {
	registry := gongu.NewRegistry(nil)
	registry.Add(gongu.Func("greet", "Greets a person.", func(ctx context.Context, in struct {
		Name string `json:"name"`
	}) (string, error) {
		return "Hello, " + in.Name + "!", nil
	}))
	executor := gongu.NewExecutor(registry, &gongu.ExecutorOptions{Catalog: gongu.Everything(registry)})
	result := executor.Call(context.Background(), gongu.Call{Name: "greet", Args: []byte(`{"name":"Ada"}`)})
	fmt.Printf("%s %s\n", result.Status, result.Output)
	// Output: ok "Hello, Ada!"
}

// A tool failure is a value that tells the model what to do.
func ExampleExecutor_Call() {
	registry := gongu.NewRegistry(nil)
	registry.Add(gongu.Func("divide", "Divides a by b.", func(ctx context.Context, in struct {
		A float64 `json:"a"`
		B float64 `json:"b"`
	}) (float64, error) {
		if in.B == 0 {
			return 0, &gongu.Error{Code: "E_DIVIDE_ZERO", Message: "b is zero", Suggestion: "Pass another b."}
		}
		return in.A / in.B, nil
	}))
	executor := gongu.NewExecutor(registry, &gongu.ExecutorOptions{Catalog: gongu.Everything(registry)})
	for _, args := range []string{`{"a":6,"b":3}`, `{"a":1,"b":0}`, `{"a":"six"}`} {
		result := executor.Call(context.Background(), gongu.Call{ID: "1", Name: "divide", Args: []byte(args)})
		if result.Failed() {
			fmt.Println(result.Error.Code+":", result.Error.Message)
			continue
		}
		fmt.Println(string(result.Output))
	}
	// Output:
	// 2
	// E_DIVIDE_ZERO: b is zero
	// E_TOOL_INVALID_ARGS: Invalid arguments for tool 'divide': args.b: required property is missing; args.a: expected number but got string
}

// Calls of one step run at the same time; the results keep their order.
func ExampleExecutor_Batch() {
	registry := gongu.NewRegistry(nil)
	registry.Add(gongu.Func("upper", "Writes in capitals.", func(ctx context.Context, in struct {
		Text string `json:"text"`
	}) (string, error) {
		return strings.ToUpper(in.Text), nil
	}))
	executor := gongu.NewExecutor(registry, &gongu.ExecutorOptions{Catalog: gongu.Everything(registry)})
	for _, result := range executor.Batch(context.Background(), []gongu.Call{
		{ID: "a", Name: "upper", Args: []byte(`{"text":"one"}`)},
		{ID: "b", Name: "uper", Args: []byte(`{"text":"two"}`)},
		{ID: "c", Name: "upper", Args: []byte(`{"text":"three"}`)},
	}) {
		fmt.Printf("%s %s:%s\n", result.ToolCallID, result.Status, result.Output)
	}
	// Output:
	// a ok:"ONE"
	// b error:
	// c ok:"THREE"
}

// Everything that would happen, without its happening.
func ExampleExecutor_DryRun() {
	registry := gongu.NewRegistry(nil)
	registry.Add(gongu.Func("launch", "Launches.", func(context.Context, struct{}) (string, error) { return "gone", nil }))
	executor := gongu.NewExecutor(registry, &gongu.ExecutorOptions{Catalog: gongu.Everything(registry)})
	result := executor.DryRun(context.Background(), gongu.Call{Name: "launch"})
	fmt.Println(string(result.Output))
	// Output: {"args":{},"dryRun":true,"passed":["schema"],"source":"Go/","tool":"launch"}
}

// Middleware wraps every call; it may log, change arguments or answer itself.
func ExampleExecutor_Use() {
	registry := gongu.NewRegistry(nil)
	registry.Add(gongu.Func("ping", "Answers.", func(context.Context, struct{}) (string, error) { return "pong", nil }))
	executor := gongu.NewExecutor(registry, &gongu.ExecutorOptions{Catalog: gongu.Everything(registry)})
	executor.Use(0, func(next gongu.Invoke) gongu.Invoke {
		return func(ctx context.Context, call gongu.Call) gongu.Result {
			fmt.Println("before", call.Name)
			result := next(ctx, call)
			fmt.Println("after", result.Status)
			return result
		}
	})
	executor.Call(context.Background(), gongu.Call{Name: "ping"})
	// Output:
	// before ping
	// after ok
}

// A catalog is what one step may call, and within it what the model is shown.
func ExampleNewCatalog() {
	registry := gongu.NewRegistry(nil)
	nothing := func(context.Context, gongu.Call) gongu.Result { return gongu.OK(nil) }
	registry.Add(
		gongu.Tool{Name: "fs__read", Invoke: nothing, Annotations: gongu.Annotations{ReadOnly: new(true)}},
		gongu.Tool{Name: "fs__write", Invoke: nothing},
		gongu.Tool{Name: "web__get", Invoke: nothing, Annotations: gongu.Annotations{ReadOnly: new(true)}},
	)
	catalog, err := gongu.NewCatalog(registry, &gongu.CatalogOptions{
		Allow: []gongu.Rule{{ReadOnly: new(true)}},
		Deny:  []gongu.Rule{{Name: "web__*"}},
	})
	if err != nil {
		fmt.Println(err)
		return
	}
	for _, tool := range catalog.Visible() {
		fmt.Println(tool.Name)
	}
	// Output: fs__read
}

// A restricted registry knows nothing else, whatever is asked of it.
func ExampleRegistry_Restrict() {
	registry := gongu.NewRegistry(nil)
	nothing := func(context.Context, gongu.Call) gongu.Result { return gongu.OK(nil) }
	registry.Add(gongu.Tool{Name: "read_file", Invoke: nothing}, gongu.Tool{Name: "delete_file", Invoke: nothing})
	view := registry.Restrict("read_file")
	fmt.Println(view.Has("read_file"), view.Has("delete_file"), view.Restrict("delete_file").Len())
	// Output: true false 0
}

// A source swaps its whole set at once.
func ExampleRegistry_Replace() {
	registry := gongu.NewRegistry(nil)
	nothing := func(context.Context, gongu.Call) gongu.Result { return gongu.OK(nil) }
	source := gongu.Source{Type: "mcp", Name: "github"}
	registry.Replace(source, gongu.Tool{Name: "github__list", Invoke: nothing}, gongu.Tool{Name: "github__old", Invoke: nothing})
	registry.Replace(source, gongu.Tool{Name: "github__list", Invoke: nothing}, gongu.Tool{Name: "github__new", Invoke: nothing})
	for _, tool := range registry.Tools() {
		fmt.Println(tool.Name)
	}
	// Output:
	// github__list
	// github__new
}

// readFileTool is the definition of seed 004: name, description and schema
// beside the code that runs.
type readFileTool struct{}

func (readFileTool) tool() gongu.Tool {
	return gongu.Tool{
		Name:        "read_file",
		Description: "파일 내용을 읽어 반환합니다",
		Parameters:  `{"type":"object","properties":{"path":{"type":"string","description":"읽을 파일의 절대 경로"}},"required":["path"]}`,
		Invoke:      readFileTool{}.execute,
	}
}

func (readFileTool) execute(_ context.Context, call gongu.Call) gongu.Result {
	var in struct {
		Path string `json:"path"`
	}
	if err := json.Unmarshal(call.Args, &in); err != nil {
		return gongu.Fail(err)
	}
	content, err := os.ReadFile(in.Path)
	if failure := (*os.PathError)(nil); errors.As(err, &failure) {
		return gongu.Fail(fmt.Errorf("파일 읽기 실패: %s: %w", in.Path, failure.Err))
	}
	return gongu.OK(string(content))
}

// Example_seed004 writes the registry of seed 004 against the public API:
// define, register, get the schemas, dispatch.
func Example_seed004() {
	registry := gongu.NewRegistry(nil)
	other := gongu.Tool{Name: "write_file", Invoke: func(context.Context, gongu.Call) gongu.Result { return gongu.OK(nil) }}
	registry.Add(readFileTool{}.tool(), other)

	// getSchemas(allowed): filtered declarations keep the registry's order.
	catalog := gongu.Everything(registry).Restrict("read_file")
	for _, tool := range catalog.Visible() {
		fmt.Println(tool.Name, tool.Description)
	}
	// getTools(allowed): in the order given, unknown names skipped.
	for _, tool := range registry.ToolsByName("write_file", "no_such", "read_file") {
		fmt.Println(tool.Name)
	}

	// dispatch: a missing file and a tool outside the restriction are values.
	executor := gongu.NewExecutor(registry, &gongu.ExecutorOptions{Catalog: catalog, Lang: "ko"})
	for _, call := range []gongu.Call{
		{ID: "1", Name: "read_file", Args: []byte(`{"path":"/no/such/file"}`)},
		{ID: "2", Name: "write_file", Args: []byte(`{}`)},
	} {
		result := executor.Call(context.Background(), call)
		fmt.Println(result.ToolCallID, result.Status, result.Error.Message)
	}
	// Output:
	// read_file 파일 내용을 읽어 반환합니다
	// write_file
	// read_file
	// 1 error 파일 읽기 실패: /no/such/file: no such file or directory
	// 2 error Tool 'write_file' is not available in the current Tool Catalog.
}

// A guard decides by who calls; nothing else about the call has to be made for
// it.
func ExamplePrincipal() {
	registry := gongu.NewRegistry(nil)
	remove := gongu.Func("remove", "Remove a file.", func(_ context.Context, in struct {
		Path string `json:"path"`
	}) (string, error) {
		return "removed " + in.Path, nil
	})
	if err := registry.Add(remove); err != nil {
		fmt.Println(err)
		return
	}
	e := gongu.NewExecutor(registry, &gongu.ExecutorOptions{
		Catalog: gongu.Everything(registry),
		Guards: []gongu.Guard{{Name: "guests", Check: func(_ context.Context, a *gongu.Attempt) *gongu.Error {
			if a.Principal != nil && a.Principal.Kind == "anonymous" {
				return &gongu.Error{Code: gongu.CodeDenied, Message: "guests may not use " + a.Call.Name}
			}
			return nil
		}}},
	})
	for _, p := range []*gongu.Principal{{Name: "kim", Kind: "token"}, {Name: "guest", Kind: "anonymous"}} {
		ctx := gongu.WithPrincipal(context.Background(), p)
		r := e.Call(ctx, gongu.Call{Name: "remove", Args: json.RawMessage(`{"path":"a.txt"}`)})
		if r.Failed() {
			fmt.Println(p.Name, r.Error.Code, r.Error.Message)
			continue
		}
		fmt.Println(p.Name, string(r.Output))
	}
	// Output:
	// kim "removed a.txt"
	// guest E_TOOL_DENIED guests may not use remove
}

// callLog prints every call when it is over.
type callLog struct{}

func (callLog) Begin(ctx context.Context, _ *gongu.Attempt) context.Context { return ctx }

func (callLog) End(_ context.Context, a *gongu.Attempt, r gongu.Result) {
	fmt.Println(a.Call.Name, r.Status)
	for key, value := range a.Notes() {
		fmt.Println(" ", key, value)
	}
}

// An observer is told of every call, with what guards noted about it.
func ExampleObserver() {
	registry := gongu.NewRegistry(nil)
	hello := gongu.Func("hello", "Say hello.", func(context.Context, struct{}) (string, error) { return "hello", nil })
	if err := registry.Add(hello); err != nil {
		fmt.Println(err)
		return
	}
	e := gongu.NewExecutor(registry, &gongu.ExecutorOptions{
		Catalog:   gongu.Everything(registry),
		Observers: []gongu.Observer{callLog{}},
		Guards: []gongu.Guard{{Name: "policy", Check: func(_ context.Context, a *gongu.Attempt) *gongu.Error {
			a.Note("rule", "allow hello")
			return nil
		}}},
	})
	e.Call(context.Background(), gongu.Call{Name: "hello"})
	// Output:
	// hello ok
	//   rule allow hello
}
