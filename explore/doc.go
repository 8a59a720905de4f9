// Package explore has the discovery tools: with them a model lists and searches
// its tools, reads a schema, calls a tool by name, and asks for one that is
// missing. With these few declarations a model works with thousands of tools
// whose own declarations it never sees.
//
//	registry := gongu.NewRegistry(nil)
//	err := registry.Add(explore.Tools(nil)...)
//	explore.Declare(registry, nil)
//
// What a model sees here is the callable set of its own catalog and nothing
// else: names, counts, near names and search results of a tool outside it do
// not exist. A call made through [CallTool] or [RunCode] goes through the
// caller's executor under the inner tool's own name, with every guard,
// middleware and audit, as if the model had called the tool itself.
//
// An [Index] keeps what a search needs between the steps of an agent. It needs
// no care: it is built at the first search, follows a registry that changes,
// and forgets what was not used for long.
package explore
