//go:build linux || darwin

package attach

import (
	"fmt"
	"net"
	"os"
)

// checkPeer rejects a connection from a process of another user.
func checkPeer(conn net.Conn) error {
	socket, ok := conn.(*net.UnixConn)
	if !ok {
		return nil // the handshake decides alone
	}
	raw, err := socket.SyscallConn()
	if err != nil {
		return err
	}
	var user uint32
	var failed error
	err = raw.Control(func(fd uintptr) { user, failed = peerUser(int(fd)) })
	switch {
	case err != nil:
		return err
	case failed != nil:
		return failed
	case int(user) != os.Geteuid():
		return fmt.Errorf("the process at the other end belongs to user %d", user)
	}
	return nil
}
