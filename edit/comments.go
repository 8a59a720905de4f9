package edit

import (
	"bytes"
	"slices"
	"strings"
	"unicode/utf8"
)

// commentStyle is what starts a comment in a file. Without a name the file's
// text has to tell; a file that does not look like code has none.
type commentStyle struct {
	slashes, hash, html bool
}

// styleSample is how much of a file tells its style.
const styleSample = 64 << 10

// commentsOf looks at the beginning of a file.
func commentsOf(content []byte) commentStyle {
	var braces, headings, hashes, markup, total int
	for at := 0; at < len(content) && at < styleSample; {
		s := lineAt(content, at)
		at = s.next
		line := trim(content[s.start:s.end])
		if len(line) == 0 {
			continue
		}
		total++
		switch c := line[len(line)-1]; {
		case bytes.HasPrefix(line, []byte("//")) || bytes.HasPrefix(line, []byte("/*")) || isDirective(line):
			braces += 2
		case bytes.HasPrefix(line, []byte("## ")), bytes.HasPrefix(line, []byte("```")), bytes.HasPrefix(line, []byte("- [")), bytes.HasPrefix(line, []byte("* [")):
			headings += 2
		case bytes.HasPrefix(line, []byte("<")):
			markup++
		case bytes.HasPrefix(line, []byte("# ")):
			hashes++
		case c == ';' || c == '{' || c == '}' || bytes.HasSuffix(line, []byte("})")) || bytes.HasSuffix(line, []byte("},")):
			braces++
		}
		if bytes.Contains(line, []byte("](")) {
			headings++
		}
		if bytes.Contains(line, []byte(" // ")) || bytes.Contains(line, []byte("\t// ")) || bytes.HasSuffix(line, []byte("*/")) {
			braces++
		}
	}
	code := braces*8 >= total && braces > 0
	if code && braces > headings {
		return commentStyle{slashes: true}
	}
	if headings > 0 || markup*4 > total {
		return commentStyle{html: true}
	}
	return commentStyle{hash: true}
}

// isDirective is a line for the preprocessor of C.
func isDirective(line []byte) bool {
	word := firstWord(trim(line[1:]))
	return line[0] == '#' && slices.Contains(directives, string(word))
}

var directives = []string{"include", "define", "undef", "if", "ifdef", "ifndef", "elif", "else", "endif", "pragma", "error"}

// isHashComment reports whether a # starts a comment and not an attribute or the
// like.
func isHashComment(rest []byte) bool {
	return len(rest) == 1 || rest[1] == ' ' || rest[1] == '#' || rest[1] == ':' || rest[1] == '\t'
}

// appendCode writes a line without its comments. block is whether a comment
// that spans lines is open before, and after.
func (st commentStyle) appendCode(dst, line []byte, block bool) ([]byte, bool) {
	for i := 0; i < len(line); {
		rest := line[i:]
		if block {
			end, n := "*/", 2
			if st.html {
				end, n = "-->", 3
			}
			j := bytes.Index(rest, []byte(end))
			if j < 0 {
				return dst, true
			}
			i += j + n
			block = false
			continue
		}
		switch c := rest[0]; {
		case st.slashes && bytes.HasPrefix(rest, []byte("//")) && (i == 0 || line[i-1] != ':'):
			return dst, false
		case st.slashes && bytes.HasPrefix(rest, []byte("/*")), st.html && bytes.HasPrefix(rest, []byte("<!--")):
			// One that spans lines begins a line: elsewhere the two characters
			// may be part of a pattern or of a text.
			if len(trim(line[:i])) > 0 && !st.closes(rest) {
				break
			}
			block = true
			dst = append(dst, ' ')
			i += 2
			continue
		case st.hash && c == '#' && (i == 0 || line[i-1] == ' ' || line[i-1] == '\t') && isHashComment(rest):
			return dst, false
		case !st.html && (c == '"' || c == '\'' || c == '`'):
			n := quoted(rest)
			dst = append(dst, rest[:n]...)
			i += n
			continue
		}
		dst = append(dst, line[i])
		i++
	}
	return dst, block
}

// closes reports whether a comment ends on its line.
func (st commentStyle) closes(rest []byte) bool {
	if st.html {
		return bytes.Contains(rest, []byte("-->"))
	}
	return bytes.Contains(rest[2:], []byte("*/"))
}

// quoted returns the length of the string that a text starts with; a quote that is
// not closed on the line is only a character.
func quoted(text []byte) int {
	for i := 1; i < len(text); i++ {
		switch text[i] {
		case '\\':
			i++
		case text[0]:
			return i + 1
		}
	}
	return 1
}

