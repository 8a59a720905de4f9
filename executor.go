package gongu

import (
	"cmp"
	"context"
	"encoding/json"
	"log/slog"
	"slices"
	"sync"
	"sync/atomic"
	"time"

	"github.com/gongu-ai/gongu/internal/chain"
	"github.com/gongu-ai/gongu/internal/lang"
)

// Defaults for tools and executors without limits.
const (
	defaultTimeout      = 5 * time.Minute
	defaultErrorMessage = 1000
	defaultOutput       = 1 << 20
	defaultArgs         = 4 << 20
	defaultParallel     = 16
)

// ExecutorOptions configure an executor. Nil and zero values mean the defaults.
// Without a catalog every call is refused.
type ExecutorOptions struct {
	// Catalog has the tools that may be called; [Executor.WithCatalog] sets
	// that of another step. Nil refuses every call.
	Catalog *Catalog
	// Middleware wraps every call, the first outermost.
	Middleware []Middleware
	// Guards check the frozen arguments after the schema, in this order.
	// Middleware cannot change the arguments after a guard has seen them.
	Guards []Guard
	// Bypass has names, exact or glob, of tools that may be called although
	// they are not in the catalog. Every such call is logged.
	Bypass []string
	// Explain may replace the error of a call that the catalog refused, for
	// example to say that the tool is quarantined. If it is nil or returns nil,
	// the error stays. The call is refused in any case.
	Explain func(ctx context.Context, a *Attempt, refusal *Error) *Error
	// Observers observe every call, in this order.
	Observers []Observer
	// Spill stores an output that is too large and returns its path. Only
	// [PrincipalOf] ctx should be able to read it.
	Spill func(ctx context.Context, call Call, output []byte) (path string, err error)
	// Redact removes secrets from the texts of results that are errors, before
	// they are cut to their limits, and from the logs that callers get. The output of a call that succeeds is the
	// tool's own and stays as it is.
	Redact func(text string) string
	// Limits apply to tools without their own.
	Limits Limits
	// MaxArgs is the maximum size of the arguments, in bytes (default 4 MiB).
	MaxArgs int
	// Parallel is how many calls of a batch run at once (default 16).
	Parallel int
	// Lang is the language of messages: en (default) or ko.
	Lang string
	// HelpBase is the URL of the pages about error codes; an error's helpUrl
	// is this and its code. The default is gongu's documentation.
	HelpBase string
	Logger   *slog.Logger
	// AgentName is that of calls outside a conversation, such as cli, mcp or
	// api (default).
	AgentName string
	// NewID generates ids for calls without one.
	NewID func() string
}

// Middleware wraps the rest of the chain. It may change the arguments or the
// result, or answer without calling next.
type Middleware func(next Invoke) Invoke

// Executor runs calls. Every call returns a Result, whatever fails.
type Executor struct {
	registry *Registry
	opts     ExecutorOptions
	lang     lang.Lang
	// middleware is shared by all steps of one executor.
	middleware *middleware
}

// NewExecutor returns an executor for the tools of a registry.
func NewExecutor(r *Registry, opts *ExecutorOptions) *Executor {
	e := &Executor{registry: r}
	if opts != nil {
		e.opts = *opts
	}
	o := &e.opts
	if o.Logger == nil {
		o.Logger = slog.Default()
	}
	if o.NewID == nil {
		o.NewID = func() string { return newID("call_") }
	}
	o.Limits.Timeout = cmp.Or(o.Limits.Timeout, defaultTimeout)
	o.Limits.ErrorMessage = cmp.Or(o.Limits.ErrorMessage, defaultErrorMessage)
	o.Limits.Output = cmp.Or(o.Limits.Output, defaultOutput)
	o.MaxArgs = cmp.Or(o.MaxArgs, defaultArgs)
	o.Parallel = max(1, cmp.Or(o.Parallel, defaultParallel))
	o.HelpBase = cmp.Or(o.HelpBase, lang.HelpBase)
	o.AgentName = cmp.Or(o.AgentName, "api")
	o.Guards = slices.Clone(o.Guards)
	o.Bypass = slices.Clone(o.Bypass)
	o.Observers = slices.Clone(o.Observers)
	e.lang, _ = lang.Parse(o.Lang)
	e.middleware = &middleware{}
	e.middleware.compose(e.core)
	for _, m := range o.Middleware {
		e.Use(0, m)
	}
	return e
}

