package builtin

import (
	"context"
	"encoding/json"
	"errors"

	"github.com/gongu-ai/gongu"
	"github.com/gongu-ai/gongu/internal/lang"
	"github.com/gongu-ai/gongu/internal/toolschema"
)

// definition describes a tool, without its handler.
type definition struct {
	resource, export string
	text             lang.ToolText
	params           []param
	keywords         []string
	example          string
	limits           gongu.Limits
	// annotations are those of a tool that only computes when nil.
	annotations *gongu.Annotations
	// output takes the place of what the Go type says, where that is nothing
	// but "any": clients refuse a tool, or a whole list, for a bare true.
	output gongu.Schema
}

// define makes a tool in one language. The schema is written out instead of
// being read from In: it has defaults, bounds and a description per language.
func define[In, Out any](l lang.Lang, d definition, run func(context.Context, In) (Out, error)) gongu.Tool {
	tool := gongu.Func(d.resource+"__"+d.export, d.text.Description.In(l),
		func(ctx context.Context, in In) (Out, error) {
			out, err := run(ctx, in)
			if wrong, ok := errors.AsType[*problem](err); ok {
				err = &gongu.Error{Message: wrong.in(l), Code: wrong.code}
			}
			return out, err
		})
	tool.Title = d.text.Title.In(l)
	tool.Domain = d.resource
	tool.Parameters = gongu.Schema(toolschema.Closed(l, d.text, d.params))
	if d.output != "" {
		tool.Output = d.output
	}
	tool.Annotations = gongu.Annotations{ReadOnly: new(true), Idempotent: new(true), OpenWorld: new(false)}
	if d.annotations != nil {
		tool.Annotations = *d.annotations
	}
	tool.Source = gongu.Source{Type: "config", Name: d.resource}
	tool.Keywords = d.keywords
	tool.Examples = []json.RawMessage{json.RawMessage(d.example)}
	tool.Limits = d.limits
	return tool
}

// outputOf returns the schema of an output, for a tool that returns a
// [gongu.Result] itself.
func outputOf[Out any]() gongu.Schema { return gongu.Func[struct{}, Out]("", "", nil).Output }

// problem is what is wrong with an argument, in every language. define chooses the
// language of the reader.
type problem struct {
	in   func(lang.Lang) string
	code string // empty is that of any failing tool
}

func (p *problem) Error() string { return p.in(lang.English) }

func wrong(text lang.Text, args ...any) *problem { return &problem{in: text.With(args...).In} }
