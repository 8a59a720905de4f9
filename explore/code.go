package explore

import (
	"context"
	"encoding/json"
	"math"
	"sync"

	"github.com/gongu-ai/gongu"
	"github.com/gongu-ai/gongu/internal/lang"
)

// Coder runs code that a model wrote.
type Coder interface {
	// Run runs a program to its end. It gives the program no other way to
	// reach a tool than [Program.Call].
	Run(ctx context.Context, p Program) Outcome
	// Typings declares tools as the functions that code calls.
	Typings(tools []gongu.Tool) string
}

// Program is code with what it may call.
type Program struct {
	Source string
	// Tools are all that the caller may call.
	Tools []gongu.Tool
	// Call calls one of them, in the name of the caller. It may be used from
	// several goroutines, and not after Run has returned.
	Call func(ctx context.Context, name string, args json.RawMessage) gongu.Result
}

// Outcome is the result of a program.
type Outcome struct {
	// Value is its return value, as JSON; empty is null.
	Value json.RawMessage
	// Log has the lines that it printed.
	Log []string
	// Line is where in the source an error comes from, from 1.
	Line int
	// Err is the error that ended it, or nil.
	Err *gongu.Error
}

func (x *explorer) runCodeTool() gongu.Tool {
	return define(x, definition{
		name: RunCode, text: lang.ExploreCode, hints: acts(),
		params: []param{
			{Name: "code", Optional: true, Rule: rule{Type: "string"}},
			{Name: "typings", Optional: true, Rule: rule{Type: "array", Items: &rule{Type: "string"}}},
		},
		keywords: []string{"script", "javascript", "loop", "코드", "스크립트"},
		// The runner bounds the code; the tools it calls have their own times.
		limits: gongu.Limits{Timeout: -1, ErrorMessage: math.MaxInt},
	}, runCode)
}

type codeArgs struct {
	Code    string   `json:"code"`
	Typings []string `json:"typings"`
}

// ran is the output for code that ran. After a failure, Calls are what may
// have taken effect.
type ran struct {
	Value   json.RawMessage `json:"value"`
	Log     []string        `json:"log"`
	Calls   []called        `json:"calls"`
	Line    int             `json:"line,omitempty"`
	Typings string          `json:"typings,omitempty"`
}

// called is one call that code made, or several that were alike in a row.
type called struct {
	Name   string `json:"name"`
	Status string `json:"status"`
	Code   string `json:"code,omitempty"` // of the error
	Count  int    `json:"count,omitempty"`
}

// codeKey marks what runs inside of code.
type codeKey struct{}

func runCode(ctx context.Context, c *call, in codeArgs) gongu.Result {
	typings, refused := c.typings(in.Typings)
	switch {
	case refused != nil:
		return *refused
	case in.Code == "" && len(in.Typings) == 0:
		return c.badArgs(lang.ExploreNoCode.In(c.lang), nil, "")
	case in.Code == "":
		return gongu.OK(map[string]string{"typings": typings})
	case ctx.Value(codeKey{}) != nil:
		return c.refuse(gongu.CodeInvalidArgs, lang.ExploreNoSelfCall.In(c.lang, RunCode, RunCode), nil, "")
	}
	ctx, ok := deeper(context.WithValue(ctx, codeKey{}, true), c.opts.Limits.Depth)
	if !ok {
		return gongu.Fail(&gongu.Error{Message: lang.ExploreTooDeep.In(c.lang, c.opts.Limits.Depth)})
	}
	m := &meter{call: c}
	outcome := c.opts.Code.Run(ctx, Program{Source: in.Code, Tools: c.bindings(), Call: m.do})
	answer := ran{Value: outcome.Value, Log: append([]string{}, outcome.Log...), Calls: m.all(), Line: outcome.Line, Typings: typings}
	if len(answer.Value) == 0 || outcome.Err != nil {
		answer.Value = json.RawMessage("null")
	}
	result := gongu.OK(answer)
	if outcome.Err != nil {
		result.Status, result.Error = gongu.StatusError, outcome.Err
	}
	return result
}

// bindings are the tools that code may call: all but the one that runs code.
func (c *call) bindings() []gongu.Tool {
	tools := c.catalog().Callable()
	kept := tools[:0]
	for _, t := range tools {
		if t.Name != RunCode {
			kept = append(kept, t)
		}
	}
	return kept
}

// typings declares the named tools.
func (c *call) typings(names []string) (string, *gongu.Result) {
	if len(names) == 0 {
		return "", nil
	}
	var tools []gongu.Tool
	for _, name := range names {
		tool, ok := c.catalog().Get(name)
		if !ok {
			return "", new(c.unknownTool(name))
		}
		tools = append(tools, tool)
	}
	return c.opts.Code.Typings(tools), nil
}

// meter records the calls of one run of code, and limits them.
type meter struct {
	call *call

	mu    sync.Mutex
	calls []called
}

// unfinished is the status of a call that was still under way at the end.
const unfinished = "unfinished"

func (m *meter) do(ctx context.Context, name string, args json.RawMessage) gongu.Result {
	most := m.call.opts.Limits.Calls
	i, ok := m.begin(name, most)
	if !ok {
		return gongu.Fail(&gongu.Error{Message: lang.ExploreTooManyCalls.In(m.call.lang, most)})
	}
	result := m.call.inner(ctx, name, args)
	m.end(i, result)
	return result
}

func (m *meter) begin(name string, most int) (i int, ok bool) {
	m.mu.Lock()
	defer m.mu.Unlock()
	if len(m.calls) >= most {
		return 0, false
	}
	m.calls = append(m.calls, called{Name: name, Status: unfinished})
	return len(m.calls) - 1, true
}

func (m *meter) end(i int, r gongu.Result) {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.calls[i].Status = r.Status
	if r.Error != nil {
		m.calls[i].Code = r.Error.Code
	}
}

// all lists the calls as they began, with those that are alike in a row as one:
// code calls in loops.
func (m *meter) all() []called {
	m.mu.Lock()
	defer m.mu.Unlock()
	list := []called{}
	for _, c := range m.calls {
		last := len(list) - 1
		if last >= 0 && list[last].Name == c.Name && list[last].Status == c.Status && list[last].Code == c.Code {
			list[last].Count = max(list[last].Count, 1) + 1
			continue
		}
		list = append(list, c)
	}
	return list
}
