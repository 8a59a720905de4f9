package attach

import "golang.org/x/sys/unix"

// peerUser returns the user of the process at the other end of a socket.
func peerUser(fd int) (uint32, error) {
	peer, err := unix.GetsockoptUcred(fd, unix.SOL_SOCKET, unix.SO_PEERCRED)
	if err != nil {
		return 0, err
	}
	return peer.Uid, nil
}
