package access

import "github.com/gongu-ai/gongu"

// Reason is the part of the access rules that leaves a tool out.
type Reason string

// The reasons, in the order in which they are checked.
const (
	// Permitted means that nothing leaves the tool out.
	Permitted Reason = ""
	// OtherAgent means that the principal may not use the agent at all.
	OtherAgent Reason = "agent"
	// SourceOffer is the offer of the tool's own resource, ServerOffer that of the
	// server's options, BundleOffer that of the bundle and ClientOffer that of the
	// principal.
	SourceOffer Reason = "offer of the source"
	ServerOffer Reason = "offer of the server"
	BundleOffer Reason = "offer of the bundle"
	ClientOffer Reason = "offer of the client"
	// NotGranted means that Allow and Ask of the principal do not select it.
	NotGranted Reason = "grant"
)

// Explain says which part of the rules leaves a tool of a catalog out of what
// [Access.Catalog] returns.
func (a *Access) Explain(p *gongu.Principal, agent string, c *gongu.Catalog, name string) (Reason, error) {
	if p == nil {
		return Permitted, nil
	}
	if Agent(p, agent) != nil {
		return OtherAgent, nil
	}
	offer, sources := a.offersFor(p)
	one := sources.narrow(c.Restrict(name))
	if !one.Has(name) {
		return SourceOffer, nil
	}
	one, err := a.narrowOffer(one, offer)
	if err == nil && !one.Has(name) {
		return a.whoseOffer(p), nil
	}
	if err == nil {
		one, err = a.narrowGrant(one, granted(p))
	}
	if err == nil && !one.Has(name) {
		return NotGranted, nil
	}
	return Permitted, err
}

func (a *Access) whoseOffer(p *gongu.Principal) Reason {
	switch {
	case p.Offer != nil:
		return ClientOffer
	case a.opts.Offer != nil:
		return ServerOffer
	}
	return BundleOffer
}

// Offering returns the offer that counts for a principal, in the words of the flag
// --offer, and one more name. It is the name alone for rules that the flag cannot
// say.
func (a *Access) Offering(p *gongu.Principal, name string) []string {
	offer, _ := a.offersFor(p)
	var words []string
	for _, rule := range offer {
		switch {
		case rule.Equal(gongu.Rule{Name: rule.Name}):
			words = append(words, rule.Name)
		case rule.Equal(readOnly()):
			words = append(words, OfferReadOnly)
		default:
			return []string{name}
		}
	}
	return append(words, name)
}
