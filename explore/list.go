package explore

import (
	"context"
	"encoding/json"
	"slices"
	"strings"

	"github.com/gongu-ai/gongu"
	"github.com/gongu-ai/gongu/internal/cursor"
	"github.com/gongu-ai/gongu/internal/lang"
	"github.com/gongu-ai/gongu/internal/near"
)

func (x *explorer) listDomainsTool() gongu.Tool {
	return define(x, definition{
		name: ListDomains, text: lang.ExploreListDomains, hints: looks(),
		keywords: []string{"categories", "groups", "도메인", "분류"},
	}, listDomains)
}

func listDomains(_ context.Context, c *call, _ struct{}) gongu.Result {
	return gongu.OK(append([]gongu.Domain{}, c.catalog().Domains()...))
}

func (x *explorer) listToolsTool() gongu.Tool {
	return define(x, definition{
		name: ListTools, text: lang.ExploreListTools, hints: looks(),
		params: []param{
			{Name: "domain", Optional: true, Rule: rule{Type: "string"}},
			limitParam,
			cursorParam,
		},
		keywords: []string{"catalog", "what can you do", "도구", "목록"},
		limits:   gongu.Limits{Output: pageBytes + pageRoom},
	}, listTools)
}

// The arguments of every list.
var (
	limitParam  = param{Name: "limit", Optional: true, Rule: rule{Type: "integer", Minimum: new(1.0), Maximum: new(float64(maxPage))}}
	cursorParam = param{Name: "cursor", Optional: true, Rule: rule{Type: "string"}}
)

const (
	// pageBytes is how many bytes of descriptions one page holds, so that a list
	// with long descriptions is paged instead of cut by the limit of outputs.
	pageBytes = 768 << 10
	// pageRoom is for the last tool of a page and the rest of the output.
	pageRoom = 256 << 10
)

type listArgs struct {
	Domain string `json:"domain"`
	Limit  int    `json:"limit"`
	Cursor string `json:"cursor"`
}

// brief is a tool in a list.
type brief struct {
	Name        string `json:"name"`
	Description string `json:"description"`
}

type toolPage struct {
	Domain *string `json:"domain"`
	Tools  []brief `json:"tools"`
	// Total and NextCursor are there when the list is paged.
	Total      *int   `json:"total,omitempty"`
	NextCursor string `json:"next_cursor,omitempty"`
}

func listTools(_ context.Context, c *call, in listArgs) gongu.Result {
	catalog, page := c.catalog(), toolPage{Tools: []brief{}}
	// A model that fills in every parameter writes "" for none.
	if in.Domain != "" {
		within, found := inDomain(catalog, in.Domain)
		if !found {
			return c.unknownDomain(in.Domain)
		}
		catalog, page.Domain = within, &in.Domain
	}
	tools := catalog.Callable()
	from, err := cursor.Resume(in.Cursor, in.Domain, tools, toolName)
	if err != nil {
		return c.badArgs(lang.ExploreForeignCursor.In(c.lang), nil, lang.ExploreSuggestFirst.In(c.lang))
	}
	limit := in.Limit
	if limit == 0 {
		limit = c.opts.Limits.Page
	}
	to := from
	for room := pageBytes; to < len(tools) && to-from < limit && room > 0; to++ {
		tool := &tools[to]
		page.Tools = append(page.Tools, brief{tool.Name, tool.Description})
		room -= len(tool.Name) + len(tool.Description)
	}
	if in.Limit > 0 || from > 0 || to < len(tools) {
		page.Total = new(len(tools))
	}
	if to < len(tools) {
		page.NextCursor = cursor.After(in.Domain, tools, to, toolName)
	}
	return gongu.OK(page)
}

func toolName(t gongu.Tool) string { return t.Name }

// inDomain is the part of a catalog that lies in a domain.
func inDomain(catalog *gongu.Catalog, domain string) (*gongu.Catalog, bool) {
	known := slices.ContainsFunc(catalog.Domains(), func(d gongu.Domain) bool { return d.Name == domain })
	if !known {
		return nil, false
	}
	within, err := catalog.Select(&gongu.CatalogOptions{Allow: []gongu.Rule{{Domain: literal(domain)}}})
	return within, err == nil
}

// literal is a glob that matches only the text itself.
func literal(text string) string {
	return strings.NewReplacer(`\`, `\\`, `*`, `\*`, `?`, `\?`, `[`, `\[`).Replace(text)
}

func (c *call) unknownDomain(domain string) gongu.Result {
	names := func(yield func(string) bool) {
		for _, d := range c.catalog().Domains() {
			if !yield(d.Name) {
				return
			}
		}
	}
	return c.refuse(gongu.CodeInvalidArgs, lang.ExploreNoDomain.In(c.lang, domain), near.Names(domain, names, 3), lang.ExploreSuggestDomains.In(c.lang))
}

func (x *explorer) getSchemaTool() gongu.Tool {
	return define(x, definition{
		name: GetToolSchema, text: lang.ExploreGetSchema, hints: looks(),
		params:   []param{{Name: "name", Rule: rule{Type: "string"}}},
		keywords: []string{"parameters", "arguments", "help", "스키마", "파라미터"},
	}, getSchema)
}

type nameArgs struct {
	Name string `json:"name"`
}

// details is a tool with everything a caller needs to know.
type details struct {
	Name        string            `json:"name"`
	Description string            `json:"description"`
	Parameters  gongu.Schema      `json:"parameters"`
	Examples    []json.RawMessage `json:"examples,omitempty"`
}

func getSchema(_ context.Context, c *call, in nameArgs) gongu.Result {
	tool, ok := c.catalog().Get(in.Name)
	if !ok {
		return c.unknownTool(in.Name)
	}
	return gongu.OK(details{tool.Name, tool.Description, tool.Parameters.OrAnyObject(), tool.Examples})
}
