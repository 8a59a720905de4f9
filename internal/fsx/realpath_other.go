//go:build !linux

package fsx

import "path/filepath"

// realPath returns where the directory is now.
func (t *target) realPath() string { return Resolve(filepath.Dir(t.place.Path)) }

// real returns the path of the file that the target names.
func (t *target) real() string { return t.place.Real() }
