//go:build unix

package host

import (
	"os"
	"syscall"

	"golang.org/x/sys/unix"
)

// mayWrite reports whether this process may write a file or folder. A file system
// that is mounted read-only is not writable for root either.
func mayWrite(path string) bool { return unix.Access(path, unix.W_OK) == nil }

// mayReplace reports whether this process may rename a file or folder inside of a
// folder. In one with the sticky bit only the owners may.
func mayReplace(folder, name string) bool {
	if !mayWrite(folder) {
		return false
	}
	info, err := os.Stat(folder)
	if err != nil || info.Mode()&os.ModeSticky == 0 || os.Geteuid() == 0 {
		return true
	}
	return owns(folder) || owns(name)
}

func owns(path string) bool {
	info, err := os.Lstat(path)
	if err != nil {
		return true
	}
	stat, ok := info.Sys().(*syscall.Stat_t)
	return !ok || int(stat.Uid) == os.Geteuid()
}

// isMount reports whether a folder is where a file system was mounted.
func isMount(dir, above string) bool {
	a, errA := os.Stat(dir)
	b, errB := os.Stat(above)
	if errA != nil || errB != nil {
		return false
	}
	mine, okA := a.Sys().(*syscall.Stat_t)
	its, okB := b.Sys().(*syscall.Stat_t)
	return okA && okB && mine.Dev != its.Dev
}

// othersWrite reports whether users other than this one and root may write or
// replace a file or a part of its path.
func othersWrite(path string) bool {
	info, err := os.Lstat(path)
	if err != nil || info.Mode()&os.ModeSymlink != 0 {
		return false // the mode of a link means nothing; its folder counts
	}
	if stat, ok := info.Sys().(*syscall.Stat_t); ok && stat.Uid != 0 && int(stat.Uid) != os.Geteuid() {
		return true
	}
	return info.Mode()&0o002 != 0 && info.Mode()&os.ModeSticky == 0
}

// groupWrites reports whether a group other than root's may write a file or folder.
func groupWrites(path string) bool {
	info, err := os.Stat(path)
	if err != nil || info.Mode()&0o020 == 0 || info.Mode()&os.ModeSticky != 0 {
		return false
	}
	stat, ok := info.Sys().(*syscall.Stat_t)
	return !ok || stat.Gid != 0
}
