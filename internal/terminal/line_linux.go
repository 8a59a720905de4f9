package terminal

import (
	"time"

	"golang.org/x/sys/unix"
)

const getTermios, setTermios = unix.TCGETS, unix.TCSETS

// readable waits until a byte can be read, or for some time.
func readable(fd int, wait time.Duration) (bool, error) {
	n, err := unix.Poll([]unix.PollFd{{Fd: int32(fd), Events: unix.POLLIN}}, int(wait.Milliseconds()))
	return n > 0, err
}
