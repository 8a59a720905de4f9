package state

import (
	"syscall"
	"testing"
)

// smallDisk mounts a disk of 2 MB, where that is allowed.
func smallDisk(t *testing.T, dir string) bool {
	t.Helper()
	if err := syscall.Mount("none", dir, "tmpfs", 0, "size=2m"); err != nil {
		return false
	}
	t.Cleanup(func() {
		if err := syscall.Unmount(dir, 0); err != nil {
			t.Error(err)
		}
	})
	return true
}
