package host

import (
	"context"
	"encoding/json"
	"path/filepath"

	"github.com/gongu-ai/gongu"
	"github.com/gongu-ai/gongu/agent"
	"github.com/gongu-ai/gongu/explore"
	"github.com/gongu-ai/gongu/macro"
	"github.com/gongu-ai/gongu/script"
	"github.com/gongu-ai/gongu/toolrequest"
)

// openRequests finds the queue of tool requests: the file that was named, else
// the one in the bundle, else the one in the current folder.
func (h *Host) openRequests(base string) {
	file := h.opts.Requests
	if file == "" {
		file = filepath.Join(base, toolrequest.FileName)
	}
	h.requests = toolrequest.NewFile(file, &toolrequest.Options{Lang: h.opts.Lang, Logger: h.opts.Logger})
}

// Requests is the queue of tools that models have asked for.
func (h *Host) Requests() toolrequest.Store { return h.requests }

// exploreOptions are those of the tools by which a model sees its tools.
func (h *Host) exploreOptions() *explore.Options {
	opts := &explore.Options{Lang: h.opts.Lang, Requests: h.requests, Macros: CheckMacro, Index: &h.index}
	if h.opts.Code {
		opts.Code = h.coder()
	}
	return opts
}

// addExplore registers the tools by which a model sees its tools. They are
// callable by every agent, because they reach no further than their caller,
// and not declared unless somebody chooses to.
func (h *Host) addExplore() error {
	opts := h.exploreOptions()
	if err := h.registry.Add(explore.Tools(opts)...); err != nil {
		return err
	}
	explore.Declare(h.registry, opts)
	return nil
}

// hideExplore are the tools that are callable and not declared.
func hideExplore() *gongu.CatalogOptions {
	return &gongu.CatalogOptions{Hide: []gongu.Rule{{Domain: explore.Domain}}}
}

// isExplore reports whether a tool is one of the discovery tools.
func isExplore(tool *gongu.Tool) bool {
	return tool.Source.Type == "go" && tool.Domain == explore.Domain
}

// CheckMacro says what is wrong with the macro that a model proposes, for the
// catalog of that model.
func CheckMacro(definition json.RawMessage, catalog *gongu.Catalog) error {
	parsed, err := macro.Parse(definition)
	if err != nil {
		return err
	}
	return parsed.Check(catalog)
}

// coder runs code that models write, in processes of their own.
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

// codeExtension gives run_code to the agents that use it: an Extension with
// entry builtin:code.
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

// addCloser remembers what to end with the host.
func (h *Host) addCloser(closer func() error) {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.closers = append(h.closers, closer)
}
