//go:build !windows

package statedir

import "runtime"

// adminFolder is a folder that only root can write.
func adminFolder() string {
	if runtime.GOOS == "darwin" {
		return "/Library/Application Support/gongu"
	}
	return "/etc/gongu"
}
