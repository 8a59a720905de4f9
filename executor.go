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
	// Refused may say more about a name that was not let through, such as that
	// the tool is held back. Nil, or returning nil, keeps the refusal.
	Refused func(ctx context.Context, a *Attempt, refusal *Error) *Error
	// Begin hears of every call before anything else does, and Audit of the same
	// call with its final result.
	Begin func(ctx context.Context, a *Attempt)
	Audit func(ctx context.Context, a *Attempt, r Result)
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
	// HelpBase replaces [HelpBase].
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
	// chain and workers are shared by all steps of one executor.
	chain   *chain
	workers *workers
}

// NewExecutor returns an executor for the tools of a registry.
func NewExecutor(r *Registry, opts *ExecutorOptions) *Executor {
	e := &Executor{registry: r, workers: new(workers)}
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
	o.HelpBase = cmp.Or(o.HelpBase, HelpBase)
	o.AgentName = cmp.Or(o.AgentName, "api")
	o.Guards = slices.Clone(o.Guards)
	o.Bypass = slices.Clone(o.Bypass)
	o.Observers = slices.Clone(o.Observers)
	e.lang, _ = lang.Parse(o.Lang)
	e.chain = newChain(e.core)
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
	return e.chain.add(priority, m)
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

// chain is the middleware around the core, composed anew at each change so
// that a call pays nothing for it.
type chain struct {
	mu       sync.Mutex
	core     Invoke
	layers   []*layer
	composed atomic.Pointer[Invoke]
	layered  atomic.Bool
}

type layer struct {
	priority int
	wrap     Middleware
}

func newChain(core Invoke) *chain {
	c := &chain{core: core}
	c.compose()
	return c
}

func (c *chain) add(priority int, m Middleware) (remove func()) {
	added := &layer{priority, m}
	c.mu.Lock()
	defer c.mu.Unlock()
	c.layers = append(slices.Clone(c.layers), added)
	slices.SortStableFunc(c.layers, func(a, b *layer) int { return cmp.Compare(a.priority, b.priority) })
	c.compose()
	return func() {
		c.mu.Lock()
		defer c.mu.Unlock()
		c.layers = slices.DeleteFunc(slices.Clone(c.layers), func(l *layer) bool { return l == added })
		c.compose()
	}
}

func (c *chain) compose() {
	invoke := c.core
	for _, l := range slices.Backward(c.layers) {
		invoke = l.wrap(invoke)
	}
	c.layered.Store(len(c.layers) > 0)
	c.composed.Store(&invoke)
}

// wraps reports whether there is any middleware.
func (c *chain) wraps() bool {
	return c.layered.Load()
}

func (c *chain) invoke(ctx context.Context, call Call) Result { return (*c.composed.Load())(ctx, call) }

// rawNull is the output of a tool that returns nothing.
var rawNull = json.RawMessage("null")
