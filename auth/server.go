package auth

import (
	"cmp"
	"io"
	"log/slog"
	"net"
	"net/http"
	"sync"
	"sync/atomic"
	"time"
)

// ServerOptions change the defaults of [NewServer]. The zero value is good.
type ServerOptions struct {
	// ReadHeaderTime is how long a caller may take to send the headers
	// (default 10 seconds).
	ReadHeaderTime time.Duration
	// IdleTime is how long a connection is kept without a request (default 2
	// minutes).
	IdleTime time.Duration
	// Logger logs the errors of the server (default: slog's).
	Logger *slog.Logger
}

// LimitConnections returns a listener that has at most [Limits.Connections] open
// connections at a time. One more is answered with 503 and closed, so that a
// caller need not wait to learn it.
func LimitConnections(l net.Listener, limits Limits, logger *slog.Logger) net.Listener {
	if logger == nil {
		logger = slog.Default()
	}
	return &limitedListener{Listener: l, most: int64(limits.withDefaults().Connections), logger: logger}
}

type limitedListener struct {
	net.Listener
	most    int64
	open    atomic.Int64
	refused atomic.Int64
	logger  *slog.Logger
}

func (l *limitedListener) Accept() (net.Conn, error) {
	for {
		conn, err := l.Listener.Accept()
		if err != nil {
			return nil, err
		}
		if l.open.Add(1) <= l.most {
			return &countedConn{Conn: conn, done: sync.OnceFunc(func() { l.open.Add(-1) })}, nil
		}
		l.open.Add(-1)
		_ = conn.SetWriteDeadline(time.Now().Add(time.Second))
		_, _ = io.WriteString(conn, "HTTP/1.1 503 Service Unavailable\r\nRetry-After: 1\r\nContent-Length: 0\r\nConnection: close\r\n\r\n")
		_ = conn.Close()
		if n := l.refused.Add(1); n&(n-1) == 0 { // a flood of them is a few lines
			l.logger.Warn("connections are refused, too many are open", "open", l.most, "refused", n)
		}
	}
}

type countedConn struct {
	net.Conn
	done func()
}

func (c *countedConn) Close() error {
	defer c.done()
	return c.Conn.Close()
}

// NewServer returns a server with the limits that a handler cannot set: the
// time and the size of headers, and how long idle connections are kept.
//
// It does not limit the time of a whole request or response, which would cut
// streams. The handler of [New] sets deadlines for bodies and single writes
// instead.
func NewServer(handler http.Handler, opts *ServerOptions) *http.Server {
	if opts == nil {
		opts = &ServerOptions{}
	}
	logger := opts.Logger
	if logger == nil {
		logger = slog.Default()
	}
	return &http.Server{
		Handler:           handler,
		ReadHeaderTimeout: cmp.Or(opts.ReadHeaderTime, 10*time.Second),
		IdleTimeout:       cmp.Or(opts.IdleTime, 2*time.Minute),
		MaxHeaderBytes:    64 << 10,
		// The handler of [New] checks all requests, OPTIONS * included.
		DisableGeneralOptionsHandler: true,
		ErrorLog:                     slog.NewLogLogger(logger.Handler(), slog.LevelWarn),
	}
}
