package explore_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/gongu-ai/gongu"
	"github.com/gongu-ai/gongu/explore"
	"github.com/gongu-ai/gongu/toolrequest"
)

// silence is a logger that nobody hears.
func silence() *slog.Logger { return slog.New(slog.NewTextHandler(io.Discard, nil)) }

// echo answers with its name and arguments.
func echo(_ context.Context, c gongu.Call) gongu.Result {
	return gongu.OK(map[string]any{"ran": c.Name, "args": c.Args})
}

func tool(name, domain, description string) gongu.Tool {
	return gongu.Tool{Name: name, Domain: domain, Description: description, Invoke: echo}
}

// drawing has the tools and domains that the seed prints.
func drawing(t testing.TB, opts *explore.Options) *gongu.Registry {
	t.Helper()
	r := gongu.NewRegistry(&gongu.RegistryOptions{Logger: silence()})
	for _, d := range [][2]string{
		{"primitives", "기본 도형 그리기"}, {"style", "스타일 설정"}, {"export", "씬 내보내기"}, {"query", "씬 상태 조회"},
	} {
		r.Domain(d[0], d[1])
	}
	explore.Declare(r, opts)
	rect := tool("draw_rect", "primitives", "직사각형을 그립니다")
	rect.Parameters = `{"type":"object","properties":{"name":{"type":"string","description":"엔티티 이름"},"x":{"type":"number","description":"X 좌표"},"y":{"type":"number"},"width":{"type":"number"},"height":{"type":"number"}},"required":["name","x","y","width","height"],"additionalProperties":false}`
	tools := []gongu.Tool{
		rect,
		tool("draw_circle", "primitives", "원을 그립니다"),
		tool("draw_line", "primitives", "선분/폴리라인을 그립니다"),
		tool("draw_arc", "primitives", "호를 그립니다"),
		tool("set_stroke", "style", "선 스타일을 설정합니다"),
		tool("set_fill", "style", "채우기를 설정합니다"),
		tool("remove_stroke", "style", "선을 제거합니다"),
		tool("remove_fill", "style", "채우기를 제거합니다"),
		tool("export_json", "export", "씬을 JSON으로 내보냅니다"),
		tool("list_entities", "query", "엔티티 목록을 조회합니다"),
		tool("get_entity", "query", "엔티티를 조회합니다"),
		tool("get_scene_info", "query", "씬 정보를 조회합니다"),
	}
	if err := r.Add(append(tools, explore.Tools(opts)...)...); err != nil {
		t.Fatal(err)
	}
	return r
}

// agent is a caller with a catalog.
type agent struct {
	testing.TB
	*gongu.Executor
}

func everything(t testing.TB, r *gongu.Registry, opts *gongu.ExecutorOptions) agent {
	t.Helper()
	return with(t, r, gongu.Everything(r), opts)
}

func with(t testing.TB, r *gongu.Registry, c *gongu.Catalog, opts *gongu.ExecutorOptions) agent {
	t.Helper()
	if opts == nil {
		opts = &gongu.ExecutorOptions{}
	}
	opts.Catalog, opts.Logger = c, silence()
	return agent{t, gongu.NewExecutor(r, opts)}
}

// call makes a call with JSON arguments.
func (a agent) call(name, args string) gongu.Result {
	return a.Call(context.Background(), gongu.Call{ID: "call_1", Name: name, Args: json.RawMessage(args)})
}

// want calls a tool and compares its output with JSON.
func (a agent) want(name, args, output string) {
	a.Helper()
	r := a.call(name, args)
	if r.Failed() {
		a.Errorf("%s(%s) failed: %+v", name, args, r.Error)
		return
	}
	if diff := cmp.Diff(value(a, output), value(a, string(r.Output))); diff != "" {
		a.Errorf("%s(%s) (-want +got):\n%s", name, args, diff)
	}
}

// into calls a tool that must succeed and reads its output.
func (a agent) into(name, args string, out any) {
	a.Helper()
	r := a.call(name, args)
	if r.Failed() {
		a.Fatalf("%s(%s) failed: %+v", name, args, r.Error)
	}
	if err := json.Unmarshal(r.Output, out); err != nil {
		a.Fatal(err)
	}
}

// refused calls a tool that must fail, and returns the error and the names in
// output.suggestions.
func (a agent) refused(name, args string) (*gongu.Error, []string) {
	a.Helper()
	r := a.call(name, args)
	if !r.Failed() {
		a.Fatalf("%s(%s) succeeded: %s", name, args, r.Output)
	}
	var out struct {
		Suggestions []string `json:"suggestions"`
	}
	if err := json.Unmarshal(r.Output, &out); err != nil || out.Suggestions == nil {
		a.Errorf("%s(%s): the output %s has no array of suggestions (%v)", name, args, r.Output, err)
	}
	return r.Error, out.Suggestions
}

func value(t testing.TB, text string) (v any) {
	t.Helper()
	if err := json.Unmarshal([]byte(text), &v); err != nil {
		t.Fatalf("%s: %v", text, err)
	}
	return v
}

type page struct {
	Domain     *string
	Tools      []struct{ Name, Description string }
	Total      *int
	NextCursor string `json:"next_cursor"`
	Message    string
}

func (p page) names() []string {
	var names []string
	for _, t := range p.Tools {
		names = append(names, t.Name)
	}
	return names
}

// all are options with which every tool is there.
func all() *explore.Options {
	return &explore.Options{Requests: toolrequest.NewMemory(), Macros: checkSteps, Code: &coder{}}
}

// checkSteps is a check of macros that knows only about names.
func checkSteps(definition json.RawMessage, catalog *gongu.Catalog) error {
	var d struct{ Steps []struct{ Tool string } }
	if err := json.Unmarshal(definition, &d); err != nil {
		return err
	}
	if len(d.Steps) == 0 {
		return errors.New("steps: must not be empty")
	}
	for i, step := range d.Steps {
		if !catalog.Has(step.Tool) {
			return fmt.Errorf("steps[%d].tool: there is no tool %q", i, step.Tool)
		}
	}
	return nil
}

// coder runs programs of lines "NAME ARGS", and returns the last output.
type coder struct {
	seen []string // the tools of the last program
	with func(ctx context.Context, p explore.Program) explore.Outcome
}

func (c *coder) Run(ctx context.Context, p explore.Program) explore.Outcome {
	c.seen = nil
	for _, t := range p.Tools {
		c.seen = append(c.seen, t.Name)
	}
	if c.with != nil {
		return c.with(ctx, p)
	}
	var out explore.Outcome
	for i, line := range strings.Split(p.Source, "\n") {
		name, args, _ := strings.Cut(line, " ")
		r := p.Call(ctx, name, json.RawMessage(args))
		if r.Failed() {
			out.Err, out.Line = r.Error, i+1
			return out
		}
		out.Value = r.Output
		out.Log = append(out.Log, "called "+name)
	}
	return out
}

func (c *coder) Typings(tools []gongu.Tool) string {
	var lines []string
	for _, t := range tools {
		lines = append(lines, "declare function "+t.Name+"(): unknown;")
	}
	return strings.Join(lines, "\n")
}
