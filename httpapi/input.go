package httpapi

import (
	"bytes"
	"cmp"
	"errors"
	"io"
	"mime"
	"net/http"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"

	"github.com/go-json-experiment/json"

	"github.com/gongu-ai/gongu/internal/jsonx"
	"github.com/gongu-ai/gongu/internal/lang"
	"github.com/gongu-ai/gongu/internal/near"
)

// maxParam is the longest value in a query, in bytes.
const maxParam = 4 << 10

// checkQuery rejects unknown and repeated parameters: a misspelled filter would
// silently show everything.
func (x *exchange) checkQuery() error {
	var known []string
	for _, p := range x.route.params {
		if !x.route.inPath(p) {
			known = append(known, p.name)
		}
	}
	for name, values := range x.r.URL.Query() {
		switch {
		case !slices.Contains(known, name):
			return fail(CodeInvalid, lang.APIBadParam.With(clip(name)), x.oneOf(name, known))
		case len(values) > 1:
			return fail(CodeInvalid, lang.APIParamTwice.With(name), lang.APIParamTwiceHint.With())
		case len(values[0]) > maxParam || !utf8.ValidString(values[0]):
			return fail(CodeInvalid, lang.APIBadValue.With(name, clip(strings.ToValidUTF8(values[0], "�"))), lang.APIValueHint.With(maxParam))
		}
	}
	return nil
}

// oneOf suggests names similar to a wrong one, or lists the known names.
func (x *exchange) oneOf(name string, names []string) lang.Message {
	const most = 20
	if close := near.Names(name, slices.Values(names), 3); len(close) > 0 {
		return lang.APIDidYouMean.With(strings.Join(close, ", "))
	}
	if len(names) == 0 {
		return lang.APINothingThere.With()
	}
	return lang.APIThereAre.With(strings.Join(names[:min(most, len(names))], ", "))
}

func (r *route) inPath(p param) bool { return strings.Contains(r.path, "{"+p.name+"}") }

func (x *exchange) query(name string) string { return x.r.URL.Query().Get(name) }

// The pages of a list.
const (
	defaultLimit = 200
	maxLimit     = 1000
)

// limit returns the length of a page.
func (x *exchange) limit(usual, most int) (int, error) {
	text := x.query("limit")
	if text == "" {
		return usual, nil
	}
	n, err := strconv.Atoi(text)
	if err != nil || n < 1 || n > most {
		return 0, fail(CodeInvalid, lang.APIBadValue.With("limit", clip(text)), lang.APILimitHint.With(most))
	}
	return n, nil
}

// body decodes the JSON object of a request. Unknown members are errors, so that
// a misspelled one is not silently ignored.
func (x *exchange) body(into any) error {
	kind := x.r.Header.Get("Content-Type")
	// Only with a JSON type do browsers send a preflight request.
	if media, _, err := mime.ParseMediaType(kind); err != nil || media != "application/json" {
		return fail(CodeMediaType, lang.APIMediaType.With(clip(cmp.Or(kind, "-"))), lang.APIMediaTypeHint.With())
	}
	raw, err := io.ReadAll(http.MaxBytesReader(x.w, x.r.Body, x.route.maxBody))
	if err != nil {
		if _, ok := errors.AsType[*http.MaxBytesError](err); ok {
			return fail(CodeTooLarge, lang.APITooLarge.With(x.route.maxBody), lang.APITooLargeHint.With())
		}
		return fail(CodeInvalid, lang.APIUnreadable.With(), lang.APIBodyHint.With())
	}
	if p := jsonx.Strict(raw); p != nil {
		return fail(CodeInvalid, lang.APIBadBody.With(p.Message), lang.APIBodyHint.With())
	}
	if jsonx.Kind(bytes.TrimSpace(raw)) != "object" {
		return fail(CodeInvalid, lang.APINoObject.With(), lang.APIBodyHint.With())
	}
	if err := json.Unmarshal(raw, into, json.RejectUnknownMembers(true)); err != nil {
		return x.badField(err)
	}
	return nil
}

// badField returns the error for a wrong member of a body.
func (x *exchange) badField(err error) error {
	where := "?"
	if e, ok := errors.AsType[*json.SemanticError](err); ok {
		where = strings.TrimPrefix(string(e.JSONPointer), "/")
	}
	if errors.Is(err, json.ErrUnknownName) {
		return fail(CodeInvalid, lang.APIUnknownField.With(clip(where)), x.oneOf(where, fieldsOf(x.route.body.typ)))
	}
	return fail(CodeInvalid, lang.APIBadField.With(clip(where)), lang.APIFieldHint.With(Prefix+"/openapi.json"))
}
