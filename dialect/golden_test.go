package dialect

import (
	"bytes"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"testing"

	"github.com/gongu-ai/gongu"
	"github.com/gongu-ai/gongu/internal/lang"
)

var update = flag.Bool("update", false, "write the golden files anew")

// catalog is a handful of tools that have something for every dialect to do.
func catalog() []gongu.Tool {
	yes := true
	return []gongu.Tool{
		{
			Name:        "read_file", // the tool of seed 004
			Description: "파일 내용을 읽어 반환합니다",
			Parameters:  `{"type":"object","properties":{"path":{"type":"string","description":"읽을 파일의 절대 경로"}},"required":["path"]}`,
			Annotations: gongu.Annotations{ReadOnly: &yes},
		},
		{
			Name:        "search__find",
			Title:       "Find",
			Description: "Finds <things> & more.",
			Parameters: `{"type":"object","properties":{` +
				`"query":{"type":"string","minLength":2,"maxLength":80,"description":"What to look for."},` +
				`"sort":{"enum":["new","old"],"default":"new"},` +
				`"limit":{"type":"integer","minimum":1,"exclusiveMaximum":101,"default":10},` +
				`"tags":{"type":"array","items":{"type":"string","format":"uri"},"uniqueItems":true},` +
				`"near":{"type":["string","null"]},` +
				`"range":{"type":"array","prefixItems":[{"type":"number"},{"type":"number"}],"items":false,"minItems":2}` +
				`},"required":["query"],"additionalProperties":false}`,
			Output: `{"type":"object","properties":{"hits":{"type":"array","items":{"type":"string"}}}}`,
		},
		{
			Name:        "shape__draw",
			Description: "Draws a shape.",
			Parameters: `{"type":"object","properties":{"layer":{"$ref":"#/$defs/layer","description":"Where."}},"oneOf":[` +
				`{"properties":{"kind":{"const":"circle"},"r":{"type":"number","exclusiveMinimum":0}},"required":["kind","r"]},` +
				`{"properties":{"kind":{"const":"line"},"to":{"type":"array","items":{"type":"number"}}},"required":["kind","to"]}],` +
				`"$defs":{"layer":{"type":"object","properties":{"name":{"type":"string"},"parent":{"$ref":"#/$defs/layer"}},"required":["name"]}}}`,
		},
		{
			Name:        "env__set",
			Description: "Sets variables.",
			Parameters:  `{"type":"object","properties":{"vars":{"type":"object","additionalProperties":{"type":"string"}},"value":{}},"required":["vars"]}`,
		},
		{Name: "ping"},
	}
}

func results() map[string]gongu.Result {
	answer := func(r gongu.Result) gongu.Result {
		r.ToolCallID, r.ToolName = "call_1", "read_file"
		return r
	}
	png := gongu.Content{Type: "image", Data: []byte("not really a picture"), MIMEType: "image/png"}
	wav := gongu.Content{Type: "audio", Data: []byte("la la"), MIMEType: "audio/wav"}
	// Gemini F03: text and blobs of resources, and links to them.
	doc := gongu.Content{Type: "resource", Resource: json.RawMessage(`{"uri":"file:///a/b.pdf","mimeType":"application/pdf","blob":"JVBERg=="}`)}
	note := gongu.Content{Type: "resource", Resource: json.RawMessage(`{"uri":"note://1","mimeType":"text/markdown","text":"# Hi"}`)}
	link := gongu.Content{Type: "resource_link", URI: "file:///x.csv", Name: "x.csv", MIMEType: "text/csv"}
	denied := gongu.Fail(errors.New("파일이 존재하지 않습니다: /x"))
	denied.Error.Code, denied.Error.Name = gongu.CodeTool, "Error"
	denied.Error.Suggestion, denied.Error.HelpURL = "입력 파라미터를 확인하세요.", lang.HelpBase+"/E_TOOL"
	upstream := denied
	upstream.Content = json.RawMessage(`[{"type":"text","text":"no such file"},{"type":"image","data":"AAAA","mimeType":"image/png"}]`)
	upstream.Meta = json.RawMessage(`{"trace":"t-1","code":"upstream"}`)
	return map[string]gongu.Result{
		"text":     answer(gongu.OK("hello\n<world>")),
		"json":     answer(gongu.OK(map[string]any{"count": 2, "items": []string{"a", "b"}})),
		"list":     answer(gongu.OK([]int{1, 2})),
		"null":     answer(gongu.OK(nil)),
		"image":    answer(gongu.OK("one picture").With(png)),
		"audio":    answer(gongu.OK(nil).With(wav)),
		"resource": answer(gongu.OK(nil).With(doc, note, link)),
		"error":    answer(denied),
		"upstream": answer(upstream),
	}
}

// golden compares with a file in testdata, or writes it.
func golden(t *testing.T, name string, got []byte) {
	t.Helper()
	file := filepath.Join("testdata", name)
	if *update {
		if err := os.MkdirAll(filepath.Dir(file), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(file, got, 0o644); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	if !bytes.Equal(got, want) {
		t.Errorf("%s differs; run with -update and read the difference:\n%s", file, got)
	}
}

func indent(t *testing.T, raw json.RawMessage) []byte {
	t.Helper()
	var out bytes.Buffer
	if err := json.Indent(&out, raw, "", "  "); err != nil {
		t.Fatalf("%v: %s", err, raw)
	}
	return out.Bytes()
}

// H5: the declarations of every dialect, with what each cannot carry.
func TestGoldenDeclarations(t *testing.T) {
	for _, d := range All() {
		t.Run(string(d), func(t *testing.T) {
			declared, err := DeclareAll(d, catalog(), nil)
			if err != nil {
				t.Fatal(err)
			}
			out := bytes.NewBuffer(indent(t, declared.JSON))
			out.WriteString("\n")
			for _, l := range declared.Losses {
				fmt.Fprintf(out, "loss: %s\n", l)
			}
			golden(t, "declare/"+string(d)+".txt", out.Bytes())
		})
	}
}

// H5: the results of every dialect: text, image, audio, resources, errors.
func TestGoldenResults(t *testing.T) {
	names := []string{"text", "json", "list", "null", "image", "audio", "resource", "error", "upstream"}
	for _, d := range All() {
		t.Run(string(d), func(t *testing.T) {
			var out bytes.Buffer
			for _, name := range names {
				raw, err := EncodeResult(d, results()[name], nil)
				if err != nil {
					t.Fatal(err)
				}
				fmt.Fprintf(&out, "-- %s --\n%s\n", name, indent(t, raw))
			}
			golden(t, "result/"+string(d)+".txt", out.Bytes())
		})
	}
}
