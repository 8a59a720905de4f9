package script_test

import (
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"

	"github.com/gongu-ai/gongu/script"
)

const fine = "export const handlers = { run: () => 'fine' };"

// TestImports: what a module may import, and that nothing else is.
func TestImports(t *testing.T) {
	e := newEngine(t, script.Options{})
	files := map[string]string{
		"lib/util.ts":       "export const u = 'util';",
		"lib/old.js":        "module.exports = { old: 'cjs' };",
		"lib/dir/index.mts": "export default 'dir';",
		"lib/data.json":     `{"a":[1,2]}`,
		"..data/x.ts":       "export const d = 'dots';",
	}
	for name, tc := range map[string][2]string{
		"no extension":  {"import { u } from './lib/util'; export const handlers = { run: () => u };", `"util"`},
		"js for ts":     {"import { u } from './lib/util.js'; export const handlers = { run: () => u };", `"util"`},
		"common js":     {"import { old } from './lib/old'; export const handlers = { run: () => old };", `"cjs"`},
		"require":       {"const { u } = require('./lib/util.ts'); export const handlers = { run: () => u };", `"util"`},
		"index":         {"import d from './lib/dir'; export const handlers = { run: () => d };", `"dir"`},
		"json":          {"import d from './lib/data.json'; export const handlers = { run: () => d.a };", `[1,2]`},
		"dynamic":       {"export const handlers = { run: async () => (await import('./lib/util')).u };", `"util"`},
		"dots in names": {"import { d } from './..data/x'; export const handlers = { run: () => d };", `"dots"`},
		"types vanish":  {"import type { T } from '@goondan/core'; import { U } from '@goondan/types'; const x: U | T = 1 as any; export const handlers = { run: () => x };", `1`},
		"effects":       {"import '@goondan/core'; " + fine, `"fine"`},
		"node prefix":   {"import { sep } from 'node:path'; import { EOL } from 'os'; export const handlers = { run: () => sep + EOL };", `"/\n"`},
		"default":       {"import path from 'path'; import * as all from 'node:path'; export const handlers = { run: () => path.join('a', all.basename('x/b')) };", `"a/b"`},
	} {
		t.Run(name, func(t *testing.T) {
			all := map[string]string{"index.ts": tc[0]}
			for file, text := range files {
				all[file] = text
			}
			m, err := e.Load(t.Context(), tree(t, all), "./index.ts")
			if err != nil {
				t.Fatal(err)
			}
			wantText(t, output(t, m, "run", `{}`), tc[1])
		})
	}
}

// TestT2_RefusedImports: the error has the place, the import and a near one.
func TestT2_RefusedImports(t *testing.T) {
	e := newEngine(t, script.Options{})
	for source, parts := range map[string][]string{
		"import x from 'lodash';x;":                       {`"lodash"`, "node:path", "tools/index.ts:2:"},
		"import fs from 'fs';fs;":                         {`"fs"`, "Nearest: node:fs/promises"},
		"import fs from 'node:fs';fs;":                    {`"node:fs"`, "Nearest: node:fs/promises"},
		"import c from 'node:cripto';c;":                  {"Nearest: node:crypto"},
		"import { watch } from 'node:fs/promises';watch;": {"node:fs/promises", `"watch"`, "Nearest:"},
		"import { radFile } from 'fs/promises';radFile;":  {`"radFile"`, "node:fs/promises.readFile", "tools/index.ts:2:"},
		"import * as fs from 'fs/promises';fs.radFile();": {`"radFile"`, "node:fs/promises.readFile", "tools/index.ts:2:"},
		"import { u } from '../../outside';u;":            {"../../outside", "outside of the bundle"},
		"import { u } from '/etc/passwd';u;":              {"/etc/passwd", "absolute"},
		"import { u } from 'file:///etc/passwd';u;":       {"absolute"},
		"import { u } from 'C:/x.ts';u;":                  {"absolute"},
		"import { u } from './none';u;":                   {"./none", "no such file"},
		"import { u } from './lib';u;":                    {"./lib", "no such file"},
		"import { nope } from './lib/util';nope;":         {`"nope"`, "tools/lib/util.ts"},
		"import x from './lib/style.css';x;":              {"style.css", "cannot be imported"},
		"const x = require('left-pad');x;":                {"left-pad"},
		"import { T } from '@goondan/core'; T();":         {"@goondan/core", "types only"},
		"import 'https://x.test/a.js';":                   {"https://x.test/a.js"},
		"let x: = 1;":                                     {"tools/index.ts:2:8"},
		"const x = await fetch('https://x.test');x;":      {"tools/index.ts:2:", "await"},
		"throw new Error('at load');":                     {"at load", "tools/index.ts:2:"},
		"null.x;":                                         {"TypeError", "tools/index.ts:2:"},
	} {
		t.Run(source, func(t *testing.T) {
			root := tree(t, map[string]string{
				"tools/index.ts":      "// first line\n" + source + "\n" + fine,
				"tools/lib/util.ts":   "export const u = 1;",
				"tools/lib/style.css": "a{}",
			})
			_, err := e.Load(t.Context(), root, "tools/index.ts")
			if _, ok := isLoadError(err); !ok {
				t.Fatalf("%T %v", err, err)
			}
			wantPart(t, err.Error(), parts...)
		})
	}
}

