package http1

import (
	"bufio"
	"errors"
	"net/http"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"time"
)

// frontAnswer writes the answer to a plain request: with its length where that
// is said or the whole answer fits into the buffer, else in chunks.
type frontAnswer struct {
	conn   *frontConn
	header http.Header // the handler's
	sent   http.Header // as it was when the status was set
	out    *bufio.Writer
	status int
	// kept is the beginning of a body whose length is not known yet.
	kept []byte

	begun   bool  // the header is written
	chunked bool  // the body comes in chunks
	left    int64 // how much of a body with a length is to come
	last    bool  // the connection ends with this answer
	err     error // what went wrong, or that the answer is over

	timed atomic.Bool // a deadline was set, from wherever
}

// writers are for one answer at a time.
var writers = sync.Pool{New: func() any { return bufio.NewWriterSize(nil, 4<<10) }}

func newFrontAnswer(c *frontConn) *frontAnswer {
	out, ok := writers.Get().(*bufio.Writer)
	if !ok {
		out = bufio.NewWriterSize(nil, 4<<10)
	}
	out.Reset(c)
	return &frontAnswer{conn: c, header: make(http.Header, 8), out: out}
}

// Header is what will be sent.
func (w *frontAnswer) Header() http.Header { return w.header }

// WriteHeader sets the status. What comes before one is not sent.
func (w *frontAnswer) WriteHeader(status int) {
	if status < 100 || status > 999 {
		panic("http1: no status: " + strconv.Itoa(status)) // as net/http says
	}
	if w.status != 0 || status < 200 {
		return
	}
	w.status, w.sent = status, w.header
	_, typed := w.header["Content-Type"]
	if !w.mayHaveBody() || typed && len(w.header["Content-Length"]) > 0 {
		w.begin()
		return
	}
	w.sent = w.header.Clone() // the body decides about the rest
}

func (w *frontAnswer) mayHaveBody() bool {
	return w.status != http.StatusNoContent && w.status != http.StatusNotModified
}

// Write sends a part of the body, or keeps it until it is clear how.
func (w *frontAnswer) Write(p []byte) (int, error) {
	if w.status == 0 {
		w.WriteHeader(http.StatusOK)
	}
	known := len(w.sent["Content-Length"]) > 0
	switch {
	case w.begun:
	case known:
		w.sniff(p)
		w.begin()
	case len(w.kept)+len(p) <= maxKept:
		w.kept = append(w.kept, p...)
		return len(p), nil
	default:
		if err := w.beginChunks(p); err != nil {
			return 0, err
		}
	}
	return w.body(p)
}

// maxKept is the largest body without a length that is not sent in chunks.
const maxKept = 2 << 10

// beginChunks writes the header and what was kept. Next is what follows. With a
// length there are no chunks.
func (w *frontAnswer) beginChunks(next []byte) error {
	w.chunked = len(w.sent["Content-Length"]) == 0
	w.sniff(append(w.kept[:len(w.kept):len(w.kept)], next[:min(len(next), 512)]...))
	w.begin()
	kept := w.kept
	w.kept = nil
	if len(kept) == 0 {
		return w.err
	}
	_, err := w.body(kept)
	return err
}

// body writes a part of a body that has begun.
func (w *frontAnswer) body(p []byte) (int, error) {
	switch {
	case w.err != nil:
		return 0, w.err
	case len(p) == 0:
		return 0, nil
	case !w.mayHaveBody():
		return 0, http.ErrBodyNotAllowed
	case w.chunked:
		var size [20]byte
		_, _ = w.out.Write(append(strconv.AppendInt(size[:0], int64(len(p)), 16), '\r', '\n'))
		_, _ = w.out.Write(p)
		if _, w.err = w.out.WriteString("\r\n"); w.err != nil { // the writer remembers its first error
			return 0, w.err
		}
		return len(p), nil
	case int64(len(p)) > w.left:
		return 0, http.ErrContentLength
	}
	n, err := w.out.Write(p)
	w.left -= int64(n)
	w.err = err
	return n, err
}

