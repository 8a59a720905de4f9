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
	"os/user"
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
		if err := errors.Join(checkOrigin(root, checkouts(base)...), check(folder)); err != nil {
			return "", err
		}
		return root, errors.Join(check(root), checkGiven(root))
	}
	root, err := filepath.Abs(given)
	if err != nil {
		return "", unusable(given, err)
	}
	if err := checkOrigin(root, broughtFolders(base)...); err != nil {
		return "", err
	}
	return root, errors.Join(check(root), checkGiven(root))
}

// broughtFolders returns the folders that came together with what is at base.
func broughtFolders(base string) []string {
	folders := checkouts(base)
	if isBundle(base) {
		folders = append(folders, base)
	}
	return folders
}

// BroughtBy reports whether a file of state would lie in a folder that came
// together with what is at base, as a state root must not.
func BroughtBy(base, path string) (folder string, brought bool) {
	if absolute, err := filepath.Abs(base); err == nil {
		base = absolute
	}
	return inside(path, broughtFolders(base))
}

// isBundle reports whether a folder has a manifest. A folder without one is a
// working directory.
func isBundle(dir string) bool {
	for _, name := range []string{"gongu.yaml", "goondan.yaml"} {
		if _, err := os.Lstat(filepath.Join(dir, name)); err == nil {
			return true
		}
	}
	return false
}

// checkOrigin refuses a root that came along with the bundle, in one of the
// folders. HOME and XDG_STATE_HOME can lead there too: the file of a client sets
// them.
func checkOrigin(root string, folders ...string) error {
	if folder, along := inside(root, folders); along {
		return lang.NewError(ErrUnusable, lang.StateInBundle.With(root, folder), lang.StateInBundleHint.With())
	}
	return nil
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

// CameAlong reports whether a path lies in a folder that came together with the
// bundle at base: the bundle's own, or the checkouts around it. A folder that
// contains the user's home, such as the root of the file system, contains
// everything and was not downloaded.
func CameAlong(base, path string) (folder string, along bool) {
	return inside(path, append(checkouts(base), base))
}

func inside(path string, folders []string) (folder string, along bool) {
	for _, folder := range folders {
		if !everything(folder) && within(folder, path) {
			return folder, true
		}
	}
	return "", false
}

// everything reports whether a folder contains the user's home, as the system
// knows it: who starts this program can set HOME.
func everything(folder string) bool {
	home := ownHome()
	return filepath.Dir(folder) == folder || filepath.IsAbs(home) && within(folder, home)
}

// ownHome returns the user's home folder, or nothing.
var ownHome = func() string {
	me, err := user.Current()
	if err != nil {
		return ""
	}
	return me.HomeDir
}

// checkouts returns the folders of version control that a folder lies in, the
// outermost first.
func checkouts(dir string) []string {
	var found []string
	for dir = fsx.Resolve(dir); dir != filepath.Dir(dir); dir = filepath.Dir(dir) {
		for _, name := range []string{".git", ".hg", ".jj", ".svn"} {
			if _, err := os.Lstat(filepath.Join(dir, name)); err == nil {
				found = append([]string{dir}, found...)
				break
			}
		}
	}
	return found
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
