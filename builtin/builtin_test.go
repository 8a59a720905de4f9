package builtin_test

import (
	"context"
	"encoding/json"
	"slices"
	"strings"
	"testing"

	"github.com/gongu-ai/gongu"
	"github.com/gongu-ai/gongu/builtin"
	"github.com/gongu-ai/gongu/internal/schema"
)

// newExecutor has all the starter tools and lets all of them run.
func newExecutor(t testing.TB, language string) (*gongu.Registry, *gongu.Executor) {
	t.Helper()
	registry := gongu.NewRegistry(nil)
	opts := &builtin.Options{Lang: language}
	if err := registry.Add(builtin.Tools(opts)...); err != nil {
		t.Fatal(err)
	}
	builtin.Domains(registry, opts)
	return registry, gongu.NewExecutor(registry, &gongu.ExecutorOptions{
		Catalog: gongu.Everything(registry),
		Lang:    language,
	})
}

// H17: the checker's fast path is taken for the starter tools.
func TestH17_StarterToolsAreFast(t *testing.T) {
	fast := 0
	tools := builtin.Tools(nil)
	for _, tool := range tools {
		checker, err := schema.Compile([]byte(tool.Parameters), nil)
		if err != nil {
			t.Fatal(err)
		}
		if checker.Fast() {
			fast++
		}
	}
	if fast*100 < len(tools)*80 {
		t.Errorf("the fast path is taken for %d of %d tools, at least 80 %% must", fast, len(tools))
	}
}

// call is one row of a table: a call and the output or the error message.
type call struct {
	name, tool, args string
	output, message  string
}

func runCalls(t *testing.T, calls []call) {
	t.Helper()
	_, executor := newExecutor(t, "en")
	for _, c := range calls {
		t.Run(c.name, func(t *testing.T) {
			result := executor.Call(t.Context(), gongu.Call{Name: c.tool, Args: json.RawMessage(c.args)})
			switch {
			case c.message != "":
				if result.Error == nil || result.Error.Message != c.message {
					t.Errorf("error %+v, want %q", result.Error, c.message)
				}
			case result.Error != nil:
				t.Errorf("error %+v, want output %s", result.Error, c.output)
			case string(result.Output) != c.output:
				t.Errorf("output %s, want %s", result.Output, c.output)
			}
		})
	}
}

func TestToolsAreListedInOrder(t *testing.T) {
	var names []string
	for _, tool := range builtin.Tools(nil) {
		names = append(names, tool.Name)
	}
	want := []string{
		"json-query__query", "json-query__pick", "json-query__count", "json-query__flatten",
		"text-transform__replace", "text-transform__slice", "text-transform__split",
		"text-transform__join", "text-transform__trim", "text-transform__case",
		"wait__seconds", // case 40: never "wait"
	}
	if !slices.Equal(names, want) {
		t.Errorf("names %q, want %q", names, want)
	}
}

// TestDefinitions is promise B8: who owns each tool, what it may
// do, and that a model is told everything.
func TestDefinitions(t *testing.T) {
	for _, language := range []string{"en", "ko"} {
		registry, _ := newExecutor(t, language)
		for _, tool := range registry.Tools() {
			t.Run(language+"/"+tool.Name, func(t *testing.T) {
				resource, _, ok := gongu.ParseName(tool.Name)
				if !ok || tool.Domain != resource || tool.Source.Identity() != "Tool/"+resource {
					t.Errorf("domain %q, source %q, want both to say %q", tool.Domain, tool.Source.Identity(), resource)
				}
				a := tool.Annotations
				if !a.IsReadOnly() || a.IsDestructive() || !a.IsIdempotent() || a.IsOpenWorld() {
					t.Errorf("annotations %+v, want read-only, idempotent, closed world", a)
				}
				if tool.Title == "" || tool.Output == "" || len(tool.Keywords) == 0 {
					t.Error("title, output schema or keywords are missing")
				}
				first, rest, _ := strings.Cut(tool.Description, "\n")
				if first == "" || rest == "" || len([]rune(first)) > 80 {
					t.Errorf("description %q, want a short first line and the rest", tool.Description)
				}
				checkParameters(t, tool.Parameters)
			})
		}
	}
}

