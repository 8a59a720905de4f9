// Package cad tells the story of the example: a model that wants a curved sofa
// looks for a tool, asks for one, draws it from arcs and lines meanwhile, and
// has the tool once a person has approved it.
package cad

import (
	"context"
	"encoding/json"
	"image"
	"os"
	"path/filepath"
	"slices"
	"testing"

	"github.com/gongu-ai/gongu"
	"github.com/gongu-ai/gongu/bundle"
	"github.com/gongu-ai/gongu/cad"
	"github.com/gongu-ai/gongu/explore"
	"github.com/gongu-ai/gongu/macro"
	"github.com/gongu-ai/gongu/toolrequest"
)

// studio is the example as a host would wire it.
type studio struct {
	t        *testing.T
	registry *gongu.Registry
	store    *cad.Memory
	requests toolrequest.Store
}

func openStudio(t *testing.T) *studio {
	t.Helper()
	s := &studio{
		t: t, registry: gongu.NewRegistry(nil), store: cad.NewMemory(),
		requests: toolrequest.NewFile(filepath.Join(t.TempDir(), "tool-requests.json"), nil),
	}
	if err := s.registry.Add(cad.Tools(s.store, nil)...); err != nil {
		t.Fatal(err)
	}
	cad.Domains(s.registry, nil)
	s.registry.Domain("furniture", "Furniture for floor plans")
	exploring := &explore.Options{Requests: s.requests}
	if err := s.registry.Add(explore.Tools(exploring)...); err != nil {
		t.Fatal(err)
	}
	explore.Declare(s.registry, exploring)
	for _, definition := range furniture(t) {
		s.add(definition)
	}
	return s
}

// furniture are the Macro resources of the bundle.
func furniture(t *testing.T) []*macro.Definition {
	t.Helper()
	b, problems := bundle.Load("gongu.yaml", &bundle.Options{Strict: true, Builtins: map[string][]gongu.Tool{"cad": nil}})
	for _, p := range problems {
		if p.Severity != bundle.SeverityInfo { // the Swarm is for goondan
			t.Errorf("%v", p)
		}
	}
	if b == nil {
		t.FailNow()
	}
	var all []*macro.Definition
	for _, item := range b.Items() {
		m, ok := item.(*bundle.Macro)
		if !ok {
			continue
		}
		raw, err := json.Marshal(map[string]any{
			"name": m.Name, "description": m.Spec.Description, "domain": m.Spec.Domain,
			"parameters": m.Spec.Parameters, "steps": stepsOf(m), "output": m.Spec.Output,
		})
		if err != nil {
			t.Fatal(err)
		}
		definition, err := macro.Parse(raw)
		if err != nil {
			t.Fatal(err)
		}
		all = append(all, definition)
	}
	return all
}

func stepsOf(m *bundle.Macro) []map[string]any {
	var steps []map[string]any
	for _, s := range m.Spec.Steps {
		step := map[string]any{"tool": s.Tool, "params": s.Params}
		for key, value := range map[string]string{"id": s.ID, "when": s.When, "forEach": s.ForEach} {
			if value != "" {
				step[key] = value
			}
		}
		steps = append(steps, step)
	}
	return steps
}

func (s *studio) add(definition *macro.Definition) {
	s.t.Helper()
	catalog := gongu.Everything(s.registry)
	if err := definition.Check(catalog); err != nil {
		s.t.Fatal(err)
	}
	tool, err := definition.Tool(&macro.Options{Catalog: catalog})
	if err == nil {
		err = s.registry.Add(tool)
	}
	if err != nil {
		s.t.Fatal(err)
	}
}

// call makes one call, in a catalog of this moment, and reads its data.
func (s *studio) call(name, params string, data any) {
	s.t.Helper()
	executor := gongu.NewExecutor(s.registry, &gongu.ExecutorOptions{Catalog: gongu.Everything(s.registry)})
	answer := cad.Exec(s.t.Context(), executor, name, json.RawMessage(params))
	if !answer.Success {
		s.t.Fatalf("%s %s: %+v", name, params, answer)
	}
	if data != nil {
		if err := json.Unmarshal(answer.Data, data); err != nil {
			s.t.Fatalf("%s: %v in %s", name, err, answer.Data)
		}
	}
}

