package auth

import (
	"encoding/hex"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"time"

	"github.com/go-json-experiment/json"

	"github.com/gongu-ai/gongu"
	"github.com/gongu-ai/gongu/internal/fsx"
	"github.com/gongu-ai/gongu/internal/lang"
)

// LoginsName is what the folder of codes is called below a state root.
const LoginsName = "logins"

const maxCodeFile = 64 << 10

// codeFile is a code that waits in the folder, in a file that is named by the
// code's hash: who reads it learns nothing to log in with. Taking the file away
// is taking the code, and the system lets only one do that.
type codeFile struct {
	Principal gongu.Principal `json:"principal"`
	Made      time.Time       `json:"made"`
	Expires   time.Time       `json:"expires"`
}

func (l *Logins) codePath(key digest) string {
	return filepath.Join(l.opts.Dir, hex.EncodeToString(key[:])+".json")
}

func (l *Logins) store(key digest, v session) error {
	failed := func(err error) error {
		return lang.NewError(ErrStorage, lang.AuthLoginStore.With(l.opts.Dir, fsx.Cause(err)), lang.AuthLoginStoreHint.With()).Because(err)
	}
	// No list at all allows everything, an empty one nothing.
	text, err := json.Marshal(codeFile{*v.principal, v.made, v.expires}, json.FormatNilSliceAsNull(true))
	if err != nil {
		return failed(err)
	}
	if err := os.MkdirAll(l.opts.Dir, 0o700); err != nil {
		return failed(err)
	}
	l.sweep()
	// Half a file is no code, so nothing has to be undone when this fails.
	if err := os.WriteFile(l.codePath(key), text, 0o600); err != nil {
		return failed(err)
	}
	return nil
}

// sweep removes codes that were not used in time, and the oldest when there are
// too many. What cannot be removed is good for nothing either.
func (l *Logins) sweep() {
	entries, err := os.ReadDir(l.opts.Dir)
	if err != nil {
		return
	}
	type old struct {
		name string
		made time.Time
	}
	var kept []old
	for _, e := range entries {
		info, err := e.Info()
		if err != nil || !info.Mode().IsRegular() || filepath.Ext(e.Name()) != ".json" {
			continue
		}
		kept = append(kept, old{e.Name(), info.ModTime()})
	}
	slices.SortFunc(kept, func(a, b old) int { return a.made.Compare(b.made) })
	for i, k := range kept {
		if len(kept)-i >= maxCodes || time.Since(k.made) > codeTime {
			_ = os.Remove(filepath.Join(l.opts.Dir, k.name))
		}
	}
}

// takeFile takes a code out of the folder.
func (l *Logins) takeFile(key digest) (session, bool) {
	path := l.codePath(key)
	text, sound := readCode(path)
	if os.Remove(path) != nil || !sound {
		return session{}, false // somebody else was faster, or nobody ever made it
	}
	var file codeFile
	if json.Unmarshal(text, &file, json.RejectUnknownMembers(true)) != nil || file.Principal.Name == "" {
		return session{}, false
	}
	return session{principal: &file.Principal, made: file.Made, expires: file.Expires}, true
}

// readCode reads a file that this user alone can have written.
func readCode(path string) ([]byte, bool) {
	info, err := os.Lstat(path)
	if err != nil || !info.Mode().IsRegular() || info.Size() > maxCodeFile || runtime.GOOS != "windows" && info.Mode().Perm()&0o077 != fs.FileMode(0) {
		return nil, false
	}
	text, err := os.ReadFile(path)
	return text, err == nil
}
