package auth

import (
	"errors"
	"fmt"
	"path"
	"slices"
	"strings"
	"time"

	"github.com/gongu-ai/gongu"
	"github.com/gongu-ai/gongu/access"
	"github.com/gongu-ai/gongu/internal/lang"
)

// Grant is what a token or a JWT allows. The zero value allows every tool,
// resource, prompt and log of every agent, and no decisions; see
// [Grant.WithDefault] for what an owner gets who names nothing.
type Grant struct {
	// Agents are names of agents: nil is all, empty none.
	Agents []string `json:"agents,omitzero"`
	// Tools are globs of tools: nil is all, empty none.
	Tools []string `json:"tools,omitzero"`
	// ReadOnly allows the read-only tools in addition to Tools.
	ReadOnly bool `json:"read_only,omitzero"`
	// Ask are globs of tools that a person must agree to at each call.
	Ask []string `json:"ask,omitzero"`
	// Resources are SOURCE or SOURCE:URI-GLOB, Prompts globs of prompts, Logs
	// sources. A source is an identity such as McpServer/github, its name
	// alone, or a glob of them. None are all if all tools are allowed.
	Resources []string `json:"resources,omitzero"`
	Prompts   []string `json:"prompts,omitzero"`
	Logs      []string `json:"logs,omitzero"`
	// Sampling lets tools use the model of the client.
	Sampling bool `json:"sampling,omitzero"`
	// Attended means that the client shows questions to a person.
	Attended bool `json:"attended,omitzero"`
	// Manage allows decisions of a person: approvals or all. No model may have
	// such a token.
	Manage string `json:"manage,omitzero"`
}

// WithDefault returns the grant of an owner who named what it has: the
// read-only tools if that is neither tools nor resources nor prompts, and no
// tool that was not named. A manager who named nothing has everything.
func (g Grant) WithDefault() Grant {
	named := len(g.Tools)+len(g.Ask)+len(g.Resources)+len(g.Prompts) > 0
	if !named && g.Manage == access.ManageAll {
		return g
	}
	g.ReadOnly = g.ReadOnly || !named
	if g.Tools == nil {
		g.Tools = []string{}
	}
	return g
}

func (g Grant) clone() Grant {
	for _, list := range []*[]string{&g.Agents, &g.Tools, &g.Ask, &g.Resources, &g.Prompts, &g.Logs} {
		*list = slices.Clone(*list)
	}
	return g
}

func (g *Grant) principal(name, kind string, expires time.Time) *gongu.Principal {
	allow := namesOf(g.Tools)
	if g.ReadOnly {
		allow = append(access.ReadOnlyAnd(nil), allow...)
	}
	return &gongu.Principal{
		Name: name, Kind: kind, Person: g.Manage != "", Agents: slices.Clone(g.Agents),
		Allow: allow, Ask: namesOf(g.Ask),
		Resources: sourcesOf(g.Resources), Prompts: namesOf(g.Prompts), Logs: sourcesOf(g.Logs),
		Sampling: g.Sampling, Attended: g.Attended, Manage: g.Manage, Expires: expires,
	}
}

// namesOf turns globs of names into rules. nil stays nil.
func namesOf(globs []string) []gongu.Rule {
	if globs == nil {
		return nil
	}
	rules := make([]gongu.Rule, len(globs))
	for i, glob := range globs {
		rules[i] = gongu.Rule{Name: glob}
	}
	return rules
}

// sourcesOf turns SOURCE[:URI-GLOB] into rules. nil stays nil.
func sourcesOf(list []string) []gongu.Rule {
	if list == nil {
		return nil
	}
	rules := make([]gongu.Rule, len(list))
	for i, text := range list {
		source, uri, _ := strings.Cut(text, ":")
		if !strings.Contains(source, "/") {
			source = "*/" + source
		}
		rules[i] = gongu.Rule{Source: source, Name: uri}
	}
	return rules
}

// check validates names and globs. It rejects an empty glob, which would match
// everything.
func (g *Grant) check() error {
	for _, list := range [][]string{g.Agents, g.Tools, g.Ask, g.Resources, g.Prompts, g.Logs} {
		if len(list) > maxListed {
			return lang.NewError(ErrInvalid, lang.AuthTooMany.With(maxListed), lang.AuthTooManyHint.With())
		}
	}
	for _, agent := range g.Agents {
		if agent == "" || len(agent) > maxWord || strings.ContainsAny(agent, "/*?[]\\ \t\r\n\x00") {
			return lang.NewError(ErrInvalid, lang.AuthBadAgent.With(agent), lang.AuthBadAgentHint.With())
		}
	}
	for _, glob := range slices.Concat(g.Tools, g.Ask) {
		if !isGlob(glob) {
			return lang.NewError(ErrInvalid, lang.AuthBadGlob.With(glob), lang.AuthBadGlobHint.With())
		}
	}
	for _, glob := range g.Prompts {
		if !isGlob(glob) {
			return lang.NewError(ErrInvalid, lang.AuthBadPrompt.With(glob), lang.AuthBadPromptHint.With())
		}
	}
	for _, text := range g.Resources {
		source, uri, named := strings.Cut(text, ":")
		if !isGlob(source) || named && !isURIGlob(uri) {
			return lang.NewError(ErrInvalid, lang.AuthBadSource.With(text), lang.AuthBadResourcesHint.With())
		}
	}
	for _, source := range g.Logs {
		if !isGlob(source) || strings.Contains(source, ":") {
			return lang.NewError(ErrInvalid, lang.AuthBadSource.With(source), lang.AuthBadLogsHint.With())
		}
	}
	if !slices.Contains([]string{"", access.ManageApprovals, access.ManageAll}, g.Manage) {
		return lang.NewError(ErrInvalid, lang.AuthBadManage.With(g.Manage), lang.AuthBadManageHint.With())
	}
	return nil
}

func isGlob(glob string) bool { return isURIGlob(glob) && len(glob) <= maxWord }

func isURIGlob(glob string) bool {
	_, err := path.Match(glob, "")
	return err == nil && glob != "" && len(glob) <= maxURI
}

// scopePrefix is before the scopes of an issuer's tokens that are for gongu.
const scopePrefix = "gongu:"

// grantOf returns what the scopes of a JWT allow: gongu:tools:GLOB and the like
// are the flags of gongu token new. Scopes of other programs are skipped; one of
// ours that is not known is an error, because it could be a limit of a newer
// version.
func grantOf(scopes []string) (Grant, error) {
	var g Grant
	lists := map[string]*[]string{
		"agent": &g.Agents, "tools": &g.Tools, "ask": &g.Ask, "resources": &g.Resources, "prompts": &g.Prompts, "logs": &g.Logs,
	}
	for _, scope := range scopes {
		own, ours := strings.CutPrefix(scope, scopePrefix)
		if !ours {
			continue
		}
		word, value, valued := strings.Cut(own, ":")
		list := lists[word]
		switch {
		case list != nil && valued:
			*list = append(*list, value)
		case word == "manage" && valued:
			if g.Manage != access.ManageAll {
				g.Manage = value
			}
		case own == "sampling":
			g.Sampling = true
		case own == "attended":
			g.Attended = true
		default:
			return Grant{}, fmt.Errorf("jwt: the scope %.40q is not known", scope)
		}
	}
	if g.check() != nil {
		return Grant{}, errors.New("jwt: a scope has an invalid agent, glob or source")
	}
	return g, nil
}
