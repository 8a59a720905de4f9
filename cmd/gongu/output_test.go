package main

import (
	"bytes"
	"encoding/json"
	"strings"
	"testing"

	"github.com/gongu-ai/gongu"
	"github.com/gongu-ai/gongu/internal/lang"
)

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
