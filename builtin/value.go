package builtin

import (
	"bytes"
	"encoding/json"
	"strconv"
	"strings"

	"github.com/go-json-experiment/json/jsontext"

	"github.com/gongu-ai/gongu/internal/jsonx"
	"github.com/gongu-ai/gongu/internal/lang"
	"github.com/gongu-ai/gongu/internal/rawjson"
)

// value is JSON that was checked to be valid. It stays text, so that numbers
// keep all their digits and objects the order of their keys.
type value = jsontext.Value

// readData checks the JSON text of an argument. A key that occurs twice is
// refused, because readers disagree on which of the two counts.
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
func child(parent value, step string) (found value, ok bool) {
	switch parent.Kind() {
	case '{':
		found = value(rawjson.Member(parent, step))
	case '[':
		index, err := strconv.Atoi(step)
		if all := elements(parent); err == nil && strconv.Itoa(index) == step && index >= 0 && index < len(all) {
			found = all[index]
		}
	}
	return found, found != nil
}

// elements are the values of an array.
func elements(array value) []value {
	var all []value
	_ = rawjson.Elements(array, func(element json.RawMessage) error {
		all = append(all, value(element))
		return nil
	})
	return all
}
