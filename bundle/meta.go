package bundle

import "slices"

// The versions of the resource format. Both mean the same.
const (
	APIVersion        = "gongu/v1"
	GoondanAPIVersion = "goondan.ai/v1"
)

func apiVersions() []string { return []string{APIVersion, GoondanAPIVersion} }

func knownAPIVersion(v string) bool { return slices.Contains(apiVersions(), v) }

// Item is a resource of any kind; a type switch tells which.
type Item interface {
	// Head returns what all kinds have.
	Head() *Meta
}

// Meta is what all kinds have.
type Meta struct {
	APIVersion string
	Kind       string
	Name       string
	// Package is the name of the package that the resource belongs to; empty
	// for a bundle without a Package document.
	Package             string
	Labels, Annotations map[string]string
	// Position is where the resource begins.
	Position Position

	place at // the document
	spec  at // its spec
}

// Head returns the resource's meta data.
func (m *Meta) Head() *Meta { return m }

// Identity prints the resource as a reference, such as Tool/bash.
func (m *Meta) Identity() string { return m.Kind + "/" + m.Name }

// Key identifies the resource among those of all packages.
func (m *Meta) Key() string {
	if m.Package == "" {
		return m.Identity()
	}
	return m.Package + "#" + m.Identity()
}

// metadata is the metadata of a document as it is written.
type metadata struct {
	Name        string            `json:"name" rule:"required" doc:"Name of the resource, unique among those of its kind."`
	Labels      map[string]string `json:"labels" doc:"Marks to select resources by."`
	Annotations map[string]string `json:"annotations" doc:"Notes that change nothing."`
}

// kindInfo describes a kind.
type kindInfo struct {
	name string
	doc  string
	make func() Item
}

// kinds lists all kinds, in the order of the documentation.
func kinds() []kindInfo {
	return []kindInfo{
		{"Tool", "Functions that a model can call, with the module that holds their handlers.", func() Item { return &Tool{} }},
		{"Extension", "A module that adds middleware or tools while an agent runs.", func() Item { return &Extension{} }},
		{"Agent", "A model with a prompt, tools and extensions.", func() Item { return &Agent{} }},
		{"Swarm", "Agents that run together, and the limits they run under.", func() Item { return &Swarm{} }},
		{"Model", "A language model and how to reach it.", func() Item { return &Model{} }},
		{"Package", "The manifest of a bundle that others can depend on.", func() Item { return &Package{} }},
		{"Connection", "Binds a Connector to a Swarm. Checked, but its ingress is not run.", func() Item { return &Connection{} }},
		{"Connector", "Receives events of a protocol. Checked, but not run.", func() Item { return &Connector{} }},
		{"McpServer", "An MCP server whose tools are imported.", func() Item { return &McpServer{} }},
		{"ToolCommand", "A program that lists tools and runs them.", func() Item { return &ToolCommand{} }},
		{"Policy", "Rules that allow, ask about or deny calls.", func() Item { return &Policy{} }},
		{"Macro", "A tool made of calls of other tools.", func() Item { return &Macro{} }},
	}
}

func kindNames() []string {
	var names []string
	for _, k := range kinds() {
		names = append(names, k.name)
	}
	return names
}

// kindNamed finds a kind.
func kindNamed(name string) (kindInfo, bool) {
	all := kinds()
	i := slices.IndexFunc(all, func(k kindInfo) bool { return k.name == name })
	if i < 0 {
		return kindInfo{}, false
	}
	return all[i], true
}
