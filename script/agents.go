package script

import (
	"context"
	"encoding/json"
	"errors"
	"time"

	"github.com/gongu-ai/gongu"
	"github.com/gongu-ai/gongu/internal/lang"
)

// AskAgents performs an operation of ctx.runtime or ctx.agents of a script
// (request, send, spawn, list or catalog) and returns its answer, both as JSON
// in the form that scripts know.
func AskAgents(ctx context.Context, l lang.Lang, runtime gongu.AgentRuntime, operation string, params json.RawMessage) (json.RawMessage, error) {
	if runtime == nil {
		return nil, errors.New(lang.ScriptNoAgents.In(l))
	}
	var in struct {
		Target  string          `json:"target"`
		Event   json.RawMessage `json:"event"`
		Options struct {
			TimeoutMs   float64 `json:"timeoutMs"`
			Async       bool    `json:"async"`
			InstanceKey string  `json:"instanceKey"`
			Cwd         string  `json:"cwd"`
			IncludeAll  bool    `json:"includeAll"`
		} `json:"options"`
	}
	if err := json.Unmarshal(params, &in); err != nil {
		return nil, errors.New(lang.ScriptAgentsParams.In(l, operation, err))
	}
	switch operation {
	case "request":
		message := gongu.AgentMessage{Target: in.Target, Event: in.Event, Timeout: requestTimeout(in.Options.TimeoutMs), Async: in.Options.Async}
		return answered(runtime.Request(ctx, message))
	case "send":
		reply, err := runtime.Send(ctx, gongu.AgentMessage{Target: in.Target, Event: in.Event})
		return answered(map[string]any{"eventId": reply.EventID, "target": reply.Target, "accepted": reply.Accepted}, err)
	case "spawn":
		made, err := runtime.Spawn(ctx, gongu.AgentInfo{Target: in.Target, InstanceKey: in.Options.InstanceKey, Cwd: in.Options.Cwd})
		return answered(struct {
			Target      string `json:"target"`
			InstanceKey string `json:"instanceKey"`
			Spawned     bool   `json:"spawned"`
			Cwd         string `json:"cwd,omitempty"`
		}{made.Target, made.InstanceKey, made.Spawned, made.Cwd}, err)
	case "list":
		agents, err := runtime.List(ctx, in.Options.IncludeAll)
		return answered(map[string]any{"agents": append([]gongu.AgentInfo{}, agents...)}, err)
	case "catalog":
		catalog, err := runtime.Catalog(ctx)
		catalog.AvailableAgents = append([]string{}, catalog.AvailableAgents...)
		catalog.CallableAgents = append([]string{}, catalog.CallableAgents...)
		return answered(catalog, err)
	}
	return nil, errors.New(lang.ScriptAgentsOperation.In(l, operation))
}

// requestTimeout is zero, which is the runtime's default, for what is not a
// positive whole number of milliseconds.
func requestTimeout(ms float64) time.Duration {
	const longest = float64(1<<63-1) / float64(time.Millisecond)
	if ms <= 0 || ms >= longest || ms != float64(int64(ms)) {
		return 0
	}
	return time.Duration(ms) * time.Millisecond
}

func answered(answer any, err error) (json.RawMessage, error) {
	if err != nil {
		return nil, err
	}
	return json.Marshal(answer)
}
