package statedir

import (
	"path/filepath"

	"golang.org/x/sys/windows"
)

// adminFolder is in Program Files: in ProgramData, every user can add files. The
// folder is asked of the system, because the user can change the environment.
func adminFolder() string {
	dir, err := windows.KnownFolderPath(windows.FOLDERID_ProgramFiles, 0)
	if err != nil {
		return ""
	}
	return filepath.Join(dir, "gongu", "config")
}
