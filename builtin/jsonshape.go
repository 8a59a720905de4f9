package builtin

import (
	"context"
	"encoding/json"

	"github.com/gongu-ai/gongu"
	"github.com/gongu-ai/gongu/internal/jsonx"
	"github.com/gongu-ai/gongu/internal/lang"
	"github.com/gongu-ai/gongu/internal/rawjson"
)

type pickArgs struct {
	Data string   `json:"data"`
	Keys []string `json:"keys"`
}

type pickOutput struct {
	Keys   []string `json:"keys"`
	Result any      `json:"result"`
}

func jsonPickTool(l lang.Lang) gongu.Tool {
	return define(l, definition{
		resource: jsonQuery, export: "pick",
		text:     lang.JSONQueryPick,
		params:   []param{dataParam, {Name: "keys", Rule: rule{Type: "array", Items: &rule{Type: "string"}}}},
		keywords: []string{"select", "fields", "subset", "선택", "필드"},
		example:  `{"data":"{\"name\":\"Ann\",\"age\":34,\"city\":\"Seoul\"}","keys":["name","city"]}`,
		output: `{"type":"object","properties":{"keys":{"type":"array","items":{"type":"string"}},"result":{"type":"object"}},` +
			`"required":["keys","result"],"additionalProperties":false}`,
	}, func(_ context.Context, in pickArgs) (pickOutput, error) {
		data, err := readData("data", in.Data)
		if err != nil {
			return pickOutput{}, err
		}
		if data.Kind() != '{' {
			return pickOutput{}, wrong(lang.MustBeObject, "data")
		}
		return pickOutput{Keys: in.Keys, Result: pick(data, in.Keys)}, nil
	})
}

// pick returns an object with the given keys, in that order.
func pick(object value, keys []string) value {
	has := map[string]json.RawMessage{}
	_ = rawjson.Members(object, func(name, member json.RawMessage) error {
		has[rawjson.Text(name)] = member
		return nil
	})
	picked := value("{")
	for _, key := range keys {
		member, ok := has[key]
		if !ok {
			continue
		}
		delete(has, key) // asked for twice, written once
		if len(picked) > 1 {
			picked = append(picked, ',')
		}
		picked = append(picked, jsonx.Text(key)...)
		picked = append(picked, ':')
		picked = append(picked, member...)
	}
	return append(picked, '}')
}

type flattenArgs struct {
	Data  string   `json:"data"`
	Depth *float64 `json:"depth,omitempty"`
}

type flattenOutput struct {
	Depth  float64 `json:"depth"`
	Count  int     `json:"count"`
	Result []any   `json:"result"`
}

func jsonFlattenTool(l lang.Lang) gongu.Tool {
	return define(l, definition{
		resource: jsonQuery, export: "flatten",
		text: lang.JSONQueryFlatten,
		params: []param{
			dataParam,
			{Name: "depth", Optional: true, Rule: rule{Type: "integer", Minimum: new(0.0), Default: 1}},
		},
		keywords: []string{"nested", "unnest", "array", "평탄화", "배열"},
		example:  `{"data":"[[1,2],[3,[4,5]]]","depth":1}`,
		output: `{"type":"object","properties":{"depth":{"type":"number"},"count":{"type":"integer"},"result":{"type":"array"}},` +
			`"required":["depth","count","result"],"additionalProperties":false}`,
	}, func(_ context.Context, in flattenArgs) (flattenOutput, error) {
		data, err := readData("data", in.Data)
		if err != nil {
			return flattenOutput{}, err
		}
		if data.Kind() != '[' {
			return flattenOutput{}, wrong(lang.MustBeArray, "data")
		}
		depth := or(in.Depth, 1)
		result := flatten(nil, data, depth)
		return flattenOutput{Depth: depth, Count: len(result), Result: result}, nil
	})
}

// flatten appends the elements of an array. The depth of the data is bounded
// by what jsonx accepts, whatever depth is asked for.
func flatten(to []any, array value, depth float64) []any {
	if to == nil {
		to = []any{}
	}
	for _, element := range elements(array) {
		if element.Kind() == '[' && depth >= 1 {
			to = flatten(to, element, depth-1)
		} else {
			to = append(to, element)
		}
	}
	return to
}
