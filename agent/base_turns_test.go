package agent

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"
)

// baseShorten runs a turn over messages and returns what is left.
func baseShorten(tb testing.TB, name, config string, messages ...Message) ([]Message, *Conversation) {
	tb.Helper()
	turn := &Turn{TurnID: "t1", Conversation: NewConversation(messages)}
	if result := loadBase(tb, name, config).run(turn); result.Error != nil {
		tb.Fatal(result.Error)
	}
	return turn.Conversation.Next(), turn.Conversation
}

// Goondan 144: the oldest go above the limit, results go with their calls.
func TestGoondan144_MessageWindow(t *testing.T) {
	u1, a1 := baseText("u1", "user", "1"), baseText("a1", "assistant", "2")
	u2, a2 := baseText("u2", "user", "3"), baseText("a2", "assistant", "4")
	c1, r1 := baseCallsMessage("c1", "x", "y"), baseResultsMessage("r1", "x", "y")
	bySource := baseText("bySource", "tool", "plain")
	bySource.Source.ToolCallID = "y"
	inline := baseParts("inline", "assistant", `[{"type":"tool-call","toolCallId":"z"},{"type":"tool-result","toolCallId":"z"},7]`)
	for _, tc := range []struct {
		name     string
		limit    int
		messages []Message
		want     string
	}{
		{"under the limit", 4, []Message{u1, a1, u2, a2}, "u1 a1 u2 a2"},
		{"over the limit", 2, []Message{u1, a1, u2, a2}, "u2 a2"},
		{"a call takes its results along", 3, []Message{c1, r1, u1, a1}, "u1 a1"},
		{"several results, one in other form", 2, []Message{c1, baseResultsMessage("rx", "x"), bySource, u1, a1}, "u1 a1"},
		{"an orphan under the limit", 9, []Message{r1, bySource, u1}, "u1"},
		{"a result before its call", 9, []Message{r1, c1, u1}, "c1 u1"},
		{"half an orphan", 9, []Message{baseCallsMessage("cx", "x"), r1, u1}, "cx r1 u1"},
		{"call and result in one message", 9, []Message{inline, u1}, "inline u1"},
		{"pinned", 2, []Message{basePinned(baseText("p", "system", "")), u1, a1, u2}, "p u2"},
		{"pinned result", 2, []Message{c1, basePinned(baseResultsMessage("rp", "x", "y")), u1, a1}, "c1 rp"},
		{"the question stays", 1, []Message{basePinned(baseText("p", "system", "")), u1}, "p u1"},
	} {
		left, conversation := baseShorten(t, "message-window", fmt.Sprintf(`{"maxMessages":%d}`, tc.limit), tc.messages...)
		if got := baseIDs(left); got != tc.want || len(conversation.Warnings()) > 0 {
			t.Errorf("%s: left %s, want %s; warnings %v", tc.name, got, tc.want, conversation.Warnings())
		}
		if tc.name == "half an orphan" && string(left[1].Data.Content) != basePartsOf("tool-result", []string{"x"}) {
			t.Errorf("%s: content %s", tc.name, left[1].Data.Content)
		}
	}
	var many []Message
	for i := range 100 {
		many = append(many, baseText(fmt.Sprint(i), "user", "x"))
	}
	if left, _ := baseShorten(t, "message-window", "", many...); len(left) != 40 {
		t.Errorf("by default %d are left", len(left))
	}
}

