package script_test

import (
	"context"
	"encoding/json"
	"strings"
	"testing"
	"time"

	"github.com/gongu-ai/gongu"
	"github.com/gongu-ai/gongu/internal/lang"
	"github.com/gongu-ai/gongu/script"
)

// swarm answers with what it was asked.
type swarm struct{}

func (swarm) Request(_ context.Context, m gongu.AgentMessage) (gongu.AgentReply, error) {
	response, err := json.Marshal(map[string]any{"event": m.Event, "timeout": m.Timeout.String()})
	return gongu.AgentReply{EventID: "e1", Target: m.Target, Response: response, CorrelationID: "c1", Async: m.Async, Accepted: m.Async}, err
}

func (swarm) Send(_ context.Context, m gongu.AgentMessage) (gongu.AgentReply, error) {
	if m.Target == "none" {
		return gongu.AgentReply{}, &gongu.Error{Code: "AGENT_NOT_FOUND", Message: "no such agent"}
	}
	return gongu.AgentReply{EventID: "e2", Target: m.Target, Accepted: true}, nil
}

func (swarm) Spawn(_ context.Context, wanted gongu.AgentInfo) (gongu.AgentInfo, error) {
	if wanted.InstanceKey == "" {
		return gongu.AgentInfo{}, &gongu.Error{Code: "E_TOOL_DENIED", Message: "not you", Suggestion: "ask somebody"}
	}
	return wanted, nil
}

func (swarm) List(_ context.Context, includeAll bool) ([]gongu.AgentInfo, error) {
	if !includeAll {
		return nil, nil
	}
	return []gongu.AgentInfo{{Target: "b", InstanceKey: "k", OwnerAgent: "a", OwnerInstanceKey: "i", CreatedAt: time.Unix(0, 0).UTC()}}, nil
}

func (swarm) Catalog(context.Context) (gongu.AgentCatalog, error) {
	return gongu.AgentCatalog{SwarmName: "s", EntryAgent: "a", SelfAgent: "a", AvailableAgents: []string{"a", "b"}, CallableAgents: []string{"b"}}, nil
}

// The fields that goondan's ctx.runtime takes and returns, and no others.
func TestAskAgents(t *testing.T) {
	for _, tc := range []struct{ operation, params, want string }{
		{"request", `{"target":"b","event":{"input":"x"},"options":{"timeoutMs":1500,"async":true}}`,
			`{"eventId":"e1","target":"b","response":{"event":{"input":"x"},"timeout":"1.5s"},"correlationId":"c1","accepted":true,"async":true}`},
		{"request", `{"target":"b","event":{},"options":{"timeoutMs":-5}}`, `{"eventId":"e1","target":"b","response":{"event":{},"timeout":"0s"},"correlationId":"c1"}`},
		{"request", `{"target":"b","event":{},"options":{"timeoutMs":1.5}}`, `{"eventId":"e1","target":"b","response":{"event":{},"timeout":"0s"},"correlationId":"c1"}`},
		{"request", `{"target":"b","event":{},"options":{"timeoutMs":1e300}}`, `{"eventId":"e1","target":"b","response":{"event":{},"timeout":"0s"},"correlationId":"c1"}`},
		{"send", `{"target":"b","event":{}}`, `{"accepted":true,"eventId":"e2","target":"b"}`},
		{"spawn", `{"target":"b","options":{"instanceKey":"k","cwd":"/w"}}`, `{"target":"b","instanceKey":"k","spawned":false,"cwd":"/w"}`},
		{"list", `{}`, `{"agents":[]}`},
		{"list", `{"options":{"includeAll":true}}`, `{"agents":[{"target":"b","instanceKey":"k","ownerAgent":"a","ownerInstanceKey":"i","createdAt":"1970-01-01T00:00:00Z"}]}`},
		{"catalog", `{}`, `{"swarmName":"s","entryAgent":"a","selfAgent":"a","availableAgents":["a","b"],"callableAgents":["b"]}`},
	} {
		got, err := script.AskAgents(t.Context(), lang.English, swarm{}, tc.operation, json.RawMessage(tc.params))
		if err != nil || string(got) != tc.want {
			t.Errorf("%s %s: %s, %v", tc.operation, tc.params, got, err)
		}
	}
	for operation, params := range map[string]string{"drop": `{}`, "send": `{"target":1}`} {
		if _, err := script.AskAgents(t.Context(), lang.English, swarm{}, operation, json.RawMessage(params)); err == nil || !strings.Contains(err.Error(), operation) {
			t.Errorf("%s %s: %v", operation, params, err)
		}
	}
	if _, err := script.AskAgents(t.Context(), lang.English, nil, "catalog", json.RawMessage(`{}`)); err == nil {
		t.Error("nil runtime answered")
	}
}
