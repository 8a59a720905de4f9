package serve

import (
	"slices"

	"github.com/gongu-ai/gongu"
	"github.com/gongu-ai/gongu/explore"
)

// shown returns the tools of a catalog that tools/list has, by the mode of the
// server.
func (s *Server) shown(catalog *gongu.Catalog) []gongu.Tool {
	visible := catalog.Visible()
	mode := s.opts.Mode
	if mode == ModeAuto {
		mode = ModeDirect
		if s.overBudget(visible) && canSearch(catalog) {
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
		return visible
	}
	var tools []gongu.Tool
	for _, name := range names {
		if tool, ok := catalog.Get(name); ok && isExploring(tool) {
			tools = append(tools, tool)
		}
	}
	return tools
}

func (s *Server) overBudget(tools []gongu.Tool) bool {
	left := s.opts.Budget
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
