package bundle

import (
	"path"
	"regexp"
	"slices"
	"strings"

	"github.com/gongu-ai/gongu/policy"
)

// AbilityKind is one way in which a bundle can act.
type AbilityKind string

// The kinds of abilities.
const (
	// AbleScript runs a module of the bundle, AbleExtension one that sees and
	// changes the calls of agents.
	AbleScript    AbilityKind = "script"
	AbleExtension AbilityKind = "extension"
	// AbleShell runs any command of the model.
	AbleShell AbilityKind = "shell"
	// AbleWrite writes files, AbleFetch sends requests, AbleBuiltin uses
	// another built-in tool that does more than read.
	AbleWrite   AbilityKind = "write"
	AbleFetch   AbilityKind = "fetch"
	AbleBuiltin AbilityKind = "builtin"
	// AbleMacro calls other tools without asking the model.
	AbleMacro AbilityKind = "macro"
	// AbleServer starts an MCP server, AbleConnect connects to one, and
	// AbleDiscover and AbleCall start the programs of a ToolCommand.
	AbleServer   AbilityKind = "server"
	AbleConnect  AbilityKind = "connect"
	AbleDiscover AbilityKind = "discover"
	AbleCall     AbilityKind = "call"
)

// Ability is one thing that a bundle can do.
type Ability struct {
	Kind     AbilityKind
	Resource *Meta
	// Words are the module, the tools that are called, the address, or the
	// program with its arguments.
	Words []string
	// Env are the variables of a program or the headers of requests.
	Env map[string]string
	// Cwd is the folder that a program starts in, when the bundle names one.
	Cwd string
	// Floating means that the same words can run other code tomorrow: a
	// package without an exact version, or a server on the network.
	Floating bool
	// Inside means that the program lies in the bundle, so that consent
	// covers it.
	Inside bool
	// Uncovered are arguments that lead into the bundle without naming a file:
	// what the program reads there is not covered.
	Uncovered []string
}

// Starts reports whether the ability starts a program.
func (a *Ability) Starts() bool {
	return a.Kind == AbleServer || a.Kind == AbleDiscover || a.Kind == AbleCall
}

// Acts reports whether the bundle can do anything but read. Such a bundle needs
// consent before it is used.
func (b *Bundle) Acts() bool { return len(b.Abilities()) > 0 }

// Abilities lists what the bundle can do, in the order of Items.
func (b *Bundle) Abilities() []Ability {
	var all []Ability
	for _, item := range b.items {
		for _, a := range abilitiesOf(item) {
			a.Resource = item.Head()
			if a.Starts() {
				a.Inside = b.Inside(a.Resource, a.Cwd, a.Words[0])
				a.Floating = !a.Inside && floats(a.Words)
				a.Uncovered = b.uncovered(a.Words)
			}
			all = append(all, a)
		}
	}
	return all
}

func abilitiesOf(item Item) []Ability {
	switch r := item.(type) {
	case *Tool:
		return r.abilities()
	case *Extension:
		return []Ability{{Kind: AbleExtension, Words: []string{r.Spec.Entry}}}
	case *Macro:
		a := Ability{Kind: AbleMacro}
		for _, step := range r.Spec.Steps {
			if !slices.Contains(a.Words, step.Tool) {
				a.Words = append(a.Words, step.Tool)
			}
		}
		return []Ability{a}
	case *McpServer:
		if r.Spec.Command == "" {
			return []Ability{{Kind: AbleConnect, Words: []string{r.Spec.URL}, Env: r.Spec.Headers, Floating: true}}
		}
		return []Ability{{Kind: AbleServer, Words: r.Spec.Argv(), Env: r.Spec.Env, Cwd: r.Spec.Cwd}}
	case *ToolCommand:
		if len(r.Spec.Discover) == 0 || len(r.Spec.Call) == 0 {
			return nil // refused by the loader
		}
		return []Ability{
			{Kind: AbleDiscover, Words: r.Spec.Discover, Env: r.Spec.Env, Cwd: r.Spec.Cwd},
			{Kind: AbleCall, Words: r.Spec.Call, Env: r.Spec.Env, Cwd: r.Spec.Cwd},
		}
	}
	return nil
}

