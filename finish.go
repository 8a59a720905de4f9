package gongu

import (
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"slices"
	"unicode/utf8"

	"github.com/gongu-ai/gongu/internal/lang"
)

// finish completes a result, also one that a middleware made: ids, a status
// that agrees with the error, texts, limits.
func (d *dispatch) finish(ctx context.Context, r Result) Result {
	limits := d.limits()
	if d.exec.opts.Redact != nil && (r.Error != nil || r.Status == StatusError) {
		r = redacted(r, d.exec.opts.Redact)
	}
	if len(r.Output)+len(r.Content)+len(r.Meta) > limits.Output {
		r = d.capOutput(ctx, r)
	} else if !r.isSound() {
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
	return r
}

// redacted returns a failed result with its texts redacted. Parts that do not
// change stay the same slices.
func redacted(r Result, redact func(string) string) Result {
	if r.Error != nil {
		own := *r.Error
		own.Message, own.Suggestion = redact(own.Message), redact(own.Suggestion)
		r.Error = &own
	}
	for _, part := range []*json.RawMessage{&r.Output, &r.Content, &r.Meta} {
		text := redact(string(*part))
		if text == string(*part) {
			continue
		}
		*part = json.RawMessage(text)
		if !json.Valid(*part) { // it was no string
			*part = OK(text).Output
		}
	}
	return r
}

func (d *dispatch) limits() Limits {
	limits := d.exec.opts.Limits
	if d.attempt.entry != nil {
		own := d.attempt.entry.tool.Limits
		limits.ErrorMessage = cmp.Or(own.ErrorMessage, limits.ErrorMessage)
		limits.Output = cmp.Or(own.Output, limits.Output)
	}
	limits.ErrorMessage = tighter(limits.ErrorMessage, d.attempt.limits.ErrorMessage)
	limits.Output = tighter(limits.Output, d.attempt.limits.Output)
	return limits
}

// completed returns a copy of the error with empty fields filled in: a handler
// may return the same error value for many calls.
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

// previewBytes is how much of an output that is too large the model gets.
const previewBytes = 4 << 10

// capOutput replaces an output over the limit by its beginning and, if Spill
// stores it, the path of the whole. It does not check whether the whole is
// valid JSON.
func (d *dispatch) capOutput(ctx context.Context, r Result) Result {
	size := len(r.Output) + len(r.Content) + len(r.Meta)
	limit := d.limits().Output
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
			d.exec.opts.Logger.Error("output not kept", "tool", d.name(), "toolCallId", d.attempt.Call.ID, "error", err)
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
	owned := WithPrincipal(context.WithoutCancel(ctx), d.attempt.Principal)
	return d.exec.opts.Spill(owned, d.attempt.Call, whole)
}

// preview returns the beginning of a JSON string's text, or of other JSON, cut at
// a rune.
func preview(raw []byte, limit int) string {
	if len(raw) > 0 && raw[0] == '"' {
		if text, ok := textPreview(raw[1:], limit); ok {
			return text
		}
	}
	return string(cutAtRune(raw, limit))
}

// textPreview decodes the beginning of a JSON string whose first quote is cut
// off.
func textPreview(raw []byte, limit int) (string, bool) {
	head := cutAtRune(raw, limit)
	if len(head) < len(raw) {
		head = head[:wholeEscapes(head)]
	} else {
		head = bytes.TrimSuffix(head, []byte(`"`))
	}
	var text string
	if json.Unmarshal(slices.Concat([]byte(`"`), head, []byte(`"`)), &text) != nil {
		return "", false
	}
	return text, true
}

// wholeEscapes returns the length of the beginning of a JSON string's inside
// that has no cut escape sequence. A surrogate pair counts as one sequence.
func wholeEscapes(inside []byte) int {
	const unicode, pair = len(`\u0000`), len(`\ud83d\ude00`)
	for i := 0; i < len(inside); {
		size := 1
		if inside[i] == '\\' {
			size = 2
			if rest := inside[i:]; len(rest) < pair {
				size = pair // cannot be told yet: leave it out
				if len(rest) > 1 && rest[1] != 'u' {
					size = 2
				}
			} else if rest[1] == 'u' {
				size = unicode
				if rest[2]|0x20 == 'd' && rest[3] >= '8' {
					size = pair
				}
			}
		}
		if i+size > len(inside) {
			return i
		}
		i += size
	}
	return len(inside)
}

func cutAtRune(raw []byte, limit int) []byte {
	if len(raw) <= limit {
		return raw
	}
	for limit > 0 && !utf8.RuneStart(raw[limit]) {
		limit--
	}
	return raw[:limit]
}
