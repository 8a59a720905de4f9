package terminal

import (
	"time"

	"golang.org/x/sys/unix"
)

const getTermios, setTermios = unix.TIOCGETA, unix.TIOCSETA

// readable waits until a byte can be read, or for some time. Poll does not work
// for terminals on this system.
func readable(fd int, wait time.Duration) (bool, error) {
	if fd >= unix.FD_SETSIZE {
		return true, nil
	}
	var set unix.FdSet
	set.Set(fd)
	timeout := unix.NsecToTimeval(wait.Nanoseconds())
	n, err := unix.Select(fd+1, &set, nil, nil, &timeout)
	return n > 0, err
}
