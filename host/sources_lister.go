package host

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"time"

	"github.com/gongu-ai/gongu"
	"github.com/gongu-ai/gongu/bundle"
	"github.com/gongu-ai/gongu/command"
	"github.com/gongu-ai/gongu/internal/fsx"
	"github.com/gongu-ai/gongu/internal/relay"
	"github.com/gongu-ai/gongu/mcpclient"
	"github.com/gongu-ai/gongu/pin"
	"github.com/gongu-ai/gongu/source"
)

// listMargin is added to the limits of the source itself, whose errors are more
// precise.
const listMargin = 5 * time.Second

// specOf returns a spec with the settings that all sources have.
func specOf(l *loaded, m *bundle.Meta, spec any, own bundle.Pin) source.Spec {
	out := source.Spec{Pins: pin.Policy{FirstUse: pin.FirstUse(own.FirstUse), HoldNew: own.New == "quarantine"}}
	if own.MaxAge != nil {
		out.MaxAge = new(time.Duration(*own.MaxAge))
	}
	// The same key is the same resource as before a reload, with the same files.
	out.Key = m.Identity()
	if l.cover != nil {
		out.Key += "\x00" + l.cover.Part(m.Key())
	}
	if encoded, err := json.Marshal(spec); err == nil {
		out.Key += "\x00" + string(encoded)
	}
	return out
}

// folder returns the folder that cwd of a resource names, else another one.
func (h *Host) folder(cwd, other string) string {
	switch {
	case cwd == "":
		return other
	case cwd == bundle.ProjectFolder:
		return h.dir
	case filepath.IsAbs(cwd) || strings.Contains(cwd, "${"):
		return cwd
	default:
		return filepath.Join(h.dir, cwd)
	}
}

// emptyName is the folder, below the state root, that programs start in.
const emptyName = "empty"

// emptyFolder returns a folder without files for the programs of a bundle: some
// programs obey files of the folder that they start in, such as .npmrc. It is
// empty without programs.
func (h *Host) emptyFolder(b *bundle.Bundle) (string, error) {
	if len(b.McpServers())+len(b.ToolCommands()) == 0 {
		return "", nil
	}
	if err := fsx.PrivateDir(h.state); err != nil {
		return "", fmt.Errorf("make an empty folder: %w", err)
	}
	dir := filepath.Join(h.state, emptyName)
	if err := os.Mkdir(dir, 0o500); err != nil && !errors.Is(err, fs.ErrExist) {
		return "", fmt.Errorf("make an empty folder: %w", err)
	}
	files, err := os.ReadDir(dir)
	if err == nil && len(files) > 0 {
		// Somebody has put files there, which a program must not find.
		dir, err = os.MkdirTemp(h.state, emptyName+"-")
	}
	return dir, err
}

func (s *Sources) commandSpec(l *loaded, resource *bundle.ToolCommand, empty string) source.Spec {
	h, spec := s.host, resource.Spec
	spec.Offer = nil // a change of it keeps the source as it is
	out := specOf(l, &resource.Meta, spec, spec.Pin)
	out.New = func() (source.Lister, error) {
		discover, err := h.argv(l, &resource.Meta, spec.Cwd, spec.Discover, nil)
		call, callErr := h.argv(l, &resource.Meta, spec.Cwd, spec.Call, nil)
		if err = errors.Join(err, callErr); err != nil {
			return &refusedLister{gongu.Source{Type: "command", Name: resource.Name}, err}, nil
		}
		listed, err := command.New(command.Config{
			Name: resource.Name, Discover: discover, Call: call, Env: l.bundle.Texts(spec.Env), EnvAllow: h.opts.System.Env,
			Fill: func(text string) (string, error) { return h.opts.Secrets.Expand(text, h.dir, nil) },
			Cwd:  h.folder(spec.Cwd, ""), DiscoverCwd: empty, Sandbox: h.sandboxFor(spec.Sandbox), Timeout: time.Duration(spec.Timeout), Worker: spec.Mode == "worker", Prefix: spec.Prefix, Trust: spec.Trust && l.consent.Rules,
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

// refusedLister is a source whose program must not be started.
type refusedLister struct {
	source gongu.Source
	err    error
}

var _ source.Lister = (*refusedLister)(nil)

func (l *refusedLister) Source() gongu.Source { return l.source }
func (l *refusedLister) Launch() pin.Launch   { return pin.Launch{} }
func (l *refusedLister) Owns(name string) bool {
	return strings.HasPrefix(name, l.source.Name+"__")
}
func (l *refusedLister) Close() error { return nil }
func (l *refusedLister) Tool(json.RawMessage) (gongu.Tool, error) {
	return gongu.Tool{}, l.err
}

func (l *refusedLister) List(context.Context) ([]json.RawMessage, []string, error) {
	return nil, nil, l.err
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

func (s *Sources) serverSpec(l *loaded, resource *bundle.McpServer, group *mcpclient.Group, empty string) source.Spec {
	h, spec := s.host, resource.Spec
	spec.Trust = spec.Trust && l.consent.Rules
	spec.Offer = nil // as in commandSpec
	out := specOf(l, &resource.Meta, spec, spec.Pin)
	if spec.Timeouts.Connect > 0 && spec.Timeouts.List > 0 {
		out.ListTimeout = time.Duration(spec.Timeouts.Connect+spec.Timeouts.List) + listMargin
	}
	out.New = func() (source.Lister, error) {
		argv, err := h.argv(l, &resource.Meta, spec.Cwd, spec.Argv(), func(text string) (string, error) {
			return h.opts.Secrets.Expand(text, h.dir, h.opts.Sources.Keyring)
		})
		if err != nil {
			return &refusedLister{gongu.Source{Type: "mcp", Name: resource.Name}, err}, nil
		}
		command, args, cwd := "", []string(nil), ""
		if len(argv) > 0 {
			command, args, cwd = argv[0], argv[1:], h.folder(spec.Cwd, empty)
		}
		err = group.Add(mcpclient.Config{
			Name: resource.Name, Transport: mcpclient.Transport(spec.Type), Command: command, Args: args, Env: l.bundle.Texts(spec.Env), Cwd: cwd,
			Sandbox: s.host.serverSandbox(spec.Sandbox),
			URL:     l.bundle.Text(spec.URL), Headers: l.bundle.Texts(spec.Headers), Prefix: spec.Prefix, Include: spec.Include, Exclude: spec.Exclude,
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

// Excludes reports whether the settings of the server leave a tool out.
func (l *serverLister) Excludes(name string) bool { return l.client.Excludes(name) }

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
