package script

import (
	"context"
	"embed"
	"errors"
	"fmt"
	"io/fs"
	"net/http"
	"strings"
	"sync"
	"sync/atomic"

	"github.com/gongu-ai/gongu/internal/jsbuild"
	"github.com/gongu-ai/gongu/internal/lang"
)

// maxLost is how many VMs may burn a core each at a time.
const maxLost = 2

// Engine loads modules and runs them. Make one with [NewEngine].
type Engine struct {
	opts   Options
	lang   lang.Lang
	client *http.Client
	// why no request can be sent
	clientErr error

	mu      sync.Mutex
	modules map[*Module]bool
	closed  bool
	closing chan struct{}
	workers sync.WaitGroup // those that are not lost

	lost, burning, discarded atomic.Int64
	children                 childCounts

	// hostAPI is what scripts find around them.
	api *hostAPI
}

// Stats are counts of an engine, or of one module.
type Stats struct {
	// VMs is how many there are, idle or busy.
	VMs int
	// Discarded is how many were thrown away after a timeout, a memory error
	// or a panic.
	Discarded int64
	// Lost is how many did not stop at their limit. Burning is how many of
	// them still run, each on a core of its own.
	Lost, Burning int64
	// Moved is how many modules were moved to processes of their own after a
	// loss. Children is how many child processes there are, Killed how many
	// had to be killed, and Died how many ended by themselves.
	Moved, Children int
	Killed, Died    int64
}

// NewEngine returns an engine. Options that make requests impossible are
// reported by the requests.
func NewEngine(opts *Options) *Engine {
	e := &Engine{opts: opts.complete(), modules: map[*Module]bool{}, closing: make(chan struct{}), api: moduleAPI()}
	e.lang = e.opts.lang()
	e.client, e.clientErr = newClient(&e.opts)
	return e
}

// Load bundles and compiles the module at path, which is relative to root and
// stays inside of it, and runs it once to find its handlers. The error is a
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

// Close unloads all modules. It ends the calls that still run and waits for
// them, except for those that are lost.
func (e *Engine) Close() error {
	e.mu.Lock()
	if e.closed {
		e.mu.Unlock()
		return nil
	}
	e.closed = true
	close(e.closing)
	var all []*Module
	for m := range e.modules {
		all = append(all, m)
	}
	e.mu.Unlock()
	var errs []error
	for _, m := range all {
		errs = append(errs, m.Close())
	}
	e.workers.Wait()
	return errors.Join(errs...)
}

// adopt counts a worker, unless the engine is closed.
func (e *Engine) adopt() bool {
	e.mu.Lock()
	defer e.mu.Unlock()
	if !e.closed {
		e.workers.Add(1)
	}
	return !e.closed
}

// Stats are the counts over all modules, also those that were unloaded.
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

// shim is the compiled surroundings of every module. It is one line, so that
// its lines are told apart from those of a module.
var shim = sync.OnceValues(func() ([]byte, error) {
	names, err := fs.Glob(shimFiles, "shim/*.js")
	if err != nil {
		return nil, err
	}
	var source strings.Builder
	for _, name := range names {
		raw, err := shimFiles.ReadFile(name)
		if err != nil {
			return nil, err
		}
		source.Write(raw)
	}
	return compileShim(source.String())
})

// compileShim makes one function of the parts of a shim.
func compileShim(parts string) ([]byte, error) {
	source := "(function () { 'use strict';\n" + parts + "})();"
	small, err := jsbuild.Minify(source)
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

// compileSource turns a script into the bytecode of this very engine.
func compileSource(source string) ([]byte, error) {
	vm, err := newQuickVM(defaultMemory, defaultStack, nil)
	if err != nil {
		return nil, err
	}
	defer vm.close()
	vm.limit(loadTimeout)
	return vm.compile(source)
}
