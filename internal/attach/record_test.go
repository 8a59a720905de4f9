package attach

import (
	"os"
	"path/filepath"
	"testing"
)

func TestRecordIsPrivateAndRemovedByItsServer(t *testing.T) {
	file := recordFile(t.TempDir(), "mine")
	mine := Record{PID: 1, URL: "http://127.0.0.1:1/mcp", Instance: "mine"}
	if err := mine.Write(file); err != nil {
		t.Fatal(err)
	}
	if info, err := os.Stat(file); err != nil || info.Mode().Perm() != 0o600 {
		t.Errorf("%v, %v", info.Mode(), err)
	}
	Record{Instance: "other"}.Remove(file)
	if now, ok := Read(file); !ok || now != mine {
		t.Errorf("%+v, %v", now, ok)
	}
	mine.Remove(file)
	if _, err := os.Stat(file); !os.IsNotExist(err) {
		t.Errorf("the record is still there: %v", err)
	}
}

// Only what a server can have made is removed with its record.
func TestRemoveSocketRemovesNothingElse(t *testing.T) {
	dir := t.TempDir()
	for _, name := range []string{"s", "gongu-0123456789abcdef/s", "gongu-0123456789abcdef/other", "gongu-0123456789ABCDEF/s"} {
		path := filepath.Join(dir, name)
		if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, nil, 0o600); err != nil {
			t.Fatal(err)
		}
		Record{Network: "unix", Address: path}.removeSocket()
		if _, err := os.Stat(path); err != nil {
			t.Errorf("%s: %v", name, err)
		}
	}
}
