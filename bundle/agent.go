package bundle

import (
	"cmp"
	"encoding/json"
	"slices"
	"strings"

	"github.com/gongu-ai/gongu/internal/lang"
)

// Agent is a resource: a model with a prompt, tools and extensions.
type Agent struct {
	Meta
	Spec AgentSpec
	// System is the system prompt, read from its file when it has one.
	System string
}

// AgentSpec is the spec of an Agent.
type AgentSpec struct {
	ModelConfig   ModelConfig    `json:"modelConfig" rule:"required" doc:"The model and its parameters."`
	Prompt        Prompt         `json:"prompt" doc:"What the model is told first."`
	Tools         []Ref          `json:"tools" rule:"kinds=Tool|McpServer|ToolCommand|Macro" doc:"What the agent can call."`
	Extensions    []ExtensionRef `json:"extensions" rule:"kinds=Extension" doc:"Extensions, in the order they register."`
	RequiredTools []string       `json:"requiredTools" rule:"nonempty" doc:"Full names of tools of which one must succeed in each turn."`
	Workdir       string         `json:"workdir" rule:"enum=project|instance" doc:"Where tools start: the instance's workspace (default) or the project root."`
	Audit         string         `json:"audit" rule:"enum=required" doc:"Whether calls of the agent must be on record before they run: required refuses a call that cannot be recorded (default: calls are recorded when they end)."`
	Editable      bool           `json:"editable" doc:"Whether the agent's file tools may change files of the bundle; a person accepts the change."`
	Explore       *bool          `json:"explore" doc:"Whether the agent can call the discovery tools, such as list_tools and search_tools (default true)."`
}

// Explores reports whether the agent can call the discovery tools.
func (g *Agent) Explores() bool { return g.Spec.Explore == nil || *g.Spec.Explore }

// ModelConfig chooses a model.
type ModelConfig struct {
	ModelRef Ref             `json:"modelRef" rule:"required,kinds=Model" doc:"The model."`
	Params   json.RawMessage `json:"params" rule:"object,refs" doc:"Parameters such as temperature and maxTokens."`
}

// Prompt is the system prompt, as text or as a file.
type Prompt struct {
	System    string `json:"system" doc:"The system prompt."`
	SystemRef string `json:"systemRef" rule:"nonempty" doc:"File with the system prompt, relative to the bundle."`
}

func (p *Prompt) check(d *decoder, a at) {
	d.notBoth(a, "system", "systemRef")
}

func (g *Agent) complete(l *loader) {
	g.Spec.Workdir = cmp.Or(g.Spec.Workdir, "instance")
	g.System = g.Spec.Prompt.System
	if ref := g.Spec.Prompt.SystemRef; ref != "" {
		g.System = l.readText(g.Meta, g.spec.find("prompt", "systemRef"), ref)
	}
}

// resolved checks what needs the other resources.
func (g *Agent) resolved(l *loader, b *Bundle) {
	g.checkRequired(l, b)
	model := b.AgentModel(g)
	if model == nil || len(g.Spec.Tools) == 0 {
		return
	}
	if can, declared := model.Spec.Capabilities["toolCalling"]; declared && !can {
		l.error(g.spec.find("tools"), CodeSchemaInvalid, lang.BundleNoToolCalling.With(model.Identity()), lang.BundleHintToolCalling.With())
	}
}

// checkRequired finds required tools that the agent can never have. Names of
// extensions, servers and commands are known only once they run.
func (g *Agent) checkRequired(l *loader, b *Bundle) {
	if len(g.Spec.RequiredTools) == 0 || len(g.Spec.Extensions) > 0 {
		return
	}
	var names []string
	for _, item := range b.AgentTools(g) {
		switch r := item.(type) {
		case *Tool:
			for _, def := range r.Definitions() {
				names = append(names, def.Name)
			}
		case *Macro:
			names = append(names, r.Name)
		default:
			return
		}
	}
	for i, name := range g.Spec.RequiredTools {
		if !slices.Contains(names, name) {
			l.missing(g.spec.find("requiredTools", i), CodeRefNotFound, lang.BundleRequiredTool.With(short(name), g.Name), choose(name, names))
		}
	}
}

