package netguard

import (
	"fmt"
	"net/http"
	"net/url"
	"strings"
)

// StripSecrets is for a client's CheckRedirect: once the hops have left the
// host that the request was meant for, every header that could be a secret is
// dropped. A list of known secrets would miss X-Api-Key and its like.
func StripSecrets(req *http.Request, via []*http.Request) {
	for _, hop := range append([]*http.Request{req}, via...) {
		if !sameOwner(via[0].URL, hop.URL) {
			keepHarmless(req.Header)
			return
		}
	}
}

// sameOwner holds for the same host and port, and for the step from http to
// https on the standard ports.
func sameOwner(from, to *url.URL) bool {
	if !strings.EqualFold(from.Hostname(), to.Hostname()) {
		return false
	}
	if from.Scheme == to.Scheme {
		return port(from) == port(to)
	}
	return from.Scheme == "http" && port(from) == "80" && port(to) == "443"
}

// SameOrigin reports whether two addresses have the same scheme, host and port.
func SameOrigin(a, b *url.URL) bool {
	return strings.EqualFold(a.Scheme, b.Scheme) && strings.EqualFold(a.Hostname(), b.Hostname()) && port(a) == port(b)
}

// RefuseOtherOrigin is a client's CheckRedirect that follows redirects only
// within the origin of the first request: another one would get its headers
// and its body.
func RefuseOtherOrigin(req *http.Request, via []*http.Request) error {
	if len(via) > MaxRedirects || !SameOrigin(via[0].URL, req.URL) {
		return fmt.Errorf("the server redirects to %s://%s; put that address into the configuration if it is meant", req.URL.Scheme, req.URL.Host)
	}
	return nil
}

func port(u *url.URL) string {
	switch {
	case u.Port() != "":
		return u.Port()
	case u.Scheme == "https":
		return "443"
	}
	return "80"
}

func keepHarmless(headers http.Header) {
	for name := range headers {
		switch name {
		case "Accept", "Accept-Language", "Content-Type", "User-Agent":
		default:
			headers.Del(name)
		}
	}
}
