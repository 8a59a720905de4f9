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

// The runtimes of a module, as spec.runtime of a Tool resource names them.
const (
	// RuntimeEmbedded runs a module in this process.
	RuntimeEmbedded = "embedded"
	// RuntimeProcess runs it with the same engine in a child process.
	RuntimeProcess = "process"
	// RuntimeBun and RuntimeNode run it in those programs, without our bounds
	// on files and requests.
	RuntimeBun  = "bun"
	RuntimeNode = "node"
)

// LoadIn is [Engine.Load] for a runtime. Outside of this process nothing of
// the module runs before its first call, so an export that has no handler is
// hostAnswer by the call. For bun nothing is read either; for the others a file that
// cannot be bundled is an error now.
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

// prepare bundles what the runtime does not bundle itself.
func (e *Engine) prepare(ctx context.Context, runtime, root, path string) (*jsbuild.Script, error) {
	switch runtime {
	case RuntimeProcess:
		return e.bundle(ctx, root, path, jsbuild.QuickJS)
	case RuntimeNode:
		return e.bundle(ctx, root, path, jsbuild.Node)
	case RuntimeBun:
		entry, err := jsbuild.Entry(e.lang, root, path)
		return &jsbuild.Script{Entry: entry}, asLoadError(err)
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

// known says whether the handlers were found when the module was loaded.
func (m *Module) known() bool { return m.handlers != nil || m.childPool.Load() == nil }

func (m *Module) names() []string {
	if r := m.childPool.Load(); r != nil && m.handlers == nil {
		return r.names()
	}
	return m.handlers
}

// launch is how a child for a module is started.
type launch struct {
	argv, env  []string
	extraPipes bool
	forward    []string
}

// Available says whether modules of a runtime can run here; the error says
// what is missing, and is of [gongu.CodeUnavailable].
func (e *Engine) Available(runtime string) error {
	_, err := e.launch(runtime, RuntimeName(runtime))
	return err
}

// RuntimeName is what people call a runtime.
func RuntimeName(runtime string) string {
	switch runtime {
	case RuntimeBun:
		return "Bun"
	case RuntimeNode:
		return "Node.js"
	}
	return runtime
}

// RuntimeHome is where a runtime that is not ours can be had.
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
		// Programs end with the call even when the child does not live to see
		// to it; a transport cannot be sent.
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
