package statedir

import "path/filepath"

// AdminFile returns the path of a settings file of the administrator, in a folder
// that other users cannot write. No environment variable changes it. It is empty
// when the system has no such folder.
func AdminFile(name string) string {
	dir := adminFolder()
	if dir == "" {
		return ""
	}
	return filepath.Join(dir, name)
}