func checkParameters(t *testing.T, schema gongu.Schema) {
	t.Helper()
	var parameters struct {
		Properties           map[string]struct{ Description string }
		AdditionalProperties *bool
	}
	if err := json.Unmarshal([]byte(schema), &parameters); err != nil {
		t.Fatal(err)
	}
	if closed := parameters.AdditionalProperties; closed == nil || *closed {
		t.Error("additionalProperties is not false")
	}
	for name, property := range parameters.Properties {
		if property.Description == "" {
			t.Errorf("parameter %s has no description", name)
		}
	}
}

func TestTextsDifferByLanguage(t *testing.T) {
	english, korean := builtin.Tools(nil), builtin.Tools(&builtin.Options{Lang: "ko_KR.UTF-8"})
	for i := range english {
		if english[i].Description == korean[i].Description || english[i].Parameters == korean[i].Parameters {
			t.Errorf("%s says the same in both languages", english[i].Name)
		}
		if english[i].Output != korean[i].Output {
			t.Errorf("%s answers differently by language", english[i].Name)
		}
	}
}

// TestExamplesWork runs what the tools show as examples.
func TestExamplesWork(t *testing.T) {
	registry, executor := newExecutor(t, "en")
	for _, tool := range registry.Tools() {
		for _, example := range tool.Examples {
			result := executor.DryRun(t.Context(), gongu.Call{Name: tool.Name, Args: example})
			if result.Failed() {
				t.Errorf("%s %s: %+v", tool.Name, example, result.Error)
			}
		}
	}
}

func TestDomainsAreDescribed(t *testing.T) {
	registry, _ := newExecutor(t, "ko")
	want := []gongu.Domain{
		{Name: "json-query", Count: 4, Description: "JSON 텍스트에서 값을 읽습니다."},
		{Name: "text-transform", Count: 6, Description: "일반 텍스트를 바꾸고 자르고 합칩니다."},
		{Name: "wait", Count: 1, Description: "시간이 지나기를 기다립니다."},
	}
	if got := registry.Domains(); !slices.Equal(got, want) {
		t.Errorf("domains %+v, want %+v", got, want)
	}
}

// TestArguments is what the schemas refuse before a handler is asked.
func TestArguments(t *testing.T) {
	runCalls(t, []call{
		{name: "missing (case 3)", tool: "json-query__query", args: `{}`,
			message: "Invalid arguments for tool 'json-query__query': args.data: required property is missing"},
		{name: "type (case 4)", tool: "text-transform__trim", args: `{"text":123}`,
			message: "Invalid arguments for tool 'text-transform__trim': args.text: expected string but got integer"},
		{name: "extra (case 5)", tool: "text-transform__trim", args: `{"text":"a","extra":"x"}`,
			message: "Invalid arguments for tool 'text-transform__trim': args.extra: unexpected property"},
		{name: "enum (case 24)", tool: "text-transform__trim", args: `{"text":"a","mode":"left"}`,
			message: `Invalid arguments for tool 'text-transform__trim': args.mode: value must be one of ["start", "end", "both"]`},
		{name: "bad case (case 138)", tool: "text-transform__case", args: `{"text":"a","to":"title"}`,
			message: `Invalid arguments for tool 'text-transform__case': args.to: value must be one of ["upper", "lower"]`},
	})
}

func TestMessagesInKorean(t *testing.T) {
	_, executor := newExecutor(t, "ko")
	for args, want := range map[string]string{
		`{"data":""}`:                 "'data'은(는) 비어 있지 않은 문자열이어야 합니다",
		`{"data":"[1,"}`:              "'data'은(는) 올바른 JSON 텍스트여야 합니다: 3바이트 근처가 올바른 JSON이 아닙니다",
		`{"data":"{}","path":"a..b"}`: "'path'의 2번째 글자에 빈 단계가 있습니다. a.b[0]처럼 쓰세요",
	} {
		result := executor.Call(t.Context(), gongu.Call{Name: "json-query__query", Args: json.RawMessage(args)})
		if result.Error == nil || result.Error.Message != want {
			t.Errorf("%s: error %+v, want %q", args, result.Error, want)
		}
	}
}

// invoke calls a handler without an executor in front of it.
func invoke(ctx context.Context, name, args string) gongu.Result {
	for _, tool := range builtin.Tools(nil) {
		if tool.Name == name {
			return tool.Invoke(ctx, gongu.Call{Name: name, Args: json.RawMessage(args)})
		}
	}
	return gongu.Result{}
}
