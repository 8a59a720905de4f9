//go:build !windows

package attach

import "net"

// localNetwork is how programs of one user reach each other.
const localNetwork = "unix"

func listenLocal(string) (net.Listener, error) { return listenUnix(socketPlaces()) }
