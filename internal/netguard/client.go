package netguard

import (
	"net"
	"net/http"
	"strconv"
	"strings"
	"time"
)

const (
	// MaxRedirects is how many redirects a request of a tool or a script follows.
	MaxRedirects = 10
	// UserAgent is the User-Agent of these requests.
	UserAgent = "gongu (+https://github.com/gongu-ai/gongu)"

	// maxHeaders and readAhead bound what a server can make the client read
	// beside the part of the body that was asked for.
	maxHeaders = 256 << 10
	readAhead  = 256 << 10
)

// NewTransport returns the transport for requests of tools and scripts. It
// refuses private addresses, except those that allow lists as in [New].
func NewTransport(allow []string) (*http.Transport, error) {
	guard, err := New(allow)
	if err != nil {
		return nil, err
	}
	return &http.Transport{
		// No proxy of the environment: the proxy would connect to addresses
		// that the guard does not see.
		DialContext:            guard.Dial(net.Dialer{Timeout: 30 * time.Second}),
		ForceAttemptHTTP2:      true,
		TLSHandshakeTimeout:    10 * time.Second,
		MaxResponseHeaderBytes: maxHeaders,
		// Keep no connections after a call.
		DisableKeepAlives: true,
		HTTP2:             &http.HTTP2Config{MaxReceiveBufferPerStream: readAhead, MaxReceiveBufferPerConnection: readAhead},
	}, nil
}

// SetHeader sets a header that a caller gave. The client sets Accept-Encoding
// and Content-Length itself: it decompresses the response and computes the
// length.
func SetHeader(req *http.Request, name, value string) {
	switch http.CanonicalHeaderKey(name) {
	case "Host":
		req.Host = value
	case "Accept-Encoding", "Content-Length":
	default:
		req.Header.Set(name, value)
	}
}

// StatusText returns the text of a response's status, without the number.
func StatusText(resp *http.Response) string {
	return strings.TrimSpace(strings.TrimPrefix(resp.Status, strconv.Itoa(resp.StatusCode)))
}
