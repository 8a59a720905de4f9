package bundle

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"

	"github.com/gongu-ai/gongu/internal/fsx"
	"github.com/gongu-ai/gongu/internal/lang"
	"github.com/gongu-ai/gongu/internal/secret"
)

// program is a file of the bundle that a resource runs, or gives to a program.
type program struct {
	key   string // of the resource
	base  string // folder of its package, as a label
	label string
	files []string // spec.files
	// above means that the folders above it decide what it imports.
	above bool
	// alone means that the file is a text in a command, without others.
	alone bool
}

// programs lists the programs that lie in the bundle.
func (b *Bundle) programs(root *os.Root) []program {
	var all []program
	add := func(m *Meta, files []string, cwd string, words []string) {
		for i, word := range words {
			if label, _, ok := b.fileOf(root, m, cwd, word, i == 0); ok {
				all = append(all, program{key: m.Key(), base: b.base(m), label: label, files: files})
			}
			all = append(all, b.texts(root, m, word)...)
		}
	}
	values := func(m *Meta, all map[string]string) (found []program) {
		for _, value := range all {
			found = append(found, b.texts(root, m, value)...)
		}
		return found
	}
	for _, item := range b.items {
		switch r := item.(type) {
		case *McpServer:
			add(&r.Meta, r.Spec.Files, r.Spec.Cwd, r.Spec.Argv())
			all = slices.Concat(all, values(&r.Meta, r.Spec.Env), values(&r.Meta, r.Spec.Headers), b.texts(root, &r.Meta, r.Spec.URL))
		case *ToolCommand:
			add(&r.Meta, r.Spec.Files, r.Spec.Cwd, r.Spec.Discover)
			add(&r.Meta, r.Spec.Files, r.Spec.Cwd, r.Spec.Call)
			all = append(all, values(&r.Meta, r.Spec.Env)...)
		case *Tool:
			if r.ownProcess() && r.Module.Path != "" {
				base := b.base(&r.Meta)
				all = append(all, program{key: r.Key(), base: base, label: path.Join(base, r.Module.Path), files: r.Spec.Files, above: true})
			}
		}
	}
	return all
}

// texts lists the files of the bundle whose text a value refers to: they decide
// what is run, and with which variables.
func (b *Bundle) texts(root *os.Root, m *Meta, value string) []program {
	var all []program
	for _, reference := range secret.References(value) {
		if label, ok := b.textOf(reference); ok && present(root, label) {
			all = append(all, program{key: m.Key(), base: b.base(m), label: label, alone: true})
		}
	}
	return all
}

// ownProcess reports whether bun or node runs the module from its files.
func (t *Tool) ownProcess() bool { return t.Spec.Runtime == "bun" || t.Spec.Runtime == "node" }

// Argv returns the program and its arguments.
func (s *McpServerSpec) Argv() []string {
	if s.Command == "" {
		return nil
	}
	return append([]string{s.Command}, s.Args...)
}

// base returns the folder that relative paths of a resource begin at, as a label:
// that of its package, or the bundle's.
func (b *Bundle) base(m *Meta) string {
	if m.place.doc == nil || m.place.doc.pkg == nil {
		return "."
	}
	rel, err := filepath.Rel(b.root, m.place.doc.pkg.dir)
	if err != nil {
		return "."
	}
	return filepath.ToSlash(rel)
}

// fileOf finds the file of the bundle that a word of a command names: by its path
// from the folder that the program starts in, from the bundle's, or an absolute
// one. A first word without a slash is a program on PATH. Flag is what comes
// before the path, in a word such as --config=FILE.
func (b *Bundle) fileOf(root *os.Root, m *Meta, cwd, word string, first bool) (label, flag string, ok bool) {
	if before, value, found := strings.Cut(word, "="); found && !first && strings.HasPrefix(word, "-") {
		flag, word = before+"=", value
	}
	name := filepath.ToSlash(word)
	if name == "" || strings.Contains(name, "${") || first && !strings.Contains(name, "/") {
		return "", "", false
	}
	var candidates []string
	if filepath.IsAbs(word) {
		for _, dir := range []string{b.dir, b.root} {
			if rel, err := filepath.Rel(dir, word); err == nil {
				candidates = append(candidates, filepath.ToSlash(rel))
			}
		}
	} else {
		base := b.base(m)
		if cwd != "" && cwd != ProjectFolder && !filepath.IsAbs(cwd) {
			candidates = append(candidates, path.Join(base, filepath.ToSlash(cwd), name))
		}
		candidates = append(candidates, path.Join(base, name), path.Join(name))
	}
	for _, label := range candidates {
		if !filepath.IsLocal(filepath.FromSlash(label)) {
			continue
		}
		if present(root, label) {
			return label, flag, true
		}
	}
	return "", "", false
}

