package bundle

import (
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"

	"go.yaml.in/yaml/v3"

	"github.com/gongu-ai/gongu/internal/lang"
)

// Ref names another resource. In YAML it is Kind/name, an object with kind,
// name and perhaps package, or an object with one of these under ref.
type Ref struct {
	Kind, Name string
	// Package limits where the resource is looked for.
	Package    string
	APIVersion string
	// At is where the reference is written.
	At Position
}

// String prints the reference as Kind/name.
func (r Ref) String() string {
	if r.Package != "" {
		return r.Kind + "/" + r.Name + " (" + r.Package + ")"
	}
	return r.Kind + "/" + r.Name
}

// ParseRef reads Kind/name: one slash, and something on both sides.
func ParseRef(text string) (Ref, error) {
	kind, name, ok := strings.Cut(text, "/")
	switch {
	case !ok:
		return Ref{}, fmt.Errorf("reference %q has no slash: write Kind/name", short(text))
	case strings.Contains(name, "/"):
		return Ref{}, fmt.Errorf("reference %q has more than one slash: write Kind/name", short(text))
	case strings.TrimSpace(kind) == "" || strings.TrimSpace(name) == "":
		return Ref{}, fmt.Errorf("reference %q lacks a kind or a name: write Kind/name", short(text))
	}
	if _, ok := kindNamed(kind); !ok {
		return Ref{}, fmt.Errorf("reference %q has an unknown kind %q", short(text), short(kind))
	}
	return Ref{Kind: kind, Name: name}, nil
}

// ExtensionRef is a reference to an Extension, with settings.
type ExtensionRef struct {
	Ref
	// Config overrides the extension's, key by key.
	Config json.RawMessage
}

// pendingRef waits until all resources are known.
type pendingRef struct {
	owner *Meta
	at    at
	ref   Ref
	kinds []string
}

func (r *Ref) fromNode(d *decoder, a at, rules rules) {
	d.reference(a, r, rules.kinds)
}

func (r *ExtensionRef) fromNode(d *decoder, a at, rules rules) {
	d.reference(a, &r.Ref, rules.kinds, "config")
	config := field(a.node, "config")
	if config == nil {
		return
	}
	place := a.key("config", config)
	if d.expect(place, kindObject) {
		r.Config = appendJSON(nil, config)
		d.innerRefs(place)
	}
}

// reference reads any form of a reference and remembers it. The extra names
// are further fields that are allowed.
func (d *decoder) reference(a at, out *Ref, kinds []string, extra ...string) {
	*out = Ref{}
	if d.readRef(a, out, kinds, extra, true) {
		out.At = a.position()
		d.refs = append(d.refs, pendingRef{owner: d.owner, at: a, ref: *out, kinds: kinds})
	}
}

func (d *decoder) readRef(a at, out *Ref, kinds, extra []string, outer bool) bool {
	n := a.value()
	switch kindOf(n) {
	case kindString:
		return d.textRef(a, n.Value, out, kinds)
	case kindObject:
		if nested := field(n, "ref"); nested != nil && outer {
			if !d.onlyFields(a, append([]string{"ref"}, extra...)) {
				return false
			}
			return d.readRef(a.key("ref", nested), out, kinds, nil, false)
		}
		return d.objectRef(a, out, kinds, extra)
	}
	d.error(a, CodeInvalidRef, lang.BundleRefType.With(kindOf(n)), hintForm(kinds))
	return false
}

func (d *decoder) textRef(a at, text string, out *Ref, kinds []string) bool {
	ref, err := ParseRef(text)
	if err == nil {
		*out = ref
		return true
	}
	if d.full() {
		d.more++
		return false
	}
	kind, _, slash := strings.Cut(text, "/")
	switch {
	case !slash && text != "" && len(kinds) > 0:
		d.error(a, CodeInvalidRef, lang.BundleRefForm.With(short(text)), lang.BundleHintRefText.With(kinds[0]+"/"+short(text)))
	case slash && strings.Count(text, "/") == 1 && strings.TrimSpace(kind) != "" && text != kind+"/":
		d.error(a, CodeInvalidRef, lang.BundleRefKind.With(short(text)), choose(kind, firstSet(kinds, kindNames())))
	default:
		d.error(a, CodeInvalidRef, lang.BundleRefForm.With(short(text)), hintForm(kinds))
	}
	return false
}

