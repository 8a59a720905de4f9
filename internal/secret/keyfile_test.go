package secret_test

import (
	"bytes"
	"os"
	"path/filepath"
	"sync"
	"testing"

	"github.com/gongu-ai/gongu/internal/secret"
)

// R1: processes that make the key file at once get one key; what is no key, or can
// be read by others, is refused and left as it is.
func TestR1_KeyFile(t *testing.T) {
	path := filepath.Join(t.TempDir(), "key")
	keys := make([][]byte, 16)
	var all sync.WaitGroup
	for i := range keys {
		all.Go(func() {
			key, err := secret.KeyFile(path, 32)
			if err != nil || len(key) != 32 {
				t.Errorf("%d bytes, %v", len(key), err)
			}
			keys[i] = key
		})
	}
	all.Wait()
	for _, key := range keys {
		if !bytes.Equal(key, keys[0]) {
			t.Error("two keys")
		}
	}
	left, err := os.ReadDir(filepath.Dir(path))
	if err != nil || len(left) != 1 {
		t.Errorf("the folder has %v, %v", left, err)
	}
	if _, err := secret.KeyFile(path, 16); err == nil {
		t.Error("a key of another size")
	}
	if err := os.WriteFile(path, []byte("no key\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	if _, err := secret.KeyFile(path, 32); err == nil {
		t.Error("a text that is no key")
	}
	if data, err := os.ReadFile(path); err != nil || string(data) != "no key\n" {
		t.Errorf("the file is %q, %v", data, err)
	}
	if _, err := secret.KeyFile(filepath.Join(path, "x", "y"), 32); err == nil {
		t.Error("a folder that does not exist")
	}
}
