package connect

import (
	"bytes"
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"reflect"
	"slices"
	"strings"

	"github.com/gongu-ai/gongu/internal/jsonx"
)

// textEdit replaces a range of a text.
type textEdit struct {
	start, end int
	with       string
}

// applyEdits applies edits in the order of their places. Where an insertion is
// at the start of a range that is removed, the inserted text comes first.
func applyEdits(text []byte, edits []textEdit) []byte {
	slices.SortStableFunc(edits, func(a, b textEdit) int {
		return cmp.Or(a.start-b.start, a.end-b.end)
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

// setServer changes one object of a settings file: it removes names and puts
// one in. It checks that nothing else has changed, and keeps all other bytes.
// An empty name puts in nothing.
func setServer(text []byte, path, remove []string, name string, value json.RawMessage) ([]byte, error) {
	fresh, err := editServers(text, path, remove, name, value)
	if err != nil {
		return nil, err
	}
	return fresh, checkJSONC(text, fresh, path, remove, name, value)
}

func editServers(text []byte, path, remove []string, name string, value json.RawMessage) ([]byte, error) {
	root, err := parseJSONC(text)
	if err != nil {
		return nil, err
	}
	if root == nil {
		if !bytes.HasSuffix(text, []byte("\n")) && !blank(bytes.TrimPrefix(text, []byte(byteOrderMark))) {
			text = append(bytes.Clone(text), newlineOf(text)...)
		}
		root = &jsonNode{kind: '{', start: len(text), end: len(text) + 2}
		text = append(bytes.Clone(text), "{}\n"...)
	}
	if root.kind != '{' {
		return nil, errNotObject
	}
	parent := root
	for i, key := range path {
		m := parent.member(key)
		if m == nil {
			if name == "" {
				return text, nil
			}
			value = wrap(name, value)
			for _, inner := range slices.Backward(path[i+1:]) {
				value = wrap(inner, value)
			}
			return insertMember(text, parent, key, value), nil
		}
		if parent = m.value; parent.kind != '{' {
			return nil, errNotObject
		}
	}
	if old := parent.member(name); old != nil && len(remove) == 0 {
		if same, err := decodeJSONC(value); err == nil && reflect.DeepEqual(old.value.value(), any(same)) {
			return text, nil
		}
	}
	return changeMembers(text, parent, remove, name, value), nil
}

// wrap is an object with one member.
func wrap(name string, value json.RawMessage) json.RawMessage {
	return slices.Concat([]byte("{"), jsonx.Text(name), []byte(":"), value, []byte("}"))
}

// changeMembers takes members out and puts one in: in place of its old self,
// of the first that goes, or at the end.
func changeMembers(text []byte, n *jsonNode, remove []string, name string, value json.RawMessage) []byte {
	var edits []textEdit
	placed := name == ""
	if old := n.member(name); old != nil && !placed {
		edits = append(edits, textEdit{old.value.start, old.value.end, format(text, n, value)})
		placed = true
	}
	var gone []int
	for i, m := range n.members {
		if !slices.Contains(remove, m.name) || m.name == name {
			continue
		}
		if !placed {
			edits = append(edits, textEdit{m.start, m.value.end, string(jsonx.Text(name)) + ": " + format(text, n, value)})
			placed = true
			continue
		}
		gone = append(gone, i)
	}
	edits = append(edits, removeMembers(text, n, gone)...)
	if len(edits) == 0 && !placed {
		return insertMember(text, n, name, value)
	}
	return applyEdits(text, edits)
}

// removeMembers takes members out with one comma each. Comments around them stay.
func removeMembers(text []byte, n *jsonNode, gone []int) []textEdit {
	var edits []textEdit
	kept := -1 // the last member before that stays
	for i, m := range n.members {
		if !slices.Contains(gone, i) {
			kept = i
			continue
		}
		start, end := wholeLines(text, m.start, m.value.end)
		if m.comma < 0 {
			edits = append(edits, textEdit{start, end, ""})
			// The comma before the last one would be left over.
			if kept >= 0 && n.members[kept].comma >= 0 {
				c := n.members[kept].comma
				edits = append(edits, textEdit{c, c + 1, ""})
			}
			continue
		}
		if blank(text[m.value.end:m.comma]) {
			start, end = wholeLines(text, m.start, m.comma+1)
			edits = append(edits, textEdit{start, end, ""})
			continue
		}
		// A comment is before the comma.
		edits = append(edits, textEdit{m.start, m.value.end, ""}, textEdit{m.comma, m.comma + 1, ""})
	}
	return edits
}

func blank(text []byte) bool { return len(bytes.TrimSpace(text)) == 0 }

// wholeLines widens a range to its lines, if nothing else is on them.
func wholeLines(text []byte, start, end int) (int, int) {
	from := bytes.LastIndexByte(text[:start], '\n') + 1
	to := bytes.IndexByte(text[end:], '\n')
	if to < 0 || !blank(text[from:start]) || !blank(text[end:end+to]) {
		for end < len(text) && text[end] == ' ' && start > 0 && text[start-1] != ',' {
			end++
		}
		return start, end
	}
	return from, end + to + 1
}

// insertMember puts a member at the end of an object.
func insertMember(text []byte, n *jsonNode, name string, value json.RawMessage) []byte {
	member := string(jsonx.Text(name)) + ": " + format(text, n, value)
	inner, outer, lines := indents(text, n)
	line := newlineOf(text)
	if len(n.members) == 0 {
		if !blank(text[n.start+1 : n.end-1]) { // comments
			closing := line + outer
			at := len(bytes.TrimRight(text[:n.end-1], " \t\r\n"))
			return applyEdits(text, []textEdit{{at, n.end - 1, line + inner + member + closing}})
		}
		return applyEdits(text, []textEdit{{n.start + 1, n.end - 1, line + inner + member + line + outer}})
	}
	last := n.members[len(n.members)-1]
	before := " "
	if lines {
		before = line + inner
	}
	if last.comma >= 0 {
		return applyEdits(text, []textEdit{{last.comma + 1, last.comma + 1, before + member + ","}})
	}
	return applyEdits(text, []textEdit{{last.value.end, last.value.end, "," + before + member}})
}

// indents are the white space before the members of an object and before its
// end, and whether the members have separate lines.
func indents(text []byte, n *jsonNode) (inner, outer string, lines bool) {
	outer = lineIndent(text, n.start)
	if len(n.members) > 0 {
		first := n.members[0].start
		from := bytes.LastIndexByte(text[:first], '\n') + 1
		if from > n.start {
			return lineIndent(text, first), outer, true
		}
		return outer + unitOf(text), outer, false
	}
	return outer + unitOf(text), outer, true
}

// lineIndent is the white space that the line of a place begins with.
func lineIndent(text []byte, at int) string {
	line := text[bytes.LastIndexByte(text[:at], '\n')+1:]
	return string(line[:len(line)-len(bytes.TrimLeft(line, " \t"))])
}

// unitOf is one level of indentation, as the file has it.
func unitOf(text []byte) string {
	for line := range strings.SplitSeq(string(text), "\n") {
		rest := strings.TrimLeft(line, " \t")
		if rest != "" && rest != "\r" && len(rest) < len(line) && !strings.HasPrefix(rest, "*") {
			return line[:len(line)-len(rest)]
		}
	}
	return "  "
}

func newlineOf(text []byte) string {
	if i := bytes.IndexByte(text, '\n'); i > 0 && text[i-1] == '\r' {
		return "\r\n"
	}
	return "\n"
}

// format writes a value as a member of an object in the style of the file.
func format(text []byte, parent *jsonNode, value json.RawMessage) string {
	inner, _, lines := indents(text, parent)
	if !lines {
		return string(value)
	}
	var b bytes.Buffer
	if err := json.Indent(&b, value, inner, unitOf(text)); err != nil {
		return string(value) // it came from json.Marshal
	}
	return strings.ReplaceAll(b.String(), "\n", newlineOf(text))
}

// checkJSONC is the proof that only one object was changed, and as meant.
func checkJSONC(before, after []byte, path, gone []string, name string, value json.RawMessage) error {
	old, err := decodeJSONC(before)
	if err != nil {
		return err
	}
	now, err := decodeJSONC(after)
	if err != nil {
		return fmt.Errorf("after the change: %w", err)
	}
	var own map[string]any
	if name != "" {
		if own, err = decodeJSONC(value); err != nil {
			return err
		}
	}
	if !onlyServersChanged(old, now, path, gone, name, own) {
		return errors.New("the change would touch other settings; nothing was written")
	}
	return nil
}

// onlyServersChanged reports whether two versions of a file differ by nothing
// but servers that were removed and one that was put in. An empty name puts in
// none. It changes the old version.
func onlyServersChanged(old, now map[string]any, path, gone []string, name string, own any) bool {
	servers := descend(old, path)
	for _, server := range gone {
		delete(servers, server)
	}
	if name != "" {
		servers[name] = own
	}
	return reflect.DeepEqual(old, now)
}

func decodeJSONC(text []byte) (map[string]any, error) {
	root, err := parseJSONC(text)
	switch {
	case err != nil:
		return nil, err
	case root == nil:
		return map[string]any{}, nil
	case root.kind != '{':
		return nil, errNotObject
	}
	out, _ := root.value().(map[string]any)
	return out, nil
}

// descend follows a path of objects and makes those that are missing.
func descend(in map[string]any, path []string) map[string]any {
	for _, key := range path {
		next, ok := in[key].(map[string]any)
		if !ok {
			next = map[string]any{}
			in[key] = next
		}
		in = next
	}
	return in
}