// TestLoadIsBounded: a module that does not end is refused, and the engine
// works on.
func TestLoadIsBounded(t *testing.T) {
	e := newEngine(t, script.Options{})
	_, err := e.Load(t.Context(), tree(t, map[string]string{"index.ts": "for(;;){}\n" + fine}), "index.ts")
	if _, ok := isLoadError(err); !ok || !strings.Contains(err.Error(), "did not finish") {
		t.Errorf("%v", err)
	}
	small := newEngine(t, script.Options{Memory: 2 << 20})
	_, err = small.Load(t.Context(), tree(t, map[string]string{"index.ts": "const a = []; for (;;) a.push('x'.repeat(9000) + a.length);\n" + fine}), "index.ts")
	if _, ok := isLoadError(err); !ok || !strings.Contains(err.Error(), "more than 2097152 bytes") {
		t.Errorf("%v", err)
	}
	wantText(t, output(t, load(t, e, fine), "run", `{}`), `"fine"`)
}

// TestWorkAtLoad: what a module starts while it loads would belong to no call.
func TestWorkAtLoad(t *testing.T) {
	e := newEngine(t, script.Options{})
	for _, source := range []string{"setInterval(() => {}, 10);", "setTimeout(() => {}, 10);"} {
		_, err := e.Load(t.Context(), tree(t, map[string]string{"index.ts": source + fine}), "index.ts")
		if err == nil || !strings.Contains(err.Error(), "inside a handler") {
			t.Errorf("%s: %v", source, err)
		}
	}
}

// TestEntries: the entry itself stays inside of the root.
func TestEntries(t *testing.T) {
	root := tree(t, map[string]string{"in/index.ts": fine, "outside.ts": fine, "in/readme.md": "", "in/dir/x.ts": fine})
	e := newEngine(t, script.Options{})
	inside := filepath.Join(root, "in")
	for _, entry := range []string{"index.ts", "./index.ts", "dir/../index.ts", "index"} {
		if m, err := e.Load(t.Context(), inside, entry); err != nil || m.Path() != "index.ts" {
			t.Errorf("%s: %v", entry, err)
		}
	}
	for entry, part := range map[string]string{
		"../outside.ts": "outside", filepath.Join(root, "outside.ts"): "absolute", "none.ts": "no such file",
		"readme.md": "cannot be imported", "dir": "no such file", "": "no such file", "dir/../../outside.ts": "outside",
	} {
		_, err := e.Load(t.Context(), inside, entry)
		if _, ok := isLoadError(err); !ok || !strings.Contains(err.Error(), part) {
			t.Errorf("%q: %v, want %q", entry, err, part)
		}
	}
	if _, err := e.Load(t.Context(), filepath.Join(root, "none"), "index.ts"); err == nil {
		t.Error("a root that is not there was taken")
	}
}

