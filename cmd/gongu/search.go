package main

import (
	"bufio"
	"errors"
	"fmt"
	"strings"

	"github.com/spf13/cobra"

	"github.com/gongu-ai/gongu"
	"github.com/gongu-ai/gongu/internal/jsonlines"
	"github.com/gongu-ai/gongu/internal/lang"
	"github.com/gongu-ai/gongu/internal/report"
	"github.com/gongu-ai/gongu/search"
)

// searchFlags are the flags of gongu search.
type searchFlags struct {
	openFlags
	tools string
	jsonl bool
	all   bool
}

func (a *app) searchCommand() *cobra.Command {
	var f searchFlags
	cmd := &cobra.Command{
		Use:   "search [-b DIR | --tools FILE.jsonl] [--json | --jsonl] QUERY",
		Short: lang.CLISearchShort.In(a.lang),
		Long:  lang.CLISearchLong.In(a.lang),
		Example: "  gongu search count the items of a list\n" +
			"  gongu search -b my-bundle --agent assistant 'read a file'\n" +
			"  gongu search --tools tools.jsonl --jsonl < requests.jsonl",
	}
	a.openFlags(cmd, &f.openFlags)
	flags := cmd.Flags()
	flags.StringVar(&f.tools, "tools", "", lang.CLIFlagSearchTools.In(a.lang))
	flags.BoolVar(&f.jsonl, "jsonl", false, lang.CLIFlagSearchJSONL.In(a.lang))
	flags.BoolVar(&f.all, "all", false, lang.CLIFlagSearchAll.In(a.lang))
	cmd.RunE = func(cmd *cobra.Command, args []string) error {
		query := strings.TrimSpace(strings.Join(args, " "))
		if err := a.checkSearch(cmd, &f, query); err != nil {
			return err
		}
		tools, err := a.searchTools(cmd, &f)
		if err != nil {
			return err
		}
		var index search.Index
		index.Add(tools...)
		if f.jsonl {
			return a.answerSearches(cmd, &index)
		}
		return a.search(&index, tools, &f, query)
	}
	return cmd
}

func (a *app) checkSearch(cmd *cobra.Command, f *searchFlags, query string) error {
	if err := a.notEmpty(cmd, "tools"); err != nil {
		return err
	}
	for _, flag := range []string{"bundle", "agent"} {
		if f.tools != "" && cmd.Flags().Changed(flag) {
			return a.misuse(cmd, "", lang.CLIFlagsConflict, "tools", flag)
		}
	}
	switch {
	case a.json && f.jsonl:
		return a.misuse(cmd, "", lang.CLIFlagsConflict, "json", "jsonl")
	case f.jsonl && query != "":
		return a.misuse(cmd, "", lang.CLISearchTakesNoQuery, query)
	case !f.jsonl && query == "":
		return a.misuse(cmd, "", lang.CLISearchNeedsQuery)
	}
	return nil
}

// searchTools are the tools to search in: those of a file, or those that gongu
// tools would list, or with --all everything that can be called.
func (a *app) searchTools(cmd *cobra.Command, f *searchFlags) ([]gongu.Tool, error) {
	if f.tools != "" {
		tools, err := jsonlines.ReadTools(f.tools)
		if failed, ok := errors.AsType[*lang.Error](err); ok {
			return nil, a.fail(visible(failed.Message(string(a.lang))), visible(failed.Hint(string(a.lang))))
		}
		return tools, err
	}
	h, err := a.open(cmd, &f.openFlags)
	if err != nil {
		return nil, err
	}
	defer a.close(h)
	catalog, err := a.stepCatalog(cmd, h, f.agent)
	if err != nil {
		return nil, err
	}
	tools := catalog.Visible()
	if f.all {
		tools = catalog.Callable()
	}
	for i, item := range report.ToolViews(h.Bundle(), catalog, tools) {
		tools[i].Domain = item.Domain
	}
	return tools, nil
}

// found is a hit as gongu search --json shows it.
type found struct {
	Name        string  `json:"name"`
	Domain      string  `json:"domain,omitempty"`
	Description string  `json:"description"`
	Score       float64 `json:"score"`
}

func (a *app) search(index *search.Index, tools []gongu.Tool, f *searchFlags, query string) error {
	byName := make(map[string]*gongu.Tool, len(tools))
	for i := range tools {
		byName[tools[i].Name] = &tools[i]
	}
	hits := []found{}
	for _, hit := range index.Search(query, jsonlines.SearchHits) {
		t := byName[hit.Name]
		hits = append(hits, found{t.Name, t.Domain, t.Description, hit.Score})
	}
	if a.json {
		return a.writeJSON(hits)
	}
	if len(hits) == 0 {
		a.complain(lang.CLISearchNothing.In(a.lang, query))
		fmt.Fprintln(a.stderr, a.otherWords(index, f, query))
		return nil
	}
	var rows [][]string
	for _, hit := range hits {
		rows = append(rows, []string{oneLine(hit.Name), oneLine(hit.Description)})
	}
	return a.print(table(rows))
}

// otherWords says what to do when nothing was found.
func (a *app) otherWords(index *search.Index, f *searchFlags, query string) string {
	if names := index.Near(query); len(names) > 0 {
		return lang.CLIDidYouMean.In(a.lang, visible(strings.Join(names, ", ")))
	}
	if f.tools != "" {
		return lang.CLISearchOther.In(a.lang)
	}
	return lang.CLISearchOtherWords.In(a.lang, a.again("tools", &f.openFlags))
}

// answerSearches answers the requests of standard input.
func (a *app) answerSearches(cmd *cobra.Command, index *search.Index) error {
	err := jsonlines.Searches(cmd.Context(), a.stdin, a.writeJSONLine, index, a.lang)
	if failed, ok := errors.AsType[*jsonlines.ReadError](err); ok {
		return a.stdinFailed(cmd, failed, jsonlines.MaxSearch)
	}
	return err
}

// stdinFailed is the error of a command that could not read standard input.
func (a *app) stdinFailed(cmd *cobra.Command, failed *jsonlines.ReadError, limit int) error {
	if errors.Is(failed, bufio.ErrTooLong) {
		return a.misuse(cmd, "", lang.CLIStdinTooLarge, limit)
	}
	return a.misuse(cmd, "", lang.CLIStdinFailed, failed.Err)
}
