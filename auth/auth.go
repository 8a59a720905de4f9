package auth

import (
	"errors"
	"net/http"
	"strings"

	"github.com/gongu-ai/gongu"
	"github.com/gongu-ai/gongu/internal/lang"
)

// maxBearer bounds what is hashed or taken apart. The JWTs of large
// organisations have a few kilobytes.
const maxBearer = 16 << 10

// bearer is the token of a request. A header that cannot be read one way only
// is wrong, not absent; so is a second one.
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

// isToken68 accepts what RFC 6750 calls a b64token.
func isToken68(token string) bool {
	body := strings.TrimRight(token, "=")
	return body != "" && strings.Trim(body, "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-._~+/") == ""
}

// identify says who sent a request. It has answered when it does not know.
func (g *authenticator) identify(w http.ResponseWriter, r *http.Request) (*gongu.Principal, bool) {
	if g.opts.NoAuth {
		return g.anonymous, true
	}
	token, given, sound := bearer(r.Header)
	if !given {
		who, ok := g.bySession(r)
		switch {
		case ok && g.crossOrigin.Check(r) != nil:
			// A browser sends cookies without being asked: what changes
			// something must come from our own page.
			g.refuse(w, r, problem{status: http.StatusForbidden, code: "origin_refused", text: lang.AuthCrossOrigin.With(), hint: lang.AuthOriginHint.With(), who: who.Name})
			return nil, false
		case ok:
			return who, true
		}
		g.unauthorized(w, r, "", "no token")
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

// unauthorized asks for a token. The reason is for the log alone.
func (g *authenticator) unauthorized(w http.ResponseWriter, r *http.Request, oauth, reason string) {
	w.Header().Set("WWW-Authenticate", g.challenge(r, oauth))
	text := lang.AuthNeedsToken
	if oauth != "" {
		text = lang.AuthBadToken
	}
	g.refuse(w, r, problem{status: http.StatusUnauthorized, code: "unauthorized", text: text.With(), hint: lang.AuthTokenHint.With(), reason: reason})
}

// unavailable answers when the token cannot be checked. It is not
// the caller's fault, and a client must not throw its token away.
func (g *authenticator) unavailable(w http.ResponseWriter, r *http.Request, err error) {
	g.logger.Error("authentication backend unavailable; rejecting requests", "error", err, "request", RequestID(r.Context()))
	w.Header().Set("Retry-After", "5")
	g.refuse(w, r, problem{status: http.StatusServiceUnavailable, code: "auth_unavailable", text: lang.AuthUnavailable.With(), hint: lang.AuthUnavailableHint.With()})
}
