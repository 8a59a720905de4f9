package auth

import (
	"errors"
	"net/http"
	"strings"

	"github.com/gongu-ai/gongu"
	"github.com/gongu-ai/gongu/internal/lang"
)

// maxBearer bounds the tokens that are hashed or parsed. The JWTs of large
// organisations have a few kilobytes.
const maxBearer = 16 << 10

// bearer returns the token of a request. given reports whether there is an
// Authorization header, and ok whether it is valid: an ambiguous header or a
// second one counts as invalid, not as absent.
func bearer(header http.Header) (token string, given, ok bool) {
	values := header["Authorization"]
	if len(values) == 0 {
		return "", false, true
	}
	scheme, rest, _ := strings.Cut(values[0], " ")
	token = strings.TrimLeft(rest, " ")
	if len(values) > 1 || !strings.EqualFold(scheme, "Bearer") || len(token) > maxBearer || !isToken68(token) {
		return "", true, false
	}
	return token, true, true
}

// isToken68 reports whether text is a b64token of RFC 6750.
func isToken68(token string) bool {
	body := strings.TrimRight(token, "=")
	return body != "" && strings.Trim(body, "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-._~+/") == ""
}

// identify returns the principal of a request. Without one it has written the
// response.
func (g *authenticator) identify(w http.ResponseWriter, r *http.Request) (*gongu.Principal, bool) {
	if g.opts.NoAuth {
		return g.anonymous, true
	}
	if g.opts.Proven != nil {
		return g.opts.Proven(r.Context()), true
	}
	token, given, sound := bearer(r.Header)
	if !given {
		who, ok := g.bySession(r)
		switch {
		case ok && g.crossOrigin.Check(r) != nil:
			// Browsers attach cookies to every request: one that changes
			// something must come from the server's own page.
			g.refuse(w, r, problem{status: http.StatusForbidden, code: "origin_refused", text: lang.AuthCrossOrigin.With(), hint: lang.AuthOriginHint.With(), who: who.Name})
			return nil, false
		case ok:
			return who, true
		}
		if g.isPage(r) {
			g.refusePage(w, r)
		} else {
			g.unauthorized(w, r, "", "no token")
		}
		return nil, false
	}
	if !sound {
		g.unauthorized(w, r, "invalid_token", "malformed Authorization header")
		return nil, false
	}
	return g.byToken(w, r, token)
}

func (g *authenticator) byToken(w http.ResponseWriter, r *http.Request, token string) (*gongu.Principal, bool) {
	if strings.HasPrefix(token, secretPrefix) && g.opts.Tokens != nil {
		who, ok, err := g.opts.Tokens.Identify(r.Context(), token)
		switch {
		case err != nil:
			g.unavailable(w, r, err)
			return nil, false
		case ok:
			return who, true
		}
		g.unauthorized(w, r, "invalid_token", "unknown, revoked or expired token")
		return nil, false
	}
	if g.opts.JWT == nil {
		g.unauthorized(w, r, "invalid_token", "not one of our tokens")
		return nil, false
	}
	who, err := g.opts.JWT.Verify(r.Context(), token)
	switch {
	case errors.Is(err, ErrUnavailable):
		g.unavailable(w, r, err)
		return nil, false
	case err != nil:
		g.unauthorized(w, r, "invalid_token", err.Error())
		return nil, false
	}
	return who, true
}

// unauthorized answers 401 with a challenge. The reason is only logged.
func (g *authenticator) unauthorized(w http.ResponseWriter, r *http.Request, oauth, reason string) {
	w.Header().Set("WWW-Authenticate", g.challenge(r, oauth))
	text := lang.AuthNeedsToken
	if oauth != "" {
		text = lang.AuthBadToken
	}
	g.refuse(w, r, problem{status: http.StatusUnauthorized, code: "unauthorized", text: text.With(), hint: lang.AuthTokenHint.With(), reason: reason})
}

// unavailable answers 503 when the token cannot be checked, so that a client
// keeps its token and tries again.
func (g *authenticator) unavailable(w http.ResponseWriter, r *http.Request, err error) {
	g.logger.Error("authentication backend unavailable; rejecting requests", "error", err, "request", RequestID(r.Context()))
	w.Header().Set("Retry-After", "5")
	g.refuse(w, r, problem{status: http.StatusServiceUnavailable, code: "auth_unavailable", text: lang.AuthUnavailable.With(), hint: lang.AuthUnavailableHint.With()})
}
