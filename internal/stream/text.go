package stream

import (
	"strings"
	"unicode/utf8"
)

// Clean is text without bytes that are not UTF-8.
func Clean(raw []byte) string { return strings.ToValidUTF8(string(raw), string(utf8.RuneError)) }

// WholeRunes drops the beginning of a rune that was cut off at the end.
func WholeRunes(raw []byte) []byte {
	for i := len(raw) - 1; i >= 0 && i >= len(raw)-utf8.UTFMax; i-- {
		if utf8.RuneStart(raw[i]) {
			if !utf8.FullRune(raw[i:]) {
				return raw[:i]
			}
			break
		}
	}
	return raw
}

// AfterCut drops the rest of a rune whose beginning was cut off. More than
// that without a beginning is binary data, and stays.
func AfterCut(raw []byte) []byte {
	for i := range min(len(raw), utf8.UTFMax) {
		if utf8.RuneStart(raw[i]) {
			return raw[i:]
		}
	}
	if len(raw) < utf8.UTFMax {
		return nil
	}
	return raw
}
