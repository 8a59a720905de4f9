package bundle

import (
	"cmp"
	"crypto/sha256"
	"encoding/hex"
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"unicode"

	"github.com/gongu-ai/gongu"
	"github.com/gongu-ai/gongu/internal/lang"
)

// Options adjust how a bundle is read. A nil *Options means the defaults.
type Options struct {
	// Strict turns some warnings into errors, such as an unreadable file or an
	// upper-case letter in a name.
	Strict bool
	// Lang is the language of diagnostics: en (the default) or ko.
	Lang string
	// Env looks up environment variables. When it is set, variables that a
	// bundle needs and that are missing are warned about.
	Env func(string) (string, bool)
	// Builtins are the tools behind builtin:NAME. When it is nil, every name is
	// accepted.
	Builtins map[string][]gongu.Tool
	// KnownExtension reports whether builtin:NAME is an extension. When it is nil,
	// every name is accepted.
	KnownExtension func(name string) bool
	// Origin is the folder that the files were copied from; see [Bundle.Dir].
	Origin string
	// PackageRoots are further folders with installed packages, beside
	// packages and .goondan/packages in the bundle.
	PackageRoots []string
}

// Load reads the bundle in a folder, or in a single file. All problems are
// reported; the bundle is nil when one of them is an error.
func Load(path string, opts *Options) (*Bundle, Diagnostics) {
	if opts == nil {
		opts = &Options{}
	}
	l := newLoader(opts)
	defer l.close()
	b := l.load(path)
	list := l.finish()
	if list.HasErrors() {
		return nil, list
	}
	return b, list
}

func newLoader(opts *Options) *loader {
	language, _ := lang.Parse(opts.Lang)
	return &loader{
		reporter: &reporter{lang: language, strict: opts.Strict, env: opts.Env},
		opts:     opts,
		index:    index{},
		names:    map[string][]string{},
		read:     map[string]string{},
		whole:    true,
	}
}

// loader is one run of Load.
type loader struct {
	*reporter
	opts  *Options
	index index
	items []Item
	refs  []pendingRef
	pkgs  []*pkg
	bytes int                 // read so far
	names map[string][]string // candidates for suggestions, by kinds
	read  map[string]string   // hashes of the files, by label
	// outside is a package that is not below the bundle.
	outside string
	file    string // the only file that is read
	// policies is true for a policy file of the user or the administrator.
	policies bool
	// whole is false when something could not be read, so that a missing
	// resource may well be in there.
	whole bool
}

// completer is a kind that checks and completes itself.
type completer interface{ complete(l *loader) }

// resolver is a kind with rules that need the other resources.
type resolver interface {
	resolved(l *loader, b *Bundle)
}

func (l *loader) close() {
	for _, p := range l.pkgs {
		p.root.Close()
	}
}

// missing reports something that is not there, unless a file that could not be
// read may have it: one broken line should not cause a page of errors.
func (l *loader) missing(a at, code string, message, suggestion lang.Message) {
	if l.whole {
		l.error(a, code, message, suggestion)
	}
}

func (l *loader) load(path string) *Bundle {
	local, files := l.open(path)
	if local == nil {
		return nil
	}
	var docs []at
	for _, name := range files {
		found := l.readFile(local, name)
		l.checkPackageDocs(name, found)
		docs = append(docs, found...)
	}
	local.name = packageName(docs)
	manifest := l.decodeAll(docs)
	l.loadDependencies(local, manifest)
	for _, ref := range l.refs {
		l.checkRef(ref)
	}
	b := &Bundle{
		dir: cmp.Or(l.opts.Origin, local.dir), root: local.dir, name: l.file, read: l.read, outside: l.outside,
		files: files, items: l.items, index: l.index, packages: l.packageDirs(),
	}
	for _, item := range l.items {
		if r, ok := item.(resolver); ok {
			r.resolved(l, b)
		}
	}
	l.checkSwarm(b, files)
	l.reportNoTurns(b)
	return b
}

