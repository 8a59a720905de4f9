package host

import (
	"context"
	"encoding/json"
	"fmt"
	"maps"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/gongu-ai/gongu"
	"github.com/gongu-ai/gongu/bundle"
	"github.com/gongu-ai/gongu/command"
	"github.com/gongu-ai/gongu/mcpclient"
	"github.com/gongu-ai/gongu/pin"
	"github.com/gongu-ai/gongu/source"
)

// PinOptions say how definitions from elsewhere are accepted. Zero values are
// fine.
type PinOptions struct {
	// FirstUse is the policy for unknown sources (default [pin.Trust]).
	FirstUse pin.FirstUse
	// HoldNew holds new tools of known sources back.
	HoldNew bool
	// MaxAge is how old a list may be at a call (default one minute); negative
	// lists again before every call.
	MaxAge time.Duration
}

// openSources makes the manager and the book of pins. The lock file lies in
// the bundle, to be committed; the cache below the state root.
func (h *Host) openSources() error {
	dir := h.dir
	if dir == "" {
		dir = h.state
	}
	book, err := pin.Open(filepath.Join(dir, "gongu.lock"), filepath.Join(h.state, "cache", "definitions"), &pin.Options{
		FirstUse: h.opts.Pins.FirstUse, HoldNew: h.opts.Pins.HoldNew, Known: h.ownNames, Logger: h.opts.Logger,
	})
	if err != nil {
		return err
	}
	maxAge := h.opts.Pins.MaxAge
	switch {
	case maxAge == 0:
		maxAge = source.DefaultMaxAge
	case maxAge < 0:
		maxAge = 0
	}
	h.pins = book
	h.sources, err = source.NewManager(source.Options{
		Registry: h.registry, Book: book, MaxAge: maxAge, Lang: h.opts.Lang, Logger: h.opts.Logger,
	})
	return err
}

func (h *Host) closeSources() error {
	if h.sources == nil {
		return nil
	}
	return h.sources.Close()
}

// ownNames are the tools of this bundle itself, which no server should speak
// of or look like.
func (h *Host) ownNames() []string {
	var names []string
	for _, tool := range h.registry.Tools() {
		if tool.Source.Type != "mcp" && tool.Source.Type != "command" {
			names = append(names, tool.Name)
		}
	}
	return names
}

// setSources makes the sources of a bundle the ones in use. Nothing is reached.
func (h *Host) setSources(b *bundle.Bundle) error {
	var specs []source.Spec
	for _, resource := range b.ToolCommands() {
		specs = append(specs, h.commandSpec(resource))
	}
	for _, resource := range b.McpServers() {
		specs = append(specs, h.serverSpec(resource))
	}
	return h.sources.Set(specs)
}

// specKey tells whether a resource is the same as before a reload.
func specKey(identity string, spec any) string {
	encoded, err := json.Marshal(spec)
	if err != nil {
		return identity + "\x00" + err.Error()
	}
	return identity + "\x00" + string(encoded)
}

// base is the folder that a resource's relative paths begin at.
func (h *Host) base(cwd string) string {
	switch {
	case cwd == "":
		return h.dir
	case filepath.IsAbs(cwd):
		return cwd
	default:
		return filepath.Join(h.dir, cwd)
	}
}

func (h *Host) commandSpec(resource *bundle.ToolCommand) source.Spec {
	spec := resource.Spec
	return source.Spec{Key: specKey(resource.Identity(), spec), New: func() (source.Lister, error) {
		env := make(map[string]string, len(spec.Env))
		for name, text := range spec.Env {
			filled, err := mcpclient.Expand(text, h.dir, nil)
			if err != nil {
				return nil, fmt.Errorf("%s: env %s: %w", resource.Identity(), name, err)
			}
			env[name] = filled
		}
		listed, err := command.New(command.Config{
			Name: resource.Name, Discover: h.program(spec.Discover), Call: h.program(spec.Call), Env: env, EnvAllow: h.opts.Env,
			Cwd: h.base(spec.Cwd), Timeout: time.Duration(spec.Timeout), Worker: spec.Mode == "worker", Prefix: spec.Prefix,
			SpillDir: h.system.SpillDir, Lang: h.opts.Lang, Logger: h.opts.Logger,
		})
		if err != nil {
			return nil, err
		}
		launch := pin.Launch{Command: strings.Join(spec.Discover, " "), Args: spec.Call, Env: slices.Sorted(maps.Keys(spec.Env))}
		return &commandLister{listed, launch}, nil
	}}
}

// program makes a path of the bundle out of ./list, which would otherwise
// depend on where a call starts.
func (h *Host) program(argv bundle.Command) []string {
	words := slices.Clone([]string(argv))
	if len(words) > 0 && !filepath.IsAbs(words[0]) && strings.ContainsRune(words[0], filepath.Separator) {
		words[0] = filepath.Join(h.dir, words[0])
	}
	return words
}

// commandLister is a program as the manager sees it.
type commandLister struct {
	program *command.Source
	launch  pin.Launch
}

var _ source.Lister = (*commandLister)(nil)

func (l *commandLister) Source() gongu.Source {
	return gongu.Source{Type: "command", Name: l.program.Name()}
}
func (l *commandLister) Launch() pin.Launch    { return l.launch }
func (l *commandLister) Owns(name string) bool { return l.program.Owns(name) }
func (l *commandLister) Close() error          { return l.program.Close() }
func (l *commandLister) Tool(definition json.RawMessage) (gongu.Tool, error) {
	return l.program.Tool(definition)
}

func (l *commandLister) List(ctx context.Context) ([]json.RawMessage, []string, error) {
	listing, err := l.program.Discover(ctx)
	if err != nil {
		return nil, nil, err
	}
	problems := make([]string, len(listing.Problems))
	for i, p := range listing.Problems {
		problems[i] = p.String()
	}
	return listing.Definitions, problems, nil
}

