package main

import (
	"context"
	"fmt"
	"path"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/gongu-ai/gongu"
	"github.com/gongu-ai/gongu/host"
	"github.com/gongu-ai/gongu/httpapi"
	"github.com/gongu-ai/gongu/internal/lang"
	"github.com/gongu-ai/gongu/source"
)

func (a *app) sourcesCommand() *cobra.Command {
	cmd := &cobra.Command{
		Use:     "sources [-b DIR] [--load] [--json]",
		Short:   lang.CLISourcesShort.In(a.lang),
		Long:    lang.CLISourcesLong.In(a.lang),
		Example: "  gongu sources -b my-bundle\n  gongu sources --load",
		Args:    a.noArguments,
	}
	load := cmd.Flags().Bool("load", false, lang.CLIFlagLoad.In(a.lang))
	cmd.RunE = func(cmd *cobra.Command, _ []string) error {
		h, err := a.open(cmd, &openFlags{})
		if err != nil {
			return err
		}
		defer a.close(h)
		if *load {
			ctx, stop := untilInterrupted(cmd.Context())
			defer stop()
			_ = h.Sources().Refresh(ctx) // what fails is in the states
		}
		offered, err := h.Offered(nil)
		if err != nil {
			return err
		}
		return a.printSources(h.Sources().Status(), offered)
	}
	return cmd
}

func (a *app) printSources(all []source.Status, offered host.Offered) error {
	if a.json {
		return a.writeJSON(httpapi.ViewSources(all, offered.Sources))
	}
	if len(all) == 0 {
		a.complain(lang.CLISourcesNone.In(a.lang))
		fmt.Fprintln(a.stderr, lang.CLISourcesNoneHint.In(a.lang))
		return nil
	}
	return a.print(a.texts().Sources(all, offered))
}

// tellMissing prints to standard error which sources of an agent are missing from
// a list of tools, and why.
func (a *app) tellMissing(h *host.Host, agent string) {
	var uses []string
	if b := h.Bundle(); b != nil && agent != "" {
		if found, ok := b.Agent(agent); ok {
			for _, item := range b.AgentTools(found) {
				uses = append(uses, item.Head().Identity())
			}
		}
	}
	failed, held := false, false
	for _, s := range h.Sources().Status() {
		if agent != "" && !slices.Contains(uses, s.Identity) {
			continue
		}
		switch {
		case s.State == source.Failed || s.State == source.Connecting:
			failed = true
			a.complain(lang.CLISourcesLacks.In(a.lang, s.Identity, oneLine(visible(s.Reason))))
		case s.Stale:
			failed = true
			a.complain(lang.CLISourcesOld.In(a.lang, s.Identity, oneLine(visible(s.Reason))))
		}
		if s.Held > 0 {
			held = true
			text := lang.CLISourcesHeldOne.In(a.lang, s.Identity)
			if s.Held > 1 {
				text = lang.CLISourcesHeldMany.In(a.lang, s.Held, s.Identity)
			}
			a.complain(text)
		}
	}
	if failed {
		fmt.Fprintln(a.stderr, lang.CLISourcesLacksHint.In(a.lang, a.again("sources", &openFlags{})))
	}
	if held {
		fmt.Fprintln(a.stderr, lang.CLISourcesHeldHint.In(a.lang, a.againWords("pins", "diff")))
	}
}

// againWords is a command of several words on the bundle at hand, to copy.
func (a *app) againWords(words ...string) string {
	if a.bundle != "" {
		words = append(words, "-b", a.bundle)
	}
	return command(a.onStore(words)...)
}

// named keeps the tools of these names, or all when there are none. One that
// is named is shown though it is not declared.
func (a *app) named(cmd *cobra.Command, catalog *gongu.Catalog, tools []gongu.Tool, globs []string) ([]gongu.Tool, error) {
	if len(globs) == 0 {
		return tools, nil
	}
	chosen, err := pick(tools, globs)
	if err == nil && len(chosen) == 0 {
		chosen, err = pick(catalog.Callable(), globs)
	}
	if err != nil {
		return nil, a.misuse(cmd, "", lang.CLIFlagBadValue, "name", strings.Join(globs, " "))
	}
	for _, glob := range globs {
		if found, _ := pick(chosen, []string{glob}); len(found) == 0 {
			var names []string
			for _, tool := range catalog.Callable() {
				names = append(names, tool.Name)
			}
			return nil, a.misuse(cmd, a.didYouMean(glob, names), lang.CLINoToolNamed, glob)
		}
	}
	return chosen, nil
}

func pick(tools []gongu.Tool, globs []string) ([]gongu.Tool, error) {
	var chosen []gongu.Tool
	for _, tool := range tools {
		for _, glob := range globs {
			matches, err := path.Match(glob, tool.Name)
			if err != nil {
				return nil, err
			}
			if matches {
				chosen = append(chosen, tool)
				break
			}
		}
	}
	return chosen, nil
}

// refreshArguments accepts names of sources only with --refresh.
func (a *app) refreshArguments(cmd *cobra.Command, args []string) error {
	if refresh, err := cmd.Flags().GetBool("refresh"); err != nil || refresh || len(args) == 0 {
		return err
	}
	return a.misuse(cmd, "", lang.CLIRefreshNeeded, args[0])
}

// refresh lists sources again. An unknown name is a usage error; a source that
// fails keeps its tools and is reported.
func (a *app) refresh(cmd *cobra.Command, h *host.Host, names []string) error {
	known := make([]string, 0, len(names))
	for _, s := range h.Sources().Status() {
		known = append(known, s.Name, s.Identity)
	}
	for _, name := range names {
		if !slices.Contains(known, name) {
			return a.misuse(cmd, a.oneOf(name, known), lang.SourceNotThere, name)
		}
	}
	ctx, stop := untilInterrupted(cmd.Context())
	defer stop()
	if err := h.Sources().Refresh(ctx, names...); err != nil {
		if ctx.Err() != nil {
			return context.Cause(ctx)
		}
		return errReported // the states say why, below the list
	}
	return nil
}
