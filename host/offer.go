package host

import (
	"reflect"

	"github.com/gongu-ai/gongu"
	"github.com/gongu-ai/gongu/access"
	"github.com/gongu-ai/gongu/bundle"
	"github.com/gongu-ai/gongu/explore"
	"github.com/gongu-ai/gongu/internal/event"
)

// offersOf returns what a bundle says about offers.
func offersOf(b *bundle.Bundle) *access.Offers {
	o := &access.Offers{Server: access.OfferRules(b.Offer()), Sources: map[string][]gongu.Rule{}}
	for identity, items := range b.SourceOffers() {
		o.Sources[identity] = access.OfferRules(items)
	}
	return o
}

// Offers returns what the bundle as it is now says about the tools that clients are
// offered, for [access.Options]. It is nil for the starter tools.
func (h *Host) Offers() *access.Offers {
	if now := h.now(); now != nil {
		return now.offers
	}
	return nil
}

// publishOffers tells clients that they see other tools, although no tool has
// changed.
func (h *Host) publishOffers(before, next *loaded) {
	if before == nil || reflect.DeepEqual(before.offers, next.offers) {
		return
	}
	h.events.Publish(event.Event{Kind: event.Tools})
	for _, agent := range next.bundle.Agents() {
		h.events.Publish(event.Event{Kind: event.Tools, Agent: agent.Name})
	}
}

// Offered counts tools, without the discovery tools.
type Offered struct {
	// Offered of all Tools are offered to a client without limits.
	Offered, Tools int
	// Sources has the number of offered tools of each source, by its identity.
	Sources map[string]int
}

// Offered counts what an access offers of the tools that are known now. A nil
// access offers what the bundle says and no rule denies.
func (h *Host) Offered(a *access.Access) (Offered, error) {
	out := Offered{Sources: map[string]int{}}
	all := gongu.Everything(h.registry)
	if a == nil {
		var err error
		if a, err = access.New(access.Options{Bundle: h.Offers, Hidden: h.Hidden, Logger: h.opts.Logger}); err != nil {
			return out, err
		}
	}
	offered, err := a.Catalog(&gongu.Principal{}, "", all)
	if err != nil {
		return out, err
	}
	for _, tool := range all.Callable() {
		if explore.IsOwn(tool.Name) {
			continue
		}
		out.Tools++
		if offered.Has(tool.Name) {
			out.Offered++
			out.Sources[tool.Source.Identity()]++
		}
	}
	return out, nil
}
