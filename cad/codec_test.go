package cad_test

import (
	"bytes"
	"encoding/json"
	"math"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"github.com/gongu-ai/gongu/cad"
)

// The form of an entity is a promise: files and models rely on it.
func TestEntityJSON(t *testing.T) {
	s := cad.NewScene("")
	for name, shape := range map[string]cad.Shape{
		`{"x":1,"y":2,"radius":3}`:                                   cad.Circle{X: 1, Y: 2, Radius: 3},
		`{"x":1,"y":2,"width":3,"height":4}`:                         cad.Rect{X: 1, Y: 2, Width: 3, Height: 4},
		`{"cx":1,"cy":2,"radius":3,"start_angle":0,"end_angle":0.5}`: cad.Arc{CX: 1, CY: 2, Radius: 3, EndAngle: 0.5},
		`{"points":[1,2,3,4.5]}`:                                     cad.Line{Points: []float64{1, 2, 3, 4.5}},
	} {
		e, _, err := s.Draw(name, shape, nil)
		if err != nil {
			t.Fatal(err)
		}
		raw, err := json.Marshal(e)
		if err != nil {
			t.Fatal(err)
		}
		quoted, err := json.Marshal(name)
		if err != nil {
			t.Fatal(err)
		}
		want := `{"name":` + string(quoted) + `,"type":"` + shape.Type() + `","geometry":` + name +
			`,"style":{"stroke":{"color":[0,0,0,1],"width":1,"cap":"Butt","join":"Miter"},"fill":null},` +
			`"transform":{"translate":[0,0],"rotate":0,"scale":[1,1]}}`
		if string(raw) != want {
			t.Errorf("got  %s\nwant %s", raw, want)
		}
		var read cad.Entity
		if err := json.Unmarshal(raw, &read); err != nil || !cmp.Equal(read, e) {
			t.Errorf("read back: %v, %+v", err, read)
		}
	}
	if _, err := json.Marshal(cad.Entity{Name: "x"}); err == nil {
		t.Error("an entity without a shape was written")
	}
	if _, err := (cad.Drawing{Entities: []cad.Entity{{Name: "x"}}}).Scene(); err == nil {
		t.Error("an entity without a shape was drawn")
	}
}

// A file has one entity to a line, for people who compare files.
func TestEncodeWritesLines(t *testing.T) {
	s := cad.NewScene("")
	mustDraw(t, s, "a", cad.Circle{Radius: 1})
	mustDraw(t, s, "b", cad.Circle{Radius: 1})
	raw, err := s.Encode()
	if err != nil {
		t.Fatal(err)
	}
	if lines := strings.Split(strings.TrimSpace(string(raw)), "\n"); len(lines) != 4 || !json.Valid(raw) {
		t.Errorf("%d lines: %s", len(lines), raw)
	}
}

// What was encoded before must not be written again after a change.
func TestEncodeAfterEachChange(t *testing.T) {
	s := cad.NewScene("")
	mustDraw(t, s, "a", cad.Circle{Radius: 1})
	for i, change := range []func() error{
		func() error { _, err := s.Translate("a", 1, 0); return err },
		func() error { _, err := s.Rotate("a", 1); return err },
		func() error { _, _, err := s.Scale("a", 2, 2); return err },
		func() error { _, err := s.SetFill("a", cad.Fill{}); return err },
		func() error { _, err := s.RemoveFill("a"); return err },
		func() error { _, err := s.RemoveStroke("a"); return err },
		func() error { _, _, err := s.SetStroke("a", cad.DefaultStroke()); return err },
		func() error { _, err := s.Undo(); return err },
		func() error { _, err := s.Redo(); return err },
		func() error { _, err := s.Undo(); return err },
		func() error { _, err := s.Delete("a"); return err },
		func() error { _, err := s.Undo(); return err },
	} {
		if _, err := s.Encode(); err != nil {
			t.Fatal(err)
		}
		if err := change(); err != nil {
			t.Fatal(i, err)
		}
		raw, err := s.Encode()
		if err != nil {
			t.Fatal(err)
		}
		again, err := cad.Decode(raw)
		if err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(s.Entities(), again.Entities()); diff != "" {
			t.Errorf("change %d: %s", i, diff)
		}
	}
}

// FuzzDecode: a file from anywhere is refused or makes a scene that works and
// is written the same again.
func FuzzDecode(f *testing.F) {
	s := cad.NewScene("room")
	mustDraw(f, s, "a", cad.Circle{Radius: 1})
	mustDraw(f, s, "b", cad.Arc{Radius: 1, EndAngle: math.Pi})
	if _, err := s.Translate("a", 1, 2); err != nil {
		f.Fatal(err)
	}
	if _, err := s.Delete("b"); err != nil {
		f.Fatal(err)
	}
	if _, err := s.Undo(); err != nil {
		f.Fatal(err)
	}
	raw, err := s.Encode()
	if err != nil {
		f.Fatal(err)
	}
	f.Add(raw)
	f.Add([]byte(`{"version":1,"entities":[` + circle("a") + `]}`))
	f.Add([]byte(`{"version":1,"redo":[{"op":"x","name":"a","entity":` + circle("a") + `,"index":-7}],"undo":[{"op":"y","name":"gone"}],"entities":[` + circle("a") + `]}`))
	f.Add([]byte(`{"version":9}`))
	f.Add(bytes.Repeat([]byte(`[`), 500))
	f.Fuzz(func(t *testing.T, raw []byte) {
		s, err := cad.Decode(raw)
		if err != nil {
			return
		}
		first, err := s.Encode()
		if err != nil {
			t.Fatal(err)
		}
		again, err := cad.Decode(first)
		if err != nil {
			t.Fatalf("%v in %s", err, first)
		}
		if diff := cmp.Diff(s.Drawing(), again.Drawing(), cmpopts.EquateEmpty()); diff != "" {
			t.Fatal(diff)
		}
		elements(t, s.SVG(0))
		s.Image(64)
		for range 5 {
			_, _ = s.Undo() // refused or done, never a panic
		}
		for range 9 {
			_, _ = s.Redo()
		}
		if _, err := s.Encode(); err != nil {
			t.Fatal(err)
		}
	})
}
