package auth

import (
	"cmp"
	"log/slog"
	"net/http"
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
