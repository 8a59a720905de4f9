package mcpclient

import (
	"context"
	"encoding/json"
	"errors"
	"sync"
	"sync/atomic"
	"time"

	"github.com/gongu-ai/gongu"
	"github.com/gongu-ai/gongu/internal/lang"
	"github.com/gongu-ai/gongu/internal/limit"
	"github.com/modelcontextprotocol/go-sdk/jsonrpc"
)

// Client uses one MCP server. It connects at the first use. Its methods may be
// called by many at a time.
type Client struct {
	config Config
	opts   Options
	lang   lang.Lang
	// current is the link, which a group may replace while it is not in use.
	current atomic.Pointer[link]
	// declared are the capabilities of the options, taken apart.
	declared []member
	closing  sync.Once

	// group is nil for a client that belongs to none. Its lock guards what
	// follows.
	group *Group
	key   groupKey
	// release releases the link; nil while the client has none.
	release func()
	removed bool
	// onDemand is a client that the group made for a principal or a session,
	// and closes when it is idle: running counts its uses, last is when the
	// latest one ended.
	onDemand bool
	running  int
	last     time.Time

	mu      sync.Mutex
	listing *Listing
	loading *pending[*Listing]
	// One refresh runs and one more waits at most, however many notifications
	// of a change the server sends.
	refreshing, again bool
}

// New returns a client for a server. It does not connect yet, unless the
// configuration says warm.
func New(config Config, opts *Options) (*Client, error) {
	config, complete, err := prepare(config, opts)
	if err != nil {
		return nil, err
	}
	c, l := newClient(config, complete), newLink(config, complete)
	c.attach(l, l.close)
	return c, nil
}

func prepare(config Config, opts *Options) (Config, Options, error) {
	complete, err := opts.complete()
	if err != nil {
		return config, complete, err
	}
	if complete.Dial != nil && config.Command == "" && config.URL == "" {
		config.Command = "-" // it is not started
	}
	config, err = config.check()
	return config, complete, err
}

func newClient(config Config, opts Options) *Client {
	c := &Client{config: config, opts: opts, lang: opts.lang()}
	if declared, err := membersOf(opts.Capabilities); err == nil { // it was checked
		c.declared = declared
	}
	return c
}

// link is the way to the server; never nil.
func (c *Client) link() *link { return c.current.Load() }

// attach gives the client a link, and the function that releases the link.
func (c *Client) attach(l *link, release func()) {
	l.watchMu.Lock()
	l.watchers[c] = struct{}{}
	l.watchMu.Unlock()
	c.current.Store(l)
	c.release = release
}

// detach removes the client from its link. The caller calls the function that it
// returns, which may wait for a child process to end.
func (c *Client) detach() (release func()) {
	release = c.release
	if release == nil {
		return func() {}
	}
	c.release = nil
	l := c.link()
	l.watchMu.Lock()
	delete(l.watchers, c)
	l.watchMu.Unlock()
	l.watched.removeAll(c)
	return release
}

// use keeps the client from being closed as idle until end is called. A client
// that was closed as idle before gets another link; it waits while too many are
// in use.
func (c *Client) use(ctx context.Context) (end func(), err error) {
	if c.group == nil {
		return func() {}, nil
	}
	return c.group.use(ctx, c)
}

// Name is the server's name here.
func (c *Client) Name() string { return c.config.Name }

// Source is the owner of the server's tools in a registry.
func (c *Client) Source() gongu.Source { return gongu.Source{Type: "mcp", Name: c.config.Name} }

// Close ends the connection, the program behind it and everything the program
// started, unless another client shares them.
func (c *Client) Close() {
	c.closing.Do(func() {
		if c.group != nil {
			c.group.remove(c)()
			return
		}
		c.detach()()
	})
}

// Info connects if needed and returns the server's description of itself.
func (c *Client) Info(ctx context.Context) (ServerInfo, error) {
	end, err := c.use(ctx)
	if err != nil {
		return ServerInfo{}, c.fail(err)
	}
	defer end()
	s, err := c.link().session(ctx)
	if err != nil {
		return ServerInfo{}, c.fail(err)
	}
	return *s.about(), nil
}

// RequestOptions are the caller's part of a request.
type RequestOptions struct {
	Handlers
	// Capabilities are the caller's client capabilities, a JSON object. In the
	// modern era they are sent in place of [Options.Capabilities].
	Capabilities json.RawMessage
	// InputRequired returns a result that asks for input as it is, in place of
	// calling the Handlers and repeating the request.
	InputRequired bool
	// Timeout replaces the configured one for calls; negative means none.
	Timeout time.Duration
	// Repeatable says that a request whose connection broke may be sent again.
	Repeatable bool
}

// Request sends any request to the server and returns its result, byte for
// byte. The error is an [*Error]; an error that the server answered with is a
// *jsonrpc.Error inside it.
func (c *Client) Request(ctx context.Context, method string, params json.RawMessage, opts *RequestOptions) (json.RawMessage, error) {
	if opts == nil {
		opts = &RequestOptions{}
	}
	return c.send(ctx, &request{method: method, params: params, name: nameOf(method, params)}, opts)
}

