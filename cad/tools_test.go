package cad_test

import (
	"context"
	"encoding/json"
	"math"
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/gongu-ai/gongu"
	"github.com/gongu-ai/gongu/cad"
)

// desk is a registry with the tools of the package.
type desk struct {
	t        *testing.T
	registry *gongu.Registry
	executor *gongu.Executor
}

func newDesk(t *testing.T, store cad.Store, language string) *desk {
	t.Helper()
	r := gongu.NewRegistry(nil)
	opts := &cad.Options{Lang: language}
	if err := r.Add(cad.Tools(store, opts)...); err != nil {
		t.Fatal(err)
	}
	cad.Domains(r, opts)
	return &desk{t, r, gongu.NewExecutor(r, &gongu.ExecutorOptions{Catalog: gongu.Everything(r), Lang: language})}
}

func (d *desk) call(name, args string) gongu.Result {
	d.t.Helper()
	return d.executor.Call(d.t.Context(), gongu.Call{ID: "c", Name: name, Args: json.RawMessage(args)})
}

// ok wants an output.
func (d *desk) ok(name, args, want string) {
	d.t.Helper()
	r := d.call(name, args)
	if r.Failed() || string(r.Output) != want {
		d.t.Errorf("%s %s\n got %s %+v\nwant %s", name, args, r.Output, r.Error, want)
	}
}

// refused wants a code, and the suggestions in the output.
func (d *desk) refused(name, args, code, message string, suggestions ...string) gongu.Result {
	d.t.Helper()
	r := d.call(name, args)
	if !r.Failed() || r.Error.Code != code || r.Error.Message != message {
		d.t.Fatalf("%s %s: %s %+v, want %s %q", name, args, r.Output, r.Error, code, message)
	}
	var output struct{ Suggestions []string }
	if len(r.Output) > 0 {
		if err := json.Unmarshal(r.Output, &output); err != nil {
			d.t.Fatal(err)
		}
	}
	if !slices.Equal(output.Suggestions, suggestions) {
		d.t.Errorf("%s %s: suggestions %q, want %q", name, args, output.Suggestions, suggestions)
	}
	return r
}

// promise E3, E7: domains and their tools, in the order of the seed's table.
func TestE3DomainsAndTools(t *testing.T) {
	for language, texts := range map[string][]string{
		"en": {"Draw basic shapes", "Set the style", "Export the scene", "Look at the state of the scene", "Move, turn, scale, delete; undo and redo"},
		"ko": {"기본 도형 그리기", "스타일 설정", "씬 내보내기", "씬 상태 조회", "이동, 회전, 크기 조절, 삭제와 실행 취소"},
	} {
		d := newDesk(t, cad.NewMemory(), language)
		got := map[string][]string{}
		var domains []gongu.Domain
		for _, domain := range d.registry.Domains() {
			domains = append(domains, domain)
			for _, tool := range d.registry.InDomain(domain.Name) {
				got[domain.Name] = append(got[domain.Name], tool.Name)
			}
		}
		want := []gongu.Domain{
			{Name: "primitives", Count: 4, Description: texts[0]}, {Name: "style", Count: 4, Description: texts[1]},
			{Name: "export", Count: 2, Description: texts[2]}, {Name: "query", Count: 3, Description: texts[3]},
			{Name: "transforms", Count: 6, Description: texts[4]},
		}
		if diff := cmp.Diff(want, domains); diff != "" {
			t.Error(diff)
		}
		if diff := cmp.Diff(map[string][]string{
			"primitives": {"draw_rect", "draw_circle", "draw_line", "draw_arc"},
			"style":      {"set_stroke", "set_fill", "remove_stroke", "remove_fill"},
			"export":     {"export_json", "export_svg"},
			"query":      {"list_entities", "get_entity", "get_scene_info"},
			"transforms": {"translate", "rotate", "scale", "delete", "undo", "redo"},
		}, got); diff != "" {
			t.Error(diff)
		}
	}
}

