package bundle

import (
	"errors"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"
)

// coveredBundle has every kind of file that consent covers, and others.
const coveredBundle = `-- gongu.yaml --
apiVersion: gongu/v1
kind: Tool
metadata: {name: t}
spec: {entry: ./lib/tool.ts, exports: [{name: run, description: x}]}
---
apiVersion: gongu/v1
kind: Extension
metadata: {name: e}
spec: {entry: ./ext.js}
---
apiVersion: gongu/v1
kind: McpServer
metadata: {name: s}
spec: {command: ./server/run, args: ["--config=conf/server.json", "--rules=${file:texts/rules.txt}", "${file:missing.txt}"], files: ["server/**/*.py", "conf"], env: {OPTIONS: "${file:texts/env.txt}"}}
---
apiVersion: gongu/v1
kind: McpServer
metadata: {name: far}
spec: {url: "https://example.com/${file:texts/path.txt}", headers: {X-Kind: "${file:texts/header.txt}"}}
---
apiVersion: gongu/v1
kind: ToolCommand
metadata: {name: c}
spec: {discover: [sh, programs/list.sh], call: [cat], env: {MODE: "${file:texts/mode.txt}"}}
---
apiVersion: gongu/v1
kind: Model
metadata: {name: m}
spec: {provider: openai, model: x}
---
apiVersion: gongu/v1
kind: Agent
metadata: {name: a}
spec: {modelConfig: {modelRef: Model/m}, prompt: {systemRef: prompts/a.md}}
-- sub/macros.yaml --
apiVersion: gongu/v1
kind: Macro
metadata: {name: twice}
spec: {description: x, steps: [{tool: t__run}]}
-- lib/tool.ts --
import "./deep/helper";
export const handlers = { run: () => 1 };
-- lib/deep/helper.ts --
import data from "../../data.json";
export const x = data;
-- data.json --
{}
-- ext.js --
export function register() {}
-- prompts/a.md --
You are a.
-- server/run --
#!/bin/sh
-- server/lib/a.py --
1
-- server/README.md --
not among files
-- conf/server.json --
{}
-- conf/more/x.txt --
x
-- texts/rules.txt --
x
-- texts/env.txt --
x
-- texts/header.txt --
x
-- texts/path.txt --
x
-- texts/mode.txt --
x
-- texts/other.txt --
x
-- programs/list.sh --
echo
-- programs/inc/part.sh --
echo
-- programs/.git/config --
x
-- README.md --
hello
-- lib/unused.ts --
x
-- log.txt --
x
-- gongu.lock --
{}
-- tool-requests.json --
{}
-- .gongu/state.json --
{}
-- programs/gongu.lock --
x
-- node_modules/dep/index.js --
x
`

// covered says which files of that bundle consent covers. It is written apart
// from the code that it checks.
func covered(label string) bool {
	switch label {
	case "gongu.yaml", "sub/macros.yaml", "lib/tool.ts", "lib/deep/helper.ts", "data.json", "ext.js", "prompts/a.md", "server/run", "texts/rules.txt", "texts/env.txt", "texts/header.txt", "texts/path.txt", "texts/mode.txt", "missing.txt":
		return true
	}
	for part := range strings.SplitSeq(label, "/") {
		if part == ".git" || part == ".gongu" || part == ".goondan" || part == "gongu.lock" || part == "tool-requests.json" {
			return false
		}
	}
	return strings.HasPrefix(label, "conf/") || strings.HasPrefix(label, "programs/") ||
		strings.HasPrefix(label, "server/") && strings.HasSuffix(label, ".py")
}

func coverOf(t testing.TB, dir string) *Cover {
	t.Helper()
	b, ds := Load(dir, nil)
	if b == nil {
		t.Fatal(text(ds))
	}
	c, err := b.Cover()
	if err != nil {
		t.Fatal(err)
	}
	return c
}

func put(t testing.TB, dir, name, content string) {
	t.Helper()
	file := filepath.Join(dir, filepath.FromSlash(name))
	if err := errors.Join(os.MkdirAll(filepath.Dir(file), 0o755), os.WriteFile(file, []byte(content), 0o644)); err != nil {
		t.Fatal(err)
	}
}

