// Package lang holds the texts that a model or a person reads, in English and
// Korean. A text has both languages side by side, so that none is missing and a
// reviewer reads the pair.
package lang

import (
	"fmt"
	"strings"
)

// Lang names a language of the catalog.
type Lang string

// The languages of the catalog. The zero value reads as English.
const (
	English Lang = "en"
	Korean  Lang = "ko"
)

// HelpBase is where the pages about error codes are served; a help address is
// this, a slash and the code.
const HelpBase = "https://gongu-ai.github.io/gongu/errors"

// Parse accepts "en", "ko" and locale spellings such as "ko_KR.UTF-8".
func Parse(s string) (Lang, bool) {
	tag, _, _ := strings.Cut(strings.ToLower(s), ".")
	tag, _, _ = strings.Cut(strings.ReplaceAll(tag, "-", "_"), "_")
	switch Lang(tag) {
	case English:
		return English, true
	case Korean:
		return Korean, true
	}
	return English, false
}

// Of is the language that Parse finds, and English for all others.
func Of(s string) Lang {
	l, _ := Parse(s)
	return l
}

// Text is one sentence of the catalog, with fmt verbs in the same order in
// both languages (use %[1]s where the order of the words differs).
type Text struct {
	EN, KO string
}

// In renders the text in a language.
func (t Text) In(l Lang, args ...any) string {
	format := t.EN
	if l == Korean {
		format = t.KO
	}
	if len(args) == 0 {
		return format
	}
	return fmt.Sprintf(format, args...)
}

// Count renders a text about n things, in the form for one or for many.
func Count(l Lang, n int, one, many Text) string {
	if n == 1 {
		return one.In(l, n)
	}
	return many.In(l, n)
}

// Clip cuts a text that a message repeats after a number of characters: the text
// may be as long as a file.
func Clip(text string, most int) string {
	n := 0
	for i := range text {
		if n++; n > most {
			return text[:i] + "…"
		}
	}
	return text
}

// With binds the arguments now and leaves the language for later.
func (t Text) With(args ...any) Message { return Message{text: t, args: args} }

// Message is a text with its arguments, rendered once the reader is known.
type Message struct {
	text Text
	args []any
}

// In renders the message, and messages among its arguments, in a language.
func (m Message) In(l Lang) string {
	args := make([]any, len(m.args))
	for i, arg := range m.args {
		if inner, ok := arg.(Message); ok {
			arg = inner.In(l)
		}
		args[i] = arg
	}
	return m.text.In(l, args...)
}

// IsZero reports whether the message is empty.
func (m Message) IsZero() bool { return m.text == Text{} }
