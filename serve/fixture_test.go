package serve_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/gongu-ai/gongu"
	"github.com/gongu-ai/gongu/access"
	"github.com/gongu-ai/gongu/explore"
	"github.com/gongu-ai/gongu/internal/event"
	"github.com/gongu-ai/gongu/internal/relay"
	"github.com/gongu-ai/gongu/mcpclient"
	"github.com/gongu-ai/gongu/serve"
	"github.com/modelcontextprotocol/go-sdk/jsonrpc"
)

// backend is a registry without a bundle.
type backend struct {
	registry *gongu.Registry
	executor *gongu.Executor
	// steps counts, for promise V1.
	mu    sync.Mutex
	steps int
	agent func(name string) (*gongu.Catalog, error)
	// access narrows each step, as a host does; nil offers every tool.
	access *access.Access
}

// offering makes the backend offer the read-only tools, the discovery tools and
// those that the globs name.
func (b *backend) offering(t testing.TB, globs ...string) *backend {
	t.Helper()
	var err error
	if b.access, err = access.New(access.Options{Offer: access.ReadOnlyAnd(globs), Always: []gongu.Rule{explore.Rule()}, Logger: quiet}); err != nil {
		t.Fatal(err)
	}
	return b
}

func newBackend(t testing.TB, opts *gongu.ExecutorOptions, tools ...gongu.Tool) *backend {
	t.Helper()
	r := gongu.NewRegistry(&gongu.RegistryOptions{Logger: quiet})
	if err := r.Add(tools...); err != nil {
		t.Fatal(err)
	}
	if opts == nil {
		opts = &gongu.ExecutorOptions{}
	}
	opts.Logger = quiet
	return &backend{registry: r, executor: gongu.NewExecutor(r, opts)}
}

var quiet = slog.New(slog.NewTextHandler(io.Discard, nil))

func (b *backend) Registry() *gongu.Registry       { return b.registry }
func (b *backend) Prepare(context.Context, string) {}

func (b *backend) Step(ctx context.Context, agent string, core func(context.Context, *gongu.Executor) error) error {
	b.mu.Lock()
	b.steps++
	b.mu.Unlock()
	catalog := gongu.Everything(b.registry)
	if b.agent != nil && agent != "" {
		var err error
		if catalog, err = b.agent(agent); err != nil {
			return err
		}
	}
	allowed, err := b.access.Catalog(gongu.PrincipalOf(ctx), agent, catalog)
	if err != nil {
		return err
	}
	return core(ctx, b.executor.WithCatalog(allowed))
}

// newServer makes a server that is drained at the end of the test.
func newServer(t testing.TB, opts serve.Options) *serve.Server {
	t.Helper()
	if opts.Logger == nil {
		opts.Logger = quiet
	}
	s, err := serve.New(opts)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		ctx, cancel := context.WithTimeout(context.Background(), 20*time.Second)
		defer cancel()
		if err := s.Drain(ctx); err != nil {
			t.Error(err)
		}
	})
	return s
}

func tool(name string, invoke func(ctx context.Context, args json.RawMessage) gongu.Result) gongu.Tool {
	return gongu.Tool{
		Name: name, Description: "The fixture " + name + ".",
		Invoke: func(ctx context.Context, call gongu.Call) gongu.Result { return invoke(ctx, call.Args) },
	}
}

func says(text string) gongu.Result { return gongu.OK(text) }

func content(blocks ...gongu.Content) gongu.Result {
	return gongu.Result{Status: gongu.StatusOK}.With(blocks...)
}

func field(args json.RawMessage, name string) string {
	var in map[string]any
	if json.Unmarshal(args, &in) != nil || in[name] == nil {
		return ""
	}
	return fmt.Sprint(in[name])
}

var png = []byte("\x89PNG\r\n\x1a\n")