// TestLinksDoNotLeadOut: neither the entry nor an import may be a link out of
// the root, nor lie behind one.
func TestLinksDoNotLeadOut(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("links need a privilege") //rules:skip Windows lets few users make links
	}
	root := tree(t, map[string]string{
		"out/secret.ts": "export const u = 'secret';" + fine, "in/a.ts": "import { u } from './link'; u;" + fine,
		"in/b.ts": "import { u } from './folder/secret'; u;" + fine, "in/real.ts": "export const u = 'ok';", "in/c.ts": "import { u } from './good'; export const handlers = { run: () => u };",
	})
	for name, target := range map[string]string{"in/link.ts": "../out/secret.ts", "in/folder": "../out", "in/good.ts": "real.ts", "in/abs.ts": filepath.Join(root, "out", "secret.ts")} {
		if err := os.Symlink(target, filepath.Join(root, name)); err != nil {
			t.Fatal(err)
		}
	}
	e := newEngine(t, script.Options{})
	for _, entry := range []string{"a.ts", "b.ts", "link.ts", "folder/secret.ts", "abs.ts"} {
		_, err := e.Load(t.Context(), filepath.Join(root, "in"), entry)
		if err == nil || !strings.Contains(err.Error(), "outside of the bundle") {
			t.Errorf("%s: %v", entry, err)
		}
	}
	m, err := e.Load(t.Context(), filepath.Join(root, "in"), "c.ts")
	if err != nil {
		t.Fatal(err)
	}
	wantText(t, output(t, m, "run", `{}`), `"ok"`)
}

// TestSourceBounds: a source that would end the process in the parser is not
// given to it.
func TestSourceBounds(t *testing.T) {
	e := newEngine(t, script.Options{})
	for name, source := range map[string]string{
		"brackets": "const x = " + strings.Repeat("[", 200_000) + ";",
		"closed":   "const x = " + strings.Repeat("[", 100_000) + strings.Repeat("]", 100_000) + ";",
		"unary":    "const x = " + strings.Repeat("!", 400_000) + "1;",
		"spaced":   "const x = " + strings.Repeat("- ", 200_000) + "1;",
		"large":    "const x = '" + strings.Repeat("x", 600_000) + "';",
	} {
		t.Run(name, func(t *testing.T) {
			_, err := e.Load(t.Context(), tree(t, map[string]string{"index.ts": source + fine}), "index.ts")
			if _, ok := isLoadError(err); !ok {
				t.Errorf("%v", err)
			}
		})
	}
}

// TestNoForeignSettings: files beside the module change nothing.
func TestNoForeignSettings(t *testing.T) {
	root := tree(t, map[string]string{
		"tsconfig.json":                  `{"compilerOptions":{"paths":{"*":["./evil/*"]},"jsxFactory":"evil"}}`,
		"package.json":                   `{"imports":{"#x":"./evil/x.ts"},"type":"commonjs"}`,
		"node_modules/lodash/index.js":   "module.exports = 1;",
		"bundle/index.ts":                fine,
		"bundle/tsconfig.json":           `{ broken`,
		"bundle/node_modules/a/index.js": "module.exports = 1;",
		"bundle/pkg.ts":                  "import a from 'a'; a;" + fine,
	})
	e := newEngine(t, script.Options{})
	m, err := e.Load(t.Context(), filepath.Join(root, "bundle"), "index.ts")
	if err != nil {
		t.Fatal(err)
	}
	wantText(t, output(t, m, "run", `{}`), `"fine"`)
	if _, err := e.Load(t.Context(), filepath.Join(root, "bundle"), "pkg.ts"); err == nil {
		t.Error("a package of node_modules was taken")
	}
}

// TestKorean: errors speak the language of the engine.
func TestKorean(t *testing.T) {
	e := newEngine(t, script.Options{Lang: "ko"})
	_, err := e.Load(t.Context(), tree(t, map[string]string{"index.ts": "export const x = 1;"}), "index.ts")
	wantPart(t, err.Error(), "내보내지 않습니다")
	m := handler(t, e, "() => new Promise(() => {})")
	wantPart(t, failure(t, m, "run", `{}`).Message, "진행 중인 작업이 없습니다")
}
