package gongu

import (
	"cmp"
	"context"
	"encoding/json"
	"unicode/utf8"

	"github.com/gongu-ai/gongu/internal/lang"
)

// finish makes any answer, a middleware's own included, into the result the
// caller gets: ids, a status that agrees with the error, texts, limits.
func (d *dispatch) finish(ctx context.Context, r Result) Result {
	limits := d.limits()
	if !r.isSound() {
		r = failed(&Error{Message: lang.CauseBadOutput.In(d.exec.lang, d.name())})
	}
	r.ToolCallID, r.ToolName = d.attempt.Call.ID, d.name()
	if d.attempt.Catalog != nil {
		r.CatalogRevision = d.attempt.Catalog.Revision()
	}
	if r.Error == nil && r.Status == StatusError {
		r.Error = &Error{Message: lang.CauseNoDetail.In(d.exec.lang, d.name())}
	}
	if r.Error != nil {
		r.Status = StatusError
		r.Error = d.completed(*r.Error, limits.ErrorMessage)
	} else {
		r.Status = StatusOK
		if len(r.Output) == 0 {
			r.Output = rawNull
		}
	}
	return d.capOutput(ctx, r, limits.Output)
}

func (d *dispatch) limits() Limits {
	limits := d.exec.opts.Limits
	if d.attempt.entry != nil {
		own := d.attempt.entry.tool.Limits
		limits.ErrorMessage = cmp.Or(own.ErrorMessage, limits.ErrorMessage)
		limits.Output = cmp.Or(own.Output, limits.Output)
	}
	return limits
}

// completed fills in what an error leaves open. It works on a copy: a handler
// may return the same error value to many calls.
func (d *dispatch) completed(err Error, limit int) *Error {
	l := d.exec.lang
	err.Code = cmp.Or(err.Code, CodeTool)
	if text, known := codeTexts[err.Code]; known {
		err.Name = cmp.Or(err.Name, text.name)
		if err.Code != CodeInvalidArgs { // its suggestion is about one schema
			err.Suggestion = cmp.Or(err.Suggestion, text.suggestion.In(l))
		}
		err.HelpURL = cmp.Or(err.HelpURL, d.exec.opts.HelpBase+"/"+err.Code)
	}
	err.Message = truncate(cmp.Or(err.Message, lang.MessageTool.In(l)), limit)
	return &err
}

// previewBytes is how much of an output that is too large the model still
// sees.
const previewBytes = 4 << 10

// capOutput replaces an output over the limit by its beginning and, where
// somebody keeps it, the place of the whole.
func (d *dispatch) capOutput(ctx context.Context, r Result, limit int) Result {
	size := len(r.Output) + len(r.Content) + len(r.Meta)
	if size <= limit {
		return r
	}
	whole := []byte(r.Output)
	if len(r.Content) > len(whole) {
		whole = r.Content
	}
	cut := struct {
		Truncated bool   `json:"truncated"`
		Bytes     int    `json:"bytes"`
		Preview   string `json:"preview"`
		Path      string `json:"path,omitempty"`
	}{Truncated: true, Bytes: size, Preview: preview(whole, min(previewBytes, limit))}
	if d.exec.opts.Spill != nil {
		path, err := d.spill(ctx, whole)
		if err != nil {
			d.exec.opts.Logger.Error("output not kept", "tool", d.name(), "toolCallId", r.ToolCallID, "error", err)
		}
		cut.Path = path
	}
	shortened := OK(cut)
	r.Output, r.sound, r.Content, r.Meta = shortened.Output, shortened.sound, nil, nil
	return r
}

func (d *dispatch) spill(ctx context.Context, whole []byte) (path string, err error) {
	defer func() {
		if thrown := recover(); thrown != nil {
			err = errorOfPanic(thrown)
		}
	}()
	return d.exec.opts.Spill(context.WithoutCancel(ctx), d.attempt.Call, whole)
}

// preview is the beginning of the text, or of the JSON when it is not a text,
// cut at a rune.
func preview(raw []byte, limit int) string {
	text := raw
	if len(raw) > 0 && raw[0] == '"' {
		var decoded string
		if json.Unmarshal(raw, &decoded) == nil {
			text = []byte(decoded)
		}
	}
	if len(text) <= limit {
		return string(text)
	}
	for limit > 0 && !utf8.RuneStart(text[limit]) {
		limit--
	}
	return string(text[:limit])
}
