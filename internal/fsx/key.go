package fsx

import (
	"crypto/sha256"
	"encoding/hex"
	"strings"
)

// SafeKey makes a folder name of any text so that two texts never share a
// folder, on file systems that ignore case either. A plain text is its own
// name; another is what can be read of it, "~", and a hash. No plain text has
// a "~".
func SafeKey(key string) string {
	if isPlainKey(key) {
		return key
	}
	sum := sha256.Sum256([]byte(key))
	readable := strings.Map(func(r rune) rune {
		if isPlainRune(r) {
			return r
		}
		return '-'
	}, strings.ToLower(key))
	if len(readable) > 40 {
		readable = readable[:40]
	}
	return readable + "~" + hex.EncodeToString(sum[:8])
}

func isPlainKey(key string) bool {
	for _, r := range key {
		if !isPlainRune(r) {
			return false
		}
	}
	return key != "" && len(key) <= 64 && key[0] != '-'
}

func isPlainRune(r rune) bool {
	return r >= 'a' && r <= 'z' || r >= '0' && r <= '9' || r == '_' || r == '-'
}
