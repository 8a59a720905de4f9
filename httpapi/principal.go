package httpapi

import (
	"context"
	"slices"

	"github.com/gongu-ai/gongu"
)

// Principal is who asks, and how far they may go.
type Principal struct {
	// Name is kept with what the principal decides.
	Name string
	// Agents whose catalogs it may use, "" standing for the whole bundle; nil
	// is all of them.
	Agents []string
	// Allow narrows every catalog; nil keeps all.
	Allow []gongu.Rule
	// Manage lets it decide about requests and pins and list sources again. It
	// is for people: a model that has it could approve its own requests.
	Manage bool
}

func (p *Principal) mayUse(agent string) bool {
	return p.Agents == nil || slices.Contains(p.Agents, agent)
}

// seesAll tells whether nothing of the server is kept from the principal.
func (p *Principal) seesAll() bool { return p.Manage || p.Agents == nil && p.Allow == nil }

func (a *API) principal(ctx context.Context) *Principal {
	if a.opts.Who != nil {
		if p, known := a.opts.Who(ctx); known {
			return &p
		}
	}
	return &a.opts.Anonymous
}

// narrow is what of a catalog a principal is offered. Tools that change
// something must be named in the options: nobody can be asked here.
func (a *API) narrow(catalog *gongu.Catalog, p *Principal) (*gongu.Catalog, error) {
	if !slices.Contains(a.opts.Allow, "*") {
		offered := []gongu.Rule{{ReadOnly: new(true)}}
		for _, glob := range a.opts.Allow {
			offered = append(offered, gongu.Rule{Name: glob})
		}
		var err error
		if catalog, err = catalog.Select(&gongu.CatalogOptions{Allow: offered}); err != nil {
			return nil, err
		}
	}
	if p.Allow == nil {
		return catalog, nil
	}
	return catalog.Select(&gongu.CatalogOptions{Allow: p.Allow})
}
