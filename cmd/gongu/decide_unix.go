//go:build unix

package main

import "os"

// openTerminal opens the controlling terminal. It fails in a session that has
// none, such as that of every program that gongu starts.
func openTerminal() (*terminal, error) {
	tty, err := os.OpenFile("/dev/tty", os.O_RDWR, 0)
	if err != nil {
		return nil, err
	}
	return &terminal{in: tty, out: tty}, nil
}
