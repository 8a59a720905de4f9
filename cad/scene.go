package cad

import (
	"fmt"
	"iter"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/gongu-ai/gongu/internal/lang"
)

// The limits of one scene.
const (
	// MaxEntities is how many entities a scene holds.
	MaxEntities = 20_000
	// MaxPoints is how many points all entities have together.
	MaxPoints = 200_000
	// MaxName is the longest name of an entity, in characters.
	MaxName = 128
	// MaxHistory is how many operations can be undone.
	MaxHistory = 100
)

// Scene is a drawing: named entities, the later ones above the earlier. Every
// operation is done whole or refused with a [Problem]. A scene is not safe for
// use by several goroutines; a [Store] is.
type Scene struct {
	name   string
	order  []*Entity
	byName map[string]*Entity
	points int
	last   string
	// undo and redo end with what comes next.
	undo, redo []change
}

// NewScene returns an empty scene. The name may be empty.
func NewScene(name string) *Scene {
	return &Scene{name: name, byName: make(map[string]*Entity)}
}

// Name is the name of the scene.
func (s *Scene) Name() string { return s.name }

// Len is the number of entities.
func (s *Scene) Len() int { return len(s.order) }

// LastOperation says what was done last, such as "draw_rect: seat"; empty when
// nothing was.
func (s *Scene) LastOperation() string { return s.last }

// Entity returns a copy of an entity.
func (s *Scene) Entity(name string) (Entity, error) {
	found, ok := s.byName[name]
	if !ok {
		return Entity{}, notFound(name)
	}
	return found.clone(), nil
}

// Entities returns copies of all entities in the order they are painted.
func (s *Scene) Entities() []Entity {
	all := make([]Entity, len(s.order))
	for i, e := range s.order {
		all[i] = e.clone()
	}
	return all
}

// Names yields the names of all entities in the order they are painted.
func (s *Scene) Names() iter.Seq[string] {
	return func(yield func(string) bool) {
		for _, e := range s.order {
			if !yield(e.Name) {
				return
			}
		}
	}
}

// Bounds is the box around all entities; ok is false when there are none.
func (s *Scene) Bounds() (box Bounds, ok bool) {
	box = emptyBounds()
	for _, e := range s.order {
		box.join(e.Bounds())
	}
	return box, len(s.order) > 0
}

// Draw adds an entity on top. A nil style is [DefaultStyle]. Sizes that are
// not positive are corrected, with a warning.
func (s *Scene) Draw(name string, shape Shape, style *Style) (Entity, []Warning, error) {
	if style == nil {
		style = new(DefaultStyle())
	}
	e, warnings, err := newEntity(name, shape, *style, unmoved())
	if err == nil {
		err = s.insert(&e, len(s.order))
	}
	if err != nil {
		return Entity{}, nil, err
	}
	s.remember(change{Op: "draw_" + e.Type(), Name: name})
	return e.clone(), warnings, nil
}

// newEntity checks everything that does not depend on the other entities.
func newEntity(name string, shape Shape, style Style, transform Transform) (Entity, []Warning, error) {
	if err := checkName(name); err != nil {
		return Entity{}, nil, err
	}
	shape, warnings, err := shape.normal()
	if err != nil {
		return Entity{}, nil, err
	}
	style, more, err := style.normal()
	if err != nil {
		return Entity{}, nil, err
	}
	e := Entity{Name: name, Shape: shape, Style: style, Transform: transform}
	return e, append(warnings, more...), e.check()
}

// check refuses an entity that its transform moves out of reach.
func (e *Entity) check() error {
	t := e.Transform
	if err := checkNumbers("transform", t.Translate[0], t.Translate[1], t.Rotate, t.Scale[0], t.Scale[1]); err != nil {
		return err
	}
	if min(t.Scale[0], t.Scale[1]) <= 0 {
		return invalid(lang.CADScale, min(t.Scale[0], t.Scale[1]))
	}
	box := e.Bounds()
	return checkNumbers("bounds", box.Min[0], box.Min[1], box.Max[0], box.Max[1])
}

func checkName(name string) error {
	switch {
	case strings.TrimSpace(name) == "" || !utf8.ValidString(name) || strings.ContainsFunc(name, unicode.IsControl):
		return invalid(lang.CADName, name)
	case utf8.RuneCountInString(name) > MaxName:
		return invalid(lang.CADNameLong, utf8.RuneCountInString(name), MaxName)
	}
	return nil
}

