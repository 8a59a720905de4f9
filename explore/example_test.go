package explore_test

import (
	"context"
	"encoding/json"
	"fmt"

	"github.com/gongu-ai/gongu"
	"github.com/gongu-ai/gongu/explore"
	"github.com/gongu-ai/gongu/toolrequest"
)

func circle() gongu.Tool {
	type args struct {
		Radius float64 `json:"radius" jsonschema:"how far the edge is from the centre"`
	}
	return gongu.Func("draw_circle", "Draw a circle.", func(_ context.Context, in args) (string, error) {
		return fmt.Sprintf("a circle of %g", in.Radius), nil
	})
}

// A model finds a tool whose declaration it was never shown, and calls it.
func Example() {
	registry := gongu.NewRegistry(nil)
	opts := &explore.Options{Requests: toolrequest.NewMemory()}
	if err := registry.Add(append(explore.Tools(opts), circle())...); err != nil {
		fmt.Println(err)
		return
	}
	explore.Declare(registry, opts)
	catalog, err := gongu.NewCatalog(registry, &gongu.CatalogOptions{Show: []gongu.Rule{{Domain: explore.Domain}}})
	if err != nil {
		fmt.Println(err)
		return
	}
	executor := gongu.NewExecutor(registry, &gongu.ExecutorOptions{Catalog: catalog})
	ask := func(name, args string) {
		r := executor.Call(context.Background(), gongu.Call{Name: name, Args: json.RawMessage(args)})
		fmt.Println(string(r.Output))
	}
	ask(explore.SearchTools, `{"query":"a round shape, circle"}`)
	ask(explore.CallTool, `{"name":"draw_circle","arguments":{"radius":3}}`)
	ask(explore.RequestTool, `{"name":"draw_star","description":"five points"}`)
	// Output:
	// {"tools":[{"name":"draw_circle","description":"Draw a circle."}]}
	// "a circle of 3"
	// {"request_id":"req_001","status":"queued","message":"The tool request is registered. A developer will review it before it is added.","similar":[{"name":"draw_circle","description":"Draw a circle."}]}
}

// The tools speak Korean.
func ExampleTools() {
	for _, tool := range explore.Tools(&explore.Options{Lang: "ko"}) {
		fmt.Println(tool.Name, tool.Description)
	}
	// Output:
	// list_domains 모든 도메인과 각 도메인의 도구 개수를 반환합니다.
	// list_tools 해당 도메인의 도구 목록과 설명을 반환합니다. 도메인 생략 시 전체 도구 목록을 반환합니다.
	// get_tool_schema 해당 도구의 전체 JSON Schema와 예시를 반환합니다. 처음 호출하기 전에 확인하세요.
	// search_tools 하려는 일로 도구를 찾습니다. 가장 알맞은 것부터 최대 8개를 반환합니다.
	// call_tool 찾은 도구를 이름으로 호출합니다.
}

func ExampleDeclare() {
	registry := gongu.NewRegistry(nil)
	if err := registry.Add(explore.Tools(nil)...); err != nil {
		fmt.Println(err)
		return
	}
	explore.Declare(registry, nil)
	fmt.Println(registry.Domains())
	// Output: [{registry 5 Exploring and requesting tools}]
}

// An index can be searched without the tools, for a console or a command.
func ExampleIndex() {
	registry := gongu.NewRegistry(nil)
	if err := registry.Add(circle()); err != nil {
		fmt.Println(err)
		return
	}
	var index explore.Index
	hits, err := index.Search(context.Background(), gongu.Everything(registry), "circle", 3)
	fmt.Println(len(hits), hits[0].Name, err)
	// Output: 1 draw_circle <nil>
}
