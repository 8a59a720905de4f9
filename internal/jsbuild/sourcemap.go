package script

import (
	"encoding/json"
	"fmt"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"sync"
)

// sourceMap leads from a place in the bundled script to the file it came from.
// It is taken apart when the first error asks.
type sourceMap struct {
	raw  []byte
	once sync.Once

	sources []string
	lines   [][]mapping // for each generated line, by column
}

type mapping struct{ column, source, line, original int }

// place is a place in a file of the module.
type place struct {
	File         string
	Line, Column int
}

func (p place) String() string {
	if p.Column == 0 {
		return fmt.Sprintf("%s:%d", p.File, p.Line)
	}
	return fmt.Sprintf("%s:%d:%d", p.File, p.Line, p.Column)
}

func (m *sourceMap) decode() {
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

// vlq reads the numbers of a segment: base 64 digits, five bits each, the
// lowest first, with the sign in the first bit.
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

// find is the place that a line and a column of the script, both from 1, came
// from.
func (m *sourceMap) find(line, column int) (place, bool) {
	if m == nil {
		return place{}, false
	}
	m.once.Do(m.decode)
	line -= 1 + strings.Count(moduleStart, "\n")
	if line < 0 || line >= len(m.lines) || len(m.lines[line]) == 0 {
		return place{}, false
	}
	list := m.lines[line]
	i, exact := slices.BinarySearchFunc(list, column-1, func(a mapping, column int) int { return a.column - column })
	if !exact {
		i = max(i-1, 0)
	}
	found := list[i]
	if found.source < 0 || found.source >= len(m.sources) || strings.HasPrefix(m.sources[found.source], spaceShim+":") {
		return place{}, false
	}
	return place{m.sources[found.source], found.line + 1, found.original + 1}, true
}

// frame is a line of a stack: at NAME (FILE:LINE:COLUMN).
var frame = regexp.MustCompile(`^\s*at (?:(.*) \()?(?:<\w+>|[^()]*):(\d+)(?::(\d+))?\)?$`)

// stack turns the engine's stack into one of the module's files. Frames of the
// shim are left out. The first place is the one nearest to the error.
func (m *sourceMap) stack(text string) (first place, mapped string) {
	var b strings.Builder
	for line := range strings.Lines(text) {
		fields := frame.FindStringSubmatch(strings.TrimRight(line, "\n"))
		if fields == nil {
			continue
		}
		row, _ := strconv.Atoi(fields[2])
		column, _ := strconv.Atoi(fields[3])
		at, ok := m.find(row, column)
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

// text is the map as esbuild wrote it.
func (m *sourceMap) text() []byte {
	if m == nil {
		return nil
	}
	return m.raw
}
