package agent

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"sync"
	"sync/atomic"

	"github.com/gongu-ai/gongu"
	"github.com/gongu-ai/gongu/internal/chain"
)

// Turn is the context of middleware around a turn, which may change Metadata.
type Turn struct {
	AgentName, InstanceKey, TurnID, TraceID string
	// Input is the event that started the turn.
	Input        json.RawMessage
	Conversation *Conversation
	// Runtime says which agent, swarm and inbound event this is.
	Runtime  json.RawMessage
	Agents   gongu.AgentRuntime
	Metadata map[string]any

	steps atomic.Int64
}

// BeginStep counts one more step of the turn and returns its index, from 0.
func (t *Turn) BeginStep() int { return int(t.steps.Add(1)) - 1 }

// The ways a turn ends.
const (
	FinishText     = "text_response"
	FinishMaxSteps = "max_steps"
	FinishError    = "error"
)

// TurnResult is how a turn ended.
type TurnResult struct {
	TurnID       string       `json:"turnId"`
	Response     *Message     `json:"responseMessage,omitempty"`
	FinishReason string       `json:"finishReason"`
	Error        *gongu.Error `json:"error,omitempty"`
}

// Step is the context of middleware around a step. A middleware that assigns
// Catalog decides what the model is shown, and may call, in this step.
type Step struct {
	Turn     *Turn
	Index    int
	Catalog  *gongu.Catalog
	Metadata map[string]any
}

// ID is the step's name in events, counted from 0.
func (s *Step) ID() string { return fmt.Sprintf("%s-step-%d", s.Turn.TurnID, s.Index) }

// StepCompleted is the status of a step that ran to its end.
const StepCompleted = "completed"

// StepResult is how a step ended. A middleware may change ShouldContinue to
// make the turn go on or end.
type StepResult struct {
	Status         string         `json:"status"`
	ShouldContinue bool           `json:"shouldContinue"`
	ToolCalls      []gongu.Call   `json:"toolCalls"`
	ToolResults    []gongu.Result `json:"toolResults"`
	Metadata       map[string]any `json:"metadata"`
}

// ToolCall is the context of middleware around a tool call, which may assign
// Args.
type ToolCall struct {
	StepIndex  int
	ToolName   string
	ToolCallID string
	Args       json.RawMessage
	Metadata   map[string]any
}

// Next runs the rest of a level. A second call returns the first result.
type Next[R any] func(ctx context.Context) (R, error)

// TurnMiddleware, StepMiddleware and ToolCallMiddleware wrap the rest of their
// level: what happens before next, and what is made of its result.
type (
	TurnMiddleware     func(ctx context.Context, turn *Turn, next Next[TurnResult]) (TurnResult, error)
	StepMiddleware     func(ctx context.Context, step *Step, next Next[StepResult]) (StepResult, error)
	ToolCallMiddleware func(ctx context.Context, call *ToolCall, next Next[gongu.Result]) (gongu.Result, error)
)

// Pipeline holds the middleware of an agent. Lower priorities are further out;
// equal ones keep the order in which they were added. The zero value is ready.
type Pipeline struct {
	turns level[*Turn, TurnResult]
	steps level[*Step, StepResult]
}

// UseTurn adds a middleware around turns. The returned function removes it.
func (p *Pipeline) UseTurn(priority int, m TurnMiddleware) (remove func()) {
	return p.turns.Add(priority, m)
}

// UseStep adds a middleware around steps.
func (p *Pipeline) UseStep(priority int, m StepMiddleware) (remove func()) {
	return p.steps.Add(priority, m)
}

// RunTurn runs a turn through its middleware. What any of it throws or returns
// as an error ends the turn with a result that says so.
func (p *Pipeline) RunTurn(ctx context.Context, turn *Turn, core func(context.Context, *Turn) (TurnResult, error)) TurnResult {
	result, err := runLevel(ctx, &p.turns, turn, core)
	if err != nil {
		return TurnResult{TurnID: turn.TurnID, FinishReason: FinishError, Error: ErrorOf(err)}
	}
	result.TurnID = turn.TurnID
	return result
}

