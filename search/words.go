package search

import (
	"unicode"
	"unicode/utf8"

	"golang.org/x/text/unicode/norm"
)

// longestWord is as much of a word as is compared, in bytes. No word of a
// language comes near it; keys and hashes do.
const longestWord = 48

// words reads a text word by word: lower-case, and taken apart where a name
// would be.
type words struct {
	text string
	at   int
	// word is the last one read, valid until the next.
	word []byte
	// dense says that the word is of a script written without spaces or, like
	// Korean, with endings glued to the word.
	dense bool
	// clause counts the sentences and parts of sentences before the word.
	clause int
}

// reset starts over with another text.
func (w *words) reset(text string) {
	w.text, w.at, w.clause = normal(text), 0, 0
}

// normal makes one spelling of the many that Unicode has, such as the letters
// of Hangul that macOS writes apart, or full-width ones.
func normal(text string) string {
	for i := range len(text) {
		if text[i] >= utf8.RuneSelf {
			if norm.NFKC.IsNormalString(text) {
				return text
			}
			return norm.NFKC.String(text)
		}
	}
	return text
}

// next reads a word; false when there are no more.
func (w *words) next() bool {
	w.word = w.word[:0]
	last := other
	for w.at < len(w.text) {
		r, size := rune(w.text[w.at]), 1
		if r >= utf8.RuneSelf {
			r, size = utf8.DecodeRuneInString(w.text[w.at:])
		}
		k := kindOf(r)
		switch {
		case k == other && last == other:
			if ends(r, w.text[w.at+size:]) {
				w.clause++
			}
		case k == other && isApostrophe(r) && w.apostrophe(last, size):
		case k == other, last != other && w.breaks(last, k, w.at+size):
			return true
		default:
			w.dense = k == dense
			w.put(r)
			if last = k; k == small {
				w.putRun(w.at + size)
				continue
			}
		}
		w.at += size
	}
	return last != other
}

// put appends a rune to the word.
func (w *words) put(r rune) {
	switch {
	case 'A' <= r && r <= 'Z':
		r += 'a' - 'A'
	case r >= utf8.RuneSelf:
		r = unicode.ToLower(r)
	}
	// A run of a dense script is a whole sentence and is cut into pairs.
	if w.dense || len(w.word) < longestWord {
		w.word = utf8.AppendRune(w.word, r)
	}
}

// putRun appends the small letters from a place on, which are most of most
// texts, and goes on behind them.
func (w *words) putRun(from int) {
	w.at = from
	for w.at < len(w.text) && 'a' <= w.text[w.at] && w.text[w.at] <= 'z' {
		w.at++
	}
	if room := longestWord - len(w.word); room > 0 {
		w.word = append(w.word, w.text[from:min(w.at, from+room)]...)
	}
}

// breaks says whether a new word begins with a rune of kind k after one of
// kind last: at another kind of script, and at the capitals of createIssue,
// HTTPServer and mp3Player.
func (w *words) breaks(last, k kind, after int) bool {
	switch {
	case (k == dense) != (last == dense):
		return true
	case k != upper || last == upper && after == len(w.text):
		return false
	case last == small:
		return true
	}
	r, _ := utf8.DecodeRuneInString(w.text[after:])
	return kindOf(r) == small
}

// apostrophe says whether the apostrophe at hand is inside a word, as in
// don't, and passes over the s of a user's.
func (w *words) apostrophe(last kind, size int) bool {
	rest := w.text[w.at+size:]
	r, n := utf8.DecodeRuneInString(rest)
	if last == dense || kindOf(r) != small {
		return false
	}
	if r == 's' || r == 'S' {
		if after, _ := utf8.DecodeRuneInString(rest[n:]); kindOf(after) == other {
			w.at += n
		}
	}
	return true
}

func isApostrophe(r rune) bool { return r == '\'' || r == '’' }

// ends says whether a separator ends a clause: a mark at the end of a word, not
// the point of 3.5.
func ends(r rune, rest string) bool {
	switch r {
	case '.', ',', '!', '?', ';', ':':
		return rest == "" || rest[0] == ' ' || rest[0] == '\n'
	case '\n', '。', '、', '，', '！', '？':
		return true
	}
	return false
}

// kind is what a rune is to a reader of words.
type kind byte

const (
	other kind = iota // separates words
	small             // letters without case, too
	upper
	digit
	dense
)

func kindOf(r rune) kind {
	switch {
	case 'a' <= r && r <= 'z':
		return small
	case 'A' <= r && r <= 'Z':
		return upper
	case '0' <= r && r <= '9':
		return digit
	case r < utf8.RuneSelf, r == utf8.RuneError:
		return other
	case 0xAC00 <= r && r <= 0xD7A3, unicode.In(r, unicode.Hangul, unicode.Han, unicode.Hiragana, unicode.Katakana):
		return dense
	case unicode.IsUpper(r):
		return upper
	case unicode.IsLetter(r), unicode.IsMark(r):
		return small
	case unicode.IsDigit(r):
		return digit
	}
	return other
}
