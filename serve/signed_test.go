package serve_test

import (
	"context"
	"encoding/json"
	"strings"
	"testing"

	"github.com/gongu-ai/gongu"
	"github.com/gongu-ai/gongu/internal/relay"
	"github.com/gongu-ai/gongu/serve"
)

// Results of the modern era say whose they are: those made here name us, beside
// what a tool says itself; those of an upstream stay as they are.
func TestResultsSayWhoseTheyAre(t *testing.T) {
	const key = "io.modelcontextprotocol/serverInfo"
	fromUpstream := `{"resultType":"complete","content":[],"_meta":{"` + key + `":{"name":"theirs","version":"9"}}}`
	tools := []gongu.Tool{
		tool("plain", func(context.Context, json.RawMessage) gongu.Result { return says("text") }),
		tool("shaped", func(context.Context, json.RawMessage) gongu.Result { return gongu.OK(map[string]int{"n": 1}) }),
		tool("fails", func(context.Context, json.RawMessage) gongu.Result {
			return gongu.Fail(&gongu.Error{Message: "no", Code: gongu.CodeTool})
		}),
		tool("noted", func(context.Context, json.RawMessage) gongu.Result {
			r := says("text")
			r.Meta = json.RawMessage(`{"mine":1}`)
			return r
		}),
		tool("speaks for itself", nil),
	}
	tools[4].Name = "other"
	tools[4].Invoke = func(context.Context, gongu.Call) gongu.Result {
		r := says("text")
		r.Meta = json.RawMessage(`{"` + key + `":{"name":"itself","version":"1"}}`)
		return r
	}
	tools = append(tools, native("upstream", func(*relay.Call) string { return fromUpstream }))
	s := newServer(t, serve.Options{Backend: newBackend(t, nil, tools...), Version: "7"})
	c := as(t, s, gongu.Principal{Name: "p"})
	for name, want := range map[string]string{
		"plain": "gongu", "shaped": "gongu", "fails": "gongu", "noted": "gongu", "other": "itself", "upstream": "theirs",
	} {
		_, body := c.modern("tools/call", `"name":"`+name+`"`, "{}")
		var out struct {
			Result struct {
				ResultType string                     `json:"resultType"`
				Meta       map[string]json.RawMessage `json:"_meta"`
			} `json:"result"`
		}
		var info struct{ Name, Version string }
		if err := json.Unmarshal([]byte(body), &out); err != nil || json.Unmarshal(out.Result.Meta[key], &info) != nil {
			t.Errorf("%s: %v in %s", name, err, body)
		}
		if info.Name != want || info.Version == "" || out.Result.ResultType != "complete" || strings.Count(body, key) != 1 {
			t.Errorf("%s: %s", name, body)
		}
		if name == "noted" && string(out.Result.Meta["mine"]) != "1" {
			t.Errorf("the tool's own _meta is lost: %s", body)
		}
		if name == "fails" && len(out.Result.Meta) < 2 {
			t.Errorf("V2's code is lost: %s", body)
		}
	}
	if _, body := as(t, s, gongu.Principal{Name: "p"}).begin("{}").post(legacyCall("plain")); strings.Contains(body, key) {
		t.Errorf("a session is told at its beginning: %s", body)
	}
}
