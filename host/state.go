package host

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"

	"github.com/gongu-ai/gongu"
	"github.com/gongu-ai/gongu/bundle"
	"github.com/gongu-ai/gongu/internal/fsx"
)

// projectWorkdir is the word for "where the bundle is".
const projectWorkdir = "project"

// StateRoot is where instances are kept, in the order that users are told: the
// option, then GONGU_STATE_ROOT, then .gongu in the bundle or folder at base.
func StateRoot(option, base string) (string, error) {
	root := cmp.Or(option, os.Getenv("GONGU_STATE_ROOT"))
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

// workdir is where the tools of an instance start: the option, the agent's own
// choice, or a workspace of the instance.
func (h *Host) workdir(at Address, agent *bundle.Agent) string {
	switch {
	case h.opts.Workdir != "":
		return h.opts.Workdir
	case agent != nil && agent.Spec.Workdir == projectWorkdir:
		return h.dir
	}
	return filepath.Join(h.instanceDir(at), "workspace")
}

// instanceDir is where an instance keeps its files.
func (h *Host) instanceDir(at Address) string {
	key := at.Instance
	if at.Agent != "" {
		key = at.Agent + ":" + key
	}
	return filepath.Join(h.state, "instances", fsx.SafeKey(key))
}

// spill keeps an output that is too large for a model. The name is random: a
// call id comes from outside and may be any text.
func (h *Host) spill(_ context.Context, _ gongu.Call, output []byte) (string, error) {
	dir := filepath.Join(h.state, "spill")
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return "", fmt.Errorf("save the output: %w", err)
	}
	file, err := os.CreateTemp(dir, "output-*.json")
	if err != nil {
		return "", fmt.Errorf("save the output: %w", err)
	}
	_, err = file.Write(output)
	if err = errors.Join(err, file.Close()); err != nil {
		return "", fmt.Errorf("save the output: %w", err)
	}
	return file.Name(), nil
}