// commentKey is the key of a line that is nothing but a comment.
const commentKey = 1

// codeKey returns the key of a line without its comment. A line of a comment that
// has no words (its beginning or its end) counts as code.
func (st commentStyle) codeKey(buf, line []byte, tokens uint64, block bool) (uint64, []byte, bool) {
	if !block && !st.mayComment(line) {
		return tokens, buf, false
	}
	buf, after := st.appendCode(buf[:0], line, block)
	if key, _, ok := tokenKey(nil, buf); ok {
		return key, buf, after
	}
	if !hasWords(line) {
		return tokens, buf, after
	}
	return commentKey, buf, after
}

// mayComment is a quick look for what starts a comment.
func (st commentStyle) mayComment(line []byte) bool {
	switch {
	case st.slashes:
		i := bytes.IndexByte(line, '/')
		return i >= 0 && i+1 < len(line)
	case st.hash:
		return bytes.IndexByte(line, '#') >= 0
	}
	return bytes.IndexByte(line, '<') >= 0
}

func hasWords(line []byte) bool {
	for _, c := range line {
		if c != '_' && isWord(c) {
			return true
		}
	}
	return false
}

// startsInside reports whether a text begins in a comment that spans lines.
func (st commentStyle) startsInside(b *block) bool {
	if !st.slashes {
		return false
	}
	for k := range b.full {
		line := trim(b.fullLine(k))
		switch {
		case bytes.Contains(line, []byte("/*")):
			return false
		case bytes.HasPrefix(line, []byte("*/")):
			return true
		case bytes.HasSuffix(line, []byte("*/")) && !bytes.ContainsAny(line, "\"'`"):
			return true
		}
	}
	first := trim(b.fullLine(0))
	return bytes.Equal(first, []byte("*")) || bytes.HasPrefix(first, []byte("* "))
}

// mostDrifted is how many comments of old may be worded differently.
const mostDrifted = 1

// comments matches lines whose code is the same. Comments that differ in
// letter case alone are asked first.
func (s *search) comments() (Outcome, bool) {
	st := commentsOf(s.content)
	if s.edit.ReplaceAll {
		return Outcome{}, false
	}
	var keys []uint64
	var buf []byte
	for _, r := range s.readings {
		if _, words := s.absent(r.old); !words {
			continue // nothing to hold on to
		}
		if keys == nil {
			if keys = s.codeKeys(st); keys == nil {
				return Outcome{}, true
			}
		}
		pattern := make([]uint64, len(r.old.full))
		inside := st.startsInside(r.old)
		for k := range pattern {
			pattern[k], buf, inside = st.codeKey(buf, r.old.fullLine(k), r.old.keys[k], inside)
		}
		var cased, drifted []match
		for _, at := range occurrences(&s.budget, pattern, keys) {
			worded, ok := s.sameCode(r.old, at, st, pattern)
			if ok = ok && s.verified(r.old, at); s.steps < 0 {
				return Outcome{}, false
			}
			if !ok {
				continue
			}
			m := match{tier: Comments, old: r.old, new: r.new, at: consecutive(at, len(pattern))}
			if worded {
				drifted = append(drifted, m)
			} else {
				cased = append(cased, m)
			}
			if len(cased) == enough && s.edit.NearLine <= 0 {
				break
			}
		}
		if len(cased) > 0 {
			return s.settleLoose(cased, 0), true
		}
		if len(drifted) > 0 {
			return s.settleLoose(drifted, 0), true
		}
	}
	return Outcome{}, false
}

// codeKeys returns the keys of the file's lines, nil when the context ended.
func (s *search) codeKeys(st commentStyle) []uint64 {
	var buf []byte
	inside := false
	return s.fileKeys(func(i int) (key uint64) {
		key, buf, inside = st.codeKey(buf, s.x.line(i), s.x.tokens[i], inside)
		return key
	})
}

