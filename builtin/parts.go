package builtin

import (
	"context"
	"encoding/json"
	"math"
	"strings"

	"github.com/gongu-ai/gongu"
	"github.com/gongu-ai/gongu/internal/lang"
)

var delimiterParam = param{Name: "delimiter", Optional: true, Rule: rule{Type: "string", Default: newline}}

const newline = "\n"

type sliceArgs struct {
	Text  string   `json:"text"`
	Start *float64 `json:"start,omitempty"`
	End   *float64 `json:"end,omitempty"`
}

type sliceOutput struct {
	Original string  `json:"original"`
	Result   string  `json:"result"`
	Start    float64 `json:"start"`
	End      float64 `json:"end"`
	Length   int     `json:"length"`
}

func sliceTool(l lang.Lang) gongu.Tool {
	return define(l, definition{
		resource: textTransform, export: "slice",
		text: lang.TextSlice,
		params: []param{
			textParam,
			{Name: "start", Optional: true, Rule: rule{Type: "integer", Default: 0}},
			{Name: "end", Optional: true, Rule: rule{Type: "integer"}},
		},
		keywords: []string{"substring", "cut", "part", "부분", "자르기"},
		example:  `{"text":"hello world","start":-5}`,
	}, func(_ context.Context, in sliceArgs) (sliceOutput, error) {
		runes := []rune(in.Text)
		start, end := or(in.Start, 0), or(in.End, float64(len(runes)))
		from := position(start, len(runes))
		cut := runes[from:max(from, position(end, len(runes)))]
		return sliceOutput{in.Text, string(cut), start, end, len(cut)}, nil
	})
}

// position is a place within n characters; a negative one counts from the end.
func position(at float64, n int) int {
	at = math.Trunc(at)
	if at < 0 {
		at += float64(n)
	}
	return int(min(max(at, 0), float64(n)))
}

type splitArgs struct {
	Text      string   `json:"text"`
	Delimiter *string  `json:"delimiter,omitempty"`
	MaxParts  *float64 `json:"maxParts,omitempty"`
}

type splitOutput struct {
	Delimiter string   `json:"delimiter"`
	Count     int      `json:"count"`
	Parts     []string `json:"parts"`
}

func splitTool(l lang.Lang) gongu.Tool {
	return define(l, definition{
		resource: textTransform, export: "split",
		text: lang.TextSplit,
		params: []param{
			textParam,
			delimiterParam,
			{Name: "maxParts", Optional: true, Rule: rule{Type: "integer", Minimum: new(1.0)}},
		},
		keywords: []string{"lines", "separate", "tokens", "나누기", "분리"},
		example:  `{"text":"a,b,c","delimiter":","}`,
	}, func(_ context.Context, in splitArgs) (splitOutput, error) {
		delimiter := or(in.Delimiter, newline)
		parts := strings.Split(in.Text, delimiter)
		if limit := or(in.MaxParts, math.Inf(1)); limit < float64(len(parts)) {
			parts = parts[:max(int(limit), 0)]
		}
		return splitOutput{delimiter, len(parts), parts}, nil
	})
}

type joinArgs struct {
	Parts     []scalar `json:"parts"`
	Delimiter *string  `json:"delimiter,omitempty"`
}

type joinOutput struct {
	Delimiter string `json:"delimiter"`
	Count     int    `json:"count"`
	Result    string `json:"result"`
}

func joinTool(l lang.Lang) gongu.Tool {
	return define(l, definition{
		resource: textTransform, export: "join",
		text: lang.TextJoin,
		params: []param{
			{Name: "parts", Rule: rule{Type: "array", Items: &rule{Type: []string{"string", "number", "boolean"}}}},
			delimiterParam,
		},
		keywords: []string{"concatenate", "combine", "합치기", "연결"},
		example:  `{"parts":["a","b","c"],"delimiter":", "}`,
	}, func(_ context.Context, in joinArgs) (joinOutput, error) {
		delimiter := or(in.Delimiter, newline)
		parts := make([]string, len(in.Parts))
		for i, part := range in.Parts {
			parts[i] = string(part)
		}
		return joinOutput{delimiter, len(parts), strings.Join(parts, delimiter)}, nil
	})
}

// scalar is a string, or a number or boolean as it was written: 1.50 stays so.
type scalar string

// UnmarshalJSON keeps the text of the value.
func (s *scalar) UnmarshalJSON(raw []byte) error {
	if len(raw) > 0 && raw[0] == '"' {
		var text string
		err := json.Unmarshal(raw, &text)
		*s = scalar(text)
		return err
	}
	*s = scalar(raw)
	return nil
}
