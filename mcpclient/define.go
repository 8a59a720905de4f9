package mcpclient

import (
	"context"
	"encoding/json"
	"io"
	"log/slog"
	"strings"

	"github.com/gongu-ai/gongu"
	"github.com/gongu-ai/gongu/internal/lang"
	"github.com/gongu-ai/gongu/internal/schema"
)

// Definition is one tool of a server.
type Definition struct {
	// Tool is ready for a registry. Source.Original is the server's own name.
	Tool gongu.Tool
	// Raw is the definition as the server gave it, byte for byte.
	Raw json.RawMessage
}

// compileAll is how many schemas are compiled when they are read. Of more, the
// registry compiles each at its first call.
const compileAll = 200

// define turns the entries of a list into tools. It leaves out and reports
// invalid entries.
func (c *Client) define(listing *Listing, raws []json.RawMessage, headers bool) {
	listing.Listed = len(raws)
	listing.bindings = map[string][]binding{}
	seen := map[string]bool{}
	for i, raw := range raws {
		entry, ok := c.entry(listing, i, raw)
		if !ok {
			continue
		}
		if seen[entry.name] {
			listing.problem(lang.McpEntryTwice, c.lang, entry.name)
			continue
		}
		seen[entry.name] = true
		if !c.config.selects(entry.name) {
			continue
		}
		if headers {
			bindings, err := bindingsOf(entry.input)
			if err != nil {
				listing.problem(lang.McpEntryHeader, c.lang, entry.name, err)
				continue
			}
			if len(bindings) > 0 {
				listing.bindings[entry.name] = bindings
			}
		}
		if tool, ok := c.tool(listing, entry, len(raws) <= compileAll); ok {
			listing.Tools = append(listing.Tools, Definition{Tool: tool, Raw: raw})
		}
	}
	c.refuse(listing)
	c.checkOptions(listing, seen)
}

// entry is a definition as MCP has it.
type entry struct {
	members                    []member
	name, title, description   string
	input, output, annotations json.RawMessage
}

func (c *Client) entry(listing *Listing, i int, raw json.RawMessage) (*entry, bool) {
	members, err := membersOf(raw)
	if err != nil {
		listing.problem(lang.McpEntryNoObject, c.lang, i+1)
		return nil, false
	}
	value := func(name string) json.RawMessage {
		found, _ := get(members, name)
		return found
	}
	e := &entry{
		members: members, name: textOf(value("name")), title: textOf(value("title")), description: textOf(value("description")),
		input: value("inputSchema"), output: value("outputSchema"), annotations: value("annotations"),
	}
	if e.name == "" {
		listing.problem(lang.McpEntryNoName, c.lang, i+1)
		return nil, false
	}
	return e, true
}

// tool makes a gongu tool of an entry.
func (c *Client) tool(listing *Listing, e *entry, compile bool) (gongu.Tool, bool) {
	parameters, err := c.parameters(listing, e, compile)
	if err != nil {
		listing.problem(lang.McpEntrySchema, c.lang, e.name, err)
		return gongu.Tool{}, false
	}
	given := e.name
	if other, ok := c.config.Rename[e.name]; ok {
		given = other
	}
	name, err := c.opts.Names.Import(c.config.prefix(), given)
	if err != nil {
		listing.problem(lang.McpEntryName, c.lang, e.name, err)
		return gongu.Tool{}, false
	}
	description := e.description
	if other, ok := c.config.Describe[e.name]; ok {
		description = other
	}
	tool := gongu.Tool{
		Name: name, Title: e.title, Description: description, Parameters: parameters,
		Output:      c.output(listing, e),
		Annotations: annotations(e.annotations, c.config.Trust),
		Source: gongu.Source{
			Type: "mcp", Name: c.config.Name, Original: e.name,
			// The McpServer resource takes the place of goondan's extension.
			MCP: &gongu.MCPSource{ExtensionName: c.config.Name, ServerName: c.config.Name},
		},
		// The client limits how long a server is silent, not how long a call
		// takes, and never waits longer than its context.
		Limits:   gongu.Limits{Timeout: -1, Inline: true},
		Template: c.template(listing, e),
	}
	remote := &remoteTool{
		name: e.name, quoted: quote(e.name), structured: tool.Output != "",
		repeatable: c.config.Trust && (tool.Annotations.IsReadOnly() || tool.Annotations.IsIdempotent()),
	}
	tool.Invoke = func(ctx context.Context, call gongu.Call) gongu.Result {
		client := c
		if listing.choose != nil {
			chosen, err := listing.choose(ctx)
			if err != nil {
				return gongu.Fail(&gongu.Error{Code: gongu.CodeUnavailable, Message: err.Error()})
			}
			client = chosen
		}
		return client.invoke(ctx, remote, call)
	}
	return tool, true
}

