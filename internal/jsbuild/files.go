package script

import (
	"errors"
	"io"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"strings"

	"github.com/gongu-ai/gongu/internal/lang"
)

const (
	// maxSource, maxSources and maxFiles bound what is given to esbuild.
	maxSource  = 512 << 10
	maxSources = 4 << 20
	maxFiles   = 1000
	// maxNesting is far below what its parser and ours can take: too deep a
	// source ends the process, because Go cannot recover from a full stack.
	maxNesting = 10_000
)

// sources reads the files of a module and nothing else. Everything goes
// through os.Root, so a link that leads out is refused as well.
type sources struct {
	lang  lang.Lang
	root  *os.Root
	files int
	bytes int
}

func openSources(l lang.Lang, dir string) (*sources, error) {
	root, err := os.OpenRoot(dir)
	if err != nil {
		return nil, err
	}
	return &sources{lang: l, root: root}, nil
}

func (s *sources) close() { _ = s.root.Close() } // it was only read

// entry is the path of a module's entry from the root, with slashes.
func (s *sources) entry(name string) (string, error) {
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

// relative is the file that an import such as ./util means in the file that
// has it.
func (s *sources) relative(importer, name string) (string, error) {
	clean := path.Join(path.Dir(importer), name)
	if !filepath.IsLocal(filepath.FromSlash(clean)) {
		return "", errors.New(lang.ScriptOutside.In(s.lang, name))
	}
	return s.find(clean, name)
}

// find tries the spellings that an import may leave out, and the TypeScript
// file behind the name that it will have as JavaScript.
func (s *sources) find(clean, asked string) (string, error) {
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
		case err != nil && !errors.Is(err, fs.ErrNotExist) && escapes(err):
			return "", errors.New(lang.ScriptOutside.In(s.lang, asked))
		}
	}
	return "", errors.New(lang.ScriptNotFound.In(s.lang, asked))
}

// escapes holds for the refusal of os.Root, which has no exported error.
func escapes(err error) bool {
	for ; err != nil; err = errors.Unwrap(err) {
		if err.Error() == "path escapes from parent" {
			return true
		}
	}
	return false
}

// read is the text of a file that find gave.
func (s *sources) read(name string) (string, error) {
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
	s.files++
	s.bytes += len(raw)
	if s.files > maxFiles || s.bytes > maxSources {
		return "", errors.New(lang.ScriptTooMany.In(s.lang, maxFiles, maxSources))
	}
	if nesting(raw) > maxNesting {
		return "", errors.New(lang.ScriptTooDeep.In(s.lang, name, maxNesting))
	}
	return string(raw), nil
}

// nesting guesses how deep a parser must go: the depth of brackets, and the
// length of a run of prefix operators. Brackets in texts count as well, which
// only matters for a file with thousands of them unbalanced.
func nesting(source []byte) int {
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
