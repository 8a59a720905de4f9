package serve

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"iter"
	"log/slog"
	"sync"
	"sync/atomic"
	"time"

	"github.com/gongu-ai/gongu"
	"github.com/gongu-ai/gongu/access"
	"github.com/gongu-ai/gongu/internal/event"
	"github.com/gongu-ai/gongu/internal/lang"
	"github.com/gongu-ai/gongu/internal/limit"
)

// Backend has the tools that are served. *host.Host is one.
type Backend interface {
	// Step runs core in one step of an agent, "" being the whole bundle, with
	// an executor that has the catalog of the step, narrowed to what the
	// principal of ctx may use.
	Step(ctx context.Context, agent string, core func(ctx context.Context, x *gongu.Executor) error) error
	// Registry returns the registry whose changes clients are notified of.
	Registry() *gongu.Registry
	// Prepare is called before a list, with "", and before a call, with the
	// name of the tool. A backend that loads tools in the background waits
	// here until they are loaded, or until its own timeout.
	Prepare(ctx context.Context, tool string)
}

// Event is a change that clients are notified of.
type Event = event.Event

// The modes: which tools of a catalog a client is shown.
const (
	// ModeAuto is direct while the tools fit the budget, else search.
	ModeAuto = "auto"
	// ModeDirect shows every tool.
	ModeDirect = "direct"
	// ModeSearch shows the discovery tools, which find and call all others.
	ModeSearch = "search"
	// ModeCode shows the discovery tools and one that runs code.
	ModeCode = "code"
)

// Options of a server. Backend is required.
type Options struct {
	Backend Backend
	// Agents lists the agents that have a path; nil lets the backend decide
	// at each step.
	Agents func() []string
	// Upstreams are the MCP servers whose prompts, resources and completions
	// are served; nil means none.
	Upstreams Upstreams
	// Events returns what changes beside the registry of the backend, until
	// ctx ends: tools of single agents, and notifications of upstreams.
	// [host.Host.Events] is one; nil means none.
	Events func(ctx context.Context) iter.Seq[Event]

	// Mode is auto (default), direct, search or code.
	Mode string
	// Budget is how many tokens the declarations may take in mode auto
	// (default 10,000).
	Budget int
	// Sampling lets tools use the model of the client.
	Sampling bool
	// MaxName is the longest name of a tool (default 48): clients put their
	// own prefix before it.
	MaxName int
	// Page is how many tools one page of a list has; 0 is all of them, because
	// several clients read the first page only.
	Page int
	// TTL is how long clients of the modern era may keep a list (default 5
	// seconds).
	TTL time.Duration
	// TaskAfter is when a call becomes a task, for clients that know tasks
	// (default 5 seconds; negative is at once).
	TaskAfter time.Duration
	// Pending keeps the records of calls that wait and of tasks, and the keys
	// that sign what clients send back with a later request. Nil keeps them in
	// memory; with a [state.Store] they survive a restart, and the hosts that
	// share the store can answer for each other.
	Pending PendingStore

	// Agent is the agent of a client on stdio; empty is the whole bundle.
	Agent string
	// Path is the path of the handler (default /mcp).
	Path string
	// LegacySSE also serves the HTTP+SSE transport of 2024-11-05; see
	// [Server.SSE].
	LegacySSE bool

	// Lang is the language of texts: en (default) or ko.
	Lang   string
	Logger *slog.Logger
	Limits Limits
	// ServerName (default gongu), Title, Version and Instructions describe the
	// server to clients.
	ServerName, Title, Version, Instructions string
}

// Server serves a backend over MCP. Make one with [New].
type Server struct {
	opts   Options
	lang   lang.Lang
	limits Limits
	count  counters
	// running limits the running requests, waits the calls that wait for an
	// answer, streams the open event streams. Drain waits for running only.
	running, waits, streams *limit.Limiter
	// listing counts the bytes of lists of upstreams that answers hold.
	listing atomic.Int64

	methods   methods
	names     *names
	toolLists access.CatalogCache[*toolList]
	sessions  *sessionTable
	pending   *pendingTable
	notifier  *notifier
	links     *links
	seal      *sealer
	// about is the _meta of results, with the name of the server.
	about string

	// lifetime ends when the server is drained: streams and suspended calls end
	// with it.
	lifetime context.Context
	end      context.CancelFunc
	draining chan struct{}
	drain    sync.Once
	work     sync.WaitGroup
}

