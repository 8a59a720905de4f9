//go:build !linux && !darwin

package attach

import "net"

// checkPeer leaves the decision to the handshake: there is no portable way to ask
// for the user and the process at the other end.
func checkPeer(net.Conn) (pid int, err error) { return 0, nil }
