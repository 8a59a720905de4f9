package script

import (
	"fmt"
	"path"
	"regexp"
	"strings"
	"sync"

	"github.com/evanw/esbuild/pkg/api"

	"github.com/gongu-ai/gongu/internal/lang"
)

// The name spaces of files and of the modules that the shim has. Neither is
// that of esbuild itself, so it never looks for a file on its own: no
// tsconfig.json, package.json or node_modules of anybody counts.
const (
	spaceFile   = "bundle"
	spaceShim   = "gongu"
	spaceCommon = "common" // the same for require
	spaceTypes  = "types"
	moduleStart = "\n" // so that line 1 is the shim's alone
)

// built is a module as one script.
type built struct {
	source string
	lines  *sourceMap
	entry  string
}

// build bundles a module and everything it imports.
func build(l lang.Lang, dir, name string) (*built, error) { return buildFor(l, dir, name, false) }

// buildFor bundles a module for the embedded engine, or for node: then what is
// not part of the bundle stays for node to find.
func buildFor(l lang.Lang, dir, name string, node bool) (*built, error) {
	files, err := openSources(l, dir)
	if err != nil {
		return nil, &LoadError{Path: name, Reason: err.Error()}
	}
	defer files.close()
	entry, err := files.entry(name)
	if err != nil {
		return nil, &LoadError{Path: name, Reason: err.Error()}
	}
	options := api.BuildOptions{
		EntryPoints:    []string{entry},
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
		Plugins:        []api.Plugin{{Name: "gongu", Setup: func(b api.PluginBuild) { (&resolver{files: files, entry: entry, node: node}).setup(b) }}},
		// A member that a module does not have is found when it is named.
		LogOverride: map[string]api.LogLevel{"import-is-undefined": api.LogLevelError},
	}
	if node {
		options.Format, options.GlobalName, options.Platform = api.FormatCommonJS, "", api.PlatformNode
	}
	result := api.Build(options)
	if len(result.Errors) > 0 {
		return nil, buildError(l, entry, result.Errors)
	}
	out := &built{entry: entry}
	for _, file := range result.OutputFiles {
		if strings.HasSuffix(file.Path, ".map") {
			out.lines = &sourceMap{raw: file.Contents}
		} else {
			out.source = moduleStart + string(file.Contents)
		}
	}
	return out, nil
}

// resolver answers every import of a module.
type resolver struct {
	mu    sync.Mutex
	files *sources
	entry string
	node  bool
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
	if bare, ok := importable(name); ok && !r.node {
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
	case r.node:
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

// loadShim is a module of the shim with its names spelled out, so that a name
// it does not have is an error of the build.
func loadShim(args api.OnLoadArgs) (api.OnLoadResult, error) {
	var b strings.Builder
	fmt.Fprintf(&b, "const m = __gongu_import(%[1]q);\nexport default __gongu_guarded(%[1]q);\n", args.Path)
	for _, name := range moduleNames()[args.Path] {
		fmt.Fprintf(&b, "export const %s = m.%s;\n", name, name)
	}
	return api.OnLoadResult{Contents: new(b.String()), Loader: api.LoaderJS}, nil
}

// loadCommon is a module of the shim for require, whose names are only known
// when it runs.
func loadCommon(args api.OnLoadArgs) (api.OnLoadResult, error) {
	text := fmt.Sprintf("module.exports = __gongu_guarded(%q);", args.Path)
	return api.OnLoadResult{Contents: &text, Loader: api.LoaderJS}, nil
}

// noExport is esbuild's word for a name that a module does not have.
var noExport = regexp.MustCompile(`^No matching export in "(\w+):([^"]*)" for import "([^"]*)"$`)

// noMember is its word for the same with import * as m.
var noMember = regexp.MustCompile(`^Import "([^"]*)" will always be undefined because there is no matching export in "(\w+):([^"]*)"$`)

// buildError words the first problem, with its place, and counts the others.
func buildError(l lang.Lang, entry string, problems []api.Message) error {
	first := problems[0]
	out := &LoadError{Path: entry, Reason: first.Text, Others: len(problems) - 1}
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
			out.Reason = lang.ScriptNoExport.In(l, "node:"+m[2], m[3], nearestMember("node:"+m[2], m[3]))
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
