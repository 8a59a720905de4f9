package serve

import (
	"slices"

	"github.com/gongu-ai/gongu"
	"github.com/gongu-ai/gongu/explore"
)

const (
	defaultBudget  = 10_000
	defaultMaxName = 48
)

// shown returns the tools of a catalog that tools/list has, by the mode of the
// server, and the mode that auto chose.
func shown(catalog *gongu.Catalog, mode string, budget int) (tools []gongu.Tool, chosen string) {
	visible := catalog.Visible()
	if mode == ModeAuto {
		mode = ModeDirect
		if overBudget(visible, budget) && canSearch(catalog) {
			mode = ModeSearch
		}
	}
	var names []string
	switch mode {
	case ModeSearch:
		names = discovery(explore.CallTool)
	case ModeCode:
		names = discovery(explore.RunCode)
	default:
		return visible, mode
	}
	for _, name := range names {
		if tool, ok := catalog.Get(name); ok && isExploring(tool) {
			tools = append(tools, tool)
		}
	}
	return tools, mode
}

func overBudget(tools []gongu.Tool, budget int) bool {
	left := budget
	for i := range tools {
		if left -= tools[i].Tokens(); left < 0 {
			return true
		}
	}
	return false
}

// canSearch reports whether the catalog has the tools that find and call others.
func canSearch(catalog *gongu.Catalog) bool {
	return !slices.ContainsFunc([]string{explore.SearchTools, explore.GetToolSchema, explore.CallTool}, func(name string) bool {
		tool, ok := catalog.Get(name)
		return !ok || !isExploring(tool)
	})
}

// isExploring reports whether a tool is a discovery tool, and not another one
// of the same name.
func isExploring(t gongu.Tool) bool {
	return t.Domain == explore.Domain && t.Source.Type == "go" && t.Source.Name == "explore"
}

// discovery returns the tools of the modes search and code, which differ in the
// one that calls others.
func discovery(call string) []string {
	return []string{
		explore.ListDomains, explore.ListTools, explore.GetToolSchema, explore.SearchTools, call,
		explore.RequestTool, explore.ListToolRequests, explore.RegisterTool,
	}
}
