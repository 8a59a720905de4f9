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

// LoginsName is the name of the folder of codes below a state root.
const LoginsName = "logins"

const maxCodeFile = 64 << 10

// codeFile is an unused code in a file that is named by the code's hash, so that
// the file does not reveal the code. Removing the file redeems the code: only
// one process can succeed.
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
	// A nil list allows everything, an empty one nothing.
	text, err := json.Marshal(codeFile{*v.principal, v.made, v.expires}, json.FormatNilSliceAsNull(true))
	if err != nil {
		return failed(err)
	}
	if err := fsx.PrivateDir(l.opts.Dir); err != nil {
		return failed(err)
	}
	l.sweep()
	if err := fsx.ReplacePrivate(l.codePath(key), text); err != nil {
		return failed(err)
	}
	return nil
}

// sweep removes expired codes, and the oldest when there are too many. It
// ignores errors: an expired code is not valid in any case.
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

// takeFile reads a code from the folder and removes it.
func (l *Logins) takeFile(key digest) (session, bool) {
	path := l.codePath(key)
	text, sound := readCode(path)
	if os.Remove(path) != nil || !sound {
		return session{}, false // used already, or never issued
	}
	var file codeFile
	if json.Unmarshal(text, &file, json.RejectUnknownMembers(true)) != nil || file.Principal.Name == "" {
		return session{}, false
	}
	return session{principal: &file.Principal, made: file.Made, expires: file.Expires}, true
}

// readCode reads a file that only this user can have written.
func readCode(path string) ([]byte, bool) {
	info, err := os.Lstat(path)
	if err != nil || !info.Mode().IsRegular() || info.Size() > maxCodeFile || runtime.GOOS != "windows" && info.Mode().Perm()&0o077 != fs.FileMode(0) {
		return nil, false
	}
	text, err := os.ReadFile(path)
	return text, err == nil
}
