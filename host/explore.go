package host

import (
	"context"
	"encoding/json"

	"github.com/gongu-ai/gongu"
	"github.com/gongu-ai/gongu/agent"
	"github.com/gongu-ai/gongu/explore"
	"github.com/gongu-ai/gongu/macro"
	"github.com/gongu-ai/gongu/script"
	"github.com/gongu-ai/gongu/toolrequest"
)

// openRequests opens the queue of tool requests: the file of the options, else
// the one in the bundle, else the one in the current folder.
func (h *Host) openRequests(base string) (err error) {
	file := h.opts.Requests
	if file == "" {
		if file, err = h.bundleFile(base, toolrequest.FileName); err != nil {
			return err
		}
	}
	opts := &toolrequest.Options{Lang: h.opts.Lang, Logger: h.opts.Logger}
	if h.rows == nil {
		h.requests = toolrequest.NewFile(file, opts)
	} else {
		h.queueRows = RequestRows(h.rows, file, h.state, opts)
		h.requests = h.queueRows
		h.addCloser(h.exportRequests)
	}
	h.recorder = recorder{h.opts.Store, h.opts.Logger}
	// Rows record decisions in their own transaction.
	h.queue = RecordRequests(h.requests, h.opts.Store, h.rows != nil, h.opts.Logger)
	return nil
}

// Requests returns the queue of tool requests.
func (h *Host) Requests() toolrequest.Store { return h.queue }

// exploreOptions returns the options of the discovery tools.
func (h *Host) exploreOptions() *explore.Options {
	opts := &explore.Options{Lang: h.opts.Lang, Requests: h.queue, Macros: CheckMacro, Index: &h.index}
	if h.opts.Code {
		opts.Code = h.coder()
	}
	return opts
}

// addExplore registers the discovery tools, before the bundle, so that their
// place in the list does not depend on what the cache knows of the sources.
// Every agent may call them, because they reach only the tools of their caller;
// they are not declared by default.
func (h *Host) addExplore() error {
	if h.explored {
		return nil
	}
	opts := h.exploreOptions()
	if err := h.registry.Add(explore.Tools(opts)...); err != nil {
		return err
	}
	explore.Declare(h.registry, opts)
	h.explored = true
	return nil
}

// removeExplore removes them.
func (h *Host) removeExplore() {
	for _, tool := range h.registry.Tools() {
		if isExplore(&tool) {
			h.registry.Remove(tool.Name)
		}
	}
	h.explored = false
}

// hideExplore returns the options that keep the discovery tools callable without
// declaring them.
func hideExplore() *gongu.CatalogOptions {
	return &gongu.CatalogOptions{Hide: []gongu.Rule{{Domain: explore.Domain}}}
}

// isExplore reports whether a tool is one of the discovery tools.
func isExplore(tool *gongu.Tool) bool {
	return tool.Source.Type == "go" && tool.Domain == explore.Domain
}

// CheckMacro checks a macro that a model proposes against the catalog of that
// model.
func CheckMacro(definition json.RawMessage, catalog *gongu.Catalog) error {
	parsed, err := macro.Parse(definition)
	if err != nil {
		return err
	}
	return parsed.Check(catalog)
}

// coder returns the runner of code that models write. It uses child processes.
func (h *Host) coder() *coder {
	h.coding.Do(func() {
		h.code = script.NewCode(&script.CodeOptions{Child: h.opts.Child, Lang: h.opts.Lang, Logger: h.opts.Logger})
		h.addCloser(h.code.Close)
	})
	return &coder{h.code}
}

type coder struct{ code *script.Code }

var _ explore.Coder = (*coder)(nil)

// Run runs a program.
func (c *coder) Run(ctx context.Context, p explore.Program) explore.Outcome {
	bindings := make([]script.Binding, len(p.Tools))
	for i, tool := range p.Tools {
		bindings[i] = script.Binding{Name: tool.Name}
	}
	result, failed := c.code.Run(ctx, p.Source, bindings, p.Call)
	return explore.Outcome{Value: result.Value, Log: result.Log, Line: result.Line, Err: failed}
}

// Typings declares tools as functions.
func (c *coder) Typings(tools []gongu.Tool) string { return script.Typings(tools) }

// codeExtension returns the extension builtin:code, which adds run_code to an
// agent.
func (h *Host) codeExtension() agent.Extension {
	return agent.ExtensionFunc(func(_ context.Context, api *agent.API, _ json.RawMessage) error {
		opts := h.exploreOptions()
		opts.Code = h.coder()
		for _, tool := range explore.Tools(opts) {
			if tool.Name == explore.RunCode {
				tool.Source.Type = "go"
				return api.RegisterTool(tool)
			}
		}
		return nil
	})
}

// addCloser adds a function that Close calls.
func (h *Host) addCloser(closer func() error) {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.closers = append(h.closers, closer)
}
