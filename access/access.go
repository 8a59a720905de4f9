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
	// Offer selects the tools that clients are offered; nil offers all. A
	// principal's own Offer replaces it.
	Offer []gongu.Rule
	// Always selects tools that are offered in addition to every Offer, such
	// as the discovery tools: the tools they find and call are narrowed too.
	Always []gongu.Rule
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
	if slices.ContainsFunc(opts.Offer, offersAll) {
		opts.Offer = nil
	}
	if opts.Logger == nil {
		opts.Logger = slog.Default()
	}
	a := &Access{opts: opts}
	a.narrowed.MaxEntries = maxNarrowed
	return a, nil
}

// ReadOnlyAnd returns rules that offer the read-only tools and those whose
// names match one of the globs.
func ReadOnlyAnd(globs []string) []gongu.Rule {
	rules := []gongu.Rule{{ReadOnly: new(true)}}
	for _, glob := range globs {
		rules = append(rules, gongu.Rule{Name: glob})
	}
	return rules
}

func offersAll(r gongu.Rule) bool { return r == gongu.Rule{} || r == gongu.Rule{Name: "*"} }

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
// is offered, and of that what the principal is allowed. A nil Access offers
// every tool.
func (a *Access) Catalog(p *gongu.Principal, agent string, c *gongu.Catalog) (*gongu.Catalog, error) {
	if p == nil {
		return c, nil
	}
	if err := Agent(p, agent); err != nil {
		return nil, err
	}
	offer := p.Offer
	if offer == nil && a != nil {
		offer = a.opts.Offer
	}
	switch {
	case c == nil || offer == nil && p.Allow == nil:
		return c, nil
	case a == nil:
		return narrow(c, offer, p.Allow)
	}
	match := func(n narrowed) bool { return sameRules(n.offer, offer) && sameRules(n.allow, p.Allow) }
	found, _, err := a.narrowed.Get(agent, c, match, func() (narrowed, int, error) {
		made, err := a.narrow(c, offer, p.Allow)
		return narrowed{made, offer, p.Allow}, 0, err
	})
	return found.catalog, err
}

// narrowed is a catalog and the rules that narrowed it.
type narrowed struct {
	catalog      *gongu.Catalog
	offer, allow []gongu.Rule
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
func (a *Access) narrow(c *gongu.Catalog, offer, allow []gongu.Rule) (*gongu.Catalog, error) {
	if offer != nil {
		offer = slices.Concat(offer, a.opts.Always)
		a.reported.Do(func() { a.reportLeftOut(c, offer) })
	}
	return narrow(c, offer, allow)
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
func (a *Access) reportLeftOut(all *gongu.Catalog, offer []gongu.Rule) {
	offered, err := narrow(all, offer, nil)
	if err != nil {
		return // the caller reports it
	}
	var left []string
	for _, tool := range all.Callable() {
		if !offered.Has(tool.Name) {
			left = append(left, tool.Name)
		}
	}
	if len(left) > 0 {
		a.opts.Logger.Warn("tools that are not read-only are not offered; name those to offer with --allow",
			"count", len(left), "tools", left[:min(len(left), shownLeftOut)])
	}
}

// Kind is a kind of thing that a source has beside tools.
type Kind string

// The kinds. Completions follow the prompt or resource they complete, and
// subscriptions the resource.
const (
	Resources Kind = "resources"
	Prompts   Kind = "prompts"
	// Tasks are those of calls that the principal made, so they have no rule
	// beside the tool's.
	Tasks Kind = "tasks"
)

// Source reports whether a principal may use a kind of thing that a source has.
// The source is an identity such as McpServer/github. Without rules for the
// kind, a principal that is limited to some tools may use none of it.
func Source(p *gongu.Principal, agent, source string, kind Kind) error {
	if p == nil {
		return nil
	}
	if err := Agent(p, agent); err != nil {
		return err
	}
	if kind == Tasks {
		return nil
	}
	allowed := map[Kind][]gongu.Rule{Resources: p.Resources, Prompts: p.Prompts}[kind]
	if allowed == nil && p.Allow == nil {
		return nil
	}
	if slices.ContainsFunc(allowed, func(r gongu.Rule) bool { return r.MatchesSource(source) }) {
		return nil
	}
	return forbidden(p, fmt.Sprintf("use the %s of %s", kind, source))
}

// Whole reports whether a principal may see what is about the whole server,
// such as its sources and pins: one that is limited to a part may not.
func Whole(p *gongu.Principal) error {
	if p == nil || p.Manage != "" || p.Agents == nil && p.Allow == nil {
		return nil
	}
	return forbidden(p, "see the whole server")
}

// Owns reports whether what belongs to owner, such as a task or a session,
// belongs to this principal.
func Owns(p *gongu.Principal, owner string) error {
	if p == nil || p.Name == owner {
		return nil
	}
	return forbidden(p, "use what belongs to another principal")
}

// Decide reports whether a principal may make a decision, such as accepting
// pins. Models never may.
func Decide(p *gongu.Principal, operation string) error {
	if p == nil || p.Manage == "all" {
		return nil
	}
	return forbidden(p, "decide: "+operation)
}
