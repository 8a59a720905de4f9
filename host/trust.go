package host

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

	"github.com/gongu-ai/gongu/bundle"
	"github.com/gongu-ai/gongu/internal/fsx"
)

// trustVersion is the format of a trust file. Newer formats are errors.
const trustVersion = 1

// Trust stores which folders may run code, with a hash of that code: a changed
// script must be trusted again. Each folder has its own file, so that programs
// seldom write the same one.
type Trust struct {
	// Dir is where the files are (default: gongu/trust in the user's
	// configuration folder).
	Dir string
}

type trustFile struct {
	Version int       `json:"version"`
	Folder  string    `json:"folder"`
	Digest  string    `json:"digest"`
	At      time.Time `json:"at"`
}

// Needed reports whether a bundle must be trusted before it is used, and is
// not yet. A bundle without code needs no trust.
func (t Trust) Needed(b *bundle.Bundle) (bool, error) {
	if !b.Executable() {
		return false, nil
	}
	path, err := t.path(b.Dir())
	if err != nil {
		return true, err
	}
	raw, err := os.ReadFile(path)
	if errors.Is(err, fs.ErrNotExist) {
		return true, nil
	}
	if err != nil {
		return true, fmt.Errorf("read trust: %w", err)
	}
	var known trustFile
	if err := json.Unmarshal(raw, &known); err != nil {
		return true, fmt.Errorf("trust file %s is broken: remove it and trust the folder again: %w", path, err)
	}
	if known.Version > trustVersion {
		return true, fmt.Errorf("trust file %s has format %d, and this gongu supports %d: use a newer gongu", path, known.Version, trustVersion)
	}
	digest, err := b.TrustDigest()
	if err != nil {
		return true, err
	}
	return known.Folder != b.Dir() || known.Digest != digest, nil
}

// Grant trusts a bundle as it is now.
func (t Trust) Grant(b *bundle.Bundle) error {
	digest, err := b.TrustDigest()
	if err != nil {
		return err
	}
	path, err := t.path(b.Dir())
	if err != nil {
		return err
	}
	raw, err := json.MarshalIndent(trustFile{trustVersion, b.Dir(), digest, time.Now().UTC()}, "", "  ")
	if err != nil {
		return fmt.Errorf("trust: %w", err)
	}
	if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
		return fmt.Errorf("trust: %w", err)
	}
	if err := fsx.Replace(path, append(raw, '\n'), nil); err != nil {
		return fmt.Errorf("trust: %w", err)
	}
	// What a user trusts is not for other users to read.
	if err := os.Chmod(path, 0o600); err != nil {
		return fmt.Errorf("trust: %w", err)
	}
	return nil
}

// Revoke removes the trust in a folder. It does nothing for one that was not
// trusted.
func (t Trust) Revoke(dir string) error {
	absolute, err := filepath.Abs(dir)
	if err != nil {
		return fmt.Errorf("trust: %w", err)
	}
	path, err := t.path(absolute)
	if err != nil {
		return err
	}
	if err := os.Remove(path); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return fmt.Errorf("trust: %w", err)
	}
	return nil
}

func (t Trust) path(folder string) (string, error) {
	dir := t.Dir
	if dir == "" {
		config, err := os.UserConfigDir()
		if err != nil {
			return "", fmt.Errorf("trust: %w", err)
		}
		dir = filepath.Join(config, "gongu", "trust")
	}
	sum := sha256.Sum256([]byte(folder))
	return filepath.Join(dir, hex.EncodeToString(sum[:16])+".json"), nil
}
