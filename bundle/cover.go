package bundle

import (
	"cmp"
	"crypto/sha256"
	"encoding/binary"
	"encoding/hex"
	"errors"
	"fmt"
	"hash"
	"io"
	"io/fs"
	"maps"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"

	"github.com/gongu-ai/gongu/internal/fsx"
	"github.com/gongu-ai/gongu/internal/jsbuild"
)

// Cover is what a consent to a bundle covers: every file that decides what the
// bundle does. It describes the files as they were when it was made.
type Cover struct {
	root    string
	entries []Entry // sorted by label
	parts   map[string]*part
	globs   []glob          // files of programs
	stems   map[string]bool // modules without their extensions
}

// Entry is one covered file.
type Entry struct {
	// Label is the path from the bundle's folder, with slashes.
	Label string
	Kind  EntryKind
	// Content is a hash of the content; of a link it is where it leads.
	Content string
}

// EntryKind tells files from programs and links.
type EntryKind string

// The kinds of entries. A program is a file that may be executed.
const (
	EntryFile    EntryKind = "file"
	EntryProgram EntryKind = "program"
	EntryLink    EntryKind = "link"
)

// part is the files of one resource.
type part struct {
	labels   map[string]bool
	folders  []glob
	launched bool // a program is started with them
}

// The most that a consent covers, so that it does not read a whole disk.
const (
	maxCoverFiles = 50_000
	maxCoverBytes = 512 << 20
)

// Cover reads everything that a consent to the bundle covers: the resource files,
// those of packages and the texts they refer to, the modules with all they
// import, and the files of programs that lie in the bundle.
func (b *Bundle) Cover() (*Cover, error) {
	root, err := os.OpenRoot(b.root)
	if err != nil {
		return nil, fmt.Errorf("open the bundle: %w", err)
	}
	defer func() { _ = root.Close() }() // it was only read
	c := &coverer{
		Cover: &Cover{root: b.root, parts: map[string]*part{}, stems: map[string]bool{}}, root: root,
		found: map[string]Entry{}, walked: map[string]bool{}, files: maxCoverFiles, bytes: maxCoverBytes,
	}
	if err := c.cover(b); err != nil {
		return nil, err
	}
	c.entries = slices.SortedFunc(maps.Values(c.found), byLabel)
	return c.Cover, nil
}

func byLabel(a, b Entry) int { return strings.Compare(a.Label, b.Label) }

// Entries returns the covered files, sorted by label.
func (c *Cover) Entries() []Entry { return slices.Clone(c.entries) }

// Digest returns a hash of all entries, which does not depend on where the bundle
// lies.
func (c *Cover) Digest() string { return "sha256:" + hex.EncodeToString(digestOf(c.entries)) }

// Part returns a hash of the files of one resource, by its key: its module with
// all that this imports, or its programs. It is empty without any.
func (c *Cover) Part(key string) string {
	p := c.parts[key]
	if p == nil {
		return ""
	}
	return hex.EncodeToString(digestOf(slices.DeleteFunc(c.Entries(), func(e Entry) bool {
		return !p.labels[e.Label] && !slices.ContainsFunc(p.folders, func(g glob) bool { return g.has(e.Label) })
	})))
}

// Used returns the files that resources name, by label: modules with all that they
// import, and programs without the other files of their folders.
func (c *Cover) Used() []string {
	used := map[string]bool{}
	for _, p := range c.parts {
		maps.Copy(used, p.labels)
	}
	return slices.Sorted(maps.Keys(used))
}

// Concerns reports whether a change at a path from the bundle's folder may change
// what is covered.
func (c *Cover) Concerns(label string) bool {
	if label == "." {
		return true
	}
	for name := range strings.SplitSeq(label, "/") {
		if strings.HasPrefix(name, "..") {
			return true // a mounted ConfigMap changes this way
		}
	}
	_, found := slices.BinarySearchFunc(c.entries, Entry{Label: label}, byLabel)
	at, _ := slices.BinarySearchFunc(c.entries, Entry{Label: label + "/"}, byLabel)
	below := at < len(c.entries) && strings.HasPrefix(c.entries[at].Label, label+"/")
	return found || below || c.stems[stem(label)] || isResourceFile(label) && !inSkippedFolder(label) ||
		slices.ContainsFunc(c.globs, func(g glob) bool { return g.has(label) && !ownName(label) })
}

