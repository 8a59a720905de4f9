package toolrequest

import (
	"bytes"
	"encoding/json"
	"strings"

	"github.com/gongu-ai/gongu/internal/jsonx"
)

// render writes a queue as people read it. An entry that is laid out already
// stays as it is, which is quick, and what a person did to it stays, too.
func render(entries []*entry) ([]byte, error) {
	if len(entries) == 0 {
		return []byte("[]\n"), nil
	}
	var b bytes.Buffer
	for i, e := range entries {
		if i == 0 {
			b.WriteString("[\n" + indent)
		} else {
			b.WriteString(",\n" + indent)
		}
		raw := e.raw
		if raw == nil {
			var err error
			if raw, err = e.encode(); err != nil {
				return nil, err
			}
		}
		if bytes.HasPrefix(raw, []byte("{\n"+indent+indent+`"`)) && bytes.HasSuffix(raw, []byte("\n"+indent+"}")) {
			b.Write(raw)
		} else if err := json.Indent(&b, raw, indent, indent); err != nil {
			return nil, err
		}
	}
	b.WriteString("\n]\n")
	return b.Bytes(), nil
}

const indent = "  "

// encode writes the known fields, then the unknown ones.
func (e *entry) encode() ([]byte, error) {
	raw, err := jsonx.Marshal(e.wire())
	if err != nil {
		return nil, err
	}
	var b strings.Builder
	b.Write(bytes.TrimSuffix(raw, []byte("}")))
	for _, f := range e.extra {
		name, err := jsonx.Marshal(f.name)
		if err != nil {
			return nil, err
		}
		b.WriteByte(',')
		b.Write(name)
		b.WriteByte(':')
		b.Write(f.value)
	}
	b.WriteByte('}')
	return []byte(b.String()), nil
}
