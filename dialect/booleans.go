package dialect

import (
	"bytes"

	"github.com/go-json-experiment/json/jsontext"
)

// withoutBooleans writes a schema that is a bare true or false, or has such
// properties, with objects of the same meaning: the SDKs of MCP refuse a whole
// list of tools for one of them. All other bytes stay. The schema is valid
// JSON.
func withoutBooleans(schema []byte) []byte {
	b := booleans{dec: jsontext.NewDecoder(bytes.NewReader(schema)), schema: schema}
	err := b.object(func(keyword string) error {
		if keyword == "properties" {
			return b.object(func(string) error { return b.replaced() })
		}
		return b.dec.SkipValue()
	})
	if err != nil || b.at == 0 {
		return schema
	}
	return append(b.out, schema[b.at:]...)
}

// booleans is a schema that is read up to at and written to out.
type booleans struct {
	dec         *jsontext.Decoder
	schema, out []byte
	at          int
}

// object reads an object, of which visit reads the values, or a boolean.
func (b *booleans) object(visit func(name string) error) error {
	if b.dec.PeekKind() != '{' {
		return b.replaced()
	}
	_, err := b.dec.ReadToken()
	for err == nil && b.dec.PeekKind() != '}' {
		var name jsontext.Token
		if name, err = b.dec.ReadToken(); err == nil {
			err = visit(name.String())
		}
	}
	if err != nil {
		return err
	}
	_, err = b.dec.ReadToken()
	return err
}

// replaced reads a value and writes another for a bare boolean.
func (b *booleans) replaced() error {
	kind := b.dec.PeekKind()
	if err := b.dec.SkipValue(); err != nil {
		return err
	}
	end := int(b.dec.InputOffset())
	switch kind {
	case 't':
		b.out = append(append(b.out, b.schema[b.at:end-len("true")]...), `{}`...)
		b.at = end
	case 'f':
		b.out = append(append(b.out, b.schema[b.at:end-len("false")]...), `{"not":{}}`...)
		b.at = end
	}
	return nil
}
