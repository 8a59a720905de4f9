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

// Defaults for tools and executors that set no limit of their own.
const (
	defaultTimeout      = 5 * time.Minute
	defaultErrorMessage = 1000
	defaultOutput       = 1 << 20
	defaultArgs         = 4 << 20
	defaultParallel     = 16
)

// ExecutorOptions set up an executor. Nil and zero values are fine, and closed:
// without a catalog nothing may be called.
type ExecutorOptions struct {
	// Catalog is what may be called; see [Executor.WithCatalog] for the next
	// step's. Nil denies everything.
	Catalog *Catalog
	// Middleware wraps every call, the first outermost.
	Middleware []Middleware
	// Guards check the frozen arguments after the schema, in this order. No
	// middleware can enter, reorder or follow them.
	Guards []Guard
	// Bypass names tools, exact or glob, that may be called although they are
	// not in the catalog. Every use is logged.
	Bypass []string
	// Explain may say more about a call that the catalog refused, such as that
	// the tool is held back. Nil, or returning nil, keeps the refusal.
	Explain func(ctx context.Context, a *Attempt, refusal *Error) *Error
	// Observers are told of every call, the first one first.
	Observers []Observer
	// Spill keeps an output that is too large and returns where.
	Spill func(ctx context.Context, call Call, output []byte) (path string, err error)
	// Limits are for tools that set none.
	Limits Limits
	// MaxArgs is the largest argument text in bytes (default 4 MiB).
	MaxArgs int
	// Parallel is how many calls of a batch run at once (default 16).
	Parallel int
	// Lang is the language of messages: en (default) or ko.
	Lang string
	// HelpBase is where the pages about error codes are; an error's helpUrl
	// is this and its code. The default is gongu's own documentation.
	HelpBase string
	Logger   *slog.Logger
	// AgentName stands for the caller outside a conversation: cli, mcp or api.
	AgentName string
	// NewID makes ids for calls that have none.
	NewID func() string
}

// Middleware wraps the rest of the chain. It may change the arguments it
// passes on, change the result, or answer without calling next.
type Middleware func(next Invoke) Invoke

// Executor runs calls. It always answers: a failure of any kind is a Result.
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

// WithCatalog returns an executor for the next step: the same middleware,
// guards and limits, another catalog.
func (e *Executor) WithCatalog(c *Catalog) *Executor {
	next := *e
	next.opts.Catalog = c
	return &next
}

// Catalog is what this executor lets through; nil means nothing.
func (e *Executor) Catalog() *Catalog { return e.opts.Catalog }

// Use adds a middleware. Lower priorities are further out; equal ones keep the
// order they were added in. The returned function takes it out again. Calls
// that already run keep the chain they began with.
func (e *Executor) Use(priority int, m Middleware) (remove func()) {
	take := e.middleware.list.Add(priority, m)
	e.middleware.compose(e.core)
	return func() {
		take()
		e.middleware.compose(e.core)
	}
}

// middleware is the chain around the core, composed anew at each change so
// that a call pays nothing for it.
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

// Call runs one call and returns its result, whatever happens.
func (e *Executor) Call(ctx context.Context, call Call) Result {
	return e.dispatch(ctx, call, false)
}

// DryRun takes a call through every check up to the handler and says what
// would happen.
func (e *Executor) DryRun(ctx context.Context, call Call) Result {
	return e.dispatch(ctx, call, true)
}

// Batch runs the calls of one step at the same time, within the bound, and
// returns their results in call order. Calls of one serial tool run one after
// the other in that order.
func (e *Executor) Batch(ctx context.Context, calls []Call) []Result {
	results := make([]Result, len(calls))
	places := make(chan struct{}, e.opts.Parallel)
	var group sync.WaitGroup
	for _, lane := range e.lanes(calls) {
		group.Go(func() {
			// A middleware can end this goroutine: then its calls, and the
			// later ones of its lane, are answered by what stands here.
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

// lanes groups the calls that must not overlap.
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