// Swarm is a resource: agents that run together.
type Swarm struct {
	Meta
	Spec SwarmSpec
}

// SwarmSpec is the spec of a Swarm.
type SwarmSpec struct {
	EntryAgent  Ref         `json:"entryAgent" rule:"required,kinds=Agent" doc:"The agent that gets the input; one of agents."`
	Agents      []Ref       `json:"agents" rule:"required,min=1,kinds=Agent" doc:"The agents that can call each other."`
	InstanceKey string      `json:"instanceKey" rule:"nonempty" doc:"Key of the swarm's instance (default: its name)."`
	Policy      SwarmPolicy `json:"policy" doc:"Limits of a run."`
}

// SwarmPolicy limits the runs of a swarm.
type SwarmPolicy struct {
	MaxStepsPerTurn int             `json:"maxStepsPerTurn" rule:"min=1" doc:"Most steps in a turn (default: 32)."`
	Lifecycle       LifecyclePolicy `json:"lifecycle" doc:"When instances are removed."`
	Shutdown        ShutdownPolicy  `json:"shutdown" doc:"How agents are stopped."`
}

// LifecyclePolicy says when instances are removed.
type LifecyclePolicy struct {
	TTLSeconds     int `json:"ttlSeconds" rule:"min=1" doc:"How long an instance lives."`
	GCGraceSeconds int `json:"gcGraceSeconds" rule:"min=1" doc:"How long a dead instance is kept."`
}

// ShutdownPolicy says how agents are stopped.
type ShutdownPolicy struct {
	GracePeriodSeconds int `json:"gracePeriodSeconds" rule:"min=1" doc:"How long a turn may take to finish (default: 300)."`
}

const (
	defaultMaxSteps    = 32
	defaultGracePeriod = 300
)

func (s *Swarm) complete(*loader) {
	s.Spec.InstanceKey = cmp.Or(s.Spec.InstanceKey, s.Name)
	s.Spec.Policy.MaxStepsPerTurn = cmp.Or(s.Spec.Policy.MaxStepsPerTurn, defaultMaxSteps)
	s.Spec.Policy.Shutdown.GracePeriodSeconds = cmp.Or(s.Spec.Policy.Shutdown.GracePeriodSeconds, defaultGracePeriod)
}

func (s *Swarm) resolved(l *loader, b *Bundle) {
	entry := b.EntryAgent(s)
	if entry == nil {
		return
	}
	agents := b.SwarmAgents(s)
	if slices.Contains(agents, entry) || len(agents) == 0 {
		return
	}
	names := make([]string, len(agents))
	for i, a := range agents {
		names[i] = a.Identity()
	}
	l.error(s.spec.find("entryAgent"), CodeSchemaInvalid, lang.BundleEntryAgent.With(entry.Identity()), lang.BundleHintEntryAgent.With(entry.Identity(), strings.Join(names, ", ")))
}

// Extension is a resource: a module that changes how agents run.
type Extension struct {
	Meta
	Spec ExtensionSpec
	// Module is where register is.
	Module Module
}

// ExtensionSpec is the spec of an Extension.
type ExtensionSpec struct {
	Entry  string          `json:"entry" rule:"required" doc:"Module that exports register, relative to the bundle, or builtin:NAME."`
	Config json.RawMessage `json:"config" rule:"object,refs" doc:"Settings; an agent can override them key by key."`
}

func (e *Extension) complete(l *loader) {
	e.Module = l.module(e.Meta, e.Spec.Entry)
	name := e.Module.Builtin
	if name != "" && l.opts.KnownExtension != nil && !l.opts.KnownExtension(name) {
		l.error(e.spec.find("entry"), CodeEntryNotFound, lang.BundleNoBuiltin.With(short(name)), lang.BundleHintBuiltin.With())
	}
}
