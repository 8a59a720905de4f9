package host

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"

	"github.com/gongu-ai/gongu"
	"github.com/gongu-ai/gongu/internal/fsx"
	"github.com/gongu-ai/gongu/macro"
	"github.com/gongu-ai/gongu/toolrequest"
)

// approvedVersion is the newest form of an approved tool that can be read.
const approvedVersion = 1

// Approved is a tool that a model requested and a person approved. It is stored
// below the state root and not in the bundle: a downloaded bundle must not bring
// approvals along.
type Approved struct {
	Version int    `json:"version"`
	Request string `json:"request"`
	Name    string `json:"name"`
	// Macro is the definition of a macro.
	Macro json.RawMessage `json:"macro,omitempty"`
	// Script is a module beside this file, with a handler of the tool's name.
	Script      string          `json:"script,omitempty"`
	Description string          `json:"description,omitempty"`
	Parameters  json.RawMessage `json:"parameters,omitempty"`
	// Agent is the only agent that has the tool; empty: all of them.
	Agent string `json:"agent,omitempty"`
}

// Script is the code of a tool that a person gives to a request.
type Script struct {
	// Ext says what it is: .js, .ts, .mjs or .mts.
	Ext  string
	Code []byte
}

func (h *Host) approvedDir() string { return filepath.Join(h.state, "approved") }

// Approve approves a request and registers its tool: in this process at once, in
// others at their next load. The tool is a macro, a script, or, without both, the
// macro that the model proposed. The request stays open when the tool cannot be
// made, and when it is not the one that the decision names.
func (h *Host) Approve(ctx context.Context, id string, d toolrequest.Decision, macroText json.RawMessage, code *Script) (toolrequest.Request, error) {
	d.Status = toolrequest.Approved
	r, err := h.requests.Get(ctx, id)
	if err != nil {
		return toolrequest.Request{}, err
	}
	if d.Digest != "" && d.Digest != r.Digest() {
		// Nothing is installed; the queue words the refusal.
		return h.queue.Review(ctx, id, d)
	}
	// Whoever changes the queue from here on changes nothing about this.
	d.Digest = r.Digest()
	if d.Agent != "" {
		if _, err := findAgent(h.now().bundle, d.Agent); err != nil {
			return toolrequest.Request{}, err
		}
	}
	if len(macroText) == 0 && code == nil {
		macroText = r.Proposal
	}
	if len(macroText) == 0 && code == nil {
		return h.queue.Review(ctx, id, d) // the tool will be written later
	}
	if r, err = h.install(ctx, r, d, macroText, code); err != nil {
		return toolrequest.Request{}, err
	}
	if reload := h.Reload(ctx); reload.Err != nil {
		return r, reload.Err
	}
	return h.requests.Get(ctx, id)
}

// install stores an approved tool, after it has loaded it once, and the decision.
// With rows they are one transaction; else the file is written first, and brought
// back to what it was when the decision fails.
func (h *Host) install(ctx context.Context, r toolrequest.Request, d toolrequest.Decision, macroText json.RawMessage, code *Script) (toolrequest.Request, error) {
	a, err := h.newApproved(r, d.Agent, macroText, code)
	if err != nil {
		return r, err
	}
	if err := fsx.PrivateDir(h.approvedDir()); err != nil {
		return r, err
	}
	if h.rows != nil {
		return h.installRow(ctx, r.ID, a, d, code)
	}
	file := h.approvedFile(a.Name)
	before, err := os.ReadFile(file)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return r, err
	}
	if err := h.keepApproved(ctx, a, code); err != nil {
		return r, err
	}
	decided, err := h.queue.Review(ctx, r.ID, d)
	switch {
	case err == nil:
		return decided, nil
	case before == nil:
		return r, errors.Join(err, os.Remove(file))
	}
	return r, errors.Join(err, fsx.ReplacePrivate(file, before))
}

