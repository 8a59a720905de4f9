//go:build unix

package terminal

import "os"

// openControlling opens the controlling terminal. It fails in a session that has
// none, such as that of every program that gongu starts.
func openControlling() (*Terminal, error) {
	tty, err := os.OpenFile("/dev/tty", os.O_RDWR, 0)
	if err != nil {
		return nil, err
	}
	return &Terminal{In: tty, Out: tty}, nil
}
