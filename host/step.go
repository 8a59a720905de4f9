package host

import (
	"context"
	"encoding/json"
	"errors"
	"sync"
	"time"

	"github.com/gongu-ai/gongu"
	"github.com/gongu-ai/gongu/agent"
	"github.com/gongu-ai/gongu/internal/lang"
)

// Scope runs the turns and steps of one instance of an agent. It is a handle:
// what the instance works with is made when it is first needed, made again
// after a reload, and closed when the instance is idle.
type Scope struct {
	host *Host
	at   Address
}

// Scope returns the scope of an address. The error is about the agent and its
// extensions.
func (h *Host) Scope(ctx context.Context, at Address) (*Scope, error) {
	_, release, err := h.acquireScope(ctx, at)
	if err != nil {
		return nil, err
	}
	release()
	return &Scope{h, at}, nil
}

// Catalog returns the catalog that the next step begins with: the agent's
// spec.tools in that order, what its extensions have added so far, and the discovery tools. Step
// middleware may change it, and a step narrows it to what the principal may
// use.
func (s *Scope) Catalog(ctx context.Context) (*gongu.Catalog, error) {
	live, release, err := s.host.acquireScope(ctx, s.at)
	if err != nil {
		return nil, err
	}
	defer release()
	return live.catalog()
}

// Context attaches the agent, the instance, ids and the working directory of the
// instance.
func (s *Scope) Context(ctx context.Context) (context.Context, error) {
	live, release, err := s.host.acquireScope(ctx, s.at)
	if err != nil {
		return nil, err
	}
	defer release()
	return s.host.contextOf(ctx, live.at, live.workdir)
}

// Turn runs core through the turn middleware of the extensions. Steps that core
// runs with the same turn belong to it.
func (s *Scope) Turn(ctx context.Context, t *agent.Turn, core func(context.Context, *agent.Turn) (agent.TurnResult, error)) agent.TurnResult {
	live, release, err := s.host.acquireScope(ctx, s.at)
	if err != nil {
		return agent.TurnResult{TurnID: t.TurnID, FinishReason: agent.FinishError, Error: agent.ErrorOf(err)}
	}
	defer release()
	defer live.save()
	return live.pipeline.RunTurn(ctx, t, core)
}

// Step runs one step: the step middleware of the extensions builds the catalog,
// it is narrowed to what the principal of ctx may use, and core gets an
// executor that has it, with a context for calls. A nil turn is a turn of this
// one step, without a conversation. The error is core's, or that of a
// middleware or an extension.
//
// The bundle as it is now is used until core returns, whatever is loaded
// meanwhile. A tool that an extension registers in one step is in the catalog of
// the next.
func (s *Scope) Step(ctx context.Context, t *agent.Turn, core func(ctx context.Context, x *gongu.Executor) error) error {
	live, release, err := s.host.acquireScope(ctx, s.at)
	if err != nil {
		return err
	}
	defer release()
	catalog, err := live.catalog()
	if err != nil {
		return err
	}
	if ctx, err = s.host.contextOf(ctx, live.at, live.workdir); err != nil {
		return err
	}
	if live.extensions == nil {
		return live.run(ctx, catalog, core)
	}
	if t == nil {
		t = live.turn(ctx)
	}
	defer live.save()
	return live.stepThrough(ctx, t, catalog, func(ctx context.Context, catalog *gongu.Catalog) error {
		return live.run(ctx, catalog, core)
	})
}

// Step is [Scope.Step] for an agent's scope in the host's own instance, as a
// turn of one step. Without an agent it is a step of the whole bundle.
func (h *Host) Step(ctx context.Context, agent string, core func(ctx context.Context, x *gongu.Executor) error) error {
	return (&Scope{h, Address{Agent: agent}}).Step(ctx, nil, core)
}

