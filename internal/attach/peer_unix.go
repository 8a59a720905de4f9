//go:build linux || darwin

package attach

import (
	"fmt"
	"net"
	"os"
)

// checkPeer rejects a connection from a process of another user. It returns the id of
// the process, or 0 where it is not known.
func checkPeer(conn net.Conn) (pid int, err error) {
	socket, ok := conn.(*net.UnixConn)
	if !ok {
		return 0, nil // the handshake decides alone
	}
	raw, err := socket.SyscallConn()
	if err != nil {
		return 0, err
	}
	var user uint32
	var failed error
	err = raw.Control(func(fd uintptr) { user, pid, failed = peerOf(int(fd)) })
	switch {
	case err != nil:
		return 0, err
	case failed != nil:
		return 0, failed
	case int(user) != os.Geteuid():
		return 0, fmt.Errorf("the process at the other end belongs to user %d", user)
	}
	return pid, nil
}
