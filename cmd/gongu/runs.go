package main

import (
	"maps"
	"os"
	"slices"

	"github.com/gongu-ai/gongu/bundle"
	"github.com/gongu-ai/gongu/internal/lang"
)

// runPart is one thing that a bundle runs: a script, a program or a server.
type runPart struct {
	Resource string `json:"resource"`
	Package  string `json:"package,omitempty"`
	// How is script, program, address, discover or call.
	How string `json:"how"`
	// What is the file, the command line or the address.
	What string `json:"what"`
	Cwd  string `json:"cwd,omitempty"`
}

// runsOf lists everything that a bundle runs, its packages included. It is
// never nil, for JSON.
func runsOf(b *bundle.Bundle) []runPart {
	parts := []runPart{}
	own := ""
	if p := b.Package(); p != nil {
		own = p.Name
	}
	for _, item := range b.Items() {
		m := item.Head()
		for _, part := range runsOfItem(item) {
			part.Resource = m.Identity()
			if m.Package != own {
				part.Package = m.Package
			}
			parts = append(parts, part)
		}
	}
	return parts
}

func runsOfItem(item bundle.Item) []runPart {
	switch r := item.(type) {
	case *bundle.Tool:
		return scriptOf(r.Module)
	case *bundle.Extension:
		return scriptOf(r.Module)
	case *bundle.McpServer:
		if r.Spec.Command == "" {
			return []runPart{{How: "address", What: r.Spec.URL}}
		}
		line := commandLine(r.Spec.Env, append([]string{r.Spec.Command}, r.Spec.Args...))
		return []runPart{{How: "program", What: line, Cwd: r.Spec.Cwd}}
	case *bundle.ToolCommand:
		return []runPart{
			{How: "discover", What: commandLine(r.Spec.Env, r.Spec.Discover), Cwd: r.Spec.Cwd},
			{How: "call", What: commandLine(r.Spec.Env, r.Spec.Call), Cwd: r.Spec.Cwd},
		}
	}
	return nil
}

func scriptOf(m bundle.Module) []runPart {
	if m.Builtin != "" {
		return nil
	}
	return []runPart{{How: "script", What: m.Path}}
}

// commandLine puts the variables first, as a shell does: they decide what runs
// as much as the words.
func commandLine(env map[string]string, words []string) string {
	var all []string
	for _, name := range slices.Sorted(maps.Keys(env)) {
		all = append(all, name+"="+env[name])
	}
	return shellWords(append(all, words...))
}

// runTable shows the parts to a person who is about to trust them: nothing is
// cut, and nothing can hide.
func (a *app) runTable(parts []runPart) string {
	words := map[string]lang.Text{
		"script":   lang.CLIRunsScript,
		"program":  lang.CLIRunsProgram,
		"address":  lang.CLIRunsAddress,
		"discover": lang.CLIRunsDiscover,
		"call":     lang.CLIRunsCall,
	}
	var rows [][]string
	for _, part := range parts {
		resource, what := part.Resource, visible(part.What)
		if part.Package != "" {
			resource = lang.CLIResourcePackage.In(a.lang, resource, part.Package)
		}
		if part.Cwd != "" {
			what = lang.CLIRunsInFolder.In(a.lang, what, visible(part.Cwd))
		}
		rows = append(rows, []string{"  " + visible(resource), words[part.How].In(a.lang), what})
	}
	return table(rows)
}

func isFile(path string) bool {
	info, err := os.Stat(path)
	return err == nil && info.Mode().IsRegular()
}
