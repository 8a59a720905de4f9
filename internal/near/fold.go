package near

import (
	"unicode"
	"unicode/utf8"
)

const (
	// maxInput is how much of a name is compared; longer names are cut, so
	// that hostile input cannot make a comparison expensive.
	maxInput = 128
	// maxKeys has room for maxInput bytes of Hangul, the script that grows most:
	// the three bytes of a syllable become at most five keys.
	maxKeys = 224
	// maxWords bounds the words of a name; what follows belongs to the last.
	maxWords = 24
)

// folded is a name reduced to what is compared: lower-case keys without
// separators, and where its words and its last namespace end.
type folded struct {
	keys  [maxKeys]byte
	n     int             // keys in use
	ends  [maxWords]uint8 // end of each word in keys
	words int             // words in use
	local int             // first word after the last namespace separator
}

// text returns the keys of the words from first on.
func (f *folded) text(first int) []byte { return f.keys[f.start(first):f.n] }

func (f *folded) start(word int) int {
	if word == 0 {
		return 0
	}
	return int(f.ends[word-1])
}

func (f *folded) word(i int) []byte { return f.keys[f.start(i):f.ends[i]] }

// endWord closes the word that is open, if any.
func (f *folded) endWord() {
	if f.n > f.start(f.words) && f.words < maxWords-1 {
		f.ends[f.words] = uint8(f.n)
		f.words++
	}
}

// put appends keys; what does not fit is dropped.
func (f *folded) put(keys string) { f.n += copy(f.keys[f.n:], keys) }

// fold reduces a name. It runs once for every candidate, so it works in place
// and has a short path for ASCII.
func (f *folded) fold(name string) {
	f.n, f.words, f.local = 0, 0, 0
	name = cut(name)
	var prev byte // 'a' after a lower-case letter or digit, 'A' after an upper-case one, else a separator
	for i := 0; i < len(name); {
		c := name[i]
		switch {
		case 'a' <= c && c <= 'z', '0' <= c && c <= '9':
			f.keys[f.n] = c
			f.n++
			prev = 'a'
		case 'A' <= c && c <= 'Z':
			// A capital opens a word after a small letter (createIssue) and as
			// the last of a run of capitals (HTTPServer).
			if prev == 'a' || prev == 'A' && i+1 < len(name) && 'a' <= name[i+1] && name[i+1] <= 'z' {
				f.endWord()
			}
			f.keys[f.n] = c + 'a' - 'A'
			f.n++
			prev = 'A'
		case c < utf8.RuneSelf:
			f.endWord()
			if c == '.' || c == '/' || c == ':' || c == '_' && prev == '_' {
				f.local = f.words
			}
			prev = c
		default:
			r, size := utf8.DecodeRuneInString(name[i:])
			i += size - 1
			prev = f.putRune(r)
		}
		i++
	}
	f.close()
}

// close ends the last word. A name that ends in a namespace separator gets no
// local part.
func (f *folded) close() {
	if f.n > f.start(f.words) {
		f.ends[f.words] = uint8(f.n)
		f.words++
	}
	if f.local >= f.words {
		f.local = 0
	}
}

// putRune appends a rune beyond ASCII and says what it was, as prev in fold.
func (f *folded) putRune(r rune) byte {
	switch {
	case f.putHangul(r):
	case unicode.IsLetter(r), unicode.IsDigit(r), unicode.IsMark(r):
		r = unicode.ToLower(r)
		f.keys[f.n], f.keys[f.n+1] = 0x80|byte(r&0x7f), 0x80|byte(r>>7&0x7f)
		f.n += 2
	default:
		f.endWord()
		return ' '
	}
	return 'a'
}

// The keys of the two-set Korean keyboard for each part of a syllable, and for
// the letters U+3131 to U+3163 alone. Shift is left out: a tense
// consonant for a plain one is the commonest slip.
var (
	initialKeys = [19]string{"r", "r", "s", "e", "e", "f", "a", "q", "q", "t", "t", "d", "w", "w", "c", "z", "x", "v", "g"}
	vowelKeys   = [21]string{"k", "o", "i", "o", "j", "p", "u", "p", "h", "hk", "ho", "hl", "y", "n", "nj", "np", "nl", "b", "m", "ml", "l"}
	finalKeys   = [28]string{"", "r", "r", "rt", "s", "sw", "sg", "e", "f", "fr", "fa", "fq", "ft", "fx", "fv", "fg", "a", "q", "qt", "t", "t", "d", "w", "c", "z", "x", "v", "g"}
	letterKeys  = [30]string{"r", "r", "rt", "s", "sw", "sg", "e", "e", "f", "fr", "fa", "fq", "ft", "fx", "fv", "fg", "a", "q", "q", "qt", "t", "t", "d", "w", "w", "c", "z", "x", "v", "g"}
)

// putHangul writes Hangul as the keys that type it. A slip within a syllable
// then costs one key, not the syllable, and a name typed in the wrong input
// mode, in either direction, folds to the name that was meant.
func (f *folded) putHangul(r rune) bool {
	switch {
	case 0xAC00 <= r && r <= 0xD7A3: // composed syllables
		s := int(r - 0xAC00)
		f.put(initialKeys[s/(21*28)])
		f.put(vowelKeys[s/28%21])
		f.put(finalKeys[s%28])
	case 0x1100 <= r && r <= 0x1112: // decomposed, as macOS writes file names
		f.put(initialKeys[r-0x1100])
	case 0x1161 <= r && r <= 0x1175:
		f.put(vowelKeys[r-0x1161])
	case 0x11A8 <= r && r <= 0x11C2:
		f.put(finalKeys[r-0x11A7])
	case 0x3131 <= r && r <= 0x314E:
		f.put(letterKeys[r-0x3131])
	case 0x314F <= r && r <= 0x3163:
		f.put(vowelKeys[r-0x314F])
	default:
		return false
	}
	return true
}

// cut returns the part of a name that is compared.
func cut(name string) string { return name[:min(len(name), maxInput)] }
