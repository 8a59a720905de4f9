// Package host opens a bundle: it makes a registry, catalogs and an executor of
// the resources in a folder. Go programs and the gongu command use it.
//
//	h, err := host.Open(ctx, "my-bundle", nil)
//	if err != nil { … }
//	defer h.Close()
//	result := h.Call(ctx, "", gongu.Call{Name: "file-system__read", Args: args})
//
// Without a folder it opens the starter tools.
package host

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net/http"
	"os"
	"path/filepath"
	"slices"
	"sync"
	"sync/atomic"
	"time"

	"github.com/gongu-ai/gongu"
	"github.com/gongu-ai/gongu/access"
	"github.com/gongu-ai/gongu/agent"
	"github.com/gongu-ai/gongu/audit"
	"github.com/gongu-ai/gongu/builtin"
	"github.com/gongu-ai/gongu/bundle"
	"github.com/gongu-ai/gongu/explore"
	"github.com/gongu-ai/gongu/internal/event"
	"github.com/gongu-ai/gongu/internal/rows"
	"github.com/gongu-ai/gongu/internal/secret"
	"github.com/gongu-ai/gongu/internal/spill"
	"github.com/gongu-ai/gongu/internal/statedir"
	"github.com/gongu-ai/gongu/internal/stream"
	"github.com/gongu-ai/gongu/policy"
	"github.com/gongu-ai/gongu/script"
	"github.com/gongu-ai/gongu/state"
	"github.com/gongu-ai/gongu/toolrequest"
)

// Options change how a bundle is opened. Nil and zero values are fine.
type Options struct {
	// Lang is the language of all texts: en (default) or ko.
	Lang string
	// Strict treats warnings about the bundle as errors.
	Strict bool
	// StateRoot is where instances and spilled outputs are kept (default:
	// GONGU_STATE_ROOT, then a folder for the bundle in the user's state folder).
	StateRoot string
	// Workdir is where tools start: a folder, or "project" for the bundle's
	// own. Empty is a workspace for each instance below the state root.
	Workdir string
	// Instance is the instance key of an [Address] without one (default:
	// "default").
	Instance string
	// IdleAfter is when the scope of another instance than this is closed
	// after its last step (default 10 minutes); its state is saved and loaded
	// again at the next step. The scopes of this instance stay: connected
	// clients keep the tools that extensions have added for them.
	IdleAfter time.Duration
	// System is what tools and scripts may reach of the machine.
	System SystemOptions
	// Child is the program that runs scripts in a child process; see
	// [script.Options]. Without one, runtime: process is not available, and
	// sandboxes have no namespaces: the same program makes them.
	Child []string
	// Extensions are extensions in Go that the bundle may use: entry:
	// builtin:NAME looks here first.
	Extensions map[string]agent.Extension
	// Requests is the file of tool requests (default: tool-requests.json in the
	// bundle, or in the current folder).
	Requests string
	// Code lets every agent run code that it writes, with run_code. An agent
	// whose extensions have builtin:code may without it.
	Code bool
	// Version is the version of the program, which servers get.
	Version string
	// Access narrows the catalog of each step to what its principal may use;
	// nil offers every tool.
	Access *access.Access
	// Secrets remembers the secrets that the bundle uses, and removes them from
	// errors and logs; nil makes one.
	Secrets *secret.Vault
	// Sources configure programs, servers and pins.
	Sources SourceOptions
	// Store keeps records of what changes while the bundle is open; nil keeps
	// none. The host does not close it.
	Store *state.Store
	// Rows keep tool requests, approved tools, accepted definitions and consents,
	// for several hosts that share them. Nil uses those of a Store on PostgreSQL;
	// without one, they are files.
	Rows rows.Store
	// Recorder records the calls of the bundle. Without one, calls that a resource
	// requires to be on record (audit: required) are refused.
	Recorder *audit.Recorder
	// Policy are the rules beside those of the bundle, and how a person is asked.
	Policy PolicyOptions
	// Executor adds to the executor: guards, middleware, limits, audit. The
	// host sets catalog, language, logger and spill itself.
	Executor gongu.ExecutorOptions
	Logger   *slog.Logger
	// Loaded is the bundle at the opened path, when the caller has read it
	// already. A reload reads the files again.
	Loaded *bundle.Bundle
	// Inspect opens a bundle to read what is pinned and cached. No script is run,
	// no program started and no server connected; the bundle has no tools.
	Inspect bool
	// ReadOnly opens a bundle to ask about it: pins, cached lists, tool requests
	// and the state of extensions are read and not written. Tools work as usual.
	ReadOnly bool
	// Consent makes the host use only what a person consented to. Nil uses the
	// bundle as it is: the program that opens it decides.
	Consent *ConsentOptions
	// Watch loads the bundle again when a file that decides what it does has
	// changed, and when the consent to it has. Each attempt is one
	// of [Host.Events]; after a broken edit the previous tools stay in use.
	Watch bool
}