func inSkippedFolder(label string) bool {
	for dir := path.Dir(label); dir != "."; dir = path.Dir(dir) {
		if skippedFolder(dir) {
			return true
		}
	}
	return false
}

// stem is a module's path without what an import may leave out.
func stem(label string) string {
	return strings.TrimSuffix(strings.TrimSuffix(label, path.Ext(label)), "/index")
}

func digestOf(entries []Entry) []byte {
	h := sha256.New()
	io.WriteString(h, "gongu-consent-1\n")
	for _, e := range entries {
		writePart(h, e.Label)
		writePart(h, string(e.Kind))
		writePart(h, e.Content)
	}
	return h.Sum(nil)
}

// writePart prefixes the length, so that no two lists of parts look alike.
func writePart(h hash.Hash, part string) {
	var size [8]byte
	binary.LittleEndian.PutUint64(size[:], uint64(len(part)))
	h.Write(size[:])
	io.WriteString(h, part)
}

// coverer collects the entries of a cover.
type coverer struct {
	*Cover
	root   *os.Root
	found  map[string]Entry
	walked map[string]bool
	files  int   // that may still be added
	bytes  int64 // that may still be read
}

func (c *coverer) cover(b *Bundle) error {
	if b.outside != "" {
		return fmt.Errorf("the package in %s lies outside of the bundle: install it below %s of the bundle", b.outside, packagesFolder)
	}
	for label, content := range b.read {
		if _, err := c.add(label, content); err != nil {
			return err
		}
	}
	for _, item := range b.items {
		module, target := moduleOf(item)
		if module.Path == "" {
			continue
		}
		if err := c.addModule(b, item.Head().Key(), module, target); err != nil {
			return err
		}
	}
	for _, p := range b.programs(c.root) {
		if err := c.addProgram(p); err != nil {
			return err
		}
	}
	return nil
}

// moduleOf returns the module of a resource and what it is bundled for.
func moduleOf(item Item) (Module, jsbuild.Target) {
	switch r := item.(type) {
	case *Tool:
		if r.ownProcess() {
			return r.Module, jsbuild.Node
		}
		return r.Module, jsbuild.QuickJS
	case *Extension:
		return r.Module, jsbuild.QuickJS
	case *Connector:
		return r.Module, jsbuild.Node
	}
	return Module{}, jsbuild.QuickJS
}

// addModule adds a module with all that it imports.
func (c *coverer) addModule(b *Bundle, key string, m Module, target jsbuild.Target) error {
	inputs, err := jsbuild.Inputs(m.Root, m.Path, target)
	if err != nil {
		return err
	}
	base, err := filepath.Rel(b.root, m.Root)
	if err != nil {
		return err
	}
	p := c.part(key)
	for _, input := range inputs {
		label := path.Join(filepath.ToSlash(base), input)
		real, err := c.add(label, "")
		if err != nil {
			return err
		}
		c.stems[stem(label)] = true
		p.labels[label], p.labels[real] = true, true
	}
	return nil
}

func (c *coverer) part(key string) *part {
	p := c.parts[key]
	if p == nil {
		p = &part{labels: map[string]bool{}}
		c.parts[key] = p
	}
	return p
}

// take counts a file against the budget.
func (c *coverer) take(size int64) error {
	c.files--
	c.bytes -= size
	if c.files < 0 || c.bytes < 0 {
		return fmt.Errorf("the bundle has more than %d files or %d MiB that a consent would cover: list the files that the program needs in spec.files of its resource, or move the program to a folder without others",
			maxCoverFiles, maxCoverBytes>>20)
	}
	return nil
}

