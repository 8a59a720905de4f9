package bundle

import (
	"slices"

	"github.com/gongu-ai/gongu/internal/lang"
)

// Offer selects the tools that clients are offered: words and globs of names, of
// which one must select a tool. Nil is no choice, so all tools are offered. Package
// access gives the items their meaning.
type Offer []string

func offerWords() []string { return []string{"all", "read-only", "none"} }

func (o *Offer) fromNode(d *decoder, a at, _ rules) {
	switch kindOf(a.node) {
	case kindString:
		word := a.value().Value
		if !slices.Contains(offerWords(), word) {
			d.error(a, CodeSchemaInvalid, lang.BundleOffer.With(short(word)), lang.BundleHintOffer.With(short(word)))
			return
		}
		*o = Offer{word}
	case kindArray:
		*o = Offer{} // an empty list offers none
		for i, child := range a.value().Content {
			item := a.index(i, child)
			if d.expect(item, kindString) {
				d.checkText(item, item.value().Value, rules{nonempty: true, glob: true})
				*o = append(*o, item.value().Value)
			}
		}
	default:
		d.error(a, CodeSchemaInvalid, lang.BundleType.With("array or string", kindOf(a.node)), lang.BundleHintOffer.With("NAME__*"))
	}
}

// Serve is how a bundle is served.
type Serve struct {
	Offer Offer `json:"offer" doc:"Tools that clients are offered: all (default), read-only, none, or globs of names. The flag --offer of gongu serve replaces it."`
}

// Offer returns what the bundle offers: the choice of its Package, or nil without
// one.
func (b *Bundle) Offer() Offer {
	if p := b.Package(); p != nil {
		return p.Spec.Serve.Offer
	}
	return nil
}

// SourceOffers returns the choices of resources about their tools, by identity. A
// resource without one is not in it.
func (b *Bundle) SourceOffers() map[string]Offer {
	all := map[string]Offer{}
	add := func(m *Meta, offer Offer) {
		// The first resource of a name is the one in use.
		if _, known := all[m.Identity()]; !known {
			all[m.Identity()] = offer
		}
	}
	for _, r := range b.McpServers() {
		add(&r.Meta, r.Spec.Offer)
	}
	for _, r := range b.ToolCommands() {
		add(&r.Meta, r.Spec.Offer)
	}
	for identity, offer := range all {
		if offer == nil {
			delete(all, identity)
		}
	}
	return all
}
