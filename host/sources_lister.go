package host

import (
	"context"
	"encoding/json"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"time"

	"github.com/gongu-ai/gongu"
	"github.com/gongu-ai/gongu/bundle"
	"github.com/gongu-ai/gongu/command"
	"github.com/gongu-ai/gongu/internal/relay"
	"github.com/gongu-ai/gongu/mcpclient"
	"github.com/gongu-ai/gongu/pin"
	"github.com/gongu-ai/gongu/source"
)

// listMargin is added to the limits of the source itself, whose errors are more
// precise.
const listMargin = 5 * time.Second

// specOf returns a spec with the settings that all sources have.
func specOf(identity string, spec any, own bundle.Pin) source.Spec {
	out := source.Spec{Pins: pin.Policy{FirstUse: pin.FirstUse(own.FirstUse), HoldNew: own.New == "quarantine"}}
	if own.MaxAge != nil {
		out.MaxAge = new(time.Duration(*own.MaxAge))
	}
	// The same key is the same resource as before a reload.
	out.Key = identity
	if encoded, err := json.Marshal(spec); err == nil {
		out.Key += "\x00" + string(encoded)
	}
	return out
}

// base returns the folder of a resource's relative paths.
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

// program makes a relative path such as ./list absolute, so that it does not
// depend on the working directory of a call.
func (h *Host) program(argv bundle.Command) []string {
	words := slices.Clone([]string(argv))
	if len(words) > 0 && !filepath.IsAbs(words[0]) && strings.ContainsRune(words[0], filepath.Separator) {
		words[0] = filepath.Join(h.dir, words[0])
	}
	return words
}

func (s *Sources) commandSpec(resource *bundle.ToolCommand) source.Spec {
	h, spec := s.host, resource.Spec
	out := specOf(resource.Identity(), spec, spec.Pin)
	out.New = func() (source.Lister, error) {
		listed, err := command.New(command.Config{
			Name: resource.Name, Discover: h.program(spec.Discover), Call: h.program(spec.Call), Env: spec.Env, EnvAllow: h.opts.System.Env,
			Fill: func(text string) (string, error) { return h.opts.Secrets.Expand(text, h.dir, nil) },
			Cwd:  h.base(spec.Cwd), Sandbox: h.sandboxFor(spec.Sandbox), Timeout: time.Duration(spec.Timeout), Worker: spec.Mode == "worker", Prefix: spec.Prefix, Trust: spec.Trust,
			Spill: h.system.Spill, Closed: h.system.Closed, Lang: h.opts.Lang, Logger: h.opts.Logger,
		})
		if err != nil {
			return nil, err
		}
		launch := pin.Launch{Command: strings.Join(spec.Discover, " "), Args: spec.Call, Env: pin.EnvDigests(spec.Env), Folder: spec.Cwd}
		return &commandLister{listed, launch}, nil
	}
	return out
}

// commandLister implements [source.Lister] for a program.
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

func (s *Sources) serverSpec(resource *bundle.McpServer, group *mcpclient.Group) source.Spec {
	spec := resource.Spec
	out := specOf(resource.Identity(), spec, spec.Pin)
	if spec.Timeouts.Connect > 0 && spec.Timeouts.List > 0 {
		out.ListTimeout = time.Duration(spec.Timeouts.Connect+spec.Timeouts.List) + listMargin
	}
	out.New = func() (source.Lister, error) {
		err := group.Add(mcpclient.Config{
			Name: resource.Name, Transport: mcpclient.Transport(spec.Type), Command: spec.Command, Args: spec.Args, Env: spec.Env, Cwd: spec.Cwd,
			Sandbox: s.host.serverSandbox(spec.Sandbox),
			URL:     spec.URL, Headers: spec.Headers, Prefix: spec.Prefix, Include: spec.Include, Exclude: spec.Exclude,
			Rename: spec.Rename, Describe: spec.Describe, Trust: spec.Trust, Shared: spec.Shared, Warm: spec.Warm && !s.host.opts.Inspect, MaxConcurrent: spec.MaxConcurrent,
			Timeouts: mcpclient.Timeouts{Connect: time.Duration(spec.Timeouts.Connect), List: time.Duration(spec.Timeouts.List), Call: time.Duration(spec.Timeouts.Call)},
			OAuth:    oauthOf(spec.OAuth),
		})
		if err != nil {
			return nil, err
		}
		return &serverLister{
			group: group, name: resource.Name, client: group.Client(resource.Name),
			launch: pin.Launch{Command: spec.Command, Args: spec.Args, Env: pin.EnvDigests(spec.Env), Folder: spec.Cwd, URL: spec.URL},
		}, nil
	}
	return out
}

// oauthOf returns the OAuth settings of a resource; nil means automatic.
func oauthOf(o bundle.McpOAuth) *mcpclient.OAuth {
	if reflect.ValueOf(o).IsZero() {
		return nil
	}
	return &mcpclient.OAuth{
		ClientID: o.ClientID, ClientSecret: o.ClientSecret, Issuer: o.Issuer, MetadataURL: o.MetadataURL, Scopes: o.Scopes, RedirectPort: o.RedirectPort,
	}
}

// serverLister implements [source.Lister] for an MCP server.
type serverLister struct {
	group  *mcpclient.Group
	name   string
	client *mcpclient.Client // of the bundle itself
	launch pin.Launch
}

var _ source.Lister = (*serverLister)(nil)

func (l *serverLister) Source() gongu.Source  { return l.client.Source() }
func (l *serverLister) Launch() pin.Launch    { return l.launch }
func (l *serverLister) Owns(name string) bool { return l.client.Owns(name) }

// Tool makes a tool whose calls use the client of their principal. All
// principals share the client of a shared server.
func (l *serverLister) Tool(definition json.RawMessage) (gongu.Tool, error) {
	return l.client.ToolFor(definition, func(ctx context.Context) (*mcpclient.Client, error) {
		who := callerOf(ctx)
		if who == (caller{}) {
			return l.client, nil
		}
		return l.clientFor(who)
	})
}

// clientFor returns the client that a caller uses.
func (l *serverLister) clientFor(who caller) (*mcpclient.Client, error) {
	if who.session != "" {
		return l.group.ForSession(who.principal, l.name, who.session)
	}
	return l.group.For(who.principal, l.name)
}

func (l *serverLister) Close() error {
	l.group.Remove(l.name)
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

// caller selects the client of a server: by principal and, in a session, by the
// capabilities of the session. The zero value is the bundle itself. Principals
// do not share processes and sessions, except those of shared servers.
type caller struct{ principal, session string }

func callerOf(ctx context.Context) caller {
	p := gongu.PrincipalOf(ctx)
	if p == nil || p.Name == "" {
		return caller{}
	}
	who := caller{principal: p.Name}
	if capabilities, declared := relay.SessionCapabilities(ctx); declared {
		who.session = capabilities
	}
	return who
}
