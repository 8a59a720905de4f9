package serve

import (
	"encoding/json"
	"fmt"
	"slices"
	"strconv"
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

	mu     sync.Mutex
	chosen map[string]*gongu.Catalog
}

// maxNarrowed bounds the catalogs that are remembered.
const maxNarrowed = 256

func newOffers(s *Server) *offers {
	o := &offers{server: s, chosen: map[string]*gongu.Catalog{}}
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

// narrow returns what a principal may call of a step's catalog. Equal catalogs
// of equal principals are narrowed once.
func (o *offers) narrow(catalog *gongu.Catalog, who *Principal) (*gongu.Catalog, error) {
	if catalog == nil || o.rules == nil && who.Allow == nil {
		return catalog, nil
	}
	key := strconv.FormatUint(catalog.Revision(), 10) + catalog.Digest()
	if who.Allow != nil {
		rules, err := json.Marshal(who.Allow)
		if err != nil {
			return nil, fmt.Errorf("the rules of %s: %w", who.Name, err)
		}
		key += string(rules)
	}
	o.mu.Lock()
	found := o.chosen[key]
	o.mu.Unlock()
	if found != nil {
		return found, nil
	}
	made, err := o.choose(catalog, who)
	if err != nil {
		return nil, err
	}
	o.mu.Lock()
	defer o.mu.Unlock()
	if len(o.chosen) >= maxNarrowed {
		clear(o.chosen)
	}
	o.chosen[key] = made
	return made, nil
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