// promise E4: the Korean texts are the seed's, word for word.
func TestE4KoreanTextsAreTheSeeds(t *testing.T) {
	d := newDesk(t, cad.NewMemory(), "ko")
	for name, want := range map[string]string{
		"draw_rect": "직사각형을 그립니다", "draw_circle": "원을 그립니다", "draw_line": "선분/폴리라인을 그립니다", "draw_arc": "호를 그립니다",
	} {
		if tool, _ := d.registry.Get(name); tool.Description != want {
			t.Errorf("%s: %q, want %q", name, tool.Description, want)
		}
	}
	tool, _ := d.registry.Get("draw_rect")
	if want := `{"type":"object","properties":{"name":{"type":"string","description":"엔티티 이름"},"x":{"type":"number","description":"X 좌표"},`; !strings.HasPrefix(string(tool.Parameters), want) {
		t.Errorf("parameters %s, want %s…", tool.Parameters, want)
	}
	if want := `"required":["name","x","y","width","height"],"additionalProperties":false}`; !strings.HasSuffix(string(tool.Parameters), want) {
		t.Errorf("parameters …%s, want …%s", tool.Parameters, want)
	}
}

// Facts: the parameters of each tool, * required.
func TestParametersAreTheFacts(t *testing.T) {
	d := newDesk(t, cad.NewMemory(), "")
	for name, want := range map[string]string{
		"draw_line":      "name* points* style",
		"draw_circle":    "name* x* y* radius* style",
		"draw_rect":      "name* x* y* width* height* style",
		"draw_arc":       "name* cx* cy* radius* start_angle* end_angle* angle_unit style",
		"set_stroke":     "name* stroke*",
		"set_fill":       "name* fill*",
		"remove_stroke":  "name*",
		"remove_fill":    "name*",
		"translate":      "name* dx* dy*",
		"rotate":         "name* angle* angle_unit",
		"scale":          "name* sx* sy*",
		"delete":         "name*",
		"get_entity":     "name*",
		"undo":           "",
		"redo":           "",
		"list_entities":  "",
		"get_scene_info": "",
		"export_json":    "",
		"export_svg":     "",
	} {
		tool, ok := d.registry.Get(name)
		if !ok {
			t.Errorf("no tool %s", name)
			continue
		}
		var schema struct {
			Properties map[string]struct{ Description string }
			Required   []string
		}
		if err := json.Unmarshal([]byte(tool.Parameters), &schema); err != nil {
			t.Fatal(err)
		}
		var got []string
		for param := range strings.FieldsSeq(want) {
			param = strings.TrimSuffix(param, "*")
			property, ok := schema.Properties[param]
			if !ok || property.Description == "" {
				t.Errorf("%s.%s: missing or not described", name, param)
			}
			if slices.Contains(schema.Required, param) {
				param += "*"
			}
			got = append(got, param)
		}
		if strings.Join(got, " ") != want || len(schema.Properties) != len(got) {
			t.Errorf("%s: %v of %d, want %s", name, got, len(schema.Properties), want)
		}
	}
}

// Every nested member is described in both languages, and the examples work.
func TestToolsAreDescribedAndTheirExamplesWork(t *testing.T) {
	for _, language := range []string{"en", "ko"} {
		d := newDesk(t, cad.NewMemory(), language)
		for _, tool := range d.registry.Tools() {
			if tool.Title == "" || tool.Description == "" || len(tool.Keywords) == 0 || strings.Contains(string(tool.Parameters), `"description":""`) {
				t.Errorf("%s: %s is not fully described", language, tool.Name)
			}
			var schema any
			if err := json.Unmarshal([]byte(tool.Parameters), &schema); err != nil {
				t.Fatal(err)
			}
			described(t, tool.Name, schema)
			// The examples build on each other, but for undo: draw what it undoes.
			if r := d.call(tool.Name, string(tool.Examples[0])); r.Failed() && tool.Name != "redo" {
				t.Errorf("%s: the example fails: %+v", tool.Name, r.Error)
			}
		}
	}
}

func described(t *testing.T, path string, node any) {
	t.Helper()
	object, ok := node.(map[string]any)
	if !ok {
		return
	}
	properties, ok := object["properties"].(map[string]any)
	if !ok {
		return
	}
	for name, property := range properties {
		member, ok := property.(map[string]any)
		if !ok || member["description"] == nil {
			t.Errorf("%s.%s has no description", path, name)
		}
		described(t, path+"."+name, property)
	}
}

