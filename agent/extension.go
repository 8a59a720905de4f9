package agent

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"slices"
	"sync"

	"github.com/gongu-ai/gongu"
	"github.com/gongu-ai/gongu/internal/lang"
)

// Extension changes how an agent works: it registers middleware, tools and
// listeners. A Go type and a TypeScript module have the same power.
type Extension interface {
	Register(ctx context.Context, api *API, config json.RawMessage) error
}

// ExtensionFunc is an extension that is one function.
type ExtensionFunc func(ctx context.Context, api *API, config json.RawMessage) error

// Register calls the function.
func (f ExtensionFunc) Register(ctx context.Context, api *API, config json.RawMessage) error {
	return f(ctx, api, config)
}

// Use is an extension as an agent uses it.
type Use struct {
	Name      string
	Extension Extension
	// Config is a JSON object, or empty.
	Config json.RawMessage
}

// The codes of an extension that could not be loaded.
const (
	CodeExtensionLoad   = "E_EXT_LOAD"
	CodeExtensionInit   = "E_EXT_INIT"
	CodeExtensionConfig = "E_EXT_CONFIG"
	CodeExtensionCompat = "E_EXT_COMPAT"
)

// ExtensionError is why the extensions of an agent were not loaded.
type ExtensionError struct {
	Code, Extension, Suggestion string
	Cause                       error
}

// Error names the extension and the cause.
func (e *ExtensionError) Error() string {
	return fmt.Sprintf("extension %s (%s): %v", e.Extension, e.Code, e.Cause)
}

// Unwrap is the cause.
func (e *ExtensionError) Unwrap() error { return e.Cause }

// Wiring has the parts of an agent that extensions register with.
type Wiring struct {
	Registry *gongu.Registry
	Executor *gongu.Executor
	Pipeline *Pipeline
	Events   *Events
	// Changed is called when an extension has added, redefined or removed a
	// tool. It may be nil and must not block.
	Changed func()
	// State keeps what extensions remember; nil keeps it in memory.
	State  StateStore
	Logger *slog.Logger
	// Lang is the language of suggestions: en (default) or ko.
	Lang string
}

// Extensions are loaded extensions.
type Extensions struct {
	apis []*API
}

// LoadExtensions registers extensions in order, each awaited. When one fails,
// everything that it and those before it registered is taken back.
func LoadExtensions(ctx context.Context, w Wiring, uses []Use) (*Extensions, error) {
	if w.Logger == nil {
		w.Logger = slog.Default()
	}
	if w.State == nil {
		w.State = NewMemoryState()
	}
	loaded := &Extensions{}
	for _, use := range uses {
		api, err := loaded.load(ctx, w, use)
		if api != nil {
			loaded.apis = append(loaded.apis, api)
		}
		if err != nil {
			loaded.Unload()
			return nil, err
		}
	}
	return loaded, nil
}

func (x *Extensions) load(ctx context.Context, w Wiring, use Use) (*API, error) {
	language := lang.Of(w.Lang)
	fail := func(code string, suggestion lang.Text, cause error) error {
		return &ExtensionError{Code: code, Extension: use.Name, Suggestion: suggestion.In(language), Cause: cause}
	}
	switch {
	case use.Name == "":
		return nil, fail(CodeExtensionLoad, lang.ExtensionNameHint, errors.New("there is no name"))
	case use.Extension == nil:
		return nil, fail(CodeExtensionLoad, lang.ExtensionExportHint, errors.New("there is no register"))
	case slices.ContainsFunc(x.apis, func(a *API) bool { return a.Name == use.Name }):
		return nil, fail(CodeExtensionLoad, lang.ExtensionTwiceHint, errors.New("it is loaded twice"))
	}
	if len(use.Config) > 0 {
		var object map[string]json.RawMessage
		if err := json.Unmarshal(use.Config, &object); err != nil {
			return nil, fail(CodeExtensionConfig, lang.ExtensionConfigHint, errors.New("the configuration is not a JSON object"))
		}
		if object == nil {
			use.Config = nil // null is none
		}
	}
	state, err := newState(w.State, use.Name)
	if err != nil {
		return nil, fail(CodeExtensionInit, lang.ExtensionStateHint, err)
	}
	api := &API{Name: use.Name, Logger: w.Logger.With("extension", use.Name), State: state, wiring: w}
	_, err = guarded(ctx, func(ctx context.Context) (struct{}, error) {
		return struct{}{}, use.Extension.Register(ctx, api, use.Config)
	})
	if err != nil {
		var known *ExtensionError
		if errors.As(err, &known) {
			return api, known
		}
		return api, fail(CodeExtensionInit, lang.ExtensionInitHint, err)
	}
	return api, nil
}

