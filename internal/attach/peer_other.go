//go:build !linux && !darwin

package attach

import "net"

// checkPeer leaves the decision to the handshake: there is no portable way to ask
// for the user at the other end.
func checkPeer(net.Conn) error { return nil }
