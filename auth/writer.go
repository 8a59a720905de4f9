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
	// http2 connections reset a stream when a deadline passes, even when nothing
	// is written.
	http2 bool
	// started is set when the status was written.
	started atomic.Bool
	// own is set when the handler sets deadlines itself, on any goroutine.
	own atomic.Bool
	// set is when the deadline was set last, in nanoseconds.
	set atomic.Int64
}

func (d *deadlineWriter) begin(w http.ResponseWriter, r *http.Request, limit time.Duration) {
	d.ResponseWriter, d.control = w, http.NewResponseController(w)
	d.limit, d.http2 = limit, r.ProtoMajor >= 2
}

// startWrite sets the deadline before a write that may block, and endWrite
// clears it where it must not pass later. Writers without deadlines, as in
// tests, ignore both.
func (d *deadlineWriter) startWrite() {
	if !d.own.Load() {
		d.extend()
	}
}

// extend moves the deadline. Writes that follow each other closely share one:
// setting it costs as much as a small write.
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

// finish sets a deadline for what the server writes after the handler, in place
// of one of the handler or of an earlier request.
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

// Flush implements http.Flusher.
func (d *deadlineWriter) Flush() { _ = d.FlushError() }

// FlushError flushes for http.ResponseController.
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

// Unwrap returns the writer of the server, for http.ResponseController.
func (d *deadlineWriter) Unwrap() http.ResponseWriter { return d.ResponseWriter }

// boundBody limits the size and time of a body, also when the handler does not
// read it: the server reads the rest. The server removes the deadline when the
// body was read, so a call may take longer.
func boundBody(w http.ResponseWriter, r *http.Request, limits *Limits) io.ReadCloser {
	if r.Body == nil || r.Body == http.NoBody {
		return r.Body
	}
	now := time.Now()
	body := &timedBody{control: http.NewResponseController(w), stall: limits.BodyStall, end: now.Add(limits.BodyTime)}
	body.extend(now)
	body.ReadCloser = http.MaxBytesReader(w, r.Body, limits.Body)
	return body
}

// timedBody ends a body of which nothing comes for a time, or which takes too
// long in all.
type timedBody struct {
	io.ReadCloser
	control *http.ResponseController
	stall   time.Duration
	end     time.Time // of all of it
	set     time.Time // when the deadline was set last
	over    bool
}

func (b *timedBody) Read(p []byte) (int, error) {
	// Not after the body: the deadline would end the call that follows it.
	if now := time.Now(); !b.over && now.Sub(b.set) > b.stall/32 {
		b.extend(now)
	}
	n, err := b.ReadCloser.Read(p)
	b.over = b.over || err != nil
	return n, err
}

func (b *timedBody) extend(now time.Time) {
	b.set = now
	deadline := now.Add(b.stall)
	if deadline.After(b.end) {
		deadline = b.end
	}
	_ = b.control.SetReadDeadline(deadline) // a writer of a test has none
}
