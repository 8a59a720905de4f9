package script

import (
	"context"
	_ "embed"
	"errors"
	"log/slog"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/gongu-ai/gongu"
	"github.com/gongu-ai/gongu/internal/jsbuild"
	"github.com/gongu-ai/gongu/internal/jsonx"
	"github.com/gongu-ai/gongu/internal/lang"
	"github.com/gongu-ai/gongu/internal/near"
)

//go:embed codeshim/90_code.js
var codeShimText string

// codeShim is the bytecode of the shim for code.
var codeShim = sync.OnceValues(func() ([]byte, error) {
	return compileShim([]string{"shim/10_core.js", "shim/20_events.js", "shim/80_encode.js"}, codeShimText)
})

// codeRequest is a piece of code to run.
type codeRequest struct {
	Source string   `json:"source"`
	Tools  []string `json:"tools"`
}

// codeID is the number of the only call in a child for code.
const codeID = 1

// maxCodeWait is how long code may take with everything that it waits for.
const maxCodeWait = 48 * time.Hour

// codeChild runs one piece of code inside the child process.
type codeChild struct {
	host *childHost
	lang lang.Lang
}

// newCodeChild prepares what every run needs, before there is code to run.
func newCodeChild(h *childHost) *codeChild {
	c := &codeChild{host: h, lang: h.engine.lang}
	_, _ = codeShim() // the run reports the error
	jsbuild.WarmUp()
	return c
}

func (c *codeChild) run(o *codeRequest) {
	ctx, cancel := context.WithCancel(context.WithValue(c.host.ctx, childCallKey{}, codeID))
	defer cancel()
	c.host.mu.Lock()
	c.host.calls[codeID] = cancel
	c.host.mu.Unlock()
	result := c.answer(ctx, o)
	c.host.out.put(&message{Type: msgResult, ID: codeID, Result: &result})
}

func (c *codeChild) answer(ctx context.Context, o *codeRequest) gongu.Result {
	e := c.host.engine
	e.api = c.hostAPI(o.Tools)
	code, err := jsbuild.Code(c.lang, o.Source, parses)
	if err != nil {
		return c.refused(err)
	}
	m := newModule(e, code)
	if m.code, err = compileSource(code.Source); err != nil {
		return c.refused(c.syntaxError(code, err))
	}
	w, err := m.pool.get(ctx)
	if err != nil {
		return c.refused(err)
	}
	call := newCall(ctx, m, "run", gongu.Call{})
	// The host has the time limit: its clock stops while a person is asked. Here
	// it bounds what runs in one go.
	call.slice, call.deadline = call.limit, call.began.Add(maxCodeWait)
	known := *call.context
	known.Logger = slog.New(&childLog{host: c.host, call: codeID, code: true})
	call.context = &known
	return m.serve(w, call)
}

// refused returns the result of code that cannot be run.
func (c *codeChild) refused(err error) gongu.Result {
	message, line := err.Error(), 0
	if e, ok := errors.AsType[*jsbuild.CodeError](err); ok {
		line = e.Line
	}
	if e, ok := errors.AsType[*LoadError](err); ok {
		message, line = e.Reason, e.Line
	}
	if line > 0 {
		message = lang.CodeSyntax.In(c.lang, line, message)
	}
	result := gongu.Fail(&gongu.Error{Name: "SyntaxError", Message: message})
	if line > 0 {
		result.Meta = positionMeta(jsbuild.Position{File: jsbuild.CodeName, Line: line})
	}
	return result
}

// syntaxError translates an error of the engine's parser into the code's lines.
func (c *codeChild) syntaxError(code *jsbuild.Script, err error) error {
	out := &jsbuild.CodeError{Reason: err.Error()}
	if t, ok := errors.AsType[*thrown](err); ok {
		out.Reason = t.message
		if at, ok := code.Map.Find(t.line, t.column); ok {
			out.Line = at.Line
		}
	}
	if jsbuild.UsesModules(code.Source) {
		out.Reason = lang.CodeNoImport.In(c.lang)
	}
	return out
}

// hostAPI returns what code can use: tools, a log and timers.
func (c *codeChild) hostAPI(tools []string) *hostAPI {
	list := string(jsonx.Text(append([]string{}, tools...)))
	return &hostAPI{
		shim:       codeShim,
		operations: map[string]operationFunc{"tool": c.host.forward("tool")},
		immediates: map[string]immediate{
			"log":      (*worker).log,
			"now":      immediates["now"],
			"unfit":    (*worker).unfit,
			"uncaught": (*worker).uncaught,
			"tools":    func(*worker, string) (string, error) { return list, nil },
			"noTool":   func(_ *worker, name string) (string, error) { return "", noTool(c.lang, tools, name) },
			"arguments": func(*worker, string) (string, error) {
				return lang.CodeArguments.In(c.lang), nil
			},
			"unfitArgs": func(_ *worker, text string) (string, error) {
				at, kind, _ := strings.Cut(text, "\n")
				return lang.CodeUnfit.In(c.lang, at, kind), nil
			},
		},
		hint:  func(l lang.Lang, name string, _ jsbuild.Position) string { return hintCode(l, tools, name) },
		quiet: true,
	}
}

// noTool returns the error for an unknown tool, with similar names.
func noTool(l lang.Lang, tools []string, name string) *gongu.Error {
	out := &gongu.Error{Code: gongu.CodeNotInCatalog, Name: "ToolNotFound", Message: lang.CodeNoTool.In(l, cutText(name, 100))}
	if found := near.Names(name, slices.Values(tools), 3); len(found) > 0 {
		for i := range found {
			found[i] = member(found[i])
		}
		out.Suggestion = lang.CodeNear.In(l, strings.Join(found, ", "))
	}
	return out
}

// member returns the expression by which code calls a tool.
func member(name string) string {
	if jsbuild.IsIdentifier(name) {
		return "tools." + name
	}
	return "tools[" + string(jsonx.Text(name)) + "]"
}

// hintCode returns the suggestion for an unknown global.
func hintCode(l lang.Lang, tools []string, name string) string {
	if found := near.Names(name, slices.Values(tools), 1); len(found) > 0 {
		return lang.CodeGlobal.In(l, name, member(found[0]))
	}
	return lang.CodeNoGlobal.In(l, name)
}
