package statedir

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"os/user"
	"path/filepath"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"sync"
	"time"

	"github.com/gongu-ai/gongu/internal/fsx"
	"github.com/gongu-ai/gongu/internal/proc"
)

// Account is the user of this process as the system's user database knows them.
// The environment is weaker: the settings of a client set it, and a repository can
// bring such settings along (K3).
type Account struct {
	// Home is the user's home folder. It is empty when the database has none that
	// belongs to this user, as in many containers; the environment counts then.
	Home string
}

// SystemAccount looks the user up in the user database, once.
func SystemAccount() Account { return systemAccount() }

var systemAccount = sync.OnceValue(func() Account {
	home := databaseHome()
	if info, err := os.Stat(home); err != nil || !info.IsDir() || !fsx.Owned(info) {
		return Account{}
	}
	return Account{Home: home}
})

// lookupTime bounds a question to a directory service.
const lookupTime = 5 * time.Second

// databaseHome returns the home folder in the user database, or nothing.
func databaseHome() string {
	if runtime.GOOS == "windows" {
		return ownHome()
	}
	id := strconv.Itoa(os.Geteuid())
	if me, err := user.LookupId(id); err == nil {
		return me.HomeDir
	}
	// Without libc only /etc/passwd is read; directory services need getent.
	var line bytes.Buffer
	exit, err := proc.Run(context.Background(), proc.Command{Argv: []string{"/usr/bin/getent", "passwd", id}, Timeout: lookupTime, Stdout: &line})
	if fields := strings.Split(line.String(), ":"); err == nil && exit.Code == 0 && len(fields) > 5 {
		return fields[5]
	}
	return ""
}

// Choice is a variable of the environment that decides where consents, state or
// the user's settings lie.
type Choice struct {
	Name  string `json:"name"`
	Value string `json:"value"`
}

// usual lists the variables that make a choice, with the value that each has for
// this account when nothing is chosen.
func (a Account) usual() []Choice {
	in := func(parts ...string) string { return filepath.Join(append([]string{a.Home}, parts...)...) }
	var list []Choice
	switch runtime.GOOS {
	case "windows":
		list = []Choice{{"USERPROFILE", a.Home}, {"AppData", in("AppData", "Roaming")}, {"LocalAppData", in("AppData", "Local")}}
	case "darwin":
		list = []Choice{{"HOME", a.Home}}
	default:
		list = []Choice{
			{"HOME", a.Home}, {"XDG_CONFIG_HOME", in(".config")}, {"XDG_STATE_HOME", in(".local", "state")}, {"XDG_CACHE_HOME", in(".cache")},
		}
	}
	return append(list, Choice{"GONGU_CONFIG_DIR", a.config()}, Choice{variable, ""})
}

// config returns gongu's configuration folder when the environment chooses none.
func (a Account) config() string {
	switch runtime.GOOS {
	case "windows":
		return filepath.Join(a.Home, "AppData", "Roaming", "gongu")
	case "darwin":
		return filepath.Join(a.Home, "Library", "Application Support", "gongu")
	}
	return filepath.Join(a.Home, ".config", "gongu")
}

// Folders returns the folders of gongu's configuration and state when the
// environment chooses none. Tools must not change them, whatever it chooses.
func (a Account) Folders() []string {
	if a.Home == "" {
		return nil
	}
	list := []string{a.config()}
	if runtime.GOOS != "windows" && runtime.GOOS != "darwin" {
		list = append(list, filepath.Join(a.Home, ".local", "state", "gongu"))
	}
	return list
}

// Choices returns what the environment and the flag --state-root choose that is
// not usual for the account.
func (a Account) Choices(stateRoot string) []Choice {
	if a.Home == "" {
		return nil
	}
	var list []Choice
	for _, usual := range a.usual() {
		value := os.Getenv(usual.Name)
		if usual.Name == variable && stateRoot != "" {
			value = stateRoot
		}
		if absolute, err := filepath.Abs(value); err == nil && value != "" {
			value = absolute // a relative one means another folder elsewhere
		}
		if value != "" && value != usual.Value {
			list = append(list, Choice{usual.Name, value})
		}
	}
	return list
}

// acceptedName is the file with the choices that a person made at a terminal.
const acceptedName = "environment.json"

type acceptedFile struct {
	Version  int      `json:"version"`
	Accepted []Choice `json:"accepted"`
}

// Unaccepted returns the choices that no person has accepted. A file that cannot
// be read accepts nothing.
func (a Account) Unaccepted(choices []Choice) []Choice {
	if len(choices) == 0 {
		return nil
	}
	known, _ := a.accepted()
	return slices.DeleteFunc(slices.Clone(choices), func(c Choice) bool { return slices.Contains(known, c) })
}

func (a Account) accepted() ([]Choice, error) {
	path := filepath.Join(a.config(), acceptedName)
	info, err := os.Lstat(path)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	if !info.Mode().IsRegular() || !fsx.Private(info) {
		return nil, fmt.Errorf("%s is not a file that only you can write: remove it", path)
	}
	raw, err := os.ReadFile(path)
	if err != nil {
		return nil, err
	}
	var file acceptedFile
	if err := json.NewDecoder(bytes.NewReader(raw)).Decode(&file); err != nil || file.Version != 1 {
		return nil, fmt.Errorf("%s cannot be read by this gongu: remove it, or use a newer gongu", path)
	}
	return file.Accepted, nil
}

// Accept records choices that a person made, so that they count for clients too.
func (a Account) Accept(choices []Choice) error {
	known, err := a.accepted()
	if err != nil {
		return err
	}
	fresh := a.Unaccepted(choices)
	if len(fresh) == 0 {
		return nil
	}
	raw, err := json.MarshalIndent(acceptedFile{1, append(known, fresh...)}, "", "  ")
	if err != nil {
		return err
	}
	if err := fsx.ReplacePrivate(filepath.Join(a.config(), acceptedName), append(raw, '\n')); err != nil && !errors.Is(err, fsx.ErrUnconfirmed) {
		return fmt.Errorf("record what your environment chooses: %w", err)
	}
	return nil
}

// Ignore gives the variables of choices the values that are usual for the account,
// for this process and the programs that it starts: a planted HOME would bring
// settings of package managers along.
func (a Account) Ignore(choices []Choice) error {
	if a.Home == "" {
		return nil
	}
	for _, usual := range a.usual() {
		home := usual.Name == "HOME" && os.Getenv(usual.Name) == "" // some clients pass none on
		if !home && !slices.ContainsFunc(choices, func(c Choice) bool { return c.Name == usual.Name }) {
			continue
		}
		err := os.Unsetenv(usual.Name)
		if usual.Name == "HOME" || runtime.GOOS == "windows" && usual.Value != a.config() && usual.Value != "" {
			err = os.Setenv(usual.Name, usual.Value)
		}
		if err != nil {
			return fmt.Errorf("ignore %s: %w", usual.Name, err)
		}
	}
	return nil
}
