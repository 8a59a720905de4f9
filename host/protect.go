package host

import (
	"context"
	"os"
	"path/filepath"
	"slices"
	"sync"

	"github.com/gongu-ai/gongu"
	"github.com/gongu-ai/gongu/bundle"
	"github.com/gongu-ai/gongu/internal/fsx"
	"github.com/gongu-ai/gongu/internal/statedir"
	"github.com/gongu-ai/gongu/toolrequest"
)

// ownFiles are the files of gongu in the bundle, which tools never change.
func (h *Host) ownFiles() []string {
	files := h.requests.Files()
	if h.dir != "" {
		files = append(files, filepath.Join(h.dir, lockName), filepath.Join(h.dir, toolrequest.FileName))
	}
	return files
}

// protected are the files that the tools of an agent do not change: gongu's own,
// and the resource files and modules of the bundle unless the agent is editable.
func (h *Host) protected(agent string) []string {
	files := h.ownFiles()
	l := h.now()
	if l.bundle == nil {
		return files
	}
	if found, ok := l.bundle.Agent(agent); ok && found.Spec.Editable {
		return files
	}
	l.listProtected.Do(func() { l.protected = h.bundleFiles(l) })
	return append(files, l.protected...)
}

// bundleFiles are the files of a bundle that decide what it does.
func (h *Host) bundleFiles(l *loaded) []string {
	b := l.bundle
	labels := b.Files()
	if l.cover != nil {
		labels = append(labels, l.cover.Used()...)
	} else {
		labels = append(labels, entryModules(b)...)
	}
	slices.Sort(labels)
	files := slices.Compact(labels)
	for i, label := range files {
		files[i] = filepath.Join(b.Dir(), filepath.FromSlash(label))
	}
	if !h.single() {
		for _, name := range bundle.ResourceNames() { // one that a tool makes would be read, too
			files = append(files, fsx.Anywhere(b.Dir(), name))
		}
	}
	return files
}

// entryModules are the modules of tools and extensions, from the bundle's folder.
func entryModules(b *bundle.Bundle) []string {
	var labels []string
	for _, item := range b.Items() {
		var module bundle.Module
		switch item := item.(type) {
		case *bundle.Tool:
			module = item.Module
		case *bundle.Extension:
			module = item.Module
		}
		if label, err := filepath.Rel(b.Root(), module.File()); err == nil && module.File() != "" {
			labels = append(labels, label)
		}
	}
	return labels
}

// configDirs are the folders of the user's own settings and consents.
func configDirs() []string {
	var dirs []string
	if dir, err := os.UserConfigDir(); err == nil {
		dirs = append(dirs, filepath.Join(dir, "gongu"))
	}
	if dir := os.Getenv("GONGU_CONFIG_DIR"); dir != "" {
		if absolute, err := filepath.Abs(dir); err == nil {
			dirs = append(dirs, absolute)
		}
	}
	return append(dirs, statedir.SystemAccount().Folders()...)
}

// maxWrites bounds the memory of writes.
const maxWrites = 10_000

// writes remembers which agent changed a file last.
type writes struct {
	mu    sync.Mutex
	agent map[string]string
}

// noteWrite records a change that a file tool made.
func (h *Host) noteWrite(ctx context.Context, path string) {
	h.writes.mu.Lock()
	defer h.writes.mu.Unlock()
	if h.writes.agent == nil || len(h.writes.agent) >= maxWrites {
		h.writes.agent = make(map[string]string)
	}
	h.writes.agent[path] = gongu.ContextOf(ctx).AgentName
}

// WrittenBy returns the agent whose file tool changed a file last, by its real
// path, as far as this process knows.
func (h *Host) WrittenBy(path string) (agent string, ok bool) {
	h.writes.mu.Lock()
	defer h.writes.mu.Unlock()
	agent, ok = h.writes.agent[path]
	return agent, ok
}
