package cad_test

import (
	"errors"
	"fmt"
	"math"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"github.com/gongu-ai/gongu/cad"
)

// near compares numbers that went through sines and cosines.
var near = cmpopts.EquateApprox(0, 1e-9)

func code(err error) string {
	if problem, ok := errors.AsType[*cad.Problem](err); ok {
		return problem.Code
	}
	return fmt.Sprint(err)
}

func mustDraw(t testing.TB, s *cad.Scene, name string, shape cad.Shape) {
	t.Helper()
	if _, _, err := s.Draw(name, shape, nil); err != nil {
		t.Fatal(err)
	}
}

func TestDrawKeepsWhatItIsGiven(t *testing.T) {
	s := cad.NewScene("room")
	style := &cad.Style{Fill: &cad.Fill{Color: cad.Color{1, 0, 0, 1}}}
	got, warnings, err := s.Draw("table", cad.Rect{X: 1, Y: 2, Width: 3, Height: 4}, style)
	if err != nil || len(warnings) > 0 {
		t.Fatal(err, warnings)
	}
	want := cad.Entity{
		Name: "table", Shape: cad.Rect{X: 1, Y: 2, Width: 3, Height: 4}, Style: *style,
		Transform: cad.Transform{Scale: [2]float64{1, 1}},
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("-want +got\n%s", diff)
	}
	if s.Len() != 1 || s.LastOperation() != "draw_rect: table" || s.Name() != "room" {
		t.Errorf("%d entities, last %q", s.Len(), s.LastOperation())
	}
	mustDraw(t, s, "lamp", cad.Circle{Radius: 1})
	if e, err := s.Entity("lamp"); err != nil || e.Style.Fill != nil || !cmp.Equal(*e.Style.Stroke, cad.DefaultStroke()) {
		t.Errorf("default style %+v, %v", e.Style, err)
	}
}

// What a caller was handed or gave is not a way into the scene.
func TestSceneSharesNothing(t *testing.T) {
	s := cad.NewScene("")
	points, dash := []float64{0, 0, 1, 1}, []float64{1, 2}
	stroke := cad.DefaultStroke()
	stroke.Dash = dash
	given, _, err := s.Draw("line", cad.Line{Points: points}, &cad.Style{Stroke: &stroke, Fill: &cad.Fill{}})
	if err != nil {
		t.Fatal(err)
	}
	before := s.Drawing()
	points[0], dash[0], stroke.Width = 9, 9, 9
	for _, e := range append(s.Entities(), given) {
		line, ok := e.Shape.(cad.Line)
		if !ok {
			t.Fatalf("%T", e.Shape)
		}
		line.Points[1], e.Style.Stroke.Dash[1], e.Style.Stroke.Width, e.Style.Fill.Color[0] = 8, 8, 8, 0.5
	}
	if diff := cmp.Diff(before, s.Drawing()); diff != "" {
		t.Errorf("the scene changed: %s", diff)
	}
}

// Facts: zero and negative sizes become their amount, at least 0.001, and the
// answer says so.
func TestSizesAreCorrected(t *testing.T) {
	for _, tc := range []struct {
		shape cad.Shape
		want  cad.Shape
		say   string
	}{
		{cad.Circle{Radius: -5}, cad.Circle{Radius: 5}, "radius was -5, which cannot be drawn; 5 is used."},
		{cad.Circle{Radius: 0}, cad.Circle{Radius: 0.001}, "radius was 0"},
		{cad.Circle{Radius: 0.0005}, cad.Circle{Radius: 0.001}, "radius was 0.0005"},
		{cad.Rect{Width: -2, Height: 3}, cad.Rect{Width: 2, Height: 3}, "width was -2"},
		{cad.Rect{Width: 2, Height: 0}, cad.Rect{Width: 2, Height: 0.001}, "height was 0"},
		{cad.Arc{Radius: -1, EndAngle: 1}, cad.Arc{Radius: 1, EndAngle: 1}, "radius was -1"},
		{cad.Arc{Radius: 1, StartAngle: 2, EndAngle: 2}, cad.Arc{Radius: 1, StartAngle: 2, EndAngle: 2}, "nothing to see"},
	} {
		e, warnings, err := cad.NewScene("").Draw("e", tc.shape, nil)
		if err != nil || !cmp.Equal(e.Shape, tc.want) || len(warnings) != 1 || !strings.Contains(warnings[0].In("en"), tc.say) {
			t.Errorf("%+v became %+v with %q, %v", tc.shape, e.Shape, warnings, err)
		}
	}
	s := cad.NewScene("")
	mustDraw(t, s, "e", cad.Circle{Radius: 1})
	e, warnings, err := s.Scale("e", -2, 0)
	if err != nil || e.Transform.Scale != [2]float64{2, 0.001} || len(warnings) != 2 {
		t.Errorf("scale %v, warnings %v, %v", e.Transform.Scale, warnings, err)
	}
	stroke := cad.DefaultStroke()
	stroke.Width = -3
	if e, warnings, err := s.SetStroke("e", stroke); err != nil || e.Style.Stroke.Width != 3 || len(warnings) != 1 {
		t.Errorf("stroke %+v, %v, %v", e.Style.Stroke, warnings, err)
	}
}