// open finds the folder of the bundle and its files.
func (l *loader) open(path string) (*pkg, []string) {
	shown := filepath.ToSlash(path)
	info, err := os.Stat(path)
	if err != nil {
		l.error(atFile(shown), CodeEntryNotFound, lang.BundleNotFound.With(reason(err)), lang.BundleHintInit.With())
		return nil, nil
	}
	dir := path
	if !info.IsDir() {
		dir = filepath.Dir(path)
	}
	local, err := openPackage(dir, "")
	if err != nil {
		l.error(atFile(shown), CodeEntryNotFound, lang.BundleNotFound.With(reason(err)), lang.BundleHintInit.With())
		return nil, nil
	}
	l.pkgs = append(l.pkgs, local)
	if !info.IsDir() {
		l.file = filepath.Base(path)
		return local, []string{l.file}
	}
	files := l.scan(local)
	if len(files) == 0 && len(l.list) == 0 {
		l.error(atFile(shown), CodeEntryNotFound, lang.BundleNoFiles.With(), lang.BundleHintInit.With())
		return nil, nil
	}
	return local, files
}

// maxBundleBytes bounds all files of a bundle together.
const maxBundleBytes = 16 << 20

// readFile parses one file of a package.
func (l *loader) readFile(owner *pkg, name string) []at {
	shown := owner.shown(name)
	raw, err := l.readLimited(owner, name)
	switch {
	case err == errTooLarge:
		l.whole = false
		l.error(atFile(shown), CodeFileTooLarge, lang.BundleFileTooLarge.With(name, maxFileBytes), lang.BundleSplitFile.With())
		return nil
	case err != nil:
		l.whole = false
		l.error(atFile(shown), CodeParseError, lang.BundleUnreadable.With(reason(err)), lang.BundleHintReadable.With())
		return nil
	}
	if l.bytes += len(raw); l.bytes > maxBundleBytes {
		l.whole = false
		l.error(atFile(shown), CodeFileTooLarge, lang.BundleTooLarge.With(maxBundleBytes), lang.BundleHintSmallerFolder.With())
		return nil
	}
	docs, whole := parse(l.reporter, shown, raw, owner)
	l.whole = l.whole && whole
	kept := docs[:0]
	for _, doc := range docs {
		if sound(l.reporter, doc) {
			kept = append(kept, doc)
		} else {
			l.whole = false
		}
	}
	return kept
}

// readLimited reads a file and remembers its content.
func (l *loader) readLimited(owner *pkg, name string) ([]byte, error) {
	raw, err := readLimited(owner.root, name)
	label, relErr := filepath.Rel(l.pkgs[0].dir, filepath.Join(owner.dir, filepath.FromSlash(name)))
	if relErr != nil || !filepath.IsLocal(label) {
		l.outside = owner.dir
		return raw, err
	}
	sum := sha256.Sum256(raw)
	l.read[filepath.ToSlash(label)] = hex.EncodeToString(sum[:])
	return raw, err
}

// decodeAll reads the resources of a package and returns its manifest.
func (l *loader) decodeAll(docs []at) *Package {
	var manifest *Package
	for _, doc := range docs {
		item := l.decode(doc)
		if item == nil {
			continue
		}
		if other := l.index.add(item); other != nil {
			m := item.Head()
			l.error(m.place.find("metadata", "name"), CodeDuplicateName,
				lang.BundleDuplicate.With(m.Identity(), other.Head().Position.File, other.Head().Position.Line), lang.BundleHintRename.With())
			continue
		}
		l.items = append(l.items, item)
		if p, ok := item.(*Package); ok && manifest == nil {
			manifest = p
		}
	}
	return manifest
}

// decode reads one document. It returns nil when it is not known what it is;
// a resource with errors in it is returned, so that others can refer to it.
func (l *loader) decode(doc at) Item {
	kind, ok := l.kind(doc)
	if !ok {
		return nil
	}
	l.checkAPIVersion(doc)
	item := kind.make()
	m := item.Head()
	*m = Meta{Kind: kind.name, Package: doc.doc.pkg.name, Position: doc.position(), place: doc, spec: doc.find("spec")}
	if v := field(doc.node, "apiVersion"); v != nil {
		m.APIVersion = deref(v).Value
	}
	d := &decoder{reporter: l.reporter, owner: m}
	l.decodeHead(d, m, doc)
	if node := field(doc.node, "spec"); node != nil {
		spec := reflect.ValueOf(item).Elem().FieldByName("Spec")
		d.value(doc.key("spec", node), spec, rules{})
		l.refs = append(l.refs, d.refs...)
		if c, ok := item.(completer); ok && kindOf(node) == kindObject {
			c.complete(l)
		}
	}
	if m.Name == "" {
		return nil
	}
	return item
}

