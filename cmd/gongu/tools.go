package main

import (
	"context"
	"errors"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/gongu-ai/gongu"
	"github.com/gongu-ai/gongu/dialect"
	"github.com/gongu-ai/gongu/host"
	"github.com/gongu-ai/gongu/httpapi"
	"github.com/gongu-ai/gongu/internal/lang"
	"github.com/gongu-ai/gongu/internal/report"
)

// toolsFlags are the flags of gongu tools.
type toolsFlags struct {
	openFlags
	domain, source, dialect string
	cost, refresh           bool
	names                   []string
}

func (a *app) toolsCommand() *cobra.Command {
	var f toolsFlags
	cmd := &cobra.Command{
		Use:   "tools [-b DIR] [--agent A] [--source S] [--refresh [SOURCE...]] [--json]",
		Short: lang.CLIToolsShort.In(a.lang),
		Long:  lang.CLIToolsLong.In(a.lang),
		Example: "  gongu tools --domain json-query\n" +
			"  gongu tools --cost\n" +
			"  gongu tools --dialect openai > tools.json\n" +
			"  gongu tools -b my-bundle --agent assistant\n" +
			"  gongu tools --refresh github",
		Args: a.refreshArguments,
	}
	a.openFlags(cmd, &f.openFlags)
	flags := cmd.Flags()
	flags.StringVar(&f.domain, "domain", "", lang.CLIFlagDomain.In(a.lang))
	flags.StringVar(&f.source, "source", "", lang.CLIFlagSource.In(a.lang))
	flags.StringArrayVar(&f.names, "name", nil, lang.CLIFlagName.In(a.lang))
	flags.BoolVar(&f.refresh, "refresh", false, lang.CLIFlagRefresh.In(a.lang))
	flags.BoolVar(&f.cost, "cost", false, lang.CLIFlagCost.In(a.lang))
	flags.StringVar(&f.dialect, "dialect", "", lang.CLIFlagDialect.In(a.lang, strings.Join(dialect.Names(), ", ")))
	cmd.RunE = func(cmd *cobra.Command, args []string) error { return a.tools(cmd, &f, args) }
	return cmd
}

func (a *app) tools(cmd *cobra.Command, f *toolsFlags, sources []string) error {
	if f.cost && f.dialect != "" {
		return a.misuse(cmd, "", lang.CLIFlagsConflict, "cost", "dialect")
	}
	provider, err := a.parseDialect(cmd, f.dialect)
	if err != nil {
		return err
	}
	h, err := a.open(cmd, &f.openFlags)
	if err != nil {
		return err
	}
	defer a.close(h)
	var refreshed error
	if f.refresh {
		if refreshed = a.refresh(cmd, h, sources); refreshed != nil && !errors.Is(refreshed, errReported) {
			return refreshed
		}
	}
	catalog, err := a.stepCatalog(cmd, h, f.agent)
	if err != nil {
		return err
	}
	tools, err := a.selectTools(cmd, catalog, f)
	if err == nil {
		tools, err = a.named(cmd, catalog, tools, f.names)
	}
	if err != nil {
		return err
	}
	if err := a.printSelected(h, catalog, tools, provider, f); err != nil {
		return err
	}
	if err := a.tellOffered(h, f); err != nil {
		return err
	}
	a.tellMissing(h, f.agent)
	return refreshed
}

func (a *app) printSelected(h *host.Host, catalog *gongu.Catalog, tools []gongu.Tool, provider dialect.Dialect, f *toolsFlags) error {
	switch {
	case provider != "":
		return a.printDeclarations(provider, tools)
	case f.cost:
		return a.printCost(report.ToolViews(h.Bundle(), catalog, tools))
	case a.json:
		return a.writeJSON(report.ToolViews(h.Bundle(), catalog, tools))
	default:
		return a.print(a.texts().Tools(report.ToolViews(h.Bundle(), catalog, tools)))
	}
}

// stepCatalog is what an agent would be shown in a step, and what the user can call
// without one.
func (a *app) stepCatalog(cmd *cobra.Command, h *host.Host, agent string) (*gongu.Catalog, error) {
	var catalog *gongu.Catalog
	ctx, stop := untilInterrupted(cmd.Context())
	defer stop()
	ctx = gongu.WithPrincipal(ctx, a.caller()) // without one, no rule hides a tool
	h.Prepare(ctx, "")
	err := h.Step(ctx, agent, func(_ context.Context, x *gongu.Executor) error {
		catalog = x.Catalog()
		return nil
	})
	return catalog, err
}

// selectTools applies the filters. A domain or source that no tool has is an
// error: an empty list would look like an answer.
func (a *app) selectTools(cmd *cobra.Command, all *gongu.Catalog, f *toolsFlags) ([]gongu.Tool, error) {
	inDomain, err := all.Select(&gongu.CatalogOptions{Allow: []gongu.Rule{{Domain: f.domain}}})
	if err != nil {
		return nil, a.misuse(cmd, "", lang.CLIFlagBadValue, "domain", f.domain)
	}
	if f.domain != "" && len(shownOf(inDomain)) == 0 {
		var names []string
		for _, domain := range all.Domains() {
			names = append(names, domain.Name)
		}
		return nil, a.misuse(cmd, a.oneOf(f.domain, names), lang.CLINoDomain, f.domain)
	}
	bySource := gongu.Rule{Source: sourceGlob(f.source)}
	fromSource, err := all.Select(&gongu.CatalogOptions{Allow: []gongu.Rule{bySource}})
	if err != nil {
		return nil, a.misuse(cmd, "", lang.CLIFlagBadValue, "source", f.source)
	}
	if f.source != "" && len(shownOf(fromSource)) == 0 {
		return nil, a.misuse(cmd, a.oneOf(f.source, sourcesOf(all.Callable())), lang.CLINoSource, f.source)
	}
	both, err := inDomain.Select(&gongu.CatalogOptions{Allow: []gongu.Rule{bySource}})
	if err != nil {
		return nil, err
	}
	if f.domain == "" && f.source == "" {
		return all.Visible(), nil
	}
	return shownOf(both), nil
}

// shownOf are the visible tools of a part of the catalog. A part in which none
// is visible was asked for by its name: what can be called there is shown.
func shownOf(part *gongu.Catalog) []gongu.Tool {
	if visible := part.Visible(); len(visible) > 0 {
		return visible
	}
	return part.Callable()
}

// sourceGlob lets a person leave out the kind: wait is Tool/wait.
func sourceGlob(source string) string {
	if source == "" || strings.Contains(source, "/") {
		return source
	}
	return "*/" + source
}

func sourcesOf(tools []gongu.Tool) []string {
	var names []string
	for _, tool := range tools {
		if name := tool.Source.Identity(); !slices.Contains(names, name) {
			names = append(names, name)
		}
	}
	return names
}

// listedChoices is how many names an error lists when none of them is near.
const listedChoices = 12

// oneOf suggests the near names, or all while they are few.
func (a *app) oneOf(name string, names []string) string {
	if hint := a.didYouMean(name, names); hint != "" {
		return hint
	}
	if len(names) == 0 || len(names) > listedChoices {
		return ""
	}
	return lang.CLIUseOneOf.In(a.lang, strings.Join(names, ", "))
}

func (a *app) printCost(items []httpapi.ToolView) error {
	c := report.CostOf(items)
	if a.json {
		return a.writeJSON(c)
	}
	return a.print(a.texts().Cost(c))
}