func TestRefusals(t *testing.T) {
	nan, inf := math.NaN(), math.Inf(1)
	s := cad.NewScene("")
	mustDraw(t, s, "e", cad.Rect{Width: 4, Height: 4})
	before := s.Drawing()
	draw := func(name string, shape cad.Shape) func() error {
		return func() error { _, _, err := s.Draw(name, shape, nil); return err }
	}
	stroke := func(edit func(*cad.Stroke)) func() error {
		given := cad.DefaultStroke()
		edit(&given)
		return func() error { _, _, err := s.SetStroke("e", given); return err }
	}
	transform := func(_ cad.Entity, err error) func() error { return func() error { return err } }
	for name, tc := range map[string]struct {
		do   func() error
		want string
	}{
		"duplicate":       {draw("e", cad.Circle{Radius: 1}), cad.CodeDuplicateName},
		"no name":         {draw(" ", cad.Circle{Radius: 1}), cad.CodeInvalid},
		"control in name": {draw("a\x00b", cad.Circle{Radius: 1}), cad.CodeInvalid},
		"broken name":     {draw("a\xff", cad.Circle{Radius: 1}), cad.CodeInvalid},
		"long name":       {draw(strings.Repeat("가", cad.MaxName+1), cad.Circle{Radius: 1}), cad.CodeInvalid},
		"nan radius":      {draw("x", cad.Circle{Radius: nan}), cad.CodeInvalid},
		"nan x":           {draw("x", cad.Circle{X: nan, Radius: 1}), cad.CodeInvalid},
		"inf y":           {draw("x", cad.Rect{Y: -inf, Width: 1, Height: 1}), cad.CodeInvalid},
		"inf width":       {draw("x", cad.Rect{Width: inf, Height: 1}), cad.CodeInvalid},
		"nan angle":       {draw("x", cad.Arc{Radius: 1, EndAngle: nan}), cad.CodeInvalid},
		"far away":        {draw("x", cad.Circle{X: 1e9, Radius: 1}), cad.CodeInvalid},
		"inf point":       {draw("x", cad.Line{Points: []float64{0, 0, inf, 0}}), cad.CodeInvalid},
		"one point":       {draw("x", cad.Line{Points: []float64{0, 0}}), cad.CodeInvalid},
		"half a point":    {draw("x", cad.Line{Points: []float64{0, 0, 1, 1, 2}}), cad.CodeInvalid},
		"unknown entity":  {func() error { _, err := s.Delete("none"); return err }, cad.CodeNotFound},
		"nan move":        {transform(s.Translate("e", nan, 0)), cad.CodeInvalid},
		"moved too far":   {transform(s.Translate("e", 1e9, 0)), cad.CodeInvalid},
		"inf turn":        {transform(s.Rotate("e", inf)), cad.CodeInvalid},
		"grown too large": {func() error { _, _, err := s.Scale("e", 1e9, 1e9); return err }, cad.CodeInvalid},
		"nan scale":       {func() error { _, _, err := s.Scale("e", nan, 1); return err }, cad.CodeInvalid},
		"nan width":       {stroke(func(s *cad.Stroke) { s.Width = nan }), cad.CodeInvalid},
		"nan color":       {stroke(func(s *cad.Stroke) { s.Color[1] = nan }), cad.CodeInvalid},
		"bright color":    {stroke(func(s *cad.Stroke) { s.Color[0] = 255 }), cad.CodeInvalid},
		"cap":             {stroke(func(s *cad.Stroke) { s.Cap = "butt" }), cad.CodeInvalid},
		"join":            {stroke(func(s *cad.Stroke) { s.Join = "none" }), cad.CodeInvalid},
		"dash of nothing": {stroke(func(s *cad.Stroke) { s.Dash = []float64{0, 0} }), cad.CodeInvalid},
		"negative dash":   {stroke(func(s *cad.Stroke) { s.Dash = []float64{3, -1} }), cad.CodeInvalid},
		"long dash":       {stroke(func(s *cad.Stroke) { s.Dash = slices.Repeat([]float64{1}, 17) }), cad.CodeInvalid},
		"fill":            {transform(s.SetFill("e", cad.Fill{Color: cad.Color{0, 0, 0, 2}})), cad.CodeInvalid},
		"nothing to redo": {func() error { _, err := s.Redo(); return err }, cad.CodeNoHistory},
	} {
		if err := tc.do(); code(err) != tc.want {
			t.Errorf("%s: %v, want %s", name, err, tc.want)
		}
	}
	if diff := cmp.Diff(before, s.Drawing()); diff != "" {
		t.Errorf("a refused operation changed the scene: %s", diff)
	}
}

