package main

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/gongu-ai/gongu/bundle"
	"github.com/gongu-ai/gongu/host"
	"github.com/gongu-ai/gongu/internal/fsx"
	"github.com/gongu-ai/gongu/internal/lang"
	"github.com/gongu-ai/gongu/internal/sandbox"
	"github.com/gongu-ai/gongu/internal/secret"
)

// abilityReport is an ability as JSON.
type abilityReport struct {
	Kind     bundle.AbilityKind `json:"kind"`
	Resource string             `json:"resource"`
	Package  string             `json:"package,omitempty"`
	Words    []string           `json:"words,omitempty"`
	Env      map[string]string  `json:"env,omitempty"`
	Cwd      string             `json:"cwd,omitempty"`
	// Program is where the program lies, when that is outside of the bundle.
	Program  string `json:"program,omitempty"`
	Floating bool   `json:"floating,omitempty"`
	// Uncovered are paths into the bundle whose content consent does not cover.
	Uncovered []string `json:"uncovered,omitempty"`
}

// abilityReports lists what a bundle can do, its packages included. It is never
// nil, for JSON.
func abilityReports(b *bundle.Bundle) []abilityReport {
	all := []abilityReport{}
	for _, ability := range b.Abilities() {
		r := abilityReport{
			Kind: ability.Kind, Resource: ability.Resource.Identity(), Package: foreignPackage(b, ability.Resource),
			Words: ability.Words, Env: ability.Env, Cwd: ability.Cwd, Floating: ability.Floating, Uncovered: ability.Uncovered,
		}
		if ability.Starts() && !ability.Inside {
			r.Program = host.ResolveProgram(ability.Words[0])
		}
		all = append(all, r)
	}
	return all
}

// foreignPackage is the package of a resource that is not the bundle's own.
func foreignPackage(b *bundle.Bundle, m *bundle.Meta) string {
	if p := b.Package(); p != nil && p.Name == m.Package {
		return ""
	}
	return m.Package
}

// proposalText says in plain words what a bundle can do: nothing is cut, and
// nothing can hide.
func (a *app) proposalText(p *host.Proposal) string {
	var b strings.Builder
	line := func(text lang.Text, args ...any) { fmt.Fprintln(&b, text.In(a.lang, args...)) }
	line(lang.CLITrustFolder, visible(p.Bundle.Path()))
	abilities := p.Bundle.Abilities()
	if !p.Decided() {
		return b.String()
	}
	if len(abilities) > 0 {
		line(lang.CLITrustCan)
	}
	for _, ability := range abilities {
		if !ability.Starts() && ability.Kind != bundle.AbleConnect {
			fmt.Fprintln(&b, "  - "+a.abilityLine(p.Bundle, &ability))
			if unconfined(p.Bundle, ability.Resource) {
				fmt.Fprintln(&b, "      "+lang.CLILaunchUnconfined.In(a.lang))
			}
		}
	}
	for _, ability := range abilities {
		if ability.Starts() || ability.Kind == bundle.AbleConnect {
			a.writeLaunch(&b, p.Bundle, &ability)
		}
	}
	if p.Consent != nil && len(p.Changes) > 0 {
		line(lang.CLITrustChanges)
		b.WriteString(a.changeTable(p.Changes))
	}
	line(lang.CLITrustDigest, p.Digest)
	return b.String()
}

// abilityLine says what a tool, a macro or an extension can do.
func (a *app) abilityLine(b *bundle.Bundle, ability *bundle.Ability) string {
	texts := map[bundle.AbilityKind]lang.Text{
		bundle.AbleScript: lang.CLICanScript, bundle.AbleExtension: lang.CLICanExtension, bundle.AbleShell: lang.CLICanShell,
		bundle.AbleWrite: lang.CLICanWrite, bundle.AbleFetch: lang.CLICanFetch, bundle.AbleBuiltin: lang.CLICanBuiltin, bundle.AbleMacro: lang.CLICanMacro,
		bundle.AbleServer: lang.CLICanServer, bundle.AbleConnect: lang.CLICanConnect, bundle.AbleDiscover: lang.CLICanDiscover, bundle.AbleCall: lang.CLICanCall,
	}
	resource := ability.Resource.Identity()
	if name := foreignPackage(b, ability.Resource); name != "" {
		resource = lang.CLIResourcePackage.In(a.lang, resource, name)
	}
	words := strings.Join(ability.Words, ", ")
	if ability.Starts() {
		words = shellWords(ability.Words)
	}
	return texts[ability.Kind].In(a.lang, visible(resource), visible(words))
}

