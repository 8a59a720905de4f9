package jsbuild_test

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/gongu-ai/gongu/internal/jsbuild"
	"github.com/gongu-ai/gongu/internal/lang"
)

// tree writes files into a new directory.
func tree(t *testing.T, files map[string]string) string {
	t.Helper()
	root := t.TempDir()
	for name, text := range files {
		path := filepath.Join(root, filepath.FromSlash(name))
		if err := errors.Join(os.MkdirAll(filepath.Dir(path), 0o755), os.WriteFile(path, []byte(text), 0o644)); err != nil {
			t.Fatal(err)
		}
	}
	return root
}

// TestBundle: a module and its imports become one script with a map, for each
// target; what cannot be resolved is an Error with its position.
func TestBundle(t *testing.T) {
	root := tree(t, map[string]string{
		"index.ts":    "import { join } from 'node:path';\nimport { u } from './lib/util.js';\nexport const handlers = { run: (): string => join(u, 'x') };",
		"lib/util.ts": "export const u: string = 'util';",
		"package.ts":  "import lodash from 'lodash';\nexport const handlers = { run: () => lodash };",
		"missing.ts":  "import { nothing } from './lib/util';\nexport const handlers = { nothing };",
		"twice.ts":    "import a from './a';\nimport b from './b';\nexport const handlers = { a, b };",
	})
	for target, call := range map[jsbuild.Target]string{jsbuild.QuickJS: `__gongu_import("path")`, jsbuild.Node: `require("node:path")`} {
		got, err := jsbuild.Bundle(lang.English, root, "./index", target)
		if err != nil {
			t.Fatal(err)
		}
		if got.Entry != "index.ts" || !strings.Contains(got.Source, call) || strings.Contains(got.Source, ": string") || len(got.Map.JSON()) == 0 {
			t.Errorf("%d: %+v", target, got)
		}
		line := 1 + strings.Count(got.Source[:strings.Index(got.Source, "= \"util\"")], "\n")
		if at, ok := got.Map.Find(line, 5); !ok || at.File != "lib/util.ts" || at.Line != 1 {
			t.Errorf("%d: line %d is %v", target, line, at)
		}
	}
	if got, err := jsbuild.Bundle(lang.English, root, "package.ts", jsbuild.Node); err != nil || !strings.Contains(got.Source, `require("lodash")`) {
		t.Errorf("a package for node: %v", err)
	}
	for entry, want := range map[string]jsbuild.Error{
		"package.ts": {File: "package.ts", Line: 1, Column: 20, Reason: "lodash"},
		"missing.ts": {File: "missing.ts", Line: 1, Column: 10, Reason: "nothing"},
		"twice.ts":   {File: "twice.ts", Line: 1, Column: 15, Reason: "1 more", Others: 1},
		"none.ts":    {Reason: "no such file"},
		"../x.ts":    {Reason: "outside"},
	} {
		_, err := jsbuild.Bundle(lang.English, root, entry, jsbuild.QuickJS)
		got, ok := errors.AsType[*jsbuild.Error](err)
		if !ok {
			t.Errorf("%s: %v", entry, err)
			continue
		}
		if got.Path != entry || got.File != want.File || got.Line != want.Line || got.Column != want.Column || got.Others != want.Others || !strings.Contains(got.Reason, want.Reason) {
			t.Errorf("%s: %+v", entry, got)
		}
	}
	if entry, err := jsbuild.Entry(lang.English, root, "lib/../index"); err != nil || entry != "index.ts" {
		t.Errorf("%q, %v", entry, err)
	}
}

// TestCodeErrors: an error has the line of the code, whether or not the code
// has a return beside an await, which esbuild refuses at the top level.
func TestCodeErrors(t *testing.T) {
	for source, want := range map[string]jsbuild.CodeError{
		"const x = 1;\nfoo(":                     {Line: 2, Reason: "Unexpected end of file"},
		"await 1;\nreturn 2;\nlet y = ;":         {Line: 3, Reason: "Unexpected"},
		"import x from 'y';\nawait 1; return x;": {Line: 1, Reason: "import or export"},
	} {
		_, err := jsbuild.Code(lang.English, source, func(string) bool { return false })
		got, ok := errors.AsType[*jsbuild.CodeError](err)
		if !ok || got.Line != want.Line || !strings.Contains(got.Reason, want.Reason) {
			t.Errorf("%q: %v at %+v", source, err, got)
		}
	}
	got, err := jsbuild.Code(lang.English, "const x: number = await 1;\nreturn x;", func(string) bool { return true })
	if err != nil || !strings.Contains(got.Source, "__gongu_code = async () => {") || strings.Contains(got.Source, ": number") {
		t.Errorf("%+v, %v", got, err)
	}
}

// TestNesting: the guess is never below what a parser sees.
func TestNesting(t *testing.T) {
	for source, want := range map[string]int{"": 0, "f(a[b{c}])": 3, "!!!x": 3, "- - -x": 3, "a)))((": 2, "x+y-z": 1} {
		if got := jsbuild.Nesting([]byte(source)); got != want {
			t.Errorf("%q: %d, want %d", source, got, want)
		}
	}
}

// TestSourceMap: places are found back, the shim's are not.
func TestSourceMap(t *testing.T) {
	m := jsbuild.NewSourceMap([]byte(`{"sources":["bundle:a.ts","gongu:path"],"mappings":"AAAA,IAAM;ACEN;;ADDM"}`))
	for at, want := range map[[2]int]string{{2, 1}: "a.ts:1:1", {2, 4}: "a.ts:1:1", {2, 5}: "a.ts:1:7", {2, 99}: "a.ts:1:7", {3, 1}: "", {4, 1}: "", {5, 3}: "a.ts:2:7", {9, 1}: "", {1, 1}: "", {0, 0}: ""} {
		found, ok := m.Find(at[0], at[1])
		if ok != (want != "") || ok && found.String() != want {
			t.Errorf("%v: %v, want %q", at, found, want)
		}
	}
	if _, ok := (*jsbuild.SourceMap)(nil).Find(1, 1); ok {
		t.Error("no map knows a place")
	}
	broken := jsbuild.NewSourceMap([]byte("{"))
	if _, ok := broken.Find(2, 1); ok {
		t.Error("a broken map knows a place")
	}
}
