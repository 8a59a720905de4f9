package attach

import "golang.org/x/sys/unix"

// peerOf returns the user and the id of the process at the other end of a socket.
func peerOf(fd int) (user uint32, pid int, err error) {
	peer, err := unix.GetsockoptUcred(fd, unix.SOL_SOCKET, unix.SO_PEERCRED)
	if err != nil {
		return 0, 0, err
	}
	return peer.Uid, int(peer.Pid), nil
}
