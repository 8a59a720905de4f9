package connect

import (
	"bytes"
	"fmt"
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

// tomlSections finds the tables of a file by their headers. A line that starts
// with a bracket is a header only if the text since the header before it is
// complete: otherwise the line is part of a string or a list of several lines.
func tomlSections(text []byte) []tomlSection {
	var sections []tomlSection
	start, pos := 0, 0
	for line := range bytes.SplitAfterSeq(text, []byte("\n")) {
		header := bytes.TrimSpace(line)
		if bytes.HasPrefix(header, []byte("[")) && isTOML(text[start:pos]) {
			sections = append(sections, tomlSection{path: tomlHeader(header), start: pos})
			start = pos
		}
		pos += len(line)
	}
	for i := range sections {
		end := len(text)
		if i+1 < len(sections) {
			end = sections[i+1].start
		}
		sections[i].end = sections[i].start + contentLength(text[sections[i].start:end])
	}
	return sections
}

// contentLength is the length of a section without the blank lines and comments
// after it, which usually belong to the next one.
func contentLength(section []byte) int {
	end := len(section)
	for {
		start := bytes.LastIndexByte(bytes.TrimSuffix(section[:end], []byte("\n")), '\n') + 1
		last := bytes.TrimSpace(section[start:end])
		if start == 0 || len(last) > 0 && last[0] != '#' || !isTOML(section[:start]) {
			return end
		}
		end = start
	}
}

func isTOML(text []byte) bool {
	_, err := decodeTOML(text)
	return err == nil
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

// setTOMLServer removes servers from a codex configuration and puts one in, by
// whole tables. It refuses servers that are not in separate tables.
func setTOMLServer(text []byte, remove []string, name, block string) ([]byte, error) {
	before, err := decodeTOML(text)
	if err != nil {
		return nil, err
	}
	own, err := decodeTOML([]byte(block))
	if err != nil {
		return nil, fmt.Errorf("our own table: %w", err)
	}
	path := []string{codexTable}
	server := descend(own, path)[name]
	if len(remove) == 0 && reflect.DeepEqual(descend(before, path)[name], server) {
		return text, nil
	}
	remove = append(slices.Clone(remove), name)
	var edits []textEdit
	place := -1
	for _, section := range tomlSections(text) {
		if len(section.path) < 2 || section.path[0] != codexTable || !slices.Contains(remove, section.path[1]) {
			continue
		}
		if place < 0 {
			place = section.start
		}
		edits = append(edits, textEdit{section.start, section.end, ""})
	}
	after := applyEdits(text, append(edits, placeBlock(text, place, block)))
	now, err := decodeTOML(after)
	if err != nil {
		return nil, err
	}
	if !onlyServersChanged(before, now, path, remove, name, server) {
		return nil, errTOMLForm
	}
	return after, nil
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

func decodeTOML(text []byte) (map[string]any, error) {
	out := map[string]any{}
	if _, err := toml.Decode(string(text), &out); err != nil {
		return nil, fmt.Errorf("not TOML: %w", err)
	}
	return out, nil
}

// errTOMLForm is a file whose servers are not in separate tables.
var errTOMLForm = fmt.Errorf("its servers are not in separate tables, such as [mcp_servers.name]")
