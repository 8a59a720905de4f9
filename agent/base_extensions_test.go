package agent

import (
	"encoding/json"
	"errors"
	"slices"
	"strings"
	"testing"

	"github.com/gongu-ai/gongu"
)

func TestBaseExtensions(t *testing.T) {
	want := []string{"context-message", "inter-agent-response-format", "logging", "message-compaction", "message-window", "required-tools-guard", "tool-search"}
	if got := BaseExtensions(); !slices.Equal(got, want) {
		t.Errorf("base extensions %q", got)
	}
	if extension, ok := BaseExtension("weather"); ok || extension != nil {
		t.Errorf("an unknown name gives %v, %v", extension, ok)
	}
	var uses []Use
	for _, name := range want {
		uses = append(uses, baseUse(t, name, ""))
	}
	r, err := newBaseRig(t, "", uses...)
	if err != nil {
		t.Fatal(err)
	}
	if result := r.run(&Turn{TurnID: "t1"}); result.FinishReason != FinishText || !r.registry.Has("tool-search__search") {
		t.Errorf("all together: %+v", result)
	}
	r.loaded.Unload()
	if r.registry.Has("tool-search__search") {
		t.Error("the search tool outlives its extension")
	}
	for _, name := range want {
		if _, err := newBaseRig(t, "", baseUse(t, name, " null ")); err != nil {
			t.Errorf("%s: null is no configuration, and no error either: %v", name, err)
		}
	}
}

func TestBaseConfigErrors(t *testing.T) {
	for _, tc := range []struct{ name, config, en, ko string }{
		{"message-window", `{"maxMessages":0}`, "config.maxMessages: must be at least 1", "config.maxMessages: 1 이상이어야 합니다"},
		{"message-window", `{"maxMessages":"40"}`, "config.maxMessages: expected integer but got string", "config.maxMessages: integer 형식이어야 하는데 string 형식입니다"},
		{"message-window", `{"maxMessages":2.5}`, "config.maxMessages: expected integer but got number", "config.maxMessages: integer"},
		{"message-window", `{"maxMessages":null}`, "config.maxMessages: expected integer but got null", "config.maxMessages: integer"},
		{"message-window", `{"max":1}`, "config.max: unexpected property", "config.max: 허용되지 않은 속성입니다"},
		{"message-window", `{"MaxMessages":1}`, "config.MaxMessages: unexpected property", "config.MaxMessages: 허용되지 않은"},
		{"message-window", `{"maxMessages":1,"maxMessages":2}`, "config.maxMessages: the same property is given twice", "config.maxMessages: 같은 속성이 두 번"},
		{"message-compaction", `{"mode":"drop"}`, `config.mode: value must be one of ["remove", "truncate"]`, "config.mode: 다음 값 중 하나"},
		{"message-compaction", `{"maxCharacters":-1,"retainLastMessages":-1}`, "config.retainLastMessages: must be at least 0", "config.maxCharacters: 1 이상"},
		{"logging", `{"level":"loud"}`, "config.level: value must be one of", "config.level: 다음 값 중 하나"},
		{"logging", `{"includeToolArgs":1}`, "config.includeToolArgs: expected boolean but got integer", "config.includeToolArgs: boolean"},
		{"required-tools-guard", `{"requiredTools":["a",1]}`, "config.requiredTools[1]: expected string", "config.requiredTools[1]: string"},
		{"required-tools-guard", `{"requiredTools":"a"}`, "config.requiredTools: expected array", "config.requiredTools: array"},
		{"required-tools-guard", `{"errorMessage":" "}`, "config.errorMessage: must match the pattern", "config.errorMessage: 패턴"},
		{"inter-agent-response-format", `{"includeRequestMetadata":"yes"}`, "config.includeRequestMetadata: expected boolean", "config.includeRequestMetadata: boolean"},
		{"context-message", `{"includePrompt":true}`, "config.includePrompt: unexpected property", "config.includePrompt: 허용되지 않은"},
		{"tool-search", `{"toolName":"search"}`, "config.toolName: must have the form resource__export", "config.toolName: tool-search__search처럼"},
		{"tool-search", `{"toolName":"a__b__c"}`, "config.toolName: must have the form", "resource__export 형식"},
		{"tool-search", `{"maxResults":0}`, "config.maxResults: must be at least 1", "config.maxResults: 1 이상"},
	} {
		for language, want := range map[string]string{"en": tc.en, "ko": tc.ko} {
			r, err := newBaseRig(t, language, baseUse(t, tc.name, tc.config))
			known, ok := errors.AsType[*ExtensionError](err)
			if !ok || known.Code != CodeExtensionConfig || known.Extension != tc.name || known.Suggestion == "" || !strings.Contains(known.Error(), want) {
				t.Errorf("%s %s in %s: %v (%+v), want %s", tc.name, tc.config, language, err, known, want)
			}
			if r.registry.Len() != 3 {
				t.Errorf("%s %s left a tool behind", tc.name, tc.config)
			}
		}
	}
	_, err := newBaseRig(t, "ko", baseUse(t, "message-window", `{"x":1}`))
	if known, ok := errors.AsType[*ExtensionError](err); !ok || known.Suggestion != "설정을 고치세요. 이 Extension의 설정은 다음과 같습니다: maxMessages." {
		t.Errorf("suggestion %+v", known)
	}
}

