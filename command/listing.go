package command

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"sync"

	jsonv2 "github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"
	"github.com/gongu-ai/gongu"
	"github.com/gongu-ai/gongu/internal/jsonx"
	"github.com/gongu-ai/gongu/internal/lang"
)

// Listing is what a program listed.
type Listing struct {
	Tools []gongu.Tool
	// Definitions are the same tools as an MCP list has them, for pinning.
	Definitions []json.RawMessage
	Problems    []Problem
}

// Problem is an entry that was left out, or taken otherwise than it was
// written.
type Problem struct {
	// Path is where in the list: [2], [0].functionDeclarations[1], line 3.
	Path string
	// Name is the tool's, when it has one.
	Name    string
	Message string
	// Left says that there is no tool for this entry.
	Left bool
}

// String is the problem in one line.
func (p Problem) String() string { return p.Path + ": " + p.Message }

// reader goes through a list of any form.
type reader struct {
	source  *Source
	listing *Listing
	at      map[string]int // names to places in Tools
	paths   []string       // of the tools
	full    bool           // the problem of too many tools was reported
}

func (s *Source) read(raw []byte) (*Listing, error) {
	raw = bytes.TrimPrefix(raw, []byte("\ufeff"))
	if len(bytes.TrimSpace(raw)) == 0 {
		return nil, errors.New(lang.CommandListEmpty.In(s.lang))
	}
	r := &reader{source: s, listing: &Listing{}, at: make(map[string]int)}
	values, err := r.split(raw)
	if err != nil {
		return nil, err
	}
	items := make([]item, len(values))
	for i, value := range values {
		items[i].raw = jsontext.Value(value)
		if len(values) > 1 {
			items[i].path = "[" + strconv.Itoa(i) + "]"
		}
	}
	r.each(items)
	return r.listing, nil
}

// item is a value of the list and where it is.
type item struct {
	path string
	raw  jsontext.Value
}

// sideBySide is how many items are worth a second core.
const sideBySide = 512

// each reads items in their order. Many are read side by side.
func (r *reader) each(items []item) {
	if len(items) < sideBySide {
		for _, it := range items {
			r.value(it.path, it.raw)
		}
		return
	}
	share := (len(items) + runtime.GOMAXPROCS(0) - 1) / runtime.GOMAXPROCS(0)
	var parts []*reader
	var all sync.WaitGroup
	for chunk := range slices.Chunk(items, share) {
		part := &reader{source: r.source, listing: &Listing{}, at: make(map[string]int, len(chunk))}
		part.expect(len(chunk))
		parts = append(parts, part)
		all.Go(func() {
			for _, it := range chunk {
				part.value(it.path, it.raw)
			}
		})
	}
	all.Wait()
	r.expect(len(items))
	for _, part := range parts {
		r.listing.Problems = append(r.listing.Problems, part.listing.Problems...)
		for i, tool := range part.listing.Tools {
			r.keep(part.paths[i], tool, part.listing.Definitions[i])
		}
	}
}

// expect makes room for so many tools: they are large, and moving them costs
// more than reading them.
func (r *reader) expect(tools int) {
	r.listing.Tools = slices.Grow(r.listing.Tools, tools)
	r.listing.Definitions = slices.Grow(r.listing.Definitions, tools)
	r.paths = slices.Grow(r.paths, tools)
}

// split finds the JSON values: one, or one to a line, between lines of other
// text that a program prints before it comes to the point. A value that breaks
// off is an error: half a list would make the other half vanish.
func (r *reader) split(raw []byte) ([]json.RawMessage, error) {
	var values []json.RawMessage
	line := 1
	for len(raw) > 0 {
		trimmed := bytes.TrimLeft(raw, " \t\r\n")
		line += bytes.Count(raw[:len(raw)-len(trimmed)], []byte("\n"))
		if raw = trimmed; len(raw) == 0 {
			break
		}
		if len(values) == maxEntries {
			r.problem(fmt.Sprintf("line %d", line), "", true, lang.CommandTooMany, maxTools)
			break
		}
		end := bytes.IndexByte(raw, '\n') + 1
		if end == 0 {
			end = len(raw)
		}
		// Nearly always a line is a value, or all of the list.
		if whole := bytes.TrimSpace(raw[:end]); (whole[0] == '[' || whole[0] == '{') && jsontext.Value(whole).IsValid(lenient) {
			values = append(values, whole)
			raw = raw[end:]
			line++
			continue
		}
		decoder := json.NewDecoder(bytes.NewReader(raw))
		var value json.RawMessage
		err := decoder.Decode(&value)
		isList := err == nil && (value[0] == '[' || value[0] == '{')
		if isList {
			size := int(decoder.InputOffset())
			values = append(values, value)
			line += bytes.Count(raw[:size], []byte("\n"))
			raw = raw[size:]
			continue
		}
		var syntax *json.SyntaxError
		elsewhere := errors.As(err, &syntax) && int(syntax.Offset) > end
		if elsewhere || errors.Is(err, io.ErrUnexpectedEOF) {
			return nil, errors.New(lang.CommandListBroken.In(r.source.lang, line, err))
		}
		noise := strings.TrimSpace(string(raw[:min(end, 80)]))
		r.problem(fmt.Sprintf("line %d", line), "", false, lang.CommandListNoise, line, noise)
		raw = raw[end:]
		line++
	}
	if len(values) == 0 {
		return nil, errors.New(lang.CommandListBroken.In(r.source.lang, 1, "there is no array and no object"))
	}
	return values, nil
}

