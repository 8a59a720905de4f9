package host

import (
	"context"
	"os"
	"path/filepath"
	"sync"

	"github.com/gongu-ai/gongu"
	"github.com/gongu-ai/gongu/bundle"
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
	b := l.bundle
	if b == nil {
		return files
	}
	if found, ok := b.Agent(agent); ok && found.Spec.Editable {
		return files
	}
	for _, name := range b.Files() {
		files = append(files, filepath.Join(b.Dir(), filepath.FromSlash(name)))
	}
	if !h.single() {
		// One that a tool makes would be read, too.
		for _, name := range bundle.ResourceNames() {
			files = append(files, filepath.Join(b.Dir(), name))
		}
	}
	if l.cover != nil {
		for _, label := range l.cover.Used() {
			files = append(files, filepath.Join(b.Dir(), filepath.FromSlash(label)))
		}
	}
	for _, item := range b.Items() {
		var module bundle.Module
		switch item := item.(type) {
		case *bundle.Tool:
			module = item.Module
		case *bundle.Extension:
			module = item.Module
		}
		// The module that runs is a copy; its original is what a tool could change.
		if label, err := filepath.Rel(b.Root(), module.File()); err == nil && module.File() != "" {
			files = append(files, filepath.Join(b.Dir(), label))
		}
	}
	return files
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
	return dirs
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