// K2: a changed, added or removed byte of what is covered changes the digest,
// nothing else does. 1,000 random changes.
func TestK2_DigestFollowsWhatIsCovered(t *testing.T) {
	dir := write(t, coveredBundle)
	first := coverOf(t, dir).Digest()
	if first != coverOf(t, write(t, coveredBundle)).Digest() || !strings.HasPrefix(first, "sha256:") {
		t.Fatal("the digest depends on where the bundle lies")
	}
	var names []string
	for line := range strings.Lines(coveredBundle) {
		if name, ok := strings.CutPrefix(line, "-- "); ok {
			names = append(names, strings.TrimSuffix(name, " --\n"))
		}
	}
	folders := []string{"", "lib", "server/lib", "conf", "conf/more", "programs", "programs/inc", "prompts", ".gongu", "programs/.git", "new"}
	changes := 0
	rapid.Check(t, func(rt *rapid.T) {
		for range 10 {
			changes++
			was := coverOf(t, dir).Digest()
			name := rapid.SampledFrom(names).Draw(rt, "file")
			if rapid.Bool().Draw(rt, "add") {
				name = path.Join(rapid.SampledFrom(folders).Draw(rt, "folder"), rapid.SampledFrom([]string{"x.py", "x.txt", "x.ts", "gongu.lock", ".npmrc", "data.yaml"}).Draw(rt, "name"))
			}
			file := filepath.Join(dir, filepath.FromSlash(name))
			old, err := os.ReadFile(file)
			existed := err == nil
			// Bytes that leave YAML, JSON and scripts what they are; resources
			// and modules cannot be removed without breaking the bundle.
			removable := !slices.Contains([]string{"gongu.yaml", "lib/tool.ts", "lib/deep/helper.ts", "data.json", "ext.js", "prompts/a.md", "server/run", "programs/list.sh", "conf/server.json", "sub/macros.yaml"}, name)
			if existed && removable && rapid.Bool().Draw(rt, "remove") {
				err = os.Remove(file)
			} else {
				put(t, dir, name, string(old)+rapid.SampledFrom([]string{"\n", " ", "\n\n"}).Draw(rt, "byte"))
				err = nil
			}
			if err != nil {
				t.Fatal(err)
			}
			if changed := coverOf(t, dir).Digest() != was; changed != covered(name) {
				rt.Fatalf("%s: the digest changed: %v, want %v", name, changed, covered(name))
			}
			if existed {
				put(t, dir, name, string(old))
			} else {
				_ = os.Remove(file)
			}
			if coverOf(t, dir).Digest() != was {
				rt.Fatalf("%s: undone, the digest is another one", name)
			}
		}
	})
	if changes < 1000 {
		t.Errorf("only %d changes were tried", changes)
	}
}

// K6: what concerns the cover is exactly what may change it.
func TestK6_Concerns(t *testing.T) {
	dir := write(t, coveredBundle)
	c := coverOf(t, dir)
	for _, label := range []string{
		"gongu.yaml", "lib/tool.ts", "lib/deep", "lib/tool.js", "lib/deep/helper/index.ts", "new/agents.yaml", "programs/new.sh", "server/x/y.py",
		"conf/x", "prompts/a.md", "..data", "..2026/gongu.yaml",
	} {
		if !c.Concerns(label) {
			t.Errorf("%s does not concern the bundle", label)
		}
	}
	for _, label := range []string{
		"README.md", "log.txt", "lib/unused.ts", "new/data.yaml", "gongu.lock", "tool-requests.json", ".gongu/x", "programs/.git/config", "programs/gongu.lock",
		"server/README.md", "node_modules/x/agents.yaml", "lib-deep", ".tool-requests.json.lock",
	} {
		if c.Concerns(label) {
			t.Errorf("%s concerns the bundle", label)
		}
	}
}

