package schema

import (
	"slices"
	"strconv"

	"github.com/gongu-ai/gongu/internal/rawjson"
)

// docNode is one value of a schema document. References are resolved on these
// nodes, because they have an identity and keep the order of the document.
type docNode struct {
	kind   byte // first byte of the value
	text   string
	names  []string   // of an object
	values []*docNode // of an object or array
}

// parseDocument reads valid JSON of bounded depth.
func parseDocument(b []byte, i int) (*docNode, int) {
	n := &docNode{kind: b[i]}
	switch n.kind {
	case '"':
		end, _ := rawjson.StringEnd(b, i)
		n.text = string(unquote(b[i:end]))
		return n, end
	case '{', '[':
	default:
		return n, rawjson.Skip(b, i)
	}
	i, more := memberNext(b, i+1)
	for more {
		if n.kind == '{' {
			end, value, _ := keyEnd(b, i)
			n.names = append(n.names, string(unquote(b[i:end])))
			i = value
		}
		sub, end := parseDocument(b, i)
		n.values = append(n.values, sub)
		i, more = memberNext(b, end)
	}
	return n, i
}

// member returns the value of a name in an object, or nil.
func (n *docNode) member(name string) *docNode {
	if i := slices.Index(n.names, name); i >= 0 {
		return n.values[i]
	}
	return nil
}

// memberText returns the text of a string member, or nothing.
func (n *docNode) memberText(name string) string {
	if m := n.member(name); m != nil && m.kind == '"' {
		return m.text
	}
	return ""
}

// isSchema reports whether the value can be a schema at all.
func (n *docNode) isSchema() bool {
	return n.kind == '{' || n.kind == 't' || n.kind == 'f'
}

// child returns what a token of a pointer leads to, or nil.
func (n *docNode) child(token string) *docNode {
	switch n.kind {
	case '{':
		return n.member(token)
	case '[':
		index, err := strconv.ParseUint(token, 10, 32)
		if err == nil && index < uint64(len(n.values)) {
			return n.values[index]
		}
	}
	return nil
}
