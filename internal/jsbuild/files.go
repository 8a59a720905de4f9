package jsbuild

import (
	"errors"
	"io"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"

	"github.com/gongu-ai/gongu/internal/fsx"
	"github.com/gongu-ai/gongu/internal/lang"
	"github.com/gongu-ai/gongu/internal/statedir"
)

const (
	// maxSource, maxSources and maxFiles limit what is given to esbuild.
	maxSource  = 512 << 10
	maxSources = 4 << 20
	maxFiles   = 1000
	// MaxNesting is the deepest source that may be parsed. It is far below what
	// the parsers can take: a deeper source overflows the stack, which ends the
	// whole process.
	MaxNesting = 10_000
)

// files reads the files of a module. It uses os.Root, so it refuses a link that
// leads out of the root.
type files struct {
	lang  lang.Lang
	root  *os.Root
	count int // files read
	bytes int // bytes read
}

// openEntry opens dir and finds the entry of a module in it. The caller closes
// the files. The error is an [Error].
func openEntry(l lang.Lang, dir, name string) (*files, string, error) {
	root, err := os.OpenRoot(dir)
	if err != nil {
		return nil, "", &Error{Path: name, Reason: err.Error()}
	}
	f := &files{lang: l, root: root}
	entry, err := f.entry(name)
	if err != nil {
		f.close()
		return nil, "", &Error{Path: name, Reason: err.Error()}
	}
	return f, entry, nil
}

func (s *files) close() { _ = s.root.Close() } // it was only read

// entry returns the path of a module's entry from the root, with slashes.
func (s *files) entry(name string) (string, error) {
	if filepath.IsAbs(name) || path.IsAbs(filepath.ToSlash(name)) {
		return "", errors.New(lang.ScriptAbsolute.In(s.lang, name))
	}
	clean := path.Clean(filepath.ToSlash(name))
	if clean == "." {
		return "", errors.New(lang.ScriptNotFound.In(s.lang, name))
	}
	if !filepath.IsLocal(filepath.FromSlash(clean)) {
		return "", errors.New(lang.ScriptOutside.In(s.lang, name))
	}
	return s.find(clean, name)
}

// relative returns the file that an import such as ./util of importer refers to.
func (s *files) relative(importer, name string) (string, error) {
	clean := path.Join(path.Dir(importer), name)
	if !filepath.IsLocal(filepath.FromSlash(clean)) {
		return "", errors.New(lang.ScriptOutside.In(s.lang, name))
	}
	return s.find(clean, name)
}

// find completes an import path: it adds the extension or /index, and replaces
// a JavaScript extension by that of the TypeScript file it is compiled from.
func (s *files) find(clean, asked string) (string, error) {
	if slices.ContainsFunc(strings.Split(clean, "/"), statedir.IsOld) {
		return "", errors.New(lang.BundleEntryState.In(s.lang, asked))
	}
	candidates := []string{clean}
	for from, to := range map[string]string{".js": ".ts", ".mjs": ".mts", ".cjs": ".cts", ".jsx": ".tsx"} {
		if base, ok := strings.CutSuffix(clean, from); ok {
			candidates = append(candidates, base+to)
		}
	}
	extensions := []string{".ts", ".tsx", ".mts", ".cts", ".js", ".mjs", ".cjs", ".jsx", ".json"}
	for _, extension := range extensions {
		candidates = append(candidates, clean+extension)
	}
	for _, extension := range extensions {
		candidates = append(candidates, clean+"/index"+extension)
	}
	for _, candidate := range candidates {
		info, err := s.root.Stat(filepath.FromSlash(candidate))
		switch {
		case err == nil && info.Mode().IsRegular():
			return candidate, nil
		case err != nil && fsx.Escapes(err):
			return "", errors.New(lang.ScriptOutside.In(s.lang, asked))
		}
	}
	return "", errors.New(lang.ScriptNotFound.In(s.lang, asked))
}

// read returns the text of a file that find returned.
func (s *files) read(name string) (string, error) {
	f, err := s.root.Open(filepath.FromSlash(name))
	if err != nil {
		return "", err
	}
	defer func() { _ = f.Close() }() // it was only read
	raw, err := io.ReadAll(io.LimitReader(f, maxSource+1))
	if err != nil {
		return "", err
	}
	if len(raw) > maxSource {
		return "", errors.New(lang.ScriptTooLarge.In(s.lang, name, maxSource))
	}
	s.count++
	s.bytes += len(raw)
	if s.count > maxFiles || s.bytes > maxSources {
		return "", errors.New(lang.ScriptTooMany.In(s.lang, maxFiles, maxSources))
	}
	if Nesting(raw) > MaxNesting {
		return "", errors.New(lang.ScriptTooDeep.In(s.lang, name, MaxNesting))
	}
	return string(raw), nil
}

// Nesting estimates how deep a parser recurses: the depth of brackets, or the
// length of a run of prefix operators. It also counts brackets in strings and
// comments, which only matters for thousands of unbalanced ones.
func Nesting(source []byte) int {
	deepest, depth, run := 0, 0, 0
	for _, c := range source {
		switch c {
		case '(', '[', '{':
			depth++
		case ')', ']', '}':
			depth = max(depth-1, 0)
		}
		switch c {
		case '!', '~', '+', '-':
			run++
		case ' ', '\t', '\r', '\n':
		default:
			run = 0
		}
		deepest = max(deepest, depth, run)
	}
	return deepest
}