// A whole number may be written as JSON likes.
func TestBaseConfigNumbers(t *testing.T) {
	r := loadBase(t, "message-window", `{"maxMessages":2.0}`)
	turn := &Turn{TurnID: "t1", Conversation: NewConversation([]Message{baseText("a", "user", ""), baseText("b", "assistant", ""), baseText("c", "user", "")})}
	r.run(turn)
	if got := baseIDs(turn.Conversation.Next()); got != "b c" {
		t.Errorf("left %s", got)
	}
}

// Goondan 147: turns and steps at info, tools at debug, arguments when asked.
func TestGoondan147_Logging(t *testing.T) {
	for config, want := range map[string]string{
		``:                  "level=INFO turn started traceId; level=INFO step started; level=INFO step completed; level=INFO step started; level=INFO step completed; level=INFO turn completed",
		`{"level":"debug"}`: "level=INFO turn started traceId; level=INFO step started; level=DEBUG tool called; level=DEBUG tool answered; level=INFO step completed; level=INFO step started; level=INFO step completed; level=INFO turn completed",
		`{"level":"debug","includeToolArgs":true,"includeTurnMetadata":false}`: "level=INFO turn started; level=INFO step started; level=DEBUG tool called args; level=DEBUG tool answered; level=INFO step completed; level=INFO step started; level=INFO step completed; level=INFO turn completed",
		`{"level":"warn"}`: "",
	} {
		r := loadBase(t, "logging", config)
		r.run(&Turn{TurnID: "t1", TraceID: "0123", Input: json.RawMessage(`{"type":"user.message"}`)}, []gongu.Call{baseCall("bash__exec", `{"secret":"s3"}`)})
		var lines []string
		for line := range strings.Lines(r.log.String()) {
			level, rest, _ := strings.Cut(line[strings.Index(line, "level="):], " msg=\"")
			message, attrs, _ := strings.Cut(rest, "\"")
			entry := level + " " + message
			if strings.Contains(attrs, "traceId=0123") && strings.Contains(attrs, "inputType=user.message") {
				entry += " traceId"
			}
			if strings.Contains(attrs, "s3") {
				entry += " args"
			}
			if !strings.Contains(attrs, "extension=logging") || strings.HasPrefix(message, "tool") && !strings.Contains(attrs, "toolName=bash__exec") {
				t.Errorf("%s says too little", line)
			}
			lines = append(lines, entry)
		}
		if got := strings.Join(lines, "; "); got != want {
			t.Errorf("config %s logs\n%s, want\n%s", config, got, want)
		}
	}
}

func TestLoggingFailures(t *testing.T) {
	r, err := newBaseRig(t, "", baseUse(t, "logging", `{"level":"error"}`), Use{Name: "broken", Extension: ExtensionFunc(breakSteps)})
	if err != nil {
		t.Fatal(err)
	}
	if result := r.run(&Turn{TurnID: "t1"}); result.FinishReason != FinishError {
		t.Errorf("result %+v", result)
	}
	for _, want := range []string{`level=ERROR msg="step failed"`, `level=ERROR msg="turn failed"`, "no model"} {
		if !strings.Contains(r.log.String(), want) {
			t.Errorf("the log lacks %s:\n%s", want, r.log.String())
		}
	}
}
