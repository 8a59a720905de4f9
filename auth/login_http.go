package auth

import (
	"html"
	"io"
	"net/http"
	"strings"
	"time"

	"github.com/gongu-ai/gongu"
	"github.com/gongu-ai/gongu/access"
	"github.com/gongu-ai/gongu/internal/lang"
)

// cookieName returns the name of the session cookie. It contains the port:
// browsers send cookies to every port of a host, and two servers on one machine
// must not replace each other's sessions.
func (g *authenticator) cookieName(r *http.Request) string {
	name := "gongu_session"
	if p, ok := parseHostPort(r.Host); ok && p.port != "" {
		name += "_" + p.port
	}
	if g.isHTTPS(r) {
		return "__Host-" + name
	}
	return name
}

// login exchanges the code of a link for a session. It rejects HEAD and
// prefetches, which programs send before a person opens the link.
func (g *authenticator) login(w http.ResponseWriter, r *http.Request) {
	if r.Method != http.MethodGet {
		w.Header().Set("Allow", http.MethodGet)
		g.refuse(w, r, problem{status: http.StatusMethodNotAllowed, code: "method_not_allowed", text: lang.AuthLoginMethod.With(), hint: lang.AuthLoginHint.With()})
		return
	}
	if strings.Contains(r.Header.Get("Sec-Purpose")+r.Header.Get("Purpose"), "prefetch") {
		g.refuse(w, r, problem{status: http.StatusServiceUnavailable, code: "prefetch", text: lang.AuthLoginPrefetch.With(), hint: lang.AuthLoginHint.With()})
		return
	}
	secret, v, ok := g.opts.Logins.exchange(r.URL.Query().Get("code"))
	if !ok {
		g.logRefusal(r, http.StatusForbidden, "login code refused")
		g.page(w, http.StatusForbidden, lang.AuthLoginFailed.In(g.lang), lang.AuthLoginHint.In(g.lang), "")
		return
	}
	http.SetCookie(w, &http.Cookie{
		Name: g.cookieName(r), Value: secret, Path: "/", Expires: v.expires,
		HttpOnly: true, SameSite: http.SameSiteStrictMode, Secure: g.isHTTPS(r),
	})
	g.logger.Info("logged in", "principal", v.principal.Name, "request", RequestID(r.Context()))
	g.page(w, http.StatusOK, lang.AuthLoginDone.In(g.lang), lang.AuthLoginGoOn.In(g.lang), homeOf(v.principal))
}

// homeOf returns the first page of a session.
func homeOf(p *gongu.Principal) string {
	if access.ApprovalsOnly(p) {
		return "/approvals"
	}
	return "/"
}

func (g *authenticator) logout(w http.ResponseWriter, r *http.Request) {
	if r.Method != http.MethodPost || g.crossOrigin.Check(r) != nil {
		w.Header().Set("Allow", http.MethodPost)
		g.refuse(w, r, problem{status: http.StatusMethodNotAllowed, code: "method_not_allowed", text: lang.AuthLogoutMethod.With(), hint: lang.AuthLogoutHint.With()})
		return
	}
	name := g.cookieName(r)
	for _, cookie := range r.CookiesNamed(name) {
		g.opts.Logins.end(cookie.Value)
	}
	http.SetCookie(w, &http.Cookie{
		Name: name, Path: "/", Expires: time.Unix(1, 0), MaxAge: -1,
		HttpOnly: true, SameSite: http.SameSiteStrictMode, Secure: g.isHTTPS(r),
	})
	w.WriteHeader(http.StatusNoContent)
}

// page writes a page that reloads to next. It does not redirect: a browser that
// followed a link from another site does not send a strict cookie with the
// redirect, and the person would appear logged out.
func (g *authenticator) page(w http.ResponseWriter, status int, title, text, next string) {
	header := w.Header()
	header.Set("Content-Type", "text/html; charset=utf-8")
	header.Set("Content-Security-Policy", "default-src 'none'; frame-ancestors 'none'")
	header.Set("Referrer-Policy", "no-referrer")
	setSafeHeaders(header)
	w.WriteHeader(status)
	var b strings.Builder
	b.WriteString("<!doctype html><html lang=\"" + string(g.lang) + "\"><meta charset=\"utf-8\">")
	if next != "" {
		b.WriteString(`<meta http-equiv="refresh" content="0;url=` + html.EscapeString(next) + `">`)
	}
	b.WriteString("<title>gongu</title><p>" + html.EscapeString(title) + "</p><p>" + html.EscapeString(text) + "</p>")
	if next != "" {
		b.WriteString(`<p><a href="` + html.EscapeString(next) + `">gongu</a></p>`)
	}
	b.WriteString("</html>\n")
	_, _ = io.WriteString(w, b.String()) // a caller that left needs no answer
}

// bySession returns the principal of the browser session that a request
// belongs to.
func (g *authenticator) bySession(r *http.Request) (*gongu.Principal, bool) {
	if g.opts.Logins == nil {
		return nil, false
	}
	for _, cookie := range r.CookiesNamed(g.cookieName(r)) {
		if who, ok := g.opts.Logins.session(cookie.Value); ok {
			return who, true
		}
	}
	return nil, false
}
