// Package shellword quotes words for a POSIX shell, so that a command that is
// printed for people to copy does what it says.
package shellword

import (
	"strings"
	"unicode"
)

// Quote returns a word as a shell takes it: as it is, or in single quotes.
func Quote(word string) string {
	plain := func(r rune) bool {
		return unicode.IsLetter(r) || unicode.IsDigit(r) || strings.ContainsRune("-_./:=@%+,~", r)
	}
	if word != "" && strings.IndexFunc(word, func(r rune) bool { return !plain(r) }) < 0 {
		return word
	}
	return Single(word)
}

// Single returns a word in single quotes.
func Single(word string) string {
	return "'" + strings.ReplaceAll(word, "'", `'\''`) + "'"
}

// Join quotes words and puts spaces between them.
func Join(words ...string) string {
	quoted := make([]string, len(words))
	for i, word := range words {
		quoted[i] = Quote(word)
	}
	return strings.Join(quoted, " ")
}
