package agent

import (
	"context"
	"encoding/json"
	"log/slog"
	"time"

	"github.com/gongu-ai/gongu"
)

const loggingSettings = `
	"level": {"type": "string", "enum": ["debug", "info", "warn", "error"]},
	"includeToolArgs": {"type": "boolean"},
	"includeTurnMetadata": {"type": "boolean"}`

type loggingConfig struct {
	// Level is the least that is logged.
	Level               slog.Level `json:"level"`
	IncludeToolArgs     bool       `json:"includeToolArgs"`
	IncludeTurnMetadata bool       `json:"includeTurnMetadata"`
}

// logging logs turns and steps at level info, tool calls at debug and failures at
// error.
type logging struct {
	loggingConfig
	logger *slog.Logger
}

func registerLogging(_ context.Context, api *API, raw json.RawMessage) error {
	l := &logging{logger: api.Logger, loggingConfig: loggingConfig{Level: slog.LevelInfo, IncludeTurnMetadata: true}}
	if err := readConfig(api, raw, loggingSettings, &l.loggingConfig); err != nil {
		return err
	}
	api.UseTurn(0, l.turn)
	api.UseStep(0, l.step)
	api.UseToolCall(0, l.toolCall)
	return nil
}

func (l *logging) log(ctx context.Context, level slog.Level, message string, attrs ...slog.Attr) {
	if level >= l.Level {
		l.logger.LogAttrs(ctx, level, message, attrs...)
	}
}

// since is how long something took.
func since(started time.Time) slog.Attr {
	return slog.Int64("durationMs", time.Since(started).Milliseconds())
}

func (l *logging) turn(ctx context.Context, turn *Turn, next Next[TurnResult]) (TurnResult, error) {
	started, id := time.Now(), slog.String("turnId", turn.TurnID)
	about := []slog.Attr{id}
	if l.IncludeTurnMetadata {
		about = append(about, slog.String("traceId", turn.TraceID), slog.String("agentName", turn.AgentName),
			slog.String("instanceKey", turn.InstanceKey), slog.String("inputType", inputType(turn.Input)))
	}
	l.log(ctx, slog.LevelInfo, "turn started", about...)
	result, err := next(ctx)
	switch {
	case err != nil:
		l.log(ctx, slog.LevelError, "turn failed", id, since(started), slog.String("error", err.Error()))
	case result.FinishReason == FinishError && result.Error != nil:
		l.log(ctx, slog.LevelError, "turn failed", id, since(started), slog.String("error", result.Error.Message))
	default:
		l.log(ctx, slog.LevelInfo, "turn completed", id, since(started), slog.String("finishReason", result.FinishReason))
	}
	return result, err
}

func inputType(event json.RawMessage) string {
	var input struct {
		Type string `json:"type"`
	}
	if json.Unmarshal(event, &input) != nil {
		return ""
	}
	return input.Type
}

func (l *logging) step(ctx context.Context, step *Step, next Next[StepResult]) (StepResult, error) {
	started, id := time.Now(), slog.String("stepId", step.ID())
	about := []slog.Attr{id, slog.Int("stepIndex", step.Index)}
	if step.Catalog != nil && l.Level <= slog.LevelInfo {
		about = append(about, slog.Int("catalogSize", len(step.Catalog.Visible())))
	}
	l.log(ctx, slog.LevelInfo, "step started", about...)
	result, err := next(ctx)
	if err != nil {
		l.log(ctx, slog.LevelError, "step failed", id, since(started), slog.String("error", err.Error()))
		return result, err
	}
	l.log(ctx, slog.LevelInfo, "step completed", id, since(started),
		slog.Int("toolCalls", len(result.ToolCalls)), slog.Bool("shouldContinue", result.ShouldContinue))
	return result, nil
}

func (l *logging) toolCall(ctx context.Context, call *ToolCall, next Next[gongu.Result]) (gongu.Result, error) {
	started := time.Now()
	about := []slog.Attr{
		slog.String("toolName", call.ToolName), slog.String("toolCallId", call.ToolCallID), slog.Int("stepIndex", call.StepIndex),
	}
	startedWith := about
	if l.IncludeToolArgs {
		startedWith = append(startedWith[:len(about):len(about)], slog.String("args", string(call.Args)))
	}
	l.log(ctx, slog.LevelDebug, "tool called", startedWith...)
	result, err := next(ctx)
	if err != nil {
		l.log(ctx, slog.LevelError, "tool failed", append(about, since(started), slog.String("error", err.Error()))...)
		return result, err
	}
	l.log(ctx, slog.LevelDebug, "tool answered", append(about, since(started), slog.String("status", result.Status))...)
	return result, nil
}