// plainTools are the fixtures of both revisions.
func plainTools() []gongu.Tool {
	resource := json.RawMessage(`{"uri":"test://embedded-resource","mimeType":"text/plain","text":"This is an embedded resource content."}`)
	return []gongu.Tool{
		tool("test_simple_text", func(context.Context, json.RawMessage) gongu.Result {
			return says("This is a simple text response for testing.")
		}),
		tool("test_image_content", func(context.Context, json.RawMessage) gongu.Result {
			return content(gongu.Content{Type: "image", Data: png, MIMEType: "image/png"})
		}),
		tool("test_audio_content", func(context.Context, json.RawMessage) gongu.Result {
			return content(gongu.Content{Type: "audio", Data: []byte("RIFF"), MIMEType: "audio/wav"})
		}),
		tool("test_embedded_resource", func(context.Context, json.RawMessage) gongu.Result {
			return content(gongu.Content{Type: "resource", Resource: resource})
		}),
		tool("test_multiple_content_types", func(context.Context, json.RawMessage) gongu.Result {
			return content(
				gongu.Content{Type: "text", Text: "Multiple content types test:"},
				gongu.Content{Type: "image", Data: png, MIMEType: "image/png"},
				gongu.Content{Type: "resource", Resource: json.RawMessage(`{"uri":"test://mixed-content-resource","mimeType":"application/json","text":"{\"test\":\"data\",\"value\":123}"}`)})
		}),
		tool("test_error_handling", func(context.Context, json.RawMessage) gongu.Result {
			return gongu.Fail(errors.New("This tool intentionally returns an error for testing"))
		}),
		tool("test_tool_with_logging", func(ctx context.Context, _ json.RawMessage) gongu.Result { return logging(ctx) }),
		tool("test_logging_tool", func(ctx context.Context, _ json.RawMessage) gongu.Result { return logging(ctx) }),
		tool("test_tool_with_progress", func(ctx context.Context, _ json.RawMessage) gongu.Result {
			for _, done := range []float64{0, 50, 100} {
				gongu.ContextOf(ctx).Progress(ctx, done, 100, "")
			}
			return says("done")
		}),
		{
			Name: "json_schema_2020_12_tool", Description: "Tool with JSON Schema 2020-12 features",
			Parameters: `{"$schema":"https://json-schema.org/draft/2020-12/schema","type":"object","$defs":{"address":{"$anchor":"addressDef","type":"object","properties":{"street":{"type":"string"},"city":{"type":"string"}}}},"properties":{"name":{"type":"string"},"address":{"$ref":"#/$defs/address"},"contactMethod":{"type":"string","enum":["phone","email"]},"phone":{"type":"string"},"email":{"type":"string"}},"allOf":[{"anyOf":[{"required":["phone"]},{"required":["email"]}]}],"if":{"properties":{"contactMethod":{"const":"phone"}},"required":["contactMethod"]},"then":{"required":["phone"]},"else":{"required":["email"]},"additionalProperties":false}`,
			Invoke:     func(context.Context, gongu.Call) gongu.Result { return says("ok") },
		},
		{
			Name: "test_x_mcp_header", Description: "Mirrors a parameter into a header",
			Parameters: `{"type":"object","properties":{"region":{"type":"string","x-mcp-header":"Region"}},"required":["region"]}`,
			Invoke:     func(_ context.Context, call gongu.Call) gongu.Result { return says(field(call.Args, "region")) },
		},
	}
}

func logging(ctx context.Context) gongu.Result {
	about := gongu.ContextOf(ctx)
	for _, line := range []string{"Tool execution started", "Tool processing data", "Tool execution completed"} {
		about.Log(ctx, slog.LevelInfo, line)
	}
	return says("logged")
}

func asking(schema string) func(context.Context, json.RawMessage) gongu.Result {
	return askingFrom("", schema)
}

// askingFrom is a tool whose question is that of an MCP server.
func askingFrom(from, schema string) func(context.Context, json.RawMessage) gongu.Result {
	return func(ctx context.Context, args json.RawMessage) gongu.Result {
		message := field(args, "message")
		if message == "" {
			message = "Please answer"
		}
		asked, err := json.Marshal(map[string]any{"message": message, "requestedSchema": json.RawMessage(schema)})
		if err != nil {
			return gongu.Fail(err)
		}
		answer, err := gongu.ContextOf(ctx).Elicit(ctx, from, asked)
		if err != nil {
			return gongu.Fail(err)
		}
		return says("User response: " + string(answer))
	}
}

func sampling(ctx context.Context, args json.RawMessage) gongu.Result {
	asked := `{"messages":[{"role":"user","content":{"type":"text","text":` + string(mustJSON(field(args, "prompt"))) + `}}],"maxTokens":100}`
	answer, err := gongu.ContextOf(ctx).Sample(ctx, json.RawMessage(asked))
	if err != nil {
		return gongu.Fail(err)
	}
	return says("LLM response: " + string(answer))
}

