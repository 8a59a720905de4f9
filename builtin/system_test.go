package builtin_test

import (
	"encoding/json"
	"slices"
	"strings"
	"testing"

	"go.uber.org/goleak"

	"github.com/gongu-ai/gongu"
	"github.com/gongu-ai/gongu/builtin"
)

// TestMain proves for every test of the package that no call leaves a
// goroutine behind.
func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// newSystem lets all base tools run, in a working directory of their own
// unless the options name one.
func newSystem(t testing.TB, opts builtin.Options) (executor *gongu.Executor, workdir string) {
	t.Helper()
	if opts.Workdir == "" {
		opts.Workdir = t.TempDir()
	}
	if opts.LockDir == "" {
		opts.LockDir = t.TempDir()
	}
	registry := gongu.NewRegistry(nil)
	if err := registry.Add(builtin.All(&opts)...); err != nil {
		t.Fatal(err)
	}
	return gongu.NewExecutor(registry, &gongu.ExecutorOptions{Catalog: gongu.Everything(registry), Lang: opts.Lang}), opts.Workdir
}

// ask calls a tool with arguments that are encoded here.
func ask(t testing.TB, e *gongu.Executor, tool string, args map[string]any) gongu.Result {
	t.Helper()
	raw, err := json.Marshal(args)
	if err != nil {
		t.Fatal(err)
	}
	return e.Call(t.Context(), gongu.Call{Name: tool, Args: raw})
}

// answer decodes the output of a call that must not fail.
func answer[T any](t testing.TB, r gongu.Result) T {
	t.Helper()
	var out T
	if r.Failed() {
		t.Fatalf("%s: %s: %s", r.ToolName, r.Error.Code, r.Error.Message)
	}
	if err := json.Unmarshal(r.Output, &out); err != nil {
		t.Fatalf("%s: %v in %.300s", r.ToolName, err, r.Output)
	}
	return out
}

// wantMessage checks that a call failed with a message that says this.
func wantMessage(t testing.TB, r gongu.Result, parts ...string) {
	t.Helper()
	if !r.Failed() {
		t.Errorf("%s: output %.200s, want an error that says %q", r.ToolName, r.Output, parts)
		return
	}
	for _, part := range parts {
		if !strings.Contains(r.Error.Message, part) {
			t.Errorf("%s: message %q, want it to say %q", r.ToolName, r.Error.Message, part)
		}
	}
}

func TestResources(t *testing.T) {
	want := []string{"json-query", "text-transform", "wait", "bash", "file-system", "http-fetch", "self-restart"}
	if got := builtin.Resources(); !slices.Equal(got, want) {
		t.Errorf("resources %q, want %q", got, want)
	}
	var names []string
	for _, resource := range want {
		tools, ok := builtin.Resource(resource, nil)
		if !ok {
			t.Errorf("no resource %s", resource)
		}
		for _, tool := range tools {
			names = append(names, tool.Name)
		}
	}
	var all []string
	for _, tool := range builtin.All(nil) {
		all = append(all, tool.Name)
	}
	if !slices.Equal(names, all) {
		t.Errorf("resources have %q, all are %q", names, all)
	}
	for _, name := range []string{"", "agents", "Bash"} {
		if tools, ok := builtin.Resource(name, nil); ok || len(tools) > 0 {
			t.Errorf("resource %q exists", name)
		}
	}
}

// TestB8_Annotations: what each system tool may do.
func TestB8_Annotations(t *testing.T) {
	type hints struct{ readOnly, destructive, idempotent, openWorld bool }
	want := map[string]hints{
		"bash__exec":            {destructive: true, openWorld: true},
		"bash__script":          {destructive: true, openWorld: true},
		"file-system__read":     {readOnly: true, idempotent: true},
		"file-system__write":    {destructive: true},
		"file-system__edit":     {destructive: true},
		"file-system__patch":    {destructive: true},
		"file-system__list":     {readOnly: true, idempotent: true},
		"file-system__mkdir":    {destructive: true, idempotent: true},
		"http-fetch__get":       {readOnly: true, idempotent: true, openWorld: true},
		"http-fetch__post":      {destructive: true, openWorld: true},
		"self-restart__request": {destructive: true},
	}
	starters := len(builtin.Tools(nil))
	for _, tool := range builtin.All(nil)[starters:] {
		a := tool.Annotations
		got := hints{a.IsReadOnly(), a.IsDestructive(), a.IsIdempotent(), a.IsOpenWorld()}
		if got != want[tool.Name] {
			t.Errorf("%s: %+v, want %+v", tool.Name, got, want[tool.Name])
		}
		delete(want, tool.Name)
	}
	if len(want) > 0 {
		t.Errorf("no such tools: %v", want)
	}
}

