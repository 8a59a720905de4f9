//go:build !linux

package fsx

import "path/filepath"

// realPath returns where the directory is now.
func (t *target) realPath() string { return Resolve(filepath.Dir(t.place.Path)) }