// SystemOptions are what tools and scripts may reach beyond their working
// directory.
type SystemOptions struct {
	// Roots are further folders that file tools may reach.
	Roots []string
	// Env names environment variables that commands may see.
	Env []string
	// AllowPrivate lists private hosts and networks that http-fetch may reach.
	AllowPrivate []string
	// Hidden are files and folders that no program of the bundle may read or
	// change, beside gongu's own state and configuration.
	Hidden []string
	// Transport replaces the guarded one of http-fetch.
	Transport http.RoundTripper
}

// Host is an open bundle.
type Host struct {
	opts     Options
	path     string // as given; empty for the starter tools
	dir      string
	state    string
	registry *gongu.Registry
	executor *gongu.Executor
	system   *builtin.Options
	engine   *script.Engine
	requests requestQueue
	// rows have requests, approved tools, pins and consents; nil when they are
	// files. queueRows are then the requests.
	rows      rows.Store
	queueRows *toolrequest.Rows
	queue     toolrequest.Store // requests, recorded
	recorder  recorder
	rules     *rulebook
	approvals policy.ApprovalStore
	asks      gongu.Guard // decides by the rules, for all executors
	writes    writes
	sources   *Sources
	index     explore.Index
	coding    sync.Once
	code      *script.Code
	events    event.Bus
	spilled   *spill.Store
	held      atomic.Pointer[Held]
	present   atomic.Pointer[bundle.Cover] // of the folder as it was read last
	explored  bool                         // the discovery tools are registered; guarded by loading

	// scopesMu guards the scopes of all states of the bundle.
	scopesMu sync.Mutex
	// loading is held during a load.
	loading sync.Mutex
	mu      sync.RWMutex
	current *loaded
	closers []func() error

	saidMissing sync.Map // what is missing of a sandbox and was logged
}

// Open loads a folder or a file of resources. All problems of the bundle are
// in the error, which then is a [bundle.Diagnostics]. An empty dir opens the
// starter tools.
func Open(ctx context.Context, dir string, opts *Options) (*Host, error) {
	h := &Host{path: dir}
	if opts != nil {
		h.opts = *opts
	}
	if h.opts.Logger == nil {
		h.opts.Logger = slog.Default()
	}
	if h.opts.Secrets == nil {
		h.opts.Secrets = &secret.Vault{}
	}
	h.opts.Logger = h.opts.Secrets.Logger(h.opts.Logger)
	h.opts.Secrets.RememberEnvironment(h.opts.System.Env...)
	if err := h.locate(dir); err != nil {
		return nil, err
	}
	h.spilled = spill.New(filepath.Join(h.state, spillName), nil)
	h.addCloser(h.spilled.Close)
	h.registry = gongu.NewRegistry(&gongu.RegistryOptions{Logger: h.opts.Logger})
	h.system = h.systemOptions()
	if err := h.system.Validate(); err != nil {
		return nil, fmt.Errorf("options: %w", err)
	}
	var err error
	if h.sources, err = openSources(h); err != nil {
		return nil, err
	}
	if err := h.openRules(); err != nil {
		return nil, errors.Join(err, h.Close())
	}
	h.openApprovals()
	if err := h.openAccess(); err != nil {
		return nil, fmt.Errorf("options: %w", err)
	}
	h.asks = h.policyGuard()
	h.executor = h.newExecutor(h.registry)
	var follower *rowsFollower
	if h.opts.Watch && h.rows != nil {
		if follower, err = newRowsFollower(ctx, h); err != nil {
			return nil, errors.Join(err, h.Close())
		}
	}
	if err := h.load(ctx, dir); err != nil {
		return nil, errors.Join(err, h.Close())
	}
	h.spilled.Sweep() // what earlier processes left
	h.fulfil(ctx)
	if follower != nil {
		follower.start()
	}
	if h.opts.Watch && h.opts.Store != nil {
		h.recordEvents()
	}
	if h.opts.Watch {
		h.watchRules()
	}
	if h.opts.Watch && h.dir != "" {
		if err := h.watch(); err != nil {
			return nil, errors.Join(err, h.Close())
		}
	}
	return h, nil
}