// sameCode compares old with the lines from a place on. It also tells whether a comment has
// other words, and is false when too little is the same to be sure: comments
// alone are like each other all over a file, so that one word for another needs
// some code that is the same.
func (s *search) sameCode(b *block, start int, st commentStyle, pattern []uint64) (worded, ok bool) {
	drifted, same, code, replaced := 0, 0, 0, false
	for k := range pattern {
		if !s.spend(1) {
			return false, false
		}
		old, file := b.fullLine(k), s.x.line(start+k)
		verbatim := b.keys[k] == s.x.tokens[start+k]
		switch {
		case !verbatim && !s.spend(100):
			return false, false // comparing words is expensive
		case verbatim:
			if len(old) > 2 && weight(old[:min(len(old), 200)]) >= 3 {
				same++
				if pattern[k] != commentKey {
					code++
				}
			}
		case s.sameLetters(old, file) && s.caseOnlyInComment(st, old, file, pattern[k]):
		case pattern[k] == commentKey && leader(old) != leader(file) || !reworded(old, file):
			return false, false
		default:
			replaced = replaced || !leavesOut(old, file)
			if drifted++; drifted > mostDrifted {
				return false, false
			}
		}
	}
	return drifted > 0, drifted == 0 && same > 0 || drifted <= mostDrifted && (code > 0 || same > 1 && !replaced) && drifted <= same
}

// reworded reports whether two lines differ in words of a sentence: what looks
// like code in a comment, a number, an operator or a name, means something.
// Words that old leaves out may be any.
func reworded(old, file []byte) bool {
	return leavesOut(old, file) || otherWord(appendTokens(nil, old), appendTokens(nil, file))
}

// leavesOut reports whether all that old has is in the file's line, in order.
func leavesOut(old, file []byte) bool {
	a, b := appendTokens(nil, old), appendTokens(nil, file)
	if bytes.HasPrefix(b, a) && boundary(b, len(a)) {
		return true
	}
	words := strings.Fields(string(old))
	for _, word := range strings.Fields(string(file)) {
		if len(words) > 0 && bare(word) == bare(words[0]) {
			words = words[1:]
		}
	}
	return len(words) == 0
}

// otherWord reports whether one word replaces another: old has a plain one,
// and neither is a part of a longer name.
func otherWord(old, file []byte) bool {
	found := false
	part := func(text []byte, from, to int) bool {
		return from > 0 && text[from-1] != ' ' && isWord(text[from-1]) || to < len(text) && text[to] != ' ' && isWord(text[to])
	}
	for i, j := 0, 0; ; {
		if i == len(old) || j == len(file) {
			return found && i == len(old) && j == len(file)
		}
		n, m := letters(old[i:]), letters(file[j:])
		switch {
		case n == 0 || m == 0:
			if old[i] != file[j] {
				return false
			}
			n, m = 1, 1
		case !bytes.Equal(old[i:i+n], file[j:j+m]):
			word := string(old[i : i+n])
			if found || n < 3 || strings.ToLower(word) != word || !isPlainWord(word) || !isPlainWord(string(file[j:j+m])) || part(old, i, i+n) || part(file, j, j+m) {
				return false
			}
			found = true
		}
		i, j = i+n, j+m
	}
}

// bare returns a word without the punctuation of a sentence.
func bare(word string) string { return strings.Trim(word, ".,;:!?()'\"") }

// meaningful are words that are values of programs.
var meaningful = []string{"true", "false", "null", "nil", "none", "yes", "no", "on", "off", "not", "never"}

// isPlainWord is a word of a sentence, and no name or number of a program: in
// small letters, perhaps with a capital.
func isPlainWord(word string) bool {
	rest := strings.TrimLeft(word, "-'")
	for i := range len(rest) {
		if c := rest[i]; !isLetter(c) && c < utf8.RuneSelf && c != '\'' && c != '-' {
			return false
		}
	}
	lower := strings.ToLower(rest)
	return rest != "" && rest[1:] == lower[1:] && !slices.Contains(meaningful, lower)
}

// sameLetters compares tokens without letter case.
func (s *search) sameLetters(a, b []byte) bool {
	s.cmp.a, s.cmp.b = appendTokens(s.cmp.a[:0], a), appendTokens(s.cmp.b[:0], b)
	return bytes.EqualFold(s.cmp.a, s.cmp.b)
}

// caseOnlyInComment is true when code has the same letter case.
func (s *search) caseOnlyInComment(st commentStyle, old, file []byte, key uint64) bool {
	if key == commentKey {
		return true
	}
	a, _ := st.appendCode(nil, old, false)
	b, _ := st.appendCode(nil, file, false)
	return s.cmp.sameTokens(a, b)
}

// leader returns the character that a comment line starts with.
func leader(line []byte) byte {
	line = trim(line)
	if len(line) == 0 || isWord(line[0]) {
		return 0
	}
	return line[0]
}

// weight returns how much of a line is words.
func weight(line []byte) int {
	n := 0
	for _, c := range line {
		if isWord(c) {
			n++
		}
	}
	return n
}