func (t *Tool) abilities() []Ability {
	var exports []string
	for _, e := range t.Spec.Exports {
		exports = append(exports, e.Name)
	}
	one := func(kind AbilityKind, words ...string) []Ability { return []Ability{{Kind: kind, Words: words}} }
	switch t.Module.Builtin {
	case "":
		return one(AbleScript, t.Module.Path)
	case "json-query", "text-transform", "wait":
		return nil
	case "bash":
		return one(AbleShell)
	case "http-fetch":
		return one(AbleFetch)
	case "file-system":
		writes := slices.DeleteFunc(exports, func(name string) bool { return name == "read" || name == "list" })
		if len(writes) == 0 {
			return nil
		}
		return one(AbleWrite, writes...)
	}
	return one(AbleBuiltin, t.Module.Builtin)
}

// Beliefs lists the servers and programs whose annotations the bundle wants to be
// believed, and the policies that allow calls. A person accepts them apart from the
// rest.
func (b *Bundle) Beliefs() []Belief {
	var all []Belief
	for _, item := range b.items {
		switch r := item.(type) {
		case *McpServer:
			if r.Spec.Trust {
				all = append(all, Belief{Resource: &r.Meta})
			}
		case *ToolCommand:
			if r.Spec.Trust {
				all = append(all, Belief{Resource: &r.Meta})
			}
		case *Policy:
			if rules := r.allows(); len(rules) > 0 {
				all = append(all, Belief{Resource: &r.Meta, Rules: rules})
			}
		}
	}
	return all
}

// Belief is a server or program whose annotations are believed, or a policy with
// rules that allow calls.
type Belief struct {
	Resource *Meta
	// Rules are those that allow calls, the default of the policy included.
	Rules []policy.Rule
}

// allows returns the rules that allow calls, with their names.
func (p *Policy) allows() []policy.Rule {
	var rules []policy.Rule
	for i, r := range p.Set(policy.Bundle).Rules {
		if r.Name = policy.RuleName(i, r.Name); r.Effect == policy.Allow {
			rules = append(rules, r)
		}
	}
	if p.Spec.Default == string(policy.Allow) {
		rules = append(rules, policy.Rule{Name: policy.DefaultName, Effect: policy.Allow})
	}
	return rules
}

var (
	exactVersion = regexp.MustCompile(`(@|==)v?\d+\.\d+\.\d+[0-9A-Za-z.+-]*$`)
	exactImage   = regexp.MustCompile(`@sha256:[0-9a-f]{64}$`)
)

// floats reports whether a command gets its code from elsewhere at each start,
// without an exact version or digest.
func floats(words []string) bool {
	runner := strings.TrimSuffix(strings.ToLower(path.Base(strings.ReplaceAll(words[0], `\`, "/"))), ".exe")
	runner = strings.TrimSuffix(runner, ".cmd")
	rest, exact := words[1:], exactVersion
	switch runner {
	case "npx", "bunx", "pnpx", "uvx":
	case "npm", "pnpm", "yarn", "pipx", "uv", "bun":
		if !slices.ContainsFunc(rest, func(w string) bool { return slices.Contains([]string{"exec", "dlx", "run", "x", "tool"}, w) }) {
			return false
		}
	case "docker", "podman", "nerdctl":
		exact = exactImage
	case "deno", "go":
		if !slices.ContainsFunc(rest, func(w string) bool { return strings.Contains(w, "://") || strings.HasSuffix(w, "@latest") }) {
			return false
		}
	default:
		return false
	}
	return !slices.ContainsFunc(rest, func(w string) bool { return !strings.HasPrefix(w, "-") && exact.MatchString(w) })
}
