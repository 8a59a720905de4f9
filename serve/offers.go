package serve

import (
	"slices"
	"sync"

	"github.com/gongu-ai/gongu"
	"github.com/gongu-ai/gongu/explore"
)

// offers decides which tools of a catalog a principal is offered: until
// policies decide, the read-only ones and those that the owner named.
type offers struct {
	server *Server
	rules  []gongu.Rule // nil offers all
	told   sync.Once
	chosen catalogCache[*offer]
}

// offer is what a principal with these rules may call of a catalog.
type offer struct {
	allow   []gongu.Rule
	catalog *gongu.Catalog
}

// maxNarrowed bounds the catalogs that are remembered.
const maxNarrowed = 64

func newOffers(s *Server) *offers {
	o := &offers{server: s, chosen: catalogCache[*offer]{most: maxNarrowed}}
	if slices.Contains(s.opts.Allow, "*") {
		return o
	}
	o.rules = []gongu.Rule{{ReadOnly: new(true)}}
	for _, glob := range s.opts.Allow {
		o.rules = append(o.rules, gongu.Rule{Name: glob})
	}
	// What these tools call passes the same catalog, and a request is a note
	// for a person: they are as harmless as what is offered beside them.
	return o.withExploring()
}

func (o *offers) withExploring() *offers {
	o.rules = append(o.rules, gongu.Rule{Domain: explore.Domain, Source: gongu.Source{Type: "go", Name: "explore"}.Identity()})
	return o
}

// narrow returns what a principal may call of a step's catalog. A catalog is
// narrowed once for all principals with the same rules.
func (o *offers) narrow(agent string, catalog *gongu.Catalog, who *Principal) (*gongu.Catalog, error) {
	if catalog == nil || o.rules == nil && who.Allow == nil {
		return catalog, nil
	}
	meant := func(made *offer) bool { return sameRules(made.allow, who.Allow) }
	made, _, err := o.chosen.made(agent, catalog, meant, func() (*offer, int, error) {
		chosen, err := o.choose(catalog, who)
		return &offer{allow: slices.Clone(who.Allow), catalog: chosen}, 0, err
	})
	if err != nil {
		return nil, err
	}
	return made.catalog, nil
}

// sameRules reports whether two lists of rules select the same. No rules at
// all and an empty list are different: one keeps everything, one nothing.
func sameRules(a, b []gongu.Rule) bool {
	return (a == nil) == (b == nil) && slices.EqualFunc(a, b, sameRule)
}

func sameRule(a, b gongu.Rule) bool {
	for _, hints := range [...][2]**bool{
		{&a.ReadOnly, &b.ReadOnly}, {&a.Destructive, &b.Destructive}, {&a.Idempotent, &b.Idempotent}, {&a.OpenWorld, &b.OpenWorld},
	} {
		one, other := hints[0], hints[1]
		if (*one == nil) != (*other == nil) || *one != nil && **one != **other {
			return false
		}
		*one, *other = nil, nil
	}
	return a == b // every other field, those to come included
}

func (o *offers) choose(catalog *gongu.Catalog, who *Principal) (*gongu.Catalog, error) {
	offered, err := catalog.Select(&gongu.CatalogOptions{Allow: o.rules})
	if err != nil {
		return nil, err
	}
	o.told.Do(func() { o.tell(catalog, offered) })
	return offered.Select(&gongu.CatalogOptions{Allow: who.Allow})
}

// tell says once what is left out, and how to change that.
func (o *offers) tell(all, offered *gongu.Catalog) {
	var left []string
	for _, tool := range all.Callable() {
		if !offered.Has(tool.Name) {
			left = append(left, tool.Name)
		}
	}
	if len(left) > 0 {
		o.server.opts.Logger.Warn("tools that are not read-only are not offered; name those to offer with --allow",
			"count", len(left), "tools", left[:min(len(left), 20)])
	}
}
