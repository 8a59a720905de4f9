package httpapi

import (
	"context"
	"encoding/json"
	"strings"
	"unicode"

	"github.com/gongu-ai/gongu"
	"github.com/gongu-ai/gongu/internal/lang"
)

// callBodyJSON is a call to make.
type callBodyJSON struct {
	Name      string          `json:"name"`
	Arguments json.RawMessage `json:"arguments,omitempty"`
	Agent     string          `json:"agent,omitempty"`
	ID        string          `json:"id,omitempty"`
	DryRun    bool            `json:"dryRun,omitempty"`
}

const maxCallID = 128

// call makes one call. Whatever becomes of it is a result.
func (x *exchange) call() (any, error) {
	var in callBodyJSON
	if err := x.body(&in); err != nil {
		return nil, err
	}
	if in.Name == "" {
		return nil, fail(CodeInvalid, lang.APIMissing.With("name"), lang.APIMissingName.With())
	}
	if len(in.ID) > maxCallID || strings.ContainsFunc(in.ID, func(r rune) bool { return !unicode.IsPrint(r) }) {
		return nil, fail(CodeInvalid, lang.APIBadField.With("id"), lang.APIBadCallID.With(maxCallID))
	}
	select {
	case x.api.calls <- struct{}{}:
		defer func() { <-x.api.calls }()
	default:
		return nil, fail(CodeBusy, lang.APIBusy.With(cap(x.api.calls)), lang.APIBusyHint.With())
	}
	var result gongu.Result
	x.api.opts.Backend.Prepare(x.r.Context(), in.Name)
	err := x.step(in.Agent, func(ctx context.Context, e *gongu.Executor) error {
		run := e.Call
		if in.DryRun {
			run = e.DryRun
		}
		result = run(ctx, gongu.Call{ID: in.ID, Name: in.Name, Args: in.Arguments})
		return nil
	})
	return result, err
}