// picture paints the scene. CAD_PICTURES names a folder to look at it in.
func (s *studio) picture(name string) *image.RGBA {
	s.t.Helper()
	var img *image.RGBA
	err := s.store.View(s.t.Context(), "default", func(scene *cad.Scene) error {
		img = scene.Image(800)
		dir := os.Getenv("CAD_PICTURES")
		if dir == "" {
			return nil
		}
		raw, err := scene.PNG(800)
		if err != nil {
			return err
		}
		return os.WriteFile(filepath.Join(dir, name), raw, 0o600)
	})
	if err != nil {
		s.t.Fatal(err)
	}
	return img
}

type drawn struct{ Drawn []string }

func names(data []struct{ Name string }) []string {
	var all []string
	for _, d := range data {
		all = append(all, d.Name)
	}
	return all
}

// promise E7: the furniture domain, and the furniture.
func TestE7Furniture(t *testing.T) {
	s := openStudio(t)
	var list struct{ Tools []struct{ Name string } }
	s.call("list_tools", `{"domain":"furniture"}`, &list)
	if got := names(list.Tools); !slices.Equal(got, []string{"draw_chair", "draw_table", "draw_sofa"}) {
		t.Fatalf("furniture: %v", got)
	}
	var sofa, table, chair drawn
	s.call("draw_sofa", `{"name":"sofa","x":0,"y":160,"width":220,"depth":90}`, &sofa)
	s.call("draw_table", `{"name":"table","x":45,"y":60,"width":130,"depth":60}`, &table)
	s.call("draw_chair", `{"name":"chair","x":250,"y":70}`, &chair)
	s.call("rotate", `{"name":"chair_back","angle":0}`, nil)
	if len(sofa.Drawn) != 6 || len(table.Drawn) != 4 || len(chair.Drawn) != 2 {
		t.Errorf("drawn %v %v %v", sofa, table, chair)
	}
	img := s.picture("furniture.png")
	if img.Bounds().Dx() != 800 {
		t.Errorf("picture %v", img.Bounds())
	}
	// Two seats and a colour are arguments; a name that is taken is refused.
	s.call("draw_sofa", `{"name":"small","x":0,"y":300,"width":150,"depth":90,"seats":2,"color":[0.6,0.3,0.3,1]}`, &sofa)
	if len(sofa.Drawn) != 5 {
		t.Errorf("two seats: %v", sofa)
	}
	executor := gongu.NewExecutor(s.registry, &gongu.ExecutorOptions{Catalog: gongu.Everything(s.registry)})
	r := executor.Call(context.Background(), gongu.Call{Name: "draw_sofa", Args: json.RawMessage(`{"name":"sofa","x":0,"y":0,"width":200,"depth":90}`)})
	if !r.Failed() || r.Error.Code != cad.CodeDuplicateName {
		t.Errorf("the same name again: %+v", r)
	}
}

