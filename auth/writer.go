package auth

import (
	"io"
	"net/http"
	"sync/atomic"
	"time"
)

// deadlineWriter is a ResponseWriter whose writes have deadlines.
type deadlineWriter struct {
	http.ResponseWriter
	control *http.ResponseController
	limit   time.Duration
	// http2 is a connection of streams, where a deadline that passes while
	// nothing is written resets the stream.
	http2 bool
	// started means that the status is out.
	started atomic.Bool
	// own means that the handler sets deadlines itself, from wherever it likes.
	own atomic.Bool
	// set is when the deadline was set last, in nanoseconds.
	set atomic.Int64
}

func (d *deadlineWriter) begin(w http.ResponseWriter, r *http.Request, limit time.Duration) {
	d.ResponseWriter, d.control = w, http.NewResponseController(w)
	d.limit, d.http2 = limit, r.ProtoMajor >= 2
}

// startWrite and endWrite stand around everything that may wait for the caller to
// read. A writer without deadlines, as in tests, is left alone.
func (d *deadlineWriter) startWrite() {
	if !d.own.Load() {
		d.extend()
	}
}

// extend gives the caller the whole time again. Writes that follow each other
// closely share a deadline: setting one costs as much as a small write.
func (d *deadlineWriter) extend() {
	now := time.Now()
	if set := d.set.Load(); set != 0 && now.Sub(time.Unix(0, set)) < d.limit/32 {
		return
	}
	d.set.Store(now.UnixNano())
	_ = d.control.SetWriteDeadline(now.Add(d.limit))
}

func (d *deadlineWriter) endWrite() {
	if !d.own.Load() && d.http2 {
		d.set.Store(0)
		_ = d.control.SetWriteDeadline(time.Time{})
	}
}

// finish is for what the server itself writes after the handler. It must not
// meet a deadline of the handler's, or of a request before this one.
func (d *deadlineWriter) finish() {
	if d.own.Load() {
		d.set.Store(0)
	}
	d.extend()
}

func (d *deadlineWriter) WriteHeader(status int) {
	if status >= 200 {
		d.started.Store(true)
	}
	d.startWrite()
	defer d.endWrite()
	d.ResponseWriter.WriteHeader(status)
}

func (d *deadlineWriter) Write(data []byte) (int, error) {
	d.started.Store(true)
	d.startWrite()
	defer d.endWrite()
	return d.ResponseWriter.Write(data)
}

// Flush makes the answer an http.Flusher for handlers that look for one.
func (d *deadlineWriter) Flush() { _ = d.FlushError() }

// FlushError is what http.ResponseController looks for.
func (d *deadlineWriter) FlushError() error {
	d.started.Store(true)
	d.startWrite()
	defer d.endWrite()
	return d.control.Flush()
}

// SetWriteDeadline leaves the deadlines to the handler from now on.
func (d *deadlineWriter) SetWriteDeadline(t time.Time) error {
	d.own.Store(true)
	return d.control.SetWriteDeadline(t)
}

// Unwrap is for http.ResponseController.
func (d *deadlineWriter) Unwrap() http.ResponseWriter { return d.ResponseWriter }

// boundBody bounds a body in size and time, whether or not anybody reads it:
// the server itself reads what a handler left. The server lifts the deadline
// once all was read and it waits for the caller to leave, so a call may go on.
func boundBody(w http.ResponseWriter, r *http.Request, limits *Limits) io.ReadCloser {
	if r.Body == nil || r.Body == http.NoBody {
		return r.Body
	}
	_ = http.NewResponseController(w).SetReadDeadline(time.Now().Add(limits.BodyTime)) // a writer of a test has none
	return http.MaxBytesReader(w, r.Body, limits.Body)
}