// TestSystemDefinitions: owner, texts and schemas, in both languages.
func TestSystemDefinitions(t *testing.T) {
	english, korean := builtin.All(nil), builtin.All(&builtin.Options{Lang: "ko"})
	for i, tool := range english {
		resource, _, ok := gongu.ParseName(tool.Name)
		if !ok || tool.Domain != resource || tool.Source.Type != "config" || tool.Source.Name != resource {
			t.Errorf("%s: domain %q, source %+v", tool.Name, tool.Domain, tool.Source)
		}
		if tool.Title == "" || tool.Output == "" || len(tool.Keywords) == 0 || len(tool.Examples) == 0 {
			t.Errorf("%s: title, output schema, keywords or examples are missing", tool.Name)
		}
		if tool.Description == korean[i].Description || tool.Parameters == korean[i].Parameters {
			t.Errorf("%s says the same in both languages", tool.Name)
		}
		for _, text := range []string{tool.Description, korean[i].Description} {
			first, rest, _ := strings.Cut(text, "\n")
			if first == "" || rest == "" || len([]rune(first)) > 80 {
				t.Errorf("%s: description %q, want a short first line and the rest", tool.Name, text)
			}
		}
		checkParameters(t, tool.Parameters)
		checkParameters(t, korean[i].Parameters)
	}
	executor, _ := newSystem(t, builtin.Options{})
	for _, tool := range english {
		for _, example := range tool.Examples {
			if r := executor.DryRun(t.Context(), gongu.Call{Name: tool.Name, Args: example}); r.Failed() {
				t.Errorf("%s %s: %+v", tool.Name, example, r.Error)
			}
		}
	}
}

func TestErrorMessageLimits(t *testing.T) {
	want := map[string]int{"bash": 1200, "file-system": 2000, "http-fetch": 1000}
	for _, tool := range builtin.All(nil) {
		if limit, ok := want[tool.Domain]; ok && tool.Limits.ErrorMessage != limit {
			t.Errorf("%s: %d, want %d", tool.Name, tool.Limits.ErrorMessage, limit)
		}
	}
}

// TestDomainsFollowTheTools: a domain without tools is not announced.
func TestDomainsFollowTheTools(t *testing.T) {
	registry := gongu.NewRegistry(nil)
	tools, _ := builtin.Resource("bash", nil)
	if err := registry.Add(append(builtin.Tools(nil), tools...)...); err != nil {
		t.Fatal(err)
	}
	builtin.Domains(registry, nil)
	var names []string
	for _, domain := range registry.Domains() {
		names = append(names, domain.Name)
		if domain.Description == "" || domain.Count == 0 {
			t.Errorf("%+v", domain)
		}
	}
	if want := []string{"json-query", "text-transform", "wait", "bash"}; !slices.Equal(names, want) {
		t.Errorf("domains %q, want %q", names, want)
	}
}

func TestValidate(t *testing.T) {
	if err := (*builtin.Options)(nil).Validate(); err != nil {
		t.Error(err)
	}
	good := &builtin.Options{AllowPrivate: []string{"localhost:8080", "10.0.0.0/8"}}
	if err := good.Validate(); err != nil {
		t.Error(err)
	}
	bad := &builtin.Options{AllowPrivate: []string{"10.0.0.0/99"}}
	if err := bad.Validate(); err == nil || !strings.Contains(err.Error(), "AllowPrivate") {
		t.Errorf("error %v", err)
	}
	executor, _ := newSystem(t, *bad)
	wantMessage(t, ask(t, executor, "http-fetch__get", map[string]any{"url": "http://example.com"}), "AllowPrivate")
}

// raw calls a tool with arguments as they are.
func raw(t testing.TB, e *gongu.Executor, tool, args string) gongu.Result {
	t.Helper()
	return e.Call(t.Context(), gongu.Call{Name: tool, Args: json.RawMessage(args)})
}
