package script

import (
	"encoding/json"
	"errors"
	"regexp"
	"strings"

	"github.com/gongu-ai/gongu"
	"github.com/gongu-ai/gongu/internal/jsbuild"
	"github.com/gongu-ai/gongu/internal/jsonx"
	"github.com/gongu-ai/gongu/internal/lang"
)

// LoadError reports why a module cannot be loaded, and where.
type LoadError = jsbuild.Error

// MissingError reports that a module lacks a handler or the function register.
type MissingError struct {
	// Path is the module, from its root.
	Path string
	// Export is the missing handler; empty when the module has no handlers at
	// all.
	Export string
	// Found are the handlers of the module.
	Found []string
	// Register reports that register is missing.
	Register bool

	lang lang.Lang
}

func (e *MissingError) Error() string {
	if e.Register {
		return lang.ExtScriptNoRegister.In(e.lang, e.Path)
	}
	if e.Export == "" {
		return lang.ScriptNoHandlers.In(e.lang, e.Path)
	}
	found := strings.Join(e.Found, ", ")
	if found == "" {
		found = lang.ScriptNone.In(e.lang)
	}
	return lang.ScriptNoHandler.In(e.lang, e.Path, e.Export, found)
}

// exception is an exception of a script that the shim reports.
type exception struct {
	gongu.Error
	Stack string
}

func parseException(text string) exception {
	var e exception
	var stack struct {
		Stack string `json:"stack"`
	}
	raw := []byte(text)
	if err := errors.Join(json.Unmarshal(raw, &e.Error), json.Unmarshal(raw, &stack)); err != nil {
		e.Message, e.Name = text, "UnknownError"
	}
	e.Stack = stack.Stack
	return e
}

// notDefined matches the engine's message for an unknown global.
var notDefined = regexp.MustCompile(`^'?([A-Za-z_$][\w$]*)'? is not defined$`)

// fault converts an exception to a result. The result has the position in
// _meta, and in the suggestion if the code of the tool itself is wrong. For
// errors that the tool throws on purpose, the position does not help the
// caller.
func (m *Module) fault(e exception) (gongu.Result, jsbuild.Position) {
	at, _ := m.sourceMap.Stack(e.Stack)
	return m.faultAt(e, at), at
}

func (m *Module) faultAt(e exception, at jsbuild.Position) gongu.Result {
	out := e.Error
	l := m.engine.lang
	switch out.Name {
	case "TypeError", "ReferenceError", "RangeError", "SyntaxError", "InternalError", "EvalError":
		if out.Suggestion == "" && at.File != "" && !m.engine.api.quiet {
			out.Suggestion = lang.ScriptOwnFault.In(l, jsbuild.Position{File: at.File, Line: at.Line})
		}
	}
	if missing := notDefined.FindStringSubmatch(out.Message); missing != nil && out.Name == "ReferenceError" {
		if hint := m.engine.api.hint(l, missing[1], at); hint != "" {
			out.Suggestion = hint
		}
	}
	result := gongu.Fail(&out)
	result.Meta = positionMeta(at)
	return result
}

// positionMeta returns the _meta of a result with a position, or nil.
func positionMeta(at jsbuild.Position) json.RawMessage {
	if at.File == "" {
		return nil
	}
	return jsonx.Text(map[string]string{"gongu/at": jsbuild.Position{File: at.File, Line: at.Line}.String()})
}

// hostFault encodes an error for the shim.
func hostFault(name, code, message string) string {
	return string(jsonx.Text(struct {
		Code    string `json:"code,omitempty"`
		Message string `json:"message"`
		Name    string `json:"name,omitempty"`
	}{code, message, name}))
}