// K2: the copy has the digest of the bundle, is a bundle that covers itself, and a
// file that changed after it was shown is not copied.
func TestK2_Copy(t *testing.T) {
	dir := write(t, coveredBundle)
	if err := os.Chmod(filepath.Join(dir, "server", "run"), 0o755); err != nil {
		t.Fatal(err)
	}
	c := coverOf(t, dir)
	to := filepath.Join(t.TempDir(), "copy")
	if err := c.Copy(to); err != nil {
		t.Fatal(err)
	}
	if got, err := CopyDigest(to); err != nil || got != c.Digest() {
		t.Errorf("%s %v, want %s", got, err, c.Digest())
	}
	b, ds := Load(to, &Options{Origin: dir})
	if b == nil {
		t.Fatal(text(ds))
	}
	again, err := b.Cover()
	if err != nil || again.Digest() != c.Digest() {
		t.Errorf("the copy covers %v (%v), want %v", again.Entries(), err, c.Entries())
	}
	if b.Dir() != dir || b.Root() != to || !strings.HasPrefix(b.Tools()[0].Module.File(), to) {
		t.Error(b.Dir(), b.Root(), b.Tools()[0].Module.File())
	}
	server := b.McpServers()[0]
	if got := b.Words(&server.Meta, "", server.Spec.Argv()); got[0] != filepath.Join(to, "server", "run") || got[1] != "--config="+filepath.Join(to, "conf", "server.json") {
		t.Error(got)
	}
	// An absolute path into the folder of the original is a file of the copy, and a
	// program that is missing is looked for nowhere else.
	for word, want := range map[string]string{filepath.Join(dir, "server", "run"): filepath.Join(to, "server", "run"), "./gone": filepath.Join(to, "gone"), "sh": "sh"} {
		if got := b.Words(&server.Meta, "", []string{word}); got[0] != want || b.Inside(&server.Meta, "", word) != (word != "sh") {
			t.Errorf("%s is %s, want %s", word, got[0], want)
		}
	}
	if info, err := os.Stat(filepath.Join(to, "server", "run")); err != nil || info.Mode().Perm() != 0o500 {
		t.Error(info.Mode(), err)
	}
	if info, err := os.Stat(filepath.Join(to, "gongu.yaml")); err != nil || info.Mode().Perm() != 0o400 {
		t.Error(info.Mode(), err)
	}
	// Something added to the copy is found.
	put(t, to, "extra", "x")
	if got, _ := CopyDigest(to); got == c.Digest() {
		t.Error("a file that was added to the copy is not found")
	}
	put(t, dir, "lib/tool.ts", "export const handlers = { run: () => 2 };")
	if err := c.Copy(filepath.Join(t.TempDir(), "copy")); !errors.Is(err, ErrChanged) {
		t.Errorf("a changed file was copied: %v", err)
	}
	// A file that was changed after it was read is not what a person is shown.
	b, _ = Load(dir, nil)
	put(t, dir, "sub/macros.yaml", "# other\n")
	if c, err = b.Cover(); err != nil {
		t.Fatal(err)
	}
	if err := c.Copy(filepath.Join(t.TempDir(), "copy")); !errors.Is(err, ErrChanged) {
		t.Errorf("a changed resource was copied: %v", err)
	}
}

// K2: links are followed inside of the bundle and refused when they lead out;
// those of a mounted ConfigMap are read as the files that they stand for.
func TestK2_Links(t *testing.T) {
	link := func(dir, name, target string) {
		t.Helper()
		if err := os.Symlink(target, filepath.Join(dir, filepath.FromSlash(name))); err != nil {
			t.Fatal(err)
		}
	}
	dir := write(t, coveredBundle)
	link(dir, "programs/alias", "inc")
	link(dir, "programs/elsewhere", "../lib")
	link(dir, "programs/nowhere", "gone")
	c := coverOf(t, dir)
	to := filepath.Join(t.TempDir(), "copy")
	if err := c.Copy(to); err != nil {
		t.Fatal(err)
	}
	if got, err := os.ReadFile(filepath.Join(to, "programs", "elsewhere", "unused.ts")); err != nil || string(got) != "x\n" {
		t.Errorf("%q %v", got, err)
	}
	if got, err := CopyDigest(to); err != nil || got != c.Digest() {
		t.Errorf("%s %v, want %s", got, err, c.Digest())
	}
	for _, target := range []string{"/etc/hostname", "../../x", t.TempDir()} {
		dir := write(t, coveredBundle)
		link(dir, "programs/out", target)
		b, _ := Load(dir, nil)
		if _, err := b.Cover(); err == nil || !strings.Contains(err.Error(), "leads out of the bundle") {
			t.Errorf("%s: %v", target, err)
		}
	}
	// As Kubernetes mounts a ConfigMap.
	mounted := t.TempDir()
	put(t, mounted, "..2026_1/gongu.yaml", "apiVersion: gongu/v1\nkind: ToolCommand\nmetadata: {name: c}\nspec: {discover: [sh, list.sh], call: [sh, sub/call.sh]}\n")
	put(t, mounted, "..2026_1/list.sh", "echo 1")
	put(t, mounted, "..2026_1/sub/call.sh", "echo 1")
	link(mounted, "..data", "..2026_1")
	for _, name := range []string{"gongu.yaml", "list.sh", "sub"} {
		link(mounted, name, "..data/"+name)
	}
	was := coverOf(t, mounted)
	var labels []string
	for _, e := range was.Entries() {
		labels = append(labels, string(e.Kind)+" "+e.Label)
	}
	if got := strings.Join(labels, ", "); got != "file gongu.yaml, file list.sh, file sub/call.sh" {
		t.Error(got)
	}
	put(t, mounted, "..2026_2/gongu.yaml", "apiVersion: gongu/v1\nkind: ToolCommand\nmetadata: {name: c}\nspec: {discover: [sh, list.sh], call: [sh, sub/call.sh]}\n")
	put(t, mounted, "..2026_2/list.sh", "echo 1")
	put(t, mounted, "..2026_2/sub/call.sh", "echo 1")
	swap := func() {
		t.Helper()
		if err := errors.Join(os.Remove(filepath.Join(mounted, "..data")), os.Symlink("..2026_2", filepath.Join(mounted, "..data"))); err != nil {
			t.Fatal(err)
		}
	}
	swap()
	if coverOf(t, mounted).Digest() != was.Digest() {
		t.Error("the name of a mounted version counts")
	}
	put(t, mounted, "..2026_2/sub/call.sh", "echo 2")
	if coverOf(t, mounted).Digest() == was.Digest() {
		t.Error("the content of a mounted version does not count")
	}
}