func TestSceneIsBounded(t *testing.T) {
	s := cad.NewScene("")
	for i := range cad.MaxEntities {
		mustDraw(t, s, fmt.Sprint(i), cad.Circle{Radius: 1})
	}
	if _, _, err := s.Draw("more", cad.Circle{Radius: 1}, nil); code(err) != cad.CodeLimit {
		t.Errorf("one more: %v", err)
	}
	s = cad.NewScene("")
	mustDraw(t, s, "long", cad.Line{Points: make([]float64, 2*cad.MaxPoints-2)})
	mustDraw(t, s, "last", cad.Circle{Radius: 1})
	if _, _, err := s.Draw("more", cad.Circle{Radius: 1}, nil); code(err) != cad.CodeLimit {
		t.Errorf("one more point: %v", err)
	}
	if _, err := s.Delete("long"); err != nil {
		t.Fatal(err)
	}
	mustDraw(t, s, "more", cad.Circle{Radius: 1})
}

func TestBoundsFollowTheTransform(t *testing.T) {
	half := math.Sqrt2 / 2
	box := func(x0, y0, x1, y1 float64) cad.Bounds {
		return cad.Bounds{Min: [2]float64{x0, y0}, Max: [2]float64{x1, y1}}
	}
	for name, tc := range map[string]struct {
		shape  cad.Shape
		sx, sy float64
		turn   float64
		want   cad.Bounds
	}{
		"rect":                {cad.Rect{X: 1, Y: 2, Width: 4, Height: 2}, 1, 1, 0, box(1, 2, 5, 4)},
		"rect turned":         {cad.Rect{X: 1, Y: 2, Width: 4, Height: 2}, 1, 1, math.Pi / 2, box(2, 1, 4, 5)},
		"rect grown":          {cad.Rect{X: 0, Y: 0, Width: 4, Height: 2}, 2, 0.5, 0, box(-2, 0.5, 6, 1.5)},
		"circle":              {cad.Circle{X: 1, Radius: 2}, 1, 1, 1, box(-1, -2, 3, 2)},
		"ellipse turned":      {cad.Circle{Radius: 1}, 3, 1, math.Pi / 2, box(-1, -3, 1, 3)},
		"ellipse at 45":       {cad.Circle{Radius: 1}, 3, 1, math.Pi / 4, box(-math.Sqrt(5), -math.Sqrt(5), math.Sqrt(5), math.Sqrt(5))},
		"quarter":             {cad.Arc{Radius: 2, EndAngle: math.Pi / 2}, 1, 1, 0, box(0, 0, 2, 2)},
		"over the top":        {cad.Arc{Radius: 1, StartAngle: math.Pi / 4, EndAngle: 3 * math.Pi / 4}, 1, 1, 0, box(-half, half, half, 1)},
		"through 0":           {cad.Arc{Radius: 1, StartAngle: -math.Pi / 4, EndAngle: math.Pi / 4}, 1, 1, 0, box(half, -half, 1, half)},
		"backwards wraps":     {cad.Arc{Radius: 1, StartAngle: 7 * math.Pi / 4, EndAngle: math.Pi / 4}, 1, 1, 0, box(half, -half, 1, half)},
		"more than a turn":    {cad.Arc{Radius: 1, StartAngle: 1, EndAngle: 9}, 1, 1, 0, box(-1, -1, 1, 1)},
		"arc turned":          {cad.Arc{Radius: 1, EndAngle: math.Pi}, 1, 1, math.Pi, box(-1, -1, 1, 0)},
		"line":                {cad.Line{Points: []float64{0, 0, 2, 4}}, 1, 1, 0, box(0, 0, 2, 4)},
		"line turned halfway": {cad.Line{Points: []float64{0, 0, 2, 4}}, 1, 1, math.Pi, box(0, 0, 2, 4)},
	} {
		t.Run(name, func(t *testing.T) {
			s := cad.NewScene("")
			mustDraw(t, s, "e", tc.shape)
			if _, _, err := s.Scale("e", tc.sx, tc.sy); err != nil {
				t.Fatal(err)
			}
			if _, err := s.Rotate("e", tc.turn); err != nil {
				t.Fatal(err)
			}
			if _, err := s.Translate("e", 10, -20); err != nil {
				t.Fatal(err)
			}
			got, ok := s.Bounds()
			want := box(tc.want.Min[0]+10, tc.want.Min[1]-20, tc.want.Max[0]+10, tc.want.Max[1]-20)
			if diff := cmp.Diff(want, got, near); diff != "" || !ok {
				t.Errorf("-want +got\n%s", diff)
			}
		})
	}
	if _, ok := cad.NewScene("").Bounds(); ok {
		t.Error("an empty scene has bounds")
	}
}

