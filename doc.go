// Package gongu is the heart of a tool system for LLM agents: one registry of
// everything an agent can do, a catalog of what it may do in this step, and an
// executor that always answers with a value the model can act on.
//
// Three parts are kept apart. A [Tool] is a definition with a handler. A
// [Registry] holds all of them. A [Catalog] is what one step may see and call;
// it is enforced at dispatch. An [Executor] takes a [Call] through a fixed
// order of checks and returns a [Result]:
//
//	name, catalog, arguments decoded, middleware, the bytes frozen,
//	guards (schema first), the handler, the output cap
//
// A failing tool is a Result, never a Go error and never a panic. Go errors
// are for wiring, such as [Registry.Add]. The package does no I/O and keeps no
// global state: a registry is a value you pass.
package gongu