// locate finds the folders. It does not create them.
func (h *Host) locate(dir string) error {
	base := "."
	if dir != "" {
		base = dir
		if info, err := os.Stat(dir); err == nil && !info.IsDir() {
			base = filepath.Dir(dir)
		}
	}
	base, err := filepath.Abs(base)
	if err != nil {
		return fmt.Errorf("open %s: %w", dir, err)
	}
	if dir != "" {
		h.dir = base
	}
	if h.state, err = StateRoot(h.opts.StateRoot, base); err != nil {
		return err
	}
	h.useRows()
	if err := h.checkRecords(); err != nil {
		return err
	}
	// What a bundle uses is made on demand, so it is recorded at the end, too.
	statedir.Used(h.state, base)
	h.closers = append(h.closers, func() error { statedir.Used(h.state, base); return nil })
	if err := h.openRequests(base); err != nil {
		return err
	}
	return h.locateWorkdir(base)
}

func (h *Host) systemOptions() *builtin.Options {
	return &builtin.Options{
		Lang:    h.opts.Lang,
		Workdir: h.workdir(h.address(Address{}), nil),
		Roots:   h.opts.System.Roots,
		// Tools may read the spilled outputs of their own principal.
		CallRoots: func(ctx context.Context) []string { return []string{h.spilled.Dir(spillOwner(ctx))} },
		// Tools must not reach tokens, requests and pins, nor the user's
		// configuration.
		Closed:    append([]string{h.state}, configDirs()...),
		Protected: func(ctx context.Context) []string { return h.protected(gongu.ContextOf(ctx).AgentName) },
		Wrote:     h.noteWrite,
		Env:       h.opts.System.Env,
		Sandbox:   h.sandboxFor(nil),
		Spill: func(ctx context.Context, pattern string) (*os.File, error) {
			return h.spilled.Create(spillOwner(ctx), pattern, stream.MaxSpill)
		},
		AllowPrivate: h.opts.System.AllowPrivate,
		Transport:    h.opts.System.Transport,
	}
}

func (h *Host) newExecutor(registry *gongu.Registry, observers ...gongu.Observer) *gongu.Executor {
	opts := h.opts.Executor
	opts.Observers = slices.Concat(opts.Observers, observers)
	opts.Lang, opts.Logger, opts.Catalog = h.opts.Lang, h.opts.Logger, nil
	// The check of pins comes before the guard that asks a person.
	opts.Guards = slices.Concat([]gongu.Guard{h.sources.manager.Guard(), h.asks}, opts.Guards)
	// Outermost: a row has what the caller is answered. Its guard is the innermost:
	// what it records runs.
	if h.opts.Recorder != nil {
		opts.Observers = append([]gongu.Observer{h.opts.Recorder}, opts.Observers...)
	}
	opts.Guards = append(opts.Guards, h.opts.Recorder.Guard(h.auditRequired))
	if opts.Explain == nil {
		opts.Explain = h.explainRefusal
	}
	if opts.Redact == nil {
		opts.Redact = h.opts.Secrets.Redact
	}
	if opts.Spill == nil {
		opts.Spill = h.spill
	}
	return gongu.NewExecutor(registry, &opts)
}

// Registry returns the tools of the bundle; a program may add its own.
func (h *Host) Registry() *gongu.Registry { return h.registry }

// Bundle returns the resources as they are now, or nil for the starter tools.
func (h *Host) Bundle() *bundle.Bundle { return h.now().bundle }

// Diagnostics returns the warnings about the loaded bundle.
func (h *Host) Diagnostics() bundle.Diagnostics { return h.now().diagnostics }

func (h *Host) now() *loaded {
	h.mu.RLock()
	defer h.mu.RUnlock()
	return h.current
}

func (h *Host) closeSources() error {
	if h.sources == nil {
		return nil
	}
	return h.sources.manager.Close()
}

// Close closes everything that the host opened. It does not wait for calls that
// still run.
func (h *Host) Close() error {
	h.mu.Lock()
	closers := h.closers
	h.closers = nil
	h.mu.Unlock()
	// In reverse order: first the watcher, then the sources and the bundle.
	closers = slices.Insert(closers, 0, h.closeEngine, h.closeLoaded, h.closeSources)
	var failures []error
	for _, closer := range slices.Backward(closers) {
		failures = append(failures, closer())
	}
	return errors.Join(failures...)
}