func TestUndoRedo(t *testing.T) {
	s := cad.NewScene("")
	mustDraw(t, s, "a", cad.Circle{Radius: 1})
	mustDraw(t, s, "b", cad.Circle{Radius: 2})
	mustDraw(t, s, "c", cad.Circle{Radius: 3})
	if _, err := s.Translate("a", 5, 0); err != nil {
		t.Fatal(err)
	}
	if _, err := s.Delete("b"); err != nil {
		t.Fatal(err)
	}
	step, err := s.Undo()
	if err != nil || step.Operation != "delete" || step.Entity.Name != "b" || s.LastOperation() != "undo: delete: b" {
		t.Fatalf("%+v, %v, last %q", step, err, s.LastOperation())
	}
	if names := slices.Collect(s.Names()); !slices.Equal(names, []string{"a", "b", "c"}) {
		t.Errorf("the deleted one came back elsewhere: %v", names)
	}
	if _, err := s.Redo(); err != nil || s.Len() != 2 {
		t.Fatal(err, s.Len())
	}
	// A new operation ends what could be done again.
	if _, err := s.Undo(); err != nil {
		t.Fatal(err)
	}
	if _, err := s.RemoveStroke("a"); err != nil {
		t.Fatal(err)
	}
	if _, err := s.Redo(); code(err) != cad.CodeNoHistory {
		t.Errorf("redo after a new operation: %v", err)
	}
}

func TestHistoryIsBounded(t *testing.T) {
	for _, more := range []int{5, 6} {
		s := cad.NewScene("")
		mustDraw(t, s, "a", cad.Circle{Radius: 1})
		for range cad.MaxHistory + more {
			if _, err := s.Translate("a", 1, 0); err != nil {
				t.Fatal(err)
			}
		}
		undone := 0
		for ; ; undone++ {
			if _, err := s.Undo(); code(err) == cad.CodeNoHistory {
				break
			}
		}
		if e, err := s.Entity("a"); undone != cad.MaxHistory || err != nil || e.Transform.Translate[0] != float64(more) {
			t.Errorf("%d undone, %+v, %v", undone, e.Transform, err)
		}
	}
}
