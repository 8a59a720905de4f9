package host

import (
	"context"
	"encoding/json"
	"errors"
	"time"

	"github.com/gongu-ai/gongu"
	"github.com/gongu-ai/gongu/agent"
	"github.com/gongu-ai/gongu/internal/lang"
)

// Step is one step of an agent without a conversation: the agent's step
// middleware builds the catalog, and core gets an executor that has it, with a
// context for calls under it. Without an agent it is a step of the whole
// bundle. The error is core's, or that of a middleware or an extension.
//
// The bundle as it is now is used until core returns, whatever is loaded
// meanwhile. A tool that an extension registers in one step is there in the
// next.
func (h *Host) Step(ctx context.Context, name string, core func(ctx context.Context, x *gongu.Executor) error) error {
	return h.step(ctx, name, func(ctx context.Context, x *gongu.Executor) (agent.StepResult, error) {
		return agent.StepResult{}, core(ctx, x)
	})
}

// stepCompleted is the status of a step that ran to its end.
const stepCompleted = "completed"

func (h *Host) step(ctx context.Context, name string, core func(context.Context, *gongu.Executor) (agent.StepResult, error)) error {
	l, release := h.hold()
	defer release()
	s, err := h.scope(ctx, l, name)
	if err != nil {
		return err
	}
	catalog, err := s.catalog()
	if err != nil {
		return err
	}
	if ctx, err = h.contextOf(ctx, name, s.workdir); err != nil {
		return err
	}
	if s.extensions == nil {
		_, err := core(ctx, s.executorFor(catalog))
		return err
	}
	defer s.save()
	step := &agent.Step{Turn: s.turn(ctx), Catalog: catalog, Metadata: map[string]any{}}
	ran := false
	_, err = s.pipeline.RunStep(ctx, step, func(ctx context.Context, step *agent.Step) (agent.StepResult, error) {
		ran = true
		result, err := core(agent.WithStep(ctx, step), s.executorFor(step.Catalog))
		result.Status = stepCompleted
		if result.ToolCalls == nil {
			result.ToolCalls, result.ToolResults = []gongu.Call{}, []gongu.Result{}
		}
		result.Metadata = step.Metadata
		return result, err
	})
	if err == nil && !ran {
		err = errors.New(lang.HostStepSkipped.In(h.lang(), s.title()))
	}
	return err
}

// turn is what a step belongs to when there is no conversation.
func (s *scope) turn(ctx context.Context) *agent.Turn {
	at := gongu.ContextOf(ctx)
	now := time.Now().UTC().Format("2006-01-02T15:04:05.000Z")
	inbound := map[string]any{
		"eventId": at.TurnID, "eventType": "step", "sourceKind": "connector", "sourceName": at.AgentName,
		"createdAt": now, "instanceKey": at.InstanceKey,
	}
	about := map[string]any{"name": at.AgentName, "bundleRoot": s.host.dir}
	if s.agent != nil && s.agent.System != "" {
		about["prompt"] = map[string]any{"system": s.agent.System}
	}
	turn := &agent.Turn{
		AgentName: at.AgentName, InstanceKey: at.InstanceKey, TurnID: at.TurnID, TraceID: at.TraceID,
		Conversation: agent.NewConversation(nil), Agents: at.Runtime, Metadata: map[string]any{},
	}
	turn.Runtime = encodeFields(map[string]any{"agent": about, "inbound": inbound})
	turn.Input = encodeFields(map[string]any{
		"id": at.TurnID, "type": "step", "createdAt": now, "instanceKey": at.InstanceKey,
		"source": map[string]any{"kind": "connector", "name": at.AgentName},
	})
	return turn
}

func encodeFields(fields map[string]any) json.RawMessage { return fixedFields(fields).json() }

// hold keeps the bundle as it is now until release is called.
func (h *Host) hold() (l *loaded, release func()) {
	h.mu.RLock()
	defer h.mu.RUnlock()
	l = h.current
	l.mu.Lock()
	l.users++
	l.mu.Unlock()
	return l, func() {
		l.mu.Lock()
		l.users--
		last := l.retired && l.users == 0
		l.mu.Unlock()
		if last {
			h.warnClose(l.close())
		}
	}
}

// retire closes a bundle that was replaced, once nobody uses it any more.
func (l *loaded) retire() error {
	l.mu.Lock()
	l.retired = true
	used := l.users > 0
	l.mu.Unlock()
	if used {
		return nil
	}
	return l.close()
}

func (h *Host) closeLoaded() error {
	if l := h.now(); l != nil {
		return l.close()
	}
	return nil
}

func (h *Host) closeEngine() error {
	h.mu.RLock()
	engine := h.engine
	h.mu.RUnlock()
	if engine == nil {
		return nil
	}
	return engine.Close()
}

func (h *Host) warnClose(err error) {
	if err != nil {
		h.opts.Logger.Warn("closing what was replaced", "error", err)
	}
}

// scope is where an agent works, made for the first use.
func (h *Host) scope(ctx context.Context, l *loaded, name string) (*scope, error) {
	if made := l.scope(name); made != nil {
		return made, nil
	}
	select {
	case l.building <- struct{}{}:
	case <-ctx.Done():
		return nil, ctx.Err()
	}
	defer func() { <-l.building }()
	if made := l.scope(name); made != nil {
		return made, nil
	}
	made, err := h.newScope(ctx, l, name, h.registry.Tools())
	if err != nil {
		return nil, err
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	l.scopes[name] = made
	return made, nil
}

// scope is the one that was made for an agent, if any.
func (l *loaded) scope(name string) *scope {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.scopes[name]
}

// renewScopes makes the scopes that are in use for a bundle that is about to
// replace the one before. An agent that is gone has none.
func (h *Host) renewScopes(ctx context.Context, before, next *loaded, tools []gongu.Tool) error {
	if before == nil {
		return nil
	}
	all := append(h.foreignTools(before, next), tools...)
	for _, old := range before.allScopes() {
		if old.name != "" {
			if _, err := findAgent(next.bundle, old.name); err != nil {
				continue
			}
		}
		old.save()
		made, err := h.newScope(ctx, next, old.name, all)
		if err != nil {
			return err
		}
		next.scopes[old.name] = made
	}
	return nil
}

// foreignTools are those that neither bundle owns.
func (h *Host) foreignTools(before, next *loaded) []gongu.Tool {
	owned := map[string]bool{}
	for _, l := range []*loaded{before, next} {
		for _, source := range l.sources {
			owned[source.Identity()] = true
		}
	}
	var tools []gongu.Tool
	for _, tool := range h.registry.Tools() {
		if !owned[tool.Source.Identity()] {
			tools = append(tools, tool)
		}
	}
	return tools
}
