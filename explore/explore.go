package explore

import (
	"cmp"
	"context"
	"encoding/json"
	"slices"

	"github.com/gongu-ai/gongu"
	"github.com/gongu-ai/gongu/internal/lang"
	"github.com/gongu-ai/gongu/toolrequest"
)

// The names of the tools.
const (
	ListDomains      = "list_domains"
	ListTools        = "list_tools"
	GetToolSchema    = "get_tool_schema"
	SearchTools      = "search_tools"
	CallTool         = "call_tool"
	RequestTool      = "request_tool"
	ListToolRequests = "list_tool_requests"
	RegisterTool     = "register_tool"
	RunCode          = "run_code"
)

// Domain is where the tools are found when exploring.
const Domain = "registry"

// Options choose the tools and what they say. Nil and zero values are fine.
type Options struct {
	// Lang is the language of descriptions and messages: en (default) or ko.
	Lang string
	// Requests keeps what models ask for. Without it there is no request_tool,
	// list_tool_requests and register_tool.
	Requests toolrequest.Store
	// Requester returns the principal of a call that sees only the requests it
	// made itself; empty, and nil, is for one that sees all.
	Requester func(context.Context) string
	// Macros checks what a model proposes with register_tool, against the
	// catalog of that model; macro.Parse and macro.Definition.Check do. An
	// error that has a method In(language string) string is asked for its text
	// in the language of the tools. Without it there is no register_tool.
	Macros func(definition json.RawMessage, catalog *gongu.Catalog) error
	// Code runs what a model writes for run_code. Without it there is none.
	Code Coder
	// Index is the index of searches; nil creates one for these tools. Share
	// one among tools in two languages, or among registries with common tools.
	Index *Index
	// Limits bound what a model can cause.
	Limits Limits
}

// Limits bound the tools. Zero values take the defaults.
type Limits struct {
	// Depth is how deep call_tool may stand inside itself, through macros and
	// code (default 8).
	Depth int
	// Calls is how many tools one run of code may call (default 1000).
	Calls int
	// Page is how many tools or requests a list shows when the call does not say
	// (default 200).
	Page int
}

const (
	defaultDepth = 8
	defaultCalls = 1000
	defaultPage  = 200
	// maxPage bounds the limit that a model may give.
	maxPage = 1000
)

func (l Limits) withDefaults() Limits {
	return Limits{
		Depth: cmp.Or(max(l.Depth, 0), defaultDepth),
		Calls: cmp.Or(max(l.Calls, 0), defaultCalls),
		Page:  min(cmp.Or(max(l.Page, 0), defaultPage), maxPage),
	}
}

// explorer has the options that the tools share.
type explorer struct {
	opts Options
	lang lang.Lang
}

// Tools returns the tools, in the order to list them.
func Tools(opts *Options) []gongu.Tool {
	x := &explorer{}
	if opts != nil {
		x.opts = *opts
	}
	x.lang = lang.Of(x.opts.Lang)
	x.opts.Limits = x.opts.Limits.withDefaults()
	if x.opts.Index == nil {
		x.opts.Index = new(Index)
	}
	tools := []gongu.Tool{
		x.listDomainsTool(), x.listToolsTool(), x.getSchemaTool(), x.searchTool(), x.callTool(),
	}
	if x.opts.Requests != nil {
		tools = append(tools, x.requestTool(), x.listRequestsTool())
		if x.opts.Macros != nil {
			tools = append(tools, x.registerTool())
		}
	}
	if x.opts.Code != nil {
		tools = append(tools, x.runCodeTool())
	}
	return tools
}

// Declare says in a registry what the domain of the tools is for. Domains are
// listed as they were declared, so call it after declaring the others.
func Declare(r *gongu.Registry, opts *Options) {
	l := lang.English
	if opts != nil {
		l, _ = lang.Parse(opts.Lang)
	}
	r.Domain(Domain, lang.DomainRegistry.In(l))
}

// IsOwn reports whether a name is that of a tool of this package.
func IsOwn(name string) bool {
	return slices.Contains([]string{
		ListDomains, ListTools, GetToolSchema, SearchTools, CallTool,
		RequestTool, ListToolRequests, RegisterTool, RunCode,
	}, name)
}
