package script

import (
	"context"
	"embed"
	"errors"
	"fmt"
	"io/fs"
	"net/http"
	"sync"
	"sync/atomic"

	"github.com/gongu-ai/gongu/internal/jsbuild"
	"github.com/gongu-ai/gongu/internal/lang"
)

// maxLost is the number of lost VMs, each busy on a core, at which the engine
// refuses calls.
const maxLost = 2

// Engine loads modules and runs them. Make one with [NewEngine].
type Engine struct {
	opts   Options
	lang   lang.Lang
	client *http.Client
	// clientErr is why requests cannot be sent
	clientErr error

	mu      sync.Mutex
	modules map[*Module]bool
	closed  bool
	closing chan struct{}
	workers sync.WaitGroup // without the lost ones

	lost, burning, discarded atomic.Int64
	children                 childCounts

	// api is what scripts can use.
	api *hostAPI
}

// Stats has the counters of an engine or of one module.
type Stats struct {
	// VMs is the number of VMs, idle or busy.
	VMs int
	// Discarded is the number of VMs closed after a timeout, a memory error or
	// a panic.
	Discarded int64
	// Lost is the number of VMs that did not stop at their limit. Burning is
	// the number of them that still run, each on a core.
	Lost, Burning int64
	// Moved is the number of modules that were moved to child processes after a
	// loss. Children is the number of running child processes, Killed of killed
	// ones, and Died of those that exited by themselves.
	Moved, Children int
	Killed, Died    int64
}

// NewEngine returns an engine. Invalid options for requests are reported by the
// requests.
func NewEngine(opts *Options) *Engine {
	e := &Engine{opts: opts.complete(), modules: map[*Module]bool{}, closing: make(chan struct{}), api: moduleAPI()}
	e.lang = lang.Of(e.opts.Lang)
	e.client, e.clientErr = newClient(&e.opts)
	return e
}

// Load bundles and compiles the module at path, relative to root, and runs it
// once to find its handlers. The path must stay inside root. The error is a
// [LoadError] or a [MissingError].
func (e *Engine) Load(ctx context.Context, root, path string) (*Module, error) {
	bundled, err := e.bundle(ctx, root, path, jsbuild.QuickJS)
	if err != nil {
		return nil, err
	}
	m := newModule(e, bundled)
	if e.mustIsolate() {
		return e.loadIsolated(ctx, m)
	}
	if err := m.compile(bundled.Source); err != nil {
		return nil, err
	}
	first, err := m.newWorker()
	if err != nil {
		return nil, err
	}
	m.pool.put(first)
	if err := e.register(m); err != nil {
		m.pool.close()
		return nil, err
	}
	return m, nil
}

// Close unloads all modules. It stops running calls and waits for them, except
// for lost VMs.
func (e *Engine) Close() error {
	e.mu.Lock()
	if e.closed {
		e.mu.Unlock()
		return nil
	}
	e.closed = true
	close(e.closing)
	e.mu.Unlock()
	var errs []error
	for _, m := range e.all() {
		errs = append(errs, m.Close())
	}
	e.workers.Wait()
	return errors.Join(errs...)
}

// adopt counts a worker. It returns false if the engine is closed.
func (e *Engine) adopt() bool {
	e.mu.Lock()
	defer e.mu.Unlock()
	if !e.closed {
		e.workers.Add(1)
	}
	return !e.closed
}

// Stats returns the counters of all modules, including unloaded ones.
func (e *Engine) Stats() Stats {
	e.mu.Lock()
	defer e.mu.Unlock()
	s := Stats{Discarded: e.discarded.Load(), Lost: e.lost.Load(), Burning: e.burning.Load()}
	e.children.into(&s)
	for m := range e.modules {
		s.VMs += m.pool.size()
		if m.moved.Load() {
			s.Moved++
		}
	}
	return s
}

//go:embed shim/*.js
var shimFiles embed.FS

// shim is the bytecode that runs in every VM before the module. It is a single
// line, which separates its positions from those of the module.
var shim = sync.OnceValues(func() ([]byte, error) {
	names, err := fs.Glob(shimFiles, "shim/*.js")
	if err != nil {
		return nil, err
	}
	return compileShim(names, "")
})

// compileShim wraps the files of a shim, and more, in one function and compiles
// it.
func compileShim(names []string, more string) ([]byte, error) {
	source := "(function () { 'use strict';\n"
	for _, name := range names {
		raw, err := shimFiles.ReadFile(name)
		if err != nil {
			return nil, err
		}
		source += string(raw)
	}
	small, err := jsbuild.Minify(source + more + "})();")
	if err != nil {
		return nil, fmt.Errorf("shim: %w", err)
	}
	return compileSource(small)
}

// parses reports whether the engine accepts a script.
func parses(source string) bool {
	_, err := compileSource(source)
	return err == nil
}

// compileSource compiles a script to bytecode. Bytecode is only valid for the
// same version of the engine.
func compileSource(source string) ([]byte, error) {
	vm, err := newQuickVM(defaultMemory, defaultStack, nil)
	if err != nil {
		return nil, err
	}
	defer vm.close()
	vm.limit(loadTimeout)
	return vm.compile(source)
}
