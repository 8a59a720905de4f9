package dialect

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"regexp"
	"strings"
	"sync"

	"github.com/gongu-ai/gongu"
	"github.com/gongu-ai/gongu/internal/jsonx"
	"github.com/gongu-ai/gongu/internal/lang"
)

// Declaration is what a model is shown, and what that leaves out.
type Declaration struct {
	JSON   json.RawMessage
	Losses []Loss
}

// Declare writes one tool as an element of the request's tools. For
// [GeminiOpenAPI] and [Gemini] that is a function declaration, for [AISDK] an
// object whose one key is the tool's name.
//
// The error says why the tool cannot be declared at all: its schema is not
// JSON, or it demands a parameter whose name the provider refuses.
func Declare(d Dialect, t gongu.Tool, opts *Options) (Declaration, error) {
	if !d.known() {
		_, err := Parse(string(d))
		return Declaration{}, err
	}
	w := &declaring{dialect: d, tool: &t, lang: opts.lang()}
	raw, err := w.declare()
	if err != nil {
		return Declaration{}, fmt.Errorf("declare tool %q for %s: %w", t.Name, d, err)
	}
	return Declaration{JSON: raw, Losses: w.losses}, nil
}

// DeclareAll writes the whole tools value of a request, in the order given: an
// array, for Gemini an array with one group of functions, for [AISDK] an
// object.
//
// One tool that a provider refuses would make it refuse the request, so a tool
// that cannot be declared is left out. The error joins the reasons; the
// declaration of the others is good all the same.
func DeclareAll(d Dialect, tools []gongu.Tool, opts *Options) (Declaration, error) {
	if !d.known() {
		_, err := Parse(string(d))
		return Declaration{}, err
	}
	var (
		all    Declaration
		parts  []json.RawMessage
		byName object
		faults []error
	)
	seen := make(map[string]bool, len(tools))
	for _, t := range tools {
		if seen[t.Name] {
			faults = append(faults, fmt.Errorf("declare tool %q for %s: it is given twice", t.Name, d))
			continue
		}
		seen[t.Name] = true
		one, err := Declare(d, t, opts)
		if err != nil {
			faults = append(faults, err)
			continue
		}
		parts = append(parts, one.JSON)
		byName.inner(one.JSON)
		all.Losses = append(all.Losses, one.Losses...)
	}
	switch {
	case d == AISDK:
		all.JSON = byName.bytes()
	case (d == Gemini || d == GeminiOpenAPI) && len(parts) > 0:
		var group object
		all.JSON = array(group.raw("functionDeclarations", array(parts...)).bytes())
	default:
		all.JSON = array(parts...)
	}
	return all, errors.Join(faults...)
}

// declaring is the state of declaring one tool in one dialect.
type declaring struct {
	dialect Dialect
	tool    *gongu.Tool
	lang    lang.Lang
	losses  []Loss
	listed  map[Loss]bool
}

// lose lists a loss. A rule met again on another way to the same place is
// listed once.
func (w *declaring) lose(path, keyword string, note lang.Text, args ...any) {
	loss := Loss{Tool: w.tool.Name, Path: path, Keyword: keyword, Note: note.In(w.lang, args...)}
	if w.listed[loss] {
		return
	}
	if w.listed == nil {
		w.listed = map[Loss]bool{}
	}
	w.listed[loss] = true
	w.losses = append(w.losses, loss)
}

func (w *declaring) declare() (json.RawMessage, error) {
	original := []byte(w.tool.Parameters.OrAnyObject())
	if err := checkJSON("parameters", original); err != nil {
		return nil, err
	}
	if kind := jsonx.Kind(bytes.TrimSpace(original)); kind != "object" {
		return nil, fmt.Errorf("parameters: a JSON Schema in an object is needed, not a value of type %s", kind)
	}
	w.checkName()
	switch w.dialect {
	case MCP:
		return w.mcp(original)
	case OpenAI:
		return w.chat(original, false), nil
	case OpenAIResponses:
		var o object
		o.string("type", "function").string("name", w.tool.Name).string("description", w.tool.Description)
		// Without it the API rewrites the schema for strict mode by itself.
		return o.raw("parameters", original).flag("strict", false).bytes(), nil
	case OpenAIStrict:
		return w.strict(original)
	case Anthropic:
		schema, err := w.anthropic(original)
		if err != nil {
			return nil, err
		}
		return w.named().raw("input_schema", schema).bytes(), nil
	case Gemini:
		return w.named().raw("parametersJsonSchema", original).bytes(), nil
	case GeminiOpenAPI:
		return w.geminiOpenAPI(original)
	case AISDK:
		return w.aisdk(original)
	}
	return w.named().raw("input_schema", original).bytes(), nil
}

