package explore

import (
	"slices"
	"strings"
	"unicode/utf8"
)

// The cost of a text is how many tokens it may have at worst, in hundredths.
// Texts are paid for in tokens, and a hostile text has several times as many as
// an honest one of the same length: a bound on bytes alone would be either no
// bound or far too narrow. The figures were measured with o200k on texts made
// to be expensive; bench/ makes such texts again. Ordinary words and syllables are
// known, so that an honest text costs little more than it is.
const (
	costWord  = 105 // a word of shortWords, with the blank before it
	costFirst = 110 // the first letter of another word
	costAfter = 55  // a letter after one of the other kind, as in "banana"
	costSame  = 80  // a letter after one of its own kind
	costRare  = 88  // as both, of the letters that few words have
	costUpper = 105
	costPair  = 25 // a capital and a small letter
	costDigit = 105
	costMark  = 105 // punctuation; twice as much when JSON escapes it
	costBlank = 34  // a blank before a letter is a part of the word
	costByte  = 105 // of all that is not ASCII
)

// costOf returns the cost of a text.
func costOf(text string) int {
	total := 0
	for n := 0; len(text) > 0; text = text[n:] {
		var cost int
		n, cost = piece(text)
		total += cost
	}
	return total
}

// piece returns the length and the cost of the start of a text: a word with the
// blank before it, or a character.
func piece(text string) (n, cost int) {
	blank := 0
	if text[0] == ' ' {
		blank = 1
	}
	if letters := wordAt(text[blank:]); letters > 0 {
		n = blank + letters
		return n, costOfWord(text[blank:n], blank > 0)
	}
	if blank > 0 { // only a word takes it in
		return 1, costDigit
	}
	r, size := utf8.DecodeRuneInString(text)
	switch {
	case '0' <= r && r <= '9':
		return size, costDigit
	case r == '"' || r == '\\':
		return size, 2 * costMark
	case r < utf8.RuneSelf:
		return size, costMark
	case strings.ContainsRune(shortHangul, r):
		return size, costWord
	}
	return size, costByte * size
}

// wordAt is the length of the word at the beginning of a text: capitals and the
// small letters after them, since a tokenizer begins a new one at a capital.
func wordAt(text string) int {
	n := 0
	for n < len(text) && isUpper(text[n]) {
		n++
	}
	for n < len(text) && isLower(text[n]) {
		n++
	}
	return n
}

func costOfWord(word string, blank bool) int {
	if isShort(word) {
		return costWord
	}
	total := costFirst
	if isUpper(word[0]) {
		total = costUpper
	}
	for i := 1; i < len(word); i++ {
		total += costOfLetter(word[i-1], word[i])
	}
	if len(word) > 1 && isUpper(word[0]) && isLower(word[1]) { // few begin alike
		total += costPair
	}
	if blank && len(word) > 1 {
		total += costBlank
	}
	return total
}

// isShort finds a word as it is, or with its capital.
func isShort(word string) bool {
	if isUpper(word[0]) {
		word = string(word[0]|0x20) + word[1:]
	}
	_, found := slices.BinarySearch(shortWords, word)
	return found
}

func costOfLetter(last, c byte) int {
	last |= 0x20
	switch {
	case isUpper(c):
		return costUpper
	case isRare(last) || isRare(c):
		return costRare
	case isVowel(last) != isVowel(c):
		return costAfter
	}
	return costSame
}

func isUpper(c byte) bool { return 'A' <= c && c <= 'Z' }
func isLower(c byte) bool { return 'a' <= c && c <= 'z' }

func isVowel(c byte) bool { return strings.IndexByte("aeiou", c) >= 0 }
func isRare(c byte) bool  { return strings.IndexByte("jkqvwxz", c) >= 0 }
