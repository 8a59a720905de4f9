package explore

import (
	"context"
	"encoding/json"
	"maps"
	"slices"
	"strings"

	"github.com/gongu-ai/gongu"
	"github.com/gongu-ai/gongu/internal/lang"
	"github.com/gongu-ai/gongu/internal/near"
	"github.com/gongu-ai/gongu/internal/toolschema"
)

// definition describes a tool, without its handler.
type definition struct {
	name     string
	text     lang.ToolText
	params   []param
	aliases  []string // accepted and not declared
	keywords []string
	limits   gongu.Limits
	hints    gongu.Annotations
}

// Models read the schemas with every request: what the handlers check anyway is
// not repeated in them.
type (
	param = toolschema.Param
	rule  = toolschema.Rule
)

// looks returns the annotations of a tool that only reads.
func looks() gongu.Annotations {
	return gongu.Annotations{ReadOnly: new(true), Idempotent: new(true), OpenWorld: new(false)}
}

// queues returns the annotations of a tool that adds a request for a person.
func queues() gongu.Annotations {
	return gongu.Annotations{ReadOnly: new(false), Destructive: new(false), Idempotent: new(true), OpenWorld: new(false)}
}

// acts returns the annotations of a tool that calls other tools.
func acts() gongu.Annotations {
	return gongu.Annotations{ReadOnly: new(false), Destructive: new(true), Idempotent: new(false), OpenWorld: new(true)}
}

// define makes a tool. The schema is open: a parameter that does not exist is
// refused here and not by the schema, because here the answer can say which
// one was meant.
func define[In any](x *explorer, d definition, run func(ctx context.Context, c *call, in In) gongu.Result) gongu.Tool {
	return gongu.Tool{
		Name:        d.name,
		Title:       d.text.Title.In(x.lang),
		Description: d.text.Description.In(x.lang),
		Domain:      Domain,
		Parameters:  gongu.Schema(toolschema.Open(x.lang, d.text, d.params)),
		Annotations: d.hints,
		Source:      gongu.Source{Type: "go", Name: "explore"},
		Limits:      d.limits,
		Keywords:    d.keywords,
		Invoke: func(ctx context.Context, asked gongu.Call) gongu.Result {
			c := &call{explorer: x, name: d.name, about: gongu.ContextOf(ctx)}
			var in In
			if refused := c.decode(asked.Args, &d, &in); refused != nil {
				return *refused
			}
			return run(ctx, c, in)
		},
	}
}

// encode writes JSON for models. What it is given here always has a JSON form.
func encode(v any) json.RawMessage { return gongu.OK(v).Output }

// call is one call of a tool, with what its caller may see.
type call struct {
	*explorer
	name  string
	about *gongu.Context
}

// catalog is the caller's, and an empty one for a caller that has none: a
// catalog that was bypassed shows nothing.
func (c *call) catalog() *gongu.Catalog {
	if c.about.Catalog != nil {
		return c.about.Catalog
	}
	return gongu.Everything(gongu.NewRegistry(nil))
}

// decode reads the arguments, whose form the executor has checked against the
// schema.
func (c *call) decode(args json.RawMessage, d *definition, in any) *gongu.Result {
	var given map[string]json.RawMessage
	if err := json.Unmarshal(args, &given); err != nil {
		return new(c.badArgs(lang.ExploreBadParam.In(c.lang, "args", err.Error()), nil, ""))
	}
	var allowed []string
	for _, p := range d.params {
		allowed = append(allowed, p.Name)
	}
	for _, name := range slices.Sorted(maps.Keys(given)) {
		if !slices.Contains(allowed, name) && !slices.Contains(d.aliases, name) {
			return new(c.badArgs(lang.ExploreUnknownParam.In(c.lang, name), near.Names(name, slices.Values(allowed), 3),
				lang.ExploreSuggestAllowed.In(c.lang, strings.Join(allowed, ", "))))
		}
	}
	if err := json.Unmarshal(args, in); err != nil {
		return new(c.badArgs(lang.ExploreBadParam.In(c.lang, fieldOf(err), err.Error()), nil, ""))
	}
	return nil
}
