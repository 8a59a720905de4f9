package macro

import (
	"bytes"
	"encoding/base64"
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"

	"cel.dev/cel-go/common/types"
	"cel.dev/cel-go/common/types/ref"
	"cel.dev/cel-go/common/types/traits"
)

// decode reads JSON for CEL. A number that is whole is an int, however it is
// written and however long: an id of 19 digits comes out as it went in.
func decode(data []byte) (any, error) {
	if len(bytes.TrimSpace(data)) == 0 {
		return nil, nil
	}
	dec := json.NewDecoder(bytes.NewReader(data))
	dec.UseNumber()
	var v any
	if err := dec.Decode(&v); err != nil {
		return nil, err
	}
	return native(v)
}

func native(v any) (any, error) {
	var err error
	switch v := v.(type) {
	case json.Number:
		return nativeNumber(v.String())
	case []any:
		for i := range v {
			if v[i], err = native(v[i]); err != nil {
				return nil, err
			}
		}
	case map[string]any:
		for key := range v {
			if v[key], err = native(v[key]); err != nil {
				return nil, err
			}
		}
	}
	return v, nil
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
		return nil, fmt.Errorf("the number %s is out of range", clip(text))
	}
	return number(f).Value(), nil
}

// errNoJSON is a value of CEL that JSON has no form for.
type errNoJSON struct{ what string }

func (e errNoJSON) Error() string { return e.what + " cannot be written as JSON" }

// encoder writes values of CEL as JSON, up to a size.
type encoder struct {
	out   []byte
	limit int
}

func (e *encoder) check() error {
	if len(e.out) > e.limit {
		return errTooLarge
	}
	return nil
}

// append writes one value. Values of CEL cannot contain themselves, but they
// can be shared so often that only the limit ends them.
func (e *encoder) append(v ref.Val, depth int) error {
	if depth > valueDepth {
		return errTooLarge
	}
	switch v := v.(type) {
	case types.Null:
		e.out = append(e.out, "null"...)
	case types.Bool:
		e.out = strconv.AppendBool(e.out, bool(v))
	case types.Int:
		e.out = strconv.AppendInt(e.out, int64(v), 10)
	case types.Uint:
		e.out = strconv.AppendUint(e.out, uint64(v), 10)
	case types.Double:
		return e.appendDouble(float64(v))
	case types.String:
		e.out = quote(e.out, string(v))
	case types.Bytes:
		e.out = quote(e.out, base64.StdEncoding.EncodeToString(v))
	case types.Timestamp, types.Duration:
		text, ok := v.ConvertToType(types.StringType).(types.String)
		if !ok {
			return errNoJSON{v.Type().TypeName()}
		}
		e.out = quote(e.out, string(text))
	case *types.Optional:
		if !v.HasValue() {
			return errNoJSON{"optional.none()"}
		}
		return e.append(v.GetValue(), depth+1)
	case traits.Lister:
		return e.appendList(v, depth)
	case traits.Mapper:
		return e.appendMap(v, depth)
	default:
		return errNoJSON{v.Type().TypeName()}
	}
	return e.check()
}

func (e *encoder) appendDouble(f float64) error {
	if math.IsNaN(f) || math.IsInf(f, 0) {
		return errNoJSON{strconv.FormatFloat(f, 'g', -1, 64)}
	}
	if whole, ok := number(f).(types.Int); ok {
		e.out = strconv.AppendInt(e.out, int64(whole), 10)
		return nil
	}
	text, err := json.Marshal(f)
	e.out = append(e.out, text...)
	return err
}

func (e *encoder) appendList(list traits.Lister, depth int) error {
	e.out = append(e.out, '[')
	first := true
	for it := list.Iterator(); it.HasNext() == types.True; {
		item := it.Next()
		if isNone(item) {
			continue
		}
		if !first {
			e.out = append(e.out, ',')
		}
		first = false
		if err := e.append(item, depth+1); err != nil {
			return err
		}
	}
	e.out = append(e.out, ']')
	return e.check()
}

// appendMap sorts the keys, so that equal values are equal bytes.
func (e *encoder) appendMap(m traits.Mapper, depth int) error {
	values := map[string]ref.Val{}
	var keys []string
	for it := m.Iterator(); it.HasNext() == types.True; {
		k := it.Next()
		key, ok := k.ConvertToType(types.StringType).(types.String)
		if !ok {
			return errNoJSON{"a key of type " + k.Type().TypeName()}
		}
		value := m.Get(k)
		if isNone(value) {
			continue
		}
		if _, twice := values[string(key)]; twice {
			return errNoJSON{"a map with two keys " + strconv.Quote(string(key))}
		}
		values[string(key)] = value
		keys = append(keys, string(key))
		if len(keys) > e.limit {
			return errTooLarge
		}
	}
	slices.Sort(keys)
	e.out = append(e.out, '{')
	for i, key := range keys {
		if i > 0 {
			e.out = append(e.out, ',')
		}
		e.out = append(quote(e.out, key), ':')
		if err := e.append(values[key], depth+1); err != nil {
			return err
		}
	}
	e.out = append(e.out, '}')
	return e.check()
}

// isNone holds for what params.?color gives without a color.
func isNone(v ref.Val) bool {
	optional, ok := v.(*types.Optional)
	return ok && !optional.HasValue()
}

// isTooLarge also knows the error once CEL has wrapped it.
func isTooLarge(err error) bool {
	return errors.Is(err, errTooLarge) || err != nil && err.Error() == errTooLarge.Error()
}
