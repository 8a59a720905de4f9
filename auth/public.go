package auth

import (
	"net/http"
	"net/url"
	"strings"

	"github.com/gongu-ai/gongu/internal/lang"
)

// ParsePublicURL parses the address at which people elsewhere reach a server. It
// must be https, because sessions are sent there; http is accepted on loopback.
func ParsePublicURL(text string) (*url.URL, error) {
	u, err := url.Parse(text)
	if err == nil {
		host, ok := parseHostPort(u.Host)
		plain := u.User == nil && u.RawQuery == "" && !u.ForceQuery && u.Fragment == "" && (u.Path == "" || u.Path == "/")
		if ok && plain && (u.Scheme == "https" || u.Scheme == "http" && host.isLoopback()) {
			u.Path = ""
			return u, nil
		}
	}
	return nil, lang.NewError(ErrInvalid, lang.AuthBadPublicURL.With(text), lang.AuthBadPublicURLHint.With())
}

// readPublicURL accepts the host and the origin of the public address.
func (g *authenticator) readPublicURL() error {
	if g.opts.PublicURL == "" {
		return nil
	}
	u, err := ParsePublicURL(g.opts.PublicURL)
	if err != nil {
		return err
	}
	g.public, _ = parseOrigin(u.Scheme + "://" + u.Host) // it was parsed before
	host := g.public.hostPort
	g.hosts.add(host)
	if host.port == "" { // a client may name the default port
		host.port = g.public.defaultPort()
		g.hosts.add(host)
	}
	// A proxy may send another Host than the browser's.
	g.origins[g.public] = true
	return nil
}

// isPublic reports whether a request is for the public address.
func (g *authenticator) isPublic(r *http.Request) bool {
	host, ok := parseHostPort(r.Host)
	return ok && g.public.isOf(host)
}

// isPage reports whether a request is that of a browser for a page, so that a
// refusal should be a page, too.
func (g *authenticator) isPage(r *http.Request) bool {
	if r.Method != http.MethodGet || !strings.Contains(r.Header.Get("Accept"), "text/html") {
		return false
	}
	for _, path := range g.opts.Pages {
		if r.URL.Path == path || path != "/" && strings.HasPrefix(r.URL.Path, path+"/") {
			return true
		}
	}
	return false
}

// refusePage answers a browser without a session. A browser that followed a link
// of another site sends no strict cookie with that request, so the first answer
// loads the page again.
func (g *authenticator) refusePage(w http.ResponseWriter, r *http.Request) {
	g.logRefusal(r, http.StatusUnauthorized, "no session")
	w.Header().Set("WWW-Authenticate", g.challenge(r, ""))
	next := ""
	if site := r.Header.Get("Sec-Fetch-Site"); site == "cross-site" || site == "same-site" {
		next = r.URL.EscapedPath()
	}
	g.page(w, http.StatusUnauthorized, lang.AuthNeedsLogin.In(g.lang), lang.AuthNeedsLoginHint.In(g.lang), next)
}
