package statedir

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"io/fs"
	"os"
	"path/filepath"

	"github.com/gongu-ai/gongu/internal/fsx"
)

// originSuffix ends the name of the file with the hash of what was copied.
const originSuffix = ".origin"

// BundleFile returns where a file of the bundle, such as gongu.lock, is kept: in
// the bundle, or in the state root if the bundle cannot be written (moved). The
// state root then begins with a copy of the bundle's file, and begins again when
// that file changes: the bundle's owner has the last word.
func BundleFile(bundle, root, name string) (path string, moved bool, err error) {
	original := filepath.Join(bundle, name)
	if fsx.Writable(bundle) == nil {
		return original, false, nil
	}
	path = filepath.Join(root, name)
	text, err := os.ReadFile(original)
	if errors.Is(err, fs.ErrNotExist) {
		return path, true, nil
	}
	if err != nil {
		return "", true, unusable(root, err)
	}
	sum := sha256.Sum256(text)
	origin := []byte(hex.EncodeToString(sum[:]) + "\n")
	if last, err := os.ReadFile(path + originSuffix); err == nil && bytes.Equal(last, origin) {
		return path, true, nil
	}
	if err = Use(root, bundle); err == nil {
		err = fsx.ReplacePrivate(path, text)
	}
	if err == nil || errors.Is(err, fsx.ErrUnconfirmed) {
		err = fsx.ReplacePrivate(path+originSuffix, origin)
	}
	if err != nil && !errors.Is(err, fsx.ErrUnconfirmed) {
		return "", true, unusable(root, err)
	}
	return path, true, nil
}
