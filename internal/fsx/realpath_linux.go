package fsx

import (
	"os"
	"path/filepath"
	"strconv"
)

// realPath returns where the open directory is now, whatever links led to it.
func (t *target) realPath() string {
	if dir, err := t.dir.Open("."); err == nil {
		path, err := os.Readlink("/proc/self/fd/" + strconv.Itoa(int(dir.Fd())))
		_ = dir.Close() // it was only looked at
		if err == nil && filepath.IsAbs(path) {
			return path
		}
	}
	return Resolve(filepath.Dir(t.place.Path))
}

// real returns the path of the file that the target names.
func (t *target) real() string { return filepath.Join(t.realPath(), t.base) }
