package statedir_test

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"io/fs"
	"os"
	"os/user"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"testing"

	"github.com/gongu-ai/gongu/internal/lang"
	"github.com/gongu-ai/gongu/internal/secondid"
	"github.com/gongu-ai/gongu/internal/statedir"
)

// home gives a test a state folder of its own.
func home(t *testing.T) string {
	t.Helper()
	dir := t.TempDir()
	for _, name := range []string{"HOME", "XDG_STATE_HOME", "LocalAppData"} {
		t.Setenv(name, dir)
	}
	t.Setenv("GONGU_STATE_ROOT", "")
	return dir
}

func write(t *testing.T, path, text string) {
	t.Helper()
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
		t.Fatal(err)
	}
}

func root(t *testing.T, option, base string) string {
	t.Helper()
	got, err := statedir.Root(option, base)
	if err != nil {
		t.Fatal(err)
	}
	return got
}

// refused wants an error that names the flag.
func refused(t *testing.T, name string, err error) {
	t.Helper()
	e, ok := errors.AsType[*lang.Error](err)
	if !ok || !errors.Is(err, statedir.ErrUnusable) || !strings.Contains(e.Hint("en"), "--state-root") || !strings.Contains(e.Hint("ko"), "--state-root") {
		t.Errorf("%s: %v", name, err)
	}
}

// K1: the state root lies in the user's state folder and is named for the path of
// the bundle as it is written; a link is another bundle than its target.
func TestK1_RootIsNamedForThePath(t *testing.T) {
	state := home(t)
	base := filepath.Join(t.TempDir(), "내 bundle")
	if err := os.Mkdir(base, 0o755); err != nil {
		t.Fatal(err)
	}
	one := root(t, "", base)
	if !strings.HasPrefix(one, state) || strings.HasPrefix(one, base) || !strings.Contains(filepath.Base(one), "bundle-") {
		t.Errorf("%s", one)
	}
	if _, err := os.Lstat(one); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("asking made it: %v", err)
	}
	link := filepath.Join(t.TempDir(), "link")
	if err := os.Symlink(base, link); err != nil {
		t.Fatal(err)
	}
	seen := map[string]string{one: base}
	for _, other := range []string{link, filepath.Dir(base), base + "x", "/"} {
		got := root(t, "", other)
		if was, taken := seen[got]; taken {
			t.Errorf("%s and %s share %s", was, other, got)
		}
		seen[got] = other
	}
	if again := root(t, "", base+"/./"); again != one {
		t.Errorf("another spelling: %s", again)
	}
	// An XDG variable that is not absolute does not count.
	t.Setenv("XDG_STATE_HOME", "relative")
	if got := root(t, "", base); runtime.GOOS == "linux" && got != filepath.Join(state, ".local", "state", "gongu", filepath.Base(one)) {
		t.Errorf("%s", got)
	}
}

// K1: a state root in the bundle could be planted there, and is refused whatever
// it is spelled like.
func TestK1_RootInTheBundleIsRefused(t *testing.T) {
	home(t)
	base := t.TempDir()
	write(t, filepath.Join(base, "gongu.yaml"), "")
	link := filepath.Join(t.TempDir(), "link")
	if err := os.Symlink(base, link); err != nil {
		t.Fatal(err)
	}
	if err := os.Mkdir(filepath.Join(base, "real"), 0o700); err != nil {
		t.Fatal(err)
	}
	for _, inside := range []string{base, filepath.Join(base, "state"), filepath.Join(base, "real"), filepath.Join(link, "real"), filepath.Join(link, "not", "yet"), filepath.Join(base, "x", "..", "real")} {
		_, err := statedir.Root(inside, base)
		refused(t, inside, err)
		_, err = statedir.Root(inside, link)
		refused(t, "behind a link: "+inside, err)
		t.Setenv("GONGU_STATE_ROOT", inside)
		_, err = statedir.Root("", base)
		refused(t, "by the variable: "+inside, err)
		t.Setenv("GONGU_STATE_ROOT", "")
	}
	outside := filepath.Join(t.TempDir(), "state")
	if got := root(t, outside, base); got != outside {
		t.Errorf("%s", got)
	}
	// The home folder and the root of the file system contain every state root.
	if got := root(t, outside, "/"); got != outside {
		t.Errorf("%s", got)
	}
	me, err := user.Current()
	if err != nil {
		t.Fatal(err)
	}
	for _, folder := range []string{"/", me.HomeDir} {
		if _, along := statedir.CameAlong(folder, filepath.Join(folder, "x")); along {
			t.Errorf("what is in %s came along with a bundle there", folder)
		}
	}
	own := filepath.Join(me.HomeDir, "no-such-folder-of-a-test")
	if got := root(t, own, me.HomeDir); got != own {
		t.Errorf("%s", got)
	}
}

