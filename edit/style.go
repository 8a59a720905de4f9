package edit

import (
	"bytes"
	"unicode/utf8"
)

// style is how the model's lines have to be changed to be the file's.
type style struct {
	indent *indentation
	// first is the indentation of the file's first line when old starts in the
	// middle of it.
	first *indentPair
	// trimEnds says that blanks at the ends of the model's lines are none of
	// the file's.
	trimEnds bool
	// plain are the characters of typography that the file writes plainly.
	plain map[rune]string
}

// learn compares the lines of old with those of the file.
func (r *replayer) learn() style {
	st := style{plain: map[rune]string{}}
	var pairs []indentPair
	ends := 0
	for o, f := range r.at {
		if f < 0 || isBlank(r.m.old.line(o)) {
			continue
		}
		old, file := r.m.old.line(o), r.fileLine(f)
		pairs = append(pairs, indentPair{plainIndent(old), string(indentOf(file))})
		if len(trimEnd(old)) < len(old) && len(old)-len(trimEnd(old)) != len(file)-len(trimEnd(file)) {
			ends++
		}
		st.learnPlain(old, file)
	}
	st.trimEnds = 2*ends >= len(pairs)
	st.learnQuotes(r.s.content)
	st.indent = learnIndentation(pairs)
	if first := pairs[0]; st.indent.rule == nil && first.old == "" && first.file != "" {
		st.indent = learnIndentation(pairs[1:])
		st.first = &first
	}
	return st
}

// plainIndent returns the indentation of a line with plain blanks.
func plainIndent(line []byte) string {
	indent := indentOf(line)
	if isASCII(indent) {
		return string(indent)
	}
	var b []byte
	for i := 0; i < len(indent); {
		plain, n := folded(indent, i)
		b = append(b, plain...)
		i += n
	}
	return string(b)
}

func isASCII(text []byte) bool {
	for _, c := range text {
		if c >= utf8.RuneSelf {
			return false
		}
	}
	return true
}

// learnPlain notes the typography of a line of old that the file has plainly.
func (st *style) learnPlain(old, file []byte) {
	if isASCII(old) {
		return
	}
	i, j := 0, 0
	for i < len(old) && j < len(file) {
		plain, n := fold(old, i)
		switch {
		case plain == " ":
			if file[j] == ' ' || file[j] == '\t' {
				st.note(old[i:], plain)
			}
			i += n
			continue
		case spaceAt(old, i) > 0:
			i += n
			continue
		case spaceAt(file, j) > 0:
			j += spaceAt(file, j)
			continue
		case plain != "" && bytes.HasPrefix(file[j:], []byte(plain)):
			st.note(old[i:], plain)
			i += n
			j += len(plain)
			continue
		}
		_, m := fold(file, j)
		i += n
		j += m
	}
}

func (st *style) note(text []byte, plain string) {
	ch, _ := utf8.DecodeRune(text)
	st.plain[ch] = plain
}

// learnQuotes takes one curled quote that the file has plainly for all of them,
// except those that the file has somewhere.
func (st *style) learnQuotes(content []byte) {
	proven := false
	for _, plain := range st.plain {
		proven = proven || plain == "'" || plain == `"`
	}
	if !proven {
		return
	}
	for _, ch := range "\u2018\u2019\u201c\u201d" {
		text := []byte(string(ch))
		if plain, _ := fold(text, 0); st.plain[ch] == "" && !bytes.Contains(content, text) {
			st.plain[ch] = plain
		}
	}
}

// mapped returns a line of new as the file would have it.
func (r *replayer) mapped(n int, c change) (piece, bool) {
	line := r.m.new.line(n)
	if isBlank(line) {
		return piece{text: r.blankLine(line)}, true
	}
	indent, ok := r.indentFor(n, c)
	if !ok {
		return piece{}, false
	}
	body := line[len(indentOf(line)):]
	if r.style.trimEnds {
		body = trimEnd(body)
	}
	for o := c.fromA; o < c.toA; o++ {
		// A line that differs only in indentation is taken from the file.
		if r.at[o] >= 0 && bytes.Equal(trim(r.m.old.line(o)), trim(line)) {
			body = trim(r.fileLine(r.at[o]))
			break
		}
	}
	body = r.style.plainText(body)
	body = unslipped(body, r.m.slips)
	return piece{text: append([]byte(indent), body...)}, true
}

func (r *replayer) blankLine(line []byte) []byte {
	if r.style.trimEnds || len(line) == 0 || r.m.tier >= Indent {
		return nil
	}
	return line
}

// indentFor returns the indentation of a line of new. A line that takes the place
// of another with the same one gets what the file has there.
func (r *replayer) indentFor(n int, c change) (string, bool) {
	indent := plainIndent(r.m.new.line(n))
	if r.style.first != nil && n == 0 && indent == r.style.first.old {
		return r.style.first.file, true
	}
	if got, ok := r.style.indent.of(indent); ok {
		return got, true
	}
	found, ok := "", false
	for o := max(0, c.fromA-1); o < min(c.toA+1, len(r.at)); o++ {
		if r.at[o] < 0 || isBlank(r.m.old.line(o)) || plainIndent(r.m.old.line(o)) != indent {
			continue
		}
		file := string(indentOf(r.fileLine(r.at[o])))
		if ok && file != found {
			return "", false
		}
		found, ok = file, true
	}
	return found, ok
}

// plainText writes quotes, dashes and spaces in the form that the file uses.
func (st *style) plainText(text []byte) []byte {
	if len(st.plain) == 0 || isASCII(text) {
		return text
	}
	var out []byte
	for i := 0; i < len(text); {
		ch, n := utf8.DecodeRune(text[i:])
		if plain, ok := st.plain[ch]; ok && ch != utf8.RuneError {
			out = append(out, plain...)
		} else {
			out = append(out, text[i:i+n]...)
		}
		i += n
	}
	return out
}
