package explore

import (
	"context"
	"encoding/json"
	"errors"
	"slices"

	"github.com/gongu-ai/gongu"
	"github.com/gongu-ai/gongu/internal/lang"
	"github.com/gongu-ai/gongu/toolrequest"
)

func (x *explorer) registerTool() gongu.Tool {
	step := []param{
		{Name: "tool", Rule: rule{Type: "string"}},
		{Name: "params", Optional: true, Rule: rule{Type: "object"}},
	}
	return define(x, definition{
		name: RegisterTool, text: lang.ExploreRegister, hints: queues(),
		params: []param{
			{Name: "name", Rule: rule{Type: "string"}},
			{Name: "description", Rule: rule{Type: "string"}},
			{Name: "implementation", Optional: true, Rule: rule{Type: "string", Enum: []string{"macro"}}},
			{Name: "parameters", Optional: true, Rule: rule{Type: "object"}},
			{Name: "steps", Rule: rule{Type: "array", Items: &rule{
				Type: "object", Members: step,
			}}},
		},
		// What a macro may say beside its steps; a person who knows macros
		// proposes them as well.
		aliases:  []string{"domain", "output", "rationale"},
		keywords: []string{"macro", "compose", "new tool", "매크로", "등록"},
	}, registerTool)
}

// proposal has the fields of a macro that this package reads. Package macro reads
// the rest.
type proposal struct {
	Name        string `json:"name"`
	Description string `json:"description"`
	Rationale   string `json:"rationale"`
	Steps       []struct {
		Tool string `json:"tool"`
	} `json:"steps"`
	// whole is the definition as it was given.
	whole map[string]json.RawMessage
}

// UnmarshalJSON keeps the whole text beside what is read of it.
func (p *proposal) UnmarshalJSON(raw []byte) error {
	type fields proposal
	if err := json.Unmarshal(raw, (*fields)(p)); err != nil {
		return err
	}
	return json.Unmarshal(raw, &p.whole)
}

func registerTool(ctx context.Context, c *call, in proposal) gongu.Result {
	catalog := c.catalog()
	if catalog.Has(in.Name) {
		return c.badArgs(lang.ExploreCallable.In(c.lang, in.Name), nil, "")
	}
	delete(in.whole, "rationale") // about the request, not about the tool
	definition := encode(in.whole)
	if err := c.opts.Macros(definition, catalog); err != nil {
		return c.badSteps(in, err)
	}
	answer, refused := c.add(ctx, toolrequest.New{
		Name: in.Name, Description: in.Description, Rationale: in.Rationale, Proposal: definition,
	}, lang.ExploreProposed)
	if refused != nil {
		return *refused
	}
	return gongu.OK(answer)
}

// badSteps says what is wrong with a definition, with near names for the tools
// that the caller cannot call.
func (c *call) badSteps(in proposal, err error) gongu.Result {
	const most = 3
	var names []string
	catalog := c.catalog()
	for _, step := range in.Steps {
		if catalog.Has(step.Tool) {
			continue
		}
		for _, name := range catalog.Near(step.Tool) {
			if len(names) < most && !slices.Contains(names, name) {
				names = append(names, name)
			}
		}
	}
	return c.badArgs(inLanguage(err, c.lang), names, lang.ExploreSuggestSteps.In(c.lang))
}

// inLanguage is the text of an error that has one in each language.
func inLanguage(err error, l lang.Lang) string {
	var spoken interface{ In(language string) string }
	if errors.As(err, &spoken) {
		return spoken.In(string(l))
	}
	return err.Error()
}
