package netguard

import (
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
