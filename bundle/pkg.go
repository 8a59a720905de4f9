package bundle

import (
	"os"
	"path"
	"path/filepath"
	"regexp"
	"slices"
	"strings"

	"go.yaml.in/yaml/v3"

	"github.com/gongu-ai/gongu/internal/lang"
)

// packagesFolder is where a bundle keeps the packages installed for it.
const packagesFolder = "packages"

func packageFolders() []string {
	return []string{packagesFolder, ".goondan/" + packagesFolder}
}

func manifestNames() []string { return []string{"gongu.yaml", "goondan.yaml"} }

// lockNames returns the files that pin the versions of dependencies.
func lockNames() []string { return []string{"gongu.lock.yaml", "goondan.lock.yaml"} }

// pkg is a folder of resources: the bundle itself or an installed package.
type pkg struct {
	name    string // of the Package document; "" without one
	version string
	dir     string // absolute
	root    *os.Root
	label   string // put before file names; "" for the bundle
}

func openPackage(dir, label string) (*pkg, error) {
	abs, err := filepath.Abs(dir)
	if err != nil {
		return nil, err
	}
	root, err := os.OpenRoot(abs)
	if err != nil {
		return nil, err
	}
	return &pkg{dir: abs, root: root, label: label}, nil
}

func (p *pkg) shown(name string) string { return path.Join(p.label, name) }

var packageNamePattern = regexp.MustCompile(`^(@[A-Za-z0-9][A-Za-z0-9._-]*/)?[A-Za-z0-9][A-Za-z0-9._-]*$`)

func isPackageName(name string) bool {
	return len(name) <= 214 && packageNamePattern.MatchString(name)
}

// packageName reads the name of the package from its manifest, before the
// resources, which need it.
func packageName(docs []at) string {
	for _, doc := range docs {
		if isPackageDoc(doc) {
			if n := deref(field(field(doc.node, "metadata"), "name")); n != nil && n.Kind == yaml.ScalarNode {
				return n.Value
			}
		}
	}
	return ""
}

func isPackageDoc(doc at) bool {
	n := deref(field(doc.node, "kind"))
	return n != nil && n.Value == "Package"
}

// checkPackageDocs: a manifest opens the file at the top of the bundle.
func (l *loader) checkPackageDocs(file string, docs []at) {
	seen := false
	for _, doc := range docs {
		if !isPackageDoc(doc) {
			continue
		}
		place := doc.find("kind")
		switch {
		case seen:
			l.error(place, CodePackageDocDuplicated, lang.BundlePackageTwice.With(), lang.BundleHintPackageTwice.With())
		case doc.doc.index != 0:
			l.error(place, CodePackageDocPosition, lang.BundlePackagePosition.With(), lang.BundleHintPackagePosition.With())
		case strings.Contains(file, "/"):
			l.error(place, CodePackageDocPosition, lang.BundlePackageFolder.With(), lang.BundleHintPackagePosition.With())
		}
		seen = true
	}
}

// need is a dependency to load.
type need struct {
	Dependency
	at    at
	chain []string // the packages that led here
}

// loadDependencies reads the installed packages that the bundle depends on,
// and those that they depend on.
func (l *loader) loadDependencies(local *pkg, manifest *Package) {
	if manifest == nil {
		return
	}
	lock := l.readLock(local)
	queue := needs(manifest, nil)
	loaded := map[string]string{local.name: ""}
	for len(queue) > 0 {
		n := queue[0]
		queue = queue[1:]
		if !isPackageName(n.Name) || n.Version == "" {
			continue // reported by the decoder
		}
		if slices.Contains(n.chain, n.Name) || n.Name == local.name {
			l.error(n.at, CodeSchemaInvalid, lang.BundleCycle.With(strings.Join(append(n.chain, n.Name), " → ")), lang.BundleHintCycle.With())
			continue
		}
		version, ok := l.lockedVersion(n, lock)
		if !ok {
			continue
		}
		if other, done := loaded[n.Name]; done {
			if other != version {
				l.error(n.at, CodeSchemaInvalid, lang.BundleConflict.With(n.Name, other, version), lang.BundleHintConflict.With())
			}
			continue
		}
		loaded[n.Name] = version
		queue = append(queue, l.loadPackage(local, n, version)...)
	}
}

func needs(p *Package, chain []string) []need {
	var list []need
	chain = append(slices.Clone(chain), p.Name)
	for i, d := range p.Spec.Dependencies {
		list = append(list, need{Dependency: d, at: p.spec.find("dependencies", i), chain: chain})
	}
	return list
}

