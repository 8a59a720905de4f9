//go:build !linux && !darwin && !windows

package terminal

// discardInput does nothing on this system.
func (t *Terminal) discardInput() error { return nil }

// ancestors are not known on this system: the mark and the missing terminal of
// programs that gongu starts are what tells.
func ancestors(int) []ancestor { return nil }
