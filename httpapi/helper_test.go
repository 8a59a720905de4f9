package httpapi_test

import (
	"context"
	"encoding/json"
	"errors"
	"io"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"go.uber.org/goleak"

	"github.com/gongu-ai/gongu"
	"github.com/gongu-ai/gongu/access"
	"github.com/gongu-ai/gongu/httpapi"
	"github.com/gongu-ai/gongu/internal/lang"
	"github.com/gongu-ai/gongu/pin"
	"github.com/gongu-ai/gongu/source"
	"github.com/gongu-ai/gongu/telemetry"
	"github.com/gongu-ai/gongu/toolrequest"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

func quiet() *slog.Logger { return slog.New(slog.DiscardHandler) }

// backend is a host of the test's own making.
type backend struct {
	registry *gongu.Registry
	executor *gongu.Executor
	agents   map[string][]string // the tools of each
	store    toolrequest.Store

	mu        sync.Mutex
	sources   []source.Status
	pins      []pin.Verdict
	pinsErr   error
	refreshed [][]string
	accepted  [][]string
	installed []string
	late      func(tool string)
	access    *access.Access // nil offers every tool
	// What the methods fail with.
	stepErr, refreshErr, approveErr error
}

func (b *backend) Step(ctx context.Context, agent string, core func(context.Context, *gongu.Executor) error) error {
	if b.stepErr != nil {
		return b.stepErr
	}
	catalog := gongu.Everything(b.registry)
	if agent != "" {
		catalog = catalog.Restrict(b.agents[agent]...)
	}
	allowed, err := b.access.Catalog(gongu.PrincipalOf(ctx), agent, catalog)
	if err != nil {
		return err
	}
	return core(ctx, b.executor.WithCatalog(allowed))
}

// Prepare makes the tools of late sources known, as a host does.
func (b *backend) Prepare(_ context.Context, tool string) {
	b.mu.Lock()
	late := b.late
	b.mu.Unlock()
	if late != nil {
		late(tool)
	}
}

func (b *backend) Registry() *gongu.Registry   { return b.registry }
func (b *backend) Requests() toolrequest.Store { return b.store }

func (b *backend) Agents() []string {
	var names []string
	for name := range b.agents {
		names = append(names, name)
	}
	slices.Sort(names)
	return names
}

func (b *backend) Status() []source.Status {
	b.mu.Lock()
	defer b.mu.Unlock()
	return slices.Clone(b.sources)
}

func (b *backend) Refresh(_ context.Context, names ...string) error {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.refreshed = append(b.refreshed, names)
	return b.refreshErr
}

func (b *backend) Pins() ([]pin.Verdict, error) {
	b.mu.Lock()
	defer b.mu.Unlock()
	return slices.Clone(b.pins), b.pinsErr
}

func (b *backend) AcceptPins(_ context.Context, names ...string) ([]pin.Verdict, error) {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.accepted = append(b.accepted, names)
	return pin.Choose(b.pins, names...)
}

// digest is that of a request, as a body for its approval begins.
func digest(t *testing.T, store toolrequest.Store, id string) string {
	t.Helper()
	r, err := store.Get(t.Context(), id)
	if err != nil {
		t.Fatal(err)
	}
	return `{"digest":"` + r.Digest() + `"`
}

func (b *backend) Approve(ctx context.Context, id string, d toolrequest.Decision, macro json.RawMessage) error {
	if b.approveErr != nil {
		return b.approveErr
	}
	b.mu.Lock()
	b.installed = append(b.installed, string(macro))
	b.mu.Unlock()
	d.Status = toolrequest.Approved
	_, err := b.store.Review(ctx, id, d)
	return err
}

// echo answers with its arguments.
func echo(_ context.Context, call gongu.Call) gongu.Result {
	return gongu.Result{Status: gongu.StatusOK, Output: call.Args}
}

func failing(context.Context, gongu.Call) gongu.Result {
	return gongu.Fail(&gongu.Error{Message: "the disk is full", Code: "E_DISK"})
}

const pathSchema = `{"type":"object","properties":{"path":{"type":"string"}},"required":["path"]}`

// newBackend has two domains, a tool that writes, one that fails and an agent.
func newBackend(t testing.TB, opts *gongu.ExecutorOptions, more ...gongu.Tool) *backend {
	t.Helper()
	yes := true
	looks := gongu.Annotations{ReadOnly: &yes}
	registry := gongu.NewRegistry(&gongu.RegistryOptions{Logger: quiet()})
	registry.Domain("files", "Reading and writing files.")
	tools := append([]gongu.Tool{
		{Name: "read_file", Description: "Read a file.", Domain: "files", Parameters: pathSchema, Annotations: looks, Invoke: echo,
			Examples: []json.RawMessage{[]byte(`{"path":"a.txt"}`)}, Labels: map[string]string{"team": "core"}},
		{Name: "write_file", Description: "Write a file.", Domain: "files", Parameters: pathSchema, Invoke: echo},
		{Name: "weather__get", Description: "Tell the weather of a city.", Annotations: looks, Invoke: echo,
			Source: gongu.Source{Type: "mcp", Name: "weather", MCP: &gongu.MCPSource{ExtensionName: "weather"}}},
		{Name: "broken", Description: "Always fails.", Annotations: looks, Invoke: failing},
	}, more...)
	if err := registry.Add(tools...); err != nil {
		t.Fatal(err)
	}
	if opts == nil {
		opts = &gongu.ExecutorOptions{}
	}
	opts.Logger = quiet()
	b := &backend{
		registry: registry, executor: gongu.NewExecutor(registry, opts), store: toolrequest.NewMemory(),
		agents: map[string][]string{"reader": {"read_file"}, "forecaster": {"weather__get"}},
		sources: []source.Status{
			{Name: "weather", Identity: "McpServer/weather", State: source.Ready, Tools: 1, Listed: time.Unix(1000, 0).UTC(), Latency: 1500 * time.Microsecond},
			{Name: "git", Identity: "McpServer/git", State: source.Failed, Reason: "connection refused", Problems: []string{"x is left out"}},
		},
		pins: []pin.Verdict{
			{Source: "McpServer/git", Name: "log", State: pin.Changed, Pinned: "aa", Listed: "sha256:bb",
				Changes:  []pin.Change{{Path: "description", Was: []byte(`"a"`), Now: []byte(`"b"`)}},
				Findings: []pin.Finding{{Tool: "log", Path: "description", Rule: "instruction", Severity: pin.High, Excerpt: "ignore"}}},
			{Source: "McpServer/weather", Name: "get", State: pin.Pinned, Pinned: "cc", Listed: "cc"},
		},
	}
	return b
}

// server is an API behind HTTP whose every answer is checked against the
// document that it gives about itself.
type server struct {
	*httptest.Server
	t   testing.TB
	api *httpapi.API
	doc *spec
	who *gongu.Principal // asks
}

func start(t testing.TB, b httpapi.Backend, change ...func(*testOptions)) *server {
	t.Helper()
	opts := testOptions{
		Options: httpapi.Options{Backend: b, Sources: sourcesOf(b), Logger: quiet(), Version: "v1.2.3"},
		who:     &gongu.Principal{Name: "kim", Person: true, Manage: "all"},
	}
	for _, f := range change {
		f(&opts)
	}
	if fixture, ok := b.(*backend); ok && !opts.all {
		var err error
		if fixture.access, err = access.New(access.Options{Offer: access.ReadOnlyAnd(opts.offer), Logger: quiet()}); err != nil {
			t.Fatal(err)
		}
	}
	a, err := httpapi.New(opts.Options)
	if err != nil {
		t.Fatal(err)
	}
	mux := http.NewServeMux()
	mux.Handle(httpapi.Prefix+"/", telemetry.Trace(nil, a.Handler()))
	mux.Handle("/healthz", a.Health())
	mux.Handle("/readyz", a.Ready())
	mux.Handle("/metrics", a.Metrics())
	mux.Handle(httpapi.ApprovalsPath, a.ApprovalPages())
	mux.Handle(httpapi.ApprovalsPath+"/", a.ApprovalPages())
	mux.Handle("/", a.Page())
	s := &server{t: t, api: a, who: &gongu.Principal{Name: "reader", Manage: "all"}}
	s.Server = httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		mux.ServeHTTP(w, r.WithContext(gongu.WithPrincipal(r.Context(), s.who)))
	}))
	t.Cleanup(func() {
		s.Client().CloseIdleConnections()
		s.Close()
	})
	s.doc = readSpec(t, s.raw(http.MethodGet, httpapi.Prefix+"/openapi.json", nil, nil).body)
	s.who = opts.who
	return s
}

