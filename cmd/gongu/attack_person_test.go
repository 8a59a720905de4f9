//go:build linux

package main

import (
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/gongu-ai/gongu/internal/clients"
	"github.com/gongu-ai/gongu/internal/shellword"
)

const attackedBundle = `apiVersion: gongu/v1
kind: Tool
metadata: { name: bash }
spec: { entry: "builtin:bash", exports: [{ name: exec }] }
---
apiVersion: gongu/v1
kind: Tool
metadata: { name: danger }
spec: { entry: "builtin:bash", sandbox: off, exports: [{ name: exec }] }
---
apiVersion: gongu/v1
kind: Tool
metadata: { name: bare }
spec: { entry: "builtin:bash", sandbox: off, exports: [{ name: exec }] }
---
apiVersion: gongu/v1
kind: Tool
metadata: { name: fs }
spec: { entry: "builtin:file-system", exports: [{ name: read }, { name: write }, { name: edit }, { name: patch }] }
---
apiVersion: gongu/v1
kind: Tool
metadata: { name: http }
spec: { entry: "builtin:http-fetch", exports: [{ name: post }] }
---
apiVersion: gongu/v1
kind: Tool
metadata: { name: notes }
spec:
  entry: ./notes.js
  exports: [{ name: write, description: w, parameters: { type: object, properties: { path: { type: string }, text: { type: string } } } }]
---
apiVersion: gongu/v1
kind: Tool
metadata: { name: child }
spec:
  entry: ./notes.js
  runtime: process
  exports: [{ name: write, description: w, parameters: { type: object, properties: { path: { type: string }, text: { type: string } } } }]
---
apiVersion: gongu/v1
kind: Macro
metadata: { name: wrap }
spec: { description: Wraps., parameters: { type: object, properties: { command: { type: string } } }, steps: [{ tool: danger__exec, params: { command: "${params.command}" } }] }
`

const attackedNotes = `const fs = require('fs/promises');
export const handlers = { write: async (ctx, input) => { await fs.writeFile(input.path, input.text); return 'done'; } };
`

const attackedPolicy = `apiVersion: gongu/v1
kind: Policy
metadata: { name: mine }
spec:
  rules:
    - { name: ask-danger, match: { tools: ["danger__*"] }, effect: ask }
`

// attacked is a server, the model that attacks it, and what the model wants: that
// danger__exec makes a file, which nothing else that the model has can make.
type attacked struct {
	*served
	t        *testing.T
	model    *mcpUser
	canary   string
	policy   string
	approval string
	before   string
}

