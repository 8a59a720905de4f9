//go:build !unix

package fsx

import (
	"io/fs"
	"os"
)

// nonblock is not needed: there are no pipes among the files.
const nonblock = 0

func keepOwner(*os.File, fs.FileInfo) {}
