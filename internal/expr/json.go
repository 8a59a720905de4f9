package expr

import (
	"bytes"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"

	"cel.dev/cel-go/common/types"
	"cel.dev/cel-go/common/types/ref"
	"cel.dev/cel-go/common/types/traits"
	"github.com/go-json-experiment/json/jsontext"
)

// Decode reads JSON for CEL. A number that is whole is an int, however it is
// written and however long: an id of 19 digits comes out as it went in.
func Decode(data []byte) (any, error) {
	if len(bytes.TrimSpace(data)) == 0 {
		return nil, nil
	}
	// Names that are repeated and bytes that are no text were refused before, or
	// come from a tool: the last value counts.
	return decodeValue(jsontext.NewDecoder(bytes.NewBuffer(data), jsontext.AllowDuplicateNames(true), jsontext.AllowInvalidUTF8(true)))
}

func decodeValue(dec *jsontext.Decoder) (any, error) {
	token, err := dec.ReadToken()
	if err != nil {
		return nil, err
	}
	switch token.Kind() {
	case 'n':
		return nil, nil
	case 't', 'f':
		return token.Bool(), nil
	case '"':
		return token.String(), nil
	case '0':
		return nativeNumber(token.String())
	case '[':
		list := []any{}
		for dec.PeekKind() != ']' {
			value, err := decodeValue(dec)
			if err != nil {
				return nil, err
			}
			list = append(list, value)
		}
		_, err := dec.ReadToken()
		return list, err
	}
	object := map[string]any{}
	for dec.PeekKind() != '}' {
		name, err := dec.ReadToken()
		if err != nil {
			return nil, err
		}
		key := name.String() // the token is valid until the next one is read
		if object[key], err = decodeValue(dec); err != nil {
			return nil, err
		}
	}
	_, err = dec.ReadToken()
	return object, err
}

func nativeNumber(text string) (any, error) {
	if !strings.ContainsAny(text, ".eE") {
		if n, err := strconv.ParseInt(text, 10, 64); err == nil {
			return n, nil
		}
		if n, err := strconv.ParseUint(text, 10, 64); err == nil {
			return n, nil
		}
	}
	f, err := strconv.ParseFloat(text, 64)
	if err != nil {
		return nil, fmt.Errorf("the number %.60s is out of range", text)
	}
	return number(f).Value(), nil
}

// NoJSONError means that JSON cannot express a value of CEL.
type NoJSONError struct{ What string }

func (e NoJSONError) Error() string { return e.What + " cannot be written as JSON" }

// Encoder writes values of CEL as JSON into Out, up to Limit bytes.
type Encoder struct {
	Out   []byte
	Limit int
}

func (e *Encoder) check() error {
	if len(e.Out) > e.Limit {
		return ErrTooLarge
	}
	return nil
}

// Append writes one value. Values of CEL cannot contain themselves, but they
// can be shared so often that only the limit ends them.
func (e *Encoder) Append(v ref.Val) error { return e.append(v, 0) }

func (e *Encoder) append(v ref.Val, depth int) error {
	if depth > valueDepth {
		return ErrTooLarge
	}
	switch v := v.(type) {
	case types.Null:
		e.Out = append(e.Out, "null"...)
	case types.Bool:
		e.Out = strconv.AppendBool(e.Out, bool(v))
	case types.Int:
		e.Out = strconv.AppendInt(e.Out, int64(v), 10)
	case types.Uint:
		e.Out = strconv.AppendUint(e.Out, uint64(v), 10)
	case types.Double:
		return e.appendDouble(float64(v))
	case types.String:
		e.Out = Quote(e.Out, string(v))
	case types.Bytes:
		e.Out = Quote(e.Out, base64.StdEncoding.EncodeToString(v))
	case types.Timestamp, types.Duration:
		text, ok := v.ConvertToType(types.StringType).(types.String)
		if !ok {
			return NoJSONError{v.Type().TypeName()}
		}
		e.Out = Quote(e.Out, string(text))
	case *types.Optional:
		if !v.HasValue() {
			return NoJSONError{"optional.none()"}
		}
		return e.append(v.GetValue(), depth+1)
	case traits.Lister:
		return e.appendList(v, depth)
	case traits.Mapper:
		return e.appendMap(v, depth)
	default:
		return NoJSONError{v.Type().TypeName()}
	}
	return e.check()
}

func (e *Encoder) appendDouble(f float64) error {
	if math.IsNaN(f) || math.IsInf(f, 0) {
		return NoJSONError{strconv.FormatFloat(f, 'g', -1, 64)}
	}
	if whole, ok := number(f).(types.Int); ok {
		e.Out = strconv.AppendInt(e.Out, int64(whole), 10)
		return nil
	}
	text, err := json.Marshal(f)
	e.Out = append(e.Out, text...)
	return err
}

func (e *Encoder) appendList(list traits.Lister, depth int) error {
	e.Out = append(e.Out, '[')
	first := true
	for it := list.Iterator(); it.HasNext() == types.True; {
		item := it.Next()
		if IsNone(item) {
			continue
		}
		if !first {
			e.Out = append(e.Out, ',')
		}
		first = false
		if err := e.append(item, depth+1); err != nil {
			return err
		}
	}
	e.Out = append(e.Out, ']')
	return e.check()
}

// appendMap sorts the keys, so that equal values are equal bytes.
func (e *Encoder) appendMap(m traits.Mapper, depth int) error {
	values := map[string]ref.Val{}
	var keys []string
	for it := m.Iterator(); it.HasNext() == types.True; {
		k := it.Next()
		key, ok := k.ConvertToType(types.StringType).(types.String)
		if !ok {
			return NoJSONError{"a key of type " + k.Type().TypeName()}
		}
		value := m.Get(k)
		if IsNone(value) {
			continue
		}
		if _, twice := values[string(key)]; twice {
			return NoJSONError{"a map with two keys " + strconv.Quote(string(key))}
		}
		values[string(key)] = value
		keys = append(keys, string(key))
		if len(keys) > e.Limit {
			return ErrTooLarge
		}
	}
	slices.Sort(keys)
	e.Out = append(e.Out, '{')
	for i, key := range keys {
		if i > 0 {
			e.Out = append(e.Out, ',')
		}
		e.Out = append(Quote(e.Out, key), ':')
		if err := e.append(values[key], depth+1); err != nil {
			return err
		}
	}
	e.Out = append(e.Out, '}')
	return e.check()
}

// IsNone reports whether a value is optional.none(), as params.?color gives
// without a color.
func IsNone(v ref.Val) bool {
	optional, ok := v.(*types.Optional)
	return ok && !optional.HasValue()
}

// Quote appends a text as JSON. Broken UTF-8 cannot come out of JSON, so what
// CEL made of bytes is repaired rather than refused.
func Quote(dst []byte, text string) []byte {
	quoted, err := jsontext.AppendQuote(dst, text)
	if err != nil {
		quoted, _ = jsontext.AppendQuote(dst, string(bytes.ToValidUTF8([]byte(text), []byte("\uFFFD"))))
	}
	return quoted
}
