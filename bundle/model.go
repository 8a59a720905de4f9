package bundle

import (
	"encoding/json"
	"slices"

	"github.com/gongu-ai/gongu/internal/lang"
)

// Model is a resource: a language model.
type Model struct {
	Meta
	Spec ModelSpec
}

// ModelSpec is the spec of a Model.
type ModelSpec struct {
	Provider     string          `json:"provider" rule:"required" doc:"Who serves the model: openai, anthropic, google and so on."`
	Model        string          `json:"model" rule:"required" doc:"The provider's name of the model."`
	APIKey       *ValueSource    `json:"apiKey" doc:"The key, best from the environment."`
	Endpoint     string          `json:"endpoint" rule:"url" doc:"Address of the service, when it is not the provider's own."`
	Options      json.RawMessage `json:"options" rule:"object,refs" doc:"Options of the provider."`
	Capabilities map[string]bool `json:"capabilities" doc:"What the model can do, such as toolCalling and streaming."`
}

// Package is a resource: the manifest of a bundle.
type Package struct {
	Meta
	Spec PackageSpec
}

// PackageSpec is the spec of a Package.
type PackageSpec struct {
	Version      string       `json:"version" rule:"nonempty" doc:"Version of the package, such as 1.0.0."`
	Description  string       `json:"description" doc:"What the package is for."`
	Access       string       `json:"access" rule:"enum=public|restricted" doc:"Who may install it (default: public)."`
	Dependencies []Dependency `json:"dependencies" rule:"unique=name" doc:"Packages whose resources are used."`
	Registry     *Registry    `json:"registry" doc:"Where the package is published."`
	Serve        Serve        `json:"serve" doc:"How gongu serve serves the bundle. That of an installed package does not count."`
}

// Dependency is a package that another needs.
type Dependency struct {
	Name    string `json:"name" rule:"required" doc:"Name of the package, such as @goondan/base."`
	Version string `json:"version" rule:"required" doc:"Version or range, such as ^1.0.0."`
}

// Registry is where packages are published.
type Registry struct {
	URL string `json:"url" rule:"required,url" doc:"Address of the registry."`
}

func (p *Dependency) check(d *decoder, a at) {
	if p.Name != "" && !isPackageName(p.Name) {
		d.error(a.find("name"), CodeInvalidName, lang.BundlePackageName.With(short(p.Name)), lang.BundleHintPackageName.With())
	}
}

func (p *PackageSpec) check(d *decoder, a at) {
	if _, ok := parseVersion(p.Version); p.Version != "" && !ok {
		d.error(a.find("version"), CodeSchemaInvalid, lang.BundleVersion.With(short(p.Version)), lang.BundleHintVersion.With())
	}
}

// Connector is a resource: a receiver of events. It is checked and not run.
type Connector struct {
	Meta
	Spec ConnectorSpec
	// Module is the connector's code.
	Module Module
}

// ConnectorSpec is the spec of a Connector.
type ConnectorSpec struct {
	Entry  string  `json:"entry" rule:"required" doc:"Module of the connector, relative to the bundle."`
	Events []Event `json:"events" rule:"required,min=1,unique=name" doc:"Events that the connector emits."`
}

// Event is an event of a Connector.
type Event struct {
	Name        string                   `json:"name" rule:"required" doc:"Name of the event."`
	Description string                   `json:"description" doc:"When it happens."`
	Properties  map[string]EventProperty `json:"properties" doc:"What it carries."`
}

// EventProperty is a property of an event.
type EventProperty struct {
	Type        string `json:"type" rule:"required,enum=string|number|integer|boolean" doc:"Type of the property."`
	Description string `json:"description" doc:"What the property means."`
	Optional    bool   `json:"optional" doc:"The property may be missing."`
}

func (c *Connector) complete(l *loader) {
	c.Module = l.module(c.Meta, c.Spec.Entry)
	l.reportNotRun(&c.Meta)
}

// reportNotRun reports that a resource is not run, so that owners of goondan bundles do
// not wait for its events.
func (l *loader) reportNotRun(m *Meta) {
	if m.Name != "" {
		l.add(m.place, SeverityInfo, CodeNotRun, lang.BundleNotRun.With(m.Identity()), lang.BundleHintNotRun.With())
	}
}

// Connection is a resource that binds a Connector to a Swarm. It is checked
// and not run.
type Connection struct {
	Meta
	Spec ConnectionSpec
}

// ConnectionSpec is the spec of a Connection.
type ConnectionSpec struct {
	ConnectorRef Ref                    `json:"connectorRef" rule:"required,kinds=Connector" doc:"The connector."`
	SwarmRef     *Ref                   `json:"swarmRef" rule:"kinds=Swarm" doc:"The swarm (default: the bundle's first)."`
	Config       map[string]ValueSource `json:"config" doc:"Settings of the connector."`
	Secrets      map[string]ValueSource `json:"secrets" doc:"Secrets of the connector."`
	Ingress      Ingress                `json:"ingress" doc:"Where events go."`
}

// Ingress is the routing of events.
type Ingress struct {
	Rules []IngressRule `json:"rules" doc:"The first rule that matches decides."`
}

// IngressRule sends matching events somewhere.
type IngressRule struct {
	Match *IngressMatch `json:"match" doc:"What the rule is for; without it, everything."`
	Route IngressRoute  `json:"route" rule:"required" doc:"Where the event goes."`
}

// IngressMatch selects events. All parts must hold.
type IngressMatch struct {
	Event      string                     `json:"event" rule:"nonempty" doc:"Name of the event."`
	Properties map[string]json.RawMessage `json:"properties" doc:"Values that properties must have."`
}

// IngressRoute is the place an event goes to.
type IngressRoute struct {
	AgentRef            *Ref   `json:"agentRef" rule:"kinds=Agent" doc:"The agent (default: the swarm's entry agent)."`
	InstanceKey         string `json:"instanceKey" rule:"nonempty" doc:"Key of the conversation."`
	InstanceKeyProperty string `json:"instanceKeyProperty" rule:"nonempty" doc:"Property of the event that holds the key."`
	InstanceKeyPrefix   string `json:"instanceKeyPrefix" doc:"Put before the value of the property."`
}

func (r *IngressRoute) check(d *decoder, a at) {
	d.notBoth(a, "instanceKey", "instanceKeyProperty")
	if r.InstanceKeyPrefix != "" && r.InstanceKeyProperty == "" {
		d.error(a.find("instanceKeyPrefix"), CodeSchemaInvalid, lang.BundleNeeds.With("instanceKeyPrefix", "instanceKeyProperty"), lang.BundleHintNeeds.With("instanceKeyProperty"))
	}
}

func (c *Connection) complete(l *loader) { l.reportNotRun(&c.Meta) }

func (c *Connection) resolved(l *loader, b *Bundle) {
	item, _ := b.Resolve(&c.Meta, c.Spec.ConnectorRef)
	connector, ok := item.(*Connector)
	if !ok {
		return
	}
	var names []string
	for _, e := range connector.Spec.Events {
		names = append(names, e.Name)
	}
	for i, rule := range c.Spec.Ingress.Rules {
		if rule.Match == nil || rule.Match.Event == "" || slices.Contains(names, rule.Match.Event) {
			continue
		}
		l.warn(c.spec.find("ingress", "rules", i, "match", "event"), CodeUnknownEvent, "",
			lang.BundleEvent.With(connector.Identity(), short(rule.Match.Event)), choose(rule.Match.Event, names))
	}
}