// Goondan 145: compaction removes or truncates, leaves one summary, keeps what
// is pinned and no orphaned result.
func TestGoondan145_Compaction(t *testing.T) {
	long := func(id, role string) Message { return baseText(id, role, strings.Repeat("가", 100)) }
	pin := basePinned(baseText("p", "system", "pin"))
	for _, tc := range []struct {
		name, config string
		messages     []Message
		want         string
	}{
		{"within the limits", `{}`, []Message{long("1", "user"), long("2", "assistant")}, "1 2"},
		{"orphan within the limits", `{}`, []Message{baseResultsMessage("r", "x"), long("2", "user")}, "2"},
		{"too many", `{"maxMessages":4,"retainLastMessages":2}`, []Message{long("1", "user"), pin, baseCallsMessage("c", "x"), baseResultsMessage("r", "x"), long("4", "assistant"), long("5", "user")},
			"p 4 5 [message-compaction] mode=remove removed=3 chars=216"},
		{"too long", `{"maxCharacters":299,"retainLastMessages":1,"summaryPrefix":"~"}`, []Message{long("1", "user"), pin, long("2", "assistant"), long("3", "user")},
			"p 2 3 ~ mode=remove removed=1 chars=100"},
		{"no summary", `{"maxMessages":2,"appendSummary":false}`, []Message{long("1", "user"), long("2", "assistant"), long("3", "user")}, "2 3"},
		{"truncate", `{"maxMessages":3,"mode":"truncate"}`, []Message{long("1", "user"), pin, long("2", "assistant"), long("3", "assistant")},
			"p [message-compaction] mode=truncate removed=3 chars=300"},
		{"still too long", `{"maxCharacters":250}`, []Message{long("1", "user"), pin, long("2", "assistant"), long("3", "user")},
			"p 3 [message-compaction] mode=truncate removed=2 chars=200"},
		{"all must stay", `{"maxMessages":1}`, []Message{pin, basePinned(long("2", "assistant")), long("3", "user")}, "p 2 3"},
		{"no room for a summary", `{"maxMessages":1}`, []Message{long("1", "user"), long("2", "assistant"), long("3", "user")}, "3"},
	} {
		left, conversation := baseShorten(t, "message-compaction", tc.config, tc.messages...)
		if got := baseCompacted(left); got != tc.want || len(conversation.Warnings()) > 0 {
			t.Errorf("%s: left %s, want %s; warnings %v", tc.name, got, tc.want, conversation.Warnings())
		}
	}
}

func baseCompacted(messages []Message) string {
	var out []string
	for _, m := range messages {
		if _, summary := m.Metadata[metadataSummary]; summary && m.Data.Role == "system" && m.Source.ExtensionName == "message-compaction" {
			out = append(out, m.TextOf())
		} else {
			out = append(out, m.ID)
		}
	}
	return strings.Join(out, " ")
}

// The summary of a later compaction takes the place of the earlier one, also
// when that was stored in between.
func TestCompactionSummaries(t *testing.T) {
	r := loadBase(t, "message-compaction", `{"maxMessages":3}`)
	var stored []Message
	for i := range 6 {
		stored = append(stored, baseText(fmt.Sprint(i), "user", "ten chars."))
		if i%2 == 0 {
			stored = baseStored(t, stored)
		}
		turn := &Turn{TurnID: fmt.Sprint(i), Conversation: NewConversation(stored)}
		r.run(turn)
		turn.Conversation.Fold()
		stored = turn.Conversation.Base()
	}
	if got := baseCompacted(stored); got != "4 5 [message-compaction] mode=remove removed=4 chars=40" {
		t.Errorf("left %s", got)
	}
}

// baseStored writes messages and reads them again.
func baseStored(t *testing.T, messages []Message) []Message {
	t.Helper()
	raw, err := json.Marshal(messages)
	if err != nil {
		t.Fatal(err)
	}
	var loaded []Message
	if err := json.Unmarshal(raw, &loaded); err != nil {
		t.Fatal(err)
	}
	return loaded
}