func (d *decoder) objectRef(a at, out *Ref, kinds, extra []string) bool {
	n := a.value()
	if field(n, "selector") != nil || field(n, "overrides") != nil {
		d.error(a, CodeInvalidRef, lang.BundleSelector.With(), hintForm(kinds))
		return false
	}
	if !d.onlyFields(a, append([]string{"kind", "name", "package", "apiVersion"}, extra...)) {
		return false
	}
	for _, part := range []struct {
		name   string
		target *string
	}{{"kind", &out.Kind}, {"name", &out.Name}, {"package", &out.Package}, {"apiVersion", &out.APIVersion}} {
		value := field(n, part.name)
		if value == nil {
			continue
		}
		if kindOf(value) != kindString || deref(value).Value == "" {
			d.error(a.key(part.name, value), CodeInvalidRef, lang.BundleRefField.With(part.name), hintForm(kinds))
			return false
		}
		*part.target = deref(value).Value
	}
	switch {
	case out.Kind == "" || out.Name == "":
		d.error(a, CodeInvalidRef, lang.BundleRefParts.With(), hintForm(kinds))
		return false
	case out.APIVersion != "" && !knownAPIVersion(out.APIVersion):
		d.error(a.find("apiVersion"), CodeUnsupportedAPIVersion, lang.BundleAPIVersion.With(short(out.APIVersion)), choose(out.APIVersion, apiVersions()))
		return false
	}
	if _, ok := kindNamed(out.Kind); !ok {
		d.error(a.find("kind"), CodeInvalidRef, lang.BundleRefKind.With(short(out.Kind+"/"+out.Name)), choose(out.Kind, firstSet(kinds, kindNames())))
		return false
	}
	return true
}

// onlyFields refuses fields that a reference does not have.
func (d *decoder) onlyFields(a at, names []string) bool {
	n := a.value()
	good := true
	for i := 0; i+1 < len(n.Content); i += 2 {
		name := deref(n.Content[i]).Value
		if slices.Contains(names, name) {
			continue
		}
		good = false
		if name == "selector" || name == "overrides" {
			d.error(a, CodeInvalidRef, lang.BundleSelector.With(), hintForm(nil))
			return false
		}
		d.error(a.key(name, n.Content[i]), CodeInvalidRef, lang.BundleUnknownField.With(short(name)), choose(name, names))
	}
	return good
}

// hintForm shows how a reference of these kinds is written.
func hintForm(kinds []string) lang.Message {
	kind := "Tool"
	if len(kinds) > 0 {
		kind = kinds[0]
	}
	return lang.BundleHintRef.With(kind)
}

func firstSet(lists ...[]string) []string {
	for _, list := range lists {
		if len(list) > 0 {
			return list
		}
	}
	return nil
}

// innerRefs checks the references inside of free-form settings: fields called
// ref, or ending in Ref. Two such fields hold something else.
func (d *decoder) innerRefs(a at) {
	n := a.value()
	if n.Kind == yaml.SequenceNode {
		for i, child := range n.Content {
			d.innerRefs(a.index(i, child))
		}
		return
	}
	if n.Kind != yaml.MappingNode {
		return
	}
	for i := 0; i+1 < len(n.Content); i += 2 {
		name, child := deref(n.Content[i]).Value, n.Content[i+1]
		place := a.key(name, child)
		switch {
		case name == "secretRef" || name == "systemRef":
		case (name == "ref" || strings.HasSuffix(name, "Ref")) && kindOf(child) != kindNull:
			var ref Ref
			d.reference(place, &ref, nil)
		default:
			d.innerRefs(place)
		}
	}
}

var (
	errNotFound  = errors.New("no such resource")
	errAmbiguous = errors.New("several packages have it")
)
