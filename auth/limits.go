package auth

import (
	"cmp"
	"time"
)

// Limits bound the resources that callers can use. Zero values take the
// defaults.
type Limits struct {
	// Body is the largest body, in bytes (default 8 MiB).
	Body int64
	// BodyTime is how long a caller may take to send a body (default 1 minute).
	BodyTime time.Duration
	// BodyStall is how long a caller may send nothing of a body (default 30
	// seconds).
	BodyStall time.Duration
	// WriteTime is how long one write to a caller may take (default 1 minute).
	// A stream may stay open without writes for any time.
	WriteTime time.Duration
	// Running is the number of concurrent requests, open streams included
	// (default 4096), and RunningEach that of one principal (default 1024).
	Running, RunningEach int
	// Connections is the number of open connections (default 4096). It holds
	// where the listener is one of [LimitConnections].
	Connections int
}

func (l Limits) withDefaults() Limits {
	l.Body = cmp.Or(max(l.Body, 0), 8<<20)
	l.BodyTime = cmp.Or(max(l.BodyTime, 0), time.Minute)
	l.BodyStall = cmp.Or(max(l.BodyStall, 0), 30*time.Second)
	l.WriteTime = cmp.Or(max(l.WriteTime, 0), time.Minute)
	l.Running = cmp.Or(max(l.Running, 0), 4096)
	l.Connections = cmp.Or(max(l.Connections, 0), 4096)
	l.RunningEach = cmp.Or(max(l.RunningEach, 0), 1024)
	return l
}
