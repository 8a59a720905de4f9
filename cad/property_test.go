package cad_test

import (
	"encoding/json"
	"fmt"
	"math"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
	"pgregory.net/rapid"

	"github.com/gongu-ai/gongu/cad"
)

func shapes() *rapid.Generator[cad.Shape] {
	place := rapid.Float64Range(-1000, 1000)
	size := rapid.Float64Range(0.01, 500)
	angle := rapid.Float64Range(-10, 10)
	return rapid.Custom(func(t *rapid.T) cad.Shape {
		switch rapid.IntRange(0, 3).Draw(t, "kind") {
		case 0:
			return cad.Circle{X: place.Draw(t, "x"), Y: place.Draw(t, "y"), Radius: size.Draw(t, "r")}
		case 1:
			return cad.Rect{X: place.Draw(t, "x"), Y: place.Draw(t, "y"), Width: size.Draw(t, "w"), Height: size.Draw(t, "h")}
		case 2:
			return cad.Arc{CX: place.Draw(t, "x"), CY: place.Draw(t, "y"), Radius: size.Draw(t, "r"), StartAngle: angle.Draw(t, "from"), EndAngle: angle.Draw(t, "to")}
		}
		n := rapid.IntRange(2, 6).Draw(t, "n")
		return cad.Line{Points: rapid.SliceOfN(place, 2*n, 2*n).Draw(t, "points")}
	})
}

func styles() *rapid.Generator[cad.Style] {
	color := rapid.Custom(func(t *rapid.T) cad.Color {
		part := rapid.Float64Range(0, 1)
		return cad.Color{part.Draw(t, "r"), part.Draw(t, "g"), part.Draw(t, "b"), part.Draw(t, "a")}
	})
	return rapid.Custom(func(t *rapid.T) cad.Style {
		var style cad.Style
		if rapid.Bool().Draw(t, "filled") {
			style.Fill = &cad.Fill{Color: color.Draw(t, "fill")}
		}
		if rapid.Bool().Draw(t, "stroked") {
			style.Stroke = &cad.Stroke{
				Color: color.Draw(t, "stroke"), Width: rapid.Float64Range(0.001, 50).Draw(t, "width"),
				Cap:  rapid.SampledFrom([]string{cad.CapButt, cad.CapRound, cad.CapSquare}).Draw(t, "cap"),
				Join: rapid.SampledFrom([]string{cad.JoinMiter, cad.JoinRound, cad.JoinBevel}).Draw(t, "join"),
				Dash: rapid.SampledFrom([][]float64{nil, {5}, {4, 2}, {0, 3}, {1, 2, 3}}).Draw(t, "dash"),
			}
		}
		return style
	})
}

// step makes one random operation; it may be refused.
func step(t *rapid.T, s *cad.Scene) error {
	name := fmt.Sprint(rapid.IntRange(0, 5).Draw(t, "name"))
	value := rapid.Float64Range(-50, 50)
	var err error
	switch rapid.IntRange(0, 8).Draw(t, "op") {
	case 0, 1:
		style := styles().Draw(t, "style")
		_, _, err = s.Draw(name, shapes().Draw(t, "shape"), &style)
	case 2:
		_, err = s.Translate(name, value.Draw(t, "dx"), value.Draw(t, "dy"))
	case 3:
		_, err = s.Rotate(name, value.Draw(t, "angle"))
	case 4:
		_, _, err = s.Scale(name, value.Draw(t, "sx"), value.Draw(t, "sy"))
	case 5:
		_, err = s.Delete(name)
	case 6:
		_, _, err = s.SetStroke(name, cad.DefaultStroke())
	case 7:
		_, err = s.SetFill(name, cad.Fill{})
	case 8:
		_, err = s.RemoveStroke(name)
	}
	return err
}

