package host

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"

	"github.com/gongu-ai/gongu"
	"github.com/gongu-ai/gongu/bundle"
	"github.com/gongu-ai/gongu/internal/fsx"
	"github.com/gongu-ai/gongu/internal/lang"
	"github.com/gongu-ai/gongu/internal/statedir"
)

// spillName is the folder of outputs that were too large, below the state root.
const spillName = "spill"

// projectWorkdir is the setting for the folder of the bundle.
const projectWorkdir = "project"

// StateRoot returns the folder of instances, tokens and caches: the option, else
// GONGU_STATE_ROOT, else a folder in the user's state folder for the bundle or
// folder at base. It makes nothing. A root in the bundle, or one of another user,
// is an error.
func StateRoot(option, base string) (string, error) { return statedir.Root(option, base) }

// bundleFile returns where a file that belongs into the bundle is kept, and logs
// when that is the state root.
func (h *Host) bundleFile(base, name string) (string, error) {
	path, moved, err := statedir.BundleFile(base, h.state, name)
	if moved && err == nil {
		h.opts.Logger.Info(lang.StateBundleFile.In(lang.Of(h.opts.Lang), name), "path", path)
	}
	return path, err
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