// K1: a client's file can set HOME, and a repository has more folders than that of
// its bundle.
func TestK1_RootThatCameAlongIsRefused(t *testing.T) {
	state := home(t)
	repository := t.TempDir()
	base := filepath.Join(repository, "sub", "bundle")
	write(t, filepath.Join(repository, ".git", "HEAD"), "")
	write(t, filepath.Join(base, ".git"), "gitdir: a submodule")
	_, err := statedir.Root(filepath.Join(repository, "state"), base)
	refused(t, "beside the bundle", err)
	t.Setenv("HOME", base)
	_, err = statedir.Root(filepath.Join(base, "state"), base)
	refused(t, "HOME is the bundle", err)
	for _, dir := range []string{base, filepath.Join(base, "home"), filepath.Join(repository, "home")} {
		t.Setenv("HOME", dir)
		for _, name := range []string{"XDG_STATE_HOME", "LocalAppData"} {
			t.Setenv(name, dir)
		}
		_, err = statedir.Root("", base)
		refused(t, "by HOME: "+dir, err)
	}
	// Without a checkout the permissions tell: git and unzip make none like ours.
	t.Setenv("XDG_STATE_HOME", state)
	plain := t.TempDir()
	if runtime.GOOS == "linux" {
		write(t, filepath.Join(root(t, "", plain), "approved", "x.json"), "{}")
		_, err = statedir.Root("", plain)
		refused(t, "open to others", err)
	}
}

// K1: a chosen folder that has content and that others can enter was not made by
// gongu.
func TestK1_OpenFolderWithContentIsRefused(t *testing.T) {
	home(t)
	dir := filepath.Join(t.TempDir(), "state")
	write(t, filepath.Join(dir, "approved", "x.json"), "{}")
	_, err := statedir.Root(dir, t.TempDir())
	refused(t, "open", err)
	if info, err := os.Stat(dir); err != nil || info.Mode().Perm() != 0o755 {
		t.Errorf("its permissions were changed: %v, %v", info.Mode(), err)
	}
	if err := os.Chmod(dir, 0o700); err != nil {
		t.Fatal(err)
	}
	root(t, dir, t.TempDir())
	// An empty one is narrowed when it is used.
	empty := t.TempDir()
	if err := os.Chmod(empty, 0o777); err != nil {
		t.Fatal(err)
	}
	if err := statedir.Use(root(t, empty, t.TempDir()), t.TempDir()); err != nil {
		t.Fatal(err)
	}
	if info, err := os.Stat(empty); err != nil || info.Mode().Perm() != 0o700 {
		t.Errorf("%v, %v", info.Mode(), err)
	}
}

