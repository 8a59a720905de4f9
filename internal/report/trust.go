package report

import (
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"

	"github.com/gongu-ai/gongu/bundle"
	"github.com/gongu-ai/gongu/host"
	"github.com/gongu-ai/gongu/internal/lang"
	"github.com/gongu-ai/gongu/internal/sandbox"
	"github.com/gongu-ai/gongu/internal/secret"
	"github.com/gongu-ai/gongu/internal/shellword"
	"github.com/gongu-ai/gongu/internal/terminal"
)

// Ability is an ability as JSON.
type Ability struct {
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

// Abilities lists what a bundle can do, its packages included. It is never
// nil, for JSON.
func Abilities(b *bundle.Bundle) []Ability {
	all := []Ability{}
	for _, ability := range b.Abilities() {
		r := Ability{
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

// Trust is what gongu trust --json prints.
type Trust struct {
	Folder string `json:"folder"`
	// Acts means that the bundle needs consent at all.
	Acts      bool   `json:"acts"`
	Consented bool   `json:"consented"`
	Digest    string `json:"digest,omitempty"`
	// Consent is the one that was given last, perhaps to another content.
	Consent   *host.Consent   `json:"consent,omitempty"`
	Abilities []Ability       `json:"abilities"`
	Believes  []string        `json:"believes,omitempty"`
	Problems  []string        `json:"problems,omitempty"`
	Changes   []bundle.Change `json:"changes,omitempty"`
}

// TrustOf reports what a bundle can do and whether it may.
func TrustOf(p *host.Proposal) Trust {
	report := Trust{
		Folder: p.Bundle.Path(), Acts: p.Bundle.Acts(), Consented: !p.Needed() && p.Decided(), Digest: p.Digest, Consent: p.Consent,
		Abilities: Abilities(p.Bundle), Changes: p.Changes,
	}
	for _, b := range p.Bundle.Beliefs() {
		report.Believes = append(report.Believes, b.Resource.Identity())
	}
	for _, problem := range p.Problems() {
		report.Problems = append(report.Problems, problem.Resource.Identity()+": "+problem.In(lang.English))
	}
	return report
}

// Trust says whether a bundle has the consent of the user. With onlyShow it also
// says what the bundle can do.
func (x *Texts) Trust(folder string, p *host.Proposal, onlyShow bool) string {
	var b strings.Builder
	line := func(text lang.Text, args ...any) { fmt.Fprintln(&b, text.In(x.Lang, args...)) }
	if onlyShow {
		b.WriteString(x.Proposal(p))
		if believes := p.Bundle.Beliefs(); len(believes) > 0 {
			b.WriteString(x.Beliefs(believes))
		}
		for _, problem := range p.Problems() {
			fmt.Fprintln(&b, problem.Resource.Identity()+": "+terminal.Visible(problem.In(x.Lang)))
		}
	}
	switch {
	case !p.Decided():
		line(lang.CLITrustNotNeeded)
	case !onlyShow:
		line(lang.CLITrusted)
	case !p.Needed():
		line(lang.CLITrustIs, p.Consent.At.Local().Format(time.DateTime))
	default:
		line(lang.CLITrustIsNot, x.On("trust", folder))
	}
	return b.String()
}

// Proposal says in plain words what a bundle can do: nothing is cut, and
// nothing can hide.
func (x *Texts) Proposal(p *host.Proposal) string {
	var b strings.Builder
	line := func(text lang.Text, args ...any) { fmt.Fprintln(&b, text.In(x.Lang, args...)) }
	line(lang.CLITrustFolder, terminal.Visible(p.Bundle.Path()))
	abilities := p.Bundle.Abilities()
	if !p.Decided() {
		return b.String()
	}
	if len(abilities) > 0 {
		line(lang.CLITrustCan)
	}
	for _, ability := range abilities {
		if !ability.Starts() && ability.Kind != bundle.AbleConnect {
			fmt.Fprintln(&b, "  - "+x.abilityLine(p.Bundle, &ability))
			if unconfined(p.Bundle, ability.Resource) {
				fmt.Fprintln(&b, "      "+lang.CLILaunchUnconfined.In(x.Lang))
			}
		}
	}
	for _, ability := range abilities {
		if ability.Starts() || ability.Kind == bundle.AbleConnect {
			x.writeLaunch(&b, p.Bundle, &ability)
		}
	}
	if p.Consent != nil && len(p.Changes) > 0 {
		line(lang.CLITrustChanges)
		b.WriteString(x.Changes(p.Changes))
	}
	line(lang.CLITrustDigest, p.Digest)
	return b.String()
}

// abilityLine says what a tool, a macro or an extension can do.
func (x *Texts) abilityLine(b *bundle.Bundle, ability *bundle.Ability) string {
	texts := map[bundle.AbilityKind]lang.Text{
		bundle.AbleScript: lang.CLICanScript, bundle.AbleExtension: lang.CLICanExtension, bundle.AbleShell: lang.CLICanShell,
		bundle.AbleWrite: lang.CLICanWrite, bundle.AbleFetch: lang.CLICanFetch, bundle.AbleBuiltin: lang.CLICanBuiltin, bundle.AbleMacro: lang.CLICanMacro,
		bundle.AbleServer: lang.CLICanServer, bundle.AbleConnect: lang.CLICanConnect, bundle.AbleDiscover: lang.CLICanDiscover, bundle.AbleCall: lang.CLICanCall,
	}
	resource := ability.Resource.Identity()
	if name := foreignPackage(b, ability.Resource); name != "" {
		resource = lang.CLIResourcePackage.In(x.Lang, resource, name)
	}
	words := strings.Join(ability.Words, ", ")
	if ability.Starts() {
		words = shellword.Join(ability.Words...)
	}
	return texts[ability.Kind].In(x.Lang, terminal.Visible(resource), terminal.Visible(words))
}

// writeLaunch says what is started or connected to, and what consent does not
// cover of it.
func (x *Texts) writeLaunch(b *strings.Builder, of *bundle.Bundle, ability *bundle.Ability) {
	fmt.Fprintln(b, "  - "+x.abilityLine(of, ability))
	note := func(text lang.Text, args ...any) { fmt.Fprintln(b, "      "+text.In(x.Lang, args...)) }
	for _, name := range slices.Sorted(maps.Keys(ability.Env)) {
		value := ability.Env[name]
		if secret.Named(name) && !strings.Contains(value, "${") {
			value = "[secret " + name + "]" // written into the bundle
		}
		note(lang.CLILaunchEnv, terminal.Visible(name+"="+value))
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
		note(lang.CLILaunchOutside, terminal.Visible(program))
	default:
		note(lang.CLILaunchMissing, terminal.Visible(ability.Words[0]))
	}
	if ability.Cwd != "" {
		note(lang.CLILaunchFolder, terminal.Visible(ability.Cwd))
	}
	for _, path := range ability.Uncovered {
		note(lang.CLILaunchReads, terminal.Visible(path))
	}
	if !unconfined(of, ability.Resource) {
		return
	}
	note(lang.CLILaunchUnconfined)
	if socket := sandbox.DockerSocket(); socket != "" {
		note(lang.CLILaunchDocker, terminal.Visible(socket))
	}
}

// unconfined reports whether the programs of a resource run without a sandbox.
func unconfined(b *bundle.Bundle, m *bundle.Meta) bool {
	return slices.ContainsFunc(b.Confinements(), func(c bundle.Confinement) bool { return c.Identity == m.Identity() && c.Off })
}

// Beliefs lists the servers whose annotations, and the rules whose permissions,
// need a separate consent.
func (x *Texts) Beliefs(all []bundle.Belief) string {
	var b strings.Builder
	fmt.Fprintln(&b, lang.CLITrustRules.In(x.Lang))
	for _, belief := range all {
		identity := terminal.Visible(belief.Resource.Identity())
		if len(belief.Rules) == 0 {
			fmt.Fprintln(&b, "  - "+lang.CLIBelieveServer.In(x.Lang, identity))
		}
		for i := range belief.Rules {
			r := &belief.Rules[i]
			fmt.Fprintln(&b, "  - "+lang.CLIBelieveRule.In(x.Lang, identity, terminal.Visible(r.Name), terminal.Visible(r.Selects())))
		}
	}
	return b.String()
}

// Changes lists changes.
func (x *Texts) Changes(changes []bundle.Change) string {
	words := map[bundle.ChangeKind]lang.Text{bundle.Added: lang.CLIChangeAdded, bundle.Changed: lang.CLIChangeChanged, bundle.Removed: lang.CLIChangeRemoved}
	var rows [][]string
	for _, c := range changes {
		summary := c.Summary
		if c.By != "" {
			summary = strings.TrimSpace(summary + " " + lang.CLIChangeBy.In(x.Lang, c.By))
		}
		rows = append(rows, []string{"  " + words[c.Kind].In(x.Lang), terminal.Visible(c.Label), terminal.Visible(summary)})
	}
	return terminal.Table(rows)
}
