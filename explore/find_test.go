package explore_test

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/gongu-ai/gongu"
	"github.com/gongu-ai/gongu/explore"
)

func TestSearchTools(t *testing.T) {
	r := drawing(t, nil)
	keyed := tool("draw_sofa", "furniture", "소파를 그립니다\nSecond line")
	keyed.Keywords = []string{"sofa", "couch"}
	if err := r.Add(keyed); err != nil {
		t.Fatal(err)
	}
	a := everything(t, r, nil)
	for query, want := range map[string]string{
		"draw_rect":          "draw_rect",
		"draw a circle":      "draw_circle",
		"직사각형을 그려줘":          "draw_rect",
		"소파 couch":           "draw_sofa",
		"a couch, please":    "draw_sofa",
		"drwa_cirlce":        "draw_circle", // no word of it is known: a slip
		"export scene 내보내기":  "export_json",
		"엔티티 목록 list entity": "list_entities",
	} {
		args, _ := json.Marshal(map[string]string{"query": query})
		var got page
		a.into("search_tools", string(args), &got)
		if len(got.Tools) == 0 || len(got.Tools) > 8 || got.Tools[0].Name != want {
			t.Errorf("%s: got %q, want %s", query, got.names(), want)
		}
		for _, found := range got.Tools {
			if strings.ContainsAny(found.Description, "\r\n") {
				t.Errorf("%s has more than a line: %q", found.Name, found.Description)
			}
		}
	}
}

func TestSearchWithoutAnAnswer(t *testing.T) {
	a := everything(t, drawing(t, nil), nil)
	r := a.call("search_tools", `{"query":"qqqq zzzz"}`)
	if !strings.HasPrefix(string(r.Output), `{"tools":[],"message":"No tool matches.`) {
		t.Errorf("%s", r.Output)
	}
	if err, _ := a.refused("search_tools", `{"query":"  "}`); err.Code != gongu.CodeInvalidArgs {
		t.Errorf("%+v", err)
	}
}

// Promise E1: never more than eight, one line each, and a reply stays small
// whatever the tools say: the figure is what bench/ holds to 400 tokens.
func TestE1SearchReplyIsBounded(t *testing.T) {
	letters := strings.Repeat("qzXj8", 20000)[:64<<10]
	for name, description := range map[string]string{
		"long":      strings.Repeat("find the data of a user ", 2500),
		"letters":   letters,
		"hangul":    strings.Repeat("뷁쀍쬻", 7000),
		"emoji":     strings.Repeat("\U0001F9D1\u200D\U0001F680", 5000),
		"quotes":    strings.Repeat(`"\`, 30000),
		"invisible": "find data " + strings.Repeat("\u200B\u2060\U000E0041", 5000) + "\x00\x1b[31m",
		"lines":     strings.Repeat("find\u2028data\n", 3000),
	} {
		r := gongu.NewRegistry(&gongu.RegistryOptions{Logger: silence()})
		var tools []gongu.Tool
		for i := range 30 {
			tools = append(tools, tool(fmt.Sprintf("find_data_%02d_%s", i, "QzXj8_vKw-Yg7HfTt4WzGm"), "d", description))
		}
		if err := r.Add(append(tools, explore.Tools(nil)...)...); err != nil {
			t.Fatal(err)
		}
		a := everything(t, r, nil)
		result := a.call("search_tools", `{"query":"find data"}`)
		var got page
		a.into("search_tools", `{"query":"find data"}`, &got)
		if len(got.Tools) == 0 || len(got.Tools) > 8 || len(result.Output) > 1600 {
			t.Errorf("%s: %d tools in %d bytes", name, len(got.Tools), len(result.Output))
		}
		if strings.ContainsAny(string(result.Output), "\u200B\u2060\x1b\n") || strings.Contains(string(result.Output), `\u`) {
			t.Errorf("%s: what cannot be seen is in the reply: %s", name, result.Output)
		}
	}
}

// The tools of a page in search order say enough to choose from.
func TestSearchLinesAreUseful(t *testing.T) {
	r := gongu.NewRegistry(&gongu.RegistryOptions{Logger: silence()})
	var tools []gongu.Tool
	const text = "Get the weather report of a city for a given day."
	for _, city := range []string{"berlin", "seoul", "paris", "busan", "rome", "tokyo", "london", "madrid", "oslo", "lima"} {
		tools = append(tools, tool("get_weather_"+city, "weather", text+" It needs an account.\nMore."))
	}
	if err := r.Add(append(tools, explore.Tools(nil)...)...); err != nil {
		t.Fatal(err)
	}
	var got page
	everything(t, r, nil).into("search_tools", `{"query":"weather report"}`, &got)
	if len(got.Tools) != 8 {
		t.Fatalf("%d tools", len(got.Tools))
	}
	for _, found := range got.Tools {
		if !strings.HasPrefix(found.Description, text[:len(text)-10]) {
			t.Errorf("%s: %q", found.Name, found.Description)
		}
	}
	if !slices.Contains(got.names(), "get_weather_seoul") && len(got.names()) < 8 {
		t.Errorf("%q", got.names())
	}
}