func mustJSON(v any) json.RawMessage {
	raw, err := json.Marshal(v)
	if err != nil {
		panic(err)
	}
	return raw
}

// askingTools ask the client for something.
func askingTools() []gongu.Tool {
	return []gongu.Tool{
		tool("test_sampling", sampling),
		tool("test_missing_capability", sampling),
		tool("test_elicitation", asking(`{"type":"object","properties":{"username":{"type":"string","description":"User's response"},"email":{"type":"string","description":"User's email address"}},"required":["username","email"]}`)),
		tool("test_streaming_elicitation", asking(`{"type":"object","properties":{"ok":{"type":"boolean"}}}`)),
		tool("test_elicitation_sep1034_defaults", asking(`{"type":"object","properties":{"name":{"type":"string","default":"John Doe"},"age":{"type":"integer","default":30},"score":{"type":"number","default":95.5},"status":{"type":"string","enum":["active","inactive","pending"],"default":"active"},"verified":{"type":"boolean","default":true}}}`)),
		tool("test_elicitation_sep1330_enums", asking(`{"type":"object","properties":{"untitledSingle":{"type":"string","enum":["option1","option2","option3"]},"titledSingle":{"type":"string","oneOf":[{"const":"value1","title":"First Option"},{"const":"value2","title":"Second Option"},{"const":"value3","title":"Third Option"}]},"legacyEnum":{"type":"string","enum":["opt1","opt2","opt3"],"enumNames":["Option One","Option Two","Option Three"]},"untitledMulti":{"type":"array","items":{"type":"string","enum":["option1","option2","option3"]}},"titledMulti":{"type":"array","items":{"anyOf":[{"const":"value1","title":"First Choice"},{"const":"value2","title":"Second Choice"},{"const":"value3","title":"Third Choice"}]}}}}`)),
	}
}

// passesOn answers as an upstream of the modern era would: with a result of its
// own making, byte for byte.
func passesOn(raw string) gongu.Result {
	return gongu.Result{Status: gongu.StatusOK, Output: json.RawMessage(raw)}
}

func native(name string, answer func(c *relay.Call) string) gongu.Tool {
	return tool(name, func(ctx context.Context, _ json.RawMessage) gongu.Result {
		c := relay.Of(ctx)
		r := passesOn(answer(c))
		c.Keep(r.Output, r.Output, nil, nil)
		return r
	})
}

func textResult(text string) string {
	return `{"content":[{"type":"text","text":` + string(mustJSON(text)) + `}]}`
}

func inputRequired(state string, requests ...string) string {
	out := `{"resultType":"input_required","inputRequests":{` + strings.Join(requests, ",") + `}`
	if state != "" {
		out += `,"requestState":` + string(mustJSON(state))
	}
	return out + `}`
}

func elicits(key, message, property, kind string) string {
	return fmt.Sprintf(`%q:{"method":"elicitation/create","params":{"message":%q,"requestedSchema":{"type":"object","properties":{%q:{"type":%q}},"required":[%q]}}}`, key, message, property, kind, property)
}

func samples(key, prompt string) string {
	return fmt.Sprintf(`%q:{"method":"sampling/createMessage","params":{"messages":[{"role":"user","content":{"type":"text","text":%q}}],"maxTokens":100}}`, key, prompt)
}

const listsRoots = `"client_roots":{"method":"roots/list","params":{}}`

func response(c *relay.Call, key string) string {
	var all map[string]json.RawMessage
	if len(c.Responses) == 0 || json.Unmarshal(c.Responses, &all) != nil {
		return ""
	}
	if raw := string(all[key]); strings.HasPrefix(raw, "{") {
		return raw
	}
	return ""
}