// newApproved describes the tool of a request.
func (h *Host) newApproved(r toolrequest.Request, agent string, macroText json.RawMessage, code *Script) (a Approved, err error) {
	if r.Status == toolrequest.Rejected {
		return a, fmt.Errorf("request %s was rejected and cannot be approved; the model must request the tool again", r.ID)
	}
	if now, ok := h.registry.Get(r.Name); ok && !slices.Contains(h.now().approved, r.Name) {
		return a, fmt.Errorf("a tool %s exists already, from %s", r.Name, now.Source.Identity())
	}
	a = Approved{Version: approvedVersion, Request: r.ID, Name: r.Name, Description: r.Description, Agent: agent}
	if code == nil {
		a.Macro, err = withName(macroText, r)
		return a, err
	}
	// Each request has its own file: an earlier approved script stays until the
	// new one has loaded.
	a.Script = fsx.SafeKey(r.Name+"-"+r.ID) + strings.ToLower(code.Ext)
	a.Parameters = parametersOf(r.SuggestedParams)
	return a, nil
}

func (h *Host) approvedFile(name string) string {
	return filepath.Join(h.approvedDir(), fsx.SafeKey(name)+".json")
}

// keepApproved writes the files and loads the tool.
func (h *Host) keepApproved(ctx context.Context, a Approved, code *Script) error {
	encoded, err := json.MarshalIndent(a, "", "  ")
	if err != nil {
		return err
	}
	if err := h.writeAndTry(ctx, a, code); err != nil {
		return err
	}
	return fsx.ReplacePrivate(h.approvedFile(a.Name), append(encoded, '\n'))
}

// writeAndTry writes the script of a tool and loads the tool once; it removes a
// script that does not load.
func (h *Host) writeAndTry(ctx context.Context, a Approved, code *Script) error {
	module := ""
	if a.Script != "" {
		module = filepath.Join(h.approvedDir(), a.Script)
		if err := fsx.ReplacePrivate(module, code.Code); err != nil {
			return err
		}
	}
	trial := newLoaded(new(sync.Mutex))
	err := errors.Join(h.tryApproved(ctx, a, trial), trial.close())
	if err != nil && module != "" {
		err = errors.Join(err, os.Remove(module))
	}
	return err
}

// tryApproved makes the tool once. The tools that a macro calls must exist; it
// lists the servers first when one is missing.
func (h *Host) tryApproved(ctx context.Context, a Approved, trial *loaded) error {
	catalog, err := (&Scope{h, Address{}}).Catalog(ctx)
	if err != nil {
		return err
	}
	if len(a.Macro) > 0 && CheckMacro(a.Macro, catalog) != nil {
		h.Prepare(ctx, "")
		if catalog, err = (&Scope{h, Address{}}).Catalog(ctx); err != nil {
			return err
		}
		if err := CheckMacro(a.Macro, catalog); err != nil {
			return err
		}
	}
	_, err = h.bindApproved(ctx, a, trial, catalog)
	return err
}

// parametersOf returns a schema for parameter names without types.
func parametersOf(names []string) json.RawMessage {
	properties := make(map[string]struct{}, len(names))
	for _, name := range names {
		properties[name] = struct{}{}
	}
	encoded, err := json.Marshal(map[string]any{"type": "object", "properties": properties})
	if err != nil {
		return nil // strings can be encoded
	}
	return encoded
}

// withName returns the definition of a macro with the name of the request.
func withName(definition json.RawMessage, r toolrequest.Request) (json.RawMessage, error) {
	var fields map[string]json.RawMessage
	if err := json.Unmarshal(definition, &fields); err != nil {
		return nil, fmt.Errorf("the macro is not a JSON object: %w", err)
	}
	quoted, err := json.Marshal(r.Name)
	if err != nil {
		return nil, err
	}
	fields["name"] = quoted
	if _, ok := fields["description"]; !ok {
		if fields["description"], err = json.Marshal(r.Description); err != nil {
			return nil, err
		}
	}
	return json.Marshal(fields)
}

// approvedSource returns the source of an approved tool.
func approvedSource(name string) gongu.Source { return gongu.Source{Type: "macro", Name: name} }

// readApproved reads the approved tools, sorted by name. It logs and skips those
// that it cannot read. An error means that it is not known which there are.
func (h *Host) readApproved(ctx context.Context) ([]Approved, error) {
	if h.rows != nil {
		return h.readApprovedRows(ctx)
	}
	return h.readApprovedFiles(), nil
}

