package cad

import (
	"github.com/gongu-ai/gongu/internal/lang"
)

// change is one operation that can be taken back. It holds what the scene does
// not have now: an entity that was deleted, the style or the transform before.
// Taking it back swaps the two, so the same change does the operation again.
type change struct {
	// Op is the operation as it was asked for, such as draw_rect.
	Op   string `json:"op"`
	Name string `json:"name"`
	// Entity is what is not in the scene at the moment, and Index its place;
	// nil for an entity that is in it.
	Entity    *Entity    `json:"entity,omitempty"`
	Index     int        `json:"index,omitempty"`
	Style     *Style     `json:"style,omitempty"`
	Transform *Transform `json:"transform,omitempty"`
}

// Step is an operation that was undone or done again.
type Step struct {
	// Operation is what was asked for then, such as draw_rect.
	Operation string
	Entity    Entity
}

// remember keeps a change for undo. What was undone before is gone.
func (s *Scene) remember(c change) {
	s.undo = bounded(append(s.undo, c))
	s.redo = nil
	s.last = c.Op + ": " + c.Name
}

func bounded(list []change) []change {
	if len(list) > MaxHistory {
		// A copy, so that what is forgotten is not kept in memory.
		return append([]change(nil), list[len(list)-MaxHistory:]...)
	}
	return list
}

// Undo takes the last operation back.
func (s *Scene) Undo() (Step, error) {
	return s.travel("undo", &s.undo, &s.redo, lang.CADNothingToUndo)
}

// Redo does again what was undone last.
func (s *Scene) Redo() (Step, error) {
	return s.travel("redo", &s.redo, &s.undo, lang.CADNothingToRedo)
}

func (s *Scene) travel(direction string, from, to *[]change, nothing lang.Text) (Step, error) {
	if len(*from) == 0 {
		return Step{}, &Problem{Code: CodeNoHistory, message: nothing.With(), hint: lang.CADHintHistory.With()}
	}
	c := (*from)[len(*from)-1]
	e, err := s.flip(&c)
	if err != nil {
		return Step{}, err
	}
	*from = (*from)[:len(*from)-1]
	*to = bounded(append(*to, c))
	s.last = direction + ": " + c.Op + ": " + c.Name
	return Step{Operation: c.Op, Entity: e}, nil
}

// flip swaps what a change holds with what the scene has.
func (s *Scene) flip(c *change) (Entity, error) {
	if c.Entity != nil {
		e := c.Entity.clone()
		if err := s.insert(&e, c.Index); err != nil {
			return Entity{}, err
		}
		c.Entity, c.Index = nil, 0
		return e.clone(), nil
	}
	e, ok := s.byName[c.Name]
	if !ok {
		return Entity{}, notFound(c.Name)
	}
	switch {
	case c.Style != nil:
		before := e.Style
		e.Style, c.Style = c.Style.clone(), &before
	case c.Transform != nil:
		before := e.Transform
		e.Transform, c.Transform = *c.Transform, &before
	default:
		c.Index = s.remove(e)
		c.Entity = e
	}
	return e.clone(), nil
}
