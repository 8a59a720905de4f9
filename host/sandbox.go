package host

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/gongu-ai/gongu/builtin"
	"github.com/gongu-ai/gongu/bundle"
	"github.com/gongu-ai/gongu/internal/lang"
	"github.com/gongu-ai/gongu/internal/sandbox"
	"github.com/gongu-ai/gongu/internal/statedir"
)

// sandboxFor returns the sandbox of a resource that starts programs, nil for
// none. Without settings it is the default: the programs read all but what
// belongs to gongu, and write the working directory, the roots and the
// temporary folder.
func (h *Host) sandboxFor(spec *bundle.Sandbox) *sandbox.Policy {
	p := &sandbox.Policy{
		ReadAll: true, Write: append(slices.Clone(h.opts.System.Roots), os.TempDir()), Workdir: h.workdir(h.address(Address{}), nil),
		Copies: []string{h.dir, filepath.Join(h.state, copiesFolder), filepath.Join(h.state, emptyName)}, Hidden: h.hidden(), Launcher: h.opts.Child, Report: h.reportMissing,
	}
	if spec == nil {
		return p
	}
	if spec.Off {
		return nil
	}
	if spec.Preset != "" || len(spec.Read) > 0 {
		p.ReadAll = false
		p.Read = h.sandboxPaths(spec.Read)
		p.Apply(spec.Preset)
	}
	p.Write = append(p.Write, h.sandboxPaths(spec.Write)...)
	p.Network, p.Required = sandbox.Network(spec.Network), spec.Required
	p.Memory, p.CPU, p.Processes = int64(spec.Memory), time.Duration(spec.CPU), spec.Processes
	return p
}

// scriptSandbox returns the sandbox of a script's process. Its file operations
// decide which spilled outputs it reads, because it serves several principals.
func (h *Host) scriptSandbox(spec *bundle.Sandbox) *sandbox.Policy {
	p := h.sandboxFor(spec)
	if p != nil {
		p.Copies = append(p.Copies, filepath.Join(h.state, spillName))
	}
	return p
}

// serverSandbox returns the sandbox of a server: none without settings. A server
// runs long enough for a PID namespace.
func (h *Host) serverSandbox(spec *bundle.Sandbox) *sandbox.Policy {
	if spec == nil {
		return nil
	}
	p := h.sandboxFor(spec)
	if p != nil {
		p.Namespaces = true
	}
	return p
}

// sandboxPaths makes the paths of a bundle absolute: from its folder, or from
// the home folder.
func (h *Host) sandboxPaths(paths []string) []string {
	var list []string
	for _, path := range paths {
		rest, ofHome := strings.CutPrefix(path, "~/")
		home, err := os.UserHomeDir()
		switch {
		case (ofHome || path == "~") && err == nil:
			path = filepath.Join(home, strings.TrimPrefix(rest, "~"))
		case !filepath.IsAbs(path):
			path = filepath.Join(h.dir, path)
		}
		list = append(list, path)
	}
	return list
}

// hidden returns what no program may read or change: the state of this and of
// all other bundles, gongu's configuration, and what the options name.
func (h *Host) hidden() []string {
	list := append(slices.Clone(h.opts.System.Hidden), h.state)
	if config, err := os.UserConfigDir(); err == nil {
		list = append(list, filepath.Join(config, "gongu"))
	}
	if config := os.Getenv("GONGU_CONFIG_DIR"); config != "" {
		list = append(list, config)
	}
	state := os.Getenv("XDG_STATE_HOME")
	if home, err := os.UserHomeDir(); err == nil && state == "" {
		state = filepath.Join(home, ".local", "state")
	}
	if state != "" {
		list = append(list, filepath.Join(state, "gongu"))
	}
	return append(list, statedir.SystemAccount().Folders()...)
}

// systemFor returns the options of a builtin with the sandbox of its resource.
func (h *Host) systemFor(resource *bundle.Tool) *builtin.Options {
	if resource.Spec.Sandbox == nil {
		return h.system
	}
	own := *h.system
	own.Sandbox = h.sandboxFor(resource.Spec.Sandbox)
	return &own
}

// reportMissing logs once what the system lacks for a sandbox.
func (h *Host) reportMissing(missing []lang.Message) {
	var texts []string
	for _, m := range missing {
		texts = append(texts, m.In(lang.English))
	}
	text := strings.Join(texts, "; ")
	if _, said := h.saidMissing.LoadOrStore(text, true); !said {
		h.opts.Logger.Warn("a program runs with less than its sandbox asks for", "missing", text, "next", "gongu doctor")
	}
}
