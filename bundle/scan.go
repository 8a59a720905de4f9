package bundle

import (
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"

	"github.com/gongu-ai/gongu/internal/lang"
	"github.com/gongu-ai/gongu/internal/statedir"
)

const (
	// maxVisited bounds the walk: a bundle may have been opened in a user's
	// home by mistake.
	maxVisited = 100_000
	maxFiles   = 1000
)

// baseNames returns the names of resource files, without .yaml or .yml.
func baseNames() []string {
	return []string{
		"gongu", "goondan", "resources",
		"model", "models", "agent", "agents", "tool", "tools", "extension", "extensions",
		"connector", "connectors", "connection", "connections", "swarm", "swarms",
		"mcpserver", "mcpservers", "toolcommand", "toolcommands", "policy", "policies", "macro", "macros",
	}
}

// ResourceNames returns the names of files that are read as resources.
func ResourceNames() []string {
	var names []string
	for _, name := range baseNames() {
		names = append(names, name+".yaml", name+".yml")
	}
	return names
}

// skippedFolders are never scanned for resources.
func skippedFolder(name string) bool {
	switch path.Base(name) {
	case "dist", "node_modules", ".git", ".gongu", ".goondan":
		return true
	}
	// Installed packages have their own manifests. A mounted ConfigMap keeps its
	// versions in folders whose names begin with two dots, and links to them.
	return name == packagesFolder || strings.HasPrefix(path.Base(name), "..")
}

func isResourceFile(name string) bool {
	base := path.Base(name)
	stem, ext, ok := strings.Cut(strings.ToLower(base), ".")
	return ok && (ext == "yaml" || ext == "yml") && slices.Contains(baseNames(), stem)
}

// Present reports whether a folder holds a bundle: a gongu.yaml or a
// goondan.yaml at its top.
func Present(dir string) bool {
	for _, name := range manifestNames() {
		if info, err := os.Stat(dir + string(os.PathSeparator) + name); err == nil && info.Mode().IsRegular() {
			return true
		}
	}
	return false
}

// scan lists the resource files of a folder, sorted by path.
func (l *loader) scan(local *pkg) []string {
	var files []string
	visited := 0
	// The user's state folder lies in a bundle that is the home folder, and has
	// copies of bundles.
	state, _ := statedir.Folder()
	err := fs.WalkDir(local.root.FS(), ".", func(name string, d fs.DirEntry, err error) error {
		visited++
		switch {
		case err != nil:
			l.warn(atFile(name), CodeSkippedFile, CodeParseError, lang.BundleUnreadable.With(reason(err)), lang.BundleHintReadable.With())
			if d != nil && d.IsDir() {
				return fs.SkipDir
			}
		case visited > maxVisited:
			return l.tooMany(name)
		case d.IsDir():
			if name != "." && (skippedFolder(name) || filepath.Join(local.dir, filepath.FromSlash(name)) == state) {
				return fs.SkipDir
			}
		case isResourceFile(name) && l.isFile(local, name, d):
			if len(files) == maxFiles {
				return l.tooMany(name)
			}
			files = append(files, name)
		}
		return nil
	})
	if err != nil {
		l.whole = false
		l.error(atFile("."), CodeParseError, lang.BundleUnreadable.With(reason(err)), lang.BundleHintReadable.With())
	}
	slices.Sort(files)
	return files
}

// tooMany ends the walk.
func (l *loader) tooMany(name string) error {
	l.whole = false
	l.error(atFile(name), CodeTooManyDocuments, lang.BundleTooManyFiles.With(), lang.BundleHintSmallerFolder.With())
	return fs.SkipAll
}

// isFile follows links, as mounted configuration has them, but not out of the
// bundle.
func (l *loader) isFile(local *pkg, name string, d fs.DirEntry) bool {
	if d.Type().IsRegular() {
		return true
	}
	if d.Type()&fs.ModeSymlink == 0 {
		return false
	}
	info, err := local.root.Stat(name)
	if err != nil {
		l.warn(atFile(name), CodeSkippedFile, CodeParseError, lang.BundleUnreadable.With(reason(err)), lang.BundleHintEntryInside.With())
		return false
	}
	return info.Mode().IsRegular()
}
