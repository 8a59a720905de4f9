package host

import (
	"github.com/gongu-ai/gongu"
	"github.com/gongu-ai/gongu/bundle"
)

// Definitions returns the tools of a bundle that its files define, without the
// tools of programs and servers. It runs nothing, and the tools have no handlers.
func Definitions(b *bundle.Bundle) []gongu.Tool {
	known := make(map[string]gongu.Tool)
	for resource, tools := range Builtins() {
		for _, t := range tools {
			_, export, _ := gongu.ParseName(t.Name)
			known[resource+" "+export] = t
		}
	}
	var all []gongu.Tool
	for _, resource := range b.Tools() {
		for _, t := range resource.Definitions() {
			_, export, _ := gongu.ParseName(t.Name)
			if native, ok := known[resource.Module.Builtin+" "+export]; ok {
				t = merge(t, native)
			}
			t.Invoke = nil
			all = append(all, t)
		}
	}
	for _, m := range b.Macros() {
		all = append(all, gongu.Tool{Name: m.Name, Description: m.Spec.Description, Domain: m.Spec.Domain, Source: approvedSource(m.Name), Labels: m.Labels})
	}
	return all
}
