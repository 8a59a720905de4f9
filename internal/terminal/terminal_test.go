package terminal

import (
	"bytes"
	"os"
	"strings"
	"testing"

	"github.com/gongu-ai/gongu/internal/secret"
)

func TestTableCountsColumns(t *testing.T) {
	got := Table([][]string{{"이름", "수", "설명"}, {"a", "10", "x"}, {"도구상자", "7", "끝"}}, 1)
	want := "이름      수  설명\n" +
		"a         10  x\n" +
		"도구상자   7  끝\n"
	if got != want {
		t.Errorf("got\n%s\nwant\n%s", got, want)
	}
}

func TestOneLine(t *testing.T) {
	for text, want := range map[string]string{
		"":                          "",
		"  first.\nsecond":          "first.",
		"\x1b[2Jred\u009b":          "[2Jred",
		"first.\r\nsecond":          "first.",
		strings.Repeat("a", 100):    strings.Repeat("a", 100),
		strings.Repeat("a", 101):    strings.Repeat("a", 100) + "…",
		strings.Repeat("가", 51):     strings.Repeat("가", 50) + "…",
		strings.Repeat("abcd ", 30): strings.TrimSpace(strings.Repeat("abcd ", 20)) + "…",
	} {
		if got := OneLine(text); got != want {
			t.Errorf("%q gave %q, want %q", text, got, want)
		}
	}
}

// The null device is a character device, and not a terminal.
func TestNullDeviceIsNoTerminal(t *testing.T) {
	null, err := os.Open(os.DevNull)
	if err != nil {
		t.Fatal(err)
	}
	defer null.Close()
	if IsTerminal(null) || IsTerminal(&bytes.Buffer{}) {
		t.Error("taken for a terminal")
	}
}

// K15: characters that control a terminal or hide themselves are escaped, and
// the program's own colours are not.
func TestWriterEscapes(t *testing.T) {
	var out bytes.Buffer
	vault := &secret.Vault{}
	vault.Remember("KEY", "canary-value")
	s := &Writer{Out: &out, Secrets: vault, Colour: "\x1bRANDOM["}
	for text, want := range map[string]string{
		"plain 가 é 🎉\n\tx":        "plain 가 é 🎉\n\tx",
		"\x1b[2J\x07\r\x00\x7f":   `\x1b[2J\x07\x0d\x00\x7f`,
		"\u009b31m":               `\u009b31m`,
		"a\x9bb":                  `a\x9bb`,
		"\u202eabc\u2066\u200f":   `\u202eabc\u2066\u200f`,
		"a\u200bb\ufeff\u00ad":    `a\u200bb\ufeff\u00ad`,
		"\U000e0041\U000e0100":    `\U000e0041\U000e0100`,
		"\u2028\u2029":            `\u2028\u2029`,
		"\x1bRANDOM[31mred":       "\x1b[31mred",
		"\x1bRANDOM[\x1b]0;xmred": "\x1b[" + `\x1b]0;x` + "mred",
		"key canary-value.":       "key [secret KEY].",
	} {
		out.Reset()
		if n, err := s.Write([]byte(text)); err != nil || n != len(text) || out.String() != want {
			t.Errorf("%q became %q (%d, %v), want %q", text, out.String(), n, err, want)
		}
	}
	for text, want := range map[string]string{
		`"plain 가"`: `"plain 가"`, "\"\u009b\u202e\U000e0041\x7f\"": `"\u009b\u202e\udb40\udc41\u007f"`,
	} {
		if got := EscapeJSON(text); got != want {
			t.Errorf("%q became %q, want %q", text, got, want)
		}
	}
}

func TestExcerpt(t *testing.T) {
	for _, tc := range []struct {
		line       string
		column     int
		text, room string
	}{
		{"  a: b", 3, "  a: b", "  "},
		{"\ta: b  \r", 2, " a: b", " "},
		{"이름: b", 5, "이름: b", "      "},
		{"a: \x1b[31mb", 1, "a: [31mb", ""},
		{"a", 9, "a", " "},
		{"a", 0, "a", ""},
		{strings.Repeat("a", 200), 150, strings.Repeat("a", 100) + "…", strings.Repeat(" ", 101)},
	} {
		if text, room := Excerpt(tc.line, tc.column); text != tc.text || room != tc.room {
			t.Errorf("%q at %d: %q and %q, want %q and %q", tc.line, tc.column, text, room, tc.text, tc.room)
		}
	}
}

func TestVisible(t *testing.T) {
	for text, want := range map[string]string{
		"a 가": "a 가", "\x1b[2J": `\x1b[2J`, "a\nb": `a\nb`, "\u202eb": `\u202eb`, "it's": "it's", "\xff": "\ufffd",
	} {
		if got := Visible(text); got != want {
			t.Errorf("%q is %q, want %q", text, got, want)
		}
	}
}
