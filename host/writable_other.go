//go:build !unix

package host

import "os"

// mayWrite reports whether this process may write a file or folder.
func mayWrite(path string) bool {
	info, err := os.Stat(path)
	if err != nil {
		return true
	}
	if info.IsDir() {
		f, err := os.CreateTemp(path, ".gongu-*")
		if err != nil {
			return false
		}
		_ = f.Close() // nothing was written
		return os.Remove(f.Name()) == nil
	}
	f, err := os.OpenFile(path, os.O_WRONLY, 0)
	if err != nil {
		return false
	}
	return f.Close() == nil
}

// mayReplace reports whether this process may rename a file or folder inside of a
// folder.
func mayReplace(folder, _ string) bool { return mayWrite(folder) }

// isMount is not known on this system: all folders above count.
func isMount(string, string) bool { return false }

// othersWrite is not known on this system: the mode of a file does not show it.
func othersWrite(string) bool { return false }

// groupWrites is not known on this system.
func groupWrites(string) bool { return false }
