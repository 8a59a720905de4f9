package agent

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"sync"
	"unicode/utf8"

	"github.com/gongu-ai/gongu"
	"github.com/gongu-ai/gongu/internal/lang"
	"github.com/gongu-ai/gongu/internal/schema"
)

const toolSearchSettings = `
	"toolName": {"type": "string"},
	"maxResults": {"type": "integer", "minimum": 1, "maximum": 1000},
	"minQueryLength": {"type": "integer", "minimum": 0, "maximum": 1000},
	"persistSelection": {"type": "boolean"}`

type toolSearchConfig struct {
	ToolName       string `json:"toolName"`
	MaxResults     count  `json:"maxResults"`
	MinQueryLength count  `json:"minQueryLength"`
	// PersistSelection makes a search decide what the next steps show.
	PersistSelection bool `json:"persistSelection"`
}

// toolSearch lets the model look for tools and then shows it only those. What
// is not shown stays callable, and the next search looks through all of it.
type toolSearch struct {
	toolSearchConfig
	api *API
	mu  sync.Mutex
}

// toolSelection is the state: what was found, and when. It counts for the turn
// it was made in only.
type toolSelection struct {
	TurnID        string   `json:"turnId"`
	StepIndex     int      `json:"stepIndex"`
	SelectedTools []string `json:"selectedTools"`
}

type toolSearchInput struct {
	Query string `json:"query"`
	Limit *count `json:"limit"`
}

type toolSearchOutput struct {
	Query         string      `json:"query"`
	Results       []foundTool `json:"results"`
	SelectedTools []string    `json:"selectedTools"`
}

type foundTool struct {
	Name        string `json:"name"`
	Description string `json:"description,omitempty"`
}

func registerToolSearch(_ context.Context, api *API, raw json.RawMessage) error {
	s := &toolSearch{api: api, toolSearchConfig: toolSearchConfig{
		ToolName: "tool-search__search", MaxResults: 10, MinQueryLength: 1, PersistSelection: true,
	}}
	if err := readConfig(api, raw, toolSearchSettings, &s.toolSearchConfig); err != nil {
		return err
	}
	if _, _, ok := gongu.ParseName(s.ToolName); !ok {
		return configError(api, []string{"toolName"}, schema.Issue{Path: "args.toolName", Message: lang.BaseConfigName.With()})
	}
	tool, err := s.tool(languageOf(api))
	if err != nil {
		return err
	}
	if err := api.RegisterTool(tool); err != nil {
		return err
	}
	if s.PersistSelection {
		api.UseStep(0, s.step)
	}
	return nil
}

func (s *toolSearch) tool(language lang.Lang) (gongu.Tool, error) {
	description := lang.ToolSearch.Description
	if !s.PersistSelection {
		description = lang.ToolSearchOnly
	}
	tool := gongu.Func(s.ToolName, description.In(language), s.search)
	tool.Title = lang.ToolSearch.Title.In(language)
	tool.Annotations = gongu.Annotations{ReadOnly: new(true), Idempotent: new(true), OpenWorld: new(false)}
	parameters, err := json.Marshal(map[string]any{
		"type": "object", "additionalProperties": false, "required": []string{"query"},
		"properties": map[string]any{
			"query": map[string]any{"type": "string", "minLength": s.MinQueryLength, "description": lang.ToolSearch.Params["query"].In(language)},
			"limit": map[string]any{"type": "integer", "minimum": 1, "default": s.MaxResults, "description": lang.ToolSearch.Params["limit"].In(language)},
		},
	})
	tool.Parameters = gongu.Schema(parameters)
	return tool, err
}

func (s *toolSearch) search(ctx context.Context, in toolSearchInput) (toolSearchOutput, error) {
	query := strings.ToLower(strings.TrimSpace(in.Query))
	if least := int(s.MinQueryLength); utf8.RuneCountInString(query) < least {
		language := languageOf(s.api)
		issue := "args.query: " + lang.IssueMinLength.In(language, least)
		return toolSearchOutput{}, &gongu.Error{Code: gongu.CodeInvalidArgs, Message: lang.MessageInvalidArgs.In(language, s.ToolName, issue)}
	}
	limit := s.MaxResults
	if in.Limit != nil {
		limit = min(limit, *in.Limit)
	}
	out := toolSearchOutput{Query: in.Query, Results: []foundTool{}, SelectedTools: []string{}}
	if catalog := gongu.ContextOf(ctx).Catalog; catalog != nil && query != "" {
		for _, tool := range catalog.Callable() {
			if len(out.Results) == int(limit) {
				break
			}
			if tool.Name != s.ToolName && (contains(tool.Name, query) || contains(tool.Description, query)) {
				out.Results = append(out.Results, foundTool{tool.Name, tool.Description})
				out.SelectedTools = append(out.SelectedTools, tool.Name)
			}
		}
	}
	if s.PersistSelection {
		return out, s.choose(ctx, out.SelectedTools)
	}
	return out, nil
}

func contains(text, lowerCase string) bool {
	return strings.Contains(strings.ToLower(text), lowerCase)
}

// choose remembers what the next step is to show. Searches of one step run at
// the same time; what they find is shown together.
func (s *toolSearch) choose(ctx context.Context, names []string) error {
	chosen := toolSelection{StepIndex: -1, SelectedTools: names}
	if step, ok := StepOf(ctx); ok {
		chosen.TurnID, chosen.StepIndex = step.Turn.TurnID, step.Index
	} else {
		chosen.TurnID = gongu.ContextOf(ctx).TurnID
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if before := s.selection(); chosen.StepIndex >= 0 && before.TurnID == chosen.TurnID && before.StepIndex == chosen.StepIndex {
		chosen.SelectedTools = slices.Concat(before.SelectedTools, names)
		slices.Sort(chosen.SelectedTools)
		chosen.SelectedTools = slices.Compact(chosen.SelectedTools)
	}
	raw, err := json.Marshal(chosen)
	if err != nil {
		return fmt.Errorf("keep the selection: %w", err)
	}
	s.api.State.Set(raw)
	return nil
}

// selection reads the state. One that is not readable selects nothing.
func (s *toolSearch) selection() toolSelection {
	var selection toolSelection
	if json.Unmarshal(s.api.State.Get(), &selection) != nil {
		return toolSelection{}
	}
	return selection
}

// step shows what was found in this turn. It never leaves the model without
// the search tool or without anything that it found.
func (s *toolSearch) step(ctx context.Context, step *Step, next Next[StepResult]) (StepResult, error) {
	selection := s.selection()
	if step.Catalog == nil || selection.TurnID != step.Turn.TurnID || !step.Catalog.Has(s.ToolName) {
		return next(ctx)
	}
	show := []gongu.Rule{{Name: s.ToolName}}
	for _, name := range selection.SelectedTools {
		if step.Catalog.Has(name) {
			show = append(show, gongu.Rule{Name: name})
		}
	}
	if len(show) > 1 {
		narrowed, err := step.Catalog.Select(&gongu.CatalogOptions{Show: show})
		if err != nil {
			return StepResult{}, fmt.Errorf("show the selected tools: %w", err)
		}
		step.Catalog = narrowed
	}
	return next(ctx)
}
