package agent

import (
	"context"
	"encoding/json"
	"slices"
	"strings"
	"sync"

	"github.com/gongu-ai/gongu/internal/lang"
)

const requiredToolsSettings = `
	"requiredTools": {"type": "array", "items": {"type": "string", "minLength": 1}},
	"errorMessage": {"type": "string", "pattern": "\\S"}`

// stepFailed is the status of a step that must not be repeated.
const stepFailed = "failed"

type requiredToolsConfig struct {
	RequiredTools []string `json:"requiredTools"`
	ErrorMessage  string   `json:"errorMessage"`
}

// requiredTools keeps a turn going until one of the tools has succeeded in it.
// The limit of steps still ends it.
type requiredTools struct {
	requiredToolsConfig
	api *API

	mu        sync.Mutex
	satisfied map[*Turn]bool
}

func registerRequiredTools(_ context.Context, api *API, raw json.RawMessage) error {
	g := &requiredTools{api: api, satisfied: make(map[*Turn]bool)}
	if err := readConfig(api, raw, requiredToolsSettings, &g.requiredToolsConfig); err != nil {
		return err
	}
	if len(g.RequiredTools) == 0 {
		return nil
	}
	if g.ErrorMessage == "" {
		g.ErrorMessage = lang.RequiredToolsMissing.In(languageOf(api), strings.Join(g.RequiredTools, ", "))
	}
	api.UseTurn(0, g.turn)
	api.UseStep(0, g.step)
	return nil
}

// turn forgets at its end what its steps achieved.
func (g *requiredTools) turn(ctx context.Context, turn *Turn, next Next[TurnResult]) (TurnResult, error) {
	defer func() {
		g.mu.Lock()
		defer g.mu.Unlock()
		delete(g.satisfied, turn)
	}()
	return next(ctx)
}

func (g *requiredTools) step(ctx context.Context, step *Step, next Next[StepResult]) (StepResult, error) {
	result, err := next(ctx)
	if err != nil || result.Status == stepFailed || g.isSatisfied(step.Turn, result) || result.ShouldContinue {
		return result, err
	}
	message := newMessage(g.api, "user", g.ErrorMessage)
	if err := step.Turn.Conversation.Emit(MessageEvent{Type: EventAppend, Message: &message}); err != nil {
		return result, err
	}
	result.ShouldContinue = true
	return result, nil
}

func (g *requiredTools) isSatisfied(turn *Turn, result StepResult) bool {
	g.mu.Lock()
	defer g.mu.Unlock()
	for _, r := range result.ToolResults {
		if !r.Failed() && slices.Contains(g.RequiredTools, r.ToolName) {
			g.satisfied[turn] = true
		}
	}
	return g.satisfied[turn]
}
