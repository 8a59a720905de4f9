package host

import (
	"encoding/json"
	"errors"
	"slices"

	"github.com/gongu-ai/gongu"
	"github.com/gongu-ai/gongu/agent"
	"github.com/gongu-ai/gongu/internal/lang"
)

// stepFrame returns the frame of a step.
func (e *extensionHost) stepFrame(step *agent.Step, next agent.Next[agent.StepResult]) *frame[agent.StepResult] {
	turn := step.Turn
	f := &frame[agent.StepResult]{
		lang: e.lang, next: next, turn: turn, fixed: turnFields(turn), fields: conversationFields(turn),
	}
	f.fixed["stepIndex"] = step.Index
	f.fixed["turn"] = map[string]any{
		"id": turn.TurnID, "agentName": turn.AgentName, "inputEvent": orNull(turn.Input), "steps": []any{}, "status": "running",
	}
	f.fields["metadata"] = metadataField(e.lang, "metadata", &step.Metadata)
	f.fields["turn.metadata"] = metadataField(e.lang, "turn.metadata", &turn.Metadata)
	f.fields["toolCatalog"] = field{
		now: func() reader {
			catalog := step.Catalog
			return func() (json.RawMessage, error) { return catalogItems(catalog) }
		},
		set: func(value json.RawMessage) error { return e.setCatalog(step, value) },
	}
	return f
}

// catalogItem is a tool as seed 001 §13.1 prints it.
type catalogItem struct {
	Name        string       `json:"name"`
	Description string       `json:"description,omitempty"`
	Parameters  gongu.Schema `json:"parameters"`
	Source      gongu.Source `json:"source"`
}

// catalogItems encodes the callable tools of a catalog, the discovery tools
// included. They are copies: a script cannot change the catalog through them.
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
func (e *extensionHost) setCatalog(step *agent.Step, raw json.RawMessage) error {
	var items []struct {
		Name string `json:"name"`
	}
	if err := json.Unmarshal(raw, &items); err != nil || string(raw) == "null" {
		return errors.New(lang.ExtScriptCatalog.In(e.lang))
	}
	from, names := step.Catalog, make([]string, 0, len(items))
	for _, item := range items {
		if item.Name == "" {
			return errors.New(lang.ExtScriptCatalog.In(e.lang))
		}
		names = append(names, item.Name)
	}
	if from == nil || slices.ContainsFunc(names, func(name string) bool { return !from.Has(name) }) {
		from = gongu.Everything(e.scope.registry)
	}
	for _, name := range names {
		if !from.Has(name) {
			e.api.Logger.Warn("ctx.toolCatalog names a tool that is not registered", "tool", name)
		}
	}
	next, err := from.Restrict(names...).Select(hideExplore())
	if err != nil {
		return err
	}
	step.Catalog = next
	return nil
}