func (w *declaring) named() *object {
	var o object
	return o.string("name", w.tool.Name).string("description", w.tool.Description)
}

func (w *declaring) mcp(original []byte) (json.RawMessage, error) {
	t := w.tool
	output, err := w.output()
	if err != nil {
		return nil, err
	}
	parts := []part{
		{name: "name", value: appendString(nil, t.Name)},
		{name: "title"},
		{name: "description", value: appendString(nil, t.Description), placed: t.Template != "" && t.Description == ""},
		{name: "inputSchema", value: withoutBooleans(original)},
		{name: "outputSchema", value: output},
		{name: "annotations", value: annotationsOf(t)},
	}
	if t.Title != "" {
		parts[1].value = appendString(nil, t.Title)
	}
	return fillTemplate([]byte(t.Template), parts), nil
}

// output returns the schema of the output, nil if there is none.
func (w *declaring) output() ([]byte, error) {
	if w.tool.Output == "" {
		return nil, nil
	}
	if err := checkJSON("output", []byte(w.tool.Output)); err != nil {
		return nil, err
	}
	return withoutBooleans([]byte(w.tool.Output)), nil
}

func (w *declaring) aisdk(original []byte) (json.RawMessage, error) {
	var entry, o object
	entry.string("description", w.tool.Description).raw("inputSchema", original)
	output, err := w.output()
	if err != nil {
		return nil, err
	}
	if output != nil {
		entry.raw("outputSchema", output)
	}
	return o.raw(w.tool.Name, entry.bytes()).bytes(), nil
}

// chat returns a declaration for OpenAI's chat completions.
func (w *declaring) chat(parameters []byte, strict bool) json.RawMessage {
	var o object
	function := w.named().raw("parameters", parameters)
	if w.dialect == OpenAIStrict {
		function.flag("strict", strict)
	}
	return o.string("type", "function").raw("function", function.bytes()).bytes()
}

func (w *declaring) geminiOpenAPI(original []byte) (json.RawMessage, error) {
	schema, err := w.lowered(original, &openAPITarget)
	if err != nil {
		return nil, err
	}
	if !schema.has("properties") {
		// The API refuses an object without properties; a function without
		// parameters leaves them out.
		return w.named().bytes(), nil
	}
	return w.named().raw("parameters", schema.append(nil)).bytes(), nil
}

// strict declares in strict mode, or without it when the schema, once lowered,
// would no longer be the same tool.
func (w *declaring) strict(original []byte) (json.RawMessage, error) {
	schema, err := w.lowered(original, &strictTarget)
	if impossible, ok := errors.AsType[*impossibleError](err); ok {
		w.losses, w.listed = nil, nil
		w.checkName()
		w.lose(impossible.path, "strict", lang.LossNotStrict, impossible.reason.In(w.lang))
		return w.chat(original, false), nil
	}
	if err != nil {
		return nil, err
	}
	return w.chat(schema.append(nil), true), nil
}

// checkJSON says in which schema and where in it the JSON is broken.
func checkJSON(what string, raw []byte) error {
	if problem := jsonx.Strict(raw); problem != nil {
		return fmt.Errorf("%s%s: %s", what, strings.TrimPrefix(problem.Path, "args"), problem.Message.In(lang.English))
	}
	return nil
}

// toolNames are the tool names that each provider accepts.
var toolNames = map[Dialect]func() *regexp.Regexp{
	MCP:             lazy(`^[A-Za-z0-9_.-]{1,128}$`),
	OpenAI:          lazy(`^[A-Za-z0-9_-]{1,64}$`),
	OpenAIResponses: lazy(`^[A-Za-z0-9_-]{1,64}$`),
	OpenAIStrict:    lazy(`^[A-Za-z0-9_-]{1,64}$`),
	Anthropic:       lazy(`^[A-Za-z0-9_-]{1,128}$`),
	Gemini:          lazy(`^[A-Za-z_][A-Za-z0-9_.:-]{0,63}$`),
	GeminiOpenAPI:   lazy(`^[A-Za-z_][A-Za-z0-9_.:-]{0,63}$`),
}

// lazy compiles a form at its first use: a program that declares nothing does
// not pay for it.
func lazy(form string) func() *regexp.Regexp {
	return sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(form) })
}

// matches is lazy for forms of which nothing but the answer is needed.
func matches(form string) func(text string) bool {
	compiled := lazy(form)
	return func(text string) bool { return compiled().MatchString(text) }
}

// checkName only reports: a name is what the model calls and what the executor
// looks up, so it is never changed here.
func (w *declaring) checkName() {
	if form := toolNames[w.dialect]; form != nil && !form().MatchString(w.tool.Name) {
		w.lose("", "name", lang.LossName, form().String())
	}
}
