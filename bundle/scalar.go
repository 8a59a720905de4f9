package bundle

import (
	"math/big"
	"regexp"
	"strings"

	"github.com/go-json-experiment/json/jsontext"
	"go.yaml.in/yaml/v3"
)

// The kinds of values, in the words of JSON Schema.
const (
	kindObject  = "object"
	kindArray   = "array"
	kindString  = "string"
	kindInteger = "integer"
	kindNumber  = "number"
	kindBoolean = "boolean"
	kindNull    = "null"
)

// The core schema of YAML 1.2. The library still reads some scalars as YAML
// 1.1 does (0777 as octal, 1_000 as a number, dates as times), so the types of
// plain scalars are decided here.
var (
	coreInteger = regexp.MustCompile(`^[-+]?[0-9]+$`)
	coreOctal   = regexp.MustCompile(`^0o[0-7]{1,64}$`)
	coreHex     = regexp.MustCompile(`^0x[0-9a-fA-F]{1,64}$`)
	coreFloat   = regexp.MustCompile(`^([-+]?)(\.[0-9]+|[0-9]+(?:\.[0-9]*)?)([eE][-+]?[0-9]+)?$`)
	coreSpecial = regexp.MustCompile(`^([-+]?\.(inf|Inf|INF)|\.(nan|NaN|NAN))$`)
)

// kindOf says what a value is.
func kindOf(n *yaml.Node) string {
	n = deref(n)
	switch {
	case n == nil:
		return kindNull
	case n.Kind == yaml.MappingNode:
		return kindObject
	case n.Kind == yaml.SequenceNode:
		return kindArray
	case quoted(n):
		return kindString
	case n.Style&yaml.TaggedStyle != 0 && n.ShortTag() == "!!str":
		return kindString
	}
	return plainKind(n.Value)
}

func quoted(n *yaml.Node) bool {
	return n.Style&(yaml.DoubleQuotedStyle|yaml.SingleQuotedStyle|yaml.LiteralStyle|yaml.FoldedStyle) != 0
}

func plainKind(text string) string {
	switch text {
	case "", "~", "null", "Null", "NULL":
		return kindNull
	case "true", "True", "TRUE", "false", "False", "FALSE":
		return kindBoolean
	}
	if len(text) > 0 && !strings.ContainsRune("+-.0123456789", rune(text[0])) {
		return kindString
	}
	switch {
	case coreInteger.MatchString(text), coreOctal.MatchString(text), coreHex.MatchString(text):
		return kindInteger
	case coreFloat.MatchString(text), coreSpecial.MatchString(text):
		return kindNumber
	}
	return kindString
}

// appendJSON writes a value as JSON: keys in their order, numbers with the
// digits they were written with. The tree was checked and bounded before.
func appendJSON(dst []byte, n *yaml.Node) []byte {
	n = deref(n)
	switch kindOf(n) {
	case kindObject:
		dst = append(dst, '{')
		for i := 0; i+1 < len(n.Content); i += 2 {
			if i > 0 {
				dst = append(dst, ',')
			}
			dst = appendString(dst, deref(n.Content[i]).Value)
			dst = append(dst, ':')
			dst = appendJSON(dst, n.Content[i+1])
		}
		return append(dst, '}')
	case kindArray:
		dst = append(dst, '[')
		for i, item := range n.Content {
			if i > 0 {
				dst = append(dst, ',')
			}
			dst = appendJSON(dst, item)
		}
		return append(dst, ']')
	case kindString:
		return appendString(dst, n.Value)
	case kindBoolean:
		return append(dst, strings.ToLower(n.Value)...)
	case kindInteger, kindNumber:
		return append(dst, jsonNumber(n.Value)...)
	}
	return append(dst, "null"...)
}

func appendString(dst []byte, text string) []byte {
	// The parser has refused broken UTF-8, so there is no error to lose.
	quoted, err := jsontext.AppendQuote(dst, text)
	if err != nil {
		return append(dst, `""`...)
	}
	return quoted
}

// jsonNumber rewrites a number of YAML as JSON spells it, digit by digit: a
// detour over float64 would change 0.1 and 9007199254740993.
func jsonNumber(text string) string {
	if strings.HasPrefix(text, "0o") || strings.HasPrefix(text, "0x") {
		if n, ok := new(big.Int).SetString(text, 0); ok {
			return n.String()
		}
		return "null"
	}
	parts := coreFloat.FindStringSubmatch(text)
	if parts == nil {
		return "null"
	}
	sign, digits, exponent := parts[1], parts[2], parts[3]
	whole, fraction, dotted := strings.Cut(digits, ".")
	whole = strings.TrimLeft(whole, "0")
	if whole == "" {
		whole = "0"
	}
	if dotted && fraction == "" {
		fraction = "0"
	}
	if fraction != "" {
		whole += "." + fraction
	}
	return strings.TrimPrefix(sign, "+") + whole + exponent
}
