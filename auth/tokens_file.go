package auth

import (
	"context"
	"encoding/hex"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"time"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"github.com/gongu-ai/gongu"
	"github.com/gongu-ai/gongu/access"
	"github.com/gongu-ai/gongu/internal/fsx"
	"github.com/gongu-ai/gongu/internal/lang"
)

const (
	tokensFormat = 2
	maxTokenFile = 4 << 20
)

// entry is a token as the file has it.
type entry struct {
	Token
	SHA256 string `json:"sha256"`

	digest digest
	// who is the principal, of the entries that current returns.
	who *gongu.Principal
}

// tokenFile is the whole file. Unknown members are errors: one could be a
// restriction of a newer version.
type tokenFile struct {
	Format int     `json:"format"`
	Tokens []entry `json:"tokens"`
}

// fileState is the content of the file when it was last read.
type fileState struct {
	info    fs.FileInfo
	entries []entry
}

// errUnchanged ends a change without writing the file.
var errUnchanged = errors.New("nothing to change")

// current returns the tokens of the file as it is now. The caller must not
// change them. It reads the file only when its state has changed. While it
// cannot be read all requests are rejected.
func (t *Tokens) current() ([]entry, error) {
	if t.rows != nil {
		return t.rows.current(t)
	}
	info, err := os.Stat(t.path)
	t.mu.Lock()
	defer t.mu.Unlock()
	if errors.Is(err, fs.ErrNotExist) {
		t.seen = fileState{}
		return nil, nil
	}
	if err != nil {
		return nil, t.unreadable(err)
	}
	if old := t.seen.info; old != nil && os.SameFile(old, info) && old.Size() == info.Size() &&
		old.ModTime().Equal(info.ModTime()) && old.Mode() == info.Mode() {
		return t.seen.entries, nil
	}
	entries, info, err := t.read()
	if err != nil {
		return nil, err
	}
	for i := range entries {
		e := &entries[i]
		e.who = t.principals.get(e.digest, e.Grant.principal(e.Name, KindToken, e.Expires))
	}
	t.seen = fileState{info, entries}
	return entries, nil
}

// read reads the file and returns its tokens and its state.
func (t *Tokens) read() (entries []entry, info fs.FileInfo, err error) {
	file, err := os.Open(t.path)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil, nil
	}
	if err != nil {
		return nil, nil, t.unreadable(err)
	}
	defer func() { _ = file.Close() }() // it was only read
	if info, err = file.Stat(); err != nil {
		return nil, nil, t.unreadable(err)
	}
	switch {
	case !info.Mode().IsRegular():
		return nil, nil, lang.NewError(ErrStorage, lang.AuthIrregular.With(t.path), lang.AuthOtherFileHint.With())
	case runtime.GOOS != "windows" && info.Mode().Perm()&0o077 != 0:
		return nil, nil, lang.NewError(ErrStorage, lang.AuthTooOpen.With(t.path, fmt.Sprintf("%04o", info.Mode().Perm())), lang.AuthTooOpenHint.With(t.path))
	case info.Size() > maxTokenFile:
		return nil, nil, lang.NewError(ErrStorage, lang.AuthFileTooBig.With(t.path, info.Size(), maxTokenFile), lang.AuthOtherFileHint.With())
	}
	text := make([]byte, info.Size())
	if n, err := file.ReadAt(text, 0); n < len(text) {
		return nil, nil, t.unreadable(err)
	}
	entries, err = t.parse(text)
	return entries, info, err
}

func (t *Tokens) parse(text []byte) ([]entry, error) {
	if len(text) == 0 {
		return nil, nil // a writer was killed after it created the file
	}
	broken := func(reason any) error {
		return lang.NewError(ErrStorage, lang.AuthFileBroken.With(t.path, reason), lang.AuthFileBrokenHint.With())
	}
	var head struct {
		Format int `json:"format"`
	}
	if err := json.Unmarshal(text, &head); err != nil {
		return nil, broken(flaw(err))
	}
	var file tokenFile
	var err error
	switch head.Format {
	case tokensFormat:
		err = json.Unmarshal(text, &file, json.RejectUnknownMembers(true))
	case 1:
		file.Tokens, err = parseFormat1(text)
	default:
		return nil, lang.NewError(ErrStorage, lang.AuthFileNewer.With(t.path, head.Format, tokensFormat), lang.AuthFileNewerHint.With())
	}
	if err != nil {
		return nil, broken(flaw(err))
	}
	names := make(map[string]bool, len(file.Tokens))
	for i := range file.Tokens {
		e := &file.Tokens[i]
		sum, err := hex.DecodeString(e.SHA256)
		if err != nil || len(sum) != len(e.digest) {
			return nil, broken(lang.AuthFileBadHash.With(i + 1))
		}
		e.digest = digest(sum)
		if !isTokenName(e.Name) || names[e.Name] {
			return nil, broken(lang.AuthFileBadName.With(i+1, e.Name))
		}
		names[e.Name] = true
		if err := e.Grant.check(); err != nil {
			return nil, broken(lang.AuthFileBadList.With(i + 1))
		}
	}
	return file.Tokens, nil
}

