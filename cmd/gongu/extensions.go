package main

import "github.com/gongu-ai/gongu/agent"

// knownExtension says which extensions builtin:NAME may name in a bundle that
// this program opens.
func knownExtension(name string) bool {
	_, ok := agent.BaseExtension(name)
	return ok
}
