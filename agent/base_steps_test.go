package agent

import (
	"context"
	"encoding/json"
	"errors"
	"strings"
	"testing"

	"github.com/gongu-ai/gongu"
)

func breakSteps(_ context.Context, api *API, _ json.RawMessage) error {
	api.UseStep(10, func(context.Context, *Step, Next[StepResult]) (StepResult, error) {
		return StepResult{}, errors.New("no model")
	})
	return nil
}

func baseSearch(id, args string) gongu.Call {
	return gongu.Call{ID: id, Name: "tool-search__search", Args: json.RawMessage(args)}
}

const baseAllTools = "bash__exec file-system__read wait__seconds tool-search__search"

// Goondan 141: what was found, and the search tool, is what the next step shows.
func TestGoondan141_ToolSearch(t *testing.T) {
	r := loadBase(t, "tool-search", "")
	r.run(&Turn{TurnID: "t1"}, []gongu.Call{baseSearch("c1", `{"query":" BASH "}`)}, []gongu.Call{baseCall("bash__exec", `{}`), baseCall("wait__seconds", `{}`)})
	if want := []string{baseAllTools, "bash__exec tool-search__search", "bash__exec tool-search__search"}; strings.Join(r.shown, "|") != strings.Join(want, "|") {
		t.Errorf("shown %q", r.shown)
	}
	want := `{"query":" BASH ","results":[{"name":"bash__exec","description":"Runs a command."}],"selectedTools":["bash__exec"]}`
	if string(r.results[0].Output) != want {
		t.Errorf("output %s (%v)", r.results[0].Output, r.results[0].Error)
	}
	for _, result := range r.results[1:] {
		if result.Failed() {
			t.Errorf("%s: what is not shown stays callable: %v", result.ToolName, result.Error)
		}
	}
	var state toolSelection
	if err := json.Unmarshal(r.loaded.apis[0].State.Get(), &state); err != nil || state.TurnID != "t1" || strings.Join(state.SelectedTools, " ") != "bash__exec" {
		t.Errorf("state %+v, %v", state, err)
	}
	if err := r.loaded.Save(); err != nil {
		t.Error(err)
	}
}

// Goondan 142, W15: a second search finds what the first one did not select,
// and a selection ends with its turn.
func TestGoondan142_SecondSearch(t *testing.T) {
	r := loadBase(t, "tool-search", "")
	r.run(&Turn{TurnID: "t1"},
		[]gongu.Call{baseSearch("c1", `{"query":"bash"}`)},
		[]gongu.Call{baseSearch("c2", `{"query":"reads a"}`)},
		[]gongu.Call{baseSearch("c3", `{"query":"bash"}`), baseSearch("c4", `{"query":"wait"}`)},
		[]gongu.Call{baseSearch("c5", `{"query":"nothing like it"}`)},
		[]gongu.Call{baseSearch("c6", `{"query":"bash"}`)},
	)
	r.run(&Turn{TurnID: "t2"})
	want := []string{
		baseAllTools,
		"bash__exec tool-search__search",
		"file-system__read tool-search__search",
		"bash__exec wait__seconds tool-search__search", // two searches of one step
		baseAllTools,                                   // nothing found
		"bash__exec tool-search__search",
		baseAllTools, // the next turn
	}
	if strings.Join(r.shown, "|") != strings.Join(want, "|") {
		t.Errorf("shown %q", r.shown)
	}
}