// kind reads the kind of a document. Documents without one are notes.
func (l *loader) kind(doc at) (kindInfo, bool) {
	n := field(doc.node, "kind")
	if n == nil {
		if kindOf(doc.node) != kindNull {
			l.warn(doc, CodeNoKind, "", lang.BundleNoKind.With(), lang.BundleHintKind.With(strings.Join(kindNames(), ", ")))
		}
		return kindInfo{}, false
	}
	name := deref(n).Value
	kind, ok := kindNamed(name)
	if !ok || kindOf(n) != kindString {
		l.error(doc.find("kind"), CodeUnknownKind, lang.BundleUnknownKind.With(short(name)), choose(name, kindNames()))
		return kindInfo{}, false
	}
	return kind, true
}

func (l *loader) checkAPIVersion(doc at) {
	n := field(doc.node, "apiVersion")
	switch {
	case n == nil:
		l.error(doc, CodeUnsupportedAPIVersion, lang.BundleNoAPIVersion.With(), lang.BundleHintAPIVersion.With(APIVersion))
	case kindOf(n) != kindString || !knownAPIVersion(deref(n).Value):
		l.error(doc.find("apiVersion"), CodeUnsupportedAPIVersion, lang.BundleAPIVersion.With(short(deref(n).Value)), choose(deref(n).Value, apiVersions()))
	}
}

// decodeHead reads everything outside of spec.
func (l *loader) decodeHead(d *decoder, m *Meta, doc at) {
	known := []fieldInfo{{name: "apiVersion"}, {name: "kind"}, {name: "metadata"}, {name: "spec"}}
	n := doc.value()
	for i := 0; i+1 < len(n.Content); i += 2 {
		switch name := deref(n.Content[i]).Value; name {
		case "apiVersion", "kind", "metadata", "spec":
		default:
			d.unknownField(doc.key(name, n.Content[i]), name, known)
		}
	}
	if field(n, "spec") == nil {
		l.error(doc.find("spec"), CodeSchemaInvalid, lang.BundleRequired.With("spec"), lang.BundleHintSpec.With(m.Kind))
	}
	node := field(n, "metadata")
	if node == nil || field(node, "name") == nil {
		l.error(doc.find("metadata", "name"), CodeInvalidName, lang.BundleNoName.With(m.Kind), lang.BundleHintName.With())
	}
	if node == nil {
		return
	}
	var meta metadata
	fields := reflect.ValueOf(&meta).Elem()
	if field(node, "name") == nil {
		// Said above, with the code for names.
		d.partial(doc.key("metadata", node), fields, "name")
	} else {
		d.structure(doc.key("metadata", node), fields)
	}
	m.Name, m.Labels, m.Annotations = meta.Name, meta.Labels, meta.Annotations
	if m.Name != "" {
		l.checkName(doc.find("metadata", "name"), m)
	}
}

// checkName keeps names usable in references, file names and addresses. Names
// of tools are stricter, because providers are.
func (l *loader) checkName(place at, m *Meta) {
	switch m.Kind {
	case "Package":
		if !isPackageName(m.Name) {
			l.error(place, CodeInvalidName, lang.BundlePackageName.With(short(m.Name)), lang.BundleHintPackageName.With())
		}
		return
	case "Tool", "McpServer", "ToolCommand", "Macro":
		if strings.Contains(m.Name, "__") {
			l.error(place, CodeSchemaInvalid, lang.BundleSeparator.With(short(m.Name)), lang.BundleHintSeparator.With(underscored(m.Name)))
		} else if err := toolNameProblem(m.Name); err != nil {
			l.error(place, CodeInvalidName, lang.BundleToolName.With(err), lang.BundleHintToolName.With())
		}
		return
	}
	for i, r := range m.Name {
		if !unicode.IsLetter(r) && !unicode.IsDigit(r) && (i == 0 || !strings.ContainsRune("-_.", r)) {
			l.error(place, CodeInvalidName, lang.BundleName.With(short(m.Name)), lang.BundleHintName.With())
			return
		}
	}
	if len([]rune(m.Name)) > maxNameLength {
		l.error(place, CodeInvalidName, lang.BundleNameLength.With(short(m.Name), maxNameLength), lang.BundleHintName.With())
	}
}

// maxNameLength is the longest name of a resource, in characters.
const maxNameLength = 63

func toolNameProblem(name string) error {
	_, err := gongu.BuildName(name, "x")
	return err
}

// checkSwarm: without a swarm no agents run together.
func (l *loader) checkSwarm(b *Bundle, files []string) {
	if len(b.Swarms()) == 0 && l.whole && len(files) > 0 {
		l.warn(atFile(files[0]), CodeNoSwarm, CodeSchemaInvalid, lang.BundleNoSwarm.With(), lang.BundleHintSwarm.With())
	}
}
