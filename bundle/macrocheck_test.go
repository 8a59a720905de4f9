package bundle

import (
	"encoding/json"
	"os"
	"strings"
	"testing"

	"github.com/gongu-ai/gongu/macro"
)

const macros = `
-- gongu.yaml --
apiVersion: gongu/v1
kind: Macro
metadata: {name: draw_chair}
spec:
  description: Draws a chair.
  domain: furniture
  parameters: {type: object, properties: {width: {type: number}}}
  steps:
    - id: seat
      tool: draw_rect
      params: {name: seat, width: "${params.width}"}
    - id: legs
      tool: draw_rect
      forEach: "[0, params.width - 2]"
      when: steps.seat.status == 'ok'
      params: {name: "leg_${index}", x: "${item}"}
      onError: {output: null}
    - tool: draw_table
      onError: continue
  output: {legs: "${steps.legs.output}"}
---
apiVersion: gongu/v1
kind: Macro
metadata: {name: draw_table}
spec:
  description: Draws a table.
  steps:
    - {tool: draw_rect}
`

// promise E6: a macro in YAML is the macro in JSON.
func TestE6MacroDefinition(t *testing.T) {
	d := good(t, macros, nil).Macros()[0].Definition()
	got, err := json.Marshal(d)
	if err != nil {
		t.Fatal(err)
	}
	want := `{"name":"draw_chair","description":"Draws a chair.","domain":"furniture","parameters":{"type":"object","properties":{"width":{"type":"number"}}},` +
		`"steps":[{"id":"seat","tool":"draw_rect","params":{"name":"seat","width":"${params.width}"}},` +
		`{"id":"legs","tool":"draw_rect","params":{"name":"leg_${index}","x":"${item}"},"when":"steps.seat.status == 'ok'","forEach":"[0, params.width - 2]","onError":{"output":null}},` +
		`{"tool":"draw_table","onError":"continue"}],"output":{"legs":"${steps.legs.output}"}}`
	if string(got) != want {
		t.Errorf("got  %s\nwant %s", got, want)
	}
	if _, err := macro.Parse(got); err != nil {
		t.Error(err)
	}
	if _, err := d.Tool(nil); err != nil {
		t.Error(err)
	}
}

// Each line breaks one thing about a macro.
func TestE6MacroRefused(t *testing.T) {
	for _, c := range []struct{ old, new, code, path, hint string }{
		{`"${params.width}"`, `"${params.widht}"`, CodeSchemaInvalid, "#0.spec.steps[0].params.width", "width"},
		{`"${params.width}"`, `"${width}"`, CodeSchemaInvalid, "#0.spec.steps[0].params.width", "params.width"},
		{`"${params.width}"`, `"${steps.legs.output}"`, CodeSchemaInvalid, "#0.spec.steps[0].params.width", "id"},
		{`"${params.width}"`, `"${params.width"`, CodeSchemaInvalid, "#0.spec.steps[0].params.width", "$${"},
		{`"${params.width}"`, `"${item}"`, CodeSchemaInvalid, "#0.spec.steps[0].params.width", "forEach"},
		{`"[0, params.width - 2]"`, `"5"`, CodeSchemaInvalid, "#0.spec.steps[1].forEach", "list"},
		{`steps.seat.status == 'ok'`, `steps.seat.status ==`, CodeSchemaInvalid, "#0.spec.steps[1].when", "CEL"},
		{`steps.seat.status == 'ok'`, `"'yes'"`, CodeSchemaInvalid, "#0.spec.steps[1].when", "params.n > 0"},
		{`"${steps.legs.output}"`, `"${steps.leg.output}"`, CodeSchemaInvalid, "#0.spec.output.legs", "seat, legs"},
		{`{output: null}`, `{output: "${item + nope}"}`, CodeSchemaInvalid, "#0.spec.steps[1].onError.output", "item"},
		{"id: seat", "id: the-seat", CodeSchemaInvalid, "#0.spec.steps[0].id", "the_seat"},
		{"tool: draw_rect\n      params: {name: seat", "tool: draw rect\n      params: {name: seat", CodeSchemaInvalid, "#0.spec.steps[0].tool", ""},
		{"domain: furniture", `domain: " furniture"`, CodeSchemaInvalid, "#0.spec.domain", "furniture"},
		{"- {tool: draw_rect}", "- {tool: draw_chair}", CodeSchemaInvalid, "#0.spec.steps[2].tool", "forEach"},
	} {
		archive := strings.Replace(macros, c.old, c.new, 1)
		if archive == macros {
			t.Fatalf("%s: nothing replaced", c.old)
		}
		if c.old == "id: seat" { // and those who use it
			archive = strings.Replace(archive, "      when: steps.seat.status == 'ok'\n", "", 1)
		}
		wantOnly(t, bad(t, archive, nil), c.code, c.path, c.hint)
	}
}

// What the expression says is pointed at, in the reader's language.
func TestMacroDiagnosticShowsExpression(t *testing.T) {
	archive := strings.Replace(macros, `"${params.width}"`, `"${1 + width}"`, 1)
	d := bad(t, archive, nil).Only(SeverityError)[0]
	if want := "there is no variable \"width\"\n  1 + width\n      ^"; d.Message != want || d.Line != 11 || d.Column != 35 {
		t.Errorf("%d:%d: %s", d.Line, d.Column, d.Message)
	}
	d = bad(t, archive, &Options{Lang: "ko"}).Only(SeverityError)[0]
	if !strings.Contains(d.Message, "변수 \"width\"이(가) 없습니다") {
		t.Error(d.Message)
	}
}

// The example of the documents loads.
func TestDocumentedMacro(t *testing.T) {
	page, err := os.ReadFile("../docs/bundles.md")
	if err != nil {
		t.Fatal(err)
	}
	_, section, _ := strings.Cut(string(page), "### Macros\n\n```yaml\n")
	example, _, ok := strings.Cut(section, "```")
	if !ok {
		t.Fatal("docs/bundles.md has no example of a Macro")
	}
	m := good(t, "-- gongu.yaml --\n"+example, nil).Macros()
	if len(m) != 1 || len(m[0].Spec.Steps) != 3 {
		t.Errorf("%+v", m)
	}
}
