package main

import (
	"bytes"
	"encoding/json"
	"os"
	"strings"
	"testing"

	"github.com/gongu-ai/gongu"
	"github.com/gongu-ai/gongu/internal/lang"
	"github.com/gongu-ai/gongu/internal/secret"
)

func TestTableCountsColumns(t *testing.T) {
	got := table([][]string{{"이름", "수", "설명"}, {"a", "10", "x"}, {"도구상자", "7", "끝"}}, 1)
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
		if got := oneLine(text); got != want {
			t.Errorf("%q gave %q, want %q", text, got, want)
		}
	}
}

// The null device is a character device, and nobody sits in front of it.
func TestNullDeviceIsNoTerminal(t *testing.T) {
	null, err := os.Open(os.DevNull)
	if err != nil {
		t.Fatal(err)
	}
	defer null.Close()
	if isTerminal(null) || isTerminal(&bytes.Buffer{}) {
		t.Error("taken for a terminal")
	}
}

func TestLanguageOf(t *testing.T) {
	for _, tc := range []struct {
		env  string
		args string
		want lang.Lang
	}{
		{"", "", lang.English},
		{"ko", "", lang.Korean},
		{"ko_KR.UTF-8", "tools", lang.Korean},
		{"fr", "", lang.English},
		{"ko", "--lang en", lang.English},
		{"", "tools --lang=ko", lang.Korean},
		{"", "tools --lang", lang.English},
		{"ko", "--lang fr", lang.Korean}, // the parser complains, in Korean
		{"", "call x -- --lang ko", lang.English},
	} {
		if got := languageOf(strings.Fields(tc.args), tc.env); got != tc.want {
			t.Errorf("%q with GONGU_LANG=%q is %q, want %q", tc.args, tc.env, got, tc.want)
		}
	}
}

// TestPrintOutput has results that no starter tool gives.
func TestPrintOutput(t *testing.T) {
	for _, tc := range []struct {
		name   string
		result gongu.Result
		want   string
	}{
		{"text", gongu.OK("a <b>\n"), "a <b>\n"},
		{"text without an end of line", gongu.OK("a"), "a\n"},
		{"nothing", gongu.OK(nil), "null\n"},
		{"number", gongu.OK(3), "3\n"},
		{"list", gongu.OK([]int{1}), "[\n  1\n]\n"},
		{"content alone", gongu.OK(nil).With(gongu.Content{Type: "text", Text: "hi"}), "[\n  {\n    \"type\": \"text\",\n    \"text\": \"hi\"\n  }\n]\n"},
		{"content beside an output", gongu.OK("a").With(gongu.Content{Type: "text", Text: "hi"}), "a\n"},
	} {
		var out bytes.Buffer
		a := &app{environment: environment{stdout: &out}, output: &out}
		if err := a.printOutput(tc.result); err != nil || out.String() != tc.want {
			t.Errorf("%s: %q, %v, want %q", tc.name, out.String(), err, tc.want)
		}
	}
}

func TestExampleIsQuotedForTheShell(t *testing.T) {
	var out bytes.Buffer
	a := &app{environment: environment{stderr: &out}}
	a.printExample(gongu.Tool{Name: "x", Examples: []json.RawMessage{json.RawMessage(`{"a":"it's"}`)}}, "gongu call")
	if want := `Example: gongu call x '{"a":"it'\''s"}'` + "\n"; out.String() != want {
		t.Errorf("%q, want %q", out.String(), want)
	}
}

// K15: what can steer a terminal or hide itself is written out, and the
// program's own colours are not.
func TestScreenEscapes(t *testing.T) {
	var out bytes.Buffer
	vault := &secret.Vault{}
	vault.Remember("KEY", "canary-value")
	s := &screen{&out, vault, "\x1bRANDOM["}
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
		if got := harmlessJSON(text); got != want {
			t.Errorf("%q became %q, want %q", text, got, want)
		}
	}
}
