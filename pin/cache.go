package pin

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"time"

	"github.com/gongu-ai/gongu/internal/fsx"
)

// cache keeps what sources listed, one file for each. It can be removed at any
// time: what is lost is the text of definitions that are pinned but no longer
// listed, and lists before a source is reached.
type cache struct{ dir string }

// listing is what a source listed last.
type listing struct {
	Version int       `json:"version"`
	Source  string    `json:"source"`
	At      time.Time `json:"at"`
	Tools   []kept    `json:"tools"`
	// Pinned has the accepted text of tools that are now listed differently,
	// where the lock file does not have it.
	Pinned []kept `json:"pinned,omitempty"`
}

// kept is a definition as a string, because its bytes count.
type kept struct {
	Digest string `json:"digest"`
	Text   string `json:"text,omitempty"`
}

// definition returns the definition that was kept, if it has the digest: a file
// that was changed counts as missing.
func (k kept) definition() (Definition, bool) {
	if k.Text == "" {
		return Definition{}, false
	}
	d, err := ParseDefinition(json.RawMessage(k.Text))
	if err != nil {
		return Definition{}, false
	}
	return d, k.is(d)
}

// is reports whether the definition is the one that was kept. An entry without
// a text may be from format 1 of the lock file.
func (k kept) is(d Definition) bool {
	return k.Digest == d.sum || k.Digest == d.digestV1()
}

func keep(d Definition, digest string) (kept, error) {
	raw, err := d.bytes()
	return kept{Digest: digest, Text: string(raw)}, err
}

const cacheVersion = 1

func (c cache) path(source string) string {
	sum := sha256.Sum256([]byte(source))
	return filepath.Join(c.dir, hex.EncodeToString(sum[:12])+".json")
}

func (c cache) write(l listing) error {
	l.Version = cacheVersion
	encoded, err := json.Marshal(l)
	if err != nil {
		return fmt.Errorf("keep definitions: %w", err)
	}
	if err := fsx.ReplacePrivate(c.path(l.Source), append(encoded, '\n')); err != nil {
		return fmt.Errorf("keep definitions: %w", err)
	}
	return nil
}

// read returns what a source listed last, in this process or before.
func (c cache) read(source string) (listing, bool) {
	l, ok := readListing(c.path(source))
	return l, ok && l.Source == source
}

func readListing(path string) (listing, bool) {
	raw, err := os.ReadFile(path)
	if err != nil {
		return listing{}, false
	}
	var l listing
	if err := json.Unmarshal(raw, &l); err != nil || l.Version != cacheVersion {
		return listing{}, false
	}
	return l, true
}

// all are the listings of every source.
func (c cache) all() ([]listing, error) {
	entries, err := os.ReadDir(c.dir)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, fmt.Errorf("read definitions: %w", err)
	}
	var found []listing
	for _, entry := range entries {
		path := filepath.Join(c.dir, entry.Name())
		if l, ok := readListing(path); ok && c.path(l.Source) == path {
			found = append(found, l)
		}
	}
	return found, nil
}

// texts are the definitions of a listing by name and digest.
func (l listing) texts() map[string]Definition {
	out := make(map[string]Definition, len(l.Tools)+len(l.Pinned))
	for _, k := range append(l.Tools[:len(l.Tools):len(l.Tools)], l.Pinned...) {
		if d, ok := k.definition(); ok {
			out[d.Name+"\x00"+k.Digest] = d
		}
	}
	return out
}
