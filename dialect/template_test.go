package dialect_test

import (
	"testing"

	"github.com/gongu-ai/gongu"
	"github.com/gongu-ai/gongu/dialect"
)

// A definition of an MCP server keeps its template: the order of its members and
// those that we do not know. What we speak for is ours.
func TestMCPTemplate(t *testing.T) {
	tool := gongu.Tool{
		Name: "srv__a", Title: "T", Description: "D", Parameters: `{"type":"object"}`, Output: `{"type":"string"}`,
		Annotations: gongu.Annotations{Destructive: new(true), OpenWorld: new(false)},
	}
	for _, tc := range []struct {
		name, template string
		change         func(*gongu.Tool)
		want           string
	}{
		{name: "no template", want: `{"name":"srv__a","title":"T","description":"D","inputSchema":{"type":"object"},"outputSchema":{"type":"string"},"annotations":{"destructiveHint":true,"openWorldHint":false}}`},
		{
			name:     "odd order",
			template: `{"_meta":{ "x" : 1 },"outputSchema":null,"name":null,"icons":[{"src":"i"}],"description":null,"annotations":{"title":"A","openWorldHint":null,"vendor":[]},"inputSchema":null,"title":null,"z":null}`,
			want:     `{"_meta":{ "x" : 1 },"outputSchema":{"type":"string"},"name":"srv__a","icons":[{"src":"i"}],"description":"D","annotations":{"title":"A","openWorldHint":false,"vendor":[],"destructiveHint":true},"inputSchema":{"type":"object"},"title":"T","z":null}`,
		},
		{
			name:     "what the server said and we do not",
			template: `{"title":null,"outputSchema":null,"annotations":null,"inputSchema":null,"description":null,"name":null,"e":1}`,
			change:   func(t *gongu.Tool) { t.Title, t.Output, t.Annotations = "", "", gongu.Annotations{} },
			want:     `{"inputSchema":{"type":"object"},"description":"D","name":"srv__a","e":1}`,
		},
		{
			name:     "what we say and the server did not",
			template: `{"e":1,"name":null}`,
			change:   func(t *gongu.Tool) { t.Parameters = "" },
			want:     `{"e":1,"name":"srv__a","title":"T","description":"D","inputSchema":{"type":"object","properties":{}},"outputSchema":{"type":"string"},"annotations":{"destructiveHint":true,"openWorldHint":false}}`,
		},
		{
			name:     "no description on either side",
			template: `{"name":null,"inputSchema":null,"e":"<&>"}`,
			change:   func(t *gongu.Tool) { *t = gongu.Tool{Name: t.Name, Template: t.Template} },
			want:     `{"name":"srv__a","inputSchema":{"type":"object","properties":{}},"e":"<&>"}`,
		},
		{
			name:     "no object",
			template: `[1]`,
			change:   func(t *gongu.Tool) { *t = gongu.Tool{Name: t.Name} },
			want:     `{"name":"srv__a","description":"","inputSchema":{"type":"object","properties":{}}}`,
		},
	} {
		own := tool
		own.Template = tc.template
		if tc.change != nil {
			tc.change(&own)
		}
		got, err := dialect.Declare(dialect.MCP, own, nil)
		if err != nil || string(got.JSON) != tc.want {
			t.Errorf("%s: %v\n got %s\nwant %s", tc.name, err, got.JSON, tc.want)
		}
		// Other providers have no place for it.
		if other, err := dialect.Declare(dialect.OpenAI, own, nil); err != nil || len(other.JSON) > 200 {
			t.Errorf("%s: %v %s", tc.name, err, other.JSON)
		}
	}
}