// Undo after any operation is as if it had not been made, and redo makes it
// again; all the way back and forth, also through the file.
func TestPropertyUndoOfDoIsIdentity(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		s := cad.NewScene("")
		states := [][]cad.Entity{s.Entities()}
		for range rapid.IntRange(1, 20).Draw(t, "steps") {
			if step(t, s) == nil {
				states = append(states, s.Entities())
			}
			if rapid.IntRange(0, 3).Draw(t, "reload") == 0 {
				s = reloaded(t, s)
			}
		}
		same := func(i int) {
			t.Helper()
			if diff := cmp.Diff(states[i], s.Entities(), cmpopts.EquateEmpty()); diff != "" {
				t.Fatalf("state %d: %s", i, diff)
			}
		}
		for i := len(states) - 2; i >= 0; i-- {
			if _, err := s.Undo(); err != nil {
				t.Fatal(err)
			}
			same(i)
		}
		s = reloaded(t, s)
		for i := 1; i < len(states); i++ {
			if _, err := s.Redo(); err != nil {
				t.Fatal(err)
			}
			same(i)
		}
	})
}

func reloaded(t *rapid.T, s *cad.Scene) *cad.Scene {
	raw, err := s.Encode()
	if err != nil {
		t.Fatal(err)
	}
	again, err := cad.Decode(raw)
	if err != nil {
		t.Fatalf("%v in %s", err, raw)
	}
	return again
}

// What export_json writes makes the same scene again, bit for bit.
func TestPropertyExportRoundTrip(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		s := cad.NewScene(rapid.SampledFrom([]string{"", "room", `<&">`}).Draw(t, "scene"))
		for range rapid.IntRange(0, 15).Draw(t, "steps") {
			_ = step(t, s) // refused ones change nothing
		}
		raw, err := json.Marshal(s.Drawing())
		if err != nil {
			t.Fatal(err)
		}
		var read cad.Drawing
		if err := json.Unmarshal(raw, &read); err != nil {
			t.Fatalf("%v in %s", err, raw)
		}
		again, err := read.Scene()
		if err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(s.Drawing(), again.Drawing(), cmpopts.EquateEmpty()); diff != "" {
			t.Error(diff)
		}
		if a, b := string(s.SVG(0)), string(again.SVG(0)); a != b {
			t.Errorf("the pictures differ:\n%s\n%s", a, b)
		}
	})
}

// The bounds contain every point of the outline as it is rendered, and are
// tight: the outline touches each side.
func TestPropertyBoundsContainEveryRenderedPoint(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		s := cad.NewScene("")
		if _, _, err := s.Draw("e", shapes().Draw(t, "shape"), nil); err != nil {
			t.Fatal(err)
		}
		if _, _, err := s.Scale("e", rapid.Float64Range(0.1, 5).Draw(t, "sx"), rapid.Float64Range(0.1, 5).Draw(t, "sy")); err != nil {
			t.Fatal(err)
		}
		if _, err := s.Rotate("e", rapid.Float64Range(-7, 7).Draw(t, "angle")); err != nil {
			t.Fatal(err)
		}
		box, _ := s.Bounds()
		least, most := [2]float64{math.Inf(1), math.Inf(1)}, [2]float64{math.Inf(-1), math.Inf(-1)}
		e, err := s.Entity("e")
		if err != nil {
			t.Fatal(err)
		}
		for _, p := range cad.OutlinePoints(e) {
			for axis, v := range [2]float64{p.X, p.Y} {
				least[axis], most[axis] = min(least[axis], v), max(most[axis], v)
			}
		}
		const slack, loose = 1e-6, 1e-3
		for axis := range 2 {
			if least[axis] < box.Min[axis]-slack || most[axis] > box.Max[axis]+slack {
				t.Errorf("axis %d: points from %v to %v, bounds %v", axis, least[axis], most[axis], box)
			}
			if size := max(1, box.Max[axis]-box.Min[axis]); least[axis] > box.Min[axis]+loose*size || most[axis] < box.Max[axis]-loose*size {
				t.Errorf("axis %d: bounds %v are wider than the points from %v to %v", axis, box, least[axis], most[axis])
			}
		}
	})
}

// Whatever is painted lies inside of the picture.
func TestPropertyInkStaysInTheFrame(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		s := cad.NewScene("")
		for range rapid.IntRange(1, 6).Draw(t, "steps") {
			_ = step(t, s) // refused ones change nothing
		}
		if outside := cad.InkOutside(s); outside > 1e-6 {
			t.Errorf("ink %v beyond the frame", outside)
		}
	})
}