// insert puts an entity at a place of the order, or refuses.
func (s *Scene) insert(e *Entity, at int) error {
	if _, taken := s.byName[e.Name]; taken {
		return &Problem{
			Code: CodeDuplicateName, Entity: e.Name,
			message: lang.CADDuplicate.With(e.Name), hint: lang.CADHintDuplicate.With(e.Name),
		}
	}
	if len(s.order) >= MaxEntities {
		return limit(lang.CADManyEntities, MaxEntities)
	}
	if s.points+e.Shape.points() > MaxPoints {
		return limit(lang.CADManyPoints, MaxPoints)
	}
	s.order = slices.Insert(s.order, min(max(at, 0), len(s.order)), e)
	s.byName[e.Name] = e
	s.points += e.Shape.points()
	return nil
}

// remove takes an entity out and says where it was.
func (s *Scene) remove(e *Entity) (at int) {
	// What is undone was drawn last, so look from the end.
	for at = len(s.order) - 1; at > 0 && s.order[at] != e; at-- {
	}
	s.order = slices.Delete(s.order, at, at+1)
	delete(s.byName, e.Name)
	s.points -= e.Shape.points()
	return at
}

// SetStroke gives an entity a stroke.
func (s *Scene) SetStroke(name string, stroke Stroke) (Entity, []Warning, error) {
	stroke, warnings, err := stroke.normal()
	if err != nil {
		return Entity{}, nil, err
	}
	e, err := s.restyle("set_stroke", name, func(style *Style) { style.Stroke = &stroke })
	return e, warnings, err
}

// SetFill gives an entity a fill.
func (s *Scene) SetFill(name string, fill Fill) (Entity, error) {
	if err := fill.Color.check("fill.color"); err != nil {
		return Entity{}, err
	}
	return s.restyle("set_fill", name, func(style *Style) { style.Fill = &fill })
}

// RemoveStroke removes the stroke of an entity.
func (s *Scene) RemoveStroke(name string) (Entity, error) {
	return s.restyle("remove_stroke", name, func(style *Style) { style.Stroke = nil })
}

// RemoveFill removes the fill of an entity.
func (s *Scene) RemoveFill(name string) (Entity, error) {
	return s.restyle("remove_fill", name, func(style *Style) { style.Fill = nil })
}

func (s *Scene) restyle(op, name string, edit func(*Style)) (Entity, error) {
	e, ok := s.byName[name]
	if !ok {
		return Entity{}, notFound(name)
	}
	before := e.Style.clone()
	edit(&e.Style)
	s.remember(change{Op: op, Name: name, Style: &before})
	return e.clone(), nil
}

// Translate moves an entity.
func (s *Scene) Translate(name string, dx, dy float64) (Entity, error) {
	if err := checkNumbers("dx, dy", dx, dy); err != nil {
		return Entity{}, err
	}
	return s.move("translate", name, func(t *Transform) {
		t.Translate[0] += dx
		t.Translate[1] += dy
	})
}

// Rotate turns an entity around its centre, in radians, counter-clockwise.
func (s *Scene) Rotate(name string, angle float64) (Entity, error) {
	if err := checkNumbers("angle", angle); err != nil {
		return Entity{}, err
	}
	return s.move("rotate", name, func(t *Transform) { t.Rotate += angle })
}

// Scale makes an entity larger or smaller around its centre. Factors that are
// not positive are corrected, with a warning.
func (s *Scene) Scale(name string, sx, sy float64) (Entity, []Warning, error) {
	var fix sizes
	sx, sy = fix.positive("sx", sx), fix.positive("sy", sy)
	if err := checkNumbers("sx, sy", sx, sy); err != nil {
		return Entity{}, nil, err
	}
	e, err := s.move("scale", name, func(t *Transform) {
		t.Scale[0] *= sx
		t.Scale[1] *= sy
	})
	return e, fix.warnings, err
}

func (s *Scene) move(op, name string, edit func(*Transform)) (Entity, error) {
	e, ok := s.byName[name]
	if !ok {
		return Entity{}, notFound(name)
	}
	before := e.Transform
	edit(&e.Transform)
	if err := e.check(); err != nil {
		e.Transform = before
		return Entity{}, err
	}
	s.remember(change{Op: op, Name: name, Transform: &before})
	return e.clone(), nil
}

// Delete removes an entity. It can be undone.
func (s *Scene) Delete(name string) (Entity, error) {
	e, ok := s.byName[name]
	if !ok {
		return Entity{}, notFound(name)
	}
	s.remember(change{Op: "delete", Name: name, Entity: e, Index: s.remove(e)})
	return e.clone(), nil
}

// free is a name near to one that is taken.
func (s *Scene) free(name string) string {
	for i := 2; ; i++ {
		suffix := fmt.Sprintf("_%d", i)
		runes := []rune(name)
		candidate := string(runes[:min(len(runes), MaxName-len(suffix))]) + suffix
		if _, taken := s.byName[candidate]; !taken {
			return candidate
		}
	}
}
