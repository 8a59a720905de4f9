package script

import (
	"cmp"
	"context"
	"log/slog"
	"net/http"
	"runtime"
	"slices"
	"time"

	"github.com/gongu-ai/gongu/internal/sandbox"
)

const (
	defaultTimeout = 30 * time.Second
	defaultMemory  = 64 << 20
	// defaultStack is counted in slots of the engine's stack: about one for
	// each plain call, three for an async one and five for a callback of a
	// built-in function. It is low because an error costs time proportional to
	// the depth of the stack, and a script that throws such errors in a loop
	// must still be stopped in time.
	defaultStack     = 1000
	defaultOutput    = 8 << 20
	defaultInFlight  = 64
	defaultRead      = 8 << 20
	idleTime         = time.Minute
	maxTimers        = 1000
	maxLogLines      = 1000
	maxLogLine       = 8 << 10
	loadTimeout      = 5 * time.Second
	minimalVMs       = 8
	minimalMemory    = 2 << 20
	minimalStackSize = 100
)

// Options configure an engine. Nil and zero values are valid. As JSON they have
// what a child process needs to apply the same limits.
type Options struct {
	// Lang is the language of messages: en (default) or ko.
	Lang string `json:"lang,omitempty"`
	// Workdir is the working directory of calls whose [gongu.Context] names
	// none. It is created on demand. Empty means the current directory of the
	// process.
	Workdir string `json:"workdir,omitempty"`
	// Roots are further directories that scripts may use. They must exist. The
	// root of the file system removes the restriction.
	Roots []string `json:"roots,omitempty"`
	// CallRoots returns directories that one call may use beside Roots, such as
	// that of its principal. They need not exist.
	CallRoots func(ctx context.Context) []string `json:"-"`
	// Closed are directories that scripts may not use, although they lie in the
	// working directory or a root.
	Closed []string `json:"closed,omitempty"`
	// Protected are files that scripts may read and not change.
	Protected []string `json:"protected,omitempty"`
	// ProtectedFor replaces Protected for a call; child processes get what it
	// returns when they start.
	ProtectedFor func(ctx context.Context) []string `json:"-"`
	// Env lists the environment variables that scripts and their programs see,
	// beside a few that every program needs. PREFIX_* matches all with that
	// prefix.
	Env []string `json:"env,omitempty"`
	// AllowPrivate lists private destinations that requests may reach: host
	// names, with or without a port, addresses, and prefixes such as
	// 10.0.0.0/8.
	AllowPrivate []string `json:"allowPrivate,omitempty"`
	// Transport sends the requests. It replaces the one that refuses private
	// addresses.
	Transport http.RoundTripper `json:"-"`

	// Timeout is the time limit of a call (default 30 s). The deadline of its
	// context applies as well.
	Timeout time.Duration `json:"timeout,omitempty"`
	// Memory is the memory limit of a VM in bytes (default 64 MiB).
	Memory int `json:"memory,omitempty"`
	// Stack is the depth limit of calls, in slots of the engine's stack
	// (default 1000): about as many plain calls, a third of that for async
	// functions and a fifth for callbacks of built-in functions.
	Stack int `json:"stack,omitempty"`
	// MaxOutput limits the JSON of a result, in bytes (default 8 MiB).
	MaxOutput int `json:"maxOutput,omitempty"`
	// MaxRead limits the bytes of one file, response or output stream of a
	// program (default 8 MiB).
	MaxRead int `json:"maxRead,omitempty"`
	// MaxInFlight limits the concurrent operations of a call (default 64).
	MaxInFlight int `json:"maxInFlight,omitempty"`
	// MaxVMs limits the concurrent calls of a module; further ones wait
	// (default twice GOMAXPROCS, and at least 8).
	MaxVMs int `json:"maxVMs,omitempty"`

	// Child is the command line of a program that calls [ChildMain] and does
	// nothing else. The runtime process needs it. Empty disables that runtime.
	Child []string `json:"-"`
	// Sandbox confines the programs that scripts start and the child processes
	// that run scripts, with the working directory of the call; nil does not.
	Sandbox *sandbox.Policy `json:"-"`
	// ChildMemory is the limit of a child's resident memory in bytes (default 1
	// GiB). A child above it is killed. Only enforced on Linux.
	ChildMemory int `json:"-"`
	// ChildIdle is how long an idle child is kept (default 1 min).
	ChildIdle time.Duration `json:"-"`
	// OnLoss is called for each lost VM. It must not block.
	OnLoss func(Loss) `json:"-"`

	// Logger receives the messages of the engine and what modules print while
	// they load. What a call prints goes to the logger of its [gongu.Context].
	// Nil is [slog.Default].
	Logger *slog.Logger `json:"-"`
}

// complete returns a copy with the defaults applied.
func (o *Options) complete() Options {
	var out Options
	if o != nil {
		out = *o
	}
	out.Roots, out.Closed = slices.Clone(out.Roots), slices.Clone(out.Closed)
	out.Env = slices.Clone(out.Env)
	out.AllowPrivate = slices.Clone(out.AllowPrivate)
	out.Timeout = cmp.Or(max(out.Timeout, 0), defaultTimeout)
	out.Memory = max(cmp.Or(max(out.Memory, 0), defaultMemory), minimalMemory)
	out.Stack = max(cmp.Or(max(out.Stack, 0), defaultStack), minimalStackSize)
	out.MaxOutput = cmp.Or(max(out.MaxOutput, 0), defaultOutput)
	out.MaxRead = cmp.Or(max(out.MaxRead, 0), defaultRead)
	out.MaxInFlight = cmp.Or(max(out.MaxInFlight, 0), defaultInFlight)
	out.MaxVMs = cmp.Or(max(out.MaxVMs, 0), max(2*runtime.GOMAXPROCS(0), minimalVMs))
	out.Child = slices.Clone(out.Child)
	out.ChildMemory = cmp.Or(max(out.ChildMemory, 0), defaultChildMemory)
	out.ChildIdle = cmp.Or(max(out.ChildIdle, 0), idleTime)
	if out.Logger == nil {
		out.Logger = slog.Default()
	}
	return out
}