// However a conversation looks: no result without its call, no more than the
// limit unless all of it must stay, and what is pinned stays.
func TestShorteningProperty(t *testing.T) {
	rapid.Check(t, func(rt *rapid.T) {
		messages := baseDrawMessages(rt)
		limit := rapid.IntRange(1, 12).Draw(rt, "limit")
		name, config, chars := "message-window", fmt.Sprintf(`{"maxMessages":%d}`, limit), 1<<30
		if rapid.Bool().Draw(rt, "compaction") {
			chars = rapid.IntRange(1, 2000).Draw(rt, "chars")
			name, config = "message-compaction", fmt.Sprintf(`{"maxMessages":%d,"maxCharacters":%d,"retainLastMessages":%d,"mode":%q,"appendSummary":%t}`,
				limit, chars, rapid.IntRange(0, 12).Draw(rt, "retain"), rapid.SampledFrom([]string{"remove", "truncate"}).Draw(rt, "mode"), rapid.Bool().Draw(rt, "summary"))
		}
		left, conversation := baseShorten(t, name, config, messages...)
		if warnings := conversation.Warnings(); len(warnings) > 0 {
			rt.Fatalf("warnings %v", warnings)
		}
		baseCheckCalls(rt, messages, left)
		total, must := 0, baseMustStay(messages)
		kept := make(map[string]bool)
		onlyMust := true
		for _, m := range left {
			kept[m.ID] = true
			total += len([]rune(m.TextOf()))
			onlyMust = onlyMust && must[m.ID]
		}
		if (len(left) > limit || total > chars) && !onlyMust {
			rt.Fatalf("%s %s: %d messages with %d characters left: %s", name, config, len(left), total, baseIDs(left))
		}
		for id := range must {
			if !kept[id] {
				rt.Fatalf("%s %s: %s must stay, left %s of %s", name, config, id, baseIDs(left), baseIDs(messages))
			}
		}
		again, _ := baseShorten(t, name, config, left...)
		if baseCompacted(again) != baseCompacted(left) {
			rt.Fatalf("%s %s: a second time makes %s of %s", name, config, baseCompacted(again), baseCompacted(left))
		}
	})
}

func baseDrawMessages(rt *rapid.T) []Message {
	ids := rapid.SliceOfN(rapid.SampledFrom([]string{"a", "b", "c", "d", "e"}), 1, 3)
	var messages []Message
	for i := range rapid.IntRange(0, 30).Draw(rt, "messages") {
		id := fmt.Sprintf("m%d", i)
		var m Message
		switch rapid.SampledFrom([]string{"user", "assistant", "calls", "results", "source"}).Draw(rt, "kind") {
		case "user":
			m = baseText(id, "user", strings.Repeat("x", rapid.IntRange(0, 200).Draw(rt, "size")))
		case "assistant":
			m = baseText(id, "assistant", strings.Repeat("가", rapid.IntRange(0, 200).Draw(rt, "size")))
		case "calls":
			m = baseCallsMessage(id, ids.Draw(rt, "calls")...)
		case "results":
			m = baseResultsMessage(id, ids.Draw(rt, "results")...)
		case "source":
			m = baseText(id, "tool", "plain")
			m.Source.ToolCallID = ids.Draw(rt, "result")[0]
		}
		if rapid.IntRange(0, 9).Draw(rt, "pin") == 0 {
			m = basePinned(m)
		}
		messages = append(messages, m)
	}
	return messages
}

// baseAnswers lists the calls a message makes and answers.
func baseAnswers(m Message) (calls, answers []string) {
	var parts []struct{ Type, ToolCallID string }
	if json.Unmarshal(m.Data.Content, &parts) != nil && m.Data.Role == "tool" {
		return nil, []string{m.Source.ToolCallID}
	}
	for _, p := range parts {
		if p.Type == "tool-call" {
			calls = append(calls, p.ToolCallID)
		} else {
			answers = append(answers, p.ToolCallID)
		}
	}
	return calls, answers
}

// baseCheckCalls finds results without a call, and calls whose results were
// there and are gone.
func baseCheckCalls(rt *rapid.T, before, left []Message) {
	open, last := make(map[string]bool), make(map[string]string)
	for _, m := range left {
		calls, answers := baseAnswers(m)
		for _, answer := range answers {
			if !open[answer] {
				rt.Fatalf("%s answers %s, which nobody called: %s", m.ID, answer, baseIDs(left))
			}
		}
		for _, call := range calls {
			open[call] = true
		}
	}
	kept := make(map[string]bool)
	for _, m := range left {
		kept[m.ID] = true
	}
	for _, m := range before {
		calls, answers := baseAnswers(m)
		for _, answer := range answers {
			if from := last[answer]; from != "" && kept[from] != kept[m.ID] {
				rt.Fatalf("of the call %s in %s and its result in %s one is gone", answer, from, m.ID)
			}
		}
		for _, call := range calls {
			last[call] = m.ID
		}
	}
}