// promise B8, for these tools.
func TestAnnotations(t *testing.T) {
	for _, tool := range cad.Tools(cad.NewMemory(), nil) {
		a := tool.Annotations
		reads := tool.Domain == "query" || tool.Domain == "export"
		if a.IsReadOnly() != reads || a.IsOpenWorld() || a.IsDestructive() != (tool.Name == "delete") {
			t.Errorf("%s: %+v", tool.Name, a)
		}
		if want := reads || tool.Domain == "style"; a.IsIdempotent() != want {
			t.Errorf("%s: idempotent %v", tool.Name, a.IsIdempotent())
		}
	}
}

func TestToolsDraw(t *testing.T) {
	d := newDesk(t, cad.NewFolder(t.TempDir()), "")
	d.ok("list_entities", `{}`, `[]`)
	d.ok("get_scene_info", `{}`, `{"name":"","entity_count":0,"bounds":null,"last_operation":null}`)
	d.ok("export_json", `{}`, `{"entities":[]}`)
	d.ok("draw_rect", `{"name":"seat","x":1,"y":2,"width":-3,"height":4}`,
		`{"entity":"seat","type":"rect","warnings":["width was -3, which cannot be drawn; 3 is used."]}`)
	d.ok("draw_circle", `{"name":"lamp","x":0,"y":0,"radius":2,"style":{"fill":{"color":[1,0,0,1]},"stroke":null}}`, `{"entity":"lamp","type":"circle"}`)
	d.ok("draw_line", `{"name":"wall","points":[0,0,5,5],"style":{"stroke":{"dash":[1,2],"cap":"Round"}}}`, `{"entity":"wall","type":"line"}`)
	d.ok("draw_arc", `{"name":"back","cx":0,"cy":0,"radius":2,"start_angle":0,"end_angle":180,"angle_unit":"degree"}`, `{"entity":"back","type":"arc"}`)
	d.ok("list_entities", `{}`, `[{"name":"seat","type":"rect"},{"name":"lamp","type":"circle"},{"name":"wall","type":"line"},{"name":"back","type":"arc"}]`)
	d.ok("get_scene_info", `{}`, `{"name":"","entity_count":4,"bounds":{"min":[-2,-2],"max":[5,6]},"last_operation":"draw_arc: back"}`)

	d.ok("get_entity", `{"name":"lamp"}`, `{"name":"lamp","type":"circle","geometry":{"x":0,"y":0,"radius":2},"style":{"stroke":null,"fill":{"color":[1,0,0,1]}},"transform":{"translate":[0,0],"rotate":0,"scale":[1,1]},"bounds":{"min":[-2,-2],"max":[2,2]}}`)
	d.ok("get_entity", `{"name":"wall"}`, `{"name":"wall","type":"line","geometry":{"points":[0,0,5,5]},"style":{"stroke":{"color":[0,0,0,1],"width":1,"dash":[1,2],"cap":"Round","join":"Miter"},"fill":null},"transform":{"translate":[0,0],"rotate":0,"scale":[1,1]},"bounds":{"min":[0,0],"max":[5,5]}}`)
	var arc struct{ Geometry cad.Arc }
	if r := d.call("get_entity", `{"name":"back"}`); json.Unmarshal(r.Output, &arc) != nil || arc.Geometry.EndAngle != math.Pi {
		t.Errorf("angles are kept in radians: %s", r.Output)
	}

	d.ok("set_stroke", `{"name":"seat","stroke":{"width":2}}`, `{"entity":"seat","type":"rect"}`)
	d.ok("set_fill", `{"name":"seat","fill":{"color":[0,0,1,1]}}`, `{"entity":"seat","type":"rect"}`)
	d.ok("remove_stroke", `{"name":"seat"}`, `{"entity":"seat","type":"rect"}`)
	d.ok("remove_fill", `{"name":"lamp"}`, `{"entity":"lamp","type":"circle"}`)
	d.ok("translate", `{"name":"seat","dx":10,"dy":0}`, `{"entity":"seat","type":"rect"}`)
	d.ok("rotate", `{"name":"seat","angle":90,"angle_unit":"degree"}`, `{"entity":"seat","type":"rect"}`)
	d.ok("scale", `{"name":"seat","sx":2,"sy":0}`, `{"entity":"seat","type":"rect","warnings":["sy was 0, which cannot be drawn; 0.001 is used."]}`)
	d.ok("undo", `{}`, `{"entity":"seat","type":"rect","operation":"scale"}`)
	d.ok("redo", `{}`, `{"entity":"seat","type":"rect","operation":"scale"}`)
	d.ok("delete", `{"name":"wall"}`, `{"entity":"wall","type":"line"}`)
	d.ok("undo", `{}`, `{"entity":"wall","type":"line","operation":"delete"}`)
	if r := d.call("export_svg", `{}`); !strings.Contains(string(r.Output), `data-name=\"seat\"`) {
		t.Errorf("svg %s", r.Output)
	}
	var drawing cad.Drawing
	if r := d.call("export_json", `{}`); json.Unmarshal(r.Output, &drawing) != nil || len(drawing.Entities) != 4 || drawing.LastOperation != "undo: delete: wall" {
		t.Errorf("export %s", r.Output)
	}
}

