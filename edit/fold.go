package edit

import (
	"bytes"
	"hash/maphash"
	"unicode/utf8"
)

// FNV-1a, one byte at a time: lines are short.
const (
	hashStart = 14695981039346656037
	hashPrime = 1099511628211
)

// hashSeed is that of the keys of whole lines.
var hashSeed = maphash.MakeSeed()

// fold makes one character of another that looks the same to a model: quotes,
// dashes and blanks of typography. It gives the plain text, or "" for a
// character that stays, and the length of what it read.
func fold(text []byte, i int) (string, int) {
	if text[i] < utf8.RuneSelf {
		return "", 1
	}
	r, n := utf8.DecodeRune(text[i:])
	switch r {
	case '\u00a0', '\u2002', '\u2003', '\u2007', '\u2009', '\u200a', '\u202f', '\u3000':
		return " ", n
	case '\u2018', '\u2019', '\u201a', '\u201b', '\u2032':
		return "'", n
	case '\u201c', '\u201d', '\u201e', '\u201f', '\u2033':
		return `"`, n
	case '\u2010', '\u2011', '\u2012', '\u2013', '\u2014', '\u2015', '\u2212':
		return "-", n
	case '\u2026':
		return "...", n
	}
	return "", n
}

// spaceAt returns the length of the blank at a place, 0 when there is none.
func spaceAt(text []byte, i int) int {
	switch c := text[i]; {
	case c == ' ' || c == '\t' || c == '\r' || c == '\n' || c == '\v' || c == '\f':
		return 1
	case c < utf8.RuneSelf:
		return 0
	}
	if plain, n := fold(text, i); plain == " " {
		return n
	}
	return 0
}

func isWord(c byte) bool {
	return c == '_' || c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' || c >= '0' && c <= '9' || c >= utf8.RuneSelf
}

func isLetter(c byte) bool {
	return c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z'
}

// tokenKey returns the hash of a line's tokens, false for a blank line. It writes
// the tokens to a buffer, which it returns for the next line.
func tokenKey(buf, line []byte) (uint64, []byte, bool) {
	buf = appendTokens(buf[:0], line)
	return maphash.Bytes(hashSeed, buf), buf, len(buf) > 0
}

// appendTokens writes a line with blanks only between words, and with
// typography plain.
func appendTokens(dst, line []byte) []byte {
	space := false
	for i := 0; i < len(line); {
		c := line[i]
		if c == ' ' || c == '\t' {
			space = true
			i++
			continue
		}
		n := plainRun(line[i:])
		text := line[i : i+n]
		if n == 0 {
			if n = spaceAt(line, i); n > 0 {
				space = true
				i += n
				continue
			}
			text, n = folded(line, i)
		}
		if space && len(dst) > 0 && isWord(dst[len(dst)-1]) && isWord(text[0]) {
			dst = append(dst, ' ')
		}
		dst = append(dst, text...)
		space = false
		i += n
	}
	return dst
}

// plainRun returns the length of the run of visible ASCII that a text starts with.
func plainRun(text []byte) int {
	n := 0
	for n < len(text) && text[n] > ' ' && text[n] < utf8.RuneSelf {
		n++
	}
	return n
}

// folded returns the character at line[i] in its plain form, and how many bytes
// it takes up in the line.
func folded(line []byte, i int) ([]byte, int) {
	plain, n := fold(line, i)
	if plain == "" {
		return line[i : i+n], n
	}
	return []byte(plain), n
}

// appendCollapsed writes runs of blanks as one, none at the edges, and
// typography plain.
func appendCollapsed(dst, line []byte) []byte {
	start := len(dst)
	space := false
	for i := 0; i < len(line); {
		if n := spaceAt(line, i); n > 0 {
			space = true
			i += n
			continue
		}
		if space && len(dst) > start {
			dst = append(dst, ' ')
		}
		space = false
		text, n := folded(line, i)
		dst = append(dst, text...)
		i += n
	}
	return dst
}

// skeletonKey returns the hash of a line's tokens without the letters of its longer
// words: two lines that differ in slips of letters alone have the same one.
func skeletonKey(line []byte) uint64 {
	h := uint64(hashStart)
	var last byte
	space := false
	for i := 0; i < len(line); {
		c := line[i]
		if c == ' ' || c == '\t' {
			space = true
			i++
			continue
		}
		if c >= utf8.RuneSelf || c < ' ' {
			if n := spaceAt(line, i); n > 0 {
				space = true
				i += n
				continue
			}
		}
		if space && isWord(last) && isWord(c) {
			h = (h ^ ' ') * hashPrime
		}
		space = false
		n := letters(line[i:])
		switch {
		case n >= shortestSlipped:
			h = (h ^ 0xff) * hashPrime
		case n > 0:
			for _, c := range line[i : i+n] {
				h = (h ^ uint64(c)) * hashPrime
			}
		case c < utf8.RuneSelf:
			h, n = (h^uint64(c))*hashPrime, 1
		default:
			var plain []byte
			plain, n = folded(line, i)
			for _, c := range plain {
				h = (h ^ uint64(c)) * hashPrime
			}
			last = plain[len(plain)-1]
			i += n
			continue
		}
		last = line[i+n-1]
		i += n
	}
	return h
}

// letters returns the length of the run of letters that a text starts with.
func letters(text []byte) int {
	n := 0
	for n < len(text) && isLetter(text[n]) {
		n++
	}
	return n
}

// trimEnd and trim also take the blanks of typography.
func trimEnd(line []byte) []byte {
	for len(line) > 0 {
		_, n := utf8.DecodeLastRune(line)
		if spaceAt(line, len(line)-n) == 0 {
			return line
		}
		line = line[:len(line)-n]
	}
	return line
}

func trim(line []byte) []byte {
	return trimEnd(line[len(indentOf(line)):])
}

// indentOf returns the blanks a line starts with.
func indentOf(line []byte) []byte {
	i := 0
	for i < len(line) {
		n := spaceAt(line, i)
		if n == 0 {
			break
		}
		i += n
	}
	return line[:i]
}

// comparer compares lines under a tolerance, reusing its memory.
type comparer struct {
	a, b []byte
}

// tolerance returns the strictest whole-line tolerance under which two lines are
// the same.
func (c *comparer) tolerance(a, b []byte) (Tolerance, bool) {
	switch {
	case bytes.Equal(a, b):
		return Exact, true
	case bytes.Equal(trimEnd(a), trimEnd(b)):
		return LineWhitespace, true
	case bytes.Equal(trim(a), trim(b)):
		return Indent, true
	}
	c.a, c.b = appendCollapsed(c.a[:0], a), appendCollapsed(c.b[:0], b)
	if bytes.Equal(c.a, c.b) {
		return CollapseSpaces, true
	}
	if c.sameTokens(a, b) {
		return Tokens, true
	}
	return 0, false
}

func (c *comparer) sameTokens(a, b []byte) bool {
	c.a, c.b = appendTokens(c.a[:0], a), appendTokens(c.b[:0], b)
	return bytes.Equal(c.a, c.b)
}
