package auth

import (
	"net/http"
	"strings"
	"unicode"

	"github.com/go-json-experiment/json"

	"github.com/gongu-ai/gongu/internal/lang"
)

// problem is the reason to reject a request.
type problem struct {
	status     int
	code       string
	text, hint lang.Message
	who        string // the principal, for the log
	reason     string // more for the log, without secrets
}

// refuse logs and writes an error response.
func (g *authenticator) refuse(w http.ResponseWriter, r *http.Request, p problem) {
	reason := p.code
	if p.reason != "" {
		reason += ": " + p.reason
	}
	g.logRefusal(r, p.status, reason, "principal", p.who)
	body, err := json.Marshal(struct {
		Error     string `json:"error"`
		Message   string `json:"message"`
		Hint      string `json:"hint"`
		RequestID string `json:"requestId"`
	}{p.code, p.text.In(g.lang), p.hint.In(g.lang), RequestID(r.Context())})
	if err != nil {
		http.Error(w, p.code, p.status)
		return
	}
	w.Header().Set("Content-Type", "application/json")
	setSafeHeaders(w.Header())
	w.WriteHeader(p.status)
	if r.Method != http.MethodHead {
		_, _ = w.Write(append(body, '\n')) // a caller that left needs no answer
	}
}

// logRefusal logs a rejected request, without its headers and without the query,
// which may hold a login code.
func (g *authenticator) logRefusal(r *http.Request, status int, reason string, more ...any) {
	g.logger.Info("rejected a request", append([]any{
		"reason", reason, "status", status, "method", r.Method, "path", shorten(r.URL.Path),
		"host", shorten(r.Host), "remote", r.RemoteAddr, "request", RequestID(r.Context()),
	}, more...)...)
}

// setSafeHeaders prevents caching and content sniffing of a response.
func setSafeHeaders(header http.Header) {
	header.Set("Cache-Control", "no-store")
	header.Set("X-Content-Type-Options", "nosniff")
}

// shorten makes a text of a request short and printable.
func shorten(text string) string {
	return lang.Clip(strings.Map(func(r rune) rune {
		if !unicode.IsPrint(r) {
			return '?'
		}
		return r
	}, text), 100)
}

func tooLarge(limit int64) problem {
	return problem{status: http.StatusRequestEntityTooLarge, code: "too_large", text: lang.AuthTooLarge.With(limit), hint: lang.AuthTooLargeHint.With()}
}