func TestToolsRefuse(t *testing.T) {
	d := newDesk(t, cad.NewMemory(), "")
	d.ok("draw_rect", `{"name":"seat","x":0,"y":0,"width":1,"height":1}`, `{"entity":"seat","type":"rect"}`)
	r := d.refused("set_fill", `{"name":"seet","fill":{"color":[0,0,0,1]}}`, cad.CodeNotFound, "Entity not found: seet", "seat")
	if want := "Did you mean seat? Call list_entities to see the names there are."; r.Error.Suggestion != want || !strings.HasSuffix(r.Error.HelpURL, cad.CodeNotFound) || r.Error.Name != "EntityNotFoundError" {
		t.Errorf("%+v", r.Error)
	}
	if r := d.refused("delete", `{"name":"xyzzy"}`, cad.CodeNotFound, "Entity not found: xyzzy"); string(r.Output) != `{"suggestions":[]}` {
		t.Errorf("output %s", r.Output)
	}
	for _, name := range []string{"get_entity", "remove_stroke", "remove_fill"} {
		d.refused(name, `{"name":"seats"}`, cad.CodeNotFound, "Entity not found: seats", "seat")
	}
	r = d.refused("draw_circle", `{"name":"seat","x":0,"y":0,"radius":1}`, cad.CodeDuplicateName, "duplicate_name: an entity named 'seat' already exists", "seat_2")
	if want := "Choose another name, or delete 'seat' first. seat_2 is free."; r.Error.Suggestion != want {
		t.Errorf("suggestion %q", r.Error.Suggestion)
	}
	d.refused("redo", `{}`, cad.CodeNoHistory, "there is nothing to redo")
	d.refused("draw_line", `{"name":"l","points":[0,0,1,1,2]}`, cad.CodeInvalid, "points must be [x1, y1, x2, y2, ...] with at least two points, but has 5 numbers")
	d.refused("draw_circle", `{"name":"c","x":1e10,"y":0,"radius":1}`, cad.CodeInvalid, "x, y, radius: 1e+10 is not a number between -1e+09 and 1e+09")
	d.refused("draw_circle", `{"name":"c","x":1e400,"y":0,"radius":1}`, gongu.CodeInvalidArgs, "Invalid arguments for tool 'draw_circle': args.x: 1e400 does not fit float64")
	for _, args := range []string{
		`{"name":"c","x":0,"y":0}`, `{"name":"c","x":"0","y":0,"radius":1}`, `{"name":"c","x":0,"y":0,"radius":1,"r":2}`,
		`{"name":"c","x":0,"y":0,"radius":1,"style":{"fill":{"color":[255,0,0,1]}}}`, `{"name":"c","x":0,"y":0,"radius":1,"style":{"stroke":{"cap":"butt"}}}`,
	} {
		if r := d.call("draw_circle", args); !r.Failed() || r.Error.Code != gongu.CodeInvalidArgs {
			t.Errorf("%s: %+v", args, r)
		}
	}
	ko := newDesk(t, cad.NewMemory(), "ko")
	ko.refused("undo", `{}`, cad.CodeNoHistory, "되돌릴 작업이 없습니다")
}

