package bundle_test

import (
	"fmt"

	"github.com/gongu-ai/gongu/bundle"
)

func ExampleLoad() {
	b, problems := bundle.Load("testdata/seed001-4.1", nil)
	for _, p := range problems {
		fmt.Println(p.Severity, p)
	}
	for _, tool := range b.Tools() {
		for _, def := range tool.Definitions() {
			fmt.Println(def.Name, def.Limits.ErrorMessage)
		}
	}
	// Output:
	// warning goondan.yaml:1:1: the bundle has no Swarm (W_CONFIG_NO_SWARM)
	// bash__exec 1200
	// bash__script 1200
}

func ExampleParseRef() {
	ref, err := bundle.ParseRef("Tool/bash")
	fmt.Println(ref.Kind, ref.Name, err)
	_, err = bundle.ParseRef("bash")
	fmt.Println(err)
	// Output:
	// Tool bash <nil>
	// reference "bash" has no slash: write Kind/name
}
