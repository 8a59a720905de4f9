package modelserver_test

import (
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"strings"
	"testing"

	"go.uber.org/goleak"

	"github.com/gongu-ai/gongu/internal/modelserver"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

func start(t *testing.T, script ...modelserver.Turn) *modelserver.Server {
	t.Helper()
	s, err := modelserver.Start(script...)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		http.DefaultClient.CloseIdleConnections()
		if err := s.Close(); err != nil {
			t.Error(err)
		}
	})
	return s
}

func post(t *testing.T, url, body string) (status int, answer string) {
	t.Helper()
	response, err := http.Post(url, "application/json", strings.NewReader(body))
	if err != nil {
		t.Fatal(err)
	}
	defer response.Body.Close()
	raw, err := io.ReadAll(response.Body)
	if err != nil {
		t.Fatal(err)
	}
	return response.StatusCode, string(raw)
}

// provider is how a test speaks with one form: the first request, and the one
// that brings the result of the tool.
type provider struct {
	api, path, first, second string
	// call and text are what the answers must hold.
	call, text []string
}

func providers() []provider {
	chatTools := `"tools":[{"type":"function","function":{"name":"other"}},{"type":"function","function":{"name":"x_echo"}}]`
	flatTools := `"tools":[{"type":"function","name":"other"},{"type":"namespace","name":"mcp__x","tools":[{"type":"function","name":"echo"}]}]`
	claudeTools := `"tools":[{"name":"other"},{"name":"mcp__x__echo"}]`
	geminiTools := `"tools":[{"functionDeclarations":[{"name":"other"},{"name":"mcp_x_echo"}]}]`
	return []provider{
		{
			"openai-chat", "/v1/chat/completions",
			`{"model":"m",%s` + chatTools + `,"messages":[{"role":"user","content":"go"}]}`,
			`{"model":"m",%s` + chatTools + `,"messages":[{"role":"user","content":"go"},{"role":"tool","tool_call_id":"call_0","content":[{"type":"text","text":"hello"}]}]}`,
			[]string{`"name":"x_echo"`, `"arguments":"{\"text\":\"hi\"}"`, `"tool_calls"`},
			[]string{`"content":"finished"`, `"stop"`},
		},
		{
			"openai-responses", "/v1/responses",
			`{"model":"m",%s` + flatTools + `,"input":"go"}`,
			`{"model":"m",%s` + flatTools + `,"input":[{"type":"message","role":"user"},{"type":"function_call_output","call_id":"call_0","output":"hello"}]}`,
			[]string{`"name":"echo"`, `"namespace":"mcp__x"`, `"call_id":"call_0"`, `"function_call"`},
			[]string{`"text":"finished"`, `"completed"`},
		},
		{
			"anthropic", "/v1/messages?beta=true",
			`{"model":"m",%s` + claudeTools + `,"messages":[{"role":"user","content":"go"}]}`,
			`{"model":"m",%s` + claudeTools + `,"messages":[{"role":"user","content":"go"},{"role":"user","content":[{"type":"tool_result","tool_use_id":"call_0","content":"hello"}]}]}`,
			[]string{`"name":"mcp__x__echo"`, `"tool_use"`, `hi`},
			[]string{`"text":"finished"`, `"end_turn"`},
		},
		{
			"gemini", "/v1beta/models/m:%s",
			`{` + geminiTools + `,"contents":[{"role":"user","parts":[{"text":"go"}]}]}`,
			`{` + geminiTools + `,"contents":[{"role":"user","parts":[{"functionResponse":{"name":"mcp_x_echo","response":{"output":"hello"}}}]}]}`,
			[]string{`"functionCall"`, `"name":"mcp_x_echo"`, `"args":{"text":"hi"}`},
			[]string{`"text":"finished"`, `"STOP"`},
		},
	}
}

