package auth

import "net/http"

// ParseHostPort, ParseOrigin and Bearer are for the fuzz tests.
func ParseHostPort(text string) (name, port string, loopback, ok bool) {
	p, ok := parseHostPort(text)
	return p.name, p.port, p.isLoopback(), ok
}

func ParseOrigin(text string) (scheme, name, port string, ok bool) {
	o, ok := parseOrigin(text)
	return o.scheme, o.hostPort.name, o.hostPort.port, ok
}

func Bearer(header http.Header) (token string, given, ok bool) { return bearer(header) }

// UsableKeys is how many keys of a set count.
func UsableKeys(set []byte) (int, error) {
	keys, err := parseKeys(set)
	return len(keys), err
}