func (h *Host) serverSpec(resource *bundle.McpServer) source.Spec {
	spec := resource.Spec
	return source.Spec{Key: specKey(resource.Identity(), spec), New: func() (source.Lister, error) {
		l := &serverLister{launch: pin.Launch{Command: spec.Command, Args: spec.Args, Env: slices.Sorted(maps.Keys(spec.Env)), URL: spec.URL}}
		client, err := mcpclient.New(mcpclient.Config{
			Name: resource.Name, Transport: mcpclient.Transport(spec.Type), Command: spec.Command, Args: spec.Args, Env: spec.Env, Cwd: spec.Cwd,
			URL: spec.URL, Headers: spec.Headers, Prefix: spec.Prefix, Include: spec.Include, Exclude: spec.Exclude,
			Rename: spec.Rename, Describe: spec.Describe, Trust: spec.Trust, Shared: spec.Shared, Warm: spec.Warm, MaxConcurrent: spec.MaxConcurrent,
			Timeouts: mcpclient.Timeouts{Connect: time.Duration(spec.Timeouts.Connect), List: time.Duration(spec.Timeouts.List), Call: time.Duration(spec.Timeouts.Call)},
		}, &mcpclient.Options{
			Dir: h.dir, Logger: h.opts.Logger, Lang: h.opts.Lang,
			OnChange: func(*mcpclient.Listing) { h.sources.Changed(l.Source()) },
		})
		if err != nil {
			return nil, err
		}
		l.client = client
		return l, nil
	}}
}

// serverLister is an MCP server as the manager sees it.
type serverLister struct {
	client *mcpclient.Client
	launch pin.Launch
}

var _ source.Lister = (*serverLister)(nil)

func (l *serverLister) Source() gongu.Source  { return l.client.Source() }
func (l *serverLister) Launch() pin.Launch    { return l.launch }
func (l *serverLister) Owns(name string) bool { return l.client.Owns(name) }
func (l *serverLister) Tool(definition json.RawMessage) (gongu.Tool, error) {
	return l.client.Tool(definition)
}

func (l *serverLister) Close() error {
	l.client.Close()
	return nil
}

func (l *serverLister) List(ctx context.Context) ([]json.RawMessage, []string, error) {
	listing, err := l.client.Refresh(ctx)
	if err != nil {
		return nil, nil, err
	}
	definitions := make([]json.RawMessage, len(listing.Tools))
	for i, definition := range listing.Tools {
		definitions[i] = definition.Raw
	}
	return definitions, listing.Problems, nil
}

// Sources is how the programs and servers of the bundle stand. Nothing is
// reached.
func (h *Host) Sources() []source.Status { return h.sources.Status() }

// LoadSources makes the first use of every source that nothing is known of
// yet, and waits for each as long as a list may take.
func (h *Host) LoadSources(ctx context.Context) []source.Status {
	statuses := h.sources.Load(ctx)
	h.fulfil(ctx)
	return statuses
}

// Prepare makes the first use of the sources that a call needs: the tool's own,
// or all of them for a list, which has no name, and for tools that call others.
func (h *Host) Prepare(ctx context.Context, name string) {
	if name == "" {
		h.LoadSources(ctx)
		return
	}
	if tool, ok := h.registry.Get(name); ok && (isExplore(&tool) || tool.Source.Type == "macro") {
		h.LoadSources(ctx)
		return
	}
	h.sources.LoadFor(ctx, name)
}

// RefreshSources lists sources again, by name or all of them. One that fails
// keeps the tools it had.
func (h *Host) RefreshSources(ctx context.Context, names ...string) error {
	err := h.sources.Refresh(ctx, names...)
	h.fulfil(ctx)
	return err
}

// launches says how the sources of the bundle are started now.
func (h *Host) launches() map[string]pin.Launch { return h.sources.Launches() }

// PinList is every tool that is pinned or was listed, with how it stands.
func (h *Host) PinList() ([]pin.Verdict, error) { return h.pins.List(h.launches()) }

// PinAccept accepts tools as they were listed last, by name or all that are
// held back.
func (h *Host) PinAccept(ctx context.Context, names ...string) ([]pin.Verdict, error) {
	accepted, err := h.pins.Accept(ctx, h.launches(), names...)
	if err != nil {
		return nil, err
	}
	return accepted, h.sources.Recall()
}

// refused says that a tool is held back, to those who could have it.
func (h *Host) refused(ctx context.Context, a *gongu.Attempt, _ *gongu.Error) *gongu.Error {
	refusal, owner, ok := h.sources.Held(a.Call.Name)
	if !ok || !h.mayKnow(gongu.ContextOf(ctx).AgentName, owner) {
		return nil
	}
	return refusal
}

// mayKnow: an agent knows the sources that its spec.tools names; who calls
// without an agent knows all.
func (h *Host) mayKnow(agent string, owner gongu.Source) bool {
	l := h.now()
	if l.bundle == nil {
		return true
	}
	found, ok := l.bundle.Agent(agent)
	if !ok {
		return true
	}
	for _, item := range l.bundle.AgentTools(found) {
		if item.Head().Identity() == owner.Identity() {
			return true
		}
	}
	return false
}

// fulfil closes the requests whose tools are there now.
func (h *Host) fulfil(ctx context.Context) {
	var names []string
	for _, tool := range h.registry.Tools() {
		names = append(names, tool.Name)
	}
	if _, err := h.requests.Fulfil(ctx, names...); err != nil {
		h.opts.Logger.Warn("tool requests were not brought up to date", "error", err)
	}
}
