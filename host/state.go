package host

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"github.com/gongu-ai/gongu"
)

// projectWorkdir is the word for "where the bundle is".
const projectWorkdir = "project"

// stateRoot follows the order that users are told: the option, then the
// environment, then the bundle.
func stateRoot(option, base string) (string, error) {
	root := option
	if root == "" {
		root = os.Getenv("GONGU_STATE_ROOT")
	}
	if root == "" {
		return filepath.Join(base, ".gongu"), nil
	}
	absolute, err := filepath.Abs(root)
	if err != nil {
		return "", fmt.Errorf("state root %s: %w", root, err)
	}
	return absolute, nil
}

// locateWorkdir makes the option absolute, or leaves the choice to the agent.
func (h *Host) locateWorkdir(base string) error {
	switch h.opts.Workdir {
	case "":
		return nil
	case projectWorkdir:
		h.opts.Workdir = base
		return nil
	}
	absolute, err := filepath.Abs(h.opts.Workdir)
	if err != nil {
		return fmt.Errorf("workdir %s: %w", h.opts.Workdir, err)
	}
	h.opts.Workdir = absolute
	return nil
}

// workdir is where the tools of an agent start: the option, the agent's own
// choice, or a workspace of its instance.
func (h *Host) workdir(agent, choice string) string {
	switch {
	case h.opts.Workdir != "":
		return h.opts.Workdir
	case choice == projectWorkdir:
		return h.dir
	}
	key := h.instance()
	if agent != "" {
		key = agent + ":" + key
	}
	return filepath.Join(h.state, "instances", safeKey(key), "workspace")
}

func (h *Host) instance() string {
	if h.opts.Instance == "" {
		return "default"
	}
	return h.opts.Instance
}

// safeKey makes a folder name of an instance key so that two keys never share
// a folder, on file systems that ignore case either. A plain key is its own
// name; another is what can be read of it, "~", and a hash. No plain key has
// a "~".
func safeKey(key string) string {
	if isPlainKey(key) {
		return key
	}
	sum := sha256.Sum256([]byte(key))
	readable := strings.Map(func(r rune) rune {
		if isPlainRune(r) {
			return r
		}
		return '-'
	}, strings.ToLower(key))
	if len(readable) > 40 {
		readable = readable[:40]
	}
	return readable + "~" + hex.EncodeToString(sum[:8])
}

func isPlainKey(key string) bool {
	for _, r := range key {
		if !isPlainRune(r) {
			return false
		}
	}
	return key != "" && len(key) <= 64 && key[0] != '-'
}

func isPlainRune(r rune) bool {
	return r >= 'a' && r <= 'z' || r >= '0' && r <= '9' || r == '_' || r == '-'
}

// spill keeps an output that is too large for a model. The name is random: a
// call id comes from outside and may be any text.
func (h *Host) spill(_ context.Context, _ gongu.Call, output []byte) (string, error) {
	dir := filepath.Join(h.state, "spill")
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return "", fmt.Errorf("keep the output: %w", err)
	}
	file, err := os.CreateTemp(dir, "output-*.json")
	if err != nil {
		return "", fmt.Errorf("keep the output: %w", err)
	}
	_, err = file.Write(output)
	if closeErr := file.Close(); err == nil {
		err = closeErr
	}
	if err != nil {
		return "", fmt.Errorf("keep the output: %w", err)
	}
	return file.Name(), nil
}
