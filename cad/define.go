package cad

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"

	strict "github.com/go-json-experiment/json"

	"github.com/gongu-ai/gongu"
	"github.com/gongu-ai/gongu/internal/jsonx"
	"github.com/gongu-ai/gongu/internal/lang"
	"github.com/gongu-ai/gongu/internal/near"
	"github.com/gongu-ai/gongu/internal/toolschema"
)

// kit is shared by all tools of one set.
type kit struct {
	store Store
	lang  lang.Lang
}

// definition describes a tool, without its handler.
type definition struct {
	name, domain string
	text         lang.ToolText
	params       []param
	keywords     []string
	example      string
	annotations  gongu.Annotations
}

// done is the output of a tool that changes the scene.
type done struct {
	Entity string `json:"entity"`
	Type   string `json:"type"`
	// Operation is what was undone or done again.
	Operation string   `json:"operation,omitempty"`
	Warnings  []string `json:"warnings,omitempty"`
}

// outcome is the result of an operation of the scene.
type outcome struct {
	entity    Entity
	operation string
	warnings  []Warning
}

// changing defines a tool that changes the scene.
func changing[In any](k *kit, d definition, run func(*Scene, In) (outcome, error)) gongu.Tool {
	return define(k, d, k.store.Update, func(s *Scene, in In) (any, error) {
		o, err := run(s, in)
		if err != nil {
			return nil, err
		}
		out := done{Entity: o.entity.Name, Type: o.entity.Type(), Operation: o.operation}
		for _, warning := range o.warnings {
			out.Warnings = append(out.Warnings, warning.In(k.lang))
		}
		return out, nil
	})
}

// looking defines a tool that only reads the scene.
func looking[In any](k *kit, d definition, run func(*Scene, In) (any, error)) gongu.Tool {
	d.annotations = gongu.Annotations{ReadOnly: new(true), Idempotent: new(true), OpenWorld: new(false)}
	return define(k, d, k.store.View, run)
}

type access func(ctx context.Context, instance string, fn func(*Scene) error) error

func define[In any](k *kit, d definition, open access, run func(*Scene, In) (any, error)) gongu.Tool {
	return gongu.Tool{
		Name:        d.name,
		Title:       d.text.Title.In(k.lang),
		Description: d.text.Description.In(k.lang),
		Domain:      d.domain,
		Parameters:  gongu.Schema(toolschema.Closed(k.lang, d.text, d.params)),
		Annotations: d.annotations,
		Source:      gongu.Source{Type: "go", Name: "cad"},
		Keywords:    d.keywords,
		Examples:    []json.RawMessage{json.RawMessage(d.example)},
		Invoke: func(ctx context.Context, call gongu.Call) gongu.Result {
			var in In
			if err := unmarshal(call.Args, &in); err != nil {
				return gongu.Fail(unfit(d.name, err))
			}
			var output any
			err := open(ctx, gongu.ContextOf(ctx).InstanceKey, func(s *Scene) (err error) {
				if output, err = run(s, in); err != nil {
					return k.explain(s, err)
				}
				return nil
			})
			if err != nil {
				return k.fail(err)
			}
			return gongu.OK(output)
		},
	}
}

// unfit reports the argument that cannot be decoded. The schema has passed, so it
// is a number that is out of range.
func unfit(name string, err error) *gongu.Error {
	path, issue := "args", err.Error()
	if semantic, ok := errors.AsType[*strict.SemanticError](err); ok {
		for token := range semantic.JSONPointer.Tokens() {
			path = jsonx.Join(path, token)
		}
		issue = fmt.Sprintf("%s does not fit %v", semantic.JSONValue, semantic.GoType)
	}
	return &gongu.Error{Code: gongu.CodeInvalidArgs, Message: fmt.Sprintf("Invalid arguments for tool '%s': %s: %s", name, path, issue)}
}

// refusal is a problem with what only the scene knew about it.
type refusal struct {
	*Problem
	names []string // nil when other names do not help
	hint  string
}

// explain adds the names that the model may have meant, or may use.
func (k *kit) explain(s *Scene, err error) error {
	problem, ok := errors.AsType[*Problem](err)
	if !ok {
		return err
	}
	r := &refusal{Problem: problem, hint: problem.hint.In(k.lang)}
	switch problem.Code {
	case CodeNotFound:
		r.names = append([]string{}, near.Names(problem.Entity, s.Names(), 3)...)
		if len(r.names) > 0 {
			r.hint = lang.CADHintNear.In(k.lang, strings.Join(r.names, ", ")) + " " + r.hint
		}
	case CodeDuplicateName:
		r.names = []string{s.free(problem.Entity)}
		r.hint += " " + lang.CADHintFree.In(k.lang, r.names[0])
	}
	return r
}

func (k *kit) fail(err error) gongu.Result {
	r, ok := errors.AsType[*refusal](err)
	if !ok {
		problem, ok := errors.AsType[*Problem](err)
		if !ok {
			return gongu.Fail(err)
		}
		r = &refusal{Problem: problem, hint: problem.hint.In(k.lang)}
	}
	result := gongu.OK(map[string][]string{"suggestions": r.names})
	if r.names == nil {
		result = gongu.Result{}
	}
	result.Status = gongu.StatusError
	result.Error = &gongu.Error{
		Code: r.Code, Name: errorNames()[r.Code], Message: r.message.In(k.lang), Suggestion: r.hint,
		HelpURL: lang.HelpBase + "/" + r.Code,
	}
	return result
}

func errorNames() map[string]string {
	return map[string]string{
		CodeNotFound:      "EntityNotFoundError",
		CodeDuplicateName: "DuplicateNameError",
		CodeInvalid:       "InvalidEntityError",
		CodeLimit:         "SceneLimitError",
		CodeNoHistory:     "NoHistoryError",
		CodeSceneFile:     "SceneFileError",
	}
}

// Domains declares the domains of the tools and what they are for.
func Domains(r *gongu.Registry, opts *Options) {
	l := opts.lang()
	for _, d := range domains() {
		r.Domain(d.name, d.text.In(l))
	}
}

type domain struct {
	name string
	text lang.Text
}

const (
	domainPrimitives = "primitives"
	domainStyle      = "style"
	domainExport     = "export"
	domainQuery      = "query"
	domainTransforms = "transforms"
)

// domains are in the order of the seed; what it does not have comes last.
func domains() []domain {
	return []domain{
		{domainPrimitives, lang.DomainCADPrimitives},
		{domainStyle, lang.DomainCADStyle},
		{domainExport, lang.DomainCADExport},
		{domainQuery, lang.DomainCADQuery},
		{domainTransforms, lang.DomainCADTransforms},
	}
}

// changes reports whether the tools of a domain answer with an entity.
func changes(domain string) bool {
	return slices.Contains([]string{domainPrimitives, domainStyle, domainTransforms}, domain)
}
