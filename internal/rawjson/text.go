package rawjson

import (
	"encoding/binary"
	"math/bits"

	"github.com/go-json-experiment/json/jsontext"
)

// AppendText appends a JSON string. Invalid UTF-8 becomes the replacement character.
func AppendText(out []byte, text string) []byte {
	quoted, err := jsontext.AppendQuote(out, text)
	if err != nil {
		return quoted // it has the replacement character
	}
	return quoted
}

// Eight bytes are looked at together: a subtraction sets the high bit of each
// byte that is too small, and a difference is too small where two are equal.
const (
	ones    = 0x0101010101010101
	highs   = 0x8080808080808080
	quotes  = ones * '"'
	slashes = ones * '\\'
	spaces  = ones * ' '
)

// special marks the bytes of a word that end the plain part of a string: a
// quote, a backslash, a control character. The lowest mark is exact.
func special(word uint64) uint64 {
	quote, slash := word^quotes, word^slashes
	return ((quote-ones)&^quote | (slash-ones)&^slash | (word-spaces)&^word) & highs
}

// plainEnd returns the index of the first special byte at or after i.
func plainEnd(raw []byte, i int) int {
	for ; i+8 <= len(raw); i += 8 {
		if found := special(binary.LittleEndian.Uint64(raw[i:])); found != 0 {
			return i + bits.TrailingZeros64(found)/8
		}
	}
	for ; i < len(raw); i++ {
		if c := raw[i]; c == '"' || c == '\\' || c < ' ' {
			return i
		}
	}
	return i
}

// StringEnd returns the index after the closing quote of the string that begins
// at i, and whether it has a backslash. It checks nothing: the length of
// raw is the end of a string that has none.
func StringEnd(raw []byte, i int) (end int, escaped bool) {
	for i++; ; i++ {
		i = plainEnd(raw, i)
		switch {
		case i >= len(raw):
			return len(raw), escaped
		case raw[i] == '"':
			return i + 1, escaped
		case raw[i] == '\\':
			escaped = true
			i++
		}
	}
}

// Text returns the text of a JSON string, "" for anything else. Without escapes it
// is read off the bytes.
func Text(raw []byte) string {
	if len(raw) < 2 || raw[0] != '"' {
		return ""
	}
	if end := plainEnd(raw, 1); end == len(raw)-1 {
		return string(raw[1:end])
	}
	out, err := jsontext.AppendUnquote(nil, raw)
	if err != nil {
		return ""
	}
	return string(out)
}
