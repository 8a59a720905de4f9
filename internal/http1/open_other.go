//go:build !(linux || darwin || freebsd || netbsd || openbsd || dragonfly)

package http1

// open cannot be told here, so that every request has a connection of its own.
func (c *conn) open() bool { return false }
