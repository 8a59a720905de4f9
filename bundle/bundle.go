package bundle

import (
	"bytes"
	"cmp"
	"encoding/json"
	"fmt"
	"path/filepath"
	"slices"
	"strings"

	"github.com/gongu-ai/gongu/internal/lang"
	"github.com/gongu-ai/gongu/internal/rawjson"
)

// Bundle is a set of resources that fit together. It does not change and is
// safe for concurrent use; its resources must not be changed either.
type Bundle struct {
	dir      string
	root     string            // where the files are: dir, or the folder of a copy
	name     string            // of the only file that was read; empty for a folder
	read     map[string]string // hashes of the files that were read, by label
	outside  string            // a package that is not below root
	files    []string
	items    []Item
	index    index
	packages map[string]string // folders of installed packages, by name
}

// Dir returns the folder of the bundle, as an absolute path. Of a bundle that was
// read from a copy it is the folder of the original.
func (b *Bundle) Dir() string { return b.dir }

// Path returns what was opened: Dir, or the file in it.
func (b *Bundle) Path() string { return filepath.Join(b.dir, b.name) }

// Files returns the resource files that were read, relative to Dir, with slashes.
func (b *Bundle) Files() []string { return slices.Clone(b.files) }

// PackageDir returns the folder that entries of a package's resources are relative
// to; an empty name or the bundle's own means Dir.
func (b *Bundle) PackageDir(name string) string {
	if dir, ok := b.packages[name]; ok {
		return dir
	}
	return b.dir
}

// Items returns all resources: the bundle's by file and document, then those
// of the packages it depends on.
func (b *Bundle) Items() []Item { return slices.Clone(b.items) }

// Contents lists the kinds of resources with their numbers, in the order of the
// bundle, as a text for people.
func (b *Bundle) Contents(language string) string {
	counts := map[string]int{}
	var kinds, parts []string
	for _, item := range b.items {
		kind := item.Head().Kind
		if counts[kind]++; counts[kind] == 1 {
			kinds = append(kinds, kind)
		}
	}
	for _, kind := range kinds {
		parts = append(parts, fmt.Sprintf("%s %d", kind, counts[kind]))
	}
	return cmp.Or(strings.Join(parts, ", "), lang.CLINoResources.In(lang.Of(language)))
}

// Tools returns the Tool resources, in the order of Items.
func (b *Bundle) Tools() []*Tool { return only[*Tool](b) }

// Extensions returns the Extension resources, in the order of Items.
func (b *Bundle) Extensions() []*Extension { return only[*Extension](b) }

// Agents returns the Agent resources, in the order of Items.
func (b *Bundle) Agents() []*Agent { return only[*Agent](b) }

// Swarms returns the Swarm resources, in the order of Items.
func (b *Bundle) Swarms() []*Swarm { return only[*Swarm](b) }

// Models returns the Model resources, in the order of Items.
func (b *Bundle) Models() []*Model { return only[*Model](b) }

// Connections returns the Connection resources, in the order of Items.
func (b *Bundle) Connections() []*Connection { return only[*Connection](b) }

// Connectors returns the Connector resources, in the order of Items.
func (b *Bundle) Connectors() []*Connector { return only[*Connector](b) }

// McpServers returns the McpServer resources, in the order of Items.
func (b *Bundle) McpServers() []*McpServer { return only[*McpServer](b) }

// ToolCommands returns the ToolCommand resources, in the order of Items.
func (b *Bundle) ToolCommands() []*ToolCommand { return only[*ToolCommand](b) }

// Policies returns the Policy resources, in the order of Items.
func (b *Bundle) Policies() []*Policy { return only[*Policy](b) }

// Macros returns the Macro resources, in the order of Items.
func (b *Bundle) Macros() []*Macro { return only[*Macro](b) }

// Package returns the manifest of the bundle, or nil.
func (b *Bundle) Package() *Package {
	for _, p := range only[*Package](b) {
		if _, installed := b.packages[p.Package]; !installed {
			return p
		}
	}
	return nil
}

// only returns the resources of one kind.
func only[T Item](b *Bundle) []T {
	var list []T
	for _, item := range b.items {
		if typed, ok := item.(T); ok {
			list = append(list, typed)
		}
	}
	return list
}

// Resolve finds the resource that a reference of owner names. The owner may be
// nil for a reference that a person typed.
func (b *Bundle) Resolve(owner *Meta, ref Ref) (Item, error) {
	from := b.ownPackage()
	if owner != nil {
		from = owner.Package
	}
	item, err := b.index.find(from, ref)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", ref, err)
	}
	return item, nil
}

func (b *Bundle) ownPackage() string {
	if p := b.Package(); p != nil {
		return p.Name
	}
	return ""
}

