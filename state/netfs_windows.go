package state

import (
	"path/filepath"

	"golang.org/x/sys/windows"
)

// networkFileSystem returns the kind of network file system that a path is on,
// or nothing.
func networkFileSystem(path string) (kind string, err error) {
	volume, err := windows.UTF16PtrFromString(filepath.VolumeName(path) + `\`)
	if err != nil {
		return "", err
	}
	if windows.GetDriveType(volume) == windows.DRIVE_REMOTE {
		return "SMB", nil
	}
	return "", nil
}