// A sofa is dark at its edge, coloured in its frame and light on its cushions.
func TestSofaLooksLikeOne(t *testing.T) {
	s := openStudio(t)
	s.call("draw_sofa", `{"name":"sofa","x":0,"y":0,"width":220,"depth":90}`, nil)
	img := s.picture("sofa.png")
	var box cad.Bounds
	if err := s.store.View(t.Context(), "default", func(scene *cad.Scene) error { box, _ = scene.Bounds(); return nil }); err != nil {
		t.Fatal(err)
	}
	scale := float64(img.Bounds().Dx()) / (220 + 3 + 2*6.69)
	at := func(x, y float64) [3]uint8 {
		c := img.RGBAAt(int((x+1.5+6.69)*scale), img.Bounds().Dy()-int((y+1.5+6.69)*scale))
		return [3]uint8{c.R, c.G, c.B}
	}
	frame, cushion := [3]uint8{92, 120, 153}, [3]uint8{209, 222, 237}
	for _, x := range []float64{9, 211} {
		if got := at(x, 40); got != frame {
			t.Errorf("arm at %v: %v", x, got)
		}
	}
	for _, x := range []float64{50, 110, 170} {
		if got := at(x, 40); got != cushion {
			t.Errorf("cushion at %v: %v", x, got)
		}
		if got := at(x, 81); got != frame {
			t.Errorf("back at %v: %v", x, got)
		}
	}
	if box.Max[0] > 220 || box.Max[1] > 90 || box.Min[0] < 0 {
		t.Errorf("the sofa is larger than it was asked for: %v", box)
	}
}

// The story of seed 000, from wanting a tool to using it.
func TestStoryOfTheCurvedSofa(t *testing.T) {
	s := openStudio(t)
	// It looks for a tool: there are sofas, but no curved one.
	var found struct{ Tools []struct{ Name string } }
	s.call("search_tools", `{"query":"curved sofa"}`, &found)
	if got := names(found.Tools); !slices.Contains(got, "draw_sofa") || slices.Contains(got, "draw_curved_sofa") {
		t.Fatalf("found %v", got)
	}
	// It asks for one, in the words of the seed.
	var queued struct {
		RequestID string `json:"request_id"`
		Status    string
	}
	s.call("request_tool", `{"name":"draw_curved_sofa","description":"호 형태의 곡선 소파","needed_params":["cx","cy","radius","angle_span","depth"]}`, &queued)
	if queued.RequestID != "req_001" || queued.Status != "queued" {
		t.Fatalf("%+v", queued)
	}
	// Meanwhile it makes do with arcs and lines.
	for _, call := range []struct{ name, params string }{
		{"draw_arc", `{"name":"front","cx":0,"cy":0,"radius":100,"start_angle":30,"end_angle":150,"angle_unit":"degree"}`},
		{"draw_arc", `{"name":"back","cx":0,"cy":0,"radius":170,"start_angle":30,"end_angle":150,"angle_unit":"degree","style":{"stroke":{"width":3}}}`},
		{"draw_line", `{"name":"right","points":[86.6,50,147.2,85]}`},
		{"draw_line", `{"name":"left","points":[-86.6,50,-147.2,85]}`},
	} {
		s.call(call.name, call.params, nil)
	}
	s.picture("fallback.png")
	// A person reviews the request and adds the tool.
	if _, err := s.requests.Review(t.Context(), queued.RequestID, toolrequest.Decision{Status: toolrequest.Approved, Reviewer: "dev"}); err != nil {
		t.Fatal(err)
	}
	raw, err := os.ReadFile(filepath.Join("macros", "draw_curved_sofa.json"))
	if err != nil {
		t.Fatal(err)
	}
	definition, err := macro.Parse(raw)
	if err != nil {
		t.Fatal(err)
	}
	s.add(definition)
	if done, err := s.requests.Fulfil(t.Context(), "draw_curved_sofa"); err != nil || len(done) != 1 {
		t.Fatalf("%v, %v", done, err)
	}
	// The makeshift goes, and the next call has the tool.
	for _, name := range []string{"front", "back", "right", "left"} {
		s.call("delete", `{"name":"`+name+`"}`, nil)
	}
	s.call("search_tools", `{"query":"curved sofa"}`, &found)
	if got := names(found.Tools); len(got) == 0 || got[0] != "draw_curved_sofa" {
		t.Errorf("found %v", got)
	}
	var sofa drawn
	s.call("draw_curved_sofa", `{"cx":0,"cy":0,"radius":100,"angle_span":150,"depth":80}`, &sofa)
	if len(sofa.Drawn) != 11 {
		t.Errorf("drawn %v", sofa.Drawn)
	}
	s.picture("curved_sofa.png")
}