// Owns reports whether a tool was registered by one of the extensions.
func (x *Extensions) Owns(source gongu.Source) bool {
	return slices.ContainsFunc(x.apis, func(a *API) bool { return a.owns(source) })
}

// Save stores the state of the extensions that changed theirs.
func (x *Extensions) Save() error {
	var failures []error
	for _, api := range x.apis {
		failures = append(failures, api.State.save())
	}
	return errors.Join(failures...)
}

// Unload takes back everything the extensions registered, the last first.
func (x *Extensions) Unload() {
	for _, api := range slices.Backward(x.apis) {
		api.undoAll()
	}
	x.apis = nil
}

// API has everything that an extension can do.
type API struct {
	Name   string
	Logger *slog.Logger
	State  *State

	wiring Wiring
	mu     sync.Mutex
	undo   []*func()
}

// onUndo stores a function that undoes a registration, and returns one that
// undoes it now.
func (a *API) onUndo(undo func()) (now func()) {
	a.mu.Lock()
	defer a.mu.Unlock()
	kept := &undo
	a.undo = append(a.undo, kept)
	return func() {
		a.mu.Lock()
		a.undo = slices.DeleteFunc(a.undo, func(u *func()) bool { return u == kept })
		a.mu.Unlock()
		undo()
	}
}

func (a *API) undoAll() {
	a.mu.Lock()
	all := a.undo
	a.undo = nil
	a.mu.Unlock()
	for _, undo := range slices.Backward(all) {
		(*undo)()
	}
}

// UseTurn wraps turns; lower priorities are further out.
func (a *API) UseTurn(priority int, m TurnMiddleware) {
	a.onUndo(a.wiring.Pipeline.UseTurn(priority, m))
}

// UseStep wraps steps.
func (a *API) UseStep(priority int, m StepMiddleware) {
	a.onUndo(a.wiring.Pipeline.UseStep(priority, m))
}

// UseToolCall wraps tool calls.
func (a *API) UseToolCall(priority int, m ToolCallMiddleware) {
	a.onUndo(a.wiring.Executor.Use(priority, ToolCallLayer(m)))
}

// RegisterTool adds a tool, callable from the next step on. The tool belongs
// to this extension unless it says which MCP server is behind it; a tool of
// another owner is never replaced. A tool that says that its source is go may
// have a plain name, as tools added in code do.
func (a *API) RegisterTool(tool gongu.Tool) error {
	tool.Source = a.sourceOf(tool.Source)
	before, ok := a.wiring.Registry.Get(tool.Name)
	if ok && !a.owns(before.Source) {
		return fmt.Errorf("tool %q belongs to %s, so extension %s cannot replace it; choose another name", tool.Name, before.Source.Identity(), a.Name)
	}
	if err := a.wiring.Registry.Add(tool); err != nil {
		return err
	}
	// One that registers the same in every step changes nothing for those who
	// would list again.
	if !ok || before.Digest() != tool.Digest() {
		a.changed()
	}
	if ok {
		return nil // how to take it back is known
	}
	name := tool.Name
	a.onUndo(func() {
		if now, ok := a.wiring.Registry.Get(name); ok && a.owns(now.Source) {
			a.wiring.Registry.Remove(name)
			a.changed()
		}
	})
	return nil
}

func (a *API) changed() {
	if a.wiring.Changed != nil {
		a.wiring.Changed()
	}
}

// Domain says what a domain of the extension's tools is for.
func (a *API) Domain(name, description string) { a.wiring.Registry.Domain(name, description) }

// sourceOf names this extension as the owner, also of the tools of a server
// that it speaks for.
func (a *API) sourceOf(given gongu.Source) gongu.Source {
	switch given.Type {
	case "go":
		return gongu.Source{Type: "go", Name: a.Name}
	case "mcp":
	default:
		return gongu.Source{Type: "extension", Name: a.Name}
	}
	server := gongu.MCPSource{}
	if given.MCP != nil {
		server = *given.MCP
	}
	server.ExtensionName = a.Name
	given.MCP = &server
	given.Original = "" // only tools of an McpServer resource have one
	if given.Name == "" {
		given.Name = a.Name
	}
	return given
}

func (a *API) owns(source gongu.Source) bool { return owns(a.Name, source) }

func owns(extension string, source gongu.Source) bool {
	switch source.Type {
	case "mcp":
		// An McpServer resource may have the name of an extension; its tools,
		// which carry their original names, are not the extension's.
		return source.MCP != nil && source.MCP.ExtensionName == extension && source.Original == ""
	case "extension", "go":
		return source.Name == extension
	}
	return false
}

// On subscribes to an event until the returned function is called.
func (a *API) On(event string, listener Listener) (off func()) {
	return a.onUndo(a.wiring.Events.On(event, listener))
}

// Emit tells all listeners of an event.
func (a *API) Emit(event string, args ...any) { a.wiring.Events.Emit(event, args...) }
