package explore_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/gongu-ai/gongu"
	"github.com/gongu-ai/gongu/explore"
	"github.com/gongu-ai/gongu/toolrequest"
)

// secrets are tools that another agent has, made to be near to everything.
func secrets() []gongu.Tool {
	var tools []gongu.Tool
	for i, name := range []string{"draw_rectangle", "draw_rounded_rect", "draw_circles", "list_entity", "delete_everything"} {
		tools = append(tools, tool(name, []string{"primitives", "secret"}[i%2], "Draw a circle, a rectangle, 직사각형을 그립니다. hush"))
	}
	return tools
}

// A caller cannot tell a registry with hidden tools from one without them:
// whatever it asks, the answers are the same to the byte.
func TestHiddenToolsDoNotExist(t *testing.T) {
	options := func(index *explore.Index) *explore.Options {
		o := all()
		o.Index, o.Requests = index, toolrequest.NewMemory()
		return o
	}
	var index explore.Index
	plain := drawing(t, options(&index))
	var names []string
	for _, tool := range plain.Tools() {
		names = append(names, tool.Name)
	}
	full := drawing(t, options(&index))
	if err := full.Add(secrets()...); err != nil {
		t.Fatal(err)
	}
	full.Domain("secret", "hush")
	boss := everything(t, full, nil)
	selected, err := gongu.NewCatalog(full, &gongu.CatalogOptions{Names: names})
	if err != nil {
		t.Fatal(err)
	}
	views := map[string]agent{
		"restricted catalog":  with(t, full, gongu.Everything(full).Restrict(names...), nil),
		"restricted registry": with(t, full, gongu.Everything(full.Restrict(names...)), nil),
		"selected catalog":    with(t, full, selected, nil),
	}
	want := everything(t, plain, nil)
	for i, ask := range [][2]string{
		{"list_domains", `{}`},
		{"list_tools", `{}`},
		{"list_tools", `{"limit":2}`},
		{"list_tools", `{"domain":"primitives"}`},
		{"list_tools", `{"domain":"secret"}`},
		{"list_tools", `{"domain":"secre"}`},
		{"get_tool_schema", `{"name":"draw_rectangle"}`},
		{"get_tool_schema", `{"name":"delete_everythin"}`},
		{"get_tool_schema", `{"name":"draw_circel"}`},
		{"search_tools", `{"query":"draw a circle"}`},
		{"search_tools", `{"query":"delete_everything"}`},
		{"search_tools", `{"query":"hush rectangle 직사각형"}`},
		{"call_tool", `{"name":"delete_everything"}`},
		{"call_tool", `{"name":"draw_rectangel"}`},
		{"register_tool", `{"name":"m","description":"d","implementation":"macro","steps":[{"tool":"delete_everything","params":{}}]}`},
		{"run_code", `{"code":"delete_everything {}"}`},
		{"run_code", `{"typings":["delete_everything"]}`},
	} {
		boss.call(ask[0], ask[1]) // the index has the secrets, too
		expected := shown(want.call(ask[0], ask[1]))
		for name, view := range views {
			got := shown(view.call(ask[0], ask[1]))
			if got != expected {
				t.Errorf("%s, %s(%s):\n got %s\nwant %s", name, ask[0], ask[1], got, expected)
			}
			if strings.Contains(got, "hush") {
				t.Errorf("%s, %s(%s): %s", name, ask[0], ask[1], got)
			}
		}
		if i == 0 && !strings.Contains(shown(boss.call(ask[0], ask[1])), "secret") {
			t.Error("the boss does not see the secret domain")
		}
	}
	// A request does not say that the tool is there for others, and nothing
	// like it is shown.
	for name, view := range views {
		got := shown(view.call("request_tool", fmt.Sprintf(`{"name":"delete_everything","description":"hush, %s"}`, name)))
		if !strings.Contains(got, "request_id") || strings.Contains(got, "draw_rounded_rect") || strings.Contains(got, "list_entity\"") {
			t.Errorf("%s: %s", name, got)
		}
	}
}

func shown(r gongu.Result) string {
	text := r.Status + " " + string(r.Output)
	if r.Error != nil {
		text += " " + r.Error.Message + " " + r.Error.Suggestion
	}
	return text
}
