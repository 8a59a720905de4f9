package host

import (
	"crypto/rand"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/gongu-ai/gongu/bundle"
	"github.com/gongu-ai/gongu/internal/fsx"
)

const (
	// copiesFolder has the copies of what was consented to, below the state
	// root, each in a folder named by its digest.
	copiesFolder = "consented"
	// keptCopies is how many copies of a bundle are kept. One that was used
	// within keptFor is kept as well: a host touches those that it uses every
	// touchEvery.
	keptCopies = 3
	keptFor    = 10 * time.Minute
	touchEvery = time.Minute
)

// copyDir returns the folder of the copy with a digest.
func copyDir(state, digest string) string {
	return filepath.Join(state, copiesFolder, strings.TrimPrefix(digest, "sha256:"))
}

// openCopy returns the folder of a copy after it has checked its content.
func openCopy(state, digest string) (string, error) {
	dir := copyDir(state, digest)
	found, err := bundle.CopyDigest(dir)
	if err != nil {
		return "", err
	}
	if found != digest {
		return "", fmt.Errorf("the copy in %s was changed", dir)
	}
	touch(dir)
	return dir, nil
}

// touch keeps a copy from being pruned.
func touch(dir string) {
	now := time.Now()
	_ = os.Chtimes(dir, now, now) // it is pruned earlier, which the next start repairs
}

// keepCopy returns the folder with a copy of what a cover covers. It makes the
// copy when it is missing or damaged.
func keepCopy(state string, cover *bundle.Cover) (string, error) {
	digest := cover.Digest()
	if dir, err := openCopy(state, digest); err == nil {
		return dir, nil
	}
	all := filepath.Join(state, copiesFolder)
	if err := fsx.PrivateDir(all); err != nil {
		return "", fmt.Errorf("copy the bundle: %w", err)
	}
	aside := filepath.Join(all, ".new-"+rand.Text())
	err := cover.Copy(aside)
	if err == nil {
		err = replaceFolder(aside, copyDir(state, digest))
	}
	if err != nil {
		return "", errors.Join(fmt.Errorf("copy the bundle: %w", err), os.RemoveAll(aside))
	}
	pruneCopies(all, time.Now())
	return openCopy(state, digest)
}

// replaceFolder renames a folder to a name that a damaged one may have.
func replaceFolder(from, to string) error {
	err := os.Rename(from, to)
	if err == nil {
		return nil
	}
	if _, gone := os.Lstat(to); errors.Is(gone, fs.ErrNotExist) {
		return err
	}
	if err := os.RemoveAll(to); err != nil {
		return err
	}
	return os.Rename(from, to)
}

// pruneCopies removes old copies.
func pruneCopies(all string, now time.Time) {
	entries, err := os.ReadDir(all)
	if err != nil {
		return // the next copy tries again
	}
	type folder struct {
		name string
		used time.Time
	}
	var folders []folder
	for _, e := range entries {
		if info, err := e.Info(); err == nil && e.IsDir() {
			folders = append(folders, folder{e.Name(), info.ModTime()})
		}
	}
	slices.SortFunc(folders, func(a, b folder) int { return b.used.Compare(a.used) })
	for i, f := range folders {
		if i >= keptCopies && now.Sub(f.used) > keptFor {
			_ = os.RemoveAll(filepath.Join(all, f.name)) // the next copy tries again
		}
	}
}

// touchCopies keeps the copies that are in use from being pruned.
func (h *Host) touchCopies() {
	h.loading.Lock()
	defer h.loading.Unlock()
	dirs := map[string]bool{}
	for _, dir := range h.sources.dirs {
		dirs[dir] = true
	}
	if l := h.now(); l.bundle != nil {
		dirs[l.bundle.Root()] = true
		for _, module := range l.modules {
			dirs[module.root] = true
		}
	}
	for dir := range dirs {
		if filepath.Dir(dir) == filepath.Join(h.state, copiesFolder) {
			touch(dir)
		}
	}
}
