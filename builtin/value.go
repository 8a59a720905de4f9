package builtin

import (
	"bytes"
	"iter"
	"strconv"
	"strings"

	"github.com/go-json-experiment/json/jsontext"

	"github.com/gongu-ai/gongu/internal/jsonx"
	"github.com/gongu-ai/gongu/internal/lang"
)

// value is JSON that was checked to be valid. It stays text, so that numbers
// keep all their digits and objects the order of their keys.
type value = jsontext.Value

// readData checks the JSON text of an argument. A key that occurs twice is
// refused: which of the two counts is anybody's guess.
func readData(name, text string) (value, error) {
	raw := bytes.TrimSpace([]byte(text))
	if len(raw) == 0 {
		return nil, wrong(lang.MustBeNonEmpty, name)
	}
	flaw := jsonx.Strict(raw)
	if flaw == nil {
		return raw, nil
	}
	return nil, &problem{in: func(l lang.Lang) string {
		issue := flaw.Message.In(l)
		if inside, ok := strings.CutPrefix(flaw.Path, "args."); ok {
			issue = inside + ": " + issue
		}
		return lang.MustBeJSON.In(l, name, issue)
	}}
}

// lookup follows a path from the root.
func lookup(data value, path string) (value, bool, error) {
	steps, err := parsePath(path)
	if err != nil {
		return nil, false, err
	}
	found := data
	for i, step := range steps {
		next, ok := child(found, step)
		switch {
		case ok:
			found = next
		case i == 0 && step == "$":
			return nil, false, wrong(lang.PathStartsWith, withoutDollar(path))
		default:
			return nil, false, nil
		}
	}
	return found, true, nil
}

// withoutDollar is how a path in the style of JSONPath is written here.
func withoutDollar(path string) string {
	rest := strings.TrimPrefix(strings.TrimPrefix(path, "."), "$")
	return "." + strings.TrimPrefix(rest, ".")
}

// child is the member or element that a step names. Only what the data itself
// holds is found: there are no inherited names such as "constructor".
func child(parent value, step string) (value, bool) {
	switch parent.Kind() {
	case '{':
		for key, member := range members(parent) {
			if key == step {
				return member, true
			}
		}
	case '[':
		index, err := strconv.Atoi(step)
		if err != nil || strconv.Itoa(index) != step {
			return nil, false
		}
		i := 0
		for element := range elements(parent) {
			if i == index {
				return element, true
			}
			i++
		}
	}
	return nil, false
}

// members yields the keys and values of an object.
func members(object value) iter.Seq2[string, value] {
	return func(yield func(string, value) bool) {
		dec := inside(object)
		for dec.PeekKind() == '"' {
			key, err := dec.ReadToken()
			if err != nil {
				return
			}
			name := key.String()
			if member, ok := next(dec, object); !ok || !yield(name, member) {
				return
			}
		}
	}
}

// elements yields the values of an array.
func elements(array value) iter.Seq[value] {
	return func(yield func(value) bool) {
		dec := inside(array)
		for dec.PeekKind() != ']' {
			if element, ok := next(dec, array); !ok || !yield(element) {
				return
			}
		}
	}
}

// inside is a decoder behind the opening bracket. The value was checked when
// it came in, so an error here only ends the reading.
func inside(v value) *jsontext.Decoder {
	dec := jsontext.NewDecoder(bytes.NewBuffer(v))
	_, _ = dec.ReadToken()
	return dec
}

// next reads a value as a part of whole: the decoder's own copy is gone with
// its next step.
func next(dec *jsontext.Decoder, whole value) (value, bool) {
	read, err := dec.ReadValue()
	if err != nil {
		return nil, false
	}
	end := int(dec.InputOffset())
	return whole[end-len(read) : end : end], true
}
