package bundle

import (
	"cmp"
	"encoding/json"
	"maps"
	"slices"
	"strings"
)

// ChangeKind is what happened to a resource or a file.
type ChangeKind string

// The kinds of changes.
const (
	Added   ChangeKind = "added"
	Changed ChangeKind = "changed"
	Removed ChangeKind = "removed"
)

// Change is one difference between two states of a bundle.
type Change struct {
	// Label is the file.
	Label string     `json:"label"`
	Kind  ChangeKind `json:"kind"`
	// Summary names the resource and its fields, or who uses the file.
	Summary string `json:"summary,omitempty"`
	// Launch means that the change decides what is started, with which
	// variables and where, or which calls are allowed.
	Launch bool `json:"launch,omitempty"`
	// By is the agent whose file tool wrote the file last, if one did.
	By string `json:"by,omitempty"`
}

// Compare lists the differences of what is covered between two states of a
// bundle. Before may be nil.
func Compare(before, after *Bundle, was, is *Cover) []Change {
	changes := compareItems(before, after)
	seen := map[string]bool{}
	for _, c := range changes {
		seen[c.Label] = true
	}
	changes = append(changes, compareFiles(was, is, seen)...)
	slices.SortStableFunc(changes, func(a, b Change) int {
		return cmp.Or(strings.Compare(a.Label, b.Label), strings.Compare(a.Summary, b.Summary))
	})
	return changes
}

// compareFiles lists the files that differ, without those whose resources are
// listed already.
func compareFiles(was, is *Cover, seen map[string]bool) []Change {
	old, now := map[string]Entry{}, map[string]Entry{}
	if was != nil {
		for _, e := range was.entries {
			old[e.Label] = e
		}
	}
	for _, e := range is.entries {
		now[e.Label] = e
	}
	var changes []Change
	add := func(label string, kind ChangeKind, from *Cover) {
		if !seen[label] {
			users, launched := from.users(label)
			changes = append(changes, Change{Label: label, Kind: kind, Summary: strings.Join(users, ", "), Launch: launched})
		}
	}
	for label, e := range now {
		switch before, known := old[label]; {
		case !known:
			add(label, Added, is)
		case before != e:
			add(label, Changed, is)
		}
	}
	for label := range old {
		if _, known := now[label]; !known {
			add(label, Removed, was)
		}
	}
	return changes
}

// users returns the resources that use a file, and whether one of them starts it.
func (c *Cover) users(label string) (keys []string, launched bool) {
	for _, key := range slices.Sorted(maps.Keys(c.parts)) {
		p := c.parts[key]
		below := slices.ContainsFunc(p.folders, func(g glob) bool { return g.has(label) })
		if p.labels[label] || below {
			keys = append(keys, key)
			launched = launched || below || p.launched
		}
	}
	return keys, launched
}

func compareItems(before, after *Bundle) []Change {
	old := map[string]Item{}
	if before != nil {
		for _, item := range before.items {
			old[item.Head().Key()] = item
		}
	}
	var changes []Change
	for _, item := range after.items {
		m := item.Head()
		was, known := old[m.Key()]
		delete(old, m.Key())
		if !known {
			changes = append(changes, Change{Label: m.Position.File, Kind: Added, Summary: m.Identity(), Launch: launches(nil, item, nil)})
			continue
		}
		if fields := changedFields(was.Head(), m); len(fields) > 0 {
			changes = append(changes, Change{Label: m.Position.File, Kind: Changed, Summary: m.Identity() + ": " + strings.Join(fields, ", "), Launch: launches(was, item, fields)})
		}
	}
	for _, item := range old {
		m := item.Head()
		changes = append(changes, Change{Label: m.Position.File, Kind: Removed, Summary: m.Identity()})
	}
	return changes
}

// changedFields returns the fields of spec that differ, and metadata.
func changedFields(was, is *Meta) []string {
	var fields []string
	old, now := specFields(was), specFields(is)
	for name, value := range now {
		if string(old[name]) != string(value) {
			fields = append(fields, name)
		}
	}
	for name := range old {
		if _, known := now[name]; !known {
			fields = append(fields, name)
		}
	}
	if !maps.Equal(was.Labels, is.Labels) || !maps.Equal(was.Annotations, is.Annotations) {
		fields = append(fields, "metadata")
	}
	slices.Sort(fields)
	return fields
}

func specFields(m *Meta) map[string]json.RawMessage {
	var fields map[string]json.RawMessage
	if m.spec.node == nil || json.Unmarshal(appendJSON(nil, m.spec.node), &fields) != nil {
		return nil
	}
	return fields
}

// launches reports whether a change of a resource decides what is started or
// allowed. Was is nil for a new resource; fields are those that changed.
func launches(was, item Item, fields []string) bool {
	has := func(names ...string) bool {
		return slices.ContainsFunc(fields, func(f string) bool { return slices.Contains(names, f) })
	}
	switch r := item.(type) {
	case *McpServer, *ToolCommand:
		texts := []string{"describe", "rename", "include", "exclude", "prefix", "timeout", "timeouts", "maxConcurrent", "metadata"}
		return was == nil || slices.ContainsFunc(fields, func(f string) bool { return !slices.Contains(texts, f) })
	case *Policy:
		return true
	case *Package:
		return has("serve")
	case *Agent:
		return has("workdir", "editable") || was == nil && r.Spec.Editable
	case *Extension:
		return was == nil && r.Module.Builtin != "" || has("config", "entry")
	case *Tool:
		return was == nil && (r.ownProcess() || r.Spec.Editable) || has("runtime", "files", "sandbox", "editable") || r.ownProcess() && has("entry") || r.gains(was)
	}
	return false
}

// gains reports whether a built-in tool can do more than before.
func (t *Tool) gains(was Item) bool {
	if t.Module.Builtin == "" {
		return false
	}
	var before []Ability
	if was != nil {
		before = abilitiesOf(was)
	}
	for _, a := range t.abilities() {
		i := slices.IndexFunc(before, func(b Ability) bool { return b.Kind == a.Kind })
		if i < 0 || slices.ContainsFunc(a.Words, func(w string) bool { return !slices.Contains(before[i].Words, w) }) {
			return true
		}
	}
	return false
}
