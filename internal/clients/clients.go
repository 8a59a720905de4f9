// Package clients records which entries in the settings of MCP clients gongu connect
// has written. A client on stdio names its entry by a random id, and the record says
// who it is and what the user chose for it. A settings file alone proves nothing: a
// repository can bring one along.
package clients

import (
	"context"
	"crypto/rand"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"sync"
	"time"

	"github.com/gongu-ai/gongu/internal/fsx"
)

// Who asks the user before a call that changes something.
const (
	AskClient = "client" // the client itself
	AskGongu  = "gongu"
)

// Entry is what the user chose for one entry of a client.
type Entry struct {
	// Client is the name of the program, such as claude.
	Client string `json:"client"`
	// Bundle is the only bundle that the entry counts for.
	Bundle string `json:"bundle"`
	// Ask is [AskClient] or [AskGongu].
	Ask string `json:"ask"`
	// Permission is the client's own mode; empty is the usual one.
	Permission string `json:"permission,omitempty"`
	// Offer are words and globs of the tools that it is offered; nil is the
	// server's choice.
	Offer []string  `json:"offer,omitzero"`
	At    time.Time `json:"at"`
}

// Name is the file of the records in gongu's configuration folder.
const Name = "clients.json"

// Book is the file with the records. It is safe for concurrent use.
type Book struct {
	path string

	mu      sync.Mutex
	read    fs.FileInfo // of the file that entries are from; nil for none
	entries map[string]*Entry
}

// Open returns the book in a configuration folder. The file need not exist.
func Open(dir string) *Book { return &Book{path: filepath.Join(dir, Name)} }

// idBytes is the size of an id: too many to guess.
const idBytes = 16

// NewID returns the id of a new entry.
func NewID() string {
	id := make([]byte, idBytes)
	_, _ = rand.Read(id) // never fails
	return hex.EncodeToString(id)
}

// keyOf is how the file names an entry: whoever reads it must not learn the id.
func keyOf(id string) string {
	sum := sha256.Sum256([]byte(id))
	return hex.EncodeToString(sum[:])
}

// Find returns the entry with an id, or nil. The pointer is the same until the file
// changes. A file that cannot be read, or that others can read, has no entries; the
// error says why.
func (b *Book) Find(id, bundle string) (*Entry, error) {
	if len(id) != 2*idBytes {
		return nil, nil
	}
	b.mu.Lock()
	defer b.mu.Unlock()
	if err := b.refresh(); err != nil {
		return nil, err
	}
	e := b.entries[keyOf(id)]
	if e == nil || Canonical(bundle) != Canonical(e.Bundle) {
		return nil, nil
	}
	return e, nil
}

// Canonical returns the path of a bundle without links, as far as it exists.
func Canonical(path string) string {
	absolute, err := filepath.Abs(path)
	if err != nil {
		return path
	}
	if real, err := filepath.EvalSymlinks(absolute); err == nil {
		return real
	}
	return absolute
}

// refresh reads the file if it has changed. The caller holds the lock.
func (b *Book) refresh() error {
	info, err := os.Lstat(b.path)
	if errors.Is(err, fs.ErrNotExist) {
		b.read, b.entries = nil, nil
		return nil
	}
	if err != nil {
		return err
	}
	if b.read != nil && os.SameFile(b.read, info) && b.read.ModTime().Equal(info.ModTime()) && b.read.Size() == info.Size() {
		return nil
	}
	b.read, b.entries = nil, nil
	if !info.Mode().IsRegular() || !fsx.Private(info) {
		return fmt.Errorf("%s must be a file that only you can read (chmod 600)", b.path)
	}
	raw, err := os.ReadFile(b.path)
	if err != nil {
		return err
	}
	var file bookFile
	if err := json.Unmarshal(raw, &file); err != nil {
		return fmt.Errorf("read %s: %w", b.path, err)
	}
	maps.DeleteFunc(file.Clients, func(_ string, e *Entry) bool { return e == nil || e.Bundle == "" })
	b.read, b.entries = info, file.Clients
	return nil
}

type bookFile struct {
	Clients map[string]*Entry `json:"clients"`
}

// Put records an entry, in place of an earlier one with the id.
func (b *Book) Put(ctx context.Context, id string, e Entry) error {
	return b.change(ctx, func(all map[string]*Entry) { all[keyOf(id)] = &e })
}

// Remove removes the record of an id.
func (b *Book) Remove(ctx context.Context, id string) error {
	return b.change(ctx, func(all map[string]*Entry) { delete(all, keyOf(id)) })
}

func (b *Book) change(ctx context.Context, do func(map[string]*Entry)) error {
	if err := fsx.PrivateDir(filepath.Dir(b.path)); err != nil {
		return err
	}
	lock, err := fsx.TakeLock(ctx, b.path+".lock")
	if err != nil {
		return err
	}
	b.mu.Lock()
	defer b.mu.Unlock()
	if err = b.refresh(); err == nil {
		all := make(map[string]*Entry, len(b.entries)+1)
		for key, e := range b.entries {
			all[key] = e
		}
		do(all)
		err = b.write(all)
	}
	return errors.Join(err, lock.Release())
}

func (b *Book) write(all map[string]*Entry) error {
	raw, err := json.MarshalIndent(bookFile{all}, "", "  ")
	if err != nil {
		return err
	}
	b.read = nil // read again
	if err := fsx.ReplacePrivate(b.path, append(raw, '\n')); err != nil && !errors.Is(err, fsx.ErrUnconfirmed) {
		return fmt.Errorf("write %s: %w", b.path, err)
	}
	return nil
}

// Of returns the newest entry of each client for a bundle, by the name of the client.
func (b *Book) Of(bundle string) (map[string]*Entry, error) {
	b.mu.Lock()
	defer b.mu.Unlock()
	if err := b.refresh(); err != nil {
		return nil, err
	}
	found := map[string]*Entry{}
	for _, e := range b.entries {
		if before := found[e.Client]; Canonical(bundle) == Canonical(e.Bundle) && (before == nil || before.At.Before(e.At)) {
			found[e.Client] = e
		}
	}
	return found, nil
}
