package http1

import (
	"io"
	"net/http"
	"strconv"
)

// write sends a request. What the transport takes is plain enough to be put
// down as it is; a header that is not goes the way of net/http, which knows
// what to do about it.
func (c *conn) write(req *http.Request) error {
	host := req.Host
	if host == "" {
		host = req.URL.Host
	}
	path := req.URL.RequestURI()
	if !clean(host) || !clean(path) || !cleanHeader(req.Header) {
		return req.Write(c.out)
	}
	// The writer remembers its first error and returns it at the end.
	out := c.out
	for _, part := range [...]string{"POST ", path, " HTTP/1.1\r\nHost: ", host, "\r\n"} {
		_, _ = out.WriteString(part)
	}
	if _, named := req.Header["User-Agent"]; !named {
		_, _ = out.WriteString("User-Agent: Go-http-client/1.1\r\n")
	}
	_, _ = out.WriteString("Content-Length: ")
	_, _ = out.Write(strconv.AppendInt(out.AvailableBuffer(), req.ContentLength, 10))
	_, _ = out.WriteString("\r\n")
	for name, values := range req.Header {
		if name == "Host" || name == "Content-Length" || name == "Transfer-Encoding" {
			continue // said above
		}
		for _, value := range values {
			for _, part := range [...]string{name, ": ", value, "\r\n"} {
				_, _ = out.WriteString(part)
			}
		}
	}
	_, _ = out.WriteString("\r\n")
	n, err := io.Copy(out, req.Body)
	if err == nil && n != req.ContentLength {
		err = http.ErrBodyNotAllowed
		if n < req.ContentLength {
			err = io.ErrUnexpectedEOF
		}
	}
	return err
}

// clean reports whether a text cannot end the line that it stands in, and has
// nothing in it that servers read in different ways.
func clean(text string) bool {
	for i := range len(text) {
		if c := text[i]; c < ' ' && c != '\t' || c == 0x7f {
			return false
		}
	}
	return true
}

func cleanHeader(header http.Header) bool {
	for name, values := range header {
		if !token(name) {
			return false
		}
		for _, value := range values {
			if !clean(value) {
				return false
			}
		}
	}
	return true
}

// token reports whether this is a name of a header.
func token(name string) bool {
	for i := range len(name) {
		c := name[i]
		letter := c|0x20 >= 'a' && c|0x20 <= 'z'
		if !letter && (c < '0' || c > '9') && c != '-' && c != '_' {
			return false
		}
	}
	return name != ""
}
