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
	"slices"
	"strings"
	"time"

	"github.com/gongu-ai/gongu/internal/fsx"
	"github.com/gongu-ai/gongu/internal/rows"
)

// consentVersion is the format of a consent's file. Format 1 covered less, so a
// file of it counts for nothing. Newer formats are errors.
const consentVersion = 2

// Consent records that a person consented to a bundle.
type Consent struct {
	Version int `json:"version"`
	// Folder is the bundle's folder or file. A link counts by its own path.
	Folder string `json:"folder"`
	// Digest is that of everything the consent covers; see [bundle.Cover].
	Digest string    `json:"digest"`
	At     time.Time `json:"at"`
	// How is where the consent came from, such as trust or connect.
	How string `json:"how"`
	// Rules means that rules which allow calls, and servers whose annotations
	// the bundle believes, count as well.
	Rules bool `json:"rules"`
}

// Consents are the consents of a user. Each bundle has its own file, so that
// programs seldom write the same one. They are not part of the state root, which
// a flag can choose.
type Consents struct {
	// Dir is where the files are (default: gongu/trust in the user's
	// configuration folder).
	Dir string
	// Rows keep the consents in a store that several hosts share, and not in
	// files: a consent on one host counts on every host whose bundle has the same
	// content. Who can write the store can consent.
	Rows rows.Store
}

// Of returns the consent to the bundle in a folder or file, if there is one.
func (c Consents) Of(bundle string) (Consent, bool, error) {
	if c.Rows != nil {
		return c.newest("", func(string) bool { return true })
	}
	path, folder, err := c.path(bundle)
	if err != nil {
		return Consent{}, false, err
	}
	known, err := readConsent(path)
	if errors.Is(err, fs.ErrNotExist) || errors.Is(err, errOpenConsent) {
		return Consent{}, false, nil
	}
	return known, err == nil && known.Version == consentVersion && known.Folder == folder, err
}

// errOpenConsent means that a record was not written by [Consents.Grant].
var errOpenConsent = errors.New("the record of consent is not private to this user")

// readConsent reads a record. One that others can read or write came with a
// checkout, or could have been changed by them, and does not count.
func readConsent(path string) (Consent, error) {
	if info, err := os.Stat(path); err == nil && !fsx.Private(info) {
		return Consent{}, errOpenConsent
	}
	raw, err := os.ReadFile(path)
	if err != nil {
		return Consent{}, fmt.Errorf("read a consent: %w", err)
	}
	var known Consent
	if err := json.Unmarshal(raw, &known); err != nil {
		return Consent{}, fmt.Errorf("the record of consent %s is broken: remove it and run gongu trust again: %w", path, err)
	}
	if known.Version > consentVersion {
		return Consent{}, fmt.Errorf("the record of consent %s has format %d, and this gongu supports %d: use a newer gongu", path, known.Version, consentVersion)
	}
	return known, nil
}

// Grant records a consent. It fills in version, time and absolute path.
func (c Consents) Grant(consent Consent) error {
	path, folder, err := c.path(consent.Folder)
	if err != nil {
		return err
	}
	consent.Version, consent.Folder, consent.At = consentVersion, folder, time.Now().UTC()
	if c.Rows != nil {
		return c.grantRow(consent)
	}
	raw, err := json.MarshalIndent(consent, "", "  ")
	if err != nil {
		return fmt.Errorf("record a consent: %w", err)
	}
	if err := fsx.PrivateDir(filepath.Dir(path)); err != nil {
		return fmt.Errorf("record a consent: %w", err)
	}
	// What a user consents to is not for other users to read.
	if err := fsx.ReplacePrivate(path, append(raw, '\n')); err != nil {
		return fmt.Errorf("record a consent: %w", err)
	}
	return nil
}

// Revoke removes the consent to a bundle. It does nothing without one. With rows
// it removes all of them, for every host.
func (c Consents) Revoke(bundle string) error {
	path, folder, err := c.path(bundle)
	if err != nil {
		return err
	}
	if c.Rows != nil {
		return c.revokeRows(folder)
	}
	if err := os.Remove(path); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return fmt.Errorf("revoke a consent: %w", err)
	}
	return nil
}

// List returns all consents, sorted by folder. The error has those that cannot be
// read.
func (c Consents) List() ([]Consent, error) {
	if c.Rows != nil {
		return c.listRows()
	}
	dir, err := c.dir()
	if err != nil {
		return nil, err
	}
	files, err := filepath.Glob(filepath.Join(dir, "*.json"))
	var all []Consent
	failures := []error{err}
	for _, file := range files {
		known, err := readConsent(file)
		if errors.Is(err, errOpenConsent) {
			continue
		}
		if err == nil && known.Version == consentVersion {
			all = append(all, known)
		}
		failures = append(failures, err)
	}
	slices.SortFunc(all, func(a, b Consent) int { return strings.Compare(a.Folder, b.Folder) })
	return all, errors.Join(failures...)
}

func (c Consents) dir() (string, error) {
	if c.Dir != "" {
		return c.Dir, nil
	}
	config, err := os.UserConfigDir()
	if err != nil {
		return "", fmt.Errorf("find the consents: %w", err)
	}
	return filepath.Join(config, "gongu", "trust"), nil
}

// path returns the file of a bundle's consent, and the absolute path of the
// bundle.
func (c Consents) path(bundle string) (file, folder string, err error) {
	dir, err := c.dir()
	if err != nil {
		return "", "", err
	}
	if folder, err = filepath.Abs(bundle); err != nil {
		return "", "", fmt.Errorf("find a consent: %w", err)
	}
	sum := sha256.Sum256([]byte(folder))
	return filepath.Join(dir, hex.EncodeToString(sum[:16])+".json"), folder, nil
}