// parseFormat1 reads the tokens of a file of format 1, which had agents, tools
// and one kind of manager. They allow what they allowed then: one that is
// limited to tools has no resources, prompts, logs and sampling.
func parseFormat1(text []byte) ([]entry, error) {
	var file struct {
		Format int `json:"format"`
		Tokens []struct {
			Name     string    `json:"name"`
			Agents   []string  `json:"agents"`
			Allow    []string  `json:"allow"`
			Manage   bool      `json:"manage"`
			Created  time.Time `json:"created"`
			Expires  time.Time `json:"expires"`
			LastUsed time.Time `json:"last_used"`
			SHA256   string    `json:"sha256"`
		} `json:"tokens"`
	}
	if err := json.Unmarshal(text, &file, json.RejectUnknownMembers(true)); err != nil {
		return nil, err
	}
	entries := make([]entry, len(file.Tokens))
	for i, t := range file.Tokens {
		entries[i] = entry{SHA256: t.SHA256, Token: Token{
			Name: t.Name, Grant: Grant{Agents: t.Agents, Tools: t.Allow}, Created: t.Created, Expires: t.Expires, LastUsed: t.LastUsed,
		}}
		if t.Manage {
			entries[i].Manage = access.ManageAll
		}
	}
	return entries, nil
}

// flaw describes an error of the decoder without quoting the file, which could
// hold a secret.
func flaw(err error) lang.Message {
	if syntax, ok := errors.AsType[*jsontext.SyntacticError](err); ok {
		return lang.AuthFileSyntax.With(syntax.ByteOffset)
	}
	if semantic, ok := errors.AsType[*json.SemanticError](err); ok {
		return lang.AuthFileMember.With(string(semantic.JSONPointer))
	}
	return lang.AuthFileSyntax.With(0)
}

// change runs work under the lock that all processes share, and writes its
// result.
func (t *Tokens) change(ctx context.Context, wait time.Duration, work func([]entry) ([]entry, error)) (err error) {
	if t.rows != nil {
		return t.rows.change(ctx, wait, work)
	}
	dir := filepath.Dir(t.path)
	if err := fsx.PrivateDir(dir); err != nil {
		return t.unwritable(err)
	}
	waiting, cancel := context.WithTimeout(ctx, wait)
	defer cancel()
	lock, err := fsx.TakeLock(waiting, filepath.Join(dir, "."+filepath.Base(t.path)+".lock"))
	switch {
	case errors.Is(ctx.Err(), context.Canceled):
		if lock != nil {
			return errors.Join(ctx.Err(), lock.Release())
		}
		return ctx.Err()
	case errors.Is(err, fsx.ErrLocked):
		return lang.NewError(ErrStorage, lang.AuthBusy.With(t.path, err), lang.AuthBusyHint.With()).Because(err)
	case err != nil:
		return t.unwritable(err)
	}
	defer func() {
		if released := lock.Release(); released != nil {
			t.logger.Warn("releasing the lock of the token file failed", "path", t.path, "error", released)
		}
	}()
	entries, _, err := t.read()
	if err != nil {
		return err
	}
	entries, err = work(slices.Clone(entries))
	if errors.Is(err, errUnchanged) {
		return nil
	}
	if err != nil {
		return err
	}
	return t.write(entries)
}

// write replaces the file atomically by one that only this user can read.
func (t *Tokens) write(entries []entry) error {
	text, err := json.Marshal(tokenFile{tokensFormat, entries}, jsontext.WithIndent("  "))
	if err != nil {
		return fmt.Errorf("tokens: %w", err)
	}
	if err := fsx.Sweep(t.path); err != nil {
		t.logger.Warn("removing temporary token files failed", "path", t.path, "error", err)
	}
	info, err := os.Lstat(t.path)
	switch {
	case errors.Is(err, fs.ErrNotExist):
	case err != nil:
		return t.unwritable(err)
	case !info.Mode().IsRegular():
		// A link may lead to a file that belongs to another program.
		return lang.NewError(ErrStorage, lang.AuthIrregular.With(t.path), lang.AuthOtherFileHint.With())
	}
	err = fsx.ReplacePrivate(t.path, append(text, '\n'))
	if errors.Is(err, fsx.ErrUnconfirmed) {
		// The file was written, and the caller needs the secret of a new token.
		t.logger.Warn("syncing the token file failed; the change was written", "path", t.path, "error", err)
		return nil
	}
	if err != nil {
		return t.unwritable(err)
	}
	return nil
}

func (t *Tokens) unreadable(err error) error {
	return lang.NewError(ErrStorage, lang.AuthUnreadable.With(t.path, fsx.Cause(err)), lang.AuthUnreadableHint.With()).Because(err)
}

func (t *Tokens) unwritable(err error) error {
	return lang.NewError(ErrStorage, lang.AuthUnwritable.With(t.path, fsx.Cause(err)), lang.AuthUnwritableHint.With()).Because(err)
}
