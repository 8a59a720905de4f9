package main

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"strings"
	"unicode"
	"unicode/utf16"
	"unicode/utf8"

	"github.com/gongu-ai/gongu/internal/secret"
)

// screen is standard output or standard error. All that commands print for people
// goes through one, so that no command can forget it: characters that steer a
// terminal or hide text are written out, and secrets are replaced by their names.
// What must stay exact goes through [app.printExact] or [app.writeExactJSON].
type screen struct {
	out     io.Writer
	secrets *secret.Vault
	// colour begins each colour of this run. It is random, so that no text from
	// elsewhere can contain it.
	colour string
}

func (s *screen) Write(p []byte) (int, error) {
	if _, err := io.WriteString(s.out, s.escaped(s.secrets.Redact(string(p)))); err != nil {
		return 0, err
	}
	return len(p), nil
}

// escaped writes out what is not harmless, but for the program's own colours.
func (s *screen) escaped(text string) string {
	if s.colour == "" || !strings.Contains(text, s.colour) {
		return harmless(text)
	}
	var b strings.Builder
	for i, part := range strings.Split(text, s.colour) {
		if i == 0 {
			b.WriteString(harmless(part))
			continue
		}
		sequence, rest, _ := strings.Cut(part, "m")
		b.WriteString("\x1b[" + harmless(sequence) + "m" + harmless(rest))
	}
	return b.String()
}

// steers reports whether a character can steer a terminal, change the order of
// others or hide itself: control characters but for line ends and tabs, format
// characters (direction, zero width, tags), and the variation selectors that
// carry hidden text.
func steers(r rune) bool {
	switch {
	case r == '\n' || r == '\t':
		return false
	case r >= 0xe0100 && r <= 0xe01ef:
		return true
	}
	return !unicode.IsGraphic(r)
}

// harmless writes out the characters that [steers] reports, as Go would.
func harmless(text string) string {
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

// harmlessJSON is harmless for JSON, in which it means the same as before.
func harmlessJSON(text string) string {
	return escapeRunes(text, func(b *strings.Builder, r rune, _ string) {
		if high, low := utf16.EncodeRune(r); high != utf8.RuneError {
			fmt.Fprintf(b, `\u%04x\u%04x`, high, low)
			return
		}
		fmt.Fprintf(b, `\u%04x`, r)
	})
}

// escapeRunes replaces each character that [steers] reports, and each byte that
// is no character: a terminal may take it for a control character.
func escapeRunes(text string, escape func(b *strings.Builder, r rune, raw string)) string {
	broken := func(r rune, size int) bool { return r == utf8.RuneError && size == 1 }
	if utf8.ValidString(text) && !strings.ContainsFunc(text, steers) {
		return text
	}
	var b strings.Builder
	for i := 0; i < len(text); {
		r, size := utf8.DecodeRuneInString(text[i:])
		if broken(r, size) || steers(r) {
			escape(&b, r, text[i:i+size])
		} else {
			b.WriteString(text[i : i+size])
		}
		i += size
	}
	return b.String()
}

// print writes a text for a person to standard output.
func (a *app) print(text string) error {
	_, err := io.WriteString(a.stdout, text)
	return err
}

// printExact writes a text that is asked for as it is, such as the output of a
// tool or a token: byte for byte, unless standard output is a terminal, where it
// is made harmless.
func (a *app) printExact(text string) error {
	if isTerminal(a.output) {
		text = harmless(text)
	}
	_, err := io.WriteString(a.output, text)
	return err
}

// writeJSON prints a value as JSON, without secrets: indented on a terminal,
// otherwise on one line.
func (a *app) writeJSON(v any) error {
	raw, err := encodeJSON(v, isTerminal(a.output))
	return a.printJSON(a.secrets.RedactJSON(raw), err)
}

// writeExactJSON is writeJSON for a value whose texts must stay as they are: the
// result of a tool, the content of a file, a new token.
func (a *app) writeExactJSON(v any) error {
	return a.printJSON(encodeJSON(v, isTerminal(a.output)))
}

// writeJSONLine is writeExactJSON for one of many values, each on its own line.
func (a *app) writeJSONLine(v any) error { return a.printJSON(encodeJSON(v, false)) }

func (a *app) printJSON(raw []byte, err error) error {
	if err == nil {
		_, err = io.WriteString(a.output, harmlessJSON(string(raw)))
	}
	return err
}

func encodeJSON(v any, indent bool) ([]byte, error) {
	var b bytes.Buffer
	enc := json.NewEncoder(&b)
	enc.SetEscapeHTML(false)
	if indent {
		enc.SetIndent("", "  ")
	}
	err := enc.Encode(v)
	return b.Bytes(), err
}
