package main

import (
	"slices"

	"github.com/gongu-ai/gongu/host"
)

// knownExtension says which extensions builtin:NAME may name in a bundle that
// this program opens.
func knownExtension(name string) bool { return slices.Contains(host.BaseExtensions(), name) }