func (h *Host) readApprovedFiles() []Approved {
	entries, err := os.ReadDir(h.approvedDir())
	if err != nil {
		if !errors.Is(err, fs.ErrNotExist) {
			h.opts.Logger.Warn("reading approved tools failed", "error", err)
		}
		return nil
	}
	var all []Approved
	for _, entry := range entries {
		if filepath.Ext(entry.Name()) != ".json" {
			continue
		}
		a, err := readApprovedFile(filepath.Join(h.approvedDir(), entry.Name()))
		if err != nil {
			h.opts.Logger.Warn("skipping an approved tool", "file", entry.Name(), "error", err)
			continue
		}
		all = append(all, a)
	}
	slices.SortFunc(all, func(a, b Approved) int { return strings.Compare(a.Name, b.Name) })
	return all
}

func readApprovedFile(path string) (Approved, error) {
	raw, err := os.ReadFile(path)
	if err != nil {
		return Approved{}, err
	}
	var a Approved
	if err := json.Unmarshal(raw, &a); err != nil {
		return Approved{}, err
	}
	return a, a.check()
}

func (a *Approved) check() error {
	if a.Version != approvedVersion {
		return fmt.Errorf("version %d is not supported; this gongu supports %d", a.Version, approvedVersion)
	}
	if a.Name == "" || (len(a.Macro) > 0) == (a.Script != "") {
		return errors.New("a name and either a macro or a script are required")
	}
	return nil
}

// bindApproved makes the tool of an approval.
func (h *Host) bindApproved(ctx context.Context, a Approved, next *loaded, catalog *gongu.Catalog) (gongu.Tool, error) {
	if a.Script == "" {
		definition, err := macro.Parse(a.Macro)
		if err != nil {
			return gongu.Tool{}, err
		}
		return definition.Tool(&macro.Options{Catalog: catalog, Lang: h.opts.Lang})
	}
	module, err := h.scripts().Load(ctx, h.approvedDir(), a.Script)
	if err != nil {
		return gongu.Tool{}, err
	}
	next.modules[filepath.Join(h.approvedDir(), a.Script)] = share(module, "", "")
	invoke, err := module.Invoke(a.Name)
	if err != nil {
		return gongu.Tool{}, err
	}
	return gongu.Tool{
		Name: a.Name, Description: a.Description, Parameters: gongu.Schema(a.Parameters),
		Source: approvedSource(a.Name), Invoke: invoke,
	}, nil
}

// bindMacros makes the tools of Macro resources and of approvals. It also makes
// a macro that calls unknown tools: they may come from a server.
func (h *Host) bindMacros(ctx context.Context, next *loaded, tools []gongu.Tool, approved []Approved) ([]gongu.Tool, error) {
	if len(approved) == 0 && (next.bundle == nil || len(next.bundle.Macros()) == 0) {
		return nil, nil // most bundles; no catalog is needed
	}
	seen := make(map[string]bool, len(tools))
	for _, tool := range tools {
		seen[tool.Name] = true
	}
	catalog, err := catalogOf(tools)
	if err != nil {
		return nil, err
	}
	var macros []gongu.Tool
	keep := func(tool gongu.Tool) {
		seen[tool.Name] = true
		next.sources = append(next.sources, tool.Source)
		next.macros[tool.Name] = true
		macros = append(macros, tool)
	}
	if next.bundle != nil {
		for _, resource := range next.bundle.Macros() {
			if seen[resource.Name] {
				h.opts.Logger.Warn("skipping a tool: another package has one of this name", "tool", resource.Identity())
				continue
			}
			tool, err := resource.Definition().Tool(&macro.Options{Catalog: catalog, Lang: h.opts.Lang})
			if err != nil {
				return nil, fmt.Errorf("%s: %w", resource.Identity(), err)
			}
			keep(tool)
		}
	}
	for _, a := range approved {
		if seen[a.Name] {
			h.opts.Logger.Warn("skipping an approved tool: the bundle has a tool of this name", "tool", a.Name)
			continue
		}
		tool, err := h.bindApproved(ctx, a, next, catalog)
		if err != nil {
			h.opts.Logger.Warn("skipping an approved tool", "tool", a.Name, "error", err)
			continue
		}
		keep(tool)
		next.approved = append(next.approved, tool.Name)
		if a.Agent != "" {
			next.reserved[tool.Name] = a.Agent
		}
	}
	return macros, nil
}

// catalogOf returns a catalog of tools that are about to be registered, for
// checks of macros.
func catalogOf(tools []gongu.Tool) (*gongu.Catalog, error) {
	registry := gongu.NewRegistry(nil)
	if err := registry.Add(tools...); err != nil {
		return nil, err
	}
	return gongu.Everything(registry), nil
}
