// Package terminal shows text to a person and asks questions. It escapes text of
// unknown origin, aligns tables, and reads answers from the controlling terminal.
package terminal

import (
	"fmt"
	"io"
	"runtime"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf16"
	"unicode/utf8"

	"github.com/gongu-ai/gongu/internal/secret"
)

// Writer escapes what is written to it, and replaces secrets by their names. A
// program gives its commands a Writer for standard output and standard error, so
// that no command can forget to escape.
type Writer struct {
	Out     io.Writer
	Secrets *secret.Vault
	// Colour begins each colour. It contains a random text, so that text from
	// elsewhere cannot contain it.
	Colour string
}

// Write writes the escaped text.
func (w *Writer) Write(p []byte) (int, error) {
	if _, err := io.WriteString(w.Out, w.escaped(w.Secrets.Redact(string(p)))); err != nil {
		return 0, err
	}
	return len(p), nil
}

// escaped escapes a text, except the program's own colours.
func (w *Writer) escaped(text string) string {
	if w.Colour == "" || !strings.Contains(text, w.Colour) {
		return Escape(text)
	}
	var b strings.Builder
	for i, part := range strings.Split(text, w.Colour) {
		if i == 0 {
			b.WriteString(Escape(part))
			continue
		}
		sequence, rest, _ := strings.Cut(part, "m")
		b.WriteString("\x1b[" + Escape(sequence) + "m" + Escape(rest))
	}
	return b.String()
}

// The colours of [Writer.Painter].
const (
	Bold   = "1"
	Red    = "31"
	Green  = "32"
	Yellow = "33"
	Cyan   = "36"
)

// Painter returns a function that colours words. It leaves them as they are when
// w is not a terminal or the environment asks for no colours.
func (w *Writer) Painter(getenv func(string) string) func(colour, text string) string {
	plain := !IsTerminal(w) || getenv("NO_COLOR") != "" || getenv("TERM") == "dumb" ||
		runtime.GOOS == "windows" && getenv("WT_SESSION") == ""
	return func(colour, text string) string {
		if plain {
			return text
		}
		return w.Colour + colour + "m" + text + w.Colour + "0m"
	}
}

// controls reports whether a character can control a terminal, change the order
// of others or hide itself: control characters except line ends and tabs, format
// characters (direction, zero width, tags), and the variation selectors that
// carry hidden text.
func controls(r rune) bool {
	switch {
	case r == '\n' || r == '\t':
		return false
	case r >= 0xe0100 && r <= 0xe01ef:
		return true
	}
	return !unicode.IsGraphic(r)
}

// Escape writes the characters that [controls] reports as Go would. Line ends and
// tabs stay.
func Escape(text string) string {
	return escapeRunes(text, func(b *strings.Builder, r rune, raw string) {
		switch {
		case r == utf8.RuneError && len(raw) == 1:
			fmt.Fprintf(b, `\x%02x`, raw[0])
		case r < 0x80:
			fmt.Fprintf(b, `\x%02x`, r)
		case r < 0x10000:
			fmt.Fprintf(b, `\u%04x`, r)
		default:
			fmt.Fprintf(b, `\U%08x`, r)
		}
	})
}

// EscapeJSON is [Escape] for JSON: the result has the same meaning.
func EscapeJSON(text string) string {
	return escapeRunes(text, func(b *strings.Builder, r rune, _ string) {
		if high, low := utf16.EncodeRune(r); high != utf8.RuneError {
			fmt.Fprintf(b, `\u%04x\u%04x`, high, low)
			return
		}
		fmt.Fprintf(b, `\u%04x`, r)
	})
}

// escapeRunes replaces each character that [controls] reports, and each byte that
// is not part of a character: a terminal may read it as a control character.
func escapeRunes(text string, escape func(b *strings.Builder, r rune, raw string)) string {
	broken := func(r rune, size int) bool { return r == utf8.RuneError && size == 1 }
	if utf8.ValidString(text) && !strings.ContainsFunc(text, controls) {
		return text
	}
	var b strings.Builder
	for i := 0; i < len(text); {
		r, size := utf8.DecodeRuneInString(text[i:])
		if broken(r, size) || controls(r) {
			escape(&b, r, text[i:i+size])
		} else {
			b.WriteString(text[i : i+size])
		}
		i += size
	}
	return b.String()
}

// Visible returns a text of unknown origin on one line, complete, with every
// character escaped that is not printable: also line ends and tabs.
func Visible(text string) string {
	var b strings.Builder
	for _, r := range text {
		if unicode.IsPrint(r) {
			b.WriteRune(r)
			continue
		}
		b.WriteString(strings.Trim(strconv.QuoteRune(r), "'"))
	}
	return b.String()
}

// VisibleLines is [Visible] for a text of several lines.
func VisibleLines(text string) string {
	lines := strings.Split(text, "\n")
	for i, line := range lines {
		lines[i] = Visible(strings.TrimSuffix(line, "\r"))
	}
	return strings.Join(lines, "\n")
}
