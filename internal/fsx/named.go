package fsx

import (
	"io/fs"
	"os"
	"path/filepath"
	"slices"
)

// anywhere is between the folder and the name of an entry of [Space.Protected]
// that [Anywhere] made.
var anywhere = string(filepath.Separator) + "**" + string(filepath.Separator)

// Anywhere returns an entry of [Space.Protected] for all files with a name in a
// folder and in the folders below it.
func Anywhere(folder, name string) string { return filepath.Clean(folder) + anywhere + name }

// namedFile is such an entry.
type namedFile struct{ folder, name string }

// folders returns those folders of entries that the directory lies in.
func (t *target) folders() []string {
	var found []string
	real := ""
	seen := map[string]bool{}
	for _, n := range t.named {
		if seen[n.folder] {
			continue
		}
		seen[n.folder] = true
		if real == "" {
			real = t.realPath()
		}
		if about, err := os.Stat(n.folder); err == nil && above(about, real) {
			found = append(found, n.folder)
		}
	}
	return found
}

// above reports whether a path lies in the described directory, or is it.
func above(about fs.FileInfo, path string) bool {
	for at := path; ; at = filepath.Dir(at) {
		if info, err := os.Stat(at); err == nil && os.SameFile(info, about) {
			return true
		}
		if at == filepath.Dir(at) {
			return false
		}
	}
}

// names reports whether a name is that of an entry for a folder.
func (t *target) names(folder, name string) bool {
	return slices.ContainsFunc(t.named, func(n namedFile) bool { return n.folder == folder && sameName(n.name, name) })
}

// maxArriving bounds the files of a directory that is moved to where some names
// are protected.
const maxArriving = 100_000

// checkArrival refuses to move a directory with a protected name in it to where
// that name is protected.
func (t *target) checkArrival(parent *os.Root, name string) error {
	folders := t.folders()
	if len(folders) == 0 {
		return nil
	}
	left := maxArriving
	return fs.WalkDir(parent.FS(), filepath.ToSlash(name), func(_ string, entry fs.DirEntry, err error) error {
		if left--; err != nil || left < 0 {
			return t.refuse()
		}
		if slices.ContainsFunc(folders, func(folder string) bool { return t.names(folder, entry.Name()) }) {
			return t.refuse()
		}
		return nil
	})
}
