package schema

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"maps"
	"slices"
	"strings"

	"github.com/go-json-experiment/json/jsontext"

	"github.com/gongu-ai/gongu/internal/jsonx"
	"github.com/gongu-ai/gongu/internal/rawjson"
)

const (
	maxSchemaBytes = 256 << 10
	maxDepth       = 64   // subschemas inside one another
	maxSubschemas  = 2000 // in one document
	maxNesting     = 256  // brackets inside one another, data included
)

// Bound refuses schemas that are too large, hostile or plainly wrong, in
// microseconds and before anything is compiled. What it lets through is safe to
// compile; whether it compiles is for Compile to say.
func Bound(raw []byte) error {
	_, err := inspect(raw, "", &Options{}, false)
	return err
}

// findings is what the inspection of a schema yields.
type findings struct {
	source   string
	fast     *fastNode
	warnings []string

	objectRoot bool
}

// inspect is the one pass over a schema that Bound, Lazy and Compile share.
// Without wantFast, no fast path is built. The text is the same bytes where the
// caller has them as a string already; it is kept, so a copy would stay.
func inspect(raw []byte, text string, opts *Options, wantFast bool) (findings, error) {
	for _, url := range slices.Sorted(maps.Keys(opts.Resources)) {
		s := scan{b: opts.Resources[url], opts: opts, slow: true}
		if _, err := s.document(); err != nil {
			return findings{}, fmt.Errorf("resource %s: %w", url, err)
		}
	}
	s := scan{b: raw, source: text, opts: opts, slow: !wantFast}
	fast, err := s.document()
	if err != nil {
		return findings{}, err
	}
	if s.refs {
		if err := checkReferences(s.source, s.dialect, opts); err != nil {
			return findings{}, err
		}
	}
	if s.slow {
		fast = nil
	}
	return findings{source: s.source, fast: fast, warnings: s.warnings, objectRoot: s.objectRoot}, nil
}

// dialect is the version of JSON Schema that a document is written in.
type dialect uint8

const (
	dialect2020 dialect = iota
	dialect2019
	dialect07
	dialectCustom // a meta-schema among Options.Resources
)

// scan reads a schema document once, from the bytes. It checks the form of each
// keyword and builds the fast path on the way, as long as that is possible.
type scan struct {
	b        []byte
	source   string // the same bytes; names and texts are parts of it
	opts     *Options
	dialect  dialect
	nodes    int
	patterns int
	refs     bool // some reference is to be resolved
	slow     bool // something needs the full validator
	warnings []string

	objectRoot bool // the root says "type": "object"
}

// document checks the outside of a schema and then the schema.
func (s *scan) document() (*fastNode, error) {
	if len(s.b) > maxSchemaBytes {
		return nil, fmt.Errorf("schema has %d bytes, the limit is %d: shorten descriptions and enums", len(s.b), maxSchemaBytes)
	}
	if !validJSON(s.b) {
		return nil, syntaxError(s.b)
	}
	if jsonx.TooDeep(s.b, maxNesting) {
		return nil, fmt.Errorf("schema nests more than %d brackets", maxNesting)
	}
	if s.source == "" {
		s.source = string(s.b)
	}
	if s.opts.Draft7 {
		s.dialect = dialect07
	}
	start := rawjson.Space(s.b, 0)
	if err := s.readDialect(start); err != nil {
		return nil, err
	}
	node, _, err := s.schema(start, 1)
	if err != nil {
		return nil, err
	}
	return node, nil
}

// validJSON reports whether the bytes are strict JSON: one value, no duplicate
// names, valid UTF-8.
func validJSON(b []byte) bool { return jsontext.Value(b).IsValid() }

// syntaxError finds out what strict JSON has against the bytes.
func syntaxError(b []byte) error {
	d := jsontext.NewDecoder(bytes.NewReader(b))
	for {
		if _, err := d.ReadToken(); errors.Is(err, io.EOF) {
			return errors.New("schema is not one JSON value")
		} else if err != nil {
			return fmt.Errorf("schema is not strict JSON: %s", strings.TrimPrefix(err.Error(), "jsontext: "))
		}
	}
}

// readDialect looks for $schema at the root, because the meaning of keywords
// before it depends on it.
func (s *scan) readDialect(i int) *Problem {
	if s.b[i] != '{' || !strings.Contains(s.source, `"$schema"`) {
		return nil
	}
	i, more := memberNext(s.b, i+1)
	for more {
		_, value, _ := keyEnd(s.b, i)
		if strings.HasPrefix(s.source[i:], `"$schema"`) && s.b[value] == '"' {
			end, escaped := rawjson.StringEnd(s.b, value)
			d, ok := s.dialectOf(s.text(value, end, escaped))
			if !ok {
				return problem("$schema must be 2020-12, 2019-09 or draft-07, such as \"https://json-schema.org/draft/2020-12/schema\"").below("$schema")
			}
			s.dialect = d
			return nil
		}
		i, more = memberNext(s.b, rawjson.Skip(s.b, value))
	}
	return nil
}

// dialectOf returns the dialect of a $schema, false if it is not allowed.
func (s *scan) dialectOf(url string) (dialect, bool) {
	url = strings.TrimSuffix(url, "#")
	bare := strings.TrimPrefix(strings.TrimPrefix(url, "http://"), "https://")
	switch bare {
	case "json-schema.org/draft/2020-12/schema":
		return dialect2020, true
	case "json-schema.org/draft/2019-09/schema":
		return dialect2019, true
	case "json-schema.org/draft-07/schema":
		return dialect07, true
	}
	_, ok := s.opts.Resources[url]
	return dialectCustom, ok
}

// text returns the text of the string literal between two indexes, as a part
// of the source when it has no escapes.
func (s *scan) text(start, end int, escaped bool) string {
	if escaped {
		return string(unquote(s.b[start:end]))
	}
	return s.source[start+1 : end-1]
}
