package serve

import (
	"bytes"
	"encoding/base64"
	"encoding/json"
	"net/http"
	"strconv"
	"strings"
)

// mirrorAnnotation marks an argument in a schema that a header repeats.
const mirrorAnnotation = `"x-mcp-header"`

// mismatch compares the arguments that a schema wants mirrored with the headers
// of a request, and returns the first header that differs. An argument without
// its header differs, and so does a header without its argument.
func mismatch(header http.Header, schema, arguments []byte) string {
	if !bytes.Contains(schema, []byte(mirrorAnnotation)) || wellFormed(schema, 1000) != nil {
		return ""
	}
	return mismatchIn(header, schema, arguments)
}

func mismatchIn(header http.Header, schema, value []byte) (found string) {
	_ = members(member(schema, "properties"), func(name string, sub json.RawMessage) error { // without properties there are no mirrored arguments
		if found != "" || !isObject(sub) {
			return nil
		}
		var own json.RawMessage
		if isObject(value) {
			own = member(value, name)
		}
		if label := text(member(sub, "x-mcp-header")); label != "" {
			if key := "Mcp-Param-" + label; !mirrors(header, key, own) {
				found = key
			}
			return nil
		}
		found = mismatchIn(header, sub, own)
		return nil
	})
	return found
}

func mirrors(header http.Header, key string, value json.RawMessage) bool {
	want, given := scalar(value)
	got := header.Values(key)
	if !given {
		return len(got) == 0
	}
	if len(got) != 1 {
		return false
	}
	plain, ok := headerText(strings.Trim(got[0], " \t"))
	return ok && plain == want
}

// scalar returns a value as the text of a header.
func scalar(raw json.RawMessage) (string, bool) {
	switch {
	case isNull(raw):
		return "", false
	case raw[0] == '"':
		return text(raw), true
	case raw[0] == 't' || raw[0] == 'f':
		return string(raw), true
	case raw[0] == '{' || raw[0] == '[':
		return "", false
	}
	number, err := strconv.ParseFloat(string(raw), 64)
	if err != nil || number != float64(int64(number)) {
		return string(raw), true
	}
	return strconv.FormatInt(int64(number), 10), true
}

// headerText decodes the base64 form of texts that a header cannot have.
func headerText(value string) (string, bool) {
	inner, ok := strings.CutPrefix(value, "=?base64?")
	if !ok {
		return value, true
	}
	if inner, ok = strings.CutSuffix(inner, "?="); !ok {
		return value, true
	}
	raw, err := base64.StdEncoding.Strict().DecodeString(inner)
	return string(raw), err == nil
}