func TestToolSearchSettings(t *testing.T) {
	r := loadBase(t, "tool-search", `{"toolName":"find__tool","maxResults":2,"minQueryLength":2,"persistSelection":false}`)
	find := func(args string) gongu.Call {
		return gongu.Call{ID: args, Name: "find__tool", Args: json.RawMessage(args)}
	}
	r.run(&Turn{TurnID: "t1"}, []gongu.Call{find(`{"query":"__"}`), find(`{"query":"__","limit":1}`), find(`{"query":"__","limit":9}`), find(`{"query":"find"}`), find(`{"query":"b   "}`), find(`{"query":"b"}`)})
	if r.shown[1] != strings.Replace(baseAllTools, "tool-search__search", "find__tool", 1) {
		t.Errorf("without a selection the next step shows %s", r.shown[1])
	}
	for i, want := range []int{2, 1, 2, 0} {
		var out toolSearchOutput
		if err := json.Unmarshal(r.results[i].Output, &out); err != nil || len(out.Results) != want {
			t.Errorf("search %d: %s, want %d results", i, r.results[i].Output, want)
		}
	}
	for _, result := range r.results[4:] {
		if !result.Failed() || result.Error.Code != gongu.CodeInvalidArgs || !strings.Contains(result.Error.Message, "args.query: must be at least 2 characters long") {
			t.Errorf("a short query gives %+v", result)
		}
	}
	// What the step's catalog forbids is not found and not shown.
	r = loadBase(t, "tool-search", "")
	step := &Step{Turn: &Turn{TurnID: "t1"}, Catalog: gongu.Everything(r.registry).Restrict("tool-search__search", "wait__seconds")}
	if _, err := r.step(t.Context(), step, []gongu.Call{baseSearch("c1", `{"query":"e"}`)}); err != nil || strings.Contains(string(r.results[0].Output), "bash") {
		t.Errorf("%s, %v", r.results[0].Output, err)
	}
	step = &Step{Turn: step.Turn, Index: 1, Catalog: gongu.Everything(r.registry).Restrict("bash__exec")}
	if _, err := r.step(t.Context(), step, nil); err != nil || r.shown[1] != "bash__exec" {
		t.Errorf("a catalog without the search tool shows %s", r.shown[1])
	}
	// Outside a step the turn of the call counts; a broken state selects nothing.
	ctx, err := gongu.WithContext(t.Context(), gongu.Context{AgentName: "a", InstanceKey: "i", TurnID: "t9", TraceID: strings.Repeat("0", 32)})
	if err != nil {
		t.Fatal(err)
	}
	r.executor.WithCatalog(gongu.Everything(r.registry)).Call(ctx, baseSearch("c2", `{"query":"wait"}`))
	r.run(&Turn{TurnID: "t9"})
	r.loaded.apis[0].State.Set(json.RawMessage(`[]`))
	r.run(&Turn{TurnID: "t9"})
	if r.shown[2] != "wait__seconds tool-search__search" || r.shown[3] != baseAllTools {
		t.Errorf("shown %q", r.shown[2:])
	}
}

// Goondan 143: a turn does not end before a required tool has succeeded in it.
func TestGoondan143_RequiredTools(t *testing.T) {
	r := loadBase(t, "required-tools-guard", `{"requiredTools":["bash__exec","wait__seconds"]}`)
	r.maxSteps = 4
	ok, bad, other := baseCall("bash__exec", `{}`), baseCall("bash__exec", `{"fail":true}`), baseCall("file-system__read", `{}`)
	for _, tc := range []struct {
		name    string
		script  [][]gongu.Call
		reason  string
		remarks int
	}{
		{"at once", [][]gongu.Call{{ok}}, FinishText, 0},
		{"one suffices, whenever", [][]gongu.Call{{ok}, {other}}, FinishText, 0},
		{"after a reminder", [][]gongu.Call{{}, {ok}}, FinishText, 1},
		{"never", nil, FinishMaxSteps, 4},
		{"failed", [][]gongu.Call{{bad}, {}, {}}, FinishMaxSteps, 3},
		{"another tool", [][]gongu.Call{{other}}, FinishMaxSteps, 3},
	} {
		turn := &Turn{TurnID: "same"}
		result := r.run(turn, tc.script...)
		messages := turn.Conversation.Next()
		if result.FinishReason != tc.reason || len(messages) != tc.remarks {
			t.Errorf("%s: %s with %d messages", tc.name, result.FinishReason, len(messages))
		}
		for _, m := range messages {
			if m.Data.Role != "user" || m.Source.ExtensionName != "required-tools-guard" || m.TextOf() != "Before you finish, one of these tools must be called successfully: bash__exec, wait__seconds." {
				t.Errorf("%s: message %+v", tc.name, m)
			}
		}
	}
	turn := &Turn{TurnID: "again"}
	if first, second := r.run(turn, []gongu.Call{ok}), r.run(turn); first.FinishReason != FinishText || second.FinishReason != FinishMaxSteps {
		t.Errorf("a success of the turn before counts: %s, then %s", first.FinishReason, second.FinishReason)
	}
	if guard := loadBase(t, "required-tools-guard", ""); guard.run(&Turn{TurnID: "t"}).FinishReason != FinishText {
		t.Error("a guard of nothing holds up a turn")
	}
}

