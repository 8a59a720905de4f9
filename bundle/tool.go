package bundle

import (
	"cmp"
	"encoding/json"
	"maps"
	"slices"
	"strings"
	"time"

	"github.com/gongu-ai/gongu"
	"github.com/gongu-ai/gongu/internal/lang"
)

// Tool is a resource with one or more functions for the model.
type Tool struct {
	Meta
	Spec ToolSpec
	// Module is where the handlers are.
	Module Module
}

// ToolSpec is the spec of a Tool.
type ToolSpec struct {
	Entry             string       `json:"entry" rule:"required" doc:"Module with the handlers, relative to the bundle, or builtin:NAME."`
	Runtime           string       `json:"runtime" rule:"enum=embedded|process|bun|node" doc:"What runs the module (default: embedded)."`
	Files             []string     `json:"files" rule:"nonempty" doc:"Files of a module that bun or node runs, relative to the bundle; *, ? and ** work (default: the folder of the module). Consent covers them, and the module runs from a copy of them."`
	ErrorMessageLimit int          `json:"errorMessageLimit" rule:"min=1" doc:"Longest error message, in characters (default: 1000)."`
	Timeout           Duration     `json:"timeout" doc:"How long a call may take, such as 30s."`
	OutputLimit       int          `json:"outputLimit" rule:"min=1" doc:"Largest output, in bytes."`
	Editable          bool         `json:"editable" doc:"Whether the tool may change files of the bundle; a person accepts the change."`
	Serial            bool         `json:"serial" doc:"Run calls one at a time."`
	Audit             string       `json:"audit" rule:"enum=required" doc:"Whether calls must be on record before they run: required refuses a call that cannot be recorded (default: calls are recorded when they end)."`
	Sandbox           *Sandbox     `json:"sandbox" doc:"What the programs that the tool starts may reach: off, or settings (default: all files but gongu's own to read, the working directory to write). With builtin:bash, or a module."`
	Domain            string       `json:"domain" rule:"nonempty" doc:"Group that the tools are listed under (default: the name of the resource)."`
	Exports           []ToolExport `json:"exports" rule:"required,min=1,unique=name" doc:"The functions for the model."`
}

func (s *ToolSpec) check(d *decoder, a at) {
	checkFiles(d, a, s.Files)
	if len(s.Files) > 0 && s.Runtime != "bun" && s.Runtime != "node" {
		d.error(a.find("files"), CodeSchemaInvalid, lang.BundleNeeds.With("files", "runtime: bun, or runtime: node"), lang.BundleHintFiles.With())
	}
}

// ToolExport is one function of a Tool. The model calls it by the name of the
// resource, two underscores and its own name.
type ToolExport struct {
	Name        string            `json:"name" rule:"required" doc:"Name of the function; the model calls {resource}__{name}."`
	Title       string            `json:"title" doc:"Short name for people."`
	Description string            `json:"description" doc:"What the function does, for the model."`
	Parameters  gongu.Schema      `json:"parameters" doc:"JSON Schema of the arguments, with type: object at the root."`
	Output      gongu.Schema      `json:"output" doc:"JSON Schema of the output, when the function promises one."`
	Annotations Hints             `json:"annotations" doc:"What calling the function can do."`
	Domain      string            `json:"domain" rule:"nonempty" doc:"Group of this function (default: the resource's)."`
	Keywords    []string          `json:"keywords" doc:"Other words to find the function by."`
	Examples    []json.RawMessage `json:"examples" rule:"object" doc:"Arguments that work."`
	Timeout     Duration          `json:"timeout" doc:"How long a call may take (default: the resource's)."`
	OutputLimit int               `json:"outputLimit" rule:"min=1" doc:"Largest output, in bytes (default: the resource's)."`
	Serial      *bool             `json:"serial" doc:"Run calls one at a time (default: the resource's)."`
}

// Hints are the annotations of a tool, by their names in MCP.
type Hints struct {
	ReadOnly    *bool `json:"readOnlyHint" doc:"The function changes nothing."`
	Destructive *bool `json:"destructiveHint" doc:"The function may destroy something (assumed unless false)."`
	Idempotent  *bool `json:"idempotentHint" doc:"A second equal call changes nothing more."`
	OpenWorld   *bool `json:"openWorldHint" doc:"The function reaches beyond this system (assumed unless false)."`
}

// Definitions returns the tools of the resource as the model sees them. Their
// Invoke is set by the code that runs the module.
func (t *Tool) Definitions() []gongu.Tool {
	list := make([]gongu.Tool, len(t.Spec.Exports))
	for i := range t.Spec.Exports {
		e := &t.Spec.Exports[i]
		list[i] = gongu.Tool{
			Name:        t.Name + "__" + e.Name,
			Title:       e.Title,
			Description: e.Description,
			Domain:      cmp.Or(e.Domain, t.Spec.Domain),
			Parameters:  e.Parameters,
			Output:      e.Output,
			Annotations: gongu.Annotations(e.Annotations),
			Source:      gongu.Source{Type: "config", Name: t.Name},
			Limits:      t.limits(e),
			Keywords:    slices.Clone(e.Keywords),
			Labels:      maps.Clone(t.Labels),
			Examples:    slices.Clone(e.Examples),
		}
	}
	return list
}

