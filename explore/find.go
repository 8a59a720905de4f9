package explore

import (
	"context"
	"slices"
	"strings"

	"github.com/gongu-ai/gongu"
	"github.com/gongu-ai/gongu/internal/lang"
)

// mostFound is how many tools a search shows. A better query helps more than a
// longer list.
const mostFound = 8

func (x *explorer) searchTool() gongu.Tool {
	return define(x, definition{
		name: SearchTools, text: lang.ExploreSearch, hints: looks(),
		params:   []param{{Name: "query", Rule: rule{Type: "string"}}},
		keywords: []string{"find", "look for", "검색", "찾기"},
	}, findTools)
}

type findArgs struct {
	Query string `json:"query"`
}

type foundTools struct {
	Tools []brief `json:"tools"`
	// Message says what to do when there are none.
	Message string `json:"message,omitempty"`
}

func findTools(ctx context.Context, c *call, in findArgs) gongu.Result {
	if strings.TrimSpace(in.Query) == "" {
		return c.badArgs(lang.ExploreEmptyParam.In(c.lang, "query"), nil, "")
	}
	catalog := c.catalog()
	hits, err := c.opts.Index.Search(ctx, catalog, in.Query, mostFound)
	if err != nil {
		return gongu.Fail(err)
	}
	var names []string
	for _, hit := range hits {
		names = append(names, hit.Name)
	}
	if names == nil { // words that no tool has may be a name with a slip
		names = catalog.Near(in.Query)
	}
	found := foundTools{Tools: fit(briefs(catalog, names), replyCost)}
	if len(found.Tools) == 0 {
		found.Message = lang.ExploreNothingFound.In(c.lang)
	}
	return gongu.OK(found)
}

// briefs looks names up in a catalog; those it does not have are left out.
func briefs(catalog *gongu.Catalog, names []string) []brief {
	tools := []brief{}
	for _, name := range names {
		if tool, ok := catalog.Get(name); ok {
			tools = append(tools, brief{tool.Name, tool.Description})
		}
	}
	return tools
}

// mostSimilar is how many tools an answer to a request names.
const mostSimilar = 3

// similar finds tools that may do what is requested: first those with a similar
// name, then those that a search finds.
func (c *call) similar(ctx context.Context, name, description string) []brief {
	catalog := c.catalog()
	names := slices.DeleteFunc(catalog.Near(name), IsOwn)
	hits, err := c.opts.Index.searchFunc(ctx, catalog, name+" "+description, mostSimilar, func(name string) bool {
		return catalog.Has(name) && !IsOwn(name)
	})
	if err == nil {
		for _, hit := range hits {
			if !slices.Contains(names, hit.Name) {
				names = append(names, hit.Name)
			}
		}
	}
	return fit(briefs(catalog, names[:min(mostSimilar, len(names))]), replyCost)
}
