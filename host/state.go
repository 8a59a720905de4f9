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

// projectWorkdir is the setting for the folder of the bundle.
const projectWorkdir = "project"

// StateRoot returns the folder of instances, tokens and caches: the option, else
// GONGU_STATE_ROOT, else .gongu in the bundle or folder at base.
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

// locateWorkdir makes the option absolute. An empty one stays empty.
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

// workdir returns the working directory of an instance: the option, the agent's
// setting, or a workspace of the instance.
func (h *Host) workdir(at Address, agent *bundle.Agent) string {
	switch {
	case h.opts.Workdir != "":
		return h.opts.Workdir
	case agent != nil && agent.Spec.Workdir == projectWorkdir:
		return h.dir
	}
	return filepath.Join(h.instanceDir(at), "workspace")
}

// instanceDir returns the folder of an instance.
func (h *Host) instanceDir(at Address) string {
	key := at.Instance
	if at.Agent != "" {
		key = at.Agent + ":" + key
	}
	return filepath.Join(h.state, "instances", fsx.SafeKey(key))
}

// spillOwner names who may read the spilled outputs of a call: its principal, or
// the program itself. Two kinds of principals can have the same name.
func spillOwner(ctx context.Context) string {
	if p := gongu.PrincipalOf(ctx); p != nil {
		return p.Kind + ":" + p.Name
	}
	return "program"
}

// spill writes an output that is too large for a model to a file that the
// principal of the call may read.
func (h *Host) spill(ctx context.Context, _ gongu.Call, output []byte) (string, error) {
	file, err := h.spilled.Create(spillOwner(ctx), "output-*.json", int64(len(output)))
	if err != nil {
		return "", err
	}
	_, err = file.Write(output)
	if err = errors.Join(err, file.Close()); err != nil {
		return "", fmt.Errorf("save the output: %w", err)
	}
	return file.Name(), nil
}
