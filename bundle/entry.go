package bundle

import (
	"errors"
	"io"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"github.com/gongu-ai/gongu"
	"github.com/gongu-ai/gongu/internal/lang"
	"github.com/gongu-ai/gongu/internal/near"
	"github.com/gongu-ai/gongu/internal/schema"
	"github.com/gongu-ai/gongu/internal/statedir"
)

// Module is the code behind a resource.
type Module struct {
	// Builtin is the name after builtin:, for code that is part of gongu.
	Builtin string
	// Root is the folder of the bundle or package, as an absolute path.
	Root string
	// Path is the file, relative to Root, with slashes.
	Path string
}

// File returns the module's file as an absolute path; empty for a built-in.
func (m Module) File() string {
	if m.Path == "" {
		return ""
	}
	return filepath.Join(m.Root, filepath.FromSlash(m.Path))
}

const builtinPrefix = "builtin:"

// module finds the file of spec.entry. It must lie inside the bundle, also
// when links are followed.
func (l *loader) module(m Meta, entry string) Module {
	if strings.TrimSpace(entry) == "" {
		return Module{} // reported by the decoder
	}
	place := m.spec.find("entry")
	owner := m.place.doc.pkg
	if name, ok := strings.CutPrefix(entry, builtinPrefix); ok {
		if strings.TrimSpace(name) == "" {
			l.error(place, CodeEntryNotFound, lang.BundleNoBuiltin.With(name), lang.BundleHintBuiltin.With())
		}
		return Module{Builtin: name, Root: owner.dir}
	}
	if !l.inside(place, entry) {
		return Module{}
	}
	for _, candidate := range entryCandidates(path.Clean(entry)) {
		info, err := owner.root.Stat(filepath.FromSlash(candidate))
		switch {
		case err == nil && info.Mode().IsRegular():
			if err := readable(owner.root, candidate); err != nil {
				l.error(place, CodeEntryNotFound, lang.BundleEntryUnreadable.With(short(entry), reason(err)), lang.BundleHintEntryReadable.With())
				return Module{}
			}
			return Module{Root: owner.dir, Path: candidate}
		case err == nil:
			l.error(place, CodeEntryNotFound, lang.BundleEntryFolder.With(short(entry)), lang.BundleHintEntryFile.With())
			return Module{}
		case !errors.Is(err, fs.ErrNotExist):
			l.error(place, CodeEntryNotFound, lang.BundleEntryUnreadable.With(short(entry), reason(err)), lang.BundleHintEntryInside.With())
			return Module{}
		}
	}
	l.error(place, CodeEntryNotFound, lang.BundleEntryMissing.With(short(entry)), l.hintFile(owner, entry))
	return Module{}
}

// readable opens a file for a moment: one that is there and may not be read
// would only fail at the first call.
func readable(root *os.Root, name string) error {
	file, err := root.Open(filepath.FromSlash(name))
	if err != nil {
		return err
	}
	return file.Close()
}