// K1: a folder of another user is refused, whether it was chosen or lies in the
// user's state folder.
func TestK1_FolderOfAnotherUserIsRefused(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("a folder cannot be given away") //rules:skip Windows has no owners by number
	}
	if !secondid.Here(t) {
		return
	}
	state := home(t)
	foreign := func(path string) string {
		if err := errors.Join(os.MkdirAll(path, 0o700), os.Chown(path, 65534, 65534)); err != nil {
			t.Fatal(err)
		}
		return path
	}
	base := t.TempDir()
	_, err := statedir.Root(foreign(filepath.Join(t.TempDir(), "state")), base)
	refused(t, "chosen", err)
	if !strings.Contains(err.Error(), "another user") {
		t.Errorf("it does not say whose folder it is: %v", err)
	}
	_, err = statedir.Root("", base)
	if err != nil {
		t.Fatal(err)
	}
	foreign(root(t, "", base))
	_, err = statedir.Root("", base)
	refused(t, "the default", err)
	foreign(filepath.Join(state, "gongu"))
	_, err = statedir.Root("", t.TempDir())
	refused(t, "the folder of all", err)
	if _, err = statedir.List(); err == nil {
		t.Error("it is listed")
	}
	link := filepath.Join(t.TempDir(), "link")
	if err := errors.Join(os.Symlink(t.TempDir(), link), os.Lchown(link, 65534, 65534)); err != nil {
		t.Fatal(err)
	}
	_, err = statedir.Root(link, base)
	refused(t, "a link of another user", err)
}

// K1: the list knows the bundle of each folder, its size and whether the bundle is
// there; only a folder whose bundle is known and gone can be removed.
func TestK1_List(t *testing.T) {
	state := home(t)
	there, gone := t.TempDir(), filepath.Join(t.TempDir(), "gone")
	for _, base := range []string{there, gone} {
		if err := statedir.Use(root(t, "", base), base); err != nil {
			t.Fatal(err)
		}
	}
	write(t, filepath.Join(root(t, "", gone), "instances", "x"), strings.Repeat("x", 1000))
	unknown := filepath.Join(state, "gongu", "odd-0123456789abcdef")
	write(t, filepath.Join(unknown, "bundle.json"), `{"version":1,"bundle":"/nowhere/at/all"}`) // not the path of its name
	write(t, filepath.Join(state, "gongu", "trust", "file"), "")                                // not a state root
	// Records of another version, and those without a whole path, are not ours.
	for _, record := range []string{`{"version":2,"bundle":"BUNDLE"}`, `{"version":1,"bundle":"no/whole/path"}`} {
		bundle := t.TempDir()
		if strings.Contains(record, "no/whole") {
			bundle = "no/whole/path"
		}
		sum := sha256.Sum256([]byte(bundle))
		path := filepath.Join(state, "gongu", filepath.Base(bundle)+"-"+hex.EncodeToString(sum[:])[:16])
		write(t, filepath.Join(path, "bundle.json"), strings.Replace(record, "BUNDLE", bundle, 1))
		listed, err := statedir.List()
		if err != nil || slices.ContainsFunc(listed, func(e statedir.Entry) bool { return e.Path == path && e.Bundle != "" }) {
			t.Errorf("%s: %+v, %v", record, listed, err)
		}
		if err := os.RemoveAll(path); err != nil {
			t.Fatal(err)
		}
	}
	entries, err := statedir.List()
	if err != nil || len(entries) != 3 {
		t.Fatalf("%+v, %v", entries, err)
	}
	for _, e := range entries {
		switch e.Path {
		case unknown:
			if e.Bundle != "" || e.Abandoned() {
				t.Errorf("%+v", e)
			}
		case root(t, "", gone):
			if e.Bundle != gone || !e.Abandoned() || e.Bytes < 1000 || e.Used.IsZero() {
				t.Errorf("%+v", e)
			}
		default:
			if e.Bundle != there || e.Abandoned() || !e.Exists || e.Remove() == nil {
				t.Errorf("%+v", e)
			}
		}
	}
}

