package connect

import (
	"errors"
	"os"
	"path/filepath"
	"testing"
)

// What is not a settings file is not read: a folder, and a file that is far too
// large.
func TestReadSettingsRefuses(t *testing.T) {
	dir := t.TempDir()
	if _, err := readSettings(dir); !errors.Is(err, errNoFile) {
		t.Errorf("a folder: %v", err)
	}
	large := filepath.Join(dir, "large.json")
	file, err := os.Create(large)
	if err != nil {
		t.Fatal(err)
	}
	if err := errors.Join(file.Truncate(maxSettings+1), file.Close()); err != nil {
		t.Fatal(err)
	}
	if _, err := readSettings(large); !errors.Is(err, errLargeFile) {
		t.Errorf("a large file: %v", err)
	}
}
