package access

import (
	"slices"

	"github.com/gongu-ai/gongu"
)

// The words of an offer; other items are globs of names.
const (
	OfferAll      = "all"
	OfferReadOnly = "read-only"
	OfferNone     = "none"
)

// Offers is what a bundle says about the tools that clients are offered. It must
// not change: caches use the pointer as a key.
type Offers struct {
	// Server selects tools unless [Options.Offer] or the principal has an offer;
	// nil selects all.
	Server []gongu.Rule
	// Sources select tools of one source, by its identity such as
	// McpServer/github. They narrow every other offer.
	Sources map[string][]gongu.Rule
}

// OfferRules returns the rules that the items of an offer stand for: the words all,
// read-only and none, and globs of names. A tool is offered if one of them selects
// it. Without items the rules are nil: no choice.
func OfferRules(items []string) []gongu.Rule {
	if items == nil {
		return nil
	}
	rules := []gongu.Rule{}
	for _, item := range items {
		switch item {
		case OfferAll:
			rules = append(rules, gongu.Rule{})
		case OfferReadOnly:
			rules = append(rules, readOnly())
		case OfferNone:
		default:
			rules = append(rules, gongu.Rule{Name: item})
		}
	}
	return rules
}

// ReadOnlyAnd returns rules that select the read-only tools and those whose names
// match one of the globs.
func ReadOnlyAnd(globs []string) []gongu.Rule {
	rules := []gongu.Rule{readOnly()}
	for _, glob := range globs {
		rules = append(rules, gongu.Rule{Name: glob})
	}
	return rules
}

func readOnly() gongu.Rule { return gongu.Rule{ReadOnly: new(true)} }

func offersAll(r gongu.Rule) bool { return r == gongu.Rule{} || r == gongu.Rule{Name: "*"} }

func (o *Offers) server() []gongu.Rule {
	if o == nil {
		return nil
	}
	return o.Server
}

// offersFor returns the rules of the offer that counts for a principal, nil for
// all tools, and the offers of sources, nil without any.
func (a *Access) offersFor(p *gongu.Principal) (offer []gongu.Rule, sources *Offers) {
	offer = p.Offer
	if a != nil && offer == nil {
		offer = a.opts.Offer
	}
	if a != nil && a.opts.Bundle != nil {
		said := a.opts.Bundle()
		if offer == nil {
			offer = said.server()
		}
		if said != nil && len(said.Sources) > 0 {
			sources = said
		}
	}
	if slices.ContainsFunc(offer, offersAll) {
		offer = nil
	}
	return offer, sources
}

// narrow selects the tools that their sources offer.
func (o *Offers) narrow(c *gongu.Catalog) *gongu.Catalog {
	if o == nil {
		return c
	}
	var names []string
	for _, tool := range c.Callable() {
		rules, limited := o.Sources[tool.Source.Identity()]
		if !limited || slices.ContainsFunc(rules, func(r gongu.Rule) bool { return r.Selects(&tool) }) {
			names = append(names, tool.Name)
		}
	}
	return c.Restrict(names...)
}
