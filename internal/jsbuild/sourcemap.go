package jsbuild

import (
	"encoding/json"
	"fmt"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"sync"
)

// SourceMap translates positions in a script into positions in the files it was
// built from. It is decoded at the first use. A nil map knows no position.
type SourceMap struct {
	raw  []byte
	once sync.Once

	sources []string
	lines   [][]mapping // for each generated line, by column
}

type mapping struct{ column, source, line, original int }

// NewSourceMap returns the map that esbuild wrote as JSON.
func NewSourceMap(raw []byte) *SourceMap { return &SourceMap{raw: raw} }

// Position is a position in a file of a module, from 1. Column is 0 when it is
// unknown.
type Position struct {
	File         string
	Line, Column int
}

func (p Position) String() string {
	if p.Column == 0 {
		return fmt.Sprintf("%s:%d", p.File, p.Line)
	}
	return fmt.Sprintf("%s:%d:%d", p.File, p.Line, p.Column)
}

// ParsePosition reads FILE:LINE.
func ParsePosition(text string) (Position, bool) {
	i := strings.LastIndexByte(text, ':')
	if i < 1 {
		return Position{}, false
	}
	line, err := strconv.Atoi(text[i+1:])
	return Position{File: text[:i], Line: line}, err == nil
}

func (m *SourceMap) decode() {
	var file struct {
		Sources  []string `json:"sources"`
		Mappings string   `json:"mappings"`
	}
	if json.Unmarshal(m.raw, &file) != nil {
		return
	}
	for _, source := range file.Sources {
		m.sources = append(m.sources, strings.TrimPrefix(source, spaceFile+":"))
	}
	var source, line, column int
	for text := range strings.SplitSeq(file.Mappings, ";") {
		var list []mapping
		generated := 0
		for segment := range strings.SplitSeq(text, ",") {
			fields := vlq(segment)
			if len(fields) > 0 {
				generated += fields[0]
			}
			if len(fields) < 4 {
				continue
			}
			source, line, column = source+fields[1], line+fields[2], column+fields[3]
			list = append(list, mapping{generated, source, line, column})
		}
		m.lines = append(m.lines, list)
	}
}

const base64Digits = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/"

// vlq decodes the numbers of a segment: base 64 digits of five bits each, the
// lowest first, with the sign in the lowest bit.
func vlq(segment string) []int {
	var out []int
	value, shift := 0, 0
	for i := range len(segment) {
		digit := strings.IndexByte(base64Digits, segment[i])
		if digit < 0 {
			return nil
		}
		value |= (digit & 31) << shift
		shift += 5
		if digit&32 != 0 {
			continue
		}
		if value&1 != 0 {
			out = append(out, -(value >> 1))
		} else {
			out = append(out, value>>1)
		}
		value, shift = 0, 0
	}
	return out
}

// Find returns the position in a file that a line and a column of the script,
// both from 1, come from. It finds nothing for code of the shim.
func (m *SourceMap) Find(line, column int) (Position, bool) {
	if m == nil {
		return Position{}, false
	}
	m.once.Do(m.decode)
	line -= 1 + strings.Count(scriptPrefix, "\n")
	if line < 0 || line >= len(m.lines) || len(m.lines[line]) == 0 {
		return Position{}, false
	}
	list := m.lines[line]
	i, exact := slices.BinarySearchFunc(list, column-1, func(a mapping, column int) int { return a.column - column })
	if !exact {
		i = max(i-1, 0)
	}
	found := list[i]
	if found.source < 0 || found.source >= len(m.sources) || strings.HasPrefix(m.sources[found.source], spaceShim+":") {
		return Position{}, false
	}
	return Position{m.sources[found.source], found.line + 1, found.original + 1}, true
}

// frame matches a line of a stack: at NAME (FILE:LINE:COLUMN).
var frame = regexp.MustCompile(`^\s*at (?:(.*) \()?(?:<\w+>|[^()]*):(\d+)(?::(\d+))?\)?$`)

// Stack translates a stack of the engine into one with positions in the files of
// the module, without the frames of the shim. The first position is the one
// where the error was thrown.
func (m *SourceMap) Stack(text string) (first Position, mapped string) {
	var b strings.Builder
	for line := range strings.Lines(text) {
		fields := frame.FindStringSubmatch(strings.TrimRight(line, "\n"))
		if fields == nil {
			continue
		}
		row, _ := strconv.Atoi(fields[2])
		column, _ := strconv.Atoi(fields[3])
		at, ok := m.Find(row, column)
		if !ok {
			continue
		}
		if first.File == "" {
			first = at
		}
		name := fields[1]
		if name == "" || strings.HasPrefix(name, "<") {
			name = "(anonymous)"
		}
		fmt.Fprintf(&b, "    at %s (%s)\n", name, at)
	}
	return first, b.String()
}

// JSON returns the map as esbuild wrote it.
func (m *SourceMap) JSON() []byte {
	if m == nil {
		return nil
	}
	return m.raw
}
