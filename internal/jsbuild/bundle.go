package jsbuild

import (
	"errors"
	"fmt"
	"maps"
	"path"
	"regexp"
	"slices"
	"strings"
	"sync"

	"github.com/evanw/esbuild/pkg/api"

	"github.com/gongu-ai/gongu/internal/lang"
)

// Namespaces of the modules that the resolver returns. None of them is
// esbuild's own namespace "file", so esbuild never searches the disk itself and
// no tsconfig.json, package.json or node_modules has any effect.
const (
	spaceFile   = "bundle" // files of the module
	spaceShim   = "gongu"  // modules of the shim, for import
	spaceCommon = "common" // modules of the shim, for require
	spaceTypes  = "types"  // packages that only have types
)

// scriptPrefix starts every script. The shim is a single line, so a position in
// line 1 always belongs to the shim and never to a module.
const scriptPrefix = "\n"

// Target is the engine that a module is bundled for.
type Target int

const (
	// QuickJS resolves every import: to a file of the module or to the shim.
	QuickJS Target = iota
	// Node does not bundle packages: node resolves them at run time.
	Node
)

// Script is a module and everything it imports as one script.
type Script struct {
	// Entry is the path of the module from its root, with slashes.
	Entry  string
	Source string
	Map    *SourceMap
}

// Error reports why a module cannot be bundled or loaded, and where.
type Error struct {
	// Path is the module, from its root.
	Path string
	// File, Line and Column are the position, from 1. File is a path from the
	// root, or empty when the position is unknown.
	File         string
	Line, Column int
	// Reason is the problem, without the position.
	Reason string
	// Others is the number of further problems.
	Others int
}

func (e *Error) Error() string {
	if e.File == "" {
		return e.Path + ": " + e.Reason
	}
	return Position{e.File, e.Line, e.Column}.String() + ": " + e.Reason
}

// Bundle bundles the module at name, relative to dir, with everything it
// imports. The error is an [Error].
func Bundle(l lang.Lang, dir, name string, target Target) (*Script, error) {
	f, entry, err := openEntry(l, dir, name)
	if err != nil {
		return nil, err
	}
	defer f.close()
	result := api.Build(buildOptions(&resolver{files: f, entry: entry, target: target}))
	if len(result.Errors) > 0 {
		return nil, buildError(l, entry, result.Errors)
	}
	out := &Script{Entry: entry}
	for _, file := range result.OutputFiles {
		if strings.HasSuffix(file.Path, ".map") {
			out.Map = NewSourceMap(file.Contents)
		} else {
			out.Source = scriptPrefix + string(file.Contents)
		}
	}
	return out, nil
}

// Inputs returns the files of the module at name, relative to dir: its own and
// those it imports, by their paths from dir, sorted. Of a module that cannot be
// bundled it returns what was read until then.
func Inputs(dir, name string, target Target) ([]string, error) {
	f, entry, err := openEntry(lang.English, dir, name)
	if err != nil {
		return nil, err
	}
	defer f.close()
	r := &resolver{files: f, entry: entry, target: target, read: map[string]bool{entry: true}}
	options := buildOptions(r)
	options.Sourcemap, options.SourcesContent = api.SourceMapNone, api.SourcesContentInclude
	api.Build(options)
	return slices.Sorted(maps.Keys(r.read)), nil
}

// Entry returns the path of a module from its root without reading it, for a
// runtime that bundles the module itself. The error is an [Error].
func Entry(l lang.Lang, dir, name string) (string, error) {
	f, entry, err := openEntry(l, dir, name)
	if err != nil {
		return "", err
	}
	f.close()
	return entry, nil
}

// Minify removes the white space of a script, which puts it on one line unless
// it has template literals.
func Minify(source string) (string, error) {
	result := api.Transform(source, api.TransformOptions{MinifyWhitespace: true, Target: api.ES2022, Charset: api.CharsetUTF8})
	if len(result.Errors) > 0 {
		return "", errors.New(result.Errors[0].Text)
	}
	return strings.TrimSpace(string(result.Code)), nil
}

func buildOptions(r *resolver) api.BuildOptions {
	options := api.BuildOptions{
		EntryPoints:    []string{r.entry},
		Bundle:         true,
		Format:         api.FormatIIFE,
		GlobalName:     "__gongu_module",
		Target:         api.ES2022,
		Platform:       api.PlatformNeutral,
		Sourcemap:      api.SourceMapExternal,
		SourcesContent: api.SourcesContentExclude,
		LogLevel:       api.LogLevelSilent,
		TsconfigRaw:    "{}",
		Outfile:        "module.js",
		Charset:        api.CharsetUTF8,
		Plugins:        []api.Plugin{{Name: "gongu", Setup: r.setup}},
		// Reports a missing member of a namespace import (import * as m).
		LogOverride: map[string]api.LogLevel{"import-is-undefined": api.LogLevelError},
	}
	if r.target == Node {
		options.Format, options.GlobalName, options.Platform = api.FormatCommonJS, "", api.PlatformNode
	}
	return options
}

// resolver resolves and loads every import of a module. esbuild calls it from
// several goroutines.
type resolver struct {
	mu     sync.Mutex
	files  *files
	entry  string
	target Target
	read   map[string]bool // the files, when they are wanted
}

func (r *resolver) setup(b api.PluginBuild) {
	b.OnResolve(api.OnResolveOptions{Filter: ".*"}, r.resolve)
	b.OnLoad(api.OnLoadOptions{Filter: ".*", Namespace: spaceFile}, r.load)
	b.OnLoad(api.OnLoadOptions{Filter: ".*", Namespace: spaceShim}, loadShim)
	b.OnLoad(api.OnLoadOptions{Filter: ".*", Namespace: spaceCommon}, loadCommon)
	b.OnLoad(api.OnLoadOptions{Filter: ".*", Namespace: spaceTypes}, func(api.OnLoadArgs) (api.OnLoadResult, error) {
		return api.OnLoadResult{Contents: new("export {};"), Loader: api.LoaderJS}, nil
	})
}

