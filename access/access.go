package access

import (
	"errors"
	"fmt"
	"log/slog"
	"path"
	"slices"
	"sync"

	"github.com/gongu-ai/gongu"
)

// Options of [New]. The zero value offers every tool.
type Options struct {
	// Offer selects the tools that clients are offered; nil offers what the
	// bundle says. A principal's own Offer replaces it.
	Offer []gongu.Rule
	// Bundle returns what the bundle says about offers; nil says nothing.
	Bundle func() *Offers
	// Always selects tools that are offered in addition to every Offer, such
	// as the discovery tools: the tools they find and call are narrowed too. A
	// principal that is allowed the read-only tools may use them, too.
	Always []gongu.Rule
	// Hidden returns which tools a principal is not shown, because every call of
	// them is denied, or nil. The key is the same as long as the answer is, for
	// the same Allow and Ask of a principal.
	Hidden func(p *gongu.Principal, agent string) (hide func(*gongu.Tool) bool, key any)
	// Logger gets one message with the tools that are not offered (default:
	// slog's).
	Logger *slog.Logger
}

// Access narrows catalogs. It is safe for concurrent use.
type Access struct {
	opts     Options
	narrowed CatalogCache[narrowed]
	reported sync.Once
}

// New checks the options and returns an Access.
func New(opts Options) (*Access, error) {
	for _, rule := range slices.Concat(opts.Offer, opts.Always) {
		for _, glob := range []string{rule.Name, rule.Domain, rule.Source} {
			if _, err := path.Match(glob, ""); err != nil {
				return nil, fmt.Errorf("access: offer %q: %w", glob, err)
			}
		}
	}
	opts.Offer, opts.Always = slices.Clone(opts.Offer), slices.Clone(opts.Always)
	if opts.Logger == nil {
		opts.Logger = slog.Default()
	}
	a := &Access{opts: opts}
	a.narrowed.MaxEntries = maxNarrowed
	return a, nil
}

// ErrForbidden is in every error of this package: the principal is known and
// may not do this.
var ErrForbidden = errors.New("access denied")

func forbidden(p *gongu.Principal, what string) error {
	return fmt.Errorf("%w: %q may not %s", ErrForbidden, p.Name, what)
}

// Agent reports whether a principal may use an agent; "" is the whole bundle.
func Agent(p *gongu.Principal, agent string) error {
	if p.MayUse(agent) {
		return nil
	}
	if agent == "" {
		return forbidden(p, "use the whole bundle")
	}
	return forbidden(p, "use agent "+agent)
}

// Catalog narrows the catalog of a step to what a principal may use of it: what
// is offered, of that what the principal is allowed, and of that what is not
// denied whatever the arguments are. A nil Access offers
// every tool.
func (a *Access) Catalog(p *gongu.Principal, agent string, c *gongu.Catalog) (*gongu.Catalog, error) {
	if p == nil {
		return c, nil
	}
	if err := Agent(p, agent); err != nil {
		return nil, err
	}
	n := narrowed{allow: granted(p)}
	n.offer, n.sources = a.offersFor(p)
	if a != nil && a.opts.Hidden != nil {
		n.hide, n.key = a.opts.Hidden(p, agent)
	}
	switch {
	case c == nil || n.offer == nil && n.allow == nil && n.sources == nil && n.hide == nil:
		return c, nil
	case a == nil:
		return narrow(c, n.offer, n.allow)
	}
	return a.cached(agent, c, n)
}

// granted returns the rules of what a principal may use, nil for all tools.
func granted(p *gongu.Principal) []gongu.Rule {
	if p.Allow != nil && len(p.Ask) > 0 {
		return slices.Concat(p.Allow, p.Ask) // a call is asked about by the guard
	}
	return p.Allow
}

// cached narrows a catalog as the rules of n say, or returns what was narrowed
// before.
func (a *Access) cached(agent string, c *gongu.Catalog, n narrowed) (*gongu.Catalog, error) {
	match := func(known narrowed) bool {
		return known.sources == n.sources && known.key == n.key && sameRules(known.offer, n.offer) && sameRules(known.allow, n.allow)
	}
	found, _, err := a.narrowed.Get(agent, c, match, func() (narrowed, int, error) {
		var err error
		n.catalog, err = a.narrow(c, n)
		n.hide = nil // the key is enough
		return n, 0, err
	})
	return found.catalog, err
}

// narrowed is a catalog and the rules that narrowed it.
type narrowed struct {
	catalog      *gongu.Catalog
	offer, allow []gongu.Rule
	sources      *Offers // whose Sources count; nil without any
	hide         func(*gongu.Tool) bool
	key          any // of hide
}

// maxNarrowed limits the narrowed catalogs that are kept.
const maxNarrowed = 64

// sameRules reports whether two lists of rules select the same. No rules at
// all and an empty list are different: one keeps everything, one nothing.
func sameRules(a, b []gongu.Rule) bool {
	return (a == nil) == (b == nil) && slices.EqualFunc(a, b, gongu.Rule.Equal)
}

// narrow selects the tools that are offered and allowed, and logs once which
// are not offered.
func (a *Access) narrow(c *gongu.Catalog, n narrowed) (*gongu.Catalog, error) {
	offered, err := a.narrowOffer(n.sources.narrow(c), n.offer)
	if err != nil {
		return nil, err
	}
	a.reported.Do(func() { a.reportLeftOut(c, offered) })
	allowed, err := a.narrowGrant(offered, n.allow)
	if err != nil || n.hide == nil {
		return allowed, err
	}
	var names []string
	for _, tool := range allowed.Callable() {
		if !n.hide(&tool) {
			names = append(names, tool.Name)
		}
	}
	return allowed.Restrict(names...), nil
}

// narrowOffer selects the tools that an offer has, or all without one.
func (a *Access) narrowOffer(c *gongu.Catalog, offer []gongu.Rule) (*gongu.Catalog, error) {
	if offer != nil && a != nil {
		offer = slices.Concat(offer, a.opts.Always)
	}
	return narrow(c, offer, nil)
}

// narrowGrant selects the tools that a principal is allowed.
func (a *Access) narrowGrant(c *gongu.Catalog, allow []gongu.Rule) (*gongu.Catalog, error) {
	if a != nil && slices.ContainsFunc(allow, func(r gongu.Rule) bool { return r.Equal(readOnly()) }) {
		allow = slices.Concat(allow, a.opts.Always)
	}
	return narrow(c, nil, allow)
}

// narrow selects what both lists of rules allow; nil allows all.
func narrow(c *gongu.Catalog, offer, allow []gongu.Rule) (*gongu.Catalog, error) {
	c, err := c.Select(&gongu.CatalogOptions{Allow: offer})
	if err != nil {
		return nil, err
	}
	return c.Select(&gongu.CatalogOptions{Allow: allow})
}

// shownLeftOut is how many tools that are not offered are named in the log.
const shownLeftOut = 20

// reportLeftOut logs which tools are not offered, and how to change that.
func (a *Access) reportLeftOut(all, offered *gongu.Catalog) {
	var left []string
	for _, tool := range all.Callable() {
		if !offered.Has(tool.Name) {
			left = append(left, tool.Name)
		}
	}
	if len(left) > 0 {
		a.opts.Logger.Info("some tools are not offered to clients; --offer and the offer of the bundle and its resources decide",
			"count", len(left), "tools", left[:min(len(left), shownLeftOut)])
	}
}
