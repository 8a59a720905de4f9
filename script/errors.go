package script

import (
	"encoding/json"
	"errors"
	"fmt"
	"regexp"
	"strings"

	"github.com/gongu-ai/gongu"
	"github.com/gongu-ai/gongu/internal/jsbuild"
	"github.com/gongu-ai/gongu/internal/lang"
)

// LoadError says why a module cannot be loaded, and where.
type LoadError struct {
	// Path is the module, from its root.
	Path string
	// File, Line and Column are the place, from 1; File is empty when it is
	// not known. File is a path from the root, too.
	File         string
	Line, Column int
	// Reason is the problem, without the place.
	Reason string
	// Others is how many more problems there are.
	Others int
}

// asLoadError turns an error of jsbuild into a LoadError.
func asLoadError(err error) error {
	if e, ok := errors.AsType[*jsbuild.Error](err); ok {
		return new(LoadError(*e))
	}
	return err
}

func (e *LoadError) Error() string {
	switch {
	case e.File == "":
		return e.Path + ": " + e.Reason
	case e.Column == 0:
		return fmt.Sprintf("%s:%d: %s", e.File, e.Line, e.Reason)
	}
	return fmt.Sprintf("%s:%d:%d: %s", e.File, e.Line, e.Column, e.Reason)
}

// MissingError says that a module does not have the handlers it should.
type MissingError struct {
	// Path is the module, from its root.
	Path string
	// Export is the handler that is missing; empty when there are no handlers
	// at all.
	Export string
	// Found are the handlers that there are.
	Found []string
	// Register says that it is an extension's register that is missing.
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

// exception is what a script threw, as the shim tells it.
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

// notDefined is the engine's word for a global that is not there.
var notDefined = regexp.MustCompile(`^'?([A-Za-z_$][\w$]*)'? is not defined$`)

// fault words an exception for the model. Where it comes from is in _meta, and
// in the suggestion when the tool's own code is at fault: for an error that it
// throws on purpose, the place is of no use to the caller.
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

// positionMeta is the _meta of a result that fails at a position, or nil.
func positionMeta(at jsbuild.Position) json.RawMessage {
	if at.File == "" {
		return nil
	}
	raw, err := json.Marshal(map[string]string{"gongu/at": jsbuild.Position{File: at.File, Line: at.Line}.String()})
	if err != nil {
		return nil
	}
	return raw
}

// hostFault is an error as the shim takes it.
func hostFault(name, code, message string) string {
	fields := map[string]string{"message": message}
	if name != "" {
		fields["name"] = name
	}
	if code != "" {
		fields["code"] = code
	}
	raw, err := json.Marshal(fields)
	if err != nil {
		return `{"message":"?"}`
	}
	return string(raw)
}
