// Package statedir finds and protects the state root of a bundle: the folder with
// its instances, tokens, caches and records of servers. It lies in the user's
// state folder and never in the bundle, because a bundle can come from somebody
// else with a state that they prepared (K1).
package statedir

import (
	"cmp"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"strings"

	"github.com/gongu-ai/gongu/internal/fsx"
	"github.com/gongu-ai/gongu/internal/lang"
)

// ErrUnusable means that a state root cannot be used. The error is a [lang.Error]
// that names --state-root.
var ErrUnusable = errors.New("the state root cannot be used")

// variable names the state root when there is no flag.
const variable = "GONGU_STATE_ROOT"

// OldName is the folder in a bundle that earlier versions kept the state in.
const OldName = ".gongu"

// Root returns the state root for the bundle or the folder at base: the option,
// else GONGU_STATE_ROOT, else a folder in the user's state folder that is named
// for the path of base. It makes nothing. A root in base, or one that others can
// change, is an error.
func Root(option, base string) (string, error) {
	base, err := filepath.Abs(base)
	if err != nil {
		return "", unusable(base, err)
	}
	given := cmp.Or(option, os.Getenv(variable))
	if given == "" {
		folder, err := Folder()
		if err != nil {
			return "", err
		}
		root := filepath.Join(folder, nameOf(base))
		if err := check(folder); err != nil {
			return "", err
		}
		if err := check(root); err != nil {
			return "", err
		}
		// A client's file in a repository can set XDG_STATE_HOME.
		if checkout := repository(base); checkout != "" && Brings(checkout, root, userHome()) {
			return "", lang.NewError(ErrUnusable, lang.StateInBundle.With(root, checkout), lang.StateInBundleHint.With())
		}
		return root, checkGiven(root)
	}
	root, err := filepath.Abs(given)
	if err != nil {
		return "", unusable(given, err)
	}
	if Brings(base, root, userHome()) {
		return "", lang.NewError(ErrUnusable, lang.StateInBundle.With(root, base), lang.StateInBundleHint.With())
	}
	return root, errors.Join(check(root), checkGiven(root))
}

// check refuses an existing folder of another user.
func check(dir string) error {
	_, err := fsx.CheckPrivate(dir)
	switch {
	case errors.Is(err, fs.ErrNotExist) || err == nil:
		return nil
	case errors.Is(err, fsx.ErrForeign):
		return lang.NewError(ErrUnusable, lang.StateForeign.With(dir), lang.StateForeignHint.With(filepath.Join(dir, "gongu"))).Because(err)
	}
	return unusable(dir, err)
}

// checkGiven refuses a folder that has content and that others can enter:
// it was not made by gongu. Narrowing it would lock others out of their files,
// and a folder from a repository must not be taken for state.
func checkGiven(root string) error {
	info, err := os.Stat(root)
	if err != nil || runtime.GOOS == "windows" || info.Mode().Perm()&0o077 == 0 {
		return nil
	}
	if entries, err := os.ReadDir(root); err == nil && len(entries) == 0 {
		return nil
	}
	return lang.NewError(ErrUnusable, lang.StateOpen.With(root, info.Mode().Perm().String()), lang.StateOpenHint.With(filepath.Join(root, "gongu"), root))
}

func unusable(dir string, err error) error {
	return lang.NewError(ErrUnusable, lang.StateUnusable.With(dir, fsx.Cause(err)), lang.StateUnusableHint.With()).Because(err)
}

// Writable reports why nothing can be kept in a state root.
func Writable(root string) error {
	if err := fsx.Writable(root); err != nil {
		return unusable(root, err)
	}
	return nil
}

// Brings reports whether a path can have come along with a bundle: it lies in the
// bundle's folder, or in the repository that this is part of. A folder that
// contains the user's home, such as the root of the file system, contains
// everything and was not downloaded.
func Brings(base, path, home string) bool {
	for _, folder := range []string{base, repository(base)} {
		if folder == "" || filepath.Dir(folder) == folder || filepath.IsAbs(home) && within(folder, home) {
			continue
		}
		if within(folder, path) {
			return true
		}
	}
	return false
}

// userHome is the user's home, or nothing.
func userHome() string {
	home, _ := os.UserHomeDir() // without one there is nothing to except
	return home
}

// repository returns the nearest folder at or above base that is a checkout, if
// there is one.
func repository(base string) string {
	for dir := fsx.Resolve(base); ; dir = filepath.Dir(dir) {
		if _, err := os.Lstat(filepath.Join(dir, ".git")); err == nil {
			return dir
		}
		if dir == filepath.Dir(dir) {
			return ""
		}
	}
}

// within reports whether a path lies in a folder, however both are spelled.
func within(folder, path string) bool {
	for _, from := range []string{folder, fsx.Resolve(folder)} {
		for _, to := range []string{path, fsx.Resolve(path)} {
			if relative, err := filepath.Rel(from, to); err == nil && filepath.IsLocal(relative) {
				return true
			}
		}
	}
	return false
}

// Folder returns the folder of all state roots without an option.
func Folder() (string, error) {
	var base string
	var err error
	switch runtime.GOOS {
	case "windows":
		base, err = os.UserCacheDir() // LocalAppData
	case "darwin":
		base, err = os.UserConfigDir() // Library/Application Support
	default:
		if base = os.Getenv("XDG_STATE_HOME"); !filepath.IsAbs(base) {
			base, err = os.UserHomeDir()
			base = filepath.Join(base, ".local", "state")
		}
	}
	if err == nil && !filepath.IsAbs(base) {
		err = errors.New("the path is not absolute")
	}
	if err != nil {
		return "", lang.NewError(ErrUnusable, lang.StateNoHome.With(err), lang.StateUnusableHint.With()).Because(err)
	}
	name := "gongu"
	if runtime.GOOS == "windows" || runtime.GOOS == "darwin" {
		name = filepath.Join(name, "state") // configuration and caches are there, too
	}
	return filepath.Join(base, name), nil
}

// hashLength is the number of hexadecimal digits in the name of a state root.
const hashLength = 16

// nameOf returns the name of the state root of a path. The path counts as it is
// written: behind a link that is moved to the next release is the same bundle.
func nameOf(path string) string {
	sum := sha256.Sum256([]byte(path))
	readable := strings.Map(func(r rune) rune {
		if r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z' || r >= '0' && r <= '9' || r == '_' || r == '.' {
			return r
		}
		return '-'
	}, filepath.Base(path))
	readable = strings.Trim(readable[:min(len(readable), 40)], "-.")
	return cmp.Or(readable, "root") + "-" + hex.EncodeToString(sum[:])[:hashLength]
}

// IsOld reports whether a part of a path is that folder, on file systems that
// ignore case as well.
func IsOld(part string) bool { return strings.EqualFold(part, OldName) }

// Old returns the folder in a bundle that an earlier version kept its state in,
// if there is one.
func Old(bundle string) (string, bool) {
	old := filepath.Join(bundle, OldName)
	info, err := os.Lstat(old)
	return old, err == nil && info.IsDir()
}
