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