// begin writes the header.
func (w *frontAnswer) begin() {
	w.begun = true
	h := w.sent
	if w.conn.front.drained.Load() {
		h["Connection"] = []string{"close"}
	}
	w.last = strings.EqualFold(h.Get("Connection"), "close")
	if !w.mayHaveBody() {
		delete(h, "Content-Length")
		w.chunked = false
	} else if length := h["Content-Length"]; len(length) > 0 && !w.chunked {
		n, ok := decimal(length[0])
		if !ok || len(length) > 1 {
			delete(h, "Content-Length")
			w.chunked = true
		}
		w.left = n
	}
	delete(h, "Transfer-Encoding")
	delete(h, "Trailer")
	if w.chunked {
		delete(h, "Content-Length")
	}
	out := w.out
	_, _ = out.WriteString("HTTP/1.1 ")
	_, _ = out.Write(strconv.AppendInt(out.AvailableBuffer(), int64(w.status), 10))
	_, _ = out.WriteString(" " + reason(w.status) + "\r\n")
	if len(h["Date"]) == 0 {
		_, _ = out.WriteString("Date: ")
		_, _ = out.Write(time.Now().UTC().AppendFormat(out.AvailableBuffer(), http.TimeFormat))
		_, _ = out.WriteString("\r\n")
	}
	if w.chunked {
		_, _ = out.WriteString("Transfer-Encoding: chunked\r\n")
	}
	w.lines()
	_, w.err = out.WriteString("\r\n")
}

// lines writes the header of the handler. One that is not clean goes the way of
// net/http, which makes it so.
func (w *frontAnswer) lines() {
	if !cleanHeader(w.sent) {
		_ = w.sent.Write(w.out) // the writer remembers its first error
		return
	}
	for name, values := range w.sent {
		for _, value := range values {
			for _, part := range [...]string{name, ": ", value, "\r\n"} {
				_, _ = w.out.WriteString(part)
			}
		}
	}
}

func reason(status int) string {
	if text := http.StatusText(status); text != "" {
		return text
	}
	return "status code " + strconv.Itoa(status)
}

// sniff says what a body is when the handler does not.
func (w *frontAnswer) sniff(body []byte) {
	_, typed := w.sent["Content-Type"]
	if !typed && len(body) > 0 && w.sent.Get("Content-Encoding") == "" {
		w.sent.Set("Content-Type", http.DetectContentType(body))
	}
}

// FlushError sends what there is.
func (w *frontAnswer) FlushError() error {
	if w.status == 0 {
		w.WriteHeader(http.StatusOK)
	}
	if !w.begun {
		_ = w.beginChunks(nil) // flushing tells
	}
	if w.err == nil {
		w.err = w.out.Flush()
	}
	return w.err
}

// Flush is for handlers that look for an http.Flusher.
func (w *frontAnswer) Flush() { _ = w.FlushError() }

// SetWriteDeadline holds until the end of the answer.
func (w *frontAnswer) SetWriteDeadline(t time.Time) error {
	w.timed.Store(true)
	return w.conn.TCPConn.SetWriteDeadline(t)
}

// SetReadDeadline has nothing to do: the request is all there.
func (w *frontAnswer) SetReadDeadline(time.Time) error { return nil }

// finish sends the rest, and reports whether the connection can be used again.
func (w *frontAnswer) finish() bool {
	if w.status == 0 {
		w.WriteHeader(http.StatusOK)
	}
	if !w.begun {
		w.sniff(w.kept)
		if len(w.sent["Content-Length"]) == 0 {
			w.sent["Content-Length"] = []string{strconv.Itoa(len(w.kept))}
		}
		w.begin()
		_, _ = w.body(w.kept)
	}
	if w.chunked && w.err == nil {
		_, w.err = w.out.WriteString("0\r\n\r\n")
	}
	_ = w.FlushError() // it is remembered
	if w.timed.Load() {
		_ = w.conn.TCPConn.SetWriteDeadline(time.Time{}) // so far it was good
	}
	good := w.err == nil && !w.last && (w.chunked || w.left == 0)
	w.err = errOver
	w.out.Reset(nil)
	writers.Put(w.out)
	w.out = nil
	return good
}

// errOver is for handlers that go on writing after they have returned.
var errOver = errors.New("the answer is over")
