package cad

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"

	strict "github.com/go-json-experiment/json"

	"github.com/gongu-ai/gongu/internal/jsonx"
)

// wireEntity is an entity as JSON has it.
type wireEntity struct {
	Name      string          `json:"name"`
	Type      string          `json:"type"`
	Geometry  json.RawMessage `json:"geometry"`
	Style     Style           `json:"style"`
	Transform Transform       `json:"transform"`
}

// MarshalJSON writes {name, type, geometry, style, transform}.
func (e Entity) MarshalJSON() ([]byte, error) {
	if e.Shape == nil {
		return nil, errors.New("an entity without a shape")
	}
	geometry, err := json.Marshal(e.Shape)
	if err != nil {
		return nil, err
	}
	return jsonx.Marshal(wireEntity{e.Name, e.Type(), geometry, e.Style, e.Transform})
}

// UnmarshalJSON reads what MarshalJSON writes, and refuses what no scene would
// have accepted.
func (e *Entity) UnmarshalJSON(raw []byte) error {
	var w wireEntity
	if err := unmarshal(raw, &w); err != nil {
		return err
	}
	shape, err := decodeShape(w.Type, w.Geometry)
	if err != nil {
		return fmt.Errorf("entity %q: %w", w.Name, err)
	}
	read, _, err := newEntity(w.Name, shape, w.Style, w.Transform)
	if err != nil {
		return fmt.Errorf("entity %q: %w", w.Name, err)
	}
	*e = read
	return nil
}

func decodeShape(kind string, geometry json.RawMessage) (Shape, error) {
	switch kind {
	case TypeLine:
		return shapeOf[Line](geometry)
	case TypeCircle:
		return shapeOf[Circle](geometry)
	case TypeRect:
		return shapeOf[Rect](geometry)
	case TypeArc:
		return shapeOf[Arc](geometry)
	}
	return nil, fmt.Errorf("type %q is none of line, circle, rect, arc", kind)
}

func shapeOf[S Shape](geometry json.RawMessage) (Shape, error) {
	var shape S
	if err := unmarshal(geometry, &shape); err != nil {
		return nil, fmt.Errorf("geometry: %w", err)
	}
	return shape, nil
}

// unmarshal takes exactly the members that it knows, each once.
func unmarshal(raw []byte, into any) error {
	return strict.Unmarshal(raw, into, strict.RejectUnknownMembers(true))
}

// Drawing is the visible part of a scene, without its history.
type Drawing struct {
	Name          string   `json:"name,omitempty"`
	Entities      []Entity `json:"entities"`
	LastOperation string   `json:"last_operation,omitempty"`
}

// Drawing returns a copy of the visible part.
func (s *Scene) Drawing() Drawing {
	return Drawing{Name: s.name, Entities: s.Entities(), LastOperation: s.last}
}

// Scene makes a scene of a drawing. There is nothing to undo in it.
func (d Drawing) Scene() (*Scene, error) {
	s := NewScene(d.Name)
	s.last = d.LastOperation
	for _, given := range d.Entities {
		if given.Shape == nil {
			return nil, fmt.Errorf("entity %q has no shape", given.Name)
		}
		e, _, err := newEntity(given.Name, given.Shape, given.Style, given.Transform)
		if err == nil {
			err = s.insert(&e, len(s.order))
		}
		if err != nil {
			return nil, err
		}
	}
	return s, nil
}

// sceneVersion is the version of the file format that is written. A change
// that older programs would misread gets the next number.
const sceneVersion = 1

// sceneFile is a scene with its history.
type sceneFile struct {
	Version int `json:"version"`
	// Stamp is in files of earlier releases and has no meaning any more.
	Stamp         string   `json:"stamp,omitempty"`
	Name          string   `json:"name"`
	LastOperation string   `json:"last_operation"`
	Undo          []change `json:"undo"`
	Redo          []change `json:"redo"`
	Entities      []Entity `json:"entities"`
}

// newerError is a file of a version that is not known yet.
type newerError struct{ version int }

func (e *newerError) Error() string {
	return fmt.Sprintf("version %d is newer than %d", e.version, sceneVersion)
}

// Encode writes the whole scene, with its history, for [Decode]. Each entity is
// on its own line, so that people can read and compare files.
func (s *Scene) Encode() ([]byte, error) {
	head, err := jsonx.Marshal(sceneFile{Version: sceneVersion, Name: s.name, LastOperation: s.last, Undo: s.undo, Redo: s.redo})
	if err != nil {
		return nil, fmt.Errorf("encode the scene: %w", err)
	}
	const empty = `null}` // the end of a head without entities
	var buf bytes.Buffer
	buf.Write(bytes.TrimSuffix(head, []byte(empty)))
	buf.WriteByte('[')
	for i, e := range s.order {
		if i > 0 {
			buf.WriteByte(',')
		}
		buf.WriteByte('\n')
		line, err := e.MarshalJSON()
		if err != nil {
			return nil, fmt.Errorf("encode entity %q: %w", e.Name, err)
		}
		buf.Write(line)
	}
	buf.WriteString("\n]}\n")
	return buf.Bytes(), nil
}

// Decode reads what [Scene.Encode] wrote. Anything else is an error: nothing
// is guessed about a file that is damaged or of a newer version.
func Decode(raw []byte) (*Scene, error) {
	if problem := jsonx.Strict(raw); problem != nil {
		return nil, problem
	}
	var version struct {
		Version int `json:"version"`
	}
	if err := strict.Unmarshal(raw, &version); err != nil {
		return nil, err
	}
	switch {
	case version.Version > sceneVersion:
		return nil, &newerError{version.Version}
	case version.Version < 1:
		return nil, errors.New("it is not a scene: it has no version")
	}
	var file sceneFile
	if err := unmarshal(raw, &file); err != nil {
		return nil, err
	}
	s, err := Drawing{Name: file.Name, Entities: file.Entities, LastOperation: file.LastOperation}.Scene()
	if err != nil {
		return nil, err
	}
	s.undo, s.redo = bounded(file.Undo), bounded(file.Redo)
	return s, checkHistory(s.undo, s.redo)
}

// checkHistory refuses changes that could not be taken back as they stand.
func checkHistory(lists ...[]change) error {
	for _, list := range lists {
		for i := range list {
			if err := list[i].check(); err != nil {
				return fmt.Errorf("history: %w", err)
			}
		}
	}
	return nil
}

func (c *change) check() error {
	if c.Op == "" || checkName(c.Name) != nil {
		return errors.New("a change without an operation or a name")
	}
	if c.Entity != nil && c.Entity.Name != c.Name {
		return fmt.Errorf("a change of %q holds %q", c.Name, c.Entity.Name)
	}
	if c.Style != nil {
		style, _, err := c.Style.normal()
		if err != nil {
			return err
		}
		c.Style = &style
	}
	if t := c.Transform; t != nil {
		probe := Entity{Name: c.Name, Shape: Circle{Radius: 1}, Transform: *t}
		return probe.check()
	}
	return nil
}
