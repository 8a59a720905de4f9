package script

import (
	"context"
	"os/exec"
	"path/filepath"
	"slices"

	"github.com/gongu-ai/gongu"
	"github.com/gongu-ai/gongu/internal/jsbuild"
	"github.com/gongu-ai/gongu/internal/lang"
	"github.com/gongu-ai/gongu/internal/proc"
)

// The runtimes of a module: the values of spec.runtime of a Tool resource.
const (
	// RuntimeEmbedded runs a module in this process.
	RuntimeEmbedded = "embedded"
	// RuntimeProcess runs it in a child process with the same engine.
	RuntimeProcess = "process"
	// RuntimeBun and RuntimeNode run it in bun or node, without limits on files
	// and requests.
	RuntimeBun  = "bun"
	RuntimeNode = "node"
)

// LoadIn is [Engine.Load] for a runtime. In a child process the module first
// runs at its first call, so the call reports a missing handler. A module that
// cannot be bundled is reported now, except for bun, which bundles it itself.
func (e *Engine) LoadIn(ctx context.Context, runtime, root, path string) (*Module, error) {
	if runtime == RuntimeEmbedded || runtime == "" {
		return e.Load(ctx, root, path)
	}
	full, err := filepath.Abs(root)
	if err != nil {
		return nil, &LoadError{Path: path, Reason: err.Error()}
	}
	bundled, err := e.prepare(ctx, runtime, root, path)
	if err != nil {
		return nil, err
	}
	m := newModule(e, bundled)
	m.root, m.source = full, bundled.Source
	m.childPool.Store(newChildPool(m, runtime))
	return m, e.register(m)
}

// prepare bundles a module, unless the runtime does that.
func (e *Engine) prepare(ctx context.Context, runtime, root, path string) (*jsbuild.Script, error) {
	switch runtime {
	case RuntimeProcess:
		return e.bundle(ctx, root, path, jsbuild.QuickJS)
	case RuntimeNode:
		return e.bundle(ctx, root, path, jsbuild.Node)
	case RuntimeBun:
		entry, err := jsbuild.Entry(e.lang, root, path)
		return &jsbuild.Script{Entry: entry}, err
	}
	return nil, &LoadError{Path: path, Reason: "there is no runtime " + runtime}
}

func (e *Engine) register(m *Module) error {
	e.mu.Lock()
	defer e.mu.Unlock()
	if e.closed {
		return &LoadError{Path: m.path, Reason: lang.ScriptClosed.In(e.lang, m.path)}
	}
	e.modules[m] = true
	return nil
}

// known reports whether the names of the handlers are known already.
func (m *Module) known() bool { return m.handlers != nil || m.childPool.Load() == nil }

func (m *Module) names() []string {
	if r := m.childPool.Load(); r != nil && m.handlers == nil {
		return r.names()
	}
	return m.handlers
}

// launch describes how to start a child for a module. forward lists the
// operations that the host runs for the child.
type launch struct {
	argv, env  []string
	extraPipes bool
	forward    []string
}

// RuntimeName returns the name of a runtime for messages.
func RuntimeName(runtime string) string {
	switch runtime {
	case RuntimeBun:
		return "Bun"
	case RuntimeNode:
		return "Node.js"
	}
	return runtime
}

// RuntimeHome returns the web site of bun or node, or "".
func RuntimeHome(runtime string) string {
	switch runtime {
	case RuntimeBun:
		return "https://bun.sh"
	case RuntimeNode:
		return "https://nodejs.org"
	}
	return ""
}

func (e *Engine) launch(runtime, what string) (*launch, error) {
	out := &launch{env: e.environ()}
	switch runtime {
	case RuntimeEmbedded:
		return out, nil
	case RuntimeProcess:
		if len(e.opts.Child) == 0 {
			return nil, unavailable(lang.ChildNone.In(e.lang, what), lang.ChildNoneHint.In(e.lang))
		}
		out.argv = slices.Clone(e.opts.Child)
		out.env = append(out.env, goMemory(e.opts.ChildMemory))
		// The host runs the programs, so that they are killed with the call
		// even when the child crashes. A custom transport exists only in the
		// host.
		out.forward = []string{"agents", "spawn"}
		if e.opts.Transport != nil {
			out.forward = append(out.forward, "fetch")
		}
		return out, nil
	}
	if !proc.Groups {
		return nil, unavailable(lang.ChildNoPipes.In(e.lang, what, runtime), lang.ChildNoneHint.In(e.lang))
	}
	program, err := exec.LookPath(runtime)
	if err != nil {
		return nil, unavailable(lang.ChildNoProgram.In(e.lang, what, runtime, runtime),
			lang.ChildInstall.In(e.lang, RuntimeName(runtime), RuntimeHome(runtime)))
	}
	text, err := workerSource()
	if err != nil {
		return nil, err
	}
	out.argv, out.extraPipes, out.forward = workerCommand(runtime, program, text, e.opts.ChildMemory), true, []string{"agents"}
	return out, nil
}

func unavailable(message, suggestion string) error {
	return &gongu.Error{Code: gongu.CodeUnavailable, Message: message, Suggestion: suggestion}
}