// send adds the options of the caller to a request, and sends it.
func (c *Client) send(ctx context.Context, r *request, opts *RequestOptions) (json.RawMessage, error) {
	end, err := c.use(ctx)
	if err != nil {
		return nil, c.fail(err)
	}
	defer end()
	silence := c.config.Timeouts.Call
	if opts.Timeout != 0 {
		silence = opts.Timeout
	}
	r.handlers, r.capabilities = &opts.Handlers, opts.Capabilities
	r.silence, r.total = silence, silence*totalCalls
	if r.name != "" && r.method == "tools/call" {
		r.mirrored = c.mirror(r)
	}
	result, err := c.do(ctx, r, opts)
	if err != nil {
		return nil, c.fail(err)
	}
	return result, nil
}

// Notify sends a notification to the server.
func (c *Client) Notify(ctx context.Context, method string, params json.RawMessage) error {
	end, err := c.use(ctx)
	if err != nil {
		return c.fail(err)
	}
	defer end()
	s, err := c.link().session(ctx)
	if err == nil {
		err = s.tell(ctx, method, params)
	}
	if err != nil {
		return c.fail(err)
	}
	return nil
}

func (c *Client) fail(err error) *Error {
	f := faultOf(err)
	return &Error{Server: c.config.Name, Reason: f.reason, Sent: f.sent, Err: c.link().opts.Secrets.Error(f.err)}
}

// do waits for a slot and sends a request. It sends it a second time if the
// server cannot have executed it, or if the caller allows that.
func (c *Client) do(ctx context.Context, r *request, opts *RequestOptions) (json.RawMessage, error) {
	if err := c.waitForSlot(ctx, r.silence); err != nil {
		return nil, err
	}
	defer c.link().limits.Release("")
	for attempt := 0; ; attempt++ {
		result, err := c.attempt(ctx, r, opts)
		if err == nil || attempt > 0 || ctx.Err() != nil || !c.mayRepeat(ctx, r, err, opts) {
			return result, err
		}
	}
}

// waitForSlot waits until the server takes one more request.
func (c *Client) waitForSlot(ctx context.Context, timeout time.Duration) error {
	waiting, cancel := withTimeout(ctx, timeout)
	defer cancel()
	err := c.link().limits.Acquire(waiting, "")
	switch {
	case err == nil:
		return nil
	case errors.Is(err, limit.ErrFull):
		return &fault{reason: ReasonBusy, err: err}
	case ctx.Err() == nil && waiting.Err() != nil:
		return faultf(ReasonTimeout, false, "no turn within %s", timeout)
	}
	return notSent(err)
}

// mayRepeat decides whether a failed request is sent once more.
func (c *Client) mayRepeat(ctx context.Context, r *request, err error, opts *RequestOptions) bool {
	if remote, ok := errors.AsType[*jsonrpc.Error](err); ok && remote.Code == codeHeader && r.method == "tools/call" {
		// The headers did not fit: the tool is another by now.
		if _, err := c.Refresh(ctx); err != nil {
			return false
		}
		r.mirrored = c.mirror(r)
		return true
	}
	f := faultOf(err)
	if errors.Is(err, errSessionLost) {
		return !f.sent || opts.Repeatable
	}
	return f.reason == ReasonBroken && (!f.sent || opts.Repeatable)
}

func (c *Client) attempt(ctx context.Context, r *request, opts *RequestOptions) (json.RawMessage, error) {
	s, err := c.link().session(ctx)
	if err != nil {
		return nil, err
	}
	if err := c.link().broken.allow(); err != nil {
		return nil, err
	}
	s.requestLogLevel(ctx, r.handlers)
	began := c.opts.Clock()
	var result json.RawMessage
	switch {
	case r.method == askSubscribe || r.method == askUnsubscribe:
		result, err = c.link().watch(ctx, s, c, r)
	case s.about().Modern && !opts.InputRequired:
		result, err = s.rounds(ctx, r)
	default:
		result, err = s.roundTrip(ctx, r)
	}
	c.record(s, err, began)
	return result, err
}

// record updates the breaker and the status of the server after a request.
func (c *Client) record(s *session, err error, began time.Time) {
	l := c.link()
	if err == nil {
		l.broken.succeeded()
		now := c.opts.Clock()
		l.health.served(now, now.Sub(began))
		return
	}
	if errors.Is(err, errSessionLost) {
		l.broken.undecided()
		l.retire(s)
		return
	}
	reason := faultOf(err).reason
	if s.conn.traits().pipe && reason == ReasonBroken {
		// Nothing follows on a broken pipe; over HTTP each request is alone.
		s.fail(&fault{reason: ReasonBroken, sent: true, err: faultOf(err).err})
		l.drop(s)
	}
	switch reason {
	case ReasonConnect, ReasonBroken:
		l.broken.failed(began, err)
		l.health.failed(err)
	case ReasonRemote, ReasonTooLarge:
		l.broken.succeeded() // it answered
	case ReasonTimeout, ReasonProtocol, ReasonAuth:
		l.broken.undecided()
		l.health.failed(err)
	default:
		l.broken.undecided()
	}
}