// WithCatalog returns an executor with another catalog and the same middleware,
// guards and limits.
func (e *Executor) WithCatalog(c *Catalog) *Executor {
	next := *e
	next.opts.Catalog = c
	return &next
}

// Catalog returns the executor's catalog, or nil.
func (e *Executor) Catalog() *Catalog { return e.opts.Catalog }

// Use adds a middleware. A lower priority is further out; equal priorities keep
// the order in which they were added. The returned function removes the
// middleware. Calls that already run keep their chain.
func (e *Executor) Use(priority int, m Middleware) (remove func()) {
	take := e.middleware.list.Add(priority, m)
	e.middleware.compose(e.core)
	return func() {
		take()
		e.middleware.compose(e.core)
	}
}

// middleware is the chain around the core. It is composed at each change, not
// at each call.
type middleware struct {
	list chain.Chain[Middleware]

	mu       sync.Mutex
	composed atomic.Pointer[composed]
}

type composed struct {
	invoke Invoke
	// wraps is true if there is any middleware.
	wraps bool
}

func (m *middleware) compose(core Invoke) {
	m.mu.Lock()
	defer m.mu.Unlock()
	layers := m.list.Layers()
	invoke := chain.Wrap(layers, core, func(m Middleware, next Invoke) Invoke { return m(next) })
	m.composed.Store(&composed{invoke, len(layers) > 0})
}

// Call runs one call and returns its result.
func (e *Executor) Call(ctx context.Context, call Call) Result {
	return e.dispatch(ctx, call, false, nil)
}

// DryRun runs every check of a call, but not the handler, and returns what would
// have run.
func (e *Executor) DryRun(ctx context.Context, call Call) Result {
	return e.dispatch(ctx, call, true, nil)
}

// Batch runs the calls of one step concurrently, at most
// [ExecutorOptions].Parallel at once, and returns their results in call order.
// Calls of one serial tool run one after the other in that order.
func (e *Executor) Batch(ctx context.Context, calls []Call) []Result {
	results := make([]Result, len(calls))
	places := make(chan struct{}, e.opts.Parallel)
	var group sync.WaitGroup
	for _, lane := range e.lanes(calls) {
		group.Go(func() {
			// A middleware can end this goroutine: then these results answer
			// its call and the later ones of its lane.
			for _, i := range lane {
				results[i] = e.lost(calls[i])
			}
			for _, i := range lane {
				e.callInPlace(ctx, places, calls[i], &results[i])
			}
		})
	}
	group.Wait()
	return results
}

func (e *Executor) callInPlace(ctx context.Context, places chan struct{}, call Call, result *Result) {
	places <- struct{}{}
	ctx, done := WithSlot(ctx, func(ctx context.Context) error {
		select {
		case places <- struct{}{}:
			return nil
		case <-ctx.Done():
			return ctx.Err()
		}
	}, func() { <-places })
	defer done()
	*result = e.Call(ctx, call)
}

func (e *Executor) lost(call Call) Result {
	d := &dispatch{exec: e, attempt: Attempt{Call: call, Catalog: e.opts.Catalog}}
	if call.ID == "" {
		d.attempt.Call.ID = e.opts.NewID()
	}
	return d.finish(context.Background(), d.exited())
}

// lanes groups the calls that must not run concurrently.
func (e *Executor) lanes(calls []Call) [][]int {
	lanes := make([][]int, 0, len(calls))
	serial := make(map[string]int)
	for i, call := range calls {
		if found := e.registry.find(call.Name); found != nil && found.tool.Limits.Serial {
			if lane, ok := serial[call.Name]; ok {
				lanes[lane] = append(lanes[lane], i)
				continue
			}
			serial[call.Name] = len(lanes)
		}
		lanes = append(lanes, []int{i})
	}
	return lanes
}

// rawNull is the output of a tool that returns nothing.
var rawNull = json.RawMessage("null")
