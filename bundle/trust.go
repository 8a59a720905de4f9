package bundle

import (
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
)

// Executable reports whether the bundle can run code: modules,
// commands or servers. Such a bundle must be trusted before it is used.
func (b *Bundle) Executable() bool {
	return slices.ContainsFunc(b.items, func(item Item) bool { return len(executableParts(item)) > 0 })
}

// executableParts returns the parts of a resource that decide what is run.
func executableParts(item Item) []string {
	switch r := item.(type) {
	case *Tool:
		if r.Module.Builtin == "" {
			return []string{r.Spec.Entry, r.Spec.Runtime, r.Module.Path}
		}
	case *Extension:
		if r.Module.Builtin == "" {
			return []string{r.Spec.Entry, r.Module.Path, string(r.Spec.Config)}
		}
	case *McpServer:
		return []string{specJSON(&r.Meta)}
	case *ToolCommand:
		return []string{specJSON(&r.Meta)}
	}
	return nil
}

// extensionConfigs returns the settings that an agent gives its extensions, which
// may run commands from them.
func (g *Agent) extensionConfigs() []string {
	var parts []string
	for _, ref := range g.Spec.Extensions {
		if len(ref.Config) > 0 {
			parts = append(parts, ref.String(), string(ref.Config))
		}
	}
	return parts
}

func specJSON(m *Meta) string { return string(appendJSON(nil, m.spec.node)) }

// TrustDigest returns a hash of everything that decides what the bundle runs: the
// definitions of modules, commands and servers, and the code files in the
// folders of the bundle and of the packages it uses. It does not depend on
// where the folder lies. It reads the files as they are now.
func (b *Bundle) TrustDigest() (string, error) {
	h := sha256.New()
	io.WriteString(h, "gongu-trust-1\n")
	named := b.namedFiles()
	for _, item := range b.items {
		parts := executableParts(item)
		if a, ok := item.(*Agent); ok {
			parts = a.extensionConfigs()
		}
		if len(parts) == 0 {
			continue
		}
		m := item.Head()
		writePart(h, m.Package)
		writePart(h, m.Identity())
		for _, part := range parts {
			writePart(h, part)
		}
	}
	budget := &digestBudget{files: maxDigestFiles, bytes: maxDigestBytes}
	if err := digestFolder(h, b.dir, "", named, budget); err != nil {
		return "", err
	}
	for _, name := range slices.Sorted(maps.Keys(b.packages)) {
		if err := digestFolder(h, b.packages[name], name, nil, budget); err != nil {
			return "", err
		}
	}
	return "sha256:" + hex.EncodeToString(h.Sum(nil)), nil
}

// writePart prefixes the length, so that no two lists of parts look alike.
func writePart(h hash.Hash, part string) {
	var size [8]byte
	binary.LittleEndian.PutUint64(size[:], uint64(len(part)))
	h.Write(size[:])
	io.WriteString(h, part)
}

// namedFiles returns the words of commands that may be files of the bundle. They
// count whatever their name looks like.
func (b *Bundle) namedFiles() map[string]bool {
	named := map[string]bool{}
	add := func(cwd string, words ...string) {
		for _, word := range words {
			for _, base := range []string{".", filepath.ToSlash(cwd)} {
				if name := path.Join(base, filepath.ToSlash(word)); filepath.IsLocal(filepath.FromSlash(name)) {
					named[name] = true
				}
			}
		}
	}
	for _, item := range b.items {
		switch r := item.(type) {
		case *Tool:
			add("", r.Module.Path)
		case *Extension:
			add("", r.Module.Path)
		case *McpServer:
			add(r.Spec.Cwd, append([]string{r.Spec.Command}, r.Spec.Args...)...)
		case *ToolCommand:
			add(r.Spec.Cwd, append(slices.Clone(r.Spec.Discover), r.Spec.Call...)...)
		}
	}
	return named
}

const (
	maxDigestFiles = 50_000
	maxDigestBytes = 512 << 20
)

// digestBudget keeps a hash from reading a whole disk.
type digestBudget struct {
	files int
	bytes int64
}

