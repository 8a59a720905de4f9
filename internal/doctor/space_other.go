//go:build !linux && !darwin

package doctor

// freeSpace is not known on this system.
func freeSpace(string) (bytes uint64, known bool) { return 0, false }
