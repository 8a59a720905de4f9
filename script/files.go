package script

import (
	"cmp"
	"context"
	"crypto/rand"
	"encoding/base64"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"syscall"
	"unicode/utf8"

	"github.com/gongu-ai/gongu/internal/fsx"
	"github.com/gongu-ai/gongu/internal/lang"
)

const maxEntries = 10_000

// space is the part of the file system that a call may use.
type space struct {
	fsx.Space
	lang    lang.Lang
	maxRead int
}

func (w *worker) space() space {
	if w.current != nil {
		return w.current.space()
	}
	return w.module.engine.space(w.workdir(), nil)
}

func (c *call) space() space { return c.module.engine.space(c.workdir(), c.roots) }

func (e *Engine) space(workdir string, more []string) space {
	roots := append(slices.Clip(e.opts.Roots), more...)
	return space{fsx.Space{Workdir: workdir, Roots: roots, Closed: e.opts.Closed, Protected: e.opts.Protected}, e.lang, e.opts.MaxRead}
}

// protected are the files that a call does not change.
func (e *Engine) protected(ctx context.Context) []string {
	if e.opts.ProtectedFor != nil {
		return e.opts.ProtectedFor(ctx)
	}
	return e.opts.Protected
}

// fileArgs are the arguments of all operations on files.
type fileArgs struct {
	Path      string  `json:"path"`
	To        string  `json:"to"`
	Text      *string `json:"text"`
	Base64    []byte  `json:"base64"`
	Append    bool    `json:"append"`
	Fresh     bool    `json:"fresh"`
	Parents   bool    `json:"parents"`
	Recursive bool    `json:"recursive"`
	Force     bool    `json:"force"`
}

// onFile returns an operation that works on a file.
func onFile(run func(context.Context, space, fileArgs) (string, error)) operationFunc {
	return withArgs(func(ctx context.Context, c *call, args fileArgs) (string, error) {
		s := c.space()
		s.Protected = c.module.engine.protected(ctx)
		answer, err := run(ctx, s, args)
		return answer, asFileError(err, args.Path)
	})
}

// fileError wraps an error with the path that the script used.
type fileError struct {
	path string
	err  error
}

func (e *fileError) Error() string { return e.err.Error() }
func (e *fileError) Unwrap() error { return e.err }

func asFileError(err error, path string) error {
	if err == nil {
		return nil
	}
	return &fileError{path, err}
}

func (s space) at(path string) (*fsx.Place, error) {
	if path == "" {
		return nil, &fs.PathError{Op: "open", Path: path, Err: fs.ErrNotExist}
	}
	return s.At(path)
}

func (s space) read(path string) ([]byte, error) {
	p, err := s.at(path)
	if err != nil {
		return nil, err
	}
	defer func() { _ = p.Close() }() // it was only read
	data, _, more, err := p.Head(s.maxRead)
	if err == nil && more {
		err = &tooLarge{lang.ScriptMuchOutput.In(s.lang, path, s.maxRead)}
	}
	return data, err
}

// tooLarge reports data over a limit.
type tooLarge struct{ message string }

func (e *tooLarge) Error() string { return e.message }

func (s space) info(path string) (fs.FileInfo, error) {
	p, err := s.at(path)
	if err != nil {
		return nil, err
	}
	defer func() { _ = p.Close() }() // only its metadata was read
	return p.Stat()
}

func (s space) stat(path string) (string, error) {
	info, err := s.info(path)
	if err != nil {
		return "", asFileError(err, path)
	}
	raw, err := json.Marshal(map[string]any{"size": info.Size(), "mode": int(info.Mode().Perm()), "mtimeMs": info.ModTime().UnixMilli(), "kind": kindOf(info.Mode())})
	return string(raw), err
}

func kindOf(mode fs.FileMode) string {
	switch {
	case mode.IsDir():
		return "dir"
	case mode.IsRegular():
		return "file"
	case mode&fs.ModeSymlink != 0:
		return "link"
	}
	return "other"
}

func readText(_ context.Context, s space, args fileArgs) (string, error) {
	data, err := s.read(args.Path)
	return strings.ToValidUTF8(string(data), string(utf8.RuneError)), err
}

func readBytes(_ context.Context, s space, args fileArgs) (string, error) {
	data, err := s.read(args.Path)
	return base64.StdEncoding.EncodeToString(data), err
}

func exists(_ context.Context, s space, args fileArgs) (string, error) {
	info, err := s.info(args.Path)
	switch {
	case err == nil:
		return strconv.FormatBool(info.Mode().IsRegular()), nil
	case errors.Is(err, fs.ErrNotExist), errors.Is(err, syscall.ENOTDIR):
		return "false", nil
	}
	return "", err
}

func writeFile(_ context.Context, s space, args fileArgs) (string, error) {
	p, err := s.at(args.Path)
	if err != nil {
		return "", err
	}
	defer func() { _ = p.Close() }() // the writing has its own errors
	if !args.Parents {
		if parent, err := s.info(filepath.Dir(p.Path)); err != nil {
			return "", err
		} else if !parent.IsDir() {
			return "", fsx.ErrNotDir
		}
	}
	if _, err := p.Stat(); args.Fresh && err == nil {
		return "", fs.ErrExist
	}
	data := args.Base64
	if args.Text != nil {
		data = []byte(*args.Text)
	}
	put := p.Write
	if args.Append {
		put = p.Append
	}
	_, err = put(data)
	return strconv.Itoa(len(data)), err
}

