package relay_test

import (
	"context"
	"encoding/json"
	"slices"
	"testing"

	"github.com/gongu-ai/gongu/internal/relay"
)

func TestPassedOnlyTheSameBytes(t *testing.T) {
	result := json.RawMessage(`{"content":[1],"_meta":{"a":1}}`)
	content, meta := result[11:14], result[23:30]
	c := &relay.Call{}
	if _, ok := c.Passed(nil, nil, nil); ok {
		t.Error("a call without a result passed one")
	}
	c.Keep(result, nil, content, meta)
	if got, ok := c.Passed(json.RawMessage("null"), content, meta); !ok || &got[0] != &result[0] {
		t.Errorf("%s, %v", got, ok)
	}
	for name, parts := range map[string][3]json.RawMessage{
		"another output":  {json.RawMessage(`{"truncated":true}`), content, meta},
		"a copy":          {nil, slices.Clone(content), meta},
		"content is gone": {nil, nil, meta},
		"meta is gone":    {nil, content, nil},
	} {
		if _, ok := c.Passed(parts[0], parts[1], parts[2]); ok {
			t.Errorf("%s: passed", name)
		}
	}
}

func TestContext(t *testing.T) {
	if relay.Of(context.Background()) != nil {
		t.Error("a call out of nothing")
	}
	c := &relay.Call{}
	c.Refuse(relay.Refusal{Code: -32021, Message: "m"})
	if got := relay.Of(relay.With(context.Background(), c)); got != c || got.Refused().Code != -32021 {
		t.Errorf("%+v", got)
	}
}

// TestTo: what a tool calls in turn is not on its way to the client.
func TestTo(t *testing.T) {
	var none *relay.Call
	c, any := &relay.Call{Tool: "a"}, &relay.Call{}
	if none.To("a") != nil || c.To("a") != c || c.To("b") != nil || any.To("b") != any {
		t.Error("the call went to the wrong tool")
	}
}
