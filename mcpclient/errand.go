package mcpclient

import (
	"context"
	"sync"
	"sync/atomic"
	"time"

	"github.com/gongu-ai/gongu/internal/http1"
)

// errand is the life of one request over HTTP: it ends with the caller's
// context while it attends to that, with the connection, and when it is
// cancelled. It does what two contexts and a trace of net/http would do, at a
// fraction of what they cost, because every call has one.
type errand struct {
	conn   *httpConn
	caller context.Context
	sent   atomic.Bool

	mu       sync.Mutex
	leave    func() bool // the caller's context, while it is attended to
	released bool
	done     chan struct{}
	err      error
	after    func() // what is to be done at the end; one thing at a time
}

var (
	_ context.Context = (*errand)(nil)
	_ http1.Errand    = (*errand)(nil)
)

// newErrand begins a life that ends with the caller's. Its end must be called.
func newErrand(caller context.Context, conn *httpConn) *errand {
	e := lateErrand(caller, conn)
	e.attend()
	return e
}

// lateErrand is an errand that does not attend to its caller yet: most requests
// are answered before that would have been of any use.
func lateErrand(caller context.Context, conn *httpConn) *errand {
	e := &errand{conn: conn, caller: caller}
	if !conn.begins(e) {
		e.cancel()
	}
	return e
}

// attend lets the errand end with its caller from now on.
func (e *errand) attend() {
	if !e.isLate() {
		return
	}
	leave := afterFunc(e.caller, e.cancel)
	e.mu.Lock()
	defer e.mu.Unlock()
	if e.released || e.leave != nil {
		leave()
		return
	}
	e.leave = leave
}

func (e *errand) isLate() bool {
	e.mu.Lock()
	defer e.mu.Unlock()
	return !e.released && e.leave == nil
}

// afterFunc asks a context that can do it better than the context package.
func afterFunc(ctx context.Context, do func()) (stop func() bool) {
	if own, ok := ctx.(interface {
		AfterFunc(do func()) (stop func() bool)
	}); ok {
		return own.AfterFunc(do)
	}
	return context.AfterFunc(ctx, do)
}

// release lets the errand outlast its caller.
func (e *errand) release() {
	e.mu.Lock()
	leave := e.leave
	e.leave, e.released = nil, true
	e.mu.Unlock()
	if leave != nil {
		leave()
	}
}

// end is the end of an errand that nobody waits for any more.
func (e *errand) end() {
	e.release()
	e.conn.ends(e)
	e.cancel()
}

func (e *errand) cancel() {
	e.mu.Lock()
	after := e.after
	e.after = nil
	if e.err == nil {
		e.err = context.Canceled
		if e.done != nil {
			close(e.done)
		}
	}
	e.mu.Unlock()
	if after != nil {
		after()
	}
}

// Sent notes that the server may have seen the request.
func (e *errand) Sent() { e.sent.Store(true) }

// AfterFunc is for the transport.
func (e *errand) AfterFunc(do func()) (stop func() bool) {
	if !e.first(do) {
		return context.AfterFunc(bare{e}, do)
	}
	return func() bool {
		e.mu.Lock()
		defer e.mu.Unlock()
		in := e.after != nil
		e.after = nil
		return in
	}
}

// first takes what is to be done, if nothing else is and the end is to come.
func (e *errand) first(do func()) bool {
	e.mu.Lock()
	defer e.mu.Unlock()
	if e.err != nil || e.after != nil {
		return false
	}
	e.after = do
	return true
}

// bare is the errand without its AfterFunc.
type bare struct{ context.Context }

// Deadline is none: the caller's patience ends the errand.
func (e *errand) Deadline() (time.Time, bool) { return time.Time{}, false }

// Done is closed at the end.
func (e *errand) Done() <-chan struct{} {
	e.mu.Lock()
	defer e.mu.Unlock()
	if e.done == nil {
		e.done = make(chan struct{})
		if e.err != nil {
			close(e.done)
		}
	}
	return e.done
}

// Err says that it has ended.
func (e *errand) Err() error {
	e.mu.Lock()
	defer e.mu.Unlock()
	return e.err
}

// Value is the errand itself for the transport, and else the connection's.
func (e *errand) Value(key any) any {
	if _, ok := key.(http1.Key); ok {
		return e
	}
	return e.conn.life.Value(key)
}
