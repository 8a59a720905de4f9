// Package script runs tools that are written in TypeScript or JavaScript.
//
//	engine := script.NewEngine(nil)
//	defer engine.Close()
//	module, err := engine.Load(ctx, "bundle", "tools/bash/index.ts")
//	invoke, err := module.Invoke("exec")
//
// A module exports handlers, an object of functions (ctx, input) that return a
// value or a promise of one. [Engine.Load] bundles it with internal/jsbuild,
// which removes the types, and compiles it; QuickJS runs it in this process.
// docs/script-api.md lists what a module may import and use. Files, processes
// and requests of a script pass the same guards as those of the built-in tools.
//
// # Calls
//
// Each module has a pool of VMs, which are created on demand. A VM serves one
// call at a time. Module-level variables live in one VM, and the next call may
// get the same VM, another one or a new one. A handler must not rely on either.
//
// # Extensions
//
// [Engine.LoadExtension] loads a module that exports register(api, config). It
// has one VM, in which all its calls run interleaved. [Extension] describes what
// happens when a call breaks the VM.
//
// # Limits
//
// A call has limits of time, memory, depth, output and concurrent operations.
// After a timeout, a memory error or a panic its VM is closed. A VM that is
// inside one long operation of the engine cannot be stopped. It is then lost: its
// call is answered, but the VM keeps a core busy until the operation returns.
// With [Options.Child] its module runs in a child process from then on, and after
// the second loss all modules do. Without it, the engine refuses calls while two
// lost VMs are running; see [Stats].
//
// # Processes
//
// [Engine.LoadIn] runs a module in a child process: in one of this program, which
// calls [ChildMain], or in bun or node. [Code] runs source that a model has
// written, each piece in its own process, where it can use nothing but tools.
//
// The limits protect against mistakes, not against an attacker: a script may run
// programs, and a bug of the engine affects the whole process.
package script
