package http1

import (
	"bytes"
	"io"
	"net/http"
	"net/url"
	"strings"
	"sync"
)

// plainRequest fills in a request of the plainest kind: a POST to a plain path
// with a body that is all there, and with nothing after it or in its header
// that needs a rule of its own. What it does read, it reads as net/http does. The
// body is a part of data.
func plainRequest(data []byte, req *http.Request) bool {
	end := bytes.Index(data, []byte("\r\n\r\n"))
	if end < 0 || !bytes.HasPrefix(data, []byte("POST /")) {
		return false
	}
	// The texts of the header are parts of one string.
	first, lines, _ := strings.Cut(string(data[:end]), "\r\n")
	path, found := strings.CutSuffix(strings.TrimPrefix(first, "POST "), " HTTP/1.1")
	if !found || !plainPath(path) {
		return false
	}
	req.Method, req.URL, req.RequestURI = http.MethodPost, &url.URL{Path: path}, path
	req.Proto, req.ProtoMajor, req.ProtoMinor, req.ContentLength = "HTTP/1.1", 1, 1, -1
	ok := false
	req.Header, ok = plainLines(lines, func(name, value string, again bool) bool {
		switch name {
		case "Host":
			req.Host = value
			return !again && plainHost(value)
		case "Content-Length":
			length, digits := decimal(value)
			req.ContentLength = length
			return digits && !again
		case "Expect", "Te":
			return false
		}
		return plainName(name, value, again)
	})
	body := data[end+len("\r\n\r\n"):]
	if !ok || req.Host == "" || len(body) == 0 || req.ContentLength != int64(len(body)) {
		return false
	}
	delete(req.Header, "Host")
	req.Body = &wholeBody{left: body}
	return true
}

// wholeBody is a body that is all there. Its bytes belong to the connection, so
// that it can be read for as long as it is not closed.
type wholeBody struct {
	mu   sync.Mutex
	left []byte
	over bool
}

// Read reads what is left.
func (b *wholeBody) Read(p []byte) (int, error) {
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.over {
		return 0, http.ErrBodyReadAfterClose
	}
	n := copy(p, b.left)
	if b.left = b.left[n:]; len(b.left) == 0 {
		return n, io.EOF
	}
	return n, nil
}

// Close lets go of the bytes.
func (b *wholeBody) Close() error {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.left, b.over = nil, true
	return nil
}

// plainPath takes paths that mean the same to everybody.
func plainPath(path string) bool {
	for i := range len(path) {
		c := path[i]
		letter := c|0x20 >= 'a' && c|0x20 <= 'z' || c >= '0' && c <= '9' || c == '-' || c == '_'
		if !letter && (c != '/' || i > 0 && path[i-1] == '/') {
			return false
		}
	}
	return true
}

// plainHost takes names and addresses with or without a port.
func plainHost(host string) bool {
	for i := range len(host) {
		c := host[i]
		letter := c|0x20 >= 'a' && c|0x20 <= 'z' || c >= '0' && c <= '9'
		if !letter && c != '.' && c != '-' && c != ':' && c != '[' && c != ']' {
			return false
		}
	}
	return host != ""
}