// Call makes one call under an agent's catalog, or under everything: a step of
// one call. A failure of the tool is in the result; the error is about the
// agent and its extensions.
func (h *Host) Call(ctx context.Context, agent string, call gongu.Call) (result gongu.Result, err error) {
	h.Prepare(ctx, call.Name)
	err = h.Step(ctx, agent, func(ctx context.Context, x *gongu.Executor) error {
		result = x.Call(ctx, call)
		return nil
	})
	return result, err
}

// stepThrough runs a step through the middleware of the extensions. Core gets the
// catalog that they made.
func (s *scope) stepThrough(ctx context.Context, t *agent.Turn, catalog *gongu.Catalog, core func(context.Context, *gongu.Catalog) error) error {
	step := &agent.Step{Turn: t, Index: t.BeginStep(), Catalog: catalog, Metadata: map[string]any{}}
	ran := false
	_, err := s.pipeline.RunStep(ctx, step, func(ctx context.Context, step *agent.Step) (agent.StepResult, error) {
		ran = true
		made := &madeCalls{running: map[*gongu.Attempt]int{}}
		ctx = context.WithValue(agent.WithStep(ctx, step), madeCallsKey{}, made)
		err := core(ctx, step.Catalog)
		calls, results := made.list()
		return agent.StepResult{
			Status: agent.StepCompleted, ToolCalls: calls, ToolResults: results, Metadata: step.Metadata,
		}, err
	})
	if err == nil && !ran {
		err = errors.New(lang.HostStepSkipped.In(s.host.lang(), s.title()))
	}
	return err
}

// run gives core an executor with the part of a catalog that the principal of
// ctx may use.
func (s *scope) run(ctx context.Context, catalog *gongu.Catalog, core func(context.Context, *gongu.Executor) error) error {
	allowed, err := s.host.opts.Access.Catalog(gongu.PrincipalOf(ctx), s.at.Agent, catalog)
	if err != nil {
		return err
	}
	return core(ctx, s.executorFor(allowed))
}

// madeCalls collects the calls of a step for its middleware, in the order in
// which they began.
type madeCalls struct {
	mu      sync.Mutex
	ended   []endedCall
	running map[*gongu.Attempt]int // indexes in ended
}

type endedCall struct {
	call   gongu.Call
	result *gongu.Result // nil while the call runs
}

type madeCallsKey struct{}

// list returns the calls that have ended. Their arguments are those that the
// tool got.
func (m *madeCalls) list() ([]gongu.Call, []gongu.Result) {
	m.mu.Lock()
	defer m.mu.Unlock()
	calls, results := []gongu.Call{}, []gongu.Result{}
	for _, made := range m.ended {
		if made.result == nil {
			continue
		}
		if !json.Valid(made.call.Args) {
			made.call.Args = nil // the result has the error
		}
		calls, results = append(calls, made.call), append(results, *made.result)
	}
	return calls, results
}

// stepCalls is an observer that records the calls of a step. Calls that a tool
// makes are not calls of the step.
type stepCalls struct{}

var _ gongu.Observer = stepCalls{}

// Begin records the call.
func (stepCalls) Begin(ctx context.Context, a *gongu.Attempt) context.Context {
	if made, ok := ctx.Value(madeCallsKey{}).(*madeCalls); ok && a.Parent == nil {
		made.mu.Lock()
		defer made.mu.Unlock()
		made.running[a] = len(made.ended)
		made.ended = append(made.ended, endedCall{})
	}
	return ctx
}

// End records the result.
func (stepCalls) End(ctx context.Context, a *gongu.Attempt, r gongu.Result) {
	made, ok := ctx.Value(madeCallsKey{}).(*madeCalls)
	if !ok {
		return
	}
	made.mu.Lock()
	defer made.mu.Unlock()
	if i, ok := made.running[a]; ok {
		delete(made.running, a)
		made.ended[i] = endedCall{a.Call, &r}
	}
}

// turn returns the turn of a step without a conversation.
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
		h.opts.Logger.Warn("closing the previous bundle failed", "error", err)
	}
}
