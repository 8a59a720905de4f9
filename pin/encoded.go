package pin

import (
	"encoding/base64"
	"encoding/hex"
	"net/url"
	"regexp"
	"strings"
	"unicode"
	"unicode/utf8"
)

// Runs of characters that may be an encoded text.
var (
	base64Run  = lazy(`[A-Za-z0-9+/_-]{32,}={0,2}`)
	hexRun     = lazy(`(?:[0-9A-Fa-f]{2}[\s:]?){32,}`)
	escapeRun  = lazy(`(?:%[0-9A-Fa-f]{2}){8,}|(?:(?:\\x[0-9A-Fa-f]{2})|(?:\\u[0-9A-Fa-f]{4})|(?:&#x?[0-9A-Fa-f]{2,6};)){8,}`)
	wordPair   = lazy(`[\p{L}]{2,}[ ,.]+[\p{L}]{2,}`)
	escapeUnit = lazy(`\\x([0-9A-Fa-f]{2})|\\u00([0-9A-Fa-f]{2})|&#x([0-9A-Fa-f]{2});`)
)

const maxEncoded = 8

// encodedTexts finds encoded texts and decodes them. Words with a suspicious
// phrase are high, other words medium, and much data that is not text is low.
func encodedTexts(text string) []hit {
	inBase64, inHex, inEscapes := mayEncode(text)
	if !inBase64 && !inHex && !inEscapes {
		return nil
	}
	var out []hit
	seen := make(map[string]bool)
	add := func(run, decoded string) {
		if seen[run] || len(out) >= maxEncoded {
			return
		}
		seen[run] = true
		if severity := severityOf(decoded); severity > 0 {
			out = append(out, hit{rule: RuleEncoded, severity: severity, text: run + " = " + decoded})
		} else if len(run) > 2048 {
			out = append(out, hit{rule: RuleEncoded, severity: Low, text: run})
		}
	}
	for _, run := range found(hexRun(), inHex, text) {
		packed := strings.Map(func(r rune) rune {
			if r == ':' || unicode.IsSpace(r) {
				return -1
			}
			return r
		}, run)
		if raw, err := hex.DecodeString(packed); err == nil {
			add(run, string(raw))
		}
	}
	for _, run := range found(base64Run(), inBase64, text) {
		add(run, fromBase64(run))
	}
	for _, run := range found(escapeRun(), inEscapes, text) {
		add(run, fromEscapes(run))
	}
	return out
}

func found(form *regexp.Regexp, may bool, text string) []string {
	if !may {
		return nil
	}
	return form.FindAllString(text, maxEncoded)
}

// mayEncode reports which of the forms could match: one pass over a text is much
// cheaper than three expressions.
func mayEncode(text string) (inBase64, inHex, inEscapes bool) {
	run, digits := 0, 0
	for i := range len(text) {
		c := text[i]
		letter := c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' || c >= '0' && c <= '9'
		if letter || c == '+' || c == '/' || c == '_' || c == '-' {
			run++
			inBase64 = inBase64 || run >= 32
		} else {
			run = 0
		}
		switch {
		case c >= '0' && c <= '9', c >= 'a' && c <= 'f', c >= 'A' && c <= 'F':
			digits++
			inHex = inHex || digits >= 64
		case c == ':', c == ' ', c >= '\t' && c <= '\r':
		default:
			digits = 0
		}
		inEscapes = inEscapes || c == '%' || c == '\\' || c == '&'
	}
	return inBase64, inHex, inEscapes && len(text) >= 24
}

func fromBase64(run string) string {
	bare := strings.TrimRight(run, "=")
	for _, encoding := range []*base64.Encoding{base64.RawStdEncoding, base64.RawURLEncoding} {
		if raw, err := encoding.DecodeString(bare); err == nil {
			return string(raw)
		}
		// A run may have lost its end, and with it half a letter.
		if raw, err := encoding.DecodeString(bare[:len(bare)-len(bare)%4]); err == nil {
			return strings.ToValidUTF8(string(raw), "")
		}
	}
	return ""
}

func fromEscapes(run string) string {
	if decoded, err := url.PathUnescape(run); err == nil && decoded != run {
		return decoded
	}
	return escapeUnit().ReplaceAllStringFunc(run, func(unit string) string {
		digits := strings.Trim(unit[len(unit)-3:], "x;u\\")
		raw, err := hex.DecodeString(digits[max(0, len(digits)-2):])
		if err != nil {
			return unit
		}
		return string(raw)
	})
}

// severityOf returns the severity of a decoded text, or 0.
func severityOf(decoded string) Severity {
	if len(decoded) < 8 || !utf8.ValidString(decoded) {
		return 0
	}
	for _, r := range decoded {
		if !unicode.IsPrint(r) && !unicode.IsSpace(r) {
			return 0
		}
	}
	for _, found := range phrases.find(normal(decoded)) {
		if found.severity >= Medium {
			return High
		}
	}
	if wordPair().MatchString(decoded) {
		return Medium
	}
	return 0
}
