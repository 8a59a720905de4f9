package dialect

import "encoding/json"

// object writes a JSON object member by member. It exists because schemas and
// contents are passed on as the bytes they came in, which encoding/json would
// rewrite.
type object struct{ buf []byte }

func (o *object) key(name string) {
	if len(o.buf) == 0 {
		o.buf = append(o.buf, '{')
	} else {
		o.buf = append(o.buf, ',')
	}
	o.buf = appendString(o.buf, name)
	o.buf = append(o.buf, ':')
}

func (o *object) string(name, value string) *object {
	o.key(name)
	o.buf = appendString(o.buf, value)
	return o
}

func (o *object) raw(name string, value []byte) *object {
	o.key(name)
	o.buf = append(o.buf, value...)
	return o
}

func (o *object) flag(name string, value bool) *object {
	return o.raw(name, newBool(value).append(nil))
}

func (o *object) bytes() json.RawMessage {
	if len(o.buf) == 0 {
		return json.RawMessage("{}")
	}
	return append(o.buf, '}')
}

// array joins raw values.
func array(values ...json.RawMessage) json.RawMessage {
	out := []byte{'['}
	for i, v := range values {
		if i > 0 {
			out = append(out, ',')
		}
		out = append(out, v...)
	}
	return append(out, ']')
}

// inner adds the members of another object, which has at least one.
func (o *object) inner(other json.RawMessage) {
	if len(o.buf) == 0 {
		o.buf = append(o.buf, other[:len(other)-1]...)
		return
	}
	o.buf = append(o.buf, ',')
	o.buf = append(o.buf, other[1:len(other)-1]...)
}
