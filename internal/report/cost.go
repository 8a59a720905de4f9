package report

import (
	"strconv"
	"strings"

	"github.com/gongu-ai/gongu/httpapi"
	"github.com/gongu-ai/gongu/internal/lang"
	"github.com/gongu-ai/gongu/internal/terminal"
)

// Cost is the number of tokens that the declarations of the tools use.
type Cost struct {
	Tools   []ToolCost  `json:"tools"`
	Domains []GroupCost `json:"domains"`
	Sources []GroupCost `json:"sources"`
	Total   GroupCost   `json:"total"`
}

// ToolCost is what one tool uses.
type ToolCost struct {
	Name   string `json:"name"`
	Domain string `json:"domain"`
	Source string `json:"source"`
	Tokens int    `json:"tokens"`
}

// GroupCost is the sum over some tools; the total has no name.
type GroupCost struct {
	Name   string `json:"name,omitempty"`
	Tools  int    `json:"tools"`
	Tokens int    `json:"tokens"`
}

// CostOf counts the tokens of tools.
func CostOf(items []httpapi.ToolView) Cost {
	c := Cost{Tools: []ToolCost{}, Domains: []GroupCost{}, Sources: []GroupCost{}}
	for _, it := range items {
		source := it.Source.Identity()
		c.Tools = append(c.Tools, ToolCost{it.Name, it.Domain, source, it.Tokens})
		c.Domains = addCost(c.Domains, it.Domain, it.Tokens)
		c.Sources = addCost(c.Sources, source, it.Tokens)
		c.Total.Tools++
		c.Total.Tokens += it.Tokens
	}
	return c
}

// addCost adds a tool to its group. The groups are in the order of their first tools.
func addCost(groups []GroupCost, name string, tokens int) []GroupCost {
	for i := range groups {
		if groups[i].Name == name {
			groups[i].Tools++
			groups[i].Tokens += tokens
			return groups
		}
	}
	return append(groups, GroupCost{name, 1, tokens})
}

// Cost lists the tokens of each tool, domain and source.
func (x *Texts) Cost(c Cost) string {
	rows := [][]string{{lang.CLIColumnName.In(x.Lang), lang.CLIColumnTokens.In(x.Lang)}}
	for _, t := range c.Tools {
		rows = append(rows, []string{t.Name, strconv.Itoa(t.Tokens)})
	}
	parts := []string{
		terminal.Table(rows, 1),
		x.groups(lang.CLIColumnDomain, c.Domains),
		x.groups(lang.CLIColumnSource, c.Sources),
		lang.CLITotal.In(x.Lang, c.Total.Tools, c.Total.Tokens),
	}
	return strings.Join(parts, "\n") + "\n"
}

func (x *Texts) groups(heading lang.Text, groups []GroupCost) string {
	rows := [][]string{{heading.In(x.Lang), lang.CLIColumnTools.In(x.Lang), lang.CLIColumnTokens.In(x.Lang)}}
	for _, g := range groups {
		rows = append(rows, []string{g.Name, strconv.Itoa(g.Tools), strconv.Itoa(g.Tokens)})
	}
	return terminal.Table(rows, 1, 2)
}
