//go:build !(darwin || dragonfly || freebsd || illumos || linux || netbsd || openbsd || windows)

package fsx

import (
	"errors"
	"os"
)

const lockFlags = 0

// Going on without a lock would lose what others write.
func lockFile(*os.File) (bool, error) { return false, errors.ErrUnsupported }

func unlockFile(*os.File) error { return errors.ErrUnsupported }