func TestRequiredToolsTexts(t *testing.T) {
	for config, want := range map[string]string{
		`{"requiredTools":["a__b"]}`:                           "끝내기 전에 다음 도구 중 하나를 반드시 성공적으로 호출하세요: a__b.",
		`{"requiredTools":["a__b"],"errorMessage":"not yet!"}`: "not yet!",
	} {
		r, err := newBaseRig(t, "ko", baseUse(t, "required-tools-guard", config))
		if err != nil {
			t.Fatal(err)
		}
		turn := &Turn{TurnID: "t1"}
		r.run(turn)
		if got := turn.Conversation.Next()[0].TextOf(); got != want {
			t.Errorf("%s says %s", config, got)
		}
	}
	// A step that failed is not repeated.
	r := loadBase(t, "required-tools-guard", `{"requiredTools":["a__b"]}`)
	turn := &Turn{TurnID: "t1", Conversation: NewConversation(nil)}
	result, err := r.pipeline.RunStep(t.Context(), &Step{Turn: turn}, func(context.Context, *Step) (StepResult, error) {
		return StepResult{Status: "failed"}, nil
	})
	if err != nil || result.ShouldContinue || turn.Conversation.Len() != 0 {
		t.Errorf("%+v, %v, %d messages", result, err, turn.Conversation.Len())
	}
}

// Goondan 103: an answer that came later becomes text, once; other messages
// stay as they are.
func TestGoondan103_ResponseFormat(t *testing.T) {
	about := func(id, status string, more map[string]any) map[string]any {
		m := map[string]any{"kind": "inter_agent_response", "version": 1, "requestId": id, "requestEventId": "e1", "fromAgentId": "b", "toAgentId": "a", "async": true, "status": status, "receivedAt": "2026-01-01T00:00:00Z"}
		for key, value := range more {
			m[key] = value
		}
		return map[string]any{metadataInterAgentResponse: m, "own": "kept"}
	}
	reply := func(id, content string, metadata map[string]any) Message {
		m := baseParts(id, "user", content)
		m.Metadata = metadata
		return m
	}
	messages := []Message{
		baseText("plain", "user", "hello"),
		reply("text", `{"type":"inter_agent_response","response":"it is <done>"}`, about("r1", "ok", map[string]any{"requestMetadata": map[string]any{"k": 1}})),
		reply("json", `{"response":{"n":1}}`, about("r2", "ok", nil)),
		reply("null", `{"response":null}`, about("r3", "ok", nil)),
		reply("error", `{"error":{"code":"E_X","message":"broken"}}`, about("r4", "error", nil)),
		reply("timeout", `{}`, about("r5", "timeout", map[string]any{"errorCode": "AGENT_REQUEST_TIMEOUT", "errorMessage": "too slow"})),
		reply("silent", `"?"`, about("r6", "error", nil)),
		reply("other kind", `{}`, about("r7", "pending", nil)),
	}
	head := "[inter-agent response] b -> a status="
	want := []string{
		"hello",
		head + "ok requestId=r1\nit is <done>\nrequestMetadata={\n  \"k\": 1\n}",
		head + "ok requestId=r2\n{\n  \"n\": 1\n}",
		head + "ok requestId=r3",
		head + "error requestId=r4\nerror(E_X): broken",
		head + "timeout requestId=r5\nerror(AGENT_REQUEST_TIMEOUT): too slow",
		head + "error requestId=r6\nerror(AGENT_REQUEST_ERROR): the agent request failed",
		"{}",
	}
	r := loadBase(t, "inter-agent-response-format", `{"includeRequestMetadata":true}`)
	turn := &Turn{TurnID: "t1", Conversation: NewConversation(messages)}
	r.run(turn, []gongu.Call{baseCall("bash__exec", `{}`)})
	for i, m := range turn.Conversation.Next() {
		if m.TextOf() != want[i] || m.ID != messages[i].ID || m.Data.Role != "user" {
			t.Errorf("%s is %q, want %q", m.ID, m.TextOf(), want[i])
		}
		if formatted := m.Source.Type == "extension"; formatted != strings.HasPrefix(want[i], "[") || formatted && m.Metadata["own"] != "kept" {
			t.Errorf("%s comes from %+v with %v", m.ID, m.Source, m.Metadata)
		}
	}
	if events := turn.Conversation.Events(); len(events) != 6 {
		t.Errorf("%d events, want one for each answer", len(events))
	}
	r = loadBase(t, "inter-agent-response-format", "")
	turn = &Turn{TurnID: "t2", Conversation: NewConversation(messages[1:2])}
	r.run(turn)
	if got := turn.Conversation.Next()[0].TextOf(); got != head+"ok requestId=r1\nit is <done>" {
		t.Errorf("without metadata %q", got)
	}
}
