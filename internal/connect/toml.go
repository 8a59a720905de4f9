package connect

import (
	"bytes"
	"fmt"
	"maps"
	"reflect"
	"slices"
	"strings"

	"github.com/BurntSushi/toml"
)

// tomlSection is a table of a TOML file, by its lines.
type tomlSection struct {
	path       []string
	start, end int // byte offsets; the end is after the last line with content
}

// tomlSections finds the headers of tables. What is before the first one
// is the first section, with an empty path.
func tomlSections(text []byte) []tomlSection {
	sections := []tomlSection{{}}
	scan := &tomlScanner{}
	pos := 0
	for line := range bytes.SplitAfterSeq(text, []byte("\n")) {
		inside := scan.inside()
		content := bytes.TrimSpace(line)
		if !inside && bytes.HasPrefix(content, []byte("[")) {
			sections = append(sections, tomlSection{path: tomlHeader(content), start: pos})
		}
		scan.line(line)
		pos += len(line)
		if inside || len(content) > 0 && content[0] != '#' {
			sections[len(sections)-1].end = pos
		}
	}
	return sections
}

// tomlHeader reads the path of a [table] or [[array]] line by the library, so
// that quoted names are read as it reads them.
func tomlHeader(line []byte) []string {
	var found map[string]any
	meta, err := toml.Decode(string(line)+"\n", &found)
	if err != nil || len(meta.Keys()) == 0 {
		return nil
	}
	keys := meta.Keys()
	return keys[len(keys)-1]
}

// tomlScanner knows whether a line begins inside of a text or a list of
// several lines.
type tomlScanner struct {
	quote string // of a text over several lines
	depth int    // of brackets
}

func (s *tomlScanner) inside() bool { return s.quote != "" || s.depth > 0 }

func (s *tomlScanner) line(line []byte) {
	header := !s.inside() && bytes.HasPrefix(bytes.TrimSpace(line), []byte("["))
	for i := 0; i < len(line); {
		if s.quote != "" {
			i = s.endOfText(line, i)
			continue
		}
		rest := line[i:]
		switch {
		case rest[0] == '#':
			return
		case bytes.HasPrefix(rest, []byte(`"""`)), bytes.HasPrefix(rest, []byte(`'''`)):
			s.quote = string(rest[:3])
			i += 3
		case rest[0] == '"' || rest[0] == '\'':
			s.quote = string(rest[:1])
			i++
		default:
			if !header {
				s.depth += bytes.Count(rest[:1], []byte("[")) + bytes.Count(rest[:1], []byte("{"))
				s.depth = max(0, s.depth-bytes.Count(rest[:1], []byte("]"))-bytes.Count(rest[:1], []byte("}")))
			}
			i++
		}
	}
	if len(s.quote) == 1 { // a text of one line cannot go on
		s.quote = ""
	}
}

// endOfText goes on inside of a text and returns the place to go on from.
func (s *tomlScanner) endOfText(line []byte, i int) int {
	for ; i < len(line); i++ {
		if line[i] == '\\' && s.quote[0] == '"' {
			i++
			continue
		}
		if bytes.HasPrefix(line[i:], []byte(s.quote)) {
			i += len(s.quote)
			// Up to two more quotes belong to a long text that they end.
			for len(s.quote) == 3 && i < len(line) && line[i] == s.quote[0] {
				i++
			}
			s.quote = ""
			return i
		}
	}
	return i
}

// setTOMLServer takes servers out of a codex configuration and puts one in,
// by whole tables. Servers that are not in separate tables are refused.
func setTOMLServer(text []byte, table string, remove []string, name, block string) ([]byte, error) {
	before, err := decodeTOML(text)
	if err != nil {
		return nil, err
	}
	var edits []textEdit
	place := -1
	for _, section := range tomlSections(text) {
		if len(section.path) < 2 || section.path[0] != table {
			continue
		}
		if server := section.path[1]; server != name && !slices.Contains(remove, server) {
			continue
		}
		if place < 0 {
			place = section.start
		}
		edits = append(edits, textEdit{section.start, section.end, ""})
	}
	if block != "" {
		edits = append(edits, placeBlock(text, place, block))
	}
	after := mergeEdits(text, edits)
	return after, checkTOML(before, after, table, append(slices.Clone(remove), name), name, block)
}

// placeBlock puts a table where the first one was, or at the end.
func placeBlock(text []byte, place int, block string) textEdit {
	line := newlineOf(text)
	block = strings.ReplaceAll(block, "\n", line)
	if place >= 0 {
		return textEdit{place, place, block}
	}
	switch {
	case len(bytes.TrimSpace(text)) == 0:
	case !bytes.HasSuffix(text, []byte("\n")):
		block = line + line + block
	case !bytes.HasSuffix(text, []byte(line+line)):
		block = line + block
	}
	return textEdit{len(text), len(text), block}
}

// mergeEdits applies edits of which one may start where another does: what
// is put in comes first.
func mergeEdits(text []byte, edits []textEdit) []byte {
	slices.SortStableFunc(edits, func(a, b textEdit) int {
		if a.start != b.start {
			return a.start - b.start
		}
		return a.end - b.end
	})
	var out []byte
	pos := 0
	for _, e := range edits {
		out = append(out, text[pos:max(pos, e.start)]...)
		out = append(out, e.with...)
		pos = max(pos, e.end)
	}
	return append(out, text[pos:]...)
}

func decodeTOML(text []byte) (map[string]any, error) {
	var out map[string]any
	if _, err := toml.Decode(string(text), &out); err != nil {
		return nil, fmt.Errorf("not TOML: %w", err)
	}
	return out, nil
}

// checkTOML is the proof that nothing else was changed.
func checkTOML(before map[string]any, after []byte, table string, gone []string, name, block string) error {
	now, err := decodeTOML(after)
	if err != nil {
		return err
	}
	want := maps.Clone(before)
	if want == nil {
		want = map[string]any{}
	}
	servers, _ := want[table].(map[string]any)
	servers = maps.Clone(servers)
	for _, server := range gone {
		delete(servers, server)
	}
	if block != "" {
		var own map[string]any
		if _, err := toml.Decode(block, &own); err != nil {
			return fmt.Errorf("our own table: %w", err)
		}
		if servers == nil {
			servers = map[string]any{}
		}
		tables, _ := own[table].(map[string]any)
		servers[name] = tables[name]
	}
	want[table] = servers
	if len(servers) == 0 {
		delete(want, table)
		if rest, ok := now[table].(map[string]any); ok && len(rest) == 0 {
			delete(now, table)
		}
	}
	if !reflect.DeepEqual(now, want) {
		return errTOMLForm
	}
	return nil
}

// errTOMLForm is a file whose servers are not in separate tables.
var errTOMLForm = fmt.Errorf("its servers are not in separate tables, such as [mcp_servers.name]")
