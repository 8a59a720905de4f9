//go:build unix

package state

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
)

// R5: a file or a folder that cannot be written is a clear error that names it,
// and the store works again when it can.
func TestR5_SQLiteReadOnly(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	if os.Geteuid() == 0 { // permissions do not bind root
		for name := dir; name != os.TempDir() && name != "/"; name = filepath.Dir(name) {
			if err := os.Chmod(name, 0o777); err != nil {
				t.Fatal(err)
			}
		}
	}
	h := startHost(t, "readonly h", filepath.Join(dir, "main.db"))
	for {
		line := h.line(t)
		if line == "done" {
			return
		}
		t.Error(line)
	}
}

// readOnlyHost is the part of the test that runs as an ordinary user.
func readOnlyHost(t *testing.T) {
	url := os.Getenv(hostURL)
	dir := filepath.Dir(url)
	if os.Geteuid() == 0 {
		if err := errors.Join(syscall.Setgid(65534), syscall.Setuid(65534)); err != nil {
			t.Fatal(err)
		}
	}
	file := filepath.Join(dir, "own", "state.db")
	s := withTable(t, openAt(t, file, nil))
	update(t, s, insert("a", 1))
	if err := s.Close(); err != nil {
		t.Fatal(err)
	}
	own := filepath.Dir(file)
	for _, tc := range []struct {
		name, path string
		mode, back os.FileMode
		open       string
	}{
		{"file", file, 0o400, 0o600, file},
		{"folder", own, 0o500, 0o700, file},
		{"folder without a store", own, 0o500, 0o700, filepath.Join(own, "new.db")},
		{"folder without access", own, 0, 0o700, file},
	} {
		if err := os.Chmod(tc.path, tc.mode); err != nil {
			t.Fatal(err)
		}
		err := tryWrite(t, tc.open)
		if !errors.Is(err, ErrUnavailable) || !strings.Contains(fmt.Sprint(err), filepath.Base(tc.open)) {
			fmt.Println(tc.name, err)
		}
		if err := os.Chmod(tc.path, tc.back); err != nil {
			t.Fatal(err)
		}
		if err := tryWrite(t, tc.open); err != nil {
			fmt.Println(tc.name, "afterwards", err)
		}
	}
	fmt.Println("done")
}

func tryWrite(t *testing.T, file string) error {
	t.Helper()
	s, err := Open(t.Context(), file, nil)
	if err != nil {
		return err
	}
	return errors.Join(s.Update(t.Context(), grow("x")), s.Close())
}
