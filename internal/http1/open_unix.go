//go:build linux || darwin || freebsd || netbsd || openbsd || dragonfly

package http1

import (
	"errors"
	"syscall"
)

// open reports whether a connection that was idle can be used: its server has
// neither closed it nor said anything.
func (c *conn) open() bool {
	if c.raw == nil {
		return false
	}
	quiet := false
	err := c.raw.Read(func(fd uintptr) bool {
		var one [1]byte
		_, _, err := syscall.Recvfrom(int(fd), one[:], syscall.MSG_PEEK|syscall.MSG_DONTWAIT)
		quiet = errors.Is(err, syscall.EAGAIN)
		return true
	})
	return err == nil && quiet
}
