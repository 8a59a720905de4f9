package builtin

import (
	"context"
	"strings"
	"unicode"
	"unicode/utf8"

	"golang.org/x/text/cases"
	"golang.org/x/text/language"

	"github.com/gongu-ai/gongu"
	"github.com/gongu-ai/gongu/internal/lang"
)

// textParam is the text that most tools of text-transform work on. It may be
// empty: an empty text is a text.
var textParam = param{Name: "text", Rule: rule{Type: "string"}}

type replaceArgs struct {
	Text        string `json:"text"`
	Search      string `json:"search"`
	Replacement string `json:"replacement,omitempty"`
	All         bool   `json:"all,omitempty"`
}

type replaceOutput struct {
	Original     string `json:"original"`
	Result       string `json:"result"`
	Replacements int    `json:"replacements"`
}

func replaceTool(l lang.Lang) gongu.Tool {
	return define(l, definition{
		resource: textTransform, export: "replace",
		text: lang.TextReplace,
		params: []param{
			textParam,
			{Name: "search", Rule: rule{Type: "string"}},
			{Name: "replacement", Optional: true, Rule: rule{Type: "string", Default: ""}},
			{Name: "all", Optional: true, Rule: rule{Type: "boolean", Default: false}},
		},
		keywords: []string{"substitute", "remove", "치환", "교체"},
		example:  `{"text":"one fish, two fish","search":"fish","replacement":"bird","all":true}`,
	}, func(_ context.Context, in replaceArgs) (replaceOutput, error) {
		if in.Search == "" {
			return replaceOutput{}, wrong(lang.MustBeNonEmpty, "search")
		}
		count := strings.Count(in.Text, in.Search)
		if !in.All {
			count = min(count, 1)
		}
		return replaceOutput{in.Text, strings.Replace(in.Text, in.Search, in.Replacement, count), count}, nil
	})
}

type trimArgs struct {
	Text string  `json:"text"`
	Mode *string `json:"mode,omitempty"`
}

type trimOutput struct {
	Original      string `json:"original"`
	Result        string `json:"result"`
	Mode          string `json:"mode"`
	TrimmedLength int    `json:"trimmedLength"`
}

func trimTool(l lang.Lang) gongu.Tool {
	return define(l, definition{
		resource: textTransform, export: "trim",
		text: lang.TextTrim,
		params: []param{
			textParam,
			{Name: "mode", Optional: true, Rule: rule{Type: "string", Enum: []string{"start", "end", "both"}, Default: "both"}},
		},
		keywords: []string{"strip", "whitespace", "공백", "제거"},
		example:  `{"text":"  hello  "}`,
	}, func(_ context.Context, in trimArgs) (trimOutput, error) {
		mode, result := or(in.Mode, "both"), in.Text
		if mode != "end" {
			result = strings.TrimLeftFunc(result, isSpace)
		}
		if mode != "start" {
			result = strings.TrimRightFunc(result, isSpace)
		}
		removed := utf8.RuneCountInString(in.Text) - utf8.RuneCountInString(result)
		return trimOutput{in.Text, result, mode, removed}, nil
	})
}

// isSpace counts the byte order mark as white space: many files begin with it,
// and it is invisible.
func isSpace(r rune) bool { return unicode.IsSpace(r) || r == '\uFEFF' }

type caseArgs struct {
	Text string `json:"text"`
	To   string `json:"to"`
}

type caseOutput struct {
	Original string `json:"original"`
	Result   string `json:"result"`
	To       string `json:"to"`
}

func caseTool(l lang.Lang) gongu.Tool {
	return define(l, definition{
		resource: textTransform, export: "case",
		text: lang.TextCase,
		params: []param{
			textParam,
			{Name: "to", Rule: rule{Type: "string", Enum: []string{"upper", "lower"}}},
		},
		keywords: []string{"uppercase", "lowercase", "capitals", "대문자", "소문자"},
		example:  `{"text":"Hello World","to":"upper"}`,
	}, func(_ context.Context, in caseArgs) (caseOutput, error) {
		// Not strings.ToUpper: that cannot turn one letter into two, as ß
		// needs, and knows no final sigma.
		caser := cases.Upper(language.Und)
		if in.To == "lower" {
			caser = cases.Lower(language.Und)
		}
		return caseOutput{in.Text, caser.String(in.Text), in.To}, nil
	})
}