// nativeTools speak the modern protocol themselves.
func nativeTools() []gongu.Tool {
	once := func(key, ask string) func(*relay.Call) string {
		return func(c *relay.Call) string {
			if answer := response(c, key); answer != "" {
				return textResult("Hello, " + answer)
			}
			return inputRequired("", ask)
		}
	}
	stateful := func(c *relay.Call) string {
		if c.State == "round-1" && response(c, "confirm") != "" {
			return textResult("state-ok")
		}
		return inputRequired("round-1", elicits("confirm", "Please confirm", "ok", "boolean"))
	}
	return []gongu.Tool{
		native("test_input_required_result_elicitation", once("user_name", elicits("user_name", "What is your name?", "name", "string"))),
		native("test_input_required_result_sampling", once("capital_question", samples("capital_question", "What is the capital of France?"))),
		native("test_input_required_result_list_roots", once("client_roots", listsRoots)),
		native("test_input_required_result_request_state", stateful),
		native("test_input_required_result_tampered_state", stateful),
		native("test_input_required_result_multiple_inputs", func(c *relay.Call) string {
			if c.State == "many" && response(c, "user_name") != "" && response(c, "greeting") != "" && response(c, "client_roots") != "" {
				return textResult("all there")
			}
			return inputRequired("many", elicits("user_name", "What is your name?", "name", "string"), samples("greeting", "Generate a greeting"), listsRoots)
		}),
		native("test_input_required_result_multi_round", func(c *relay.Call) string {
			switch {
			case c.State == "two" && response(c, "step2") != "":
				return textResult("done")
			case c.State == "one" && response(c, "step1") != "":
				return inputRequired("two", elicits("step2", "Step 2: What is your favorite color?", "color", "string"))
			}
			return inputRequired("one", elicits("step1", "Step 1: What is your name?", "name", "string"))
		}),
		native("test_input_required_result_capabilities", func(*relay.Call) string {
			return inputRequired("", elicits("who", "Who?", "name", "string"), samples("greeting", "Hello"))
		}),
	}
}

// taskTools take their time.
func taskTools() []gongu.Tool {
	pause := func(ctx context.Context, d time.Duration) error {
		timer := time.NewTimer(d)
		defer timer.Stop()
		select {
		case <-timer.C:
			return nil
		case <-ctx.Done():
			return ctx.Err()
		}
	}
	required := func(t gongu.Tool) gongu.Tool {
		t.Labels = map[string]string{"mcp/task": "required"}
		return t
	}
	confirm := asking(`{"type":"object","properties":{"confirm":{"type":"boolean"}}}`)
	return []gongu.Tool{
		tool("greet", func(_ context.Context, args json.RawMessage) gongu.Result {
			return says("Hello, " + field(args, "name") + "!")
		}),
		tool("slow_compute", func(ctx context.Context, args json.RawMessage) gongu.Result {
			var in struct{ Seconds float64 }
			if err := json.Unmarshal(args, &in); err != nil {
				return gongu.Fail(err)
			}
			if err := pause(ctx, time.Duration(in.Seconds*float64(time.Second))); err != nil {
				return gongu.Fail(err)
			}
			return says("computed")
		}),
		required(tool("failing_job", func(ctx context.Context, _ json.RawMessage) gongu.Result {
			if err := pause(ctx, 500*time.Millisecond); err != nil {
				return gongu.Fail(err)
			}
			return gongu.Fail(errors.New("the job failed"))
		})),
		tool("protocol_error_job", func(ctx context.Context, _ json.RawMessage) gongu.Result {
			if err := pause(ctx, 500*time.Millisecond); err != nil {
				return gongu.Fail(err)
			}
			panic("broken on purpose")
		}),
		tool("confirm_delete", confirm),
		tool("multi_input", func(ctx context.Context, args json.RawMessage) gongu.Result {
			var both sync.WaitGroup
			results := make([]gongu.Result, 2)
			for i := range results {
				both.Go(func() { results[i] = confirm(ctx, args) })
			}
			both.Wait()
			return says("both: " + string(results[0].Output) + string(results[1].Output))
		}),
		required(tool("test_tool_with_task", func(ctx context.Context, _ json.RawMessage) gongu.Result {
			c := relay.Of(ctx)
			answer := response(c, "user_name")
			if answer == "" {
				r := passesOn(inputRequired("", elicits("user_name", "What is your name?", "name", "string")))
				c.Keep(r.Output, r.Output, nil, nil)
				return r
			}
			if err := pause(ctx, 500*time.Millisecond); err != nil {
				return gongu.Fail(err)
			}
			return says("Hello, " + answer)
		})),
	}
}

// upstream has the prompts and resources of the suite.
type upstream struct {
	prefix string
	events event.Bus
}

func (u *upstream) For(context.Context, string, access.Kind) []serve.Upstream {
	return []serve.Upstream{u}
}

func (u *upstream) tell(method string, params json.RawMessage) {
	u.tellAs("McpServer/fixture", method, params)
}

