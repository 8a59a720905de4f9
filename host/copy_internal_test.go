package host

import (
	"os"
	"path/filepath"
	"testing"
	"time"
)

// K2: the last three copies are kept, and those that a host has used within the
// last minutes.
func TestK2_OldCopiesArePruned(t *testing.T) {
	all := t.TempDir()
	now := time.Now()
	for name, age := range map[string]time.Duration{"a": time.Hour, "b": 2 * time.Hour, "c": 3 * time.Hour, "d": 4 * time.Hour, "used": time.Minute} {
		dir := filepath.Join(all, name)
		if err := os.Mkdir(dir, 0o700); err != nil {
			t.Fatal(err)
		}
		if err := os.Chtimes(dir, now.Add(-age), now.Add(-age)); err != nil {
			t.Fatal(err)
		}
	}
	pruneCopies(all, now)
	for name, want := range map[string]bool{"used": true, "a": true, "b": true, "c": false, "d": false} {
		if _, err := os.Stat(filepath.Join(all, name)); (err == nil) != want {
			t.Errorf("%s: kept %v, want %v", name, err == nil, want)
		}
	}
}