func (t *Tool) limits(e *ToolExport) gongu.Limits {
	l := gongu.Limits{
		Timeout:      time.Duration(cmp.Or(e.Timeout, t.Spec.Timeout)),
		ErrorMessage: t.Spec.ErrorMessageLimit,
		Output:       cmp.Or(e.OutputLimit, t.Spec.OutputLimit),
		Serial:       t.Spec.Serial,
	}
	if e.Serial != nil {
		l.Serial = *e.Serial
	}
	return l
}

// defaultErrorMessageLimit is seed 001 §2.4.
const defaultErrorMessageLimit = 1000

// complete checks the parts of a Tool together.
func (t *Tool) complete(l *loader) {
	if t.Spec.ErrorMessageLimit == 0 {
		t.Spec.ErrorMessageLimit = defaultErrorMessageLimit
	}
	t.Spec.Runtime = cmp.Or(t.Spec.Runtime, "embedded")
	t.Module = l.module(t.Meta, t.Spec.Entry)
	for i := range t.Spec.Exports {
		e := &t.Spec.Exports[i]
		here := t.spec.find("exports", i)
		t.checkExportName(l, here, e.Name)
		if t.Module.Builtin == "" {
			t.checkDocumented(l, here, e)
		}
		l.checkParameters(here.find("parameters"), e.Parameters)
		l.checkSchema(here.find("output"), e.Output)
	}
	t.checkBuiltin(l)
	t.checkSandbox(l)
}

func (t *Tool) checkExportName(l *loader, here at, name string) {
	if name == "" {
		return
	}
	place := here.find("name")
	if strings.Contains(name, "__") {
		l.error(place, CodeSchemaInvalid, lang.BundleSeparator.With(short(name)), lang.BundleHintSeparator.With(underscored(name)))
		return
	}
	if toolNameProblem(t.Name) != nil {
		return // reported at metadata.name
	}
	if _, err := gongu.BuildName(t.Name, name); err != nil {
		l.error(place, CodeInvalidName, lang.BundleToolName.With(err), lang.BundleHintToolName.With())
		return
	}
	if lower := strings.ToLower(name); lower != name {
		l.warn(place, CodeUppercase, CodeInvalidName, lang.BundleUppercase.With(name), lang.BundleHintUppercase.With(snake(name)))
	}
}

// checkDocumented warns of missing descriptions under strict only: seed 001 makes
// both fields optional.
func (t *Tool) checkDocumented(l *loader, here at, e *ToolExport) {
	if !l.strict {
		return
	}
	if strings.TrimSpace(e.Description) == "" {
		l.warn(here.find("description"), CodeUndocumented, "", lang.BundleNoDescription.With(short(e.Name)), lang.BundleHintDescription.With())
	}
	if e.Parameters == "" {
		l.warn(here.find("parameters"), CodeUndocumented, "", lang.BundleNoParameters.With(short(e.Name)), lang.BundleHintParameters.With())
	}
}

func (t *Tool) checkBuiltin(l *loader) {
	if t.Module.Builtin == "" || l.opts.Builtins == nil {
		return
	}
	tools, ok := l.opts.Builtins[t.Module.Builtin]
	if !ok {
		names := slices.Sorted(maps.Keys(l.opts.Builtins))
		l.error(t.spec.find("entry"), CodeEntryNotFound, lang.BundleNoBuiltin.With(short(t.Module.Builtin)), choose(t.Module.Builtin, names))
		return
	}
	exports := make([]string, len(tools))
	for i, tool := range tools {
		_, exports[i], _ = gongu.ParseName(tool.Name)
	}
	for i, e := range t.Spec.Exports {
		known := slices.Index(exports, e.Name)
		switch {
		case e.Name == "":
		case known < 0:
			l.error(t.spec.find("exports", i, "name"), CodeEntryNotFound, lang.BundleNoBuiltinExport.With(t.Module.Builtin, short(e.Name)), choose(e.Name, exports))
		default:
			if hint := gongu.Annotations(e.Annotations).Milder(tools[known].Annotations); hint != "" {
				l.error(t.spec.find("exports", i, "annotations", hint), CodeMilderHint, lang.BundleMilderHint.With(hint, tools[known].Name), lang.BundleHintMilder.With())
			}
		}
	}
}

// underscored offers a legal spelling for a name with the separator in it.
func underscored(name string) string {
	for strings.Contains(name, "__") {
		name = strings.ReplaceAll(name, "__", "_")
	}
	return short(strings.Trim(name, "_"))
}

// snake spells a camelCase name in lower case.
func snake(name string) string {
	var b strings.Builder
	for i, r := range name {
		if r >= 'A' && r <= 'Z' {
			if i > 0 && !strings.HasSuffix(b.String(), "_") && !strings.HasSuffix(b.String(), "-") {
				b.WriteByte('_')
			}
			r += 'a' - 'A'
		}
		b.WriteRune(r)
	}
	return b.String()
}
