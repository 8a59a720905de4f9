package script

import (
	"cmp"
	"log/slog"
	"net/http"
	"runtime"
	"slices"
	"time"

	"github.com/gongu-ai/gongu/internal/lang"
)

const (
	defaultTimeout = 30 * time.Second
	defaultMemory  = 64 << 20
	// defaultStack is counted in slots of the engine's own stack, about one
	// for each plain call, three for an async one and five for a callback of
	// a built-in function. It is low on purpose: an error at the bottom of a
	// deep stack costs as much as the stack is deep, and a script that makes
	// such errors without end must still be stopped in time.
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

// Options say where scripts run and how far they reach. Nil and zero values
// are fine. As JSON they have what a child process needs to apply the same
// limits.
type Options struct {
	// Lang is the language of messages: en (default) or ko.
	Lang string `json:"lang,omitempty"`
	// Workdir is where scripts run, for calls whose [gongu.Context] names no
	// working directory. It is made on demand; empty is the current directory
	// of the process.
	Workdir string `json:"workdir,omitempty"`
	// Roots are further directories that paths may lie in. They must exist.
	// The root of the file system takes the bounds away.
	Roots []string `json:"roots,omitempty"`
	// Closed are directories that no path may lead into, though the working
	// directory or a root reaches around them.
	Closed []string `json:"closed,omitempty"`
	// Env names environment variables that scripts and their programs may
	// see, beside the few that every program needs; PREFIX_* stands for all
	// with that prefix.
	Env []string `json:"env,omitempty"`
	// AllowPrivate lists what requests may reach although it is not on the
	// public internet: host names, with or without a port, addresses and
	// prefixes such as 10.0.0.0/8.
	AllowPrivate []string `json:"allowPrivate,omitempty"`
	// Transport sends the requests. It replaces the one that guards against
	// private addresses.
	Transport http.RoundTripper `json:"-"`

	// Timeout is the longest time of a call (default 30 s). A call whose
	// context ends sooner ends then.
	Timeout time.Duration `json:"timeout,omitempty"`
	// Memory is how many bytes the objects of one VM may take (default 64
	// MiB).
	Memory int `json:"memory,omitempty"`
	// Stack is how deep calls may nest, in slots of the engine's stack (default
	// 1000): about as many plain calls, a third of that for async functions
	// and a fifth for callbacks of built-in functions.
	Stack int `json:"stack,omitempty"`
	// MaxOutput is how many bytes of JSON a result may have (default 8 MiB).
	MaxOutput int `json:"maxOutput,omitempty"`
	// MaxRead is how many bytes a script gets of one file, one response or
	// one stream of a program (default 8 MiB).
	MaxRead int `json:"maxRead,omitempty"`
	// MaxInFlight is how many operations of the host a call may have under
	// way (default 64).
	MaxInFlight int `json:"maxInFlight,omitempty"`
	// MaxVMs is how many calls of one module run at a time; others wait
	// (default twice GOMAXPROCS, and at least 8).
	MaxVMs int `json:"maxVMs,omitempty"`

	// Child is the program, with its arguments, that runs [ChildMain] and
	// nothing else: it is what runtime: process starts. Empty means that
	// there is none; a program that does not know its part is never started.
	Child []string `json:"-"`
	// ChildMemory is how many bytes a child process may take in all (default
	// 1 GiB). One that takes more is ended. Only Linux can tell.
	ChildMemory int `json:"-"`
	// ChildIdle is how long a child process that has nothing to do is kept
	// (default 1 min).
	ChildIdle time.Duration `json:"-"`
	// OnLoss hears of each VM that did not stop. It must not block.
	OnLoss func(Loss) `json:"-"`

	// Logger hears what the engine has to say, and what modules print while
	// they load; what a call prints goes to the logger of its
	// [gongu.Context]. Nil is [slog.Default].
	Logger *slog.Logger `json:"-"`
}

// complete is a copy with the defaults in place.
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

func (o *Options) lang() lang.Lang {
	l, _ := lang.Parse(o.Lang)
	return l
}
