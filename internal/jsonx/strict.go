// Package jsonx decodes JSON strictly: what one parser reads and another
// skips, such as a second value under the same key or a broken rune, is how
// checked bytes and executed bytes come apart. Arguments of a call pass here
// before anything looks at them.
package jsonx

import (
	"bytes"
	"errors"
	"strconv"
	"strings"
	"unicode/utf8"

	"github.com/go-json-experiment/json/jsontext"

	"github.com/gongu-ai/gongu/internal/lang"
	"github.com/gongu-ai/gongu/internal/rawjson"
)

// MaxDepth is how deep arguments may nest. No real tool comes near it, and
// every recursive reader behind it is safe.
const MaxDepth = 128

// maxWrapping is how many times an object may be wrapped in JSON strings.
// Some models encode their arguments twice.
const maxWrapping = 3

// Problem says what is wrong with the bytes and where.
type Problem struct {
	Path    string // "args.x[0]"
	Message lang.Message
}

// Error makes a Problem usable as a Go error, in English.
func (p *Problem) Error() string { return p.Path + ": " + p.Message.In(lang.English) }

// Object returns the one JSON object in raw, or what is wrong. Nothing at all
// reads as the empty object; a JSON string holding an object is unwrapped. The
// result shares its bytes with raw unless it was unwrapped.
func Object(raw []byte, maxBytes int) ([]byte, *Problem) {
	if len(raw) > maxBytes {
		return nil, problem(lang.ArgsTooLarge, len(raw), maxBytes)
	}
	for range maxWrapping + 1 {
		raw = bytes.TrimSpace(raw)
		if len(raw) == 0 {
			return []byte("{}"), nil
		}
		if p := Strict(raw); p != nil {
			return nil, p
		}
		switch kind := Kind(raw); kind {
		case "object":
			return raw, nil
		case "string":
			text, err := jsontext.AppendUnquote(nil, raw)
			if err != nil {
				return nil, problem(lang.ArgsSyntax, 0)
			}
			if inner := bytes.TrimSpace(text); len(inner) == 0 || !strings.ContainsRune(`{["`, rune(inner[0])) {
				return nil, problem(lang.IssueType, "object", kind)
			}
			raw = text
		default:
			return nil, problem(lang.IssueType, "object", kind)
		}
	}
	return nil, problem(lang.IssueType, "object", "string")
}

// Strict accepts exactly one JSON value without duplicate keys, broken UTF-8
// or nesting beyond MaxDepth.
func Strict(raw []byte) *Problem {
	if rawjson.Strict(raw, MaxDepth) {
		return nil // most calls
	}
	if TooDeep(raw, MaxDepth) {
		return problem(lang.ArgsTooDeep, MaxDepth)
	}
	if jsontext.Value(raw).IsValid() {
		return nil
	}
	return explain(raw)
}

// Kind names the JSON type of a value by its first byte, in the words of JSON
// Schema. It trusts that the bytes are valid.
func Kind(raw []byte) string {
	if len(raw) == 0 {
		return "nothing"
	}
	switch c := raw[0]; c {
	case '{':
		return "object"
	case '[':
		return "array"
	case '"':
		return "string"
	case 't', 'f':
		return "boolean"
	case 'n':
		return "null"
	default:
		return "number"
	}
}

// TooDeep reports whether raw nests more than most objects and arrays. It counts
// brackets outside strings, so that it can run before a parser, whose recursion
// must not see hostile nesting.
func TooDeep(raw []byte, most int) bool {
	if bytes.Count(raw, []byte{'{'})+bytes.Count(raw, []byte{'['}) <= most {
		return false // the usual case: too few brackets in all
	}
	depth, inString := 0, false
	for i := 0; i < len(raw); i++ {
		switch c := raw[i]; {
		case inString && c == '\\':
			i++
		case c == '"':
			inString = !inString
		case inString:
		case c == '{' || c == '[':
			if depth++; depth > most {
				return true
			}
		case c == '}' || c == ']':
			depth--
		}
	}
	return false
}

// explain reads the bytes again, slowly, to say what the fast check refused.
func explain(raw []byte) *Problem {
	if !utf8.Valid(raw) {
		return problem(lang.ArgsNotUTF8)
	}
	dec := jsontext.NewDecoder(bytes.NewReader(raw))
	_, err := dec.ReadValue()
	if err == nil {
		return problem(lang.ArgsTrailing, dec.InputOffset())
	}
	syntactic, ok := errors.AsType[*jsontext.SyntacticError](err)
	if !ok {
		return problem(lang.ArgsSyntax, len(raw))
	}
	if errors.Is(err, jsontext.ErrDuplicateName) {
		return &Problem{Path: pathOf(syntactic.JSONPointer), Message: lang.ArgsDuplicate.With()}
	}
	return problem(lang.ArgsSyntax, syntactic.ByteOffset)
}

func problem(text lang.Text, args ...any) *Problem {
	return &Problem{Path: "args", Message: text.With(args...)}
}

func pathOf(pointer jsontext.Pointer) string {
	path := "args"
	for token := range pointer.Tokens() {
		path = Join(path, token)
	}
	return path
}

// Join appends an object key or array index to a path such as args.x[0].
func Join(path, token string) string {
	if _, err := strconv.ParseUint(token, 10, 32); err == nil {
		return path + "[" + token + "]"
	}
	return JoinKey(path, token)
}

// JoinKey appends an object key, quoted when it is not an identifier.
func JoinKey(path, key string) string {
	if isIdentifier(key) {
		return path + "." + key
	}
	return path + "[" + strconv.Quote(key) + "]"
}

func isIdentifier(key string) bool {
	for i, r := range key {
		letter := r == '_' || r == '$' || r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z' || r >= utf8.RuneSelf
		if !letter && (i == 0 || r != '-' && (r < '0' || r > '9')) {
			return false
		}
	}
	return key != ""
}