// K1: moving takes work and caches along, and nothing that decides; links stay.
func TestK1_Move(t *testing.T) {
	home(t)
	bundle := t.TempDir()
	old := filepath.Join(bundle, ".gongu")
	for name, text := range map[string]string{
		"instances/default/workspace/deep/a.txt": "mine", "instances/taken/scene.json": "old", "cache/definitions/x.json": "{}",
		"tokens.json": "t", "serve.json": "s", "approved/x.js": "a", "logins/x.json": "l", "mcp-tokens.json": "m", "script-losses.jsonl": "x",
	} {
		write(t, filepath.Join(old, filepath.FromSlash(name)), text)
	}
	if err := os.Symlink("/etc", filepath.Join(old, "instances", "default", "workspace", "link")); err != nil {
		t.Fatal(err)
	}
	if err := os.Symlink("/etc", filepath.Join(old, "instances", "linked")); err != nil {
		t.Fatal(err)
	}
	to := root(t, "", bundle)
	write(t, filepath.Join(to, "instances", "taken", "scene.json"), "new")
	m, err := statedir.Move(bundle, to)
	if err != nil {
		t.Fatal(err)
	}
	encoded, err := json.Marshal(m)
	if err != nil {
		t.Fatal(err)
	}
	slices.Sort(m.Moved)
	if strings.Join(m.Moved, " ") != "cache/definitions instances/default" {
		t.Errorf("%s", encoded)
	}
	for name, want := range map[string]string{
		"instances/default/workspace/deep/a.txt": "mine", "instances/taken/scene.json": "new", "cache/definitions/x.json": "{}",
	} {
		if got, err := os.ReadFile(filepath.Join(to, name)); err != nil || string(got) != want {
			t.Errorf("%s: %q, %v", name, got, err)
		}
	}
	for _, name := range []string{"tokens.json", "serve.json", "approved", "logins", "mcp-tokens.json", "script-losses.jsonl", "instances/linked", "instances/default/workspace/link"} {
		if _, err := os.Lstat(filepath.Join(to, name)); !errors.Is(err, fs.ErrNotExist) {
			t.Errorf("%s was moved: %v", name, err)
		}
	}
	if _, err := os.Lstat(filepath.Join(old, "tokens.json")); err != nil {
		t.Errorf("what is not moved is gone: %v", err)
	}
	if _, err := os.Lstat(filepath.Join(old, "instances", "default")); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("what was moved is still there: %v", err)
	}
}

// K1: a file of a bundle lies in the bundle. The program has the test of a bundle
// that cannot be written.
func TestK1_BundleFile(t *testing.T) {
	home(t)
	bundle := t.TempDir()
	to := root(t, "", bundle)
	if path, moved, err := statedir.BundleFile(bundle, to, "gongu.lock"); err != nil || moved || path != filepath.Join(bundle, "gongu.lock") {
		t.Errorf("%s, %v, %v", path, moved, err)
	}
}

// K1, K3: a client's file in a repository can set XDG_STATE_HOME and --state-root to
// a folder beside the bundle, with tokens and approved scripts in it.
func TestK1_StateBesideTheBundleIsRefused(t *testing.T) {
	home(t)
	repository := t.TempDir()
	base := filepath.Join(repository, "bundle")
	write(t, filepath.Join(base, "gongu.yaml"), "")
	planted := filepath.Join(repository, "state")
	t.Setenv("XDG_STATE_HOME", planted)
	t.Setenv("LocalAppData", planted)
	name := filepath.Base(root(t, "", base))
	if runtime.GOOS == "linux" {
		write(t, filepath.Join(planted, "gongu", name, "approved", "x.json"), "{}")
		_, err := statedir.Root("", base)
		refused(t, "as a checkout makes it", err)
	}
	write(t, filepath.Join(repository, ".git", "HEAD"), "")
	private := filepath.Join(repository, "private")
	if err := os.Mkdir(private, 0o700); err != nil {
		t.Fatal(err)
	}
	_, err := statedir.Root(private, base)
	refused(t, "with a private mask", err)
	if runtime.GOOS == "linux" {
		t.Setenv("XDG_STATE_HOME", private)
		_, err = statedir.Root("", base)
		refused(t, "with a private mask, by XDG_STATE_HOME", err)
	}
	outside := t.TempDir()
	if got := root(t, outside, base); got != outside {
		t.Errorf("%s", got)
	}
}
