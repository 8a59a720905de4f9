// Package builtin has the base tools, which an agent can use without any tool
// written for it.
//
// [Tools] are the harmless ones. They read JSON, work on text and wait; none of
// them changes anything or reaches outside the process.
//
//	registry := gongu.NewRegistry(nil)
//	err := registry.Add(builtin.Tools(nil)...)
//	builtin.Domains(registry, nil)
//
// [All] adds those that do: shell commands, files, HTTP requests and the
// request to restart. They are bounded in time, memory and place, which stops
// mistakes; it does not stop an attacker who may run shell commands.
//
// Names, arguments and outputs are those of goondan's base tools, so that an
// agent written for one works with the other.
package builtin

import (
	"context"
	"fmt"
	"net/http"
	"os"
	"slices"

	"github.com/gongu-ai/gongu"
	"github.com/gongu-ai/gongu/internal/lang"
	"github.com/gongu-ai/gongu/internal/netguard"
	"github.com/gongu-ai/gongu/internal/sandbox"
)

// The resources that the tools belong to. Each is a domain, too.
const (
	jsonQuery     = "json-query"
	textTransform = "text-transform"
	wait          = "wait"
	bash          = "bash"
	fileSystem    = "file-system"
	httpFetch     = "http-fetch"
	selfRestart   = "self-restart"
)

// Options change what the tools say and how far they reach. Nil and zero
// values are fine.
type Options struct {
	// Lang is the language of descriptions and messages: en (default) or ko.
	Lang string
	// Workdir is where commands and files are, for calls whose
	// [gongu.Context] names no working directory. It is made on demand; empty
	// is the current directory of the process.
	Workdir string
	// Roots are further directories that paths may lie in. They must exist.
	// The root of the file system removes the bounds.
	Roots []string
	// CallRoots returns directories that one call may use beside Roots, such as
	// that of its principal. They need not exist.
	CallRoots func(ctx context.Context) []string
	// Closed are directories that no path may lead into, though the working
	// directory or a root reaches around them.
	Closed []string
	// Protected returns files that a call may read and not change, under any
	// name; nil protects none.
	Protected func(ctx context.Context) []string
	// Wrote is called with each file that a call has changed, by its real path.
	Wrote func(ctx context.Context, path string)
	// ReadFirst refuses to edit, patch or replace a file that the calling
	// instance has not read, or that has changed since it did.
	ReadFirst bool
	// LockDir is where the locks are that keep processes from editing one
	// file at the same time: a folder in the user's cache when empty.
	LockDir string
	// Env names environment variables that commands may see, beside the few
	// that every program needs; PREFIX_* matches all with that prefix.
	Env []string
	// Sandbox confines the programs that bash starts, with the working directory
	// of the call; nil does not.
	Sandbox *sandbox.Policy
	// MaxOutput is how many bytes of stdout, and of stderr, a command's result
	// holds (default 1 MiB). Of more, the beginning and the end are kept.
	MaxOutput int
	// Spill makes the file for the whole of such output, up to 64 MiB each,
	// with random text in place of the star of the pattern; nil drops it.
	Spill func(ctx context.Context, pattern string) (*os.File, error)
	// AllowPrivate lists what requests may reach although it is not on the
	// public internet: host names, with or without a port, addresses and
	// prefixes such as 10.0.0.0/8.
	AllowPrivate []string
	// Transport sends the requests. It replaces the one that guards against
	// private addresses.
	Transport http.RoundTripper
	// Restart is called for requests to restart. It must not wait for the end of
	// the call that requests it.
	Restart func(ctx context.Context, reason string)
}

// Validate reports options that would make tools fail at every call.
func (o *Options) Validate() error {
	if o == nil {
		return nil
	}
	if _, err := netguard.New(o.AllowPrivate); err != nil {
		return fmt.Errorf("AllowPrivate: %w", err)
	}
	return nil
}

func (o *Options) lang() lang.Lang {
	if o == nil {
		return lang.English
	}
	return lang.Of(o.Lang)
}

// resource is a group of tools that a bundle can bind to.
type resource struct {
	name   string
	domain lang.Text
	// harmless tools are in the starter set.
	harmless bool
	tools    func(*system) []gongu.Tool
}

func resources() []resource {
	return []resource{
		{jsonQuery, lang.DomainJSONQuery, true, func(s *system) []gongu.Tool {
			return []gongu.Tool{jsonQueryTool(s.lang), jsonPickTool(s.lang), jsonCountTool(s.lang), jsonFlattenTool(s.lang)}
		}},
		{textTransform, lang.DomainTextTransform, true, func(s *system) []gongu.Tool {
			return []gongu.Tool{
				replaceTool(s.lang), sliceTool(s.lang), splitTool(s.lang),
				joinTool(s.lang), trimTool(s.lang), caseTool(s.lang),
			}
		}},
		{wait, lang.DomainWait, true, func(s *system) []gongu.Tool { return []gongu.Tool{waitTool(s.lang)} }},
		{bash, lang.DomainBash, false, func(s *system) []gongu.Tool {
			return []gongu.Tool{s.execTool(), s.scriptTool()}
		}},
		{fileSystem, lang.DomainFileSystem, false, func(s *system) []gongu.Tool {
			return []gongu.Tool{s.readTool(), s.writeTool(), s.editTool(), s.patchTool(), s.listTool(), s.mkdirTool()}
		}},
		{httpFetch, lang.DomainHTTPFetch, false, func(s *system) []gongu.Tool {
			f := newFetcher(&s.opts)
			return []gongu.Tool{getTool(s.lang, f), postTool(s.lang, f)}
		}},
		{selfRestart, lang.DomainSelfRestart, false, func(s *system) []gongu.Tool {
			return []gongu.Tool{s.restartTool()}
		}},
	}
}

// Tools returns the starter tools, in the order to list them.
func Tools(opts *Options) []gongu.Tool {
	return choose(opts, func(r resource) bool { return r.harmless })
}

// All returns every base tool, the starter tools first.
func All(opts *Options) []gongu.Tool {
	return choose(opts, func(resource) bool { return true })
}

// Resource returns the tools of one resource, such as bash or file-system.
func Resource(name string, opts *Options) (tools []gongu.Tool, ok bool) {
	tools = choose(opts, func(r resource) bool { return r.name == name })
	return tools, len(tools) > 0
}

func choose(opts *Options, want func(resource) bool) []gongu.Tool {
	s := newSystem(opts)
	var tools []gongu.Tool
	for _, r := range resources() {
		if want(r) {
			tools = append(tools, r.tools(s)...)
		}
	}
	return tools
}

// Resources lists the names that [Resource] knows.
func Resources() []string {
	var names []string
	for _, r := range resources() {
		names = append(names, r.name)
	}
	return names
}

// Domains declares what the domains of the starter tools are for, and those of
// the other base tools that the registry has by now.
func Domains(r *gongu.Registry, opts *Options) {
	l, present := opts.lang(), r.Domains()
	for _, res := range resources() {
		if res.harmless || slices.ContainsFunc(present, func(d gongu.Domain) bool { return d.Name == res.name && d.Count > 0 }) {
			r.Domain(res.name, res.domain.In(l))
		}
	}
}