func makeDir(_ context.Context, s space, args fileArgs) (string, error) {
	p, err := s.at(args.Path)
	if err != nil {
		return "", err
	}
	defer func() { _ = p.Close() }() // the making has its own errors
	created, err := p.Mkdir(args.Recursive)
	if err != nil || !created || !args.Recursive {
		return "", err
	}
	return p.Path, nil
}

func makeTemp(ctx context.Context, s space, args fileArgs) (string, error) {
	args.Path += rand.Text()[:6]
	args.Recursive = true
	return makeDir(ctx, s, args)
}

func readDir(ctx context.Context, s space, args fileArgs) (string, error) {
	p, err := s.at(args.Path)
	if err != nil {
		return "", err
	}
	defer func() { _ = p.Close() }() // it was only read
	found, complete, err := p.List(ctx, fsx.Walk{Recursive: args.Recursive, Keep: func(fs.FileInfo) bool { return true }, Max: maxEntries, Scan: maxEntries})
	if err != nil {
		return "", err
	}
	if !complete {
		return "", &tooLarge{fmt.Sprintf("%s has more than %d entries", args.Path, maxEntries)}
	}
	type entry struct {
		Path string `json:"path"`
		Kind string `json:"kind"`
	}
	list := make([]entry, len(found))
	for i, e := range found {
		relative, err := filepath.Rel(p.Path, e.Path)
		if err != nil {
			return "", err
		}
		list[i] = entry{strings.ToValidUTF8(filepath.ToSlash(relative), string(utf8.RuneError)), kindOf(e.Info.Mode())}
	}
	raw, err := json.Marshal(list)
	return string(raw), err
}

func statFile(_ context.Context, s space, args fileArgs) (string, error) { return s.stat(args.Path) }

// home finds a place in the working directory, for operations that are only
// allowed there.
func (s space) home(path string) (*fsx.Place, error) {
	p, err := fsx.Space{Workdir: s.Workdir, Closed: s.Closed, Protected: s.Protected}.At(path)
	if err != nil {
		return nil, err
	}
	if p.IsRoot() {
		_ = p.Close() // it was only looked at
		return nil, errors.New(lang.ScriptRemoveRoot.In(s.lang))
	}
	return p, nil
}

func remove(_ context.Context, s space, args fileArgs) (string, error) {
	p, err := s.home(args.Path)
	if err != nil {
		return "", err
	}
	defer func() { _ = p.Close() }() // the removing has its own errors
	err = p.Remove(args.Recursive)
	if errors.Is(err, fs.ErrNotExist) && args.Force {
		err = nil
	}
	return "", err
}

func rename(_ context.Context, s space, args fileArgs) (string, error) {
	from, err := s.home(args.Path)
	if err != nil {
		return "", err
	}
	defer func() { _ = from.Close() }() // the renaming has its own errors
	to, err := s.home(args.To)
	if err != nil {
		return "", err
	}
	defer func() { _ = to.Close() }() // likewise
	return "", fsx.Rename(from, to)
}

func copyFile(ctx context.Context, s space, args fileArgs) (string, error) {
	data, err := s.read(args.Path)
	if err != nil {
		return "", err
	}
	return writeFile(ctx, s, fileArgs{Path: args.To, Base64: data})
}

// fileFault returns the code and message that Node has for an error.
func fileFault(l lang.Lang, workdir string, e *fileError) (code, message string) {
	known := []struct {
		err        error
		code, text string
	}{
		{fsx.ErrOutside, "EACCES", ""},
		{fsx.ErrProtected, "EPERM", "operation not permitted"},
		{fsx.ErrClosed, "EACCES", "permission denied"},
		{fs.ErrNotExist, "ENOENT", "no such file or directory"},
		{fs.ErrExist, "EEXIST", "file already exists"},
		{fsx.ErrIsDir, "EISDIR", "illegal operation on a directory"},
		{fsx.ErrNotDir, "ENOTDIR", "not a directory"},
		{syscall.ENOTDIR, "ENOTDIR", "not a directory"},
		{fsx.ErrIrregular, "EINVAL", "neither a file nor a directory"},
		{fs.ErrPermission, "EACCES", "permission denied"},
	}
	if fsx.Escapes(e.err) {
		return "EACCES", lang.PathOutside.In(l, e.path, workdir)
	}
	for _, k := range known {
		if !errors.Is(e.err, k.err) {
			continue
		}
		if k.text == "" {
			return k.code, lang.PathOutside.In(l, e.path, workdir)
		}
		return k.code, fmt.Sprintf("%s: %s, '%s'", k.code, k.text, e.path)
	}
	var large *tooLarge
	if errors.As(e.err, &large) {
		return "ERR_FS_FILE_TOO_LARGE", e.Error()
	}
	return "", cmp.Or(e.Error(), "?")
}
