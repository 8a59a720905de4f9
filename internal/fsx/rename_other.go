//go:build !unix

package fsx

import "os"

// renameAt renames by path: this system cannot rename between open directories
// of different roots.
func renameAt(from, to *target) error {
	return os.Rename(from.place.Path, to.place.Path)
}
