package host

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/gongu-ai/gongu"
	"github.com/gongu-ai/gongu/bundle"
	"github.com/gongu-ai/gongu/explore"
	"github.com/gongu-ai/gongu/internal/lang"
	"github.com/gongu-ai/gongu/internal/near"
	"github.com/gongu-ai/gongu/policy"
)

// enabled checks that no setting switches the tool off.
func (w *walk) enabled(context.Context) bool {
	if w.excluded != "" {
		item := itemOf(w.host.Bundle(), w.excluded)
		return w.no(policy.StageEnabled, w.command("trust"), lang.WhyExcluded, w.excluded, place(item))
	}
	if !w.found && w.request.Name == explore.RunCode {
		return w.no(policy.StageEnabled, w.command("call", "--code", explore.RunCode), lang.WhyNoCode)
	}
	if !w.found { // the source has listed it no more
		return w.unknown(nil)
	}
	return w.yes(policy.StageEnabled, lang.WhyEnabled)
}

// inCatalog checks that the agent has the tool in this step.
func (w *walk) inCatalog(ctx context.Context) bool {
	s, name := w.live, w.request.Name
	catalog, err := s.catalog()
	if err != nil {
		w.err = err
		return false
	}
	if !catalog.Has(name) {
		return w.notDeclared()
	}
	if s.extensions != nil && !w.refused {
		if catalog, err = w.stepCatalog(ctx, catalog); err != nil {
			w.err = err
			return false
		}
	}
	if w.catalog = catalog; !catalog.Has(name) {
		return w.removed()
	}
	if s.agent == nil {
		return w.yes(policy.StageCatalog, lang.WhyWhole)
	}
	return w.yes(policy.StageCatalog, lang.WhyInCatalog, s.title())
}

// stepCatalog returns the catalog that the step middleware makes.
func (w *walk) stepCatalog(ctx context.Context, catalog *gongu.Catalog) (*gongu.Catalog, error) {
	s := w.live
	ctx, err := w.host.contextOf(gongu.WithPrincipal(ctx, w.principal), s.at, s.workdir)
	if err != nil {
		return nil, err
	}
	err = s.stepThrough(ctx, s.turn(ctx), catalog, func(_ context.Context, made *gongu.Catalog) error {
		catalog = made
		return nil
	})
	return catalog, err
}

// notDeclared refuses a tool that the agent does not have.
func (w *walk) notDeclared() bool {
	s, name := w.live, w.request.Name
	if agent, reserved := w.host.now().reserved[name]; reserved && agent != s.at.Agent {
		return w.no(policy.StageCatalog, w.command("why", name, "--agent", agent), lang.WhyReserved, name, agent)
	}
	if explore.IsOwn(name) {
		return w.no(policy.StageCatalog, w.command("trust"), lang.WhyNoExplore, s.title(), place(s.agent))
	}
	return w.no(policy.StageCatalog, w.command("trust"), lang.WhyNotDeclared, s.title(), w.owner, place(s.agent))
}

// removed refuses a tool that step middleware took out of the catalog.
func (w *walk) removed() bool {
	var names []string
	for _, use := range w.live.extensionUses(w.host.Bundle()) {
		names = append(names, use.Extension.Identity())
	}
	return w.no(policy.StageCatalog, w.command("trust"), lang.WhyRemoved, w.live.title(), strings.Join(names, ", "))
}

// proposed returns the bundle as it is now if it is not what is used, else nil.
func (h *Host) proposed() *bundle.Bundle {
	if h.Held() == nil || h.opts.Consent == nil {
		return nil
	}
	p, err := h.propose()
	if err != nil {
		return nil
	}
	return p.Bundle
}

// itemsNamed returns the resources of a bundle that have a tool of this name. For
// programs and servers the beginning of the name decides.
func itemsNamed(b *bundle.Bundle, name string) []bundle.Item {
	var found []bundle.Item
	if b == nil {
		return nil
	}
	for _, item := range b.Items() {
		prefix := item.Head().Name
		switch item := item.(type) {
		case *bundle.Tool:
			if slices.ContainsFunc(item.Definitions(), func(t gongu.Tool) bool { return t.Name == name }) {
				found = append(found, item)
			}
			continue
		case *bundle.Macro:
			if item.Name == name {
				found = append(found, item)
			}
			continue
		case *bundle.McpServer:
			if item.Spec.Prefix != nil {
				prefix = *item.Spec.Prefix
			}
		case *bundle.ToolCommand:
			if item.Spec.Prefix != nil {
				prefix = *item.Spec.Prefix
			}
		default:
			continue
		}
		if prefix != "" && strings.HasPrefix(name, prefix+"__") {
			found = append(found, item)
		}
	}
	return found
}

// namesIn returns the names of the tools and macros of a bundle.
func namesIn(b *bundle.Bundle) []string {
	var names []string
	if b == nil {
		return nil
	}
	for _, tool := range b.Tools() {
		for _, d := range tool.Definitions() {
			names = append(names, d.Name)
		}
	}
	for _, m := range b.Macros() {
		names = append(names, m.Name)
	}
	return names
}

// itemOf returns the resource with an identity, or nil.
func itemOf(b *bundle.Bundle, identity string) bundle.Item {
	if b != nil {
		for _, item := range b.Items() {
			if item.Head().Identity() == identity {
				return item
			}
		}
	}
	return nil
}

// place returns the file and line of a resource.
func place(item bundle.Item) string {
	if item == nil {
		return "?"
	}
	at := item.Head().Position
	return fmt.Sprintf("%s:%d", at.File, at.Line)
}

// nearNames returns up to three names close to a wrong one.
func nearNames(name string, names []string) []string {
	return near.Names(name, slices.Values(names), 3)
}