// sourcesOf are those of a fixture or of a real host.
func sourcesOf(b httpapi.Backend) httpapi.Sources {
	if real, ok := b.(hosted); ok {
		return real.Sources()
	}
	return b.(httpapi.Sources)
}

// testOptions are options with who asks and what the backend offers.
type testOptions struct {
	httpapi.Options
	who *gongu.Principal
	all bool // offers all tools, not the read-only ones alone
	// offer names tools that are offered beside the read-only ones.
	offer []string
}

// as makes every request come from a principal.
func as(p gongu.Principal) func(*testOptions) { return func(o *testOptions) { o.who = &p } }

type reply struct {
	status int
	header http.Header
	body   []byte
}

func (s *server) raw(method, path string, header http.Header, body io.Reader) reply {
	s.t.Helper()
	r, err := http.NewRequest(method, s.URL+path, body)
	if err != nil {
		s.t.Fatal(err)
	}
	for name, values := range header {
		r.Header[name] = values
	}
	response, err := s.Client().Do(r)
	if err != nil {
		s.t.Fatal(err)
	}
	defer response.Body.Close()
	raw, err := io.ReadAll(response.Body)
	if err != nil {
		s.t.Fatal(err)
	}
	return reply{response.StatusCode, response.Header, raw}
}

var sendsJSON = http.Header{"Content-Type": {"application/json"}}

