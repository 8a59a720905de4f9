package state

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"

	"github.com/gongu-ai/gongu/internal/fsx"
	"github.com/gongu-ai/gongu/internal/lang"
)

// prepareFile makes the file, private to this user, without keeping it open:
// closing a file gives up all locks that this process has on it.
func prepareFile(path string, o *Options) error {
	dir := filepath.Dir(path)
	if _, err := os.Stat(dir); errors.Is(err, fs.ErrNotExist) {
		if err := fsx.PrivateDir(dir); err != nil {
			return unavailable(lang.StoreReadOnly.With(path), lang.StoreReadHint.With(dir), err)
		}
	}
	if kind, err := o.network(dir); err != nil {
		return unavailable(lang.StoreFailed.With(path, err), lang.StoreFailedHint.With(), err)
	} else if kind != "" {
		return lang.NewError(ErrInvalid, lang.StoreNetwork.With(path, kind), lang.StoreNetworkHint.With())
	}
	info, err := os.Stat(path)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		if err := makeFile(path); err != nil {
			return unavailable(lang.StoreReadOnly.With(path), lang.StoreReadHint.With(dir), err)
		}
		return nil
	case err != nil:
		return unavailable(lang.StoreFailed.With(path, err), lang.StoreFailedHint.With(), err)
	case !fsx.Owned(info):
		return lang.NewError(ErrInvalid, lang.StoreForeign.With(path), lang.StoreForeignHint.With())
	case info.Mode().Perm()&0o200 == 0: // SQLite would make its other files read-only too
		return unavailable(lang.StoreReadOnly.With(path), lang.StoreReadHint.With(path), fs.ErrPermission)
	}
	for _, name := range []string{path, path + "-wal", path + "-shm"} {
		if info, err := os.Stat(name); err != nil || fsx.Private(info) && info.Mode().Perm()&0o200 != 0 {
			continue
		}
		if err := os.Chmod(name, 0o600); err != nil && !errors.Is(err, fs.ErrNotExist) {
			return unavailable(lang.StoreReadOnly.With(name), lang.StoreReadHint.With(name), err)
		}
	}
	return nil
}

// makeFile makes an empty file and gives it its name only after it is closed.
func makeFile(path string) error {
	file, err := os.CreateTemp(filepath.Dir(path), ".store-") // with permissions 0600
	if err != nil {
		return err
	}
	defer os.Remove(file.Name())
	if err := file.Close(); err != nil {
		return err
	}
	if err := os.Link(file.Name(), path); err != nil && !errors.Is(err, fs.ErrExist) {
		return os.Rename(file.Name(), path) // a file system without links
	}
	return nil
}
