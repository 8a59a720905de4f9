package pin

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"

	"github.com/gongu-ai/gongu/internal/fsx"
)

// lockVersion is the form of the lock file that this build writes, and the
// newest that it can read.
const lockVersion = 2

const (
	// maxLock bounds the lock file; 100,000 tools take about 100 MB.
	maxLock = 256 << 20
	// maxAccepted is how many definitions of one tool can be accepted at once,
	// so that a team can use an old and a new server.
	maxAccepted = 4
)

// lock is gongu.lock. Maps are written with sorted keys and one tool to a
// line, so that a diff shows what changed and merges are easy.
type lock struct {
	Version int                    `json:"version"`
	Sources map[string]*lockSource `json:"sources"`
}

type lockSource struct {
	Launch Launch `json:"launch"`
	// Partial is set for a launch that format 1 recorded, without the values
	// of variables and the folder.
	Partial bool `json:"partial,omitempty"`
	// Tools are the accepted definitions by name, the newest first. The text
	// of one that format 1 recorded is empty until it is listed again.
	Tools map[string][]kept `json:"tools"`
}

// add accepts one more definition of a tool. The oldest makes room.
func (s *lockSource) add(name string, k kept) {
	s.Tools[name] = accept(s.Tools[name], k)
}

// accept puts a definition first in a list.
func accept(list []kept, k kept) []kept {
	list = slices.DeleteFunc(slices.Clone(list), func(old kept) bool { return old.Digest == k.Digest })
	list = append([]kept{k}, list...)
	return list[:min(len(list), maxAccepted)]
}

func newLock() *lock {
	return &lock{Version: lockVersion, Sources: make(map[string]*lockSource)}
}

func readLock(path string) (*lock, error) {
	raw, err := os.ReadFile(path)
	if errors.Is(err, fs.ErrNotExist) {
		return newLock(), nil
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
	out := &lock{}
	switch version.Version {
	case 1:
		out, err = readLockV1(raw)
	case lockVersion:
		err = decodeStrictly(raw, out)
	default:
		return nil, fmt.Errorf("read pins: %s has version %d, and this gongu knows %d; use a newer gongu", path, version.Version, lockVersion)
	}
	if err != nil {
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

func decodeStrictly(raw []byte, into any) error {
	decoder := json.NewDecoder(bytes.NewReader(raw))
	decoder.DisallowUnknownFields()
	return decoder.Decode(into)
}

// readLockV1 reads format 1, which has the digest of one definition of each tool
// and the names of variables. The next write is in the format of today.
func readLockV1(raw []byte) (*lock, error) {
	var old struct {
		Version int `json:"version"`
		Sources map[string]*struct {
			Launch struct {
				Command string   `json:"command"`
				Args    []string `json:"args"`
				Env     []string `json:"env"`
				URL     string   `json:"url"`
			} `json:"launch"`
			Tools map[string]string `json:"tools"`
		} `json:"sources"`
	}
	if err := decodeStrictly(raw, &old); err != nil {
		return nil, err
	}
	out := newLock()
	for name, was := range old.Sources {
		if was == nil {
			out.Sources[name] = nil // refused by the caller
			continue
		}
		entry, _ := out.source(name)
		entry.Partial = true
		entry.Launch = Launch{Command: was.Launch.Command, Args: was.Launch.Args, URL: was.Launch.URL}
		for _, variable := range was.Launch.Env {
			if entry.Launch.Env == nil {
				entry.Launch.Env = make(map[string]string)
			}
			entry.Launch.Env[variable] = ""
		}
		for tool, digest := range was.Tools {
			entry.Tools[tool] = []kept{{Digest: digest}}
		}
	}
	return out, nil
}

func (l *lock) write(path string) error {
	text, err := l.text()
	if err != nil {
		return err
	}
	return replaceFile(path, text)
}

// text is the lock file.
func (l *lock) text() ([]byte, error) {
	l.Version = lockVersion
	var out bytes.Buffer
	encoder := json.NewEncoder(&out)
	encoder.SetEscapeHTML(false)
	encoder.SetIndent("", "  ")
	if err := encoder.Encode(l); err != nil {
		return nil, fmt.Errorf("write pins: %w", err)
	}
	return out.Bytes(), nil
}

// source is the entry of a source, made when it is not there.
func (l *lock) source(name string) (entry *lockSource, known bool) {
	entry, known = l.Sources[name]
	if !known {
		entry = &lockSource{}
		l.Sources[name] = entry
	}
	if entry.Tools == nil {
		entry.Tools = make(map[string][]kept)
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