// tellAs is tell of another server.
func (u *upstream) tellAs(source, method string, params json.RawMessage) {
	u.events.Publish(serve.Event{Kind: event.Server, Source: source, Method: method, Params: params})
}

func (u *upstream) Name() string                        { return "fixture" }
func (u *upstream) Prefix() string                      { return u.prefix }
func (u *upstream) Offers(context.Context, string) bool { return true }

const (
	promptList = `{"prompts":[{"name":"test_simple_prompt","description":"Simple"},{"name":"test_prompt_with_arguments","description":"Arguments","arguments":[{"name":"arg1","required":true},{"name":"arg2","required":true}]},{"name":"test_prompt_with_embedded_resource","description":"Resource","arguments":[{"name":"resourceUri","required":true}]},{"name":"test_prompt_with_image","description":"Image"},{"name":"test_input_required_result_prompt","description":"Asks"}]}`
	resources  = `{"resources":[{"uri":"test://static-text","name":"text","mimeType":"text/plain","x-unknown":1},{"uri":"test://static-binary","name":"binary","mimeType":"image/png"},{"uri":"test://watched-resource","name":"watched","mimeType":"text/plain"}]}`
	templates  = `{"resourceTemplates":[{"uriTemplate":"test://template/{id}/data","name":"template","mimeType":"application/json"}]}`
)

func (u *upstream) Request(_ context.Context, method string, params json.RawMessage, _ *mcpclient.RequestOptions) (json.RawMessage, error) {
	var in struct {
		Name, URI      string
		Arguments      map[string]string
		InputResponses map[string]json.RawMessage
	}
	if err := json.Unmarshal(params, &in); err != nil {
		return nil, err
	}
	answer := ""
	switch method {
	case "prompts/list":
		answer = promptList
	case "resources/list":
		answer = resources
	case "resources/templates/list":
		answer = templates
	case "completion/complete":
		answer = `{"completion":{"values":["one","two"],"total":2,"hasMore":false}}`
	case "resources/subscribe", "resources/unsubscribe":
		answer = `{}`
	case "resources/read":
		answer = readFixture(in.URI)
	case "prompts/get":
		answer = promptFixture(in.Name, in.Arguments, in.InputResponses)
	}
	if answer == "" {
		return nil, &mcpclient.Error{Server: "fixture", Reason: mcpclient.ReasonRemote, Err: &jsonrpc.Error{Code: -32602, Message: "not there"}}
	}
	return json.RawMessage(answer), nil
}

func readFixture(uri string) string {
	switch {
	case uri == "test://static-text", uri == "test://watched-resource":
		return `{"contents":[{"uri":"` + uri + `","mimeType":"text/plain","text":"This is the content of the static text resource."}]}`
	case uri == "test://static-binary":
		return `{"contents":[{"uri":"test://static-binary","mimeType":"image/png","blob":"iVBORw0KGgo="}]}`
	case strings.HasPrefix(uri, "test://template/"):
		id := strings.Split(uri, "/")[3]
		return `{"contents":[{"uri":"` + uri + `","mimeType":"application/json","text":"{\"id\":\"` + id + `\",\"templateTest\":true}"}]}`
	}
	return ""
}

func promptFixture(name string, args map[string]string, responses map[string]json.RawMessage) string {
	said := func(content string) string {
		return `{"messages":[{"role":"user","content":` + content + `}]}`
	}
	switch name {
	case "test_simple_prompt":
		return said(`{"type":"text","text":"This is a simple prompt for testing."}`)
	case "test_prompt_with_arguments":
		return said(`{"type":"text","text":"Prompt with arguments: arg1='` + args["arg1"] + `', arg2='` + args["arg2"] + `'"}`)
	case "test_prompt_with_embedded_resource":
		return said(`{"type":"resource","resource":{"uri":"` + args["resourceUri"] + `","mimeType":"text/plain","text":"Embedded resource content for testing."}}`)
	case "test_prompt_with_image":
		return said(`{"type":"image","data":"iVBORw0KGgo=","mimeType":"image/png"}`)
	case "test_input_required_result_prompt":
		if responses["user_context"] == nil {
			return inputRequired("", elicits("user_context", "What context should the prompt use?", "context", "string"))
		}
		return said(`{"type":"text","text":"with context"}`)
	}
	return ""
}
