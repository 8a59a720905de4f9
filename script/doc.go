// Package script runs tools that are written in TypeScript or JavaScript, in
// this process.
//
//	engine := script.NewEngine(nil)
//	defer engine.Close()
//	module, err := engine.Load(ctx, "bundle", "tools/bash/index.ts")
//	invoke, err := module.Invoke("exec")
//
// A module exports handlers, an object of functions (ctx, input) that return a
// value or a promise of one. [Engine.Load] bundles it with esbuild, which takes
// the types away, and compiles it; QuickJS runs it. What a module may import
// and use is listed in docs/script-api.md. Files, processes and requests of a
// script go through the same guards as those of the built-in tools.
//
// # Calls
//
// Each module has VMs of its own, which are made when they are needed. A VM
// serves one call at a time. What a module keeps in its own variables stays in
// one VM: the next call may meet it, another VM, or a new one. A handler must
// not count on either.
//
// # Extensions
//
// [Engine.LoadExtension] loads a module that exports register(api, config). It
// has one VM, in which all its calls run interleaved; see [Extension] for what
// happens when one of them breaks it.
//
// # Limits
//
// A call is bounded in time, memory, depth, output and work in flight. After a
// timeout, a memory error or a panic its VM is thrown away. A VM that does not
// stop, because it is inside one long operation of the engine that cannot be
// interrupted, is lost: its call is answered all the same, and it burns a core
// until it returns. With [Options.Child] its module runs in a process of its
// own from then on, and after the second loss all modules do. Without it, the
// engine answers no call while two of them burn; see [Stats].
//
// # Processes
//
// [Engine.LoadIn] runs a module in a child process: in one of this program,
// which calls [ChildMain], or in bun or node. [Code] runs source that a model
// has written, each piece in a process of its own, with nothing to reach but
// tools.
//
// This bounds mistakes. It is no wall against an attacker: a script may run
// programs, and a fault of the engine is a fault of this process.
package script
