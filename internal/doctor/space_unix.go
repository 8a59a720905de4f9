//go:build linux || darwin

package doctor

import "syscall"

// freeSpace is what this user can still write to a disk.
func freeSpace(dir string) (bytes uint64, known bool) {
	var disk syscall.Statfs_t
	if err := syscall.Statfs(dir, &disk); err != nil || disk.Bsize <= 0 {
		return 0, false
	}
	return disk.Bavail * uint64(disk.Bsize), true
}
