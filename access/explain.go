package access

import (
	"slices"

	"github.com/gongu-ai/gongu"
)

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
	one := c.Restrict(name)
	offered := &gongu.Principal{Name: p.Name, Kind: p.Kind, Offer: p.Offer}
	narrowed, err := a.Catalog(offered, agent, one)
	if err != nil {
		return "", err
	}
	if !narrowed.Has(name) {
		return a.whoseOffer(p), nil
	}
	narrowed, err = a.Catalog(p, agent, one)
	if err != nil || narrowed.Has(name) {
		return Permitted, err
	}
	return NotGranted, nil
}

func (a *Access) whoseOffer(p *gongu.Principal) Reason {
	if p.Offer != nil {
		return ClientOffer
	}
	return ServerOffer
}

// Offering returns the offer that counts for a principal, in the words of the flag
// --offer, and one more name. It returns nil for rules that the flag cannot say.
func (a *Access) Offering(p *gongu.Principal, name string) []string {
	offer := p.Offer
	if offer == nil && a != nil {
		offer = a.opts.Offer
	}
	words := []string{}
	for _, rule := range offer {
		switch {
		case rule.Equal(gongu.Rule{Name: rule.Name}):
			words = append(words, rule.Name)
		case rule.Equal(ReadOnlyAnd(nil)[0]):
			words = append(words, "read-only")
		default:
			return nil
		}
	}
	return append(slices.Clip(words), name)
}
