package host

import (
	"context"
	"encoding/json"
	"errors"
	"slices"

	"github.com/gongu-ai/gongu"
	"github.com/gongu-ai/gongu/agent"
	"github.com/gongu-ai/gongu/internal/lang"
	"github.com/gongu-ai/gongu/script"
)

// stepFrame is a step as a script sees it.
type stepFrame struct {
	step  *agent.Step
	owner *extensionHost
	level[agent.StepResult]
}

var _ script.Frame = (*stepFrame)(nil)

// Fixed implements [script.Frame].
func (f *stepFrame) Fixed() json.RawMessage {
	turn := f.step.Turn
	fields := turnFields(turn)
	fields["stepIndex"] = f.step.Index
	fields["turn"] = map[string]any{
		"id": turn.TurnID, "agentName": turn.AgentName, "inputEvent": orNull(turn.Input), "steps": []any{}, "status": "running",
	}
	return fields.json()
}

// Get implements [script.Frame].
func (f *stepFrame) Get(field string) (json.RawMessage, error) { return f.get(field, f.read) }

func (f *stepFrame) read(field string) (json.RawMessage, error) {
	switch field {
	case "metadata":
		return metadata(f.step.Metadata)
	case "turn.metadata":
		return metadata(f.step.Turn.Metadata)
	case "toolCatalog":
		return catalogItems(f.step.Catalog)
	}
	return readConversation(f.lang, f.step.Turn.Conversation, field)
}

// Set implements [script.Frame].
func (f *stepFrame) Set(field string, value json.RawMessage) error {
	return f.set(field, value, func(field string, value json.RawMessage) error {
		switch field {
		case "metadata":
			return setMetadata(f.lang, field, &f.step.Metadata, value)
		case "turn.metadata":
			return setMetadata(f.lang, field, &f.step.Turn.Metadata, value)
		case "toolCatalog":
			return f.setCatalog(value)
		}
		return noField(f.lang, field)
	})
}

// catalogItem is a tool as seed 001 §13.1 prints it.
type catalogItem struct {
	Name        string       `json:"name"`
	Description string       `json:"description,omitempty"`
	Parameters  gongu.Schema `json:"parameters"`
	Source      gongu.Source `json:"source"`
}

// catalogItems are copies: whatever a script does to them stays with it. The
// discovery tools are among them, like all tools that may be called.
func catalogItems(c *gongu.Catalog) (json.RawMessage, error) {
	items := []catalogItem{}
	if c != nil {
		for _, tool := range c.Callable() {
			items = append(items, catalogItem{tool.Name, tool.Description, tool.Parameters.OrAnyObject(), tool.Source})
		}
	}
	return json.Marshal(items)
}

// setCatalog takes the names of a script's list, in its order: a definition
// belongs to the registry and cannot be changed for one step. A tool of the
// registry that the catalog did not have may be added.
func (f *stepFrame) setCatalog(raw json.RawMessage) error {
	var items []struct {
		Name string `json:"name"`
	}
	if err := json.Unmarshal(raw, &items); err != nil || string(raw) == "null" {
		return errors.New(lang.ExtScriptCatalog.In(f.owner.lang))
	}
	from, names := f.step.Catalog, make([]string, 0, len(items))
	for _, item := range items {
		if item.Name == "" {
			return errors.New(lang.ExtScriptCatalog.In(f.owner.lang))
		}
		names = append(names, item.Name)
	}
	has := func(name string) bool { return from.Has(name) }
	if from == nil || !all(names, has) {
		from = gongu.Everything(f.owner.scope.registry)
	}
	for _, name := range names {
		if !from.Has(name) {
			f.owner.api.Logger.Warn("ctx.toolCatalog names a tool that is not registered", "tool", name)
		}
	}
	next, err := from.Restrict(names...).Select(hideExplore())
	if err != nil {
		return err
	}
	f.step.Catalog = next
	return nil
}

func all(names []string, holds func(string) bool) bool {
	return !slices.ContainsFunc(names, func(name string) bool { return !holds(name) })
}

// Emit implements [script.Frame].
func (f *stepFrame) Emit(event json.RawMessage) error { return emitMessage(f.lang, f.step.Turn, event) }

// Agents implements [script.Frame].
func (f *stepFrame) Agents(ctx context.Context, operation string, params json.RawMessage) (json.RawMessage, error) {
	return askAgents(ctx, f.lang, f.step.Turn, operation, params)
}

// Next implements [script.Frame].
func (f *stepFrame) Next(ctx context.Context) (json.RawMessage, error) {
	catalog := f.step.Catalog
	err := f.run(ctx, map[string]reader{
		"metadata":      asItWas(metadata(f.step.Metadata)),
		"turn.metadata": asItWas(metadata(f.step.Turn.Metadata)),
		"toolCatalog":   func() (json.RawMessage, error) { return catalogItems(catalog) },
	})
	if err != nil {
		return nil, err
	}
	return json.Marshal(f.result)
}