// writeLaunch says what is started or connected to, and what consent does not
// cover of it.
func (a *app) writeLaunch(b *strings.Builder, of *bundle.Bundle, ability *bundle.Ability) {
	fmt.Fprintln(b, "  - "+a.abilityLine(of, ability))
	note := func(text lang.Text, args ...any) { fmt.Fprintln(b, "      "+text.In(a.lang, args...)) }
	for _, name := range slices.Sorted(maps.Keys(ability.Env)) {
		value := ability.Env[name]
		if secret.Named(name) && !strings.Contains(value, "${") {
			value = "[secret " + name + "]" // written into the bundle
		}
		note(lang.CLILaunchEnv, visible(name+"="+value))
	}
	if !ability.Starts() {
		note(lang.CLILaunchRemote)
		return
	}
	if ability.Floating {
		note(lang.CLILaunchFloating)
	}
	switch program := host.ResolveProgram(ability.Words[0]); {
	case ability.Inside:
		note(lang.CLILaunchInside)
	case program != "":
		note(lang.CLILaunchOutside, visible(program))
	default:
		note(lang.CLILaunchMissing, visible(ability.Words[0]))
	}
	if ability.Cwd != "" {
		note(lang.CLILaunchFolder, visible(ability.Cwd))
	}
	for _, path := range ability.Uncovered {
		note(lang.CLILaunchReads, visible(path))
	}
	if !unconfined(of, ability.Resource) {
		return
	}
	note(lang.CLILaunchUnconfined)
	if socket := sandbox.DockerSocket(); socket != "" {
		note(lang.CLILaunchDocker, visible(socket))
	}
}

// unconfined reports whether the programs of a resource run without a sandbox.
func unconfined(b *bundle.Bundle, m *bundle.Meta) bool {
	return slices.ContainsFunc(b.Confinements(), func(c bundle.Confinement) bool { return c.Identity == m.Identity() && c.Off })
}

// beliefText lists the servers whose annotations, and the rules whose permissions,
// need a separate consent.
func (a *app) beliefText(all []bundle.Belief) string {
	var b strings.Builder
	fmt.Fprintln(&b, lang.CLITrustRules.In(a.lang))
	for _, belief := range all {
		identity := visible(belief.Resource.Identity())
		if len(belief.Rules) == 0 {
			fmt.Fprintln(&b, "  - "+lang.CLIBelieveServer.In(a.lang, identity))
		}
		for i := range belief.Rules {
			r := &belief.Rules[i]
			fmt.Fprintln(&b, "  - "+lang.CLIBelieveRule.In(a.lang, identity, visible(r.Name), visible(r.Selects())))
		}
	}
	return b.String()
}

// changeTable lists changes.
func (a *app) changeTable(changes []bundle.Change) string {
	words := map[bundle.ChangeKind]lang.Text{bundle.Added: lang.CLIChangeAdded, bundle.Changed: lang.CLIChangeChanged, bundle.Removed: lang.CLIChangeRemoved}
	var rows [][]string
	for _, c := range changes {
		summary := c.Summary
		if c.By != "" {
			summary = strings.TrimSpace(summary + " " + lang.CLIChangeBy.In(a.lang, c.By))
		}
		rows = append(rows, []string{"  " + words[c.Kind].In(a.lang), visible(c.Label), visible(summary)})
	}
	return table(rows)
}

func isFile(path string) bool { return fsx.IsFile(path) }