// value reads a list, a wrapper or a declaration.
func (r *reader) value(path string, raw jsontext.Value) {
	switch raw.Kind() {
	case '[':
		decoder := jsontext.NewDecoder(bytes.NewBuffer(raw), lenient)
		if _, err := decoder.ReadToken(); err != nil {
			return // it was decoded a moment ago
		}
		var items []item
		for i := 0; decoder.PeekKind() != ']'; i++ {
			value, err := decoder.ReadValue()
			if err != nil {
				break
			}
			if i == maxEntries {
				r.problem(orRoot(path), "", true, lang.CommandTooMany, maxTools)
				break
			}
			items = append(items, item{path + "[" + strconv.Itoa(i) + "]", value.Clone()})
		}
		r.each(items)
	case '{':
		r.object(path, raw)
	default:
		r.problem(orRoot(path), "", true, lang.CommandEntryKind, orRoot(path), jsonx.Kind(raw))
	}
}

// lenient accepts duplicate names and invalid UTF-8, as some programs print them.
var lenient = jsonv2.JoinOptions(jsontext.AllowDuplicateNames(true), jsontext.AllowInvalidUTF8(true))

// entry is an object of the list: a wrapper, by who writes it so, or a
// declaration with the spellings of its schemas.
type entry struct {
	Name        jsontext.Value `json:"name"`
	Title       jsontext.Value `json:"title"`
	Description jsontext.Value `json:"description"`
	Annotations jsontext.Value `json:"annotations"`

	ParametersJSONSchema jsontext.Value `json:"parametersJsonSchema"`
	InputSchema          jsontext.Value `json:"inputSchema"`
	InputSchemaSnake     jsontext.Value `json:"input_schema"`
	Parameters           jsontext.Value `json:"parameters"`
	ResponseJSONSchema   jsontext.Value `json:"responseJsonSchema"`
	OutputSchema         jsontext.Value `json:"outputSchema"`
	OutputSchemaSnake    jsontext.Value `json:"output_schema"`

	DeclarationsSnake jsontext.Value `json:"function_declarations"`
	Declarations      jsontext.Value `json:"functionDeclarations"`
	Tools             jsontext.Value `json:"tools"`
	Result            jsontext.Value `json:"result"`
	Function          jsontext.Value `json:"function"`
}

func (r *reader) object(path string, raw jsontext.Value) {
	var e entry
	if err := jsonv2.Unmarshal(raw, &e, lenient); err != nil {
		r.problem(orRoot(path), "", true, lang.CommandEntryKind, orRoot(path), err.Error())
		return
	}
	if e.Name == nil {
		for _, wrapper := range []struct {
			key   string
			inner jsontext.Value
		}{
			{"function_declarations", e.DeclarationsSnake}, {"functionDeclarations", e.Declarations},
			{"tools", e.Tools}, {"result", e.Result}, {"function", e.Function},
		} {
			if wrapper.inner != nil {
				r.value(strings.TrimPrefix(path+"."+wrapper.key, "."), wrapper.inner)
				return
			}
		}
	}
	r.declaration(orRoot(path), &e)
}

func orRoot(path string) string {
	if path == "" {
		return "the list"
	}
	return path
}

func (r *reader) problem(path, name string, left bool, text lang.Text, args ...any) {
	if len(r.listing.Problems) >= maxProblems {
		return
	}
	r.listing.Problems = append(r.listing.Problems, Problem{Path: path, Name: name, Left: left, Message: text.In(r.source.lang, args...)})
}

// Tool makes the tool of one definition, as Definitions has them, without
// running anything.
func (s *Source) Tool(definition json.RawMessage) (gongu.Tool, error) {
	r := &reader{source: s, listing: &Listing{}, at: make(map[string]int)}
	r.value("", jsontext.Value(definition))
	if len(r.listing.Tools) != 1 {
		if len(r.listing.Problems) > 0 {
			return gongu.Tool{}, errors.New(r.listing.Problems[0].Message)
		}
		return gongu.Tool{}, errors.New("this is not the definition of one tool")
	}
	return r.listing.Tools[0], nil
}

// Owns says whether a tool of this name could be one of the source's.
func (s *Source) Owns(name string) bool {
	prefix := s.prefix()
	return prefix == "" || strings.HasPrefix(name, prefix+"__")
}
