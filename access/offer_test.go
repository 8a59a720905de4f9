package access_test

import (
	"slices"
	"testing"

	"github.com/gongu-ai/gongu"
	"github.com/gongu-ai/gongu/access"
)

// V6, U2: the offer of the principal, of the options and of the bundle replace each
// other in this order; those of sources narrow each.
func TestV6_Offers(t *testing.T) {
	all := []string{"look", "write", "erase", "find"}
	source := catalog(t).Callable()[0].Source.Identity()
	for _, tc := range []struct {
		name                   string
		client, server, bundle []string
		sources                map[string][]string
		want                   []string
	}{
		{"nothing is said", nil, nil, nil, nil, all},
		{"bundle", nil, nil, []string{"read-only"}, nil, []string{"look", "find"}},
		{"none", nil, nil, []string{"none"}, nil, []string{"find"}},
		{"an empty list", nil, nil, []string{}, nil, []string{"find"}},
		{"words and globs", nil, nil, []string{"read-only", "wr*"}, nil, []string{"look", "write", "find"}},
		{"server", nil, []string{"write"}, []string{"read-only"}, nil, []string{"write", "find"}},
		{"server offers all", nil, []string{"all"}, []string{"read-only"}, nil, all},
		{"a star", nil, []string{"*"}, []string{"none"}, nil, all},
		{"client", []string{"erase"}, []string{"write"}, []string{"read-only"}, nil, []string{"erase", "find"}},
		{"client offers all", []string{"all"}, []string{"none"}, nil, nil, all},
		{"source", []string{"all"}, nil, nil, map[string][]string{source: {"look", "find"}}, []string{"look", "find"}},
		{"source and server", nil, []string{"look", "write"}, nil, map[string][]string{source: {"look", "find"}}, []string{"look", "find"}},
		{"another source", nil, nil, nil, map[string][]string{"McpServer/x": {"none"}}, all},
		{"a source without tools", nil, nil, nil, map[string][]string{source: {"none"}}, nil},
	} {
		said := &access.Offers{Server: access.OfferRules(tc.bundle), Sources: map[string][]gongu.Rule{}}
		for identity, items := range tc.sources {
			said.Sources[identity] = access.OfferRules(items)
		}
		a, err := access.New(access.Options{
			Offer: access.OfferRules(tc.server), Bundle: func() *access.Offers { return said }, Always: []gongu.Rule{{Domain: "registry"}},
		})
		if err != nil {
			t.Fatal(err)
		}
		got, err := a.Catalog(&gongu.Principal{Name: "a", Offer: access.OfferRules(tc.client)}, "", catalog(t))
		if err != nil || !slices.Equal(names(got), tc.want) {
			t.Errorf("%s: got %v, %v; want %v", tc.name, names(got), err, tc.want)
		}
	}
}
