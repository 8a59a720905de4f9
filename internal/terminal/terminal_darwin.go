package terminal

import (
	"os"
	"time"

	"golang.org/x/sys/unix"
)

// discardInput drops what was typed or pasted before the question was shown.
func (t *Terminal) discardInput() error {
	return unix.IoctlSetPointerInt(int(t.In.Fd()), unix.TIOCFLUSH, unix.TCIFLUSH)
}

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

// ancestors are the processes above this one, the nearest first. Their
// environment cannot be read here.
func ancestors() []ancestor {
	var all []ancestor
	for pid := os.Getppid(); pid > 0 && len(all) < maxAncestors; {
		info, err := unix.SysctlKinfoProc("kern.proc.pid", pid)
		if err != nil {
			break
		}
		all = append(all, ancestor{program: unix.ByteSliceToString(info.Proc.P_comm[:])})
		pid = int(info.Eproc.Ppid)
	}
	return all
}
