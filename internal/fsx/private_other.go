//go:build !unix && !windows

package fsx

import "io/fs"

// Owned is true where files have no owners.
func Owned(fs.FileInfo) bool { return true }

// Private is true where files have no permissions.
func Private(fs.FileInfo) bool { return true }

func isWide(fs.FileInfo) bool { return false }

func restrict(string) error { return nil }

func mayWrite(string) error { return nil }