// loadPackage reads one installed package and returns what it needs.
func (l *loader) loadPackage(local *pkg, n need, version string) []need {
	p := l.findInstalled(local, n.Name, version)
	if p == nil {
		l.whole = false
		l.error(n.at, CodePackageNotInstalled, lang.BundleNotInstalled.With(n.Name, version), lang.BundleHintInstall.With(packagesFolder+"/"+n.Name+"/"+version))
		return nil
	}
	p.name, p.version = n.Name, version
	l.pkgs = append(l.pkgs, p)
	manifest := ""
	for _, name := range []string{"dist/gongu.yaml", "dist/goondan.yaml", "gongu.yaml", "goondan.yaml"} {
		if info, err := p.root.Stat(filepath.FromSlash(name)); err == nil && info.Mode().IsRegular() {
			manifest = name
			break
		}
	}
	if manifest == "" {
		l.whole = false
		l.error(n.at, CodePackageManifestMissing, lang.BundleNoManifest.With(n.Name, version), lang.BundleHintManifest.With())
		return nil
	}
	docs := l.readFile(p, manifest)
	l.checkPackageDocs(path.Base(manifest), docs)
	found := l.decodeAll(docs)
	if found == nil {
		return nil
	}
	return needs(found, n.chain)
}

// findInstalled looks where goondan puts packages and where its documents say.
func (l *loader) findInstalled(local *pkg, name, version string) *pkg {
	forms := []string{name + "/" + version, name + "@" + version}
	for _, folder := range packageFolders() {
		for _, form := range forms {
			rel := filepath.FromSlash(folder + "/" + form)
			if !isFolder(local.root, rel) {
				continue
			}
			root, err := local.root.OpenRoot(rel)
			if err == nil {
				return &pkg{dir: filepath.Join(local.dir, rel), root: root, label: name}
			}
		}
	}
	for _, folder := range l.opts.PackageRoots {
		for _, form := range forms {
			if p, err := openPackage(filepath.Join(folder, filepath.FromSlash(form)), name); err == nil {
				return p
			}
		}
	}
	return nil
}

func isFolder(root *os.Root, name string) bool {
	info, err := root.Stat(name)
	return err == nil && info.IsDir()
}

// readLock reads the versions that were installed, by package.
func (l *loader) readLock(local *pkg) map[string][]string {
	for _, name := range lockNames() {
		if _, err := local.root.Stat(name); err != nil {
			continue
		}
		versions := map[string][]string{}
		for _, doc := range l.readFile(local, name) {
			l.checkLockVersion(doc)
			packages := deref(field(doc.node, "packages"))
			for i := 0; packages != nil && packages.Kind == yaml.MappingNode && i+1 < len(packages.Content); i += 2 {
				key := deref(packages.Content[i]).Value
				if cut := strings.LastIndexByte(key, '@'); cut > 0 {
					versions[key[:cut]] = append(versions[key[:cut]], key[cut+1:])
				}
			}
		}
		return versions
	}
	return nil
}

// checkLockVersion refuses a lock file from the future: its entries may mean
// something else.
func (l *loader) checkLockVersion(doc at) {
	n := deref(field(doc.node, "lockfileVersion"))
	if n != nil && n.Value != "1" {
		l.error(doc.find("lockfileVersion"), CodePackageLockMissing, lang.BundleLockVersion.With(short(n.Value)), lang.BundleHintLock.With())
	}
}

// lockedVersion decides which version of a dependency is used.
func (l *loader) lockedVersion(n need, lock map[string][]string) (string, bool) {
	wanted, exact := parseVersion(n.Version)
	locked := slices.Clone(lock[n.Name])
	if len(locked) == 0 {
		if exact {
			return n.Version, true
		}
		l.whole = false
		l.error(n.at, CodePackageLockMissing, lang.BundleNoLock.With(n.Name, short(n.Version)), lang.BundleHintLock.With())
		return "", false
	}
	var best version
	for _, text := range locked {
		v, ok := parseVersion(text)
		if !ok || exact && v.compare(wanted) != 0 || !exact && !satisfies(n.Version, v) {
			continue
		}
		if best == "" || v.compare(best) > 0 {
			best = v
		}
	}
	if best == "" {
		l.whole = false
		l.error(n.at, CodePackageLockMissing, lang.BundleLockStale.With(n.Name, short(n.Version), short(strings.Join(locked, ", "))), lang.BundleHintLock.With())
		return "", false
	}
	return best.String(), true
}

// packageDirs returns the folders of the installed packages that were read.
func (l *loader) packageDirs() map[string]string {
	dirs := map[string]string{}
	for _, p := range l.pkgs[1:] {
		dirs[p.name] = p.dir
	}
	return dirs
}
