package bundle

import (
	"encoding/json"
	"slices"
	"strings"

	"github.com/gongu-ai/gongu"
	"github.com/gongu-ai/gongu/internal/lang"
)

// Macro is a resource: a tool made of calls of other tools. The model calls it
// by the name of the resource.
type Macro struct {
	Meta
	Spec MacroSpec
}

// MacroSpec is the spec of a Macro.
type MacroSpec struct {
	Description string          `json:"description" rule:"required" doc:"What the macro does, for the model."`
	Domain      string          `json:"domain" rule:"nonempty" doc:"Group that the macro is listed under (default: its own name)."`
	Parameters  gongu.Schema    `json:"parameters" doc:"JSON Schema of the arguments, with type: object at the root."`
	Steps       []MacroStep     `json:"steps" rule:"required,min=1,unique=id" doc:"The calls, in order."`
	Output      json.RawMessage `json:"output" doc:"What the macro answers; ${…} holds expressions in CEL (default: the output of the last step that gave one)."`
}

// MacroStep is one call of a macro.
type MacroStep struct {
	ID      string          `json:"id" rule:"nonempty" doc:"Name by which later steps refer to this one, as steps.ID.output."`
	Tool    string          `json:"tool" rule:"required" doc:"Full name of the tool to call."`
	Params  json.RawMessage `json:"params" rule:"object" doc:"Arguments; ${…} holds expressions in CEL."`
	When    string          `json:"when" rule:"nonempty" doc:"Condition in CEL; the step, or with forEach the item, is skipped when it is false."`
	ForEach string          `json:"forEach" rule:"nonempty" doc:"List in CEL; the step runs for each item, with item and index."`
	OnError MacroOnError    `json:"onError" doc:"What a failure does: fail (default), continue, or {output: …} for the value to go on with."`
}

// MacroOnError is what the failure of a step does. The zero value ends the
// macro.
type MacroOnError struct {
	// Continue goes on with the next step or item.
	Continue bool
	// Output goes on, too, with this as the output.
	Output json.RawMessage
}

// onErrorWords returns the texts of onError.
func onErrorWords() []string { return []string{"fail", "continue"} }

func (o *MacroOnError) fromNode(d *decoder, a at, _ rules) {
	switch kindOf(a.node) {
	case kindString:
		text := a.value().Value
		if !slices.Contains(onErrorWords(), text) {
			d.error(a, CodeSchemaInvalid, lang.BundleEnum.With(short(text)), lang.MacroHintOnError.With())
		}
		o.Continue = text == "continue"
	case kindObject:
		o.fromObject(d, a)
	default:
		d.error(a, CodeSchemaInvalid, lang.BundleType.With("object or string", kindOf(a.node)), lang.MacroHintOnError.With())
	}
}

// fromObject takes a null for a value: going on with nothing is a choice.
func (o *MacroOnError) fromObject(d *decoder, a at) {
	content := a.value().Content
	for i := 0; i+1 < len(content); i += 2 {
		if name := deref(content[i]).Value; name != "output" {
			d.unknownField(a.key(name, content[i]), name, []fieldInfo{{name: "output"}})
			continue
		}
		o.Output = appendJSON(nil, content[i+1])
	}
	if o.Output == nil {
		d.error(a.key("output", a.node), CodeSchemaInvalid, lang.BundleRequired.With("output"), lang.MacroHintOnError.With())
	}
}

func (m *Macro) complete(l *loader) {
	l.checkParameters(m.spec.find("parameters"), m.Spec.Parameters)
	for i, step := range m.Spec.Steps {
		if step.Tool != "" && strings.TrimSpace(step.Tool) == m.Name {
			l.error(m.spec.find("steps", i, "tool"), CodeSchemaInvalid, lang.BundleMacroSelf.With(m.Name), lang.BundleHintMacroSelf.With())
		}
	}
}