// add adds the file at a label, with the links that lead to it, and returns where
// it really lies. A file behind a name that begins with two dots is added under
// its label: such links are replaced as a whole. Content is the hash of a file
// that was read before, so that what was shown is what is covered.
func (c *coverer) add(label, content string) (string, error) {
	real, links, hidden, err := c.resolve(label)
	if err != nil {
		return "", err
	}
	if hidden {
		real, links = label, nil
	}
	for _, link := range links {
		c.found[link.Label] = link
	}
	if content == "" {
		return real, c.addFile(real)
	}
	info, err := c.root.Stat(filepath.FromSlash(real))
	if err != nil {
		return "", fmt.Errorf("read %s: %w", label, err)
	}
	c.found[real] = Entry{real, kindOfFile(info), content}
	return real, c.take(info.Size())
}

// maxLinks is how many links may follow each other.
const maxLinks = 40

// resolve follows the links of a path inside of the bundle.
func (c *coverer) resolve(label string) (real string, links []Entry, hidden bool, err error) {
	rest := strings.Split(path.Clean(label), "/")
	for len(rest) > 0 {
		next := path.Join(real, rest[0])
		hidden = hidden || strings.HasPrefix(rest[0], "..")
		info, err := c.root.Lstat(filepath.FromSlash(next))
		if errors.Is(err, fs.ErrNotExist) {
			return path.Join(append([]string{real}, rest...)...), links, hidden, nil
		}
		if err != nil {
			return "", nil, false, fmt.Errorf("read %s: %w", label, err)
		}
		if info.Mode()&fs.ModeSymlink == 0 {
			real, rest = next, rest[1:]
			continue
		}
		target, err := c.root.Readlink(filepath.FromSlash(next))
		if err != nil {
			return "", nil, false, fmt.Errorf("read %s: %w", label, err)
		}
		target = filepath.ToSlash(target)
		to := path.Join(path.Dir(next), target)
		if path.IsAbs(target) || filepath.IsAbs(target) || !filepath.IsLocal(filepath.FromSlash(to)) || len(links) == maxLinks {
			return "", nil, false, fmt.Errorf("%s is a link that leads out of the bundle, to %s: put a copy in its place, or name other files under files", next, target)
		}
		if err := c.take(int64(len(target))); err != nil {
			return "", nil, false, err
		}
		links = append(links, Entry{next, EntryLink, target})
		real, rest = "", append(strings.Split(to, "/"), rest[1:]...)
		for len(rest) > 0 && rest[0] == "." {
			rest = rest[1:]
		}
	}
	return cmp.Or(real, "."), links, hidden, nil
}

// addFile adds a regular file by its content.
func (c *coverer) addFile(label string) error {
	if _, done := c.found[label]; done {
		return nil
	}
	e, err := readEntry(c.root, label, io.Discard, c.take)
	if err == nil {
		c.found[label] = e
	}
	return err
}

// readEntry reads a file once: its content goes to out and into the entry.
func readEntry(root *os.Root, label string, out io.Writer, take func(int64) error) (Entry, error) {
	fail := func(err error) (Entry, error) {
		if fsx.Escapes(err) {
			return Entry{}, fmt.Errorf("%s leads out of the bundle: put a copy in its place", label)
		}
		return Entry{}, fmt.Errorf("read %s: %w", label, err)
	}
	// Before it is opened: opening a pipe would wait for a writer.
	info, err := root.Stat(filepath.FromSlash(label))
	if err != nil {
		return fail(err)
	}
	if !info.Mode().IsRegular() {
		return fail(errors.New("it is not a regular file"))
	}
	if err := take(info.Size()); err != nil {
		return Entry{}, err
	}
	f, err := root.Open(filepath.FromSlash(label))
	if err != nil {
		return fail(err)
	}
	defer func() { _ = f.Close() }() // it was only read
	if info, err = f.Stat(); err != nil {
		return fail(err)
	}
	content := sha256.New()
	if _, err := io.Copy(io.MultiWriter(content, out), io.LimitReader(f, maxCoverBytes)); err != nil {
		return fail(err)
	}
	return Entry{label, kindOfFile(info), hex.EncodeToString(content.Sum(nil))}, nil
}

func kindOfFile(info fs.FileInfo) EntryKind {
	if info.Mode()&0o111 != 0 {
		return EntryProgram
	}
	return EntryFile
}
