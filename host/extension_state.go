package host

import (
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"

	"github.com/gongu-ai/gongu/internal/fsx"
)

// maxExtensionState bounds the state of an extension, in bytes.
const maxExtensionState = 16 << 20

// stateFiles stores the state of the extensions of an instance, in one file for
// each, below the folder of the instance.
type stateFiles struct{ dir string }

func (s stateFiles) open(extension string) (*fsx.Place, error) {
	return fsx.Space{Workdir: s.dir, Closed: []string{s.dir}}.At(fsx.SafeKey(extension) + ".json")
}

// Load returns the stored state, or nil.
func (s stateFiles) Load(extension string) (json.RawMessage, error) {
	if _, err := os.Stat(s.dir); errors.Is(err, fs.ErrNotExist) {
		return nil, nil // reading must not create the folder
	}
	place, err := s.open(extension)
	if err != nil {
		return nil, err
	}
	defer func() { _ = place.Close() }() // it was only read
	raw, _, more, err := place.Head(maxExtensionState)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return nil, nil
	case err != nil:
		return nil, err
	case more:
		return nil, fmt.Errorf("%s is larger than %d bytes", place.Path, maxExtensionState)
	case !json.Valid(raw):
		return nil, fmt.Errorf("%s is not JSON", place.Path)
	}
	return raw, nil
}

// Save replaces the stored state atomically.
func (s stateFiles) Save(extension string, state json.RawMessage) error {
	if len(state) > maxExtensionState {
		return fmt.Errorf("the state of extension %s has more than %d bytes", extension, maxExtensionState)
	}
	place, err := s.open(extension)
	if err != nil {
		return err
	}
	_, err = place.Write(state)
	return errors.Join(err, place.Close())
}

// extensionState returns the state files of an instance.
func (h *Host) extensionState(at Address) stateFiles {
	return stateFiles{filepath.Join(h.instanceDir(at), "extensions")}
}