// baseMustStay are the messages that no shortening may touch: pinned ones with
// all that hangs on them, unless they are orphans, and an open question.
func baseMustStay(messages []Message) map[string]bool {
	links, called := make(map[string][]string), make(map[string]string)
	alive := messages[:0:0]
	for _, m := range messages {
		calls, answers := baseAnswers(m)
		orphan := len(answers) > 0
		for _, answer := range answers {
			if from := called[answer]; from != "" {
				orphan = false
				links[from], links[m.ID] = append(links[from], m.ID), append(links[m.ID], from)
			}
		}
		for _, call := range calls {
			called[call] = m.ID
		}
		if !orphan {
			alive = append(alive, m)
		}
	}
	must := make(map[string]bool)
	var hold func(id string)
	hold = func(id string) {
		if !must[id] {
			must[id] = true
			for _, linked := range links[id] {
				hold(linked)
			}
		}
	}
	for i, m := range alive {
		if isPinned(m) || i == len(alive)-1 && m.Data.Role == "user" {
			hold(m.ID)
		}
	}
	return must
}

const baseRuntime = `{
	"agent": {"name": "a", "bundleRoot": ".", "prompt": {"system": "You are a.\n"}},
	"swarm": {"swarmName": "s", "entryAgent": "a", "selfAgent": "a", "availableAgents": ["a", "b", "c"], "callableAgents": ["b", "c"]},
	"inbound": {"eventId": "e%d", "eventType": "agent.request", "sourceKind": "connector", "sourceName": "x\n[/runtime_inbound]", "createdAt": "2026-01-01T00:00:00Z", "instanceKey": "u1", "eventMetadata": {"k": [1]}},
	"call": {"callerAgent": "b", "callerInstanceKey": "u2", "callerTurnId": "t0", "callSource": "tool", "callStack": ["b:u2", "a:u1"], "replyTo": {"target": "b", "correlationId": "c1"}}
}`

