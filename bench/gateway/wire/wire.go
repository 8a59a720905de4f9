// Package wire has what the programs of the gateway benchmark share: a scanner
// that cuts JSON without decoding it, and the constants of MCP. The upstream
// and the load must cost as little as they can, because they run on the same
// processors as what is measured.
package wire

import (
	"bytes"
	"strings"
)

// The revisions that stand for the two eras of the protocol.
const (
	Legacy = "2025-11-25"
	Modern = "2026-07-28"
)

// The headers of streamable HTTP.
const (
	HeaderVersion = "Mcp-Protocol-Version"
	HeaderSession = "Mcp-Session-Id"
	HeaderMethod  = "Mcp-Method"
	HeaderName    = "Mcp-Name"
)

// Members calls fn with each member of a JSON object, the value as the bytes
// it has in raw and the name without its quotes, until fn returns false. What
// is not an object has no members. It does not check the syntax.
func Members(raw []byte, fn func(name, value []byte) bool) {
	i := space(raw, 0)
	if i >= len(raw) || raw[i] != '{' {
		return
	}
	for i = space(raw, i+1); i < len(raw) && raw[i] == '"'; {
		end := skip(raw, i)
		name := raw[i+1 : max(i+1, end-1)]
		i = space(raw, end)
		if i >= len(raw) || raw[i] != ':' {
			return
		}
		i = space(raw, i+1)
		end = skip(raw, i)
		if !fn(name, raw[i:end]) {
			return
		}
		if i = space(raw, end); i < len(raw) && raw[i] == ',' {
			i = space(raw, i+1)
		}
	}
}

// Elements calls fn with each element of a JSON array until fn returns false.
func Elements(raw []byte, fn func(value []byte) bool) {
	i := space(raw, 0)
	if i >= len(raw) || raw[i] != '[' {
		return
	}
	for i = space(raw, i+1); i < len(raw) && raw[i] != ']'; {
		end := skip(raw, i)
		if end == i || !fn(raw[i:end]) {
			return
		}
		if i = space(raw, end); i < len(raw) && raw[i] == ',' {
			i = space(raw, i+1)
		}
	}
}

// Get follows names into nested objects; nil means that there is nothing.
func Get(raw []byte, names ...string) []byte {
	for _, name := range names {
		var found []byte
		Members(raw, func(key, value []byte) bool {
			if string(key) == name {
				found = value
			}
			return found == nil
		})
		if raw = found; raw == nil {
			return nil
		}
	}
	return raw
}

// First is the first element of an array.
func First(raw []byte) []byte {
	var first []byte
	Elements(raw, func(value []byte) bool {
		first = value
		return false
	})
	return first
}

func space(raw []byte, i int) int {
	for i < len(raw) && (raw[i] == ' ' || raw[i] == '\n' || raw[i] == '\r' || raw[i] == '\t') {
		i++
	}
	return i
}

// skip returns where the value that begins at i ends.
func skip(raw []byte, i int) int {
	if i >= len(raw) {
		return len(raw)
	}
	switch raw[i] {
	case '"':
		return skipString(raw, i)
	case '{', '[':
		return skipNested(raw, i)
	}
	for i < len(raw) && strings.IndexByte(",]} \t\r\n", raw[i]) < 0 {
		i++
	}
	return i
}

// skipString looks for quotes only, which is fast for long texts: a quote ends
// the string unless an odd number of backslashes stands before it.
func skipString(raw []byte, i int) int {
	for at := i + 1; ; {
		next := bytes.IndexByte(raw[at:], '"')
		if next < 0 {
			return len(raw)
		}
		end, slashes := at+next, 0
		for end-slashes-1 > i && raw[end-slashes-1] == '\\' {
			slashes++
		}
		if slashes%2 == 0 {
			return end + 1
		}
		at = end + 1
	}
}

func skipNested(raw []byte, i int) int {
	depth := 0
	for i < len(raw) {
		switch raw[i] {
		case '"':
			i = skipString(raw, i)
			continue
		case '{', '[':
			depth++
		case '}', ']':
			if depth--; depth == 0 {
				return i + 1
			}
		}
		i++
	}
	return len(raw)
}