// K2: a budget keeps consent from reading a whole disk.
func TestK2_Budget(t *testing.T) {
	c := &coverer{files: 1, bytes: 10}
	if c.take(5) != nil || c.take(1) == nil {
		t.Error("the budget of files does not end")
	}
	c = &coverer{files: 5, bytes: 10}
	if c.take(11) == nil {
		t.Error("the budget of bytes does not end")
	}
}

// K2: packages are covered where they are installed.
func TestK2_Packages(t *testing.T) {
	archive := packaged("1.0.0", "")
	digest := func(archive string) string {
		c, err := good(t, archive, nil).Cover()
		if err != nil {
			t.Fatal(err)
		}
		return c.Digest()
	}
	if digest(archive) == digest(strings.Replace(archive, "1.0.0/tool.ts --\n", "1.0.0/tool.ts --\nx\n", 1)) {
		t.Error("the code of a package does not count")
	}
}

// K2: a text that is filled into a command comes from the copy, also one that
// appears in the bundle later. With --dev a change of it is held (K6).
func TestK2_TextsOfCommands(t *testing.T) {
	dir := t.TempDir()
	put(t, dir, "gongu.yaml", "apiVersion: gongu/v1\nkind: McpServer\nmetadata: {name: s}\nspec: {command: node, args: [-e, 'a${file:./x.js}b${file:later.js}${env:A}${file:~/y}$${file:x.js}']}\n")
	put(t, dir, "x.js", "1")
	was := coverOf(t, dir)
	copied := filepath.Join(t.TempDir(), "copy")
	if err := was.Copy(copied); err != nil {
		t.Fatal(err)
	}
	before, ds := Load(copied, &Options{Origin: dir})
	if before == nil {
		t.Fatal(text(ds))
	}
	put(t, dir, "x.js", "2")
	put(t, dir, "later.js", "2")
	server := before.McpServers()[0]
	want := "a${file:" + filepath.Join(copied, "x.js") + "}b${file:" + filepath.Join(copied, "later.js") + "}${env:A}${file:~/y}$${file:x.js}"
	if got := before.Words(&server.Meta, "", server.Spec.Argv()); got[2] != want {
		t.Errorf("%s\nwant %s", got[2], want)
	}
	after, _ := Load(dir, nil)
	changes := Compare(before, after, was, coverOf(t, dir))
	if len(changes) != 2 || !changes[0].Launch || !changes[1].Launch {
		t.Errorf("%+v", changes)
	}
}

// K2: that a file may be executed is covered: it decides what a program starts.
func TestK2_ExecutableFilesAreCovered(t *testing.T) {
	dir := write(t, coveredBundle)
	before := coverOf(t, dir).Digest()
	if err := os.Chmod(filepath.Join(dir, "programs", "inc", "part.sh"), 0o755); err != nil {
		t.Fatal(err)
	}
	if coverOf(t, dir).Digest() == before {
		t.Error("a file that became a program has the same digest")
	}
}
