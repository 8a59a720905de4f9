package builtin

import (
	"context"
	"encoding/json"
	"unicode/utf8"

	"github.com/gongu-ai/gongu"
	"github.com/gongu-ai/gongu/internal/jsonx"
	"github.com/gongu-ai/gongu/internal/lang"
	"github.com/gongu-ai/gongu/internal/rawjson"
)

// The arguments that the tools of json-query share.
var (
	dataParam = param{Name: "data", Rule: rule{Type: "string"}}
	pathParam = param{Name: "path", Optional: true, Rule: rule{Type: "string", Default: rootPath}}
)

const rootPath = "."

// pathArgs are the arguments of query and count.
type pathArgs struct {
	Data string  `json:"data"`
	Path *string `json:"path,omitempty"`
}

// find follows the path of the arguments.
func (a pathArgs) find() (path string, found value, ok bool, err error) {
	data, err := readData("data", a.Data)
	if err != nil {
		return "", nil, false, err
	}
	path = or(a.Path, rootPath)
	found, ok, err = lookup(data, path)
	return path, found, ok, err
}

// or returns an argument, or its default.
func or[T any](given *T, otherwise T) T {
	if given == nil {
		return otherwise
	}
	return *given
}

type queryOutput struct {
	Path  string `json:"path"`
	Found bool   `json:"found"`
	Value any    `json:"value"`
}

func jsonQueryTool(l lang.Lang) gongu.Tool {
	return define(l, definition{
		resource: jsonQuery, export: "query",
		text:     lang.JSONQueryQuery,
		params:   []param{dataParam, pathParam},
		keywords: []string{"jsonpath", "jq", "extract", "get", "조회", "추출"},
		example:  `{"data":"{\"users\":[{\"name\":\"Ann\"}]}","path":"users[0].name"}`,
		output: `{"type":"object","properties":{"path":{"type":"string"},"found":{"type":"boolean"},"value":{"anyOf":[` +
			`{"type":"object"},{"type":"array"},{"type":"string"},{"type":"number"},{"type":"boolean"},{"type":"null"}]}},` +
			`"required":["path","found","value"],"additionalProperties":false}`,
	}, func(_ context.Context, in pathArgs) (queryOutput, error) {
		path, found, ok, err := in.find()
		out := queryOutput{Path: path, Found: ok}
		if ok {
			out.Value = found
		}
		return out, err
	})
}

type countOutput struct {
	Path  string `json:"path"`
	Count int    `json:"count"`
	Type  string `json:"type"`
}

func jsonCountTool(l lang.Lang) gongu.Tool {
	return define(l, definition{
		resource: jsonQuery, export: "count",
		text:     lang.JSONQueryCount,
		params:   []param{dataParam, pathParam},
		keywords: []string{"length", "size", "how many", "개수", "길이"},
		example:  `{"data":"{\"items\":[1,2,3]}","path":"items"}`,
	}, func(_ context.Context, in pathArgs) (countOutput, error) {
		path, found, ok, err := in.find()
		if !ok {
			return countOutput{Path: path, Type: "missing"}, err
		}
		return countOutput{Path: path, Count: size(found), Type: jsonx.Kind(found)}, nil
	})
}

// size counts what a value is made of.
func size(v value) int {
	switch v.Kind() {
	case '{':
		n := 0
		_ = rawjson.Members(v, func(_, _ json.RawMessage) error {
			n++
			return nil
		})
		return n
	case '[':
		return len(elements(v))
	case '"':
		return utf8.RuneCountInString(rawjson.Text(v))
	case 'n':
		return 0
	}
	return 1
}
