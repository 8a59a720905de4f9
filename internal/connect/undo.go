package connect

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/gongu-ai/gongu/internal/clients"
	"github.com/gongu-ai/gongu/internal/fsx"
)

// Undone is a file that Undo has restored.
type Undone struct {
	Client string `json:"client"`
	File   string `json:"restored"`
	// Existed is false when gongu connect had made the file.
	Existed bool `json:"existed"`
	// Partly is true when changes since then were kept.
	Partly bool `json:"partly,omitempty"`
}

// Undo restores the file as it was before the last Connect. In a file that was
// changed since then only the servers are restored; with force, all of it.
func (c *Connection) Undo(ctx context.Context, force bool) (*Undone, error) {
	last, err := c.undoLogOf(c.client.name, c.place.file).last()
	if err != nil {
		return nil, err
	}
	if last == nil {
		return nil, ErrNoUndo
	}
	done := &Undone{Client: c.client.name, File: last.File, Existed: last.Existed}
	err = last.restore(force)
	if errors.Is(err, ErrEdited) {
		err = c.restoreServers(last)
		done.Partly = err == nil
	}
	switch {
	case errors.Is(err, ErrEdited):
		return nil, ErrEdited
	case err != nil:
		return nil, &WriteError{c.place.file, fsx.Cause(err)}
	}
	if err := c.restoreEntry(ctx, last.Entry, last.EntryBefore); err != nil {
		return nil, &WriteError{c.ConfigDir, fsx.Cause(err)}
	}
	return done, nil
}

// undoRecord is one change of a settings file, kept to undo it. It holds what
// the file held, so only its owner may read it.
type undoRecord struct {
	Client string    `json:"client"`
	File   string    `json:"file"`
	At     time.Time `json:"at"`
	// Existed is false when there was no file before.
	Existed bool   `json:"existed"`
	Before  []byte `json:"before"`
	// After is the hash of what was written.
	After string `json:"after"`
	// Entry is the id of gongu's entry, EntryBefore its record before the change.
	Entry       string         `json:"entry,omitempty"`
	EntryBefore *clients.Entry `json:"entryBefore,omitempty"`

	path string // of this record
}

// undoLog is the folder with the changes of one file of one client.
type undoLog struct{ dir string }

func (o *Options) undoLogOf(client, file string) undoLog {
	sum := sha256.Sum256([]byte(file))
	return undoLog{filepath.Join(o.ConfigDir, "connect", client+"-"+hex.EncodeToString(sum[:6]))}
}

func digestOf(text []byte) string {
	sum := sha256.Sum256(text)
	return hex.EncodeToString(sum[:])
}

// add stores a record, before the file is changed.
func (s undoLog) add(record undoRecord) (*undoRecord, error) {
	if err := fsx.PrivateDir(s.dir); err != nil {
		return nil, err
	}
	raw, err := json.Marshal(record)
	if err != nil {
		return nil, err
	}
	names, err := s.names()
	if err != nil {
		return nil, err
	}
	next := 1
	if len(names) > 0 {
		if _, err := fmt.Sscanf(names[len(names)-1], "%d.json", &next); err != nil {
			return nil, err
		}
		next++
	}
	record.path = filepath.Join(s.dir, fmt.Sprintf("%06d.json", next))
	file, err := os.OpenFile(record.path, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o600)
	if err != nil {
		return nil, err
	}
	_, err = file.Write(raw)
	return &record, errors.Join(err, file.Sync(), file.Close())
}

func (s undoLog) names() ([]string, error) {
	entries, err := os.ReadDir(s.dir)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return nil, err
	}
	var names []string
	for _, entry := range entries {
		if strings.HasSuffix(entry.Name(), ".json") {
			names = append(names, entry.Name())
		}
	}
	slices.Sort(names)
	return names, nil
}

// last is the newest record, or nil.
func (s undoLog) last() (*undoRecord, error) {
	names, err := s.names()
	if err != nil || len(names) == 0 {
		return nil, err
	}
	path := filepath.Join(s.dir, names[len(names)-1])
	raw, err := os.ReadFile(path)
	if err != nil {
		return nil, err
	}
	record := &undoRecord{path: path}
	if err := json.Unmarshal(raw, record); err != nil {
		return nil, fmt.Errorf("%s: %w", path, err)
	}
	return record, nil
}

// restore restores a file, byte for byte. A file that was changed since then
// is restored only by force.
func (r *undoRecord) restore(force bool) error {
	now, err := os.ReadFile(r.File)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	gone := err != nil
	undone := gone && !r.Existed || !gone && r.Existed && bytes.Equal(now, r.Before)
	if !undone && !force && (gone || digestOf(now) != r.After) {
		return ErrEdited
	}
	switch {
	case undone:
	case !r.Existed:
		err = os.Remove(r.File)
	default:
		err = replaceFile(r.File, now, !gone, r.Before, 0o600)
	}
	if err != nil && !undone {
		return err
	}
	return os.Remove(r.path)
}