// do sends a request to a path below the prefix, checks the answer against the
// document, and reads it.
func (s *server) do(method, path, body string, want int, into any) reply {
	s.t.Helper()
	var reader io.Reader
	var header http.Header
	if body != "" {
		reader, header = strings.NewReader(body), sendsJSON
	}
	got := s.raw(method, httpapi.Prefix+path, header, reader)
	if got.status != want {
		s.t.Fatalf("%s %s: status %d, want %d: %s", method, path, got.status, want, got.body)
	}
	s.doc.check(s.t, method, path, got)
	if into != nil {
		if err := json.Unmarshal(got.body, into); err != nil {
			s.t.Fatalf("%s %s: %v in %s", method, path, err, got.body)
		}
	}
	return got
}

func (s *server) get(path string, into any) reply {
	s.t.Helper()
	return s.do(http.MethodGet, path, "", http.StatusOK, into)
}

// problem is what an error has.
type problem struct {
	Type, Title, Code, Message, Suggestion string
	Status                                 int
}

// refuses expects a problem of a code that says what to do.
func (s *server) refuses(method, path, body string, status int, code string) problem {
	s.t.Helper()
	var p problem
	got := s.do(method, path, body, status, &p)
	if p.Code != code || p.Status != status || p.Message == "" || p.Suggestion == "" || p.Title == "" || p.Type != lang.HelpBase+"/"+code {
		s.t.Fatalf("%s %s: %s, want %s", method, path, got.body, code)
	}
	if kind := got.header.Get("Content-Type"); kind != "application/problem+json" {
		s.t.Fatalf("%s %s: a problem of type %q", method, path, kind)
	}
	return p
}

var errTest = errors.New("secret of the inside")

func newRecorder() *httptest.ResponseRecorder { return httptest.NewRecorder() }
