package host_test

import (
	"encoding/json"
	"errors"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/gongu-ai/gongu"
	"github.com/gongu-ai/gongu/host"
	"github.com/gongu-ai/gongu/toolrequest"
)

// ask queues a request as a model does, and gives its id.
func ask(t *testing.T, h *host.Host, tool, args string) string {
	t.Helper()
	r := call(t, h, "", tool, args)
	var queued struct {
		ID     string `json:"request_id"`
		Status string
	}
	if err := json.Unmarshal(r.Output, &queued); err != nil || r.Failed() || queued.Status != "queued" {
		t.Fatalf("%s: %s %+v", tool, r.Output, r.Error)
	}
	return queued.ID
}

// scriptOf reads a script; an empty name is none.
func scriptOf(t *testing.T, file string) *host.Script {
	t.Helper()
	if file == "" {
		return nil
	}
	code, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	return &host.Script{Ext: filepath.Ext(file), Code: code}
}

func approve(t *testing.T, h *host.Host, id, macro, script string) toolrequest.Request {
	t.Helper()
	r, err := h.Approve(t.Context(), id, toolrequest.Decision{Reviewer: "kim", Reason: "good"}, json.RawMessage(macro), scriptOf(t, script))
	if err != nil {
		t.Fatal(err)
	}
	return r
}

const shout = `{"parameters":{"type":"object","properties":{"word":{"type":"string"}},"required":["word"]},
	"steps":[{"id":"w","tool":"file-system__write","params":{"path":"word.txt","content":"${params.word}!"}}],
	"output":{"wrote":"${params.word}"}}`

// Issue "Step 4" 3: approving with a macro registers the tool at once, under
// the plain name that was asked for (E6); the request is fulfilled, and who
// decided, why and when is kept. It is there for every agent and in the next
// process, and reaches no further than its caller.
func TestApproveMacro(t *testing.T) {
	dir := folder(t, base)
	h := open(t, dir, nil)
	id := ask(t, h, "request_tool", `{"name":"shout","description":"Writes a word loudly","needed_params":["word"]}`)
	done := approve(t, h, id, shout, "")
	if done.Status != toolrequest.Fulfilled || done.Reviewer != "kim" || done.Reason != "good" || done.ReviewedAt.IsZero() {
		t.Errorf("%+v", done)
	}
	for _, opened := range []*host.Host{h, open(t, dir, nil)} {
		for _, agent := range []string{"", "reader", "coder"} {
			if r := call(t, opened, agent, "shout", `{"word":"hey"}`); r.Failed() || string(r.Output) != `{"wrote":"hey"}` {
				t.Errorf("%q: %s %+v", agent, r.Output, r.Error)
			}
		}
		c, err := firstCatalog(opened, "reader")
		if err != nil || !slices.Contains(names(c.Visible()), "shout") {
			t.Errorf("%v, %v", names(c.Visible()), err)
		}
	}
	if r := call(t, h, "reader", "shout", `{}`); r.Error == nil || r.Error.Code != gongu.CodeInvalidArgs {
		t.Errorf("%+v", r)
	}
	// The agent has no bash, and the macro gives it none.
	id = ask(t, h, "request_tool", `{"name":"run_it","description":"Runs a command"}`)
	approve(t, h, id, `{"steps":[{"tool":"bash__exec","params":{"command":"echo out"}}]}`, "")
	if r := call(t, h, "reader", "run_it", `{}`); r.Error == nil || r.Error.Code != gongu.CodeNotInCatalog || !strings.Contains(r.Error.Message, "bash__exec") {
		t.Errorf("%s %+v", r.Output, r.Error)
	}
	if r := call(t, h, "coder", "run_it", `{}`); r.Failed() {
		t.Errorf("%+v", r.Error)
	}
	if r := call(t, h, "", "request_tool", `{"name":"shout","description":"again"}`); !strings.Contains(string(r.Output), `"already_available"`) {
		t.Errorf("a tool that is there was asked for: %s", r.Output)
	}
}

// The call that seed 000 prints for phase 2, from proposal to use (E6).
func TestE6_ApproveProposal(t *testing.T) {
	dir := t.TempDir()
	write(t, dir, "gongu.yaml", "apiVersion: gongu/v1\nkind: Extension\nmetadata: { name: cad }\nspec: { entry: \"builtin:cad\" }\n")
	h := open(t, dir, nil)
	id := ask(t, h, "register_tool", `{"name":"draw_my_chair","description":"내 스타일 의자","implementation":"macro","steps":[
		{"tool":"draw_rect","params":{"name":"seat","x":0,"y":0,"width":4,"height":4}},
		{"tool":"draw_circle","params":{"name":"back","x":2,"y":4,"radius":1}}]}`)
	if r := call(t, h, "", "draw_my_chair", `{}`); r.Error == nil || r.Error.Code != gongu.CodeNotInCatalog {
		t.Errorf("it can be called before it was approved: %+v", r)
	}
	if done := approve(t, h, id, "", ""); done.Status != toolrequest.Fulfilled {
		t.Errorf("%+v", done)
	}
	if r := call(t, h, "", "draw_my_chair", `{}`); r.Failed() {
		t.Errorf("%+v", r.Error)
	}
	if r := call(t, h, "", "list_entities", `{}`); !strings.Contains(string(r.Output), `"seat"`) || !strings.Contains(string(r.Output), `"back"`) {
		t.Errorf("%s", r.Output)
	}
}

