package bundle

import (
	"cmp"
	"iter"
	"maps"
	"path"
	"slices"
	"strings"

	"github.com/gongu-ai/gongu"
	"github.com/gongu-ai/gongu/internal/lang"
	"github.com/gongu-ai/gongu/internal/near"
	"github.com/gongu-ai/gongu/policy"
)

// UnmatchedRules warns of globs in rules of the bundle that match nothing: no tool,
// domain, source or agent has such a name. Others are tools that are there in every
// bundle. Names that only a running server knows are not warned about.
func (b *Bundle) UnmatchedRules(others []gongu.Tool, language string) Diagnostics {
	r := &reporter{lang: lang.Of(language)}
	known := b.ruleNames(others)
	for _, p := range b.Policies() {
		for i := range p.Spec.Rules {
			rule := &p.Spec.Rules[i]
			known.check(r, p.spec.find("rules", i), rule)
		}
	}
	return r.finish()
}

// ruleNames are the names that rules can match.
type ruleNames struct {
	tools, domains, sources, agents map[string]bool
	// prefixes begin the names of tools that only a running server knows; upstream
	// means that there are such tools, whose own names a deny matches too.
	prefixes []string
	upstream bool
	// anyTool and anyDomain mean that there may be others.
	anyTool, anyDomain bool
}

func (b *Bundle) ruleNames(others []gongu.Tool) *ruleNames {
	k := &ruleNames{
		tools: map[string]bool{}, domains: map[string]bool{}, sources: map[string]bool{},
		agents: map[string]bool{"": true, "cli": true},
	}
	tool := func(t *gongu.Tool) {
		k.tools[t.Name], k.domains[cmp.Or(t.Domain, t.Source.Name)], k.sources[t.Source.Identity()] = true, true, true
	}
	for i := range others {
		tool(&others[i])
	}
	dynamic := func(m *Meta, prefix *string) {
		k.sources[m.Identity()], k.domains[m.Name], k.upstream = true, true, true
		if prefix == nil {
			k.prefixes = append(k.prefixes, m.Name+"__")
		} else if *prefix == "" {
			k.anyTool = true
		} else {
			k.prefixes = append(k.prefixes, *prefix+"__")
		}
	}
	for _, item := range b.items {
		switch r := item.(type) {
		case *Tool:
			for _, t := range r.Definitions() {
				tool(&t)
			}
		case *Macro:
			tool(&gongu.Tool{Name: r.Name, Domain: cmp.Or(r.Spec.Domain, r.Name), Source: gongu.Source{Type: "macro", Name: r.Name}})
		case *McpServer:
			dynamic(&r.Meta, r.Spec.Prefix)
		case *ToolCommand:
			dynamic(&r.Meta, r.Spec.Prefix)
			k.anyDomain = true
		case *Extension:
			k.sources[r.Identity()] = true
			k.anyTool, k.anyDomain = true, true
		case *Agent:
			k.agents[r.Name] = true
		}
	}
	return k
}

func (k *ruleNames) check(r *reporter, place at, rule *PolicyRule) {
	m := &rule.Match
	for _, f := range []struct {
		name  string
		globs []string
		known map[string]bool
		open  bool
	}{
		{"tools", m.Tools, k.tools, k.anyTool || k.upstream && rule.Effect == string(policy.Deny)},
		{"domains", m.Domains, k.domains, k.anyDomain},
		{"sources", m.Sources, k.sources, false},
		{"agents", m.Agents, k.agents, false},
	} {
		for i, glob := range f.globs {
			if f.open || matchesAny(glob, maps.Keys(f.known)) || f.name == "tools" && slices.ContainsFunc(k.prefixes, func(p string) bool { return mayBegin(glob, p) }) {
				continue
			}
			names := near.Names(strings.Trim(glob, "*?"), maps.Keys(f.known), 3)
			hint := lang.PolicyHintNoMatch.With()
			if len(names) > 0 {
				hint = lang.BundleHintNear.With(strings.Join(names, ", "))
			}
			r.warn(place.find("match", f.name, i), CodeNoMatch, "", lang.PolicyNoMatch.With(f.name, short(glob)), hint)
		}
	}
}

func matchesAny(glob string, names iter.Seq[string]) bool {
	for name := range names {
		if policy.MatchGlob(glob, name) {
			return true
		}
	}
	return false
}

// mayBegin reports whether a glob can match a name that begins with a prefix.
func mayBegin(glob, prefix string) bool {
	literal := glob
	if i := strings.IndexAny(glob, `*?[\`); i >= 0 {
		literal = glob[:i]
	} else if !strings.HasPrefix(glob, prefix) {
		return false
	}
	if ok, err := path.Match(glob, prefix); err == nil && ok {
		return true
	}
	return strings.HasPrefix(literal, prefix) || strings.HasPrefix(prefix, literal)
}
