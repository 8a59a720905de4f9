package cad

import (
	"context"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"time"

	"github.com/gongu-ai/gongu/internal/fsx"
	"github.com/gongu-ai/gongu/internal/lang"
)

const (
	// sceneName is the file of a scene in the folder of its instance.
	sceneName = "scene.json"
	// maxSceneFile bounds what is read: more than any scene can have.
	maxSceneFile = 256 << 20
	// lockWait is how long a change waits for those of other processes. Each
	// takes milliseconds; one that is stopped must not stop all.
	lockWait = 30 * time.Second
)

// Folder is a store of files: DIR/<instance>/scene.json, where the name of the
// folder is made from the instance so that no two share one. Several processes
// may use it at once. Each change is on the disk, whole, when Update returns.
type Folder struct{ dir string }

// NewFolder returns a store below dir. Nothing is made before the first
// change.
func NewFolder(dir string) *Folder {
	// A later change of the current directory must not move the scenes.
	if absolute, err := filepath.Abs(dir); err == nil {
		dir = absolute
	}
	return &Folder{dir}
}

// Path is the file of an instance's scene.
func (f *Folder) Path(instance string) string {
	return filepath.Join(f.dir, fsx.SafeKey(instance), sceneName)
}

// View lets fn read a scene. It needs no lock: a file is always whole.
func (f *Folder) View(_ context.Context, instance string, fn func(*Scene) error) error {
	scene, err := readScene(f.Path(instance))
	if err != nil {
		return err
	}
	return fn(scene)
}

// Update lets fn change a scene, alone among all processes, and saves it.
func (f *Folder) Update(ctx context.Context, instance string, fn func(*Scene) error) (err error) {
	path := f.Path(instance)
	if err := fsx.PrivateDir(filepath.Dir(path)); err != nil {
		return fileProblem(err, lang.CADFileSave, err)
	}
	waiting, stop := context.WithTimeout(ctx, lockWait)
	defer stop()
	lock, err := fsx.TakeLock(waiting, filepath.Join(filepath.Dir(path), "."+sceneName+".lock"))
	if err != nil {
		return fileProblem(err, lang.CADFileLock, err)
	}
	defer func() { err = errors.Join(err, lock.Release()) }()
	scene, err := readScene(path)
	if err != nil {
		return err
	}
	if err := fn(scene); err != nil {
		return err
	}
	return saveScene(path, scene)
}

// readScene reads a file; the scene of one that does not exist is empty.
func readScene(path string) (*Scene, error) {
	// Looking at a scene that is not there leaves no folder behind.
	if _, err := os.Lstat(path); errors.Is(err, fs.ErrNotExist) {
		return NewScene(""), nil
	}
	place, err := fsx.Space{Workdir: filepath.Dir(path), Closed: []string{filepath.Dir(path)}}.At(filepath.Base(path))
	if err != nil {
		return nil, fileProblem(err, lang.CADFileBroken, path, err)
	}
	defer func() { _ = place.Close() }() // nothing was written
	raw, _, more, err := place.Head(maxSceneFile)
	if err != nil {
		return nil, fileProblem(err, lang.CADFileBroken, path, err)
	}
	if more {
		return nil, fileProblem(nil, lang.CADFileLarge, path, maxSceneFile)
	}
	scene, err := Decode(raw)
	if newer, ok := errors.AsType[*newerError](err); ok {
		return nil, fileProblem(err, lang.CADFileNewer, path, newer.version, sceneVersion)
	}
	if err != nil {
		return nil, fileProblem(err, lang.CADFileBroken, path, err)
	}
	return scene, nil
}

// saveScene replaces the file. The caller holds the lock.
func saveScene(path string, scene *Scene) error {
	raw, err := scene.Encode()
	if err == nil {
		err = fsx.Sweep(path) // we hold the lock, so no other writer is alive
	}
	if err == nil {
		err = fsx.ReplacePrivate(path, raw)
	}
	if err != nil && !errors.Is(err, fsx.ErrUnconfirmed) {
		return fileProblem(err, lang.CADFileSave, err)
	}
	return nil
}

func fileProblem(cause error, text lang.Text, args ...any) *Problem {
	return &Problem{Code: CodeSceneFile, message: text.With(args...), hint: lang.CADHintFile.With(), cause: cause}
}
