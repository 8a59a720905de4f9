package httpapi

import (
	"context"
	"errors"
	"net/http"

	"github.com/gongu-ai/gongu/internal/jsonx"
	"github.com/gongu-ai/gongu/internal/lang"
	"github.com/gongu-ai/gongu/state"
	"github.com/gongu-ai/gongu/toolrequest"
)

// The codes of problems.
const (
	CodeInvalid   = "E_API_INVALID"
	CodeForbidden = "E_API_FORBIDDEN"
	CodeNotFound  = "E_API_NOT_FOUND"
	CodeMethod    = "E_API_METHOD"
	CodeConflict  = "E_API_CONFLICT"
	CodeTooLarge  = "E_API_TOO_LARGE"
	CodeMediaType = "E_API_MEDIA_TYPE"
	CodeRefused   = "E_API_REFUSED"
	CodeBusy      = "E_API_BUSY"
	CodeInternal  = "E_API_INTERNAL"
)

// kinds are the status and the title of each code.
var kinds = map[string]struct {
	status int
	title  lang.Text
}{
	CodeInvalid:   {http.StatusBadRequest, lang.APITitleInvalid},
	CodeForbidden: {http.StatusForbidden, lang.APITitleForbidden},
	CodeNotFound:  {http.StatusNotFound, lang.APITitleNotFound},
	CodeMethod:    {http.StatusMethodNotAllowed, lang.APITitleMethod},
	CodeConflict:  {http.StatusConflict, lang.APITitleConflict},
	CodeTooLarge:  {http.StatusRequestEntityTooLarge, lang.APITitleTooLarge},
	CodeMediaType: {http.StatusUnsupportedMediaType, lang.APITitleMediaType},
	CodeRefused:   {http.StatusUnprocessableEntity, lang.APITitleRefused},
	CodeBusy:      {http.StatusServiceUnavailable, lang.APITitleBusy},
	CodeInternal:  {http.StatusInternalServerError, lang.APITitleInternal},
}

// problem is the body of every error response: RFC 9457 with additional
// members.
type problem struct {
	Type       string `json:"type"`
	Title      string `json:"title"`
	Status     int    `json:"status"`
	Code       string `json:"code"`
	Message    string `json:"message"`
	Suggestion string `json:"suggestion"`
}

// failure is a problem in all languages.
type failure struct {
	code          string
	message, hint func(lang.Lang) string
	cause         error
}

func (f *failure) Error() string { return f.message(lang.English) }
func (f *failure) Unwrap() error { return f.cause }

func fail(code string, message, hint lang.Message) *failure {
	return &failure{code: code, message: message.In, hint: hint.In}
}

// in returns the problem in a language.
func (f *failure) in(l lang.Lang) problem {
	kind := kinds[f.code]
	return problem{
		Type: lang.HelpBase + "/" + f.code, Title: kind.title.In(l), Status: kind.status,
		Code: f.code, Message: f.message(l), Suggestion: f.hint(l),
	}
}

// failureOf returns the failure to show for an error. An unexpected error is
// logged and not shown: it may contain internal details.
func failureOf(err error) *failure {
	if f, ok := errors.AsType[*failure](err); ok {
		return f
	}
	if e, ok := errors.AsType[*toolrequest.Error](err); ok {
		return &failure{
			code: requestCode(e), cause: err,
			message: func(l lang.Lang) string { return e.Message(string(l)) },
			hint:    func(l lang.Lang) string { return e.Hint(string(l)) },
		}
	}
	if errors.Is(err, context.Canceled) || errors.Is(err, context.DeadlineExceeded) {
		f := fail(CodeBusy, lang.APICancelled.With(), lang.APICancelledHint.With())
		f.cause = err
		return f
	}
	if errors.Is(err, state.ErrUnavailable) {
		f := fail(CodeBusy, lang.APIStoreBusy.With(), lang.APIStoreBusyHint.With())
		f.cause = err
		return f
	}
	f := fail(CodeInternal, lang.APIInternal.With(), lang.APIInternalHint.With())
	f.cause = err
	return f
}

func requestCode(err error) string {
	switch {
	case errors.Is(err, toolrequest.ErrNotFound):
		return CodeNotFound
	case errors.Is(err, toolrequest.ErrDecided):
		return CodeConflict
	case errors.Is(err, toolrequest.ErrBusy), errors.Is(err, toolrequest.ErrFull):
		return CodeBusy
	case errors.Is(err, toolrequest.ErrInvalid):
		return CodeInvalid
	}
	return CodeInternal
}

// refused returns the failure of an operation for a principal that may decide,
// with the text of the error, in the language of the request where it has one.
func refused(err error) error {
	if _, ok := errors.AsType[*toolrequest.Error](err); ok || errors.Is(err, context.Canceled) || errors.Is(err, context.DeadlineExceeded) {
		return err
	}
	text := func(lang.Lang) string { return err.Error() }
	var worded interface{ In(language string) string }
	if errors.As(err, &worded) {
		text = func(l lang.Lang) string { return worded.In(string(l)) }
	}
	return &failure{code: CodeRefused, message: text, hint: lang.APIRefusedHint.With().In, cause: err}
}

func (x *exchange) writeProblem(err error) {
	f := failureOf(err)
	if f.code == CodeInternal {
		x.api.opts.Logger.Error("an HTTP request failed", "method", x.r.Method, "path", x.r.URL.Path, "error", err)
	}
	body := f.in(x.lang)
	header := x.w.Header()
	if f.code == CodeBusy {
		header.Set("Retry-After", "1")
	}
	header.Set("Content-Type", "application/problem+json")
	header.Set("Cache-Control", "no-store")
	raw, encodeErr := encode(body)
	if encodeErr != nil {
		raw = []byte("{}")
	}
	x.w.WriteHeader(body.Status)
	x.w.Write(x.api.opts.Secrets.RedactJSON(raw)) // the client may have disconnected
}

// encode returns a value as one line of JSON.
func encode(v any) ([]byte, error) {
	raw, err := jsonx.Marshal(v)
	return append(raw, '\n'), err
}
