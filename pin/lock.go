package pin

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"

	"github.com/gongu-ai/gongu/internal/fsx"
)

// lockVersion is the newest form of the lock file that this build can read.
const lockVersion = 1

// maxLock bounds the lock file; 100,000 tools take about 10 MB.
const maxLock = 64 << 20

// lock is gongu.lock. Maps are written with sorted keys and one tool to a
// line, so that a diff shows what changed and merges are easy.
type lock struct {
	Version int                    `json:"version"`
	Sources map[string]*lockSource `json:"sources"`
}

type lockSource struct {
	Launch Launch            `json:"launch"`
	Tools  map[string]string `json:"tools"`
}

func readLock(path string) (*lock, error) {
	raw, err := os.ReadFile(path)
	if errors.Is(err, fs.ErrNotExist) {
		return &lock{Version: lockVersion, Sources: make(map[string]*lockSource)}, nil
	}
	if err != nil {
		return nil, fmt.Errorf("read pins: %w", err)
	}
	if len(raw) > maxLock {
		return nil, fmt.Errorf("read pins: %s has %d bytes, more than %d; it cannot be ours", path, len(raw), maxLock)
	}
	var version struct {
		Version int `json:"version"`
	}
	if err := json.Unmarshal(raw, &version); err != nil {
		return nil, fmt.Errorf("read pins: %s is not a lock file: %w; restore it, or remove it to pin everything anew", path, err)
	}
	if version.Version != lockVersion {
		return nil, fmt.Errorf("read pins: %s has version %d, and this gongu knows %d; use a newer gongu", path, version.Version, lockVersion)
	}
	decoder := json.NewDecoder(bytes.NewReader(raw))
	decoder.DisallowUnknownFields()
	out := &lock{}
	if err := decoder.Decode(out); err != nil {
		return nil, fmt.Errorf("read pins: %s: %w; restore it, or remove it to pin everything anew", path, err)
	}
	if out.Sources == nil {
		out.Sources = make(map[string]*lockSource)
	}
	for name, source := range out.Sources {
		if source == nil {
			return nil, fmt.Errorf("read pins: %s: source %q is null; restore it, or remove it to pin everything anew", path, name)
		}
	}
	return out, nil
}

func (l *lock) write(path string) error {
	var out bytes.Buffer
	encoder := json.NewEncoder(&out)
	encoder.SetEscapeHTML(false)
	encoder.SetIndent("", "  ")
	if err := encoder.Encode(l); err != nil {
		return fmt.Errorf("write pins: %w", err)
	}
	return replaceFile(path, out.Bytes())
}

// source is the entry of a source, made when it is not there.
func (l *lock) source(name string) (entry *lockSource, known bool) {
	entry, known = l.Sources[name]
	if !known {
		entry = &lockSource{}
		l.Sources[name] = entry
	}
	if entry.Tools == nil {
		entry.Tools = make(map[string]string)
	}
	return entry, known
}

// replaceFile writes a file as one step, with the folders above it.
func replaceFile(path string, data []byte) error {
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		return err
	}
	return fsx.Replace(path, data, nil)
}
