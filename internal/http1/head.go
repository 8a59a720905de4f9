package http1

import (
	"bufio"
	"bytes"
	"errors"
	"io"
	"net/http"
	"strconv"
	"strings"
)

// plainAnswer reads the head of an answer that is of the plainest kind: there
// as a whole, with one length, and without anything that needs a rule of its
// own. It reports false and has read nothing where it is not; then net/http
// reads it, which knows the rest. What it does read, it reads alike.
func plainAnswer(in *bufio.Reader, req *http.Request) (*http.Response, bool) {
	if _, err := in.Peek(1); err != nil {
		return nil, false
	}
	data, err := in.Peek(in.Buffered())
	end := bytes.Index(data, []byte("\r\n\r\n"))
	if err != nil || end < 0 {
		return nil, false
	}
	// The texts of the header are parts of one string.
	status, lines, _ := strings.Cut(string(data[:end]), "\r\n")
	resp := &http.Response{Proto: "HTTP/1.1", ProtoMajor: 1, ProtoMinor: 1, ContentLength: -1, Request: req}
	if !plainStatus(resp, status) || !plainHeader(resp, lines) || resp.ContentLength < 0 {
		return nil, false
	}
	_, _ = in.Discard(end + len("\r\n\r\n")) // it was looked at before
	resp.Body = http.NoBody
	if resp.ContentLength > 0 {
		resp.Body = &sized{in, resp.ContentLength}
	}
	return resp, true
}

// plainStatus takes a status that says nothing about the body.
func plainStatus(resp *http.Response, line string) bool {
	text, found := strings.CutPrefix(line, "HTTP/1.1 ")
	if !found || len(text) < 4 || text[3] != ' ' || !clean(text) {
		return false
	}
	code, digits := decimal(text[:3])
	resp.Status, resp.StatusCode = text, int(code)
	return digits && code >= 200 && code != http.StatusNoContent && code != http.StatusNotModified
}

// plainHeader takes the lines of a header, if all are plain.
func plainHeader(resp *http.Response, lines string) (ok bool) {
	resp.Header, ok = plainLines(lines, func(name, value string, again bool) bool {
		if name != "Content-Length" {
			return plainName(name, value, again)
		}
		length, digits := decimal(value)
		resp.ContentLength = length
		return digits && !again
	})
	return ok
}

// decimal reads a number that is nothing but digits.
func decimal(text string) (int64, bool) {
	if strings.Trim(text, "0123456789") != "" || len(text) > 15 {
		return 0, false
	}
	n, err := strconv.ParseInt(text, 10, 64)
	return n, err == nil
}

// sized is a body of a known length. Its end comes with its last bytes, so that
// nobody has to ask for it.
type sized struct {
	in   *bufio.Reader
	left int64
}

func (s *sized) Read(p []byte) (int, error) {
	if s.left == 0 {
		return 0, io.EOF
	}
	n, err := s.in.Read(p[:min(int64(len(p)), s.left)])
	s.left -= int64(n)
	switch {
	case s.left == 0:
		return n, io.EOF
	case errors.Is(err, io.EOF):
		return n, io.ErrUnexpectedEOF
	}
	return n, err
}

// Close does nothing: the connection belongs to another.
func (s *sized) Close() error { return nil }
