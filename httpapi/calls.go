package httpapi

import (
	"context"
	"encoding/json"
	"strings"
	"unicode"

	"github.com/gongu-ai/gongu"
	"github.com/gongu-ai/gongu/internal/lang"
	"github.com/gongu-ai/gongu/internal/limit"
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

// call makes one call. A failure of the tool is a result, not an error.
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
	slot, ok := limit.Take(x.api.running, x.api.waiting, "")
	if !ok {
		return nil, fail(CodeBusy, lang.APIBusy.With(x.api.opts.MaxCalls), lang.APIBusyHint.With())
	}
	defer slot.Release()
	ctx, _ := gongu.WithSlot(x.r.Context(), slot.Resume, slot.Wait)
	x.r = x.r.WithContext(ctx)
	var result gongu.Result
	var suspended *gongu.Suspended
	async := x.api.opts.Store != nil && prefersAsync(x.r)
	x.api.opts.Backend.Prepare(ctx, in.Name)
	err := x.step(in.Agent, func(ctx context.Context, e *gongu.Executor) error {
		call := gongu.Call{ID: in.ID, Name: in.Name, Args: in.Arguments}
		switch {
		case in.DryRun:
			result = e.DryRun(ctx, call)
		case async:
			result, suspended = e.Try(ctx, call)
		default:
			result = e.Call(ctx, call)
		}
		return nil
	})
	if err == nil && suspended != nil {
		return x.suspendCall(suspended, in.Agent)
	}
	return result, err
}