// The scene of a call is that of its instance.
func TestScenesBelongToInstances(t *testing.T) {
	d := newDesk(t, cad.NewFolder(t.TempDir()), "")
	in := func(instance string) context.Context {
		ctx, err := gongu.WithContext(t.Context(), gongu.Context{AgentName: "a", InstanceKey: instance, TurnID: "t", TraceID: strings.Repeat("0", 32)})
		if err != nil {
			t.Fatal(err)
		}
		return ctx
	}
	draw := gongu.Call{Name: "draw_circle", Args: json.RawMessage(`{"name":"c","x":0,"y":0,"radius":1}`)}
	for _, instance := range []string{"one", "two"} {
		if r := d.executor.Call(in(instance), draw); r.Failed() {
			t.Errorf("%s: %+v", instance, r.Error)
		}
	}
	if r := d.executor.Call(in("one"), draw); !r.Failed() {
		t.Error("the second circle in one scene was drawn")
	}
}

// A broken file is an answer that says what to do, not a crash.
func TestToolsSayThatTheFileIsBroken(t *testing.T) {
	store := cad.NewFolder(t.TempDir())
	d := newDesk(t, store, "")
	d.ok("draw_rect", `{"name":"seat","x":0,"y":0,"width":1,"height":1}`, `{"entity":"seat","type":"rect"}`)
	if err := os.WriteFile(store.Path("default"), []byte(`{"version":1,`), 0o600); err != nil {
		t.Fatal(err)
	}
	for _, name := range []string{"list_entities", "undo"} {
		r := d.call(name, `{}`)
		if !r.Failed() || r.Error.Code != cad.CodeSceneFile || !strings.Contains(r.Error.Suggestion, "left as it is") {
			t.Errorf("%s: %+v", name, r)
		}
	}
}

// promise E3: the answers of cad.Exec.
func TestE3ExecAnswers(t *testing.T) {
	d := newDesk(t, cad.NewMemory(), "")
	for _, tc := range []struct{ name, args, want string }{
		{"draw_rect", `{"name":"seat","x":0,"y":0,"width":2,"height":1}`, `{"success":true,"entity":"seat","type":"rect","data":{"entity":"seat","type":"rect"}}`},
		{"set_fill", `{"name":"seat","fill":{"color":[0,0,0,1]}}`, `{"success":true,"entity":"seat","type":"rect","data":{"entity":"seat","type":"rect"}}`},
		{"translate", `{"name":"seat","dx":1,"dy":1}`, `{"success":true,"entity":"seat","type":"rect","data":{"entity":"seat","type":"rect"}}`},
		{"undo", `{}`, `{"success":true,"entity":"seat","type":"rect","data":{"entity":"seat","type":"rect","operation":"translate"}}`},
		{"list_entities", `{}`, `{"success":true,"data":[{"name":"seat","type":"rect"}]}`},
		{"get_entity", `{"name":"seet"}`, `{"success":false,"error":"Entity not found: seet","suggestions":["seat"]}`},
		{"draw_rectangle", `{}`, `{"success":false,"error":"Tool 'draw_rectangle' is not available in the current Tool Catalog.","suggestions":["draw_rect"]}`},
	} {
		raw, err := json.Marshal(cad.Exec(t.Context(), d.executor, tc.name, json.RawMessage(tc.args)))
		if err != nil || string(raw) != tc.want {
			t.Errorf("%s\n got %s %v\nwant %s", tc.name, raw, err, tc.want)
		}
	}
	closed := gongu.NewExecutor(d.registry, nil)
	if answer := cad.Exec(t.Context(), closed, "undo", nil); answer.Success || answer.Error == "" {
		t.Errorf("without a catalog: %+v", answer)
	}
}
