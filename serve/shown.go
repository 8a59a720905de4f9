package serve

import (
	"cmp"
	"slices"

	"github.com/gongu-ai/gongu"
	"github.com/gongu-ai/gongu/explore"
	"github.com/gongu-ai/gongu/internal/lang"
)

// Shown is how the clients of a server find a tool.
type Shown struct {
	// Mode is the mode of the list: direct, search or code.
	Mode string
	// Listed means that tools/list has the tool. Otherwise Find finds it and Call
	// calls it.
	Listed     bool
	Find, Call string
	// Name is the name that the tool is served under.
	Name string
}

// View says how clients see the tools of a catalog. The zero value sees them as a
// server with the default options shows them.
type View struct {
	Mode            string
	Budget, MaxName int
}

// View returns how the clients of the server see tools.
func (s *Server) View() View { return View{s.opts.Mode, s.opts.Budget, s.opts.MaxName} }

// Shown says how clients find a tool of a catalog.
func (v View) Shown(catalog *gongu.Catalog, name string) (Shown, error) {
	v.Mode, v.Budget = cmp.Or(v.Mode, ModeAuto), cmp.Or(v.Budget, defaultBudget)
	tools, mode := shown(catalog, v.Mode, v.Budget)
	out := Shown{Mode: mode, Find: explore.SearchTools, Call: explore.CallTool}
	if mode == ModeCode {
		out.Call = explore.RunCode
	}
	out.Listed = slices.ContainsFunc(tools, func(t gongu.Tool) bool { return t.Name == name })
	served, err := newNames(cmp.Or(v.MaxName, defaultMaxName)).served(name)
	out.Name = served
	return out, err
}

// Original returns the name of the tool that is served under a name.
func (v View) Original(catalog *gongu.Catalog, name string) string {
	return newNames(cmp.Or(v.MaxName, defaultMaxName)).original(catalog, name)
}

// Text says in a language how clients find a tool of a catalog.
func (v View) Text(catalog *gongu.Catalog, name, language string) string {
	s, err := v.Shown(catalog, name)
	l := lang.Of(language)
	switch {
	case err != nil:
		return err.Error()
	case s.Listed:
		return lang.WhyDirect.In(l, s.Name)
	}
	return lang.WhySearch.In(l, s.Mode, s.Find, s.Call, s.Name)
}