// RunStep runs a step through its middleware.
func (p *Pipeline) RunStep(ctx context.Context, step *Step, core func(context.Context, *Step) (StepResult, error)) (StepResult, error) {
	return runLevel(ctx, &p.steps, step, core)
}

// ToolCallLayer is a tool call middleware in the form the executor takes.
func ToolCallLayer(m ToolCallMiddleware) gongu.Middleware {
	return func(next gongu.Invoke) gongu.Invoke {
		return func(ctx context.Context, call gongu.Call) gongu.Result {
			c := &ToolCall{StepIndex: stepIndexOf(ctx), ToolName: call.Name, ToolCallID: call.ID, Args: call.Args, Metadata: metadataOf(ctx, call)}
			result, err := m(ctx, c, once(func(ctx context.Context) (gongu.Result, error) {
				passed := call
				passed.Args = c.Args
				return next(context.WithValue(ctx, callKey{}, c), passed), nil
			}))
			if err != nil {
				return gongu.Fail(err)
			}
			return result
		}
	}
}

type callKey struct{}

// metadataOf is what the middleware further out has made of the metadata of
// this very call; a call that a tool makes has its own.
func metadataOf(ctx context.Context, call gongu.Call) map[string]any {
	outer, ok := ctx.Value(callKey{}).(*ToolCall)
	if ok && outer.ToolCallID == call.ID && outer.ToolName == call.Name && outer.Metadata != nil {
		return outer.Metadata
	}
	return map[string]any{}
}

type stepKey struct{}

// WithStep marks the calls made with the context as those of a step.
func WithStep(ctx context.Context, step *Step) context.Context {
	return context.WithValue(ctx, stepKey{}, step)
}

// StepOf returns the step that a call belongs to.
func StepOf(ctx context.Context) (*Step, bool) {
	step, ok := ctx.Value(stepKey{}).(*Step)
	return step, ok
}

func stepIndexOf(ctx context.Context) int {
	if step, ok := StepOf(ctx); ok {
		return step.Index
	}
	return 0
}

// level is the middleware of one level, C its context and R its result.
type level[C, R any] = chain.Chain[func(ctx context.Context, c C, next Next[R]) (R, error)]

// runLevel composes the middleware that is there now around the core. A panic
// anywhere is an error.
func runLevel[C, R any](ctx context.Context, l *level[C, R], c C, core func(context.Context, C) (R, error)) (R, error) {
	innermost := once(func(ctx context.Context) (R, error) { return core(ctx, c) })
	run := chain.Wrap(l.Layers(), innermost, func(m func(context.Context, C, Next[R]) (R, error), next Next[R]) Next[R] {
		return once(func(ctx context.Context) (R, error) { return m(ctx, c, next) })
	})
	return run(ctx)
}

// once runs fn for the first caller and gives every later one the same answer.
// A panic is its error.
func once[R any](fn Next[R]) Next[R] {
	var mu sync.Mutex
	var ran bool
	var result R
	var err error
	return func(ctx context.Context) (R, error) {
		mu.Lock()
		defer mu.Unlock()
		if !ran {
			ran = true
			result, err = guarded(ctx, fn)
		}
		return result, err
	}
}

func guarded[R any](ctx context.Context, fn Next[R]) (result R, err error) {
	defer func() {
		if thrown := recover(); thrown != nil {
			err = thrownError(thrown)
		}
	}()
	return fn(ctx)
}

func thrownError(thrown any) error {
	if err, ok := thrown.(error); ok {
		return fmt.Errorf("panic: %w", err)
	}
	return fmt.Errorf("panic: %v", thrown)
}

// ErrorOf is an error as turns and results carry it.
func ErrorOf(err error) *gongu.Error {
	if known, ok := errors.AsType[*gongu.Error](err); ok {
		return known
	}
	return &gongu.Error{Message: err.Error(), Code: gongu.CodeTool}
}
