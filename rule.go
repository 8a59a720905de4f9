package gongu

import (
	"fmt"
	"path"
	"slices"
	"strings"
)

// Rule selects tools. All fields that are set must hold; an empty rule selects
// every tool. Name, Domain and Source take globs with *, ? and [a-z].
type Rule struct {
	Name   string
	Domain string
	// Source matches the owner's identity, such as McpServer/*.
	Source string
	// Label matches key=value or key.
	Label string
	// The annotations are compared with [Annotations.IsReadOnly] and its like,
	// so that a tool without hints is destructive and open to the world.
	ReadOnly, Destructive, Idempotent, OpenWorld *bool
}

// check returns an error for a malformed glob, which would select nothing: in a
// deny rule that would allow everything.
func (r Rule) check() error {
	for field, glob := range map[string]string{"name": r.Name, "domain": r.Domain, "source": r.Source} {
		if _, err := path.Match(glob, ""); err != nil {
			return fmt.Errorf("rule: %s: glob %q: %w", field, glob, err)
		}
	}
	return nil
}

// MatchesSource reports whether the rule may select something of a source, by
// its identity such as McpServer/github. It is for resources, prompts and logs;
// a rule with any field but Name and Source selects none of them.
func (r Rule) MatchesSource(identity string) bool {
	source := r.Source
	r.Source, r.Name = "", ""
	return r == Rule{} && (source == "" || globMatch(source, identity))
}

// MatchesItem reports whether the rule selects a resource by its URI, or a
// prompt by its name, of a source.
func (r Rule) MatchesItem(identity, name string) bool {
	return r.MatchesSource(identity) && (r.Name == "" || globMatch(r.Name, name))
}

// Equal reports whether two rules are the same.
func (r Rule) Equal(other Rule) bool {
	for _, hints := range [...][2]**bool{
		{&r.ReadOnly, &other.ReadOnly}, {&r.Destructive, &other.Destructive}, {&r.Idempotent, &other.Idempotent}, {&r.OpenWorld, &other.OpenWorld},
	} {
		one, another := hints[0], hints[1]
		if (*one == nil) != (*another == nil) || *one != nil && **one != **another {
			return false
		}
		*one, *another = nil, nil
	}
	return r == other // compares all remaining fields
}

// Selects reports whether the rule selects a tool.
func (r Rule) Selects(t *Tool) bool {
	return r.matches(&entry{tool: *t, domain: placeOf(t)})
}

func (r Rule) matches(e *entry) bool {
	return (r.Name == "" || globMatch(r.Name, e.tool.Name)) && r.matchesRest(e)
}

// matchesToDeny also matches Name with the tool's name at its upstream: either
// name is enough to exclude a tool, but not to allow it.
func (r Rule) matchesToDeny(e *entry) bool {
	if r.matches(e) {
		return true
	}
	original := e.tool.Source.Original
	return r.Name != "" && original != "" && globMatch(r.Name, original) && r.matchesRest(e)
}

func (r Rule) matchesRest(e *entry) bool {
	a := e.tool.Annotations
	return (r.Domain == "" || globMatch(r.Domain, e.domain)) &&
		(r.Source == "" || globMatch(r.Source, e.tool.Source.Identity())) &&
		(r.Label == "" || hasLabel(e.tool.Labels, r.Label)) &&
		hintMatches(r.ReadOnly, a.IsReadOnly()) &&
		hintMatches(r.Destructive, a.IsDestructive()) &&
		hintMatches(r.Idempotent, a.IsIdempotent()) &&
		hintMatches(r.OpenWorld, a.IsOpenWorld())
}

func hintMatches(want *bool, is bool) bool { return want == nil || *want == is }

func hasLabel(labels map[string]string, selector string) bool {
	key, value, exact := strings.Cut(selector, "=")
	got, ok := labels[key]
	return ok && (!exact || got == value)
}

// globMatch is path.Match with a * that also matches slashes, which domains of
// imported tools contain. Names and prefixes with one star are the usual cases.
func globMatch(glob, s string) bool {
	star := strings.IndexAny(glob, `*?[\`)
	if star < 0 {
		return glob == s
	}
	if glob[star:] == "*" {
		return strings.HasPrefix(s, glob[:star])
	}
	if strings.Contains(s, "/") {
		glob, s = strings.ReplaceAll(glob, "/", "\x00"), strings.ReplaceAll(s, "/", "\x00")
	}
	ok, err := path.Match(glob, s)
	return err == nil && ok
}

func anyMatches(rules []Rule, e *entry) bool {
	return slices.ContainsFunc(rules, func(rule Rule) bool { return rule.matches(e) })
}

func anyDenies(rules []Rule, e *entry) bool {
	return slices.ContainsFunc(rules, func(rule Rule) bool { return rule.matchesToDeny(e) })
}