// New checks the options and returns a server.
func New(opts Options) (*Server, error) {
	if opts.Backend == nil {
		return nil, errors.New("serve: options need a backend")
	}
	opts.Mode = cmp.Or(opts.Mode, ModeAuto)
	switch opts.Mode {
	case ModeAuto, ModeDirect, ModeSearch, ModeCode:
	default:
		return nil, fmt.Errorf("serve: unknown mode %q: use auto, direct, search or code", opts.Mode)
	}
	if opts.MaxName != 0 && (opts.MaxName < 32 || opts.MaxName > 64) {
		return nil, fmt.Errorf("serve: the longest name of a tool cannot be %d: use 32 to 64", opts.MaxName)
	}
	if opts.Logger == nil {
		opts.Logger = slog.Default()
	}
	opts.Budget = cmp.Or(max(opts.Budget, 0), defaultBudget)
	opts.MaxName = cmp.Or(opts.MaxName, defaultMaxName)
	opts.TTL = cmp.Or(max(opts.TTL, 0), 5*time.Second)
	opts.TaskAfter = cmp.Or(opts.TaskAfter, 5*time.Second)
	opts.Path = cmp.Or(opts.Path, "/mcp")
	opts.ServerName = cmp.Or(opts.ServerName, "gongu")
	opts.Version = cmp.Or(opts.Version, "dev")
	opts.Limits = opts.Limits.withDefaults()
	return newServer(opts), nil
}

func newServer(opts Options) *Server {
	s := &Server{opts: opts, limits: opts.Limits, draining: make(chan struct{})}
	s.lang, _ = lang.Parse(opts.Lang)
	s.lifetime, s.end = context.WithCancel(context.Background())
	l := &s.limits
	// Calls that have waited queue for a slot; new requests do not.
	s.running = limit.New(limit.Options{Total: l.Running, PerKey: l.RunningEach, Queue: l.Waiting})
	s.waits = limit.New(limit.Options{Total: l.Waiting, PerKey: l.WaitingEach})
	s.streams = limit.New(limit.Options{Total: l.Streams, PerKey: l.StreamsEach})
	s.names = newNames(opts.MaxName)
	s.toolLists.MaxEntries, s.toolLists.MaxSize = maxLists, maxListBytes
	s.sessions = newSessionTable(s)
	store := opts.Pending
	if store == nil {
		store = newMemoryStore()
	}
	s.pending = newPendingTable(s, store)
	s.seal = &sealer{store: store, life: max(l.Wait, l.Suspend, upstreamTaskLife)}
	s.notifier, s.links = newNotifier(s), newLinks()
	s.methods = newMethods(opts.Upstreams != nil)
	s.about = `"_meta":{"` + metaServer + `":` + string(s.self()) + `}`
	s.work.Go(func() { s.pending.readMail(s.lifetime) })
	return s
}

// Drain rejects new requests, waits for the running ones, and then ends
// sessions, streams and suspended calls. When ctx ends first, it cancels the
// running requests and returns an error with their number.
func (s *Server) Drain(ctx context.Context) error {
	s.drain.Do(func() { close(s.draining) })
	err := s.running.Wait(ctx)
	s.end()
	s.sessions.closeAll()
	s.pending.close()
	s.notifier.close()
	if err != nil {
		return fmt.Errorf("drain: %d requests were still running: %w", s.running.Running(), err)
	}
	done := make(chan struct{})
	go func() {
		s.work.Wait()
		close(done)
	}()
	select {
	case <-done:
		return nil
	case <-ctx.Done():
		return fmt.Errorf("drain: background work did not end: %w", ctx.Err())
	}
}

func (s *Server) isDraining() bool {
	select {
	case <-s.draining:
		return true
	default:
		return false
	}
}
