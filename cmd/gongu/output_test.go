package main

import (
	"bytes"
	"encoding/json"
	"os"
	"strings"
	"testing"

	"github.com/gongu-ai/gongu"
	"github.com/gongu-ai/gongu/internal/lang"
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
		a := &app{environment: environment{stdout: &out}}
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
