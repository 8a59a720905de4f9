// Package builtin has the starter tools: what an agent can use before anybody
// has written a tool for it. They read JSON, work on text and wait; none of
// them changes anything or reaches outside the process.
//
//	registry := gongu.NewRegistry(nil)
//	err := registry.Add(builtin.Tools(nil)...)
//	builtin.Domains(registry, nil)
//
// Names, arguments and outputs are those of goondan's base tools, so that an
// agent written for one works with the other.
package builtin

import (
	"github.com/gongu-ai/gongu"
	"github.com/gongu-ai/gongu/internal/lang"
)

// The resources that the starter tools belong to. Each is a domain, too.
const (
	jsonQuery     = "json-query"
	textTransform = "text-transform"
	wait          = "wait"
)

// Options change what the tools say. Nil and zero values are fine.
type Options struct {
	// Lang is the language of descriptions and messages: en (default) or ko.
	Lang string
}

func (o *Options) lang() lang.Lang {
	if o == nil {
		return lang.English
	}
	l, _ := lang.Parse(o.Lang)
	return l
}

// Tools returns the starter tools, in the order to list them.
func Tools(opts *Options) []gongu.Tool {
	l := opts.lang()
	return []gongu.Tool{
		jsonQueryTool(l),
		jsonPickTool(l),
		jsonCountTool(l),
		jsonFlattenTool(l),
		replaceTool(l),
		sliceTool(l),
		splitTool(l),
		joinTool(l),
		trimTool(l),
		caseTool(l),
		waitTool(l),
	}
}

// Domains declares what the domains of the starter tools are for.
func Domains(r *gongu.Registry, opts *Options) {
	l := opts.lang()
	r.Domain(jsonQuery, lang.DomainJSONQuery.In(l))
	r.Domain(textTransform, lang.DomainTextTransform.In(l))
	r.Domain(wait, lang.DomainWait.In(l))
}
