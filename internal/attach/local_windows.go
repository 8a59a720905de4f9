package attach

import "net"

// localNetwork is how programs of one user reach each other: on loopback, where
// the handshake decides alone.
const localNetwork = "tcp"

func listenLocal(network string) (net.Listener, error) { return net.Listen(network, "127.0.0.1:0") }