// parameters checks the schema of the arguments before anything is compiled.
func (c *Client) parameters(listing *Listing, e *entry, compile bool) (gongu.Schema, error) {
	if isNull(e.input) {
		listing.problem(lang.McpEntryNoSchema, c.lang, e.name)
		return "", nil
	}
	raw, notes := schema.RepairTypes(e.input)
	if len(notes) > 0 {
		listing.problem(lang.McpEntryRepaired, c.lang, e.name, strings.Join(notes, "; "))
	}
	raw = schema.WithRootType(raw)
	err := error(nil)
	if compile {
		_, err = schema.Compile(raw, nil) // within the same bounds
	} else {
		err = schema.Bound(raw)
	}
	return gongu.Schema(raw), err
}

// output returns the schema of the results. It drops an invalid one and keeps
// the tool.
func (c *Client) output(listing *Listing, e *entry) gongu.Schema {
	if isNull(e.output) {
		return ""
	}
	raw, _ := schema.RepairTypes(e.output)
	if err := schema.Bound(raw); err != nil {
		listing.problem(lang.McpEntryOutput, c.lang, e.name, err)
		return ""
	}
	return gongu.Schema(raw)
}

// annotations reads a server's annotations. Without trust it keeps only those
// that make a tool look more dangerous.
func annotations(raw json.RawMessage, trust bool) gongu.Annotations {
	var a gongu.Annotations
	if isNull(raw) || json.Unmarshal(raw, &a) != nil {
		return gongu.Annotations{}
	}
	if trust {
		return a
	}
	return a.Cautious()
}

// refuse leaves out the tools that a registry would reject, so that one of them
// does not keep out the others.
func (c *Client) refuse(listing *Listing) {
	quiet := &gongu.RegistryOptions{Logger: slog.New(slog.NewTextHandler(io.Discard, nil))}
	tools := make([]gongu.Tool, len(listing.Tools))
	for i, d := range listing.Tools {
		tools[i] = d.Tool
	}
	if gongu.NewRegistry(quiet).Add(tools...) == nil {
		return
	}
	var kept []Definition
	names := map[string]bool{}
	for _, d := range listing.Tools {
		err := gongu.NewRegistry(quiet).Add(d.Tool)
		switch {
		case err != nil:
			listing.problem(lang.McpEntryRefused, c.lang, d.Tool.Source.Original, err)
		case names[d.Tool.Name]:
			listing.problem(lang.McpEntryTwice, c.lang, d.Tool.Name)
		default:
			names[d.Tool.Name] = true
			kept = append(kept, d)
		}
	}
	listing.Tools = kept
}

// checkOptions reports settings for tools that the server does not list.
func (c *Client) checkOptions(listing *Listing, seen map[string]bool) {
	for _, option := range []struct {
		name  string
		tools map[string]string
	}{{"rename", c.config.Rename}, {"describe", c.config.Describe}} {
		for name := range option.tools {
			if !seen[name] {
				listing.problem(lang.McpUnknownOption, c.lang, option.name+"."+name)
			}
		}
	}
	if len(seen) > 0 && len(listing.Tools) == 0 && len(c.config.Include) > 0 {
		listing.problem(lang.McpTellsOfNothing, c.lang, len(seen))
	}
}
