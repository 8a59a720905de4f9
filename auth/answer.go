package auth

import (
	"io"
	"net/http"
	"sync/atomic"
	"time"
)

// answer is a ResponseWriter whose writes have deadlines.
type answer struct {
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

func (a *answer) begin(w http.ResponseWriter, r *http.Request, limit time.Duration) {
	a.ResponseWriter, a.control = w, http.NewResponseController(w)
	a.limit, a.http2 = limit, r.ProtoMajor >= 2
}

// before and after stand around everything that may wait for the caller to
// read. A writer without deadlines, as in tests, is left alone.
func (a *answer) before() {
	if !a.own.Load() {
		a.extend()
	}
}

// extend gives the caller the whole time again. Writes that follow each other
// closely share a deadline: setting one costs as much as a small write.
func (a *answer) extend() {
	now := time.Now()
	if set := a.set.Load(); set != 0 && now.Sub(time.Unix(0, set)) < a.limit/32 {
		return
	}
	a.set.Store(now.UnixNano())
	_ = a.control.SetWriteDeadline(now.Add(a.limit))
}

func (a *answer) after() {
	if !a.own.Load() && a.http2 {
		a.set.Store(0)
		_ = a.control.SetWriteDeadline(time.Time{})
	}
}

// finish is for what the server itself writes after the handler. It must not
// meet a deadline of the handler's, or of a request before this one.
func (a *answer) finish() {
	if a.own.Load() {
		a.set.Store(0)
	}
	a.extend()
}

func (a *answer) WriteHeader(status int) {
	if status >= 200 {
		a.started.Store(true)
	}
	a.before()
	defer a.after()
	a.ResponseWriter.WriteHeader(status)
}

func (a *answer) Write(data []byte) (int, error) {
	a.started.Store(true)
	a.before()
	defer a.after()
	return a.ResponseWriter.Write(data)
}

// Flush makes the answer an http.Flusher for handlers that look for one.
func (a *answer) Flush() { _ = a.FlushError() }

// FlushError is what http.ResponseController looks for.
func (a *answer) FlushError() error {
	a.started.Store(true)
	a.before()
	defer a.after()
	return a.control.Flush()
}

// SetWriteDeadline leaves the deadlines to the handler from now on.
func (a *answer) SetWriteDeadline(t time.Time) error {
	a.own.Store(true)
	return a.control.SetWriteDeadline(t)
}

// Unwrap is for http.ResponseController.
func (a *answer) Unwrap() http.ResponseWriter { return a.ResponseWriter }

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