// lookup is Resolve for a kind that is known; references of a loaded bundle
// always lead somewhere.
func lookup[T Item](b *Bundle, owner *Meta, ref Ref) T {
	item, _ := b.Resolve(owner, ref)
	typed, _ := item.(T)
	return typed
}

// Agent finds an agent by name.
func (b *Bundle) Agent(name string) (*Agent, bool) {
	a := lookup[*Agent](b, nil, Ref{Kind: "Agent", Name: name})
	return a, a != nil
}

// Swarm chooses a swarm: the one of that name; without a name the one called
// default, or the only one.
func (b *Bundle) Swarm(name string) (*Swarm, error) {
	swarms := b.Swarms()
	if name == "" {
		name = "default"
		if len(swarms) == 1 {
			return swarms[0], nil
		}
	}
	if s := lookup[*Swarm](b, nil, Ref{Kind: "Swarm", Name: name}); s != nil {
		return s, nil
	}
	names := make([]string, len(swarms))
	for i, s := range swarms {
		names[i] = s.Name
	}
	if len(names) == 0 {
		return nil, fmt.Errorf("the bundle has no Swarm")
	}
	return nil, fmt.Errorf("no Swarm is called %q; there are %s", name, strings.Join(names, ", "))
}

// SwarmAgents returns the agents of a swarm, in order and each once.
func (b *Bundle) SwarmAgents(s *Swarm) []*Agent {
	var list []*Agent
	for _, ref := range s.Spec.Agents {
		if a := lookup[*Agent](b, &s.Meta, ref); a != nil && !slices.Contains(list, a) {
			list = append(list, a)
		}
	}
	return list
}

// EntryAgent returns the agent that gets a swarm's input.
func (b *Bundle) EntryAgent(s *Swarm) *Agent { return lookup[*Agent](b, &s.Meta, s.Spec.EntryAgent) }

// AgentModel returns the model of an agent.
func (b *Bundle) AgentModel(a *Agent) *Model {
	return lookup[*Model](b, &a.Meta, a.Spec.ModelConfig.ModelRef)
}

// AgentTools returns what spec.tools of an agent names, in order and each
// once: *Tool, *McpServer, *ToolCommand or *Macro.
func (b *Bundle) AgentTools(a *Agent) []Item {
	var list []Item
	for _, ref := range a.Spec.Tools {
		item, err := b.Resolve(&a.Meta, ref)
		if err == nil && !slices.Contains(list, item) {
			list = append(list, item)
		}
	}
	return list
}

// ExtensionUse is an extension as an agent uses it.
type ExtensionUse struct {
	Extension *Extension
	// Config is the extension's, with the agent's over it key by key. It is a
	// JSON object, or empty when neither gives one.
	Config json.RawMessage
}

// AgentExtensions returns the extensions of an agent, in order. One that is
// listed twice is used once, with the settings of both.
func (b *Bundle) AgentExtensions(a *Agent) []ExtensionUse {
	var list []ExtensionUse
	for _, ref := range a.Spec.Extensions {
		e := lookup[*Extension](b, &a.Meta, ref.Ref)
		if e == nil {
			continue
		}
		i := slices.IndexFunc(list, func(u ExtensionUse) bool { return u.Extension == e })
		if i < 0 {
			i = len(list)
			list = append(list, ExtensionUse{Extension: e, Config: bytes.Clone(e.Spec.Config)})
		}
		list[i].Config = mergeObjects(list[i].Config, ref.Config)
	}
	return list
}

// mergeObjects puts the members of over into base. Values are replaced whole;
// keys keep their order.
func mergeObjects(base, over json.RawMessage) json.RawMessage {
	if len(over) == 0 {
		return base
	}
	if len(base) == 0 {
		return bytes.Clone(over)
	}
	names, values := members(base)
	places := make(map[string]int, len(names))
	for i, name := range names {
		places[name] = i
	}
	overNames, overValues := members(over)
	for i, name := range overNames {
		if place, ok := places[name]; ok {
			values[place] = overValues[i]
			continue
		}
		names, values = append(names, name), append(values, overValues[i])
	}
	out := []byte{'{'}
	for i, name := range names {
		if i > 0 {
			out = append(out, ',')
		}
		out = append(append(appendString(out, name), ':'), values[i]...)
	}
	return append(out, '}')
}

// members reads an object that this package wrote.
func members(object json.RawMessage) (names []string, values []json.RawMessage) {
	_ = rawjson.Members(object, func(name, value json.RawMessage) error { // it is an object
		names, values = append(names, rawjson.Text(name)), append(values, value)
		return nil
	})
	return names, values
}
