package macro

import (
	"encoding/json"
	"errors"
	"fmt"
)

// Definition is a macro as it is written down.
type Definition struct {
	// Name is what the model calls: a plain name, without "__".
	Name        string `json:"name"`
	Description string `json:"description,omitempty"`
	Domain      string `json:"domain,omitempty"`
	// Parameters is the JSON Schema of the arguments; empty takes any object.
	Parameters json.RawMessage `json:"parameters,omitempty"`
	Steps      []Step          `json:"steps"`
	// Output is the template of what the macro answers; empty is the output
	// of the last step that gave one.
	Output json.RawMessage `json:"output,omitempty"`
}

// Step is one call of a macro.
type Step struct {
	// ID is how later steps refer to this one.
	ID string `json:"id,omitempty"`
	// Tool is the full name of the tool. It cannot be computed.
	Tool string `json:"tool"`
	// Params is the template of the arguments, an object; empty is {}.
	Params json.RawMessage `json:"params,omitempty"`
	// When is a condition: the step, or with ForEach the item, is skipped
	// unless it is true.
	When string `json:"when,omitempty"`
	// ForEach gives a list; the step runs for each of its items in turn.
	ForEach string `json:"forEach,omitempty"`
	// OnError says what a failure of the tool does.
	OnError OnError `json:"onError,omitzero"`
}

// OnError says what the failure of a step does to the macro. The zero value
// ends it.
type OnError struct {
	// Continue goes on with the next step or item.
	Continue bool
	// Output goes on, too, with the value of this template as the output of
	// the failed step or item. Its expressions may use error.
	Output json.RawMessage
}

// The texts of onError.
const (
	onErrorFail     = "fail"
	onErrorContinue = "continue"
)

// goesOn reports whether a failure does not end the macro.
func (o OnError) goesOn() bool { return o.Continue || len(o.Output) > 0 }

// MarshalJSON writes "fail", "continue" or {"output": …}.
func (o OnError) MarshalJSON() ([]byte, error) {
	switch {
	case len(o.Output) > 0:
		return json.Marshal(map[string]json.RawMessage{"output": o.Output})
	case o.Continue:
		return json.Marshal(onErrorContinue)
	}
	return json.Marshal(onErrorFail)
}

// UnmarshalJSON reads what MarshalJSON writes.
func (o *OnError) UnmarshalJSON(data []byte) error {
	var r report
	*o = parseOnError(&r, location{}, raw(data))
	if list := r.all(); len(list) > 0 {
		return fmt.Errorf("onError: %w", list)
	}
	return nil
}

// UnmarshalJSON reads a definition as [Parse] does.
func (d *Definition) UnmarshalJSON(data []byte) error {
	parsed, err := Parse(data)
	if err != nil {
		return err
	}
	*d = *parsed
	return nil
}

// The bounds of a definition. A macro that needs more is a program, and there
// are better languages for one.
const (
	maxSource      = 64 << 10
	maxSteps       = 50
	maxExpressions = 200
	maxAllExprs    = 16 << 10 // bytes of all expressions: compiling costs more than its length
	maxName        = 64
)

// Parse reads a definition from JSON, as register_tool and files hold it. All
// that is wrong is reported together, as [Problems] in the returned error. It
// looks at the form only; see [Definition.Check] for the rest.
func Parse(data json.RawMessage) (*Definition, error) {
	var r report
	d := parseDefinition(&r, raw(data))
	if list := r.all(); len(list) > 0 {
		return nil, list.err(d.Name)
	}
	return d, nil
}

// ProblemsOf returns the problems in an error of this package, or nil.
func ProblemsOf(err error) Problems {
	list, _ := errors.AsType[Problems](err)
	return list
}
