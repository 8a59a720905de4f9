package auth

import (
	"cmp"
	"log/slog"
	"net"
	"net/http"
	"time"

	"github.com/gongu-ai/gongu/internal/http1"
)

// ServerOptions change the defaults of [NewServer]. The zero value is good.
type ServerOptions struct {
	// ReadHeaderTime is how long a caller may take to send the headers
	// (default 10 seconds).
	ReadHeaderTime time.Duration
	// IdleTime is how long a connection is kept without a request (default 2
	// minutes).
	IdleTime time.Duration
	// HeaderBytes bounds the headers of a request (default 64 KiB).
	HeaderBytes int
	// Logger hears what the server complains about (default: slog's).
	Logger *slog.Logger
}

// NewServer is a server with the bounds that a gate cannot set from inside.
//
// It has no limit on the time of a whole request or answer: such a limit cuts
// streams that are in good health. The handler of [New] sets deadlines for
// bodies and single writes instead.
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
		MaxHeaderBytes:    cmp.Or(opts.HeaderBytes, 64<<10),
		// Nothing is answered before the gate.
		DisableGeneralOptionsHandler: true,
		ErrorLog:                     slog.NewLogLogger(logger.Handler(), slog.LevelWarn),
	}
}

// Front is a listener that [Listen] returns.
type Front = http1.Front

// Listen stands before the listener of a server and answers small plain
// requests without most of what the server does for each. Give what it returns
// to the server's Serve, and call its Wait after the server's Shutdown.
func Listen(server *http.Server, l net.Listener) *Front { return http1.NewFront(server, l) }
