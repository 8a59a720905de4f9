package schema

import (
	"cmp"
	"strconv"
	"strings"
	"unicode"

	"github.com/gongu-ai/gongu/internal/jsonx"
)

// argumentsName is what paths start with.
const argumentsName = "args"

// pathOf writes a location in the arguments the way a programmer would. The
// arguments tell an index from a name that looks like one.
func pathOf(value any, tokens []string) string {
	var path strings.Builder
	path.WriteString(argumentsName)
	for _, token := range tokens {
		if list, ok := value.([]any); ok {
			path.WriteString("[" + token + "]")
			value = nil
			if i, err := strconv.Atoi(token); err == nil && i >= 0 && i < len(list) {
				value = list[i]
			}
			continue
		}
		writeName(&path, token)
		object, _ := value.(map[string]any)
		value = object[token]
	}
	return path.String()
}

// writeName appends a property name, quoted unless it is an identifier.
func writeName(path *strings.Builder, name string) {
	if isIdentifier(name) {
		path.WriteString("." + name)
		return
	}
	path.WriteString("[" + string(jsonx.Text(name)) + "]")
}

func isIdentifier(name string) bool {
	for i, r := range name {
		if r != '_' && r != '$' && !unicode.IsLetter(r) && (i == 0 || !unicode.IsDigit(r)) {
			return false
		}
	}
	return name != ""
}

// compareTokens orders locations: indexes by number, names by their text, and
// a value before its parts.
func compareTokens(a, b []string) int {
	for i := range min(len(a), len(b)) {
		if a[i] == b[i] {
			continue
		}
		m, errA := strconv.Atoi(a[i])
		n, errB := strconv.Atoi(b[i])
		if errA == nil && errB == nil && m != n {
			return cmp.Compare(m, n)
		}
		return strings.Compare(a[i], b[i])
	}
	return len(a) - len(b)
}
