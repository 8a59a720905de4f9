// Package jsbuild prepares TypeScript and JavaScript for an engine, and is the
// only package that uses esbuild.
//
// [Bundle] turns a module and its imports into one [Script]; [Code] does the
// same for the body of a function. The [SourceMap] of a script translates
// positions and stacks of the engine into files and lines of the author.
// [Typings] declares tools in TypeScript. The package runs nothing: package
// script does.
package jsbuild
