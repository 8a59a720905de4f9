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
	done, err := x.takeSlot()
	if err != nil {
		return nil, err
	}
	defer done()
	var result gongu.Result
	x.api.opts.Backend.Prepare(x.r.Context(), in.Name)
	err = x.step(in.Agent, func(ctx context.Context, e *gongu.Executor) error {
		run := e.Call
		if in.DryRun {
			run = e.DryRun
		}
		result = run(ctx, gongu.Call{ID: in.ID, Name: in.Name, Args: in.Arguments})
		return nil
	})
	return result, err
}

// takeSlot takes one of the slots for calls, or refuses when all are taken. A
// call that waits for a person gives its slot back meanwhile.
func (x *exchange) takeSlot() (done func(), err error) {
	slots := x.api.calls
	select {
	case slots <- struct{}{}:
	default:
		return nil, fail(CodeBusy, lang.APIBusy.With(cap(slots)), lang.APIBusyHint.With())
	}
	ctx, done := gongu.WithSlot(x.r.Context(), func(ctx context.Context) error {
		select {
		case slots <- struct{}{}:
			return nil
		case <-ctx.Done():
			return ctx.Err()
		}
	}, func() { <-slots })
	x.r = x.r.WithContext(ctx)
	return done, nil
}
