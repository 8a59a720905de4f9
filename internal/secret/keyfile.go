package secret

import (
	"crypto/rand"
	"encoding/base64"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"github.com/gongu-ai/gongu/internal/fsx"
)

// KeyFile returns the key of a file, which holds size bytes in base64 and which only
// its owner may read. A file that does not exist is made with a new key; of several
// processes that do so at once, all get the same one.
func KeyFile(path string, size int) ([]byte, error) {
	key, err := readKey(path, size)
	if errors.Is(err, fs.ErrNotExist) {
		if err = makeKey(path, size); err == nil {
			key, err = readKey(path, size) // another process may have been faster
		}
	}
	return key, err
}

func readKey(path string, size int) ([]byte, error) {
	file, err := fsx.OpenPrivate(path, os.O_RDONLY)
	if err != nil {
		return nil, err
	}
	defer func() { _ = file.Close() }() // nothing was written
	text, err := io.ReadAll(io.LimitReader(file, 1024))
	if err != nil {
		return nil, err
	}
	key, err := base64.StdEncoding.DecodeString(strings.TrimSpace(string(text)))
	if err != nil || len(key) != size {
		return nil, fmt.Errorf("it is not a key: %d bytes in base64", size)
	}
	return key, nil
}

// makeKey writes a new key, whole or not at all, unless there is one.
func makeKey(path string, size int) error {
	key := make([]byte, size)
	rand.Read(key)                                          // never fails
	file, err := os.CreateTemp(filepath.Dir(path), ".key-") // with permissions 0600
	if err != nil {
		return err
	}
	defer func() { _ = os.Remove(file.Name()) }() // at worst a temporary file stays
	_, err = file.WriteString(base64.StdEncoding.EncodeToString(key) + "\n")
	if err = errors.Join(err, file.Sync(), file.Close()); err != nil {
		return err
	}
	if err := os.Link(file.Name(), path); err != nil && !errors.Is(err, fs.ErrExist) {
		return err
	}
	return nil
}
