package fsx

import (
	"cmp"
	"crypto/rand"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"syscall"
	"time"
)

// Step is a point on the way of [Replace], before what it is named for.
type Step string

// The steps of [Replace], in order.
const (
	StepCreate  Step = "create"
	StepWrite   Step = "write"
	StepSync    Step = "sync"
	StepRename  Step = "rename"
	StepSyncDir Step = "sync directory"
)

// ErrUnconfirmed means that a file was replaced, but the system could not say
// whether the change would survive a loss of power.
var ErrUnconfirmed = errors.New("the change was made, but is perhaps not on the disk yet")

// Replace replaces the content of a file atomically: a reader sees all of the old
// or all of the new, also when the writer is killed, and when Replace has
// returned the new content is on the disk. Mode and owner of an old file stay.
// The caller holds a lock, so that [Sweep] may remove the temporary files of
// killed writers.
//
// Watch may be nil. It is called before each step, and its error is treated like
// one of the step.
func Replace(path string, data []byte, watch func(Step) error) error {
	return replace(path, data, 0, watch)
}

// replace writes a file of a mode, or, with mode 0, keeps mode and owner of the
// old one.
func replace(path string, data []byte, mode fs.FileMode, watch func(Step) error) (err error) {
	if watch == nil {
		watch = func(Step) error { return nil }
	}
	old, err := os.Lstat(path)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	if err := watch(StepCreate); err != nil {
		return err
	}
	temp := filepath.Join(filepath.Dir(path), tempPrefix(path)+rand.Text()+tempSuffix)
	if mode != 0 {
		old = nil
	}
	file, err := os.OpenFile(temp, os.O_WRONLY|os.O_CREATE|os.O_EXCL, cmp.Or(mode, modeIn(filepath.Dir(path))))
	if err != nil {
		return err
	}
	err = errors.Join(fill(file, data, old, watch), file.Close())
	if err == nil {
		err = watch(StepRename)
	}
	if err == nil {
		err = renameOver(temp, path)
	}
	if err != nil {
		_ = os.Remove(temp) // the first error counts
		return err
	}
	if err = watch(StepSyncDir); err == nil {
		err = SyncFolder(filepath.Dir(path))
	}
	if err != nil {
		return fmt.Errorf("%w: %w", ErrUnconfirmed, err)
	}
	return nil
}

// modeIn returns the mode of a new file: in a private folder it is private.
func modeIn(dir string) fs.FileMode {
	if info, err := os.Stat(dir); err == nil && !isWide(info) {
		return privateFile
	}
	return 0o644
}

func fill(file *os.File, data []byte, old fs.FileInfo, watch func(Step) error) error {
	if old != nil {
		keepOwner(file, old)
		if err := file.Chmod(old.Mode().Perm()); err != nil {
			return err
		}
	}
	if err := watch(StepWrite); err != nil {
		return err
	}
	if _, err := file.Write(data); err != nil {
		return err
	}
	if err := watch(StepSync); err != nil {
		return err
	}
	return file.Sync()
}

const tempSuffix = ".tmp"

func tempPrefix(path string) string { return "." + filepath.Base(path) + "." }

// Sweep removes what killed writers of a file, and of files whose names go on
// from its name with a dot, left beside it. The caller holds the lock of the
// writers, so that none of them is alive.
func Sweep(path string) error {
	dir, err := os.Open(filepath.Dir(path))
	if err != nil {
		return err
	}
	names, err := dir.Readdirnames(-1)
	err = errors.Join(err, dir.Close())
	for _, name := range names {
		rest, found := strings.CutPrefix(name, tempPrefix(path))
		rest, whole := strings.CutSuffix(rest, tempSuffix)
		if found && whole && isRandom(rest[strings.LastIndexByte(rest, '.')+1:]) {
			err = errors.Join(err, os.Remove(filepath.Join(filepath.Dir(path), name)))
		}
	}
	return err
}

// isRandom reports whether a part of a name was made by [Replace].
func isRandom(s string) bool {
	return len(s) == len(rand.Text()) && strings.Trim(s, "ABCDEFGHIJKLMNOPQRSTUVWXYZ234567") == ""
}

// renameOver retries on Windows, where a file cannot be replaced while it is
// open.
func renameOver(from, to string) error {
	err := os.Rename(from, to)
	for i := 0; err != nil && runtime.GOOS == "windows" && i < 100; i++ {
		time.Sleep(10 * time.Millisecond)
		err = os.Rename(from, to)
	}
	return err
}

// SyncFolder brings a change of names to the disk, where a folder can be
// brought there.
func SyncFolder(path string) error {
	if runtime.GOOS == "windows" {
		return nil // renaming does it
	}
	dir, err := os.Open(path)
	if err != nil {
		return err
	}
	err = dir.Sync()
	if errors.Is(err, syscall.EINVAL) || errors.Is(err, errors.ErrUnsupported) {
		err = nil // some network and user file systems have no such thing
	}
	return errors.Join(err, dir.Close())
}