// present reports whether there is a file at a label. A link that leads out is one
// too, and refused by add.
func present(root *os.Root, label string) bool {
	info, err := root.Stat(filepath.FromSlash(label))
	return err == nil && info.Mode().IsRegular() || fsx.Escapes(err)
}

// textOf returns the label that a reference in a command, such as file:PATH, has
// when it leads into the bundle. The text decides what is run as much as a program
// does.
func (b *Bundle) textOf(reference string) (label string, ok bool) {
	name, ok := strings.CutPrefix(reference, "file:")
	if !ok || strings.HasPrefix(name, "~/") {
		return "", false
	}
	names := []string{name}
	if filepath.IsAbs(name) {
		names = names[:0]
		for _, dir := range []string{b.dir, b.root} {
			if rel, err := filepath.Rel(dir, name); err == nil {
				names = append(names, rel)
			}
		}
	}
	for _, name := range names {
		if name = filepath.Clean(name); filepath.IsLocal(name) {
			return filepath.ToSlash(name), true
		}
	}
	return "", false
}

// ProjectFolder is the value of cwd for the folder of the bundle itself.
const ProjectFolder = "project"

// Root returns the folder that the files of the bundle are in: Dir, or that of a
// copy.
func (b *Bundle) Root() string { return b.root }

// Inside reports whether the program of a command lies in the bundle. One with a
// relative path is looked for nowhere else.
func (b *Bundle) Inside(m *Meta, cwd, word string) bool {
	if strings.Contains(word, "${") || !strings.Contains(filepath.ToSlash(word), "/") {
		return false
	}
	if !filepath.IsAbs(word) {
		return true
	}
	root, err := os.OpenRoot(b.root)
	if err != nil {
		return false
	}
	defer func() { _ = root.Close() }() // it was only read
	_, _, ok := b.fileOf(root, m, cwd, word, true)
	return ok
}

// Words returns the words of a command with the files of the bundle as absolute
// paths, in the folder that the bundle was read from. So is a program with a
// relative path, also one that is missing: it must not be found elsewhere.
func (b *Bundle) Words(m *Meta, cwd string, words []string) []string {
	out := slices.Clone(words)
	root, err := os.OpenRoot(b.root)
	if err != nil {
		return out // starting the program reports it
	}
	defer func() { _ = root.Close() }() // it was only read
	for i, word := range words {
		if label, flag, ok := b.fileOf(root, m, cwd, word, i == 0); ok {
			out[i] = flag + filepath.Join(b.root, filepath.FromSlash(label))
		} else if i == 0 && !filepath.IsAbs(word) && b.Inside(m, cwd, word) {
			out[i] = filepath.Join(b.root, filepath.FromSlash(b.base(m)), word)
		}
		out[i] = b.Text(out[i])
	}
	return out
}

// Text returns a value whose references to files of the bundle lead to the folder
// that the bundle was read from. Also those to missing files: they must not be read
// elsewhere.
func (b *Bundle) Text(value string) string {
	for _, reference := range secret.References(value) {
		if label, ok := b.textOf(reference); ok {
			value = strings.ReplaceAll(value, "${"+reference+"}", "${file:"+filepath.Join(b.root, filepath.FromSlash(label))+"}")
		}
	}
	return value
}

// Texts is [Bundle.Text] for all values of a map.
func (b *Bundle) Texts(values map[string]string) map[string]string {
	if values == nil {
		return nil
	}
	out := make(map[string]string, len(values))
	for name, value := range values {
		out[name] = b.Text(value)
	}
	return out
}

// uncovered lists the words of a command that are absolute paths into the bundle
// without naming a file: a program reads there what consent does not cover.
func (b *Bundle) uncovered(words []string) []string {
	var found []string
	for i, word := range words {
		if i == 0 {
			continue
		}
		if _, value, ok := strings.Cut(word, "="); ok && strings.HasPrefix(word, "-") {
			word = value
		}
		if !filepath.IsAbs(word) {
			continue
		}
		if info, err := os.Stat(word); err == nil && info.Mode().IsRegular() {
			continue // the copy of it is used
		}
		if rel, err := filepath.Rel(b.dir, word); err == nil && filepath.IsLocal(rel) {
			found = append(found, word)
		}
	}
	return found
}

// glob selects files below a folder; without a pattern it selects all.
type glob struct{ folder, pattern string }

func (g glob) has(label string) bool {
	if g.folder != "." && !strings.HasPrefix(label, g.folder+"/") {
		return false
	}
	return g.pattern == "" || matchPath(strings.Split(g.pattern, "/"), strings.Split(label, "/"))
}

