package main

import (
	"errors"
	"io/fs"
	"os"
	"runtime"

	"github.com/gongu-ai/gongu/gateway"
	"github.com/gongu-ai/gongu/internal/lang"
)

// tokenFile is the file of --token-file, opened before the first token is made:
// a token that cannot be kept would be lost.
type tokenFile struct {
	file *os.File
	// made is true when the file is new, used when the token is in it.
	made, used bool
}

var (
	errTokenFileKind = errors.New("it is not a regular file")
	errTokenFileMode = errors.New("others may read or write it")
)

// openTokenFile makes a file that only its owner may read. One that exists must
// be a regular file that others cannot read or write. No path is no file.
func openTokenFile(path string) (*tokenFile, error) {
	if path == "" {
		return nil, nil
	}
	file, err := os.OpenFile(path, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o600)
	if err == nil {
		return &tokenFile{file: file, made: true}, nil
	}
	if !errors.Is(err, fs.ErrExist) {
		return nil, err
	}
	link, err := os.Lstat(path)
	if err != nil {
		return nil, err
	}
	if !link.Mode().IsRegular() {
		return nil, errTokenFileKind
	}
	file, err = os.OpenFile(path, os.O_WRONLY, 0)
	if err != nil {
		return nil, err
	}
	opened, err := file.Stat()
	switch {
	case err != nil:
	case !os.SameFile(link, opened): // it was replaced by a link
		err = errTokenFileKind
	case runtime.GOOS != "windows" && opened.Mode().Perm()&0o077 != 0:
		err = errTokenFileMode
	}
	if err != nil {
		return nil, errors.Join(err, file.Close())
	}
	return &tokenFile{file: file}, nil
}

func (f *tokenFile) write(secret string) error {
	f.used = true
	if err := f.file.Truncate(0); err != nil {
		return err
	}
	_, err := f.file.WriteString(secret + "\n")
	return errors.Join(err, f.file.Sync())
}

// close removes a file that was made and got no token.
func (f *tokenFile) close() {
	if f == nil {
		return
	}
	_ = f.file.Close() // write reports what matters
	if f.made && !f.used {
		_ = os.Remove(f.file.Name())
	}
}

// firstToken returns the line about the first token: where it is, or how to make
// one. The token itself is in it only on a terminal.
func (a *app) firstToken(f *serveFlags, s gateway.Started, file *tokenFile) (string, error) {
	switch {
	case s.FirstToken != "" && file != nil:
		if err := file.write(s.FirstToken); err != nil {
			return "", err
		}
		return lang.CLIServeTokenIn.In(a.lang, f.tokenFile), nil
	case s.FirstToken != "":
		return lang.CLIServeToken.In(a.lang, s.FirstToken), nil
	case f.tokenless:
		return lang.CLIServeNoToken.In(a.lang, a.againWords("token", "new")), nil
	}
	return "", nil
}

// tokenless reports whether clients need a token and there is none yet.
func (a *app) tokenless(f *serveFlags) (bool, error) {
	if f.noAuth {
		return false, nil
	}
	tokens, err := a.tokens()
	if err != nil {
		return false, err
	}
	list, err := tokens.List()
	return len(list) == 0, a.tokenFailed(nil, err)
}
