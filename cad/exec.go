package cad

import (
	"context"
	"encoding/json"

	"github.com/gongu-ai/gongu"
)

// Answer is a result in the form that a drawing program answers its model:
// whether it worked, and the data or the error.
type Answer struct {
	Success bool `json:"success"`
	// Entity and Type name what a tool drew or changed.
	Entity string `json:"entity,omitempty"`
	Type   string `json:"type,omitempty"`
	// Data is the output of the tool.
	Data  json.RawMessage `json:"data,omitempty"`
	Error string          `json:"error,omitempty"`
	// Suggestions are names that may have been meant, or may be used.
	Suggestions []string `json:"suggestions,omitempty"`
}

// Exec makes one call and puts its result into the form of an [Answer]. The
// executor decides what may be called; the tools of this package and others
// are answered alike.
func Exec(ctx context.Context, executor *gongu.Executor, name string, params json.RawMessage) Answer {
	result := executor.Call(ctx, gongu.Call{Name: name, Args: params})
	if result.Failed() {
		return failure(executor, name, result)
	}
	answer := Answer{Success: true, Data: result.Output}
	if tool, ok := executor.Catalog().Get(name); ok && changes(tool.Domain) {
		var out done
		if json.Unmarshal(result.Output, &out) == nil {
			answer.Entity, answer.Type = out.Entity, out.Type
		}
	}
	return answer
}

func failure(executor *gongu.Executor, name string, result gongu.Result) Answer {
	answer := Answer{Error: result.Error.Message}
	var output struct {
		Suggestions []string `json:"suggestions"`
	}
	if json.Unmarshal(result.Output, &output) == nil {
		answer.Suggestions = output.Suggestions
	}
	switch result.Error.Code {
	case gongu.CodeNotInCatalog, gongu.CodeNotFound:
		if catalog := executor.Catalog(); catalog != nil && answer.Suggestions == nil {
			answer.Suggestions = catalog.Near(name)
		}
	}
	return answer
}