func TestEveryFormCallsAndThenSpeaks(t *testing.T) {
	for _, p := range providers() {
		for _, stream := range []bool{false, true} {
			t.Run(fmt.Sprintf("%s/stream=%t", p.api, stream), func(t *testing.T) {
				s := start(t, modelserver.Turn{Tool: "echo$", Args: json.RawMessage(`{"text":"hi"}`)}, modelserver.Turn{Text: "finished"})
				path, first, second := p.path, p.first, p.second
				if p.api == "gemini" {
					path = fmt.Sprintf(path, map[bool]string{false: "generateContent", true: "streamGenerateContent?alt=sse"}[stream])
				} else {
					flag := map[bool]string{false: "", true: `"stream":true,`}[stream]
					first, second = fmt.Sprintf(first, flag), fmt.Sprintf(second, flag)
				}
				for i, step := range []struct {
					body string
					want []string
				}{{first, p.call}, {first, p.call}, {second, p.text}} {
					status, answer := post(t, s.URL+path, step.body)
					if status != http.StatusOK {
						t.Fatalf("request %d: %d %s", i, status, answer)
					}
					if events := strings.Contains(answer, "data: {"); events != stream {
						t.Errorf("request %d: streamed %t, want %t", i, events, stream)
					}
					for _, want := range step.want {
						if !strings.Contains(answer, want) {
							t.Errorf("request %d: %s is not in %s", i, want, answer)
						}
					}
				}
				seen := s.Requests()
				if len(seen) != 3 {
					t.Fatalf("%d requests were kept, want 3", len(seen))
				}
				last := seen[2]
				if last.API != p.api || last.Stream != stream || last.Model != "m" || last.Text != "finished" || last.Called != "" {
					t.Errorf("kept %+v", last)
				}
				if len(last.Results) != 1 || !strings.Contains(last.Results[0], "hello") || len(last.Tools) != 2 {
					t.Errorf("results %q, tools %q", last.Results, last.Tools)
				}
				if !strings.Contains(seen[0].Called, "echo") {
					t.Errorf("called %q", seen[0].Called)
				}
			})
		}
	}
}

func TestBesideTheConversation(t *testing.T) {
	s := start(t, modelserver.Turn{Tool: "missing"}, modelserver.Turn{Text: "the end"})
	// A title is asked for without tools; it gets a text and moves nothing.
	if _, answer := post(t, s.URL+"/v1/chat/completions", `{"messages":[{"role":"user","content":"title"}]}`); !strings.Contains(answer, "the end") {
		t.Error(answer)
	}
	// A model that lacks its tool says which there are.
	if _, answer := post(t, s.URL+"/v1/messages", `{"tools":[{"name":"a"},{"name":"b"}],"messages":[]}`); !strings.Contains(answer, "there are a, b") {
		t.Error(answer)
	}
	for path, want := range map[string]int{"/v1/messages/count_tokens": 200, "/v1beta/models/m:countTokens": 200, "/v1/elsewhere": 404} {
		if status, answer := post(t, s.URL+path, `{}`); status != want {
			t.Errorf("%s: %d %s", path, status, answer)
		}
	}
	if status, _ := post(t, s.URL+"/v1/messages", `{`); status != http.StatusBadRequest {
		t.Errorf("broken JSON: %d", status)
	}
	for path, want := range map[string]int{"/v1/models": 200, "/nothing": 404} {
		response, err := http.Get(s.URL + path)
		if err != nil {
			t.Fatal(err)
		}
		response.Body.Close()
		if response.StatusCode != want {
			t.Errorf("%s: %d", path, response.StatusCode)
		}
	}
}

func TestBadScripts(t *testing.T) {
	for _, turn := range []modelserver.Turn{{Tool: "("}, {Tool: "x", Args: json.RawMessage("{")}} {
		if s, err := modelserver.Start(turn); err == nil {
			s.Close()
			t.Errorf("%+v was accepted", turn)
		}
	}
}

// A model that calls a tool once and then says that it is done.
func ExampleStart() {
	s, err := modelserver.Start(modelserver.Turn{Tool: "add"}, modelserver.Turn{Text: "done"})
	if err != nil {
		fmt.Println(err)
		return
	}
	defer s.Close()
	response, err := http.Post(s.URL+"/v1/chat/completions", "application/json", strings.NewReader(
		`{"tools":[{"type":"function","function":{"name":"calc__add"}}],"messages":[{"role":"user","content":"1+1?"}]}`))
	if err != nil {
		fmt.Println(err)
		return
	}
	response.Body.Close()
	http.DefaultClient.CloseIdleConnections()
	fmt.Println(s.Requests()[0].Called)
	// Output: calc__add
}
