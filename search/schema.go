package search

import (
	"strings"

	"github.com/go-json-experiment/json/jsontext"
)

// deepest is how far down a schema is read; real ones end long before.
const deepest = 24

// readSchema gives the words of a JSON Schema to read: the names of properties,
// and what describes them. Schemas come from anywhere; one that is broken is
// read up to where it breaks.
func readSchema(schema string, read func(field, string)) {
	if schema == "" {
		return
	}
	dec := jsontext.NewDecoder(strings.NewReader(schema),
		jsontext.AllowDuplicateNames(true), jsontext.AllowInvalidUTF8(true))
	s := schemaReader{dec, read}
	_ = s.schema(0) // what was read so far is what can be found
}

type schemaReader struct {
	dec  *jsontext.Decoder
	read func(field, string)
}

// schema reads any value as if it were a schema: objects and lists are
// read, whatever their keyword.
func (s *schemaReader) schema(depth int) error {
	kind := s.dec.PeekKind()
	if depth > deepest || kind != '{' && kind != '[' {
		return s.dec.SkipValue()
	}
	if kind == '[' {
		return s.each(func() error { return s.schema(depth + 1) })
	}
	return s.members(func(keyword string) error {
		switch keyword {
		case "properties":
			return s.properties(depth + 1)
		case "title", "description":
			return s.text()
		case "enum":
			return s.choices()
		case "const", "default", "example", "examples", "required":
			return s.dec.SkipValue()
		}
		return s.schema(depth + 1)
	})
}

// properties reads an object of schemas by the name of a parameter.
func (s *schemaReader) properties(depth int) error {
	if s.dec.PeekKind() != '{' {
		return s.schema(depth)
	}
	return s.members(func(name string) error {
		s.read(inParameters, name)
		return s.schema(depth + 1)
	})
}

// choices reads the words that a parameter may be.
func (s *schemaReader) choices() error {
	if s.dec.PeekKind() != '[' {
		return s.dec.SkipValue()
	}
	return s.each(s.text)
}

// text reads a string, and passes over anything else.
func (s *schemaReader) text() error {
	if s.dec.PeekKind() != '"' {
		return s.dec.SkipValue()
	}
	token, err := s.dec.ReadToken()
	if err == nil {
		s.read(inDetails, token.String())
	}
	return err
}

// members calls value for each member of an object, its name having been read.
func (s *schemaReader) members(value func(name string) error) error {
	return s.each(func() error {
		token, err := s.dec.ReadToken()
		if err != nil {
			return err
		}
		return value(token.String())
	})
}

// each calls next until the list or object at hand is at its end.
func (s *schemaReader) each(next func() error) error {
	if _, err := s.dec.ReadToken(); err != nil {
		return err
	}
	for {
		switch s.dec.PeekKind() {
		case ']', '}':
			_, err := s.dec.ReadToken()
			return err
		}
		if err := next(); err != nil {
			return err
		}
	}
}
