package host_test

import (
	"path/filepath"
	"testing"

	"github.com/gongu-ai/gongu/host"
)

// K7: the change of an editable agent is known by its agent; another agent
// changes nothing.
func TestK7_EditableAgents(t *testing.T) {
	dir := folder(t, base)
	write(t, dir, "agents.yaml", "apiVersion: gongu/v1\nkind: Model\nmetadata: { name: own }\nspec: { provider: openai, model: x }\n"+
		"---\napiVersion: gongu/v1\nkind: Agent\nmetadata: { name: author }\nspec: { modelConfig: { modelRef: Model/own }, tools: [Tool/file-system], editable: true }\n"+
		"---\napiVersion: gongu/v1\nkind: Agent\nmetadata: { name: other }\nspec: { modelConfig: { modelRef: Model/own }, tools: [Tool/file-system] }\n")
	h := open(t, dir, &host.Options{Workdir: "project"})
	real, err := filepath.EvalSymlinks(filepath.Join(dir, "agents.yaml"))
	if err != nil {
		t.Fatal(err)
	}
	const more = `{"path":"agents.yaml","content":"# more\n","append":true}`
	if r := call(t, h, "other", "file-system__write", more); !r.Failed() {
		t.Errorf("%s", r.Output)
	}
	if agent, ok := h.WrittenBy(real); ok {
		t.Errorf("%s is known for a write that was refused", agent)
	}
	if r := call(t, h, "author", "file-system__write", more); r.Failed() {
		t.Fatalf("%+v", r.Error)
	}
	if agent, ok := h.WrittenBy(real); !ok || agent != "author" {
		t.Errorf("%q, %v", agent, ok)
	}
}

// K7: the write of an editable agent ends in a held change that names the agent.
func TestK7_HeldChangeNamesTheAgent(t *testing.T) {
	dir := folder(t, base)
	write(t, dir, "agents.yaml", "apiVersion: gongu/v1\nkind: Model\nmetadata: { name: own }\nspec: { provider: openai, model: x }\n"+
		"---\napiVersion: gongu/v1\nkind: Agent\nmetadata: { name: author }\nspec: { modelConfig: { modelRef: Model/own }, tools: [Tool/file-system], editable: true }\n")
	o := consenting(t)
	o.Workdir = "project"
	grant(t, dir, o)
	h := open(t, dir, o)
	added := `---\napiVersion: gongu/v1\nkind: Model\nmetadata: { name: more }\nspec: { provider: openai, model: x }\n`
	if r := call(t, h, "author", "file-system__write", `{"path":"agents.yaml","content":"`+added+`","append":true}`); r.Failed() {
		t.Fatalf("%+v", r.Error)
	}
	h.Reload(t.Context())
	held := h.Held()
	if held == nil || len(held.Changes) != 1 || held.Changes[0].By != "author" || held.Changes[0].Label != "agents.yaml" {
		t.Errorf("%+v", held)
	}
}

// K7: neither what a module imports nor a resource file that does not exist yet is
// written by tools: with --dev it would run at once.
func TestK7_ImportsAndNewResources(t *testing.T) {
	o := consenting(t)
	o.Workdir = "project"
	dir := folder(t, base+"---\napiVersion: gongu/v1\nkind: Tool\nmetadata: {name: s}\nspec: {entry: ./lib/s.ts, exports: [{name: run, description: x}]}\n")
	write(t, filepath.Join(dir, "lib"), "s.ts", "import { one } from './deep';\nexport const handlers = { run: () => one };")
	write(t, filepath.Join(dir, "lib"), "deep.ts", "export const one = 1;")
	grant(t, dir, o)
	h := open(t, dir, o)
	for _, name := range []string{"lib/s.ts", "lib/deep.ts", "LIB/../lib/deep.ts", "macros.yaml", "Tools.YML"} {
		if r := call(t, h, "", "file-system__write", `{"path":"`+name+`","content":"x"}`); !r.Failed() {
			t.Errorf("%s: %s", name, r.Output)
		}
	}
	for _, name := range []string{"lib/notes.md", "notes.yaml"} {
		if r := call(t, h, "", "file-system__write", `{"path":"`+name+`","content":"x"}`); r.Failed() {
			t.Errorf("%s: %+v", name, r.Error)
		}
	}
}
