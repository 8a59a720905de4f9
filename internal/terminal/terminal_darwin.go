package terminal

import "golang.org/x/sys/unix"

// discardInput drops what was typed or pasted before the question was shown.
func (t *Terminal) discardInput() error {
	return unix.IoctlSetPointerInt(int(t.In.Fd()), unix.TIOCFLUSH, unix.TCIFLUSH)
}

// ancestors are a process and those above it, the nearest first. Their
// environment cannot be read here.
func ancestors(pid int) []ancestor {
	var all []ancestor
	for pid > 0 && len(all) < maxAncestors {
		info, err := unix.SysctlKinfoProc("kern.proc.pid", pid)
		if err != nil {
			break
		}
		all = append(all, ancestor{program: unix.ByteSliceToString(info.Proc.P_comm[:])})
		pid = int(info.Eproc.Ppid)
	}
	return all
}