// inside refuses paths that leave the bundle by their text alone.
func (l *loader) inside(place at, name string) bool {
	clean := path.Clean(strings.ReplaceAll(name, `\`, "/"))
	parts := strings.Split(strings.ReplaceAll(name, `\`, "/"), "/")
	switch {
	case path.IsAbs(clean) || filepath.IsAbs(name) || len(name) > 1 && name[1] == ':':
		l.error(place, CodeEntryNotFound, lang.BundleEntryAbsolute.With(short(name)), lang.BundleHintEntryInside.With())
	case slices.Contains(parts, ".."):
		l.error(place, CodeEntryNotFound, lang.BundleEntryOutside.With(short(name)), lang.BundleHintEntryInside.With())
	case slices.ContainsFunc(parts, statedir.IsOld):
		l.error(place, CodeEntryNotFound, lang.BundleEntryState.With(short(name)), lang.BundleHintEntryState.With())
	case strings.ContainsRune(name, 0):
		l.error(place, CodeEntryNotFound, lang.BundleEntryMissing.With(short(name)), lang.BundleHintEntryInside.With())
	default:
		return true
	}
	return false
}

// entryCandidates lists the files an entry can mean. The source itself comes
// first: we run TypeScript, so a stale build must not win. The others are
// where packages made for goondan keep what was built from it.
func entryCandidates(entry string) []string {
	list := []string{entry}
	for _, ext := range []string{".ts", ".mts", ".cts", ".tsx"} {
		if stem, ok := strings.CutSuffix(entry, ext); ok {
			built := stem + strings.NewReplacer("tsx", "js", "ts", "js").Replace(ext)
			return append(list, built, path.Join("dist", built), path.Join("dist", "src", built))
		}
	}
	return list
}

// reason returns an error without the path that the message already names.
func reason(err error) string {
	if pe, ok := errors.AsType[*fs.PathError](err); ok {
		return pe.Err.Error()
	}
	return err.Error()
}

// hintFile looks for the file that was meant.
func (l *loader) hintFile(owner *pkg, name string) lang.Message {
	var names []string
	visited := 0
	// Files that cannot be read are not suggested, so errors are ignored.
	_ = fs.WalkDir(owner.root.FS(), ".", func(file string, d fs.DirEntry, err error) error {
		if visited++; visited > maxNeighbours {
			return fs.SkipAll
		}
		switch {
		case err != nil:
			return fs.SkipDir
		case d.IsDir() && file != "." && (skippedFolder(file) || strings.HasPrefix(path.Base(file), ".")):
			return fs.SkipDir
		case d.Type().IsRegular():
			names = append(names, "./"+file)
		}
		return nil
	})
	if found := near.Names("./"+path.Clean(name), slices.Values(names), 3); len(found) > 0 {
		return lang.BundleHintNear.With(strings.Join(found, ", "))
	}
	return lang.BundleHintEntryWrite.With(short(name))
}

// maxNeighbours bounds the look around for a misspelled file.
const maxNeighbours = 1000

// readText reads a text file of the bundle.
func (l *loader) readText(m Meta, place at, name string) string {
	owner := m.place.doc.pkg
	if !l.inside(place, name) {
		return ""
	}
	raw, err := l.readLimited(owner, path.Clean(name))
	switch {
	case errors.Is(err, errTooLarge):
		l.error(place, CodeFileTooLarge, lang.BundleFileTooLarge.With(short(name), maxFileBytes), lang.BundleHintShorten.With())
	case errors.Is(err, fs.ErrNotExist):
		l.error(place, CodeEntryNotFound, lang.BundleEntryMissing.With(short(name)), l.hintFile(owner, name))
	case err != nil:
		l.error(place, CodeEntryNotFound, lang.BundleEntryUnreadable.With(short(name), reason(err)), lang.BundleHintEntryInside.With())
	}
	return string(raw)
}

var errTooLarge = errors.New("file is too large")

// readLimited reads a file of at most 1 MiB. The size is checked on what is
// read: a file can grow, and some have no size.
func readLimited(root *os.Root, name string) ([]byte, error) {
	// Before it is opened: opening a pipe would wait for a writer.
	info, err := root.Stat(filepath.FromSlash(name))
	if err != nil {
		return nil, err
	}
	if !info.Mode().IsRegular() {
		return nil, errors.New("not a regular file")
	}
	f, err := root.Open(filepath.FromSlash(name))
	if err != nil {
		return nil, err
	}
	defer f.Close()
	raw, err := io.ReadAll(io.LimitReader(f, maxFileBytes+1))
	if err == nil && len(raw) > maxFileBytes {
		return nil, errTooLarge
	}
	return raw, err
}

// checkParameters wants what every provider wants: an object at the root.
func (l *loader) checkParameters(place at, s gongu.Schema) {
	if s == "" {
		return
	}
	root := field(place.node, "type")
	if root == nil || deref(root).Value != kindObject {
		l.error(place.find("type"), CodeSchemaInvalid, lang.BundleRootType.With(), lang.BundleHintRootType.With())
		return
	}
	l.checkSchema(place, s)
}

// checkSchema compiles a JSON Schema and finds the place of its problem.
func (l *loader) checkSchema(place at, s gongu.Schema) {
	if s == "" {
		return
	}
	checker, err := schema.Compile(s, nil)
	if err != nil {
		pointer, text := splitSchemaError(err)
		l.error(place.find(pointerSteps(place, pointer)...), CodeSchemaInvalid, lang.BundleBadSchema.With(text), lang.BundleHintSchema.With())
		return
	}
	for _, warning := range checker.Warnings() {
		l.warn(place, CodeUnchecked, "", lang.BundleUnchecked.With(warning), lang.BundleHintUnchecked.With())
	}
}

// splitSchemaError returns where in a schema a problem is, and what it is.
func splitSchemaError(err error) (pointer, text string) {
	if problem, ok := errors.AsType[*schema.Problem](err); ok {
		return problem.Pointer, problem.Text
	}
	return "", err.Error()
}

// pointerSteps turns a JSON pointer into steps of find.
func pointerSteps(place at, pointer string) []any {
	var steps []any
	n := place.value()
	for token := range strings.SplitSeq(strings.TrimPrefix(pointer, "/"), "/") {
		if token == "" || n == nil {
			break
		}
		token = strings.NewReplacer("~1", "/", "~0", "~").Replace(token)
		if kindOf(n) == kindArray {
			i, err := strconv.Atoi(token)
			if err != nil || i < 0 || i >= len(n.Content) {
				break
			}
			steps, n = append(steps, i), deref(n.Content[i])
			continue
		}
		steps, n = append(steps, token), deref(field(n, token))
	}
	return steps
}
