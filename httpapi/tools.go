package httpapi

import (
	"context"
	"slices"
	"strings"

	"github.com/gongu-ai/gongu"
	"github.com/gongu-ai/gongu/internal/lang"
)

// tool is a tool of the catalog that a request may use.
type tool struct {
	ToolView
	Digest string `json:"digest"`
	// Hidden tools can be called and are not declared to a model.
	Hidden bool `json:"hidden,omitempty"`
}

type toolList struct {
	Tools      []tool `json:"tools"`
	Total      int    `json:"total"`
	NextCursor string `json:"nextCursor,omitempty"`
}

type domainList struct {
	Domains []gongu.Domain `json:"domains"`
}

type agentList struct {
	Agents []string `json:"agents"`
}

type hit struct {
	Name        string  `json:"name"`
	Description string  `json:"description"`
	Score       float64 `json:"score"`
}

type hitList struct {
	Tools []hit `json:"tools"`
}

// step runs core in one step of an agent that the principal may use.
func (x *exchange) step(agent string, core func(ctx context.Context, e *gongu.Executor) error) error {
	if !x.who.MayUse(agent) {
		return fail(CodeForbidden, lang.APINotThisAgent.With(clip(agent)), lang.APINotThisAgentHint.With())
	}
	if agents := x.agents(); agent != "" && !slices.Contains(agents, agent) {
		return fail(CodeNotFound, lang.APINoAgent.With(clip(agent)), x.oneOf(agent, agents))
	}
	return x.api.opts.Backend.Step(x.r.Context(), agent, core)
}

// agents returns the agents that the principal may use.
func (x *exchange) agents() []string {
	return slices.DeleteFunc(slices.Clone(x.api.opts.Backend.Agents()), func(name string) bool { return !x.who.MayUse(name) })
}

// catalog returns the catalog of the agent that the request names, with the
// tools of all sources.
func (x *exchange) catalog() (*gongu.Catalog, error) {
	x.api.opts.Backend.Prepare(x.r.Context(), "")
	return x.catalogOf(x.query("agent"))
}

// catalogOf returns the catalog of an agent as it is now.
func (x *exchange) catalogOf(agent string) (*gongu.Catalog, error) {
	var catalog *gongu.Catalog
	err := x.step(agent, func(_ context.Context, e *gongu.Executor) error {
		catalog = e.Catalog()
		return nil
	})
	return catalog, err
}

func (x *exchange) listTools() (any, error) {
	catalog, err := x.catalog()
	if err != nil {
		return nil, err
	}
	chosen, err := x.filter(catalog)
	if err != nil {
		return nil, err
	}
	all := chosen.Callable()
	part, next, err := page(x, all, func(t gongu.Tool) string { return t.Name })
	if err != nil {
		return nil, err
	}
	list := toolList{Tools: make([]tool, 0, len(part)), Total: len(all), NextCursor: next}
	shown := visible(chosen)
	for i, view := range ViewTools(chosen, part) {
		list.Tools = append(list.Tools, tool{view, part[i].Digest(), !shown[view.Name]})
	}
	return list, nil
}

// filter applies the parameters domain and source. An unknown value is an error,
// not an empty list.
func (x *exchange) filter(catalog *gongu.Catalog) (*gongu.Catalog, error) {
	var rule gongu.Rule
	if domain := x.query("domain"); domain != "" {
		var known []string
		for _, d := range catalog.Domains() {
			known = append(known, d.Name)
		}
		if !slices.Contains(known, domain) {
			return nil, fail(CodeNotFound, lang.APINoDomain.With(clip(domain)), x.oneOf(domain, known))
		}
		rule.Domain = literal(domain)
	}
	if source := x.query("source"); source != "" {
		known := identities(catalog)
		i := slices.IndexFunc(known, func(identity string) bool {
			_, name, _ := strings.Cut(identity, "/")
			return identity == source || name == source
		})
		if i < 0 {
			return nil, fail(CodeNotFound, lang.APINoSource.With(clip(source)), x.oneOf(source, known))
		}
		rule.Source = literal(known[i])
	}
	return catalog.Select(&gongu.CatalogOptions{Allow: []gongu.Rule{rule}})
}

func identities(catalog *gongu.Catalog) []string {
	var names []string
	seen := map[string]bool{}
	for _, t := range catalog.Callable() {
		if name := t.Source.Identity(); !seen[name] {
			seen[name] = true
			names = append(names, name)
		}
	}
	return names
}

// inDomain returns the callable tools of a domain.
func inDomain(catalog *gongu.Catalog, domain string) []gongu.Tool {
	within, err := catalog.Select(&gongu.CatalogOptions{Allow: []gongu.Rule{{Domain: literal(domain)}}})
	if err != nil {
		return nil // literal makes a valid pattern
	}
	return within.Callable()
}

// literal returns a glob that matches exactly this text.
func literal(text string) string {
	return strings.NewReplacer(`\`, `\\`, `*`, `\*`, `?`, `\?`, `[`, `\[`).Replace(text)
}

func visible(catalog *gongu.Catalog) map[string]bool {
	shown := map[string]bool{}
	for _, t := range catalog.Visible() {
		shown[t.Name] = true
	}
	return shown
}

func (x *exchange) getTool() (any, error) {
	catalog, err := x.catalog()
	if err != nil {
		return nil, err
	}
	name := x.r.PathValue("name")
	t, ok := catalog.Get(name)
	if !ok {
		return nil, x.noTool(catalog, name)
	}
	alone := catalog.Restrict(name)
	return tool{ViewTools(alone, []gongu.Tool{t})[0], t.Digest(), len(alone.Visible()) == 0}, nil
}

// noTool returns the error for an unknown tool, with similar names.
func (x *exchange) noTool(catalog *gongu.Catalog, name string) error {
	hint := lang.APIListHint.With(Prefix + "/search?q=")
	if close := catalog.Near(name); len(close) > 0 {
		hint = lang.APIDidYouMean.With(strings.Join(close, ", "))
	}
	return fail(CodeNotFound, lang.APINoTool.With(clip(name)), hint)
}

func (x *exchange) listDomains() (any, error) {
	catalog, err := x.catalog()
	if err != nil {
		return nil, err
	}
	return domainList{append([]gongu.Domain{}, catalog.Domains()...)}, nil
}

func (x *exchange) listAgents() (any, error) {
	return agentList{append([]string{}, x.agents()...)}, nil
}

const (
	usualHits = 8
	maxHits   = 50
)

func (x *exchange) search() (any, error) {
	query := x.query("q")
	if strings.TrimSpace(query) == "" {
		return nil, fail(CodeInvalid, lang.APINoQuery.With(), lang.APINoQueryHint.With())
	}
	most, err := x.limit(usualHits, maxHits)
	if err != nil {
		return nil, err
	}
	catalog, err := x.catalog()
	if err != nil {
		return nil, err
	}
	hits, err := x.api.index.Search(x.r.Context(), catalog, query, most)
	if err != nil {
		return nil, err
	}
	list := hitList{Tools: []hit{}}
	for _, h := range hits {
		if t, ok := catalog.Get(h.Name); ok {
			list.Tools = append(list.Tools, hit{h.Name, t.Description, h.Score})
		}
	}
	return list, nil
}
