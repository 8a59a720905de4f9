package main

import (
	"bufio"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"strings"

	"github.com/spf13/cobra"

	"github.com/gongu-ai/gongu"
	"github.com/gongu-ai/gongu/internal/fsx"
	"github.com/gongu-ai/gongu/internal/lang"
	"github.com/gongu-ai/gongu/search"
)

// searchHits is how many tools a search shows: who needs more should ask for
// something else.
const searchHits = 8

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
		return a.readToolFile(f.tools)
	}
	h, err := a.open(cmd, &f.openFlags)
	if err != nil {
		return nil, err
	}
	defer a.close(h)
	catalog, err := stepCatalog(cmd, h, f.agent)
	if err != nil {
		return nil, err
	}
	tools := catalog.Visible()
	if f.all {
		tools = catalog.Callable()
	}
	for i, item := range itemsOf(h, catalog, tools) {
		tools[i].Domain = item.Domain
	}
	return tools, nil
}

// toolLine is a line of a file of tools. The schema is not checked: a
// search calls no tool.
type toolLine struct {
	Name        string       `json:"name"`
	Title       string       `json:"title"`
	Description string       `json:"description"`
	Domain      string       `json:"domain"`
	Keywords    []string     `json:"keywords"`
	Parameters  gongu.Schema `json:"parameters"`
}

const toolLineExample = `{"name":"get_weather","description":"Get the weather of a city","parameters":{"type":"object"}}`

func (a *app) readToolFile(path string) ([]gongu.Tool, error) {
	file, err := os.Open(path)
	if err != nil {
		return nil, a.badToolFile(path, err)
	}
	defer func() { _ = file.Close() }() // nothing was written
	var tools []gongu.Tool
	lines := lineScanner(file)
	for number := 1; lines.Scan(); number++ {
		if strings.TrimSpace(lines.Text()) == "" {
			continue
		}
		var t toolLine
		if err := json.Unmarshal(lines.Bytes(), &t); err != nil {
			return nil, a.badToolLine(lang.CLISearchLine, number, visible(path), err)
		}
		if t.Name == "" {
			return nil, a.badToolLine(lang.CLISearchNoName, number, visible(path))
		}
		tools = append(tools, gongu.Tool{
			Name: t.Name, Title: t.Title, Description: t.Description,
			Domain: t.Domain, Keywords: t.Keywords, Parameters: t.Parameters,
		})
	}
	if err := lines.Err(); err != nil {
		return nil, a.badToolFile(path, err)
	}
	return tools, nil
}

func (a *app) badToolFile(path string, err error) error {
	return a.badToolLine(lang.CLISearchFile, visible(path), fsx.Cause(err))
}

func (a *app) badToolLine(text lang.Text, args ...any) error {
	return a.fail(text.In(a.lang, args...), lang.CLISearchFileHint.In(a.lang, toolLineExample))
}

// lineScanner reads lines of JSON, none longer than standard input may be.
func lineScanner(r io.Reader) *bufio.Scanner {
	lines := bufio.NewScanner(r)
	lines.Buffer(nil, maxStdin)
	return lines
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
	for _, hit := range index.Search(query, searchHits) {
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

// searchRequest is a line of the protocol of --jsonl.
type searchRequest struct {
	Query   *string `json:"query"`
	K       int     `json:"k"`
	Suggest *string `json:"suggest"`
}

type searchAnswer struct {
	Names []string `json:"names"`
	Error string   `json:"error,omitempty"`
}

// answerSearches answers requests in their order until the input ends. A bad
// one gets an answer, too, so that the other side can keep count.
func (a *app) answerSearches(cmd *cobra.Command, index *search.Index) error {
	lines := lineScanner(a.stdin)
	for lines.Scan() {
		if strings.TrimSpace(lines.Text()) == "" {
			continue
		}
		if err := a.writeJSONLine(a.answerSearch(index, lines.Bytes())); err != nil {
			return fmt.Errorf("print an answer: %w", err)
		}
	}
	switch err := lines.Err(); {
	case errors.Is(err, bufio.ErrTooLong):
		return a.misuse(cmd, "", lang.CLIStdinTooLarge, maxStdin)
	case err != nil:
		return a.misuse(cmd, "", lang.CLIStdinFailed, err)
	}
	return nil
}

func (a *app) answerSearch(index *search.Index, line []byte) searchAnswer {
	answer := searchAnswer{Names: []string{}}
	var ask searchRequest
	err := json.Unmarshal(line, &ask)
	switch {
	case err != nil, (ask.Query == nil) == (ask.Suggest == nil):
		answer.Error = lang.CLISearchBadRequest.In(a.lang)
	case ask.Suggest != nil:
		answer.Names = append(answer.Names, index.Near(*ask.Suggest)...)
	default:
		k := ask.K
		if k == 0 {
			k = searchHits
		}
		for _, hit := range index.Search(*ask.Query, k) {
			answer.Names = append(answer.Names, hit.Name)
		}
	}
	return answer
}