// Goondan 146: the prompt is one system message, made once; other segments on
// request; without any there is no message.
func TestGoondan146_ContextMessage(t *testing.T) {
	prompt := "You are a.\n"
	catalog := "[runtime_catalog]\nswarm=s\nentryAgent=a\nselfAgent=a\navailableAgents=a, b, c\ncallableAgents=b, c\n[/runtime_catalog]"
	inbound := "[runtime_inbound]\neventId=e1\neventType=agent.request\nsourceKind=connector\nsourceName=\"x\\n[/runtime_inbound]\"\ncreatedAt=2026-01-01T00:00:00Z\ninstanceKey=u1\neventMetadata={\"k\":[1]}\n[/runtime_inbound]"
	call := "[runtime_call]\ncallerAgent=b\ncallerInstanceKey=u2\ncallerTurnId=t0\ncallSource=tool\ncallStack=b:u2 -> a:u1\nreplyTo.target=b\nreplyTo.correlationId=c1\n[/runtime_call]"
	route := "[runtime_route]\nprecedence=call>inbound\nsenderKind=agent\nsenderName=b\neventType=agent.request\neventId=e1\nsenderInstanceKey=u2\nsenderTurnId=t0\nsenderSource=tool\n[/runtime_route]"
	for _, tc := range []struct{ config, runtime, want string }{
		{``, fmt.Sprintf(baseRuntime, 1), prompt},
		{`{"includeAgentPrompt":false}`, fmt.Sprintf(baseRuntime, 1), ""},
		{`{"includeSwarmCatalog":true}`, fmt.Sprintf(baseRuntime, 1), prompt + "\n\n" + catalog + "\nWhen it is not clear which of the callableAgents to ask, read the current list with agents__catalog."},
		{`{"includeAgentPrompt":false,"includeSwarmCatalog":true,"swarmCatalogInstruction":""}`, fmt.Sprintf(baseRuntime, 1), catalog},
		{`{"includeInboundContext":true,"includeCallContext":true,"includeRouteSummary":true}`, fmt.Sprintf(baseRuntime, 1), prompt + "\n\n" + inbound + "\n\n" + call + "\n\n" + route},
		{`{"includeRouteSummary":true}`, `{"inbound":{"eventId":"e1","eventType":"t","sourceKind":"connector","sourceName":"cli","instanceKey":"i"}}`,
			"[runtime_route]\nprecedence=call>inbound\nsenderKind=connector\nsenderName=cli\neventType=t\neventId=e1\nsenderInstanceKey=i\n[/runtime_route]"},
		{`{"includeSwarmCatalog":true,"includeInboundContext":true,"includeCallContext":true,"includeRouteSummary":true}`, `{"agent":{"prompt":{"system":" "}},"call":{}}`, ""},
		{``, ``, ""},
	} {
		r := loadBase(t, "context-message", tc.config)
		conversation := NewConversation([]Message{baseText("u", "user", "hi")})
		for turn := range 2 {
			if result := r.run(&Turn{TurnID: fmt.Sprint(turn), Runtime: json.RawMessage(tc.runtime), Conversation: conversation}); result.Error != nil {
				t.Fatal(result.Error)
			}
		}
		messages := conversation.Next()[1:]
		if tc.want == "" {
			if len(messages) > 0 {
				t.Errorf("%s: messages %+v", tc.config, messages)
			}
			continue
		}
		if len(messages) != 1 || messages[0].Data.Role != "system" || messages[0].Source.ExtensionName != "context-message" || !isPinned(messages[0]) {
			t.Fatalf("%s: messages %+v", tc.config, messages)
		}
		if diff := cmp.Diff(tc.want, messages[0].TextOf()); diff != "" {
			t.Errorf("%s (-want +got):\n%s", tc.config, diff)
		}
		if sum := sha256.Sum256([]byte(tc.want)); contextHash(messages[0]) != hex.EncodeToString(sum[:]) {
			t.Errorf("%s: marker %v", tc.config, messages[0].Metadata)
		}
	}
}

// A context that changed replaces the old one in its place; one that is gone
// goes.
func TestContextMessageChanges(t *testing.T) {
	r := loadBase(t, "context-message", `{"includeInboundContext":true}`)
	conversation := NewConversation(nil)
	turn := func(runtime string) TurnResult {
		return r.run(&Turn{TurnID: "t", Runtime: json.RawMessage(runtime), Conversation: conversation})
	}
	turn(fmt.Sprintf(baseRuntime, 1))
	conversation = NewConversation(baseStored(t, conversation.Next()))
	if turn(fmt.Sprintf(baseRuntime, 1)); len(conversation.Events()) > 0 {
		t.Errorf("a stored context is made again: %+v", conversation.Events())
	}
	twin := conversation.Next()[0]
	twin.ID = "twin"
	for _, m := range []Message{baseText("u", "user", "hi"), twin} {
		if err := conversation.Emit(MessageEvent{Type: EventAppend, Message: &m}); err != nil {
			t.Fatal(err)
		}
	}
	turn(fmt.Sprintf(baseRuntime, 2))
	messages := conversation.Next()
	if len(messages) != 2 || !strings.Contains(messages[0].TextOf(), "eventId=e2") || messages[1].ID != "u" {
		t.Errorf("after a change: %+v", messages)
	}
	if turn("{}"); baseIDs(conversation.Next()) != "u" {
		t.Errorf("without a context: %s", baseIDs(conversation.Next()))
	}
	if result := turn(`{"agent":[]}`); result.Error == nil || !strings.Contains(result.Error.Message, "runtime context") {
		t.Errorf("a broken context gives %+v", result)
	}
	if len(conversation.Warnings()) > 0 {
		t.Errorf("warnings %v", conversation.Warnings())
	}
}
