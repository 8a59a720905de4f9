package cad

import (
	"bytes"
	"context"
	"crypto/rand"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"sync"
	"time"

	"github.com/gongu-ai/gongu/internal/fsx"
	"github.com/gongu-ai/gongu/internal/lang"
)

const (
	// sceneName is the file of a scene in the folder of its instance.
	sceneName = "scene.json"
	// maxSceneFile bounds what is read: more than any scene can have.
	maxSceneFile = 256 << 20
	// maxKept is how many scenes are kept in memory.
	maxKept = 64
	// lockWait is how long a change waits for those of other processes. Each
	// takes milliseconds; one that is stopped must not stop all.
	lockWait = 30 * time.Second
	// stamped is how our files begin; the stamp has 26 letters.
	stamped = `{"version":1,"stamp":"`
	// headBytes is how much of a file tells it from all others.
	headBytes = len(stamped) + 26
)

// Folder is a store of files: DIR/<instance>/scene.json, where the name of the
// folder is made from the instance so that no two share one. Several processes
// may use it at once. Each change is on the disk, whole, when Update returns.
type Folder struct {
	dir string

	mu     sync.Mutex
	scenes map[string]*kept
}

// kept is a scene that was read or written last, to be used again as long as
// its file begins with the same bytes.
type kept struct {
	mu    sync.Mutex
	head  []byte // nil when the scene must be read
	scene *Scene
}

// NewFolder returns a store below dir. Nothing is made before the first
// change.
func NewFolder(dir string) *Folder {
	// A later change of the current directory must not move the scenes.
	if absolute, err := filepath.Abs(dir); err == nil {
		dir = absolute
	}
	return &Folder{dir: dir, scenes: make(map[string]*kept)}
}

// Path is the file of an instance's scene.
func (f *Folder) Path(instance string) string {
	return filepath.Join(f.dir, fsx.SafeKey(instance), sceneName)
}

func (f *Folder) kept(instance string) *kept {
	f.mu.Lock()
	defer f.mu.Unlock()
	k, ok := f.scenes[instance]
	if !ok {
		// Whoever still uses the one that goes does no harm: it is then like
		// another process.
		for other := range f.scenes {
			if len(f.scenes) < maxKept {
				break
			}
			delete(f.scenes, other)
		}
		k = &kept{}
		f.scenes[instance] = k
	}
	return k
}

// View lets fn read a scene. It needs no lock: a file is always whole.
func (f *Folder) View(_ context.Context, instance string, fn func(*Scene) error) error {
	k := f.kept(instance)
	k.mu.Lock()
	defer k.mu.Unlock()
	if err := k.refresh(f.Path(instance)); err != nil {
		return err
	}
	return fn(k.scene)
}

// Update lets fn change a scene, alone among all processes, and saves it.
func (f *Folder) Update(ctx context.Context, instance string, fn func(*Scene) error) (err error) {
	path := f.Path(instance)
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		return fileProblem(err, lang.CADFileSave, err)
	}
	waiting, stop := context.WithTimeout(ctx, lockWait)
	defer stop()
	lock, err := fsx.TakeLock(waiting, filepath.Join(filepath.Dir(path), "."+sceneName+".lock"))
	if err != nil {
		return fileProblem(err, lang.CADFileLock, err)
	}
	defer func() { err = errors.Join(err, lock.Release()) }()
	k := f.kept(instance)
	k.mu.Lock()
	defer k.mu.Unlock()
	if err := k.refresh(path); err != nil {
		return err
	}
	if err := fn(k.scene); err != nil {
		k.forget() // fn may have done half of its work
		return err
	}
	return k.save(path)
}

// refresh reads the file unless the scene at hand is what it holds.
func (k *kept) refresh(path string) error {
	// Looking at a scene that is not there leaves no folder behind.
	if _, err := os.Lstat(path); errors.Is(err, fs.ErrNotExist) {
		k.scene, k.head = NewScene(""), nil
		return nil
	}
	place, err := fsx.Space{Workdir: filepath.Dir(path)}.At(filepath.Base(path))
	if err != nil {
		k.forget()
		return fileProblem(err, lang.CADFileBroken, path, err)
	}
	defer func() { _ = place.Close() }() // nothing was written
	if k.head != nil {
		if head, _, _, err := place.Head(headBytes); err == nil && bytes.Equal(head, k.head) {
			return nil
		}
	}
	k.forget()
	return k.read(place)
}

func (k *kept) read(place *fsx.Place) error {
	path := place.Path
	raw, _, more, err := place.Head(maxSceneFile)
	if err != nil {
		return fileProblem(err, lang.CADFileBroken, path, err)
	}
	if more {
		return fileProblem(nil, lang.CADFileLarge, path, maxSceneFile)
	}
	scene, err := Decode(raw)
	if newer, ok := errors.AsType[*newerError](err); ok {
		return fileProblem(err, lang.CADFileNewer, path, newer.version, sceneVersion)
	}
	if err != nil {
		return fileProblem(err, lang.CADFileBroken, path, err)
	}
	k.keep(scene, raw)
	return nil
}

func (k *kept) save(path string) error {
	raw, err := k.scene.encode(rand.Text())
	if err == nil {
		err = fsx.Sweep(path) // we hold the lock, so no other writer is alive
	}
	if err == nil {
		err = fsx.Replace(path, raw, nil)
	}
	if err != nil && !errors.Is(err, fsx.ErrUnconfirmed) {
		k.forget()
		return fileProblem(err, lang.CADFileSave, err)
	}
	k.keep(k.scene, raw)
	return nil
}

// keep remembers a scene with the beginning of its file. A file without a
// stamp, written by somebody else, is read every time.
func (k *kept) keep(scene *Scene, raw []byte) {
	k.scene, k.head = scene, nil
	if bytes.HasPrefix(raw, []byte(stamped)) && len(raw) > headBytes {
		k.head = bytes.Clone(raw[:headBytes])
	}
}

func (k *kept) forget() { k.scene, k.head = nil, nil }

func fileProblem(cause error, text lang.Text, args ...any) *Problem {
	return &Problem{Code: CodeSceneFile, message: text.With(args...), hint: lang.CADHintFile.With(), cause: cause}
}
