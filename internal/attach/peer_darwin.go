package attach

import "golang.org/x/sys/unix"

// peerOf returns the user and the id of the process at the other end of a socket.
func peerOf(fd int) (user uint32, pid int, err error) {
	peer, err := unix.GetsockoptXucred(fd, unix.SOL_LOCAL, unix.LOCAL_PEERCRED)
	if err != nil {
		return 0, 0, err
	}
	pid, err = unix.GetsockoptInt(fd, unix.SOL_LOCAL, unix.LOCAL_PEERPID)
	return peer.Uid, pid, err
}
