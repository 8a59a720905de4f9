package builtin

import (
	"context"
	"io"
	"strings"

	"github.com/go-json-experiment/json/jsontext"

	"github.com/gongu-ai/gongu"
	"github.com/gongu-ai/gongu/internal/lang"
)

const (
	defaultFetchMs = 30_000
	defaultBody    = 500_000
	// httpMessage is the longest error message of the HTTP tools.
	httpMessage = 1000
)

// fetchArgs are the arguments of both tools.
type fetchArgs struct {
	URL       string            `json:"url"`
	Headers   map[string]scalar `json:"headers,omitempty"`
	TimeoutMs *float64          `json:"timeoutMs,omitempty"`
	MaxBytes  *float64          `json:"maxBytes,omitempty"`
}

type fetchOutput struct {
	URL        string            `json:"url"`
	Method     string            `json:"method"`
	Status     int               `json:"status"`
	StatusText string            `json:"statusText"`
	Headers    map[string]string `json:"headers"`
	Body       string            `json:"body"`
	Truncated  bool              `json:"truncated"`
	DurationMs int64             `json:"durationMs"`
}

var (
	urlParam = param{Name: "url", Rule: rule{Type: "string"}}

	fetchParams = []param{
		{Name: "headers", Optional: true, Rule: rule{Type: "object", Values: &rule{Type: []string{"string", "number", "boolean"}}}},
		{Name: "timeoutMs", Optional: true, Rule: rule{Type: "number", Minimum: new(1.0), Default: defaultFetchMs}},
		{Name: "maxBytes", Optional: true, Rule: rule{Type: "integer", Minimum: new(1.0), Default: defaultBody}},
	}
)

func fetchLimits() gongu.Limits {
	return gongu.Limits{ErrorMessage: httpMessage, Output: jsonGrowth*maxText + outputRoom}
}

func getTool(l lang.Lang, f *fetcher) gongu.Tool {
	tool := define(l, definition{
		resource: httpFetch, export: "get",
		text:        lang.HTTPGet,
		params:      append([]param{urlParam}, fetchParams...),
		keywords:    []string{"download", "web", "url", "api", "curl", "웹", "다운로드"},
		example:     `{"url":"https://example.com/"}`,
		limits:      fetchLimits(),
		annotations: &gongu.Annotations{ReadOnly: new(true), Idempotent: new(true), OpenWorld: new(true)},
	}, func(ctx context.Context, in fetchArgs) (fetchOutput, error) {
		return f.fetch(ctx, request{args: in, method: "GET"})
	})
	tool.Preview = previewRequest(l, "GET")
	return tool
}

type postArgs struct {
	fetchArgs
	Body       jsontext.Value `json:"body,omitempty"`
	BodyString *string        `json:"bodyString,omitempty"`
}

func postTool(l lang.Lang, f *fetcher) gongu.Tool {
	tool := define(l, definition{
		resource: httpFetch, export: "post",
		text: lang.HTTPPost,
		params: append([]param{
			urlParam,
			{Name: "body", Optional: true, Rule: rule{Type: "object"}},
			{Name: "bodyString", Optional: true, Rule: rule{Type: "string"}},
		}, fetchParams...),
		keywords:    []string{"send", "submit", "api", "webhook", "전송", "보내기"},
		example:     `{"url":"https://example.com/items","body":{"name":"hammer"}}`,
		limits:      fetchLimits(),
		annotations: &gongu.Annotations{ReadOnly: new(false), Destructive: new(true), Idempotent: new(false), OpenWorld: new(true)},
	}, func(ctx context.Context, in postArgs) (fetchOutput, error) {
		r := request{args: in.fetchArgs, method: "POST"}
		switch {
		case in.Body != nil:
			r.body, r.contentType = strings.NewReader(string(in.Body)), "application/json"
		case in.BodyString != nil:
			r.body, r.contentType = strings.NewReader(*in.BodyString), "text/plain;charset=UTF-8"
		}
		return f.fetch(ctx, r)
	})
	tool.Preview = previewRequest(l, "POST")
	return tool
}

// request is a call on its way to the wire.
type request struct {
	args        fetchArgs
	method      string
	body        io.Reader
	contentType string
}
