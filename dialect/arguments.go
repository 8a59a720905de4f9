package dialect

import (
	"bytes"
	"cmp"
	"encoding/json"
	"slices"

	"github.com/gongu-ai/gongu"
	"github.com/gongu-ai/gongu/internal/jsonx"
)

// maxArguments is far above what an executor accepts; it only keeps a hostile
// text from being read twice.
const maxArguments = 16 << 20

// Arguments undoes on the way in what the declaration added. In strict mode a
// model must give every property and says null for what it leaves out: a null
// is removed again where the tool's own schema has the property, does not
// require it and does not allow it to be null. Everything else stays as it
// came, byte for byte, and so do arguments that this cannot read: the executor
// will say what is wrong with them.
//
// Arguments of the other dialects come back as they are.
func Arguments(d Dialect, t gongu.Tool, args json.RawMessage) json.RawMessage {
	if d != OpenAIStrict || t.Parameters == "" || !bytes.Contains(args, []byte("null")) {
		return args
	}
	raw, problem := jsonx.Object(args, maxArguments)
	if problem != nil {
		return args
	}
	value, err := parse(raw)
	if err != nil {
		return args
	}
	root, err := parse([]byte(t.Parameters))
	if err != nil {
		return args
	}
	f := &fitting{doc: &document{root: root}, cut: map[*node]bool{}}
	f.fits(root, value, nil)
	if f.spent() || len(f.order) == 0 {
		return args
	}
	return without(raw, f.spans(value))
}

// span is a range of bytes.
type span struct{ start, end int }

// without copies raw, leaving the spans out.
func without(raw []byte, spans []span) []byte {
	slices.SortFunc(spans, func(a, b span) int { return cmp.Compare(a.start, b.start) })
	out := make([]byte, 0, len(raw))
	at := 0
	for _, s := range spans {
		out = append(out, raw[at:s.start]...)
		at = s.end
	}
	return append(out, raw[at:]...)
}

// spans returns the bytes of the members that were cut, each with one comma.
func (f *fitting) spans(n *node) []span {
	var spans []span
	kept := false
	for i, m := range n.members {
		switch {
		case !f.cut[m.value]:
			kept = true
			spans = append(spans, f.spans(m.value)...)
		case kept:
			spans = append(spans, span{n.members[i-1].end, m.end})
		case i+1 < len(n.members):
			spans = append(spans, span{m.start, n.members[i+1].start})
		default:
			spans = append(spans, span{m.start, m.end})
		}
	}
	for _, item := range n.items {
		spans = append(spans, f.spans(item)...)
	}
	return spans
}