// Approving with a script: the parameters are those that were asked for.
func TestApproveScript(t *testing.T) {
	dir := folder(t, base)
	h := open(t, dir, nil)
	id := ask(t, h, "request_tool", `{"name":"add_up","description":"Adds","suggested_params":["a","b"]}`)
	file := filepath.Join(t.TempDir(), "add.ts")
	write(t, filepath.Dir(file), "add.ts", `export const handlers = { add_up: async (ctx: unknown, { a, b }: { a: number; b: number }) => a + b };`)
	if done := approve(t, h, id, "", file); done.Status != toolrequest.Fulfilled {
		t.Errorf("%+v", done)
	}
	for _, opened := range []*host.Host{h, open(t, dir, nil)} {
		if r := call(t, opened, "reader", "add_up", `{"a":2,"b":3}`); string(r.Output) != "5" {
			t.Errorf("%s %+v", r.Output, r.Error)
		}
		if tool, ok := opened.Registry().Get("add_up"); !ok || !strings.Contains(string(tool.Parameters), `"b"`) || tool.Description != "Adds" {
			t.Errorf("%+v", tool)
		}
	}
}

// Nothing is decided, and nothing is left, when the tool cannot be made.
func TestApproveRefuses(t *testing.T) {
	dir := folder(t, base+"---\n"+`apiVersion: gongu/v1
kind: Macro
metadata: { name: taken }
spec: { description: d, steps: [{ tool: file-system__read, params: { path: x } }] }
`)
	h := open(t, dir, nil)
	scripts := t.TempDir()
	write(t, scripts, "broken.ts", `export const handlers = {`)
	write(t, scripts, "other.ts", `export const handlers = { other: () => 1 };`)
	id := ask(t, h, "request_tool", `{"name":"wanted","description":"d"}`)
	for name, tc := range map[string]struct{ macro, script, part string }{
		"no steps":    {`{"steps":[]}`, "", "1 to 50 steps"},
		"no tool":     {`{"steps":[{"tool":"file-system__raed","params":{}}]}`, "", "file-system__read"},
		"itself":      {`{"steps":[{"tool":"wanted","params":{}}]}`, "", "wanted"},
		"no JSON":     {`[1]`, "", "JSON object"},
		"broken":      {"", filepath.Join(scripts, "broken.ts"), "wanted"},
		"no handler":  {"", filepath.Join(scripts, "other.ts"), "wanted"},
		"expression?": {`{"steps":[{"tool":"file-system__read","params":{"path":"${nothing.here}"}}]}`, "", "nothing"},
	} {
		_, err := h.Approve(t.Context(), id, toolrequest.Decision{Reviewer: "kim"}, json.RawMessage(tc.macro), scriptOf(t, tc.script))
		if err == nil || !strings.Contains(err.Error(), tc.part) {
			t.Errorf("%s: %v", name, err)
		}
		if r, err := h.Requests().Get(t.Context(), id); err != nil || r.Status != toolrequest.Queued {
			t.Errorf("%s: %+v, %v", name, r, err)
		}
		if left, _ := os.ReadDir(filepath.Join(stateOf(t, dir), "approved")); len(left) > 0 {
			t.Errorf("%s: left %v", name, left)
		}
		if _, ok := h.Registry().Get("wanted"); ok {
			t.Errorf("%s: registered", name)
		}
	}
	// A tool of the bundle is not replaced, nor is one that was rejected made.
	added, _, err := h.Requests().Add(t.Context(), toolrequest.New{Name: "taken", Description: "d"})
	if err != nil {
		t.Fatal(err)
	}
	if _, err := h.Approve(t.Context(), added.ID, toolrequest.Decision{Reviewer: "kim"}, json.RawMessage(shout), nil); err == nil || !strings.Contains(err.Error(), "taken") {
		t.Errorf("%v", err)
	}
	if _, err := h.Requests().Review(t.Context(), id, toolrequest.Decision{Status: toolrequest.Rejected, Reviewer: "kim", Reason: "no"}); err != nil {
		t.Fatal(err)
	}
	if _, err := h.Approve(t.Context(), id, toolrequest.Decision{Reviewer: "kim"}, json.RawMessage(shout), nil); err == nil || !strings.Contains(err.Error(), "rejected") {
		t.Errorf("%v", err)
	}
	if _, err := h.Approve(t.Context(), "req_999", toolrequest.Decision{Reviewer: "kim"}, nil, nil); !errors.Is(err, toolrequest.ErrNotFound) {
		t.Errorf("%v", err)
	}
}