func (g *digestBudget) take(size int64) error {
	g.files--
	g.bytes -= size
	if g.files < 0 || g.bytes < 0 {
		return fmt.Errorf("the bundle has more than %d code files or %d bytes of code; name the folder with -b instead of trusting it", maxDigestFiles, int64(maxDigestBytes))
	}
	return nil
}

// digestFolder adds the code files of a folder. The code is not taken apart to
// find its imports: every file that could be code counts.
func digestFolder(h hash.Hash, dir, label string, named map[string]bool, budget *digestBudget) error {
	root, err := os.OpenRoot(dir)
	if err != nil {
		return fmt.Errorf("open the bundle: %w", err)
	}
	defer root.Close()
	// WalkDir goes in lexical order, so the hash is stable.
	return fs.WalkDir(root.FS(), ".", func(name string, d fs.DirEntry, err error) error {
		switch {
		case err != nil:
			return fmt.Errorf("read %s: %w", name, err)
		case d.IsDir():
			if stateFolder(name) {
				return fs.SkipDir
			}
			return nil
		case d.Type()&fs.ModeSymlink != 0:
			return digestLink(h, root, path.Join(label, name), name, budget)
		case !d.Type().IsRegular():
			return nil
		}
		info, err := d.Info()
		if errors.Is(err, fs.ErrNotExist) {
			return nil // gone while we looked
		}
		if err != nil {
			return fmt.Errorf("read %s: %w", name, err)
		}
		if !named[name] && !isCode(name, info.Mode()) {
			return nil
		}
		if err := budget.take(info.Size()); err != nil {
			return err
		}
		return digestFile(h, root, path.Join(label, name), name)
	})
}

// stateFolder holds what gongu and git write, not what the bundle says.
// Installed packages count only when they are used, and then on their own.
func stateFolder(name string) bool {
	switch path.Base(name) {
	case ".git", ".gongu", ".goondan":
		return true
	}
	return name == packagesFolder
}

// isCode errs on the side of yes. The queue of tool requests is written at run
// time and must not take the trust away.
func isCode(name string, mode fs.FileMode) bool {
	switch strings.ToLower(path.Ext(name)) {
	case ".js", ".mjs", ".cjs", ".jsx", ".ts", ".mts", ".cts", ".tsx", ".wasm", ".node",
		".json", ".jsonc", ".toml", ".py", ".rb", ".pl", ".php", ".lua", ".go", ".rs", ".jar", ".class",
		".sh", ".bash", ".zsh", ".fish", ".ps1", ".bat", ".cmd", ".exe", ".dll", ".so", ".dylib":
		return name != "tool-requests.json"
	}
	base := path.Base(name)
	return mode&0o111 != 0 || base == "Makefile" || base == ".env" || base == ".npmrc" || base == ".yarnrc"
}

func digestFile(h hash.Hash, root *os.Root, label, name string) error {
	f, err := root.Open(filepath.FromSlash(name))
	if err != nil {
		return fmt.Errorf("read %s: %w", name, err)
	}
	defer f.Close()
	content := sha256.New()
	if _, err := io.Copy(content, io.LimitReader(f, maxDigestBytes)); err != nil {
		return fmt.Errorf("read %s: %w", name, err)
	}
	writePart(h, label)
	writePart(h, string(content.Sum(nil)))
	return nil
}

// digestLink adds where a link leads, and the file when it is in the bundle.
func digestLink(h hash.Hash, root *os.Root, label, name string, budget *digestBudget) error {
	target, err := root.Readlink(filepath.FromSlash(name))
	if err != nil {
		return fmt.Errorf("read %s: %w", name, err)
	}
	if err := budget.take(int64(len(target))); err != nil {
		return err
	}
	writePart(h, label)
	writePart(h, "link to "+filepath.ToSlash(target))
	info, err := root.Stat(filepath.FromSlash(name))
	if err != nil || !info.Mode().IsRegular() {
		return nil // a folder is walked where it lies; outside we do not look
	}
	if err := budget.take(info.Size()); err != nil {
		return err
	}
	return digestFile(h, root, label, name)
}