// matchPath matches path segments; ** is any number of them. A pattern that
// matches a folder selects everything in it.
func matchPath(pattern, names []string) bool {
	switch {
	case len(pattern) == 0:
		return true
	case pattern[0] == "**":
		return matchPath(pattern[1:], names) || len(names) > 0 && matchPath(pattern, names[1:])
	case len(names) == 0:
		return false
	}
	ok, err := path.Match(pattern[0], names[0])
	return err == nil && ok && matchPath(pattern[1:], names[1:])
}

// addProgram adds a program with its files.
func (c *coverer) addProgram(p program) error {
	real, err := c.add(p.label, "")
	if err != nil {
		return err
	}
	part := c.part(p.key)
	part.labels[p.label], part.labels[real] = true, true
	part.launched = true
	if p.alone {
		return nil
	}
	globs := []glob{{folder: path.Dir(real)}}
	if len(p.files) > 0 {
		globs = globs[:0]
		for _, pattern := range p.files {
			pattern = path.Join(p.base, filepath.ToSlash(pattern))
			globs = append(globs, glob{fixedFolder(pattern), pattern})
		}
	}
	if p.above {
		for dir := path.Dir(real); ; dir = path.Dir(dir) {
			for _, name := range []string{"package.json", "tsconfig.json", "bunfig.toml", "node_modules"} {
				globs = append(globs, glob{dir, path.Join(dir, name)})
			}
			if dir == p.base || dir == "." {
				break
			}
		}
	}
	for _, g := range globs {
		part.folders = append(part.folders, g)
		c.globs = append(c.globs, g)
		if err := c.walk(g.folder, g.has, g.pattern == ""); err != nil {
			return err
		}
	}
	return nil
}

// fixedFolder returns the folder of a pattern above its first wildcard.
func fixedFolder(pattern string) string {
	if at := strings.IndexAny(pattern, `*?[\`); at >= 0 {
		pattern = pattern[:at] + "x"
	}
	return path.Dir(pattern)
}

// ownName reports whether a file or folder is one that gongu or git writes, or
// that is mounted as a whole under another name.
func ownName(label string) bool {
	for name := range strings.SplitSeq(label, "/") {
		switch name {
		case ".git", ".gongu", ".goondan", "gongu.lock", "tool-requests.json":
			return true
		}
		if strings.HasPrefix(name, "..") || strings.HasPrefix(name, ".gongu.lock.") || strings.HasPrefix(name, ".tool-requests.json.") {
			return true
		}
	}
	return false
}

// walk adds the files of a folder that match. A folder that is added whole is
// walked once.
func (c *coverer) walk(folder string, match func(string) bool, whole bool) error {
	if c.walked[folder] {
		return nil
	}
	c.walked[folder] = whole
	list, err := fs.ReadDir(c.root.FS(), folder)
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	if err != nil {
		return fmt.Errorf("read %s: %w", folder, err)
	}
	for _, d := range list {
		label := path.Join(folder, d.Name())
		if ownName(label) {
			continue
		}
		switch {
		case d.IsDir():
			err = c.walk(label, match, whole)
		case d.Type()&fs.ModeSymlink != 0 && match(label):
			err = c.walkLink(label)
		case d.Type().IsRegular() && match(label):
			err = c.addFile(label)
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// walkLink adds a link of a walked folder with what it leads to.
func (c *coverer) walkLink(label string) error {
	real, links, hidden, err := c.resolve(label)
	if err != nil {
		return err
	}
	info, err := c.root.Stat(filepath.FromSlash(label))
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return fmt.Errorf("read %s: %w", label, err)
	}
	if hidden {
		real = label
	} else {
		for _, link := range links {
			c.found[link.Label] = link
		}
	}
	switch {
	case err != nil: // it leads nowhere
		return nil
	case info.IsDir():
		return c.walk(real, func(string) bool { return true }, true)
	case info.Mode().IsRegular():
		return c.addFile(real)
	}
	return nil
}

// maxAnyDepth is how many ** a pattern may have: each multiplies the work.
const maxAnyDepth = 2

// checkFiles: the patterns of files stay inside of the bundle.
func checkFiles(d *decoder, a at, files []string) {
	for i, pattern := range files {
		clean := path.Clean(filepath.ToSlash(pattern))
		if _, err := path.Match(clean, ""); err != nil || !filepath.IsLocal(filepath.FromSlash(clean)) || strings.Count(clean, "**") > maxAnyDepth {
			d.error(a.find("files", i), CodeSchemaInvalid, lang.BundleEntryOutside.With(short(pattern)), lang.BundleHintEntryInside.With())
		}
	}
}