func newAttacked(t *testing.T) *attacked {
	t.Helper()
	dir, home := t.TempDir(), t.TempDir()
	for path, text := range map[string]string{
		filepath.Join(dir, "gongu.yaml"): attackedBundle, filepath.Join(dir, "notes.js"): attackedNotes,
		filepath.Join(home, "gongu", "policy.yaml"): attackedPolicy, filepath.Join(home, "tmp", ".keep"): "",
	} {
		if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	env := append(os.Environ(), "HOME="+home, "XDG_CONFIG_HOME="+home, "XDG_CACHE_HOME="+home, "XDG_STATE_HOME="+home, "XDG_RUNTIME_DIR=",
		"GORACE=atexit_sleep_ms=0", "CONSENT=auto", "TMPDIR="+filepath.Join(home, "tmp"))
	a := &attacked{
		served: startServeIn(t, dir, env, "--mode", "direct", "--code"), t: t,
		canary: filepath.Join(t.TempDir(), "canary"), policy: filepath.Join(home, "gongu", "policy.yaml"),
	}
	a.model = a.withToken(true, `{"elicitation":{"form":{},"url":{}}}`, "--name", "model", "--tools", "*")
	a.before = a.decisions()
	return a
}

// wish is what the model wants to be run.
func (a *attacked) wish() string { return "touch " + shellword.Quote(a.canary) }

// call makes a call over the HTTP API with the model's token.
func (a *attacked) call(tool string, args map[string]any) *reply {
	a.t.Helper()
	body, err := json.Marshal(map[string]any{"name": tool, "arguments": args})
	if err != nil {
		a.t.Fatal(err)
	}
	return a.api(http.MethodPost, "/api/v1/calls", string(body))
}

func (a *attacked) api(method, path, body string) *reply {
	return a.model.do(a.t.Context(), method, path, body, func(r *http.Request) { r.Header.Set("Content-Type", "application/json") })
}

// bash runs a command as the model does, in the sandbox.
func (a *attacked) bash(command string) *reply {
	a.t.Helper()
	r := a.call("bash__exec", map[string]any{"command": command})
	if r.status != http.StatusOK {
		a.t.Fatalf("the model cannot use bash: %v", r)
	}
	return r
}

// gongu is the program for bash, without what only the tests have.
func (a *attacked) gongu(args ...string) string {
	path, err := exec.LookPath("gongu")
	if err != nil {
		a.t.Fatal(err)
	}
	home := filepath.Dir(filepath.Dir(a.policy))
	words := []string{"env", "-u", "CONSENT", "HOME=" + home, "XDG_CONFIG_HOME=" + home, "XDG_STATE_HOME=" + home, path}
	return shellword.Join(append(words, append(args, "-b", a.dir)...)...)
}

// decisions is everything that a person has decided.
func (a *attacked) decisions() string {
	a.t.Helper()
	rules, err := os.ReadFile(a.policy)
	if err != nil {
		a.t.Fatal(err)
	}
	bundle, err := os.ReadFile(filepath.Join(a.dir, "gongu.yaml"))
	if err != nil {
		a.t.Fatal(err)
	}
	lock, _ := os.ReadFile(filepath.Join(a.dir, "gongu.lock")) // there may be none
	consents := exec.Command("sh", "-c", "find . -type f | sort; grep -rho '\"sha256:[0-9a-f]*\"' . | sort -u")
	consents.Dir = filepath.Join(filepath.Dir(a.policy), "trust")
	trusted, err := consents.Output()
	if err != nil {
		a.t.Fatal(err)
	}
	tokens := regexp.MustCompile(`"name":"[^"]*"`).FindAllString(a.run("token", "list", "--json"), -1)
	audit := a.run("audit", "list", "--kind", "decision", "--json")
	return strings.Join([]string{string(rules), string(bundle), string(lock), string(trusted), strings.Join(tokens, " "), audit}, "\n---\n")
}

// held checks that nothing was decided and the wish did not come true.
func (a *attacked) held(way string) {
	a.t.Helper()
	if _, err := os.Stat(a.canary); err == nil {
		a.t.Fatalf("%s: danger__exec ran without a person", way)
	}
	if got := a.run("approvals", "show", a.approval, "--json"); !strings.Contains(got, `"state": "pending"`) && !strings.Contains(got, `"state":"pending"`) {
		a.t.Fatalf("%s: the approval is no longer pending: %s", way, got)
	}
	if now := a.decisions(); now != a.before {
		a.t.Fatalf("%s: something was decided:\n%s", way, cmp.Diff(a.before, now))
	}
}

// P7: a model with bash, file tools, scripts, macros, code and a token of its own
// cannot decide in place of a person, in any of these ways.
func TestP7_ModelCannotDecide(t *testing.T) {
	if raceDetector {
		t.Skip("make heavy runs it") //rules:skip a hundred processes, each ten times as slow with the race detector
	}
	t.Parallel()
	a := newAttacked(t)
	r := a.call("danger__exec", map[string]any{"command": a.wish()})
	if a.approval = deniedApproval(r.body); a.approval == "" || !strings.Contains(r.body, "E_TOOL_DENIED") {
		t.Fatalf("not asked: %v", r)
	}
	a.held("asking")
	for _, attack := range attacks() {
		t.Run(attack.name, func(t *testing.T) {
			attack.try(&attacked{a.served, t, a.model, a.canary, a.policy, a.approval, a.before})
			a.held(attack.name)
		})
	}
	// A person can, so what held above is not a server that refuses everything. It is
	// about another call: the attacks have left calls that wait for this answer.
	mine := map[string]any{"command": a.wish() + "; true"}
	said := a.decide("approvals", "approve", deniedApproval(a.call("danger__exec", mine).body))
	r = a.call("danger__exec", mine)
	if _, err := os.Stat(a.canary); err != nil {
		t.Errorf("after a person's yes (%s): %v", said, r)
	}
}

// deniedApproval finds the id of an approval in a text.
func deniedApproval(text string) string {
	_, rest, found := strings.Cut(text, "ap-")
	if !found {
		return ""
	}
	end := strings.IndexFunc(rest, func(r rune) bool { return (r < 'a' || r > 'z') && (r < '0' || r > '9') })
	if end < 0 {
		end = len(rest)
	}
	return "ap-" + rest[:end]
}

// attack is one of the ways that we could think of.
type attack struct {
	name string
	try  func(*attacked)
}

func attacks() []attack {
	return []attack{
		{"commands below bash", attackCommands},
		{"modes below bash", attackModes},
		{"its own configuration", attackConfiguration},
		{"files of gongu by bash", attackFilesByBash},
		{"files of gongu by file tools", attackFilesByTools},
		{"the HTTP API with its own token", attackAPI},
		{"the HTTP API from tools", attackAPIFromTools},
		{"answers of its own client", attackAnswers},
		{"tools inside of tools", attackNested},
		{"a presence that is none", attackPresence},
		{"another call for the same yes", attackOtherCalls},
	}
}

// attackCommands: every command that decides, without a terminal, with answers at
// standard input, with a terminal that bash made, without the mark of gongu's
// children, and after the ancestors have gone.
func attackCommands(a *attacked) {
	commands := [][]string{
		{"approvals", "approve", a.approval}, {"approvals", "deny", a.approval}, {"trust"}, {"pins", "accept", "--all"},
		{"token", "new", "--name", "mine", "--manage", "all"}, {"token", "login"}, {"policy", "remove", "ask-danger"},
	}
	const answers = "(for i in 1 2 3 4; do echo y; done) | "
	var lines []string
	for _, words := range commands {
		plain := a.gongu(words...)
		terminal := shellword.Join("script", "-qec", plain, "/dev/null")
		lines = append(lines,
			plain, answers+plain,
			answers+terminal,
			answers+"env -u GONGU_CHILD "+terminal,
			answers+"env -u GONGU_CHILD setsid -w "+terminal,
		)
	}
	orphan := shellword.Join("script", "-qec", "sleep 0.3; "+a.gongu("approvals", "approve", a.approval), "/dev/null")
	orphans := []string{"(" + answers + "setsid " + orphan + " >/dev/null 2>&1 &)", "(" + answers + "env -i setsid " + orphan + " >/dev/null 2>&1 &)", "sleep 1.5"}
	// The sandbox has no terminals, and no access to the records. Without it, only
	// what SECURITY.md lists is left out: orphans.
	for tool, more := range map[string][]string{"bash__exec": orphans, "bare__exec": nil} {
		var all []string
		for _, line := range append(slices.Clone(lines), more...) {
			all = append(all, "timeout 20 sh -c "+shellword.Quote(line)+" </dev/null 2>&1 &")
		}
		r := a.call(tool, map[string]any{"command": strings.Join(all, "\n") + "\nwait"})
		var result struct{ Output struct{ Stdout string } }
		if err := json.Unmarshal([]byte(r.body), &result); err != nil || r.status != http.StatusOK {
			a.t.Fatal(r)
		}
		said := result.Output.Stdout
		if refused := strings.Count(said, "program that gongu started"); tool == "bare__exec" && refused < 20 { // trust and pins have nothing to ask about
			a.t.Errorf("%d refusals: %s", refused, said)
		}
		if strings.Contains(said, "login?code=") || strings.Contains(said, "gongu_") {
			a.t.Errorf("a secret was made: %s", said)
		}
	}
}

// attackModes: a mode that asks less is refused below a process that gongu started.
func attackModes(a *attacked) {
	args, err := json.Marshal(map[string]string{"command": a.wish()})
	if err != nil {
		a.t.Fatal(err)
	}
	initialize := `{"jsonrpc":"2.0","id":0,"method":"initialize","params":{"protocolVersion":"2025-11-25","capabilities":{},"clientInfo":{"name":"claude-code","version":"9"}}}`
	call := fmt.Sprintf(`{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"danger__exec","arguments":%s}}`, args)
	for _, mode := range []string{"bypass", "edits"} {
		a.bash(strings.Join([]string{
			a.gongu("call", "--permission", mode, "danger__exec", string(args)) + " 2>&1",
			"env -u GONGU_CHILD setsid -w " + a.gongu("call", "--permission", mode, "danger__exec", string(args)) + " 2>&1",
			"printf '%s\\n' " + shellword.Quote(initialize) + " " + shellword.Quote(call) + " | timeout 10 " + a.gongu("serve", "--stdio", "--permission", mode) + " 2>&1",
			"printf '%s\\n' " + shellword.Quote(initialize) + " " + shellword.Quote(call) + " | timeout 10 " + a.gongu("serve", "--stdio", "--client", strings.Repeat("0", 32)) + " 2>&1",
			"true",
		}, "; "))
	}
}

// attackConfiguration: the model starts gongu with a configuration and a state of
// its own, where its rules allow everything. That gongu is one more process in
// the sandbox of bash.
func attackConfiguration(a *attacked) {
	args, err := json.Marshal(map[string]string{"command": a.wish()})
	if err != nil {
		a.t.Fatal(err)
	}
	rules := strings.ReplaceAll(attackedPolicy, "effect: ask", "effect: allow")
	a.bash(strings.Join([]string{
		`mkdir -p "$TMPDIR/own/state"`, "printf '%s' " + shellword.Quote(rules) + ` > "$TMPDIR/own/policy.yaml"`,
		`export GONGU_CONFIG_DIR="$TMPDIR/own" GONGU_STATE_ROOT="$TMPDIR/own/state"`,
		`digest=$(` + a.gongu("trust", "--show", "--json") + ` | grep -o 'sha256:[0-9a-f]*' | head -1)`,
		a.gongu("call", "danger__exec", string(args)) + ` --trust "$digest" 2>&1`,
		a.gongu("approvals", "approve", a.approval) + " 2>&1",
		"true",
	}, "; "))
}

// attackFilesByBash: the sandbox closes the state and the configuration.
func attackFilesByBash(a *attacked) {
	state, config := a.run("state", "path"), filepath.Dir(a.policy)
	a.connected()
	if _, err := os.Stat(filepath.Join(config, clients.Name)); err != nil {
		a.t.Fatal(err)
	}
	r := a.bash(strings.Join([]string{
		"find " + shellword.Quote(state) + " -type f -not -path '*/workspace/*' -exec sh -c 'head -c 4 \"$1\" >/dev/null 2>&1 && echo READ $1; echo x 2>/dev/null >> \"$1\" && echo WROTE $1' _ {} \\; 2>/dev/null",
		"for f in " + shellword.Quote(config) + "/* " + shellword.Quote(filepath.Join(config, clients.Name)) + "; do head -c 4 \"$f\" >/dev/null 2>&1 && echo READ $f; done",
		"(echo x >> " + shellword.Quote(a.policy) + ") 2>/dev/null && echo WROTE",
		"(mv " + shellword.Quote(config) + " " + shellword.Quote(config) + "2) 2>/dev/null && echo WROTE",
		"(ln -sf /dev/null " + shellword.Quote(a.policy) + ") 2>/dev/null && echo WROTE",
		"(rm -f " + shellword.Quote(a.policy) + ") 2>/dev/null && echo WROTE",
		"(echo x >> " + shellword.Quote(filepath.Join(a.dir, "gongu.yaml")) + ") 2>/dev/null && echo WROTE",
		"true",
	}, "; "))
	var output struct{ Output struct{ Stdout string } }
	if err := json.Unmarshal([]byte(r.body), &output); err != nil {
		a.t.Fatal(err)
	}
	for line := range strings.Lines(output.Output.Stdout) {
		// The copy that was consented to is what the tools of the bundle run from.
		if strings.HasPrefix(line, "WROTE") || !strings.Contains(line, "/copies/") && !strings.Contains(line, "/consented/") {
			a.t.Errorf("bash reached %s", line)
		}
	}
}

// attackFilesByTools: file tools and scripts neither.
func attackFilesByTools(a *attacked) {
	allow := strings.ReplaceAll(attackedPolicy, "effect: ask", "effect: allow")
	state, known := a.run("state", "path"), filepath.Join(filepath.Dir(a.policy), clients.Name)
	a.connected()
	for _, path := range []string{
		a.policy, known, filepath.Join(filepath.Dir(a.policy), "..", "gongu", "POLICY.yaml"), filepath.Join(a.dir, "gongu.yaml"), filepath.Join(a.dir, "policy.yaml"),
		filepath.Join(a.dir, "gongu.lock"), filepath.Join(state, "records.db"), filepath.Join(state, "tokens.json"), "/etc/gongu/policy.yaml",
	} {
		for _, tool := range []string{"fs__write", "notes__write", "child__write"} {
			if r := a.call(tool, map[string]any{"path": path, "text": allow, "content": allow}); r.status == http.StatusOK && !strings.Contains(r.body, `"status":"error"`) {
				a.t.Errorf("%s wrote %s: %v", tool, path, r)
			}
		}
		a.call("fs__edit", map[string]any{"path": path, "old_string": "ask", "new_string": "allow"})
		a.call("fs__patch", map[string]any{"patch": "*** Begin Patch\n*** Add File: " + path + "\n+" + strings.ReplaceAll(allow, "\n", "\n+") + "\n*** End Patch"})
		if r := a.call("fs__read", map[string]any{"path": path}); (strings.HasPrefix(path, state) || path == known) && r.status == http.StatusOK && !strings.Contains(r.body, `"status":"error"`) {
			a.t.Errorf("fs__read read %s: %v", path, r)
		}
	}
}

// attackAPI: the routes that decide refuse the model's token, and everything that
// is no credential of a person.
func attackAPI(a *attacked) {
	one := "/api/v1/approvals/" + a.approval
	yes := `{"approve":true,"version":1}`
	for _, q := range []struct{ method, path, body string }{
		{http.MethodPost, one, yes}, {http.MethodPost, one, `{"approve":false}`}, {http.MethodPost, "/approvals/" + a.approval, "approve=yes&version=1"},
		{http.MethodPost, "/api/v1/pins/accept", `{"all":true}`}, {http.MethodPost, "/api/v1/requests/req_001/approve", `{}`},
	} {
		for name, change := range map[string]func(*http.Request){
			"its token": func(*http.Request) {},
			"no token":  func(r *http.Request) { r.Header.Del("Authorization") },
			"a cookie of its own": func(r *http.Request) {
				r.Header.Del("Authorization")
				r.Header.Set("Cookie", "gongu_session="+a.model.token)
			},
			"another origin": func(r *http.Request) { r.Header.Set("Origin", "http://attacker.example") },
			"another host":   func(r *http.Request) { r.Host = "attacker.example" },
			"a form":         func(r *http.Request) { r.Header.Set("Content-Type", "application/x-www-form-urlencoded") },
		} {
			r := a.model.do(a.t.Context(), q.method, q.path, q.body, func(r *http.Request) {
				r.Header.Set("Content-Type", "application/json")
				change(r)
			})
			if r.status < 300 {
				a.t.Errorf("%s %s with %s: %v", q.method, q.path, name, r)
			}
		}
	}
}

// attackAPIFromTools: the same from this machine, where the server listens.
func attackAPIFromTools(a *attacked) {
	url := a.url + "/api/v1/approvals/" + a.approval
	a.call("http__post", map[string]any{"url": url, "body": `{"approve":true,"version":1}`, "headers": map[string]string{"Authorization": "Bearer " + a.model.token}})
	a.bash("curl -s -X POST -H " + shellword.Quote("Authorization: Bearer "+a.model.token) + " -H 'Content-Type: application/json' -d '{\"approve\":true,\"version\":1}' " + shellword.Quote(url) +
		"; curl -s -X POST -d '{\"approve\":true,\"version\":1}' " + shellword.Quote(url) + "; true")
}

// attackAnswers: a client that is not known to show questions to a person cannot
// answer them, in either era.
func attackAnswers(a *attacked) {
	args := fmt.Sprintf(`{"command":%q}`, a.wish())
	try := func(u *mcpUser, params ...string) *reply {
		// The server may wait for a person: the model does not.
		ctx, cancel := context.WithTimeout(a.t.Context(), 2*time.Second)
		defer cancel()
		return u.call(ctx, "7", "danger__exec", args, params...)
	}
	for _, modern := range []bool{true, false} {
		u := *a.model
		u.modern, u.session = modern, ""
		r := try(&u)
		state, key := quotedAfter(r.body, `"requestState":"`), quotedAfter(r.body, `"inputRequests":{"`)
		if state == "" {
			continue
		}
		for _, answer := range []string{`{"action":"accept","content":{"answer":"yes"}}`, `{"action":"accept"}`, `{"action":"accept","content":{"answer":true}}`} {
			try(&u, fmt.Sprintf(`"requestState":%q,"inputResponses":{%q:%s}`, state, key, answer))
		}
	}
}

// attackNested: what asks does so inside of a macro, of call_tool and of code.
func attackNested(a *attacked) {
	a.call("wrap", map[string]any{"command": a.wish()})
	a.call("call_tool", map[string]any{"name": "danger__exec", "args": map[string]any{"command": a.wish()}})
	a.call("call_tool", map[string]any{"name": "wrap", "args": map[string]any{"command": a.wish()}})
	a.call("run_code", map[string]any{"code": fmt.Sprintf(`try { await tools.danger__exec({command: %q}) } catch (e) {}; return await tools.wrap({command: %q})`, a.wish(), a.wish())})
	a.call("register_tool", map[string]any{"name": "mine", "description": "m", "steps": []any{map[string]any{"tool": "danger__exec", "params": map[string]any{"command": a.wish()}}}})
	a.call("mine", map[string]any{})
}

// attackPresence: a list that a program of the model watches is seen by no person.
func attackPresence(a *attacked) {
	a.bash("timeout 2 " + a.gongu("approvals", "watch") + " </dev/null 2>&1; timeout 2 script -qec " + shellword.Quote(a.gongu("approvals", "watch")) + " /dev/null </dev/null 2>&1; true")
	r := a.call("danger__exec", map[string]any{"command": a.wish() + " "})
	if !strings.Contains(r.body, "E_TOOL_DENIED") || deniedApproval(r.body) == "" {
		a.t.Errorf("not denied at once: %v", r)
	}
}

// attackOtherCalls: names, arguments and callers that differ a little.
func attackOtherCalls(a *attacked) {
	for _, args := range []map[string]any{
		{"command": a.wish()}, {"command": a.wish() + " #"}, {"command": a.wish(), "timeoutMs": 1000}, {"command": "true;" + a.wish()},
	} {
		for _, tool := range []string{"danger__exec", "Danger__exec", "danger__exec ", "mcp__danger__exec"} {
			a.call(tool, args)
		}
	}
	a.model.call(a.t.Context(), "9", "danger__exec", fmt.Sprintf(`{"command":%q}`, a.wish()), fmt.Sprintf(`"_meta":{"approval":%q,"approved":true}`, a.approval))
}

// What SECURITY.md says about a process of the same user without a sandbox: it can
// imitate the person. Here it writes a rule.
func TestSecurity_UnsandboxedProcessOfTheUser(t *testing.T) {
	t.Parallel()
	a := newAttacked(t)
	allow := strings.ReplaceAll(attackedPolicy, "effect: ask", "effect: allow")
	if r := a.call("bare__exec", map[string]any{"command": "printf '%s' " + shellword.Quote(allow) + " > " + shellword.Quote(a.policy)}); r.status != http.StatusOK {
		t.Fatal(r)
	}
	waitFor(t, "for the rule to count", func() bool {
		a.call("danger__exec", map[string]any{"command": a.wish()})
		_, err := os.Stat(a.canary)
		return err == nil
	})
}
