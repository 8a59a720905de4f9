// Package gongu is the core of a tool system for LLM agents: a registry of all
// tools, a catalog of the tools that one step may call, and an executor that
// answers every call with a value the model can act on.
//
// A [Tool] is a definition with a handler. A [Registry] holds all tools. A
// [Catalog] selects the tools that one step can see and call; the executor
// enforces it. An [Executor] takes a [Call] through a fixed order of checks and
// returns a [Result]:
//
//	look up the name in the catalog
//	decode the arguments
//	run the middleware
//	freeze the arguments: nothing can change them from here on
//	run the guards, the schema first
//	run the handler
//	limit the size of the output
//
// A failing tool is a Result, never a Go error and never a panic. Go errors
// are for wiring, such as [Registry.Add]. The package does no I/O and keeps no
// global state: a registry is a value you pass.
package gongu
