package fsx

import (
	"errors"
	"io/fs"
	"os"

	"golang.org/x/sys/windows"
)

// Owned is decided by the access list on Windows, which [PrivateDir] sets.
func Owned(fs.FileInfo) bool { return true }

// isWide is true, so that [PrivateDir] sets the list of every folder.
func isWide(info fs.FileInfo) bool { return info.IsDir() }

// Private is decided by the access list of the folder.
func Private(fs.FileInfo) bool { return true }

// restrict gives a folder, and what will be made in it, an access list with this
// user alone, and does not inherit another one.
func restrict(path string) error {
	user, err := windows.GetCurrentProcessToken().GetTokenUser()
	if err != nil {
		return err
	}
	descriptor, err := windows.SecurityDescriptorFromString("D:P(A;OICI;FA;;;" + user.User.Sid.String() + ")")
	if err != nil {
		return err
	}
	list, _, err := descriptor.DACL()
	if err != nil {
		return err
	}
	return windows.SetNamedSecurityInfo(path, windows.SE_FILE_OBJECT,
		windows.DACL_SECURITY_INFORMATION|windows.PROTECTED_DACL_SECURITY_INFORMATION, nil, nil, list, nil)
}

// mayWrite tries it: an access list has too many cases.
func mayWrite(dir string) error {
	file, err := os.CreateTemp(dir, ".gongu-*.tmp")
	if err != nil {
		return err
	}
	return errors.Join(file.Close(), os.Remove(file.Name()))
}
