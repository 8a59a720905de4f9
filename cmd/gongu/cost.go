package main

import (
	"strconv"
	"strings"

	"github.com/gongu-ai/gongu/httpapi"
	"github.com/gongu-ai/gongu/internal/lang"
)

// cost is the number of tokens that the declarations of the tools use.
type cost struct {
	Tools   []toolCost  `json:"tools"`
	Domains []groupCost `json:"domains"`
	Sources []groupCost `json:"sources"`
	Total   groupCost   `json:"total"`
}

type toolCost struct {
	Name   string `json:"name"`
	Domain string `json:"domain"`
	Source string `json:"source"`
	Tokens int    `json:"tokens"`
}

// groupCost is the sum over some tools; the total has no name.
type groupCost struct {
	Name   string `json:"name,omitempty"`
	Tools  int    `json:"tools"`
	Tokens int    `json:"tokens"`
}

func costOf(items []httpapi.ToolView) cost {
	c := cost{Tools: []toolCost{}, Domains: []groupCost{}, Sources: []groupCost{}}
	for _, it := range items {
		source := it.Source.Identity()
		c.Tools = append(c.Tools, toolCost{it.Name, it.Domain, source, it.Tokens})
		c.Domains = add(c.Domains, it.Domain, it.Tokens)
		c.Sources = add(c.Sources, source, it.Tokens)
		c.Total.Tools++
		c.Total.Tokens += it.Tokens
	}
	return c
}

// add adds a tool to its group. The groups are in the order of their first tools.
func add(groups []groupCost, name string, tokens int) []groupCost {
	for i := range groups {
		if groups[i].Name == name {
			groups[i].Tools++
			groups[i].Tokens += tokens
			return groups
		}
	}
	return append(groups, groupCost{name, 1, tokens})
}

func (a *app) printCost(items []httpapi.ToolView) error {
	c := costOf(items)
	if a.json {
		return a.writeJSON(c)
	}
	rows := [][]string{{lang.CLIColumnName.In(a.lang), lang.CLIColumnTokens.In(a.lang)}}
	for _, t := range c.Tools {
		rows = append(rows, []string{t.Name, strconv.Itoa(t.Tokens)})
	}
	parts := []string{
		table(rows, 1),
		a.groupTable(lang.CLIColumnDomain, c.Domains),
		a.groupTable(lang.CLIColumnSource, c.Sources),
		lang.CLITotal.In(a.lang, c.Total.Tools, c.Total.Tokens),
	}
	return a.print(strings.Join(parts, "\n") + "\n")
}

func (a *app) groupTable(heading lang.Text, groups []groupCost) string {
	rows := [][]string{{heading.In(a.lang), lang.CLIColumnTools.In(a.lang), lang.CLIColumnTokens.In(a.lang)}}
	for _, g := range groups {
		rows = append(rows, []string{g.Name, strconv.Itoa(g.Tools), strconv.Itoa(g.Tokens)})
	}
	return table(rows, 1, 2)
}