func (r *resolver) resolve(args api.OnResolveArgs) (api.OnResolveResult, error) {
	r.mu.Lock()
	defer r.mu.Unlock()
	name := args.Path
	if args.Kind == api.ResolveEntryPoint {
		return api.OnResolveResult{Path: r.entry, Namespace: spaceFile}, nil
	}
	l := r.files.lang
	if bare, ok := importable(name); ok && r.target == QuickJS {
		if args.Kind == api.ResolveJSRequireCall {
			return api.OnResolveResult{Path: bare, Namespace: spaceCommon}, nil
		}
		return api.OnResolveResult{Path: bare, Namespace: spaceShim}, nil
	}
	switch {
	case strings.HasPrefix(name, "@goondan/"):
		if args.Kind == api.ResolveJSImportStatement {
			return api.OnResolveResult{Path: name, Namespace: spaceTypes}, nil
		}
		return refuse(lang.ScriptTypesOnly.In(l, name))
	case name == "." || name == ".." || strings.HasPrefix(name, "./") || strings.HasPrefix(name, "../"):
		found, err := r.files.relative(args.Importer, name)
		if err != nil {
			return refuse(err.Error())
		}
		return api.OnResolveResult{Path: found, Namespace: spaceFile}, nil
	case path.IsAbs(name) || strings.HasPrefix(name, "file:") || isDrive(name):
		return refuse(lang.ScriptAbsolute.In(l, name))
	case r.target == Node:
		return api.OnResolveResult{Path: name, External: true}, nil
	}
	return refuse(lang.ScriptNoModule.In(l, name, nearestImport(name)))
}

func isDrive(name string) bool {
	return len(name) > 2 && name[1] == ':' && (name[2] == '\\' || name[2] == '/')
}

func refuse(why string) (api.OnResolveResult, error) {
	return api.OnResolveResult{Errors: []api.Message{{Text: why}}}, nil
}

func (r *resolver) load(args api.OnLoadArgs) (api.OnLoadResult, error) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.read != nil {
		r.read[args.Path] = true
	}
	loader, ok := loaders()[path.Ext(args.Path)]
	if !ok {
		return api.OnLoadResult{Errors: []api.Message{{Text: lang.ScriptKind.In(r.files.lang, args.Path)}}}, nil
	}
	text, err := r.files.read(args.Path)
	if err != nil {
		return api.OnLoadResult{Errors: []api.Message{{Text: err.Error()}}}, nil
	}
	return api.OnLoadResult{Contents: &text, Loader: loader}, nil
}

func loaders() map[string]api.Loader {
	return map[string]api.Loader{
		".ts": api.LoaderTS, ".mts": api.LoaderTS, ".cts": api.LoaderTS, ".tsx": api.LoaderTSX,
		".js": api.LoaderJS, ".mjs": api.LoaderJS, ".cjs": api.LoaderJS, ".jsx": api.LoaderJSX,
		".json": api.LoaderJSON,
	}
}

// loadShim exports each name of a shim module explicitly, so that importing a
// name it does not have is a build error.
func loadShim(args api.OnLoadArgs) (api.OnLoadResult, error) {
	var b strings.Builder
	fmt.Fprintf(&b, "const m = __gongu_import(%[1]q);\nexport default __gongu_guarded(%[1]q);\n", args.Path)
	for _, name := range ModuleNames()[args.Path] {
		fmt.Fprintf(&b, "export const %s = m.%s;\n", name, name)
	}
	return api.OnLoadResult{Contents: new(b.String()), Loader: api.LoaderJS}, nil
}

// loadCommon returns a shim module for require. The names that are read from it
// are only known when it runs, so the shim checks them.
func loadCommon(args api.OnLoadArgs) (api.OnLoadResult, error) {
	text := fmt.Sprintf("module.exports = __gongu_guarded(%q);", args.Path)
	return api.OnLoadResult{Contents: &text, Loader: api.LoaderJS}, nil
}

// noExport and noMember match esbuild's messages for a name that a module does
// not export, in import { name } and in import * as m.
var (
	noExport = regexp.MustCompile(`^No matching export in "(\w+):([^"]*)" for import "([^"]*)"$`)
	noMember = regexp.MustCompile(`^Import "([^"]*)" will always be undefined because there is no matching export in "(\w+):([^"]*)"$`)
)

// buildError reports the first problem with its position, and counts the others.
func buildError(l lang.Lang, entry string, problems []api.Message) error {
	first := problems[0]
	out := &Error{Path: entry, Reason: first.Text, Others: len(problems) - 1}
	if at := first.Location; at != nil {
		out.File, out.Line, out.Column = strings.TrimPrefix(at.File, spaceFile+":"), at.Line, at.Column+1
	}
	m := noExport.FindStringSubmatch(first.Text)
	if other := noMember.FindStringSubmatch(first.Text); other != nil {
		m = []string{other[0], other[2], other[3], other[1]}
	}
	if m != nil {
		switch m[1] {
		case spaceShim:
			out.Reason = lang.ScriptNoExport.In(l, "node:"+m[2], m[3], NearestMember("node:"+m[2], m[3]))
		case spaceTypes:
			out.Reason = lang.ScriptTypesOnly.In(l, m[2])
		default:
			out.Reason = strings.Replace(first.Text, spaceFile+":", "", 1)
		}
	}
	if out.Others > 0 {
		out.Reason = lang.ScriptLoadProblems.In(l, out.Reason, out.Others)
	}
	return out
}