// promise H18: an approved tool in a newer form is left alone and left out,
// and so is one that is broken; the others work.
func TestH18_ApprovedOfAnotherVersion(t *testing.T) {
	dir := folder(t, base)
	h := open(t, dir, nil)
	approve(t, h, ask(t, h, "request_tool", `{"name":"shout","description":"d"}`), shout, "")
	newer := `{"version":2,"name":"later","macro":{"steps":[{"tool":"file-system__read","params":{}}]}}`
	write(t, stateOf(t, dir), "approved/later.json", newer)
	write(t, stateOf(t, dir), "approved/broken.json", "{")
	write(t, stateOf(t, dir), "approved/both.json", `{"version":1,"name":"both","macro":{},"script":"x.ts"}`)
	log, logger := listen()
	again := open(t, dir, &host.Options{Logger: logger})
	for _, name := range []string{"later", "both", "broken"} {
		if _, ok := again.Registry().Get(name); ok {
			t.Errorf("%s is used", name)
		}
		if !strings.Contains(log.String(), name+".json") {
			t.Errorf("no word about %s:\n%s", name, log)
		}
	}
	if r := call(t, again, "reader", "shout", `{"word":"a"}`); r.Failed() {
		t.Errorf("%+v", r.Error)
	}
	if raw, err := os.ReadFile(filepath.Join(stateOf(t, dir), "approved/later.json")); err != nil || string(raw) != newer {
		t.Errorf("%s, %v", raw, err)
	}
}

// K8: the decision counts for the content that was shown, and for nothing else.
func TestK8_ApprovalBindsToTheDigest(t *testing.T) {
	dir := folder(t, base)
	h := open(t, dir, nil)
	id := ask(t, h, "request_tool", `{"name":"wanted","description":"d"}`)
	shown, err := h.Requests().Get(t.Context(), id)
	if err != nil {
		t.Fatal(err)
	}
	queue := filepath.Join(dir, "tool-requests.json")
	raw, err := os.ReadFile(queue)
	if err != nil {
		t.Fatal(err)
	}
	write(t, dir, "tool-requests.json", strings.Replace(string(raw), `"d"`, `"other"`, 1))
	_, err = h.Approve(t.Context(), id, toolrequest.Decision{Reviewer: "kim", Digest: shown.Digest()}, json.RawMessage(shout), nil)
	if !errors.Is(err, toolrequest.ErrChanged) {
		t.Errorf("%v", err)
	}
	if left, _ := os.ReadDir(filepath.Join(dir, ".gongu", "approved")); len(left) > 0 {
		t.Errorf("left %v", left)
	}
	if r, err := h.Requests().Get(t.Context(), id); err != nil || r.Status != toolrequest.Queued {
		t.Errorf("%+v, %v", r, err)
	}
}

// K8: a tool that is approved for one agent is no other agent's.
func TestK8_ApprovedForOneAgent(t *testing.T) {
	dir := folder(t, base+"---\napiVersion: gongu/v1\nkind: Agent\nmetadata: { name: one }\nspec: { modelConfig: { modelRef: Model/m }, tools: [] }\n---\napiVersion: gongu/v1\nkind: Agent\nmetadata: { name: two }\nspec: { modelConfig: { modelRef: Model/m }, tools: [] }\n")
	h := open(t, dir, nil)
	id := ask(t, h, "request_tool", `{"name":"wanted","description":"d"}`)
	decision := toolrequest.Decision{Reviewer: "kim", Agent: "nobody"}
	if _, err := h.Approve(t.Context(), id, decision, json.RawMessage(shout), nil); err == nil || !strings.Contains(err.Error(), "nobody") {
		t.Errorf("an agent that does not exist: %v", err)
	}
	decision.Agent = "one"
	if _, err := h.Approve(t.Context(), id, decision, json.RawMessage(shout), nil); err != nil {
		t.Fatal(err)
	}
	for _, opened := range []*host.Host{h, open(t, dir, nil)} {
		for agent, want := range map[string]bool{"one": true, "two": false, "": false} {
			scope, err := opened.Scope(t.Context(), host.Address{Agent: agent})
			if err != nil {
				t.Fatal(err)
			}
			catalog, err := scope.Catalog(t.Context())
			if err != nil {
				t.Fatal(err)
			}
			if got := catalog.Has("wanted"); got != want {
				t.Errorf("agent %q has it: %v", agent, got)
			}
		}
	}
}
