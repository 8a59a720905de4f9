//go:build linux

package main

import (
	"context"
	"fmt"
	"net/http"
	"net/http/httptest"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

// leakBundle has servers and a program that give their secrets away, with a
// canary in each kind of secret.
func leakBundle(t *testing.T, c *canaries, dir string) (yaml string, env []string) {
	t.Helper()
	for _, name := range []string{"ENV", "HEADER", "QUERY", "ARG", "PASSWORD", "COMMAND"} {
		env = append(env, "CANARY_"+name+"="+c.plant(name))
	}
	file := filepath.Join(dir, "key.pem")
	pem := "-----BEGIN KEY-----\n" + c.plant("FILE") + "\n" + c.plant("FILE2") + "\n-----END KEY-----\n"
	if err := os.WriteFile(file, []byte(pem), 0o600); err != nil {
		t.Fatal(err)
	}
	server := httptest.NewServer(http.HandlerFunc(leakHTTP))
	t.Cleanup(server.Close)
	granted := server.URL + "/granted"
	grant := fmt.Sprintf(`{"version":1,"grants":{%q:{"issuer":%q,"resource":%q,"clientId":"id","clientSecret":%q,"tokenUrl":%q,
		"token":{"access_token":%q,"refresh_token":%q,"token_type":"Bearer","expiry":"2100-01-01T00:00:00Z"}}}}`,
		" "+granted, server.URL, granted, c.plant("CLIENT"), server.URL+"/token", c.plant("ACCESS"), c.plant("REFRESH"))
	state := filepath.Join(dir, "state")
	if err := os.MkdirAll(state, 0o700); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(state, "mcp-tokens.json"), []byte(grant), 0o600); err != nil {
		t.Fatal(err)
	}
	program, err := exec.LookPath(leakProgram)
	if err != nil {
		t.Fatal(err)
	}
	host := strings.TrimPrefix(server.URL, "http://")
	return fmt.Sprintf(`apiVersion: gongu/v1
kind: McpServer
metadata: {name: pipes}
spec:
  command: %[1]s
  args: [serve, --api-key, "${env:CANARY_ARG}"]
  env: {SOME_SETTING: "${env:CANARY_ENV}", KEY: "${file:%[2]s}", API_KEY: %[5]s}
  timeouts: {call: 500ms}
---
apiVersion: gongu/v1
kind: McpServer
metadata: {name: dies}
spec:
  command: %[1]s
  args: [start]
  env: {SOME_SETTING: "${env:CANARY_ENV}", KEY: "${file:%[2]s}"}
---
apiVersion: gongu/v1
kind: McpServer
metadata: {name: web}
spec:
  url: "http://user:${env:CANARY_PASSWORD}@%[3]s/mcp?x=${env:CANARY_QUERY}"
  headers: {X-Key: "Bearer ${env:CANARY_HEADER}", X-Api-Key: %[6]s}
  timeouts: {call: 5s}
---
apiVersion: gongu/v1
kind: McpServer
metadata: {name: gone}
spec: {url: "http://user:${env:CANARY_PASSWORD}@127.0.0.1:1/mcp?x=${env:CANARY_QUERY}", headers: {X-Key: "${env:CANARY_HEADER}"}}
---
apiVersion: gongu/v1
kind: McpServer
metadata: {name: granted}
spec: {url: %[4]q, shared: true, timeouts: {call: 5s}}
---
apiVersion: gongu/v1
kind: ToolCommand
metadata: {name: lister}
spec:
  discover: [sh, -c, 'env >&2; exit 1']
  call: [sh, -c, 'exit 1']
  env: {SOME_SETTING: "${env:CANARY_COMMAND}"}
---
apiVersion: gongu/v1
kind: ToolCommand
metadata: {name: caller}
spec:
  discover: [echo, '[{"name":"fail","description":"Fails."}]']
  call: [sh, -c, 'env; env >&2; exit 1']
  env: {SOME_SETTING: "${env:CANARY_COMMAND}"}
`, program, file, host, granted, c.plant("LITERAL"), c.plant("LITERALHEADER")), env
}

// leakTools are all tools of the bundle that fail.
func leakTools() []string {
	tools := []string{"caller__fail", "lister__x", "dies__x", "gone__x"}
	for _, server := range []string{"pipes", "web", "granted"} {
		for _, name := range leaks {
			if name != "honest" {
				tools = append(tools, server+"__"+name)
			}
		}
	}
	return tools
}

// byDesign are the files that hold secrets: the configuration of the user, its
// consented copy, the grants of OAuth and the file of the first token.
var byDesign = []string{"gongu.yaml", "key.pem", "mcp-tokens.json", "/token"}

// K13, attack 12: a canary in every kind of secret is in nothing that gongu
// writes, whatever its servers do: answers, errors, logs, metrics, files.
func TestCanarySecretsServed(t *testing.T) {
	c := newCanaries(t)
	outside := t.TempDir()
	yaml, env := leakBundle(t, c, outside)
	for _, pair := range env {
		name, value, _ := strings.Cut(pair, "=")
		t.Setenv(name, value)
	}
	s := serveBundle(t, yaml, "--state-root", filepath.Join(outside, "state"))
	c.add("first token", s.secret)
	eras(t, func(t *testing.T, modern bool) {
		user := s.user(modern)
		defer user.http.CloseIdleConnections()
		c.search("tools/list", user.request(context.Background(), "1", "tools/list", "").body)
		seen := 0
		for i, tool := range leakTools() {
			r := user.call(context.Background(), fmt.Sprint(i+2), tool, "{}")
			c.search("the answer of "+tool, r.body)
			if strings.Contains(r.body, "[secret ") {
				seen++
			}
		}
		if seen < 8 {
			t.Errorf("only %d answers had a secret to replace: the servers do not leak as they should", seen)
		}
		// What a tool answers is its own: the bytes are passed on.
		if r := user.call(context.Background(), "99", "web__honest", "{}"); !strings.Contains(r.body, c.values["HEADER"]) {
			t.Errorf("the result of a tool was changed: %s", r)
		}
	})
	user := s.user(false)
	for _, path := range []string{"/api/v1/tools", "/api/v1/sources", "/api/v1/pins", "/api/v1/requests", "/api/v1/search?q=fail", "/api/v1/declarations?dialect=openai", "/metrics", "/", "/readyz", "/api/v1/nothing"} {
		c.search(path, user.get(path).body)
	}
	for _, tool := range leakTools() {
		r := user.do(context.Background(), http.MethodPost, "/api/v1/calls", fmt.Sprintf(`{"name":%q}`, tool), func(r *http.Request) { r.Header.Set("Content-Type", "application/json") })
		c.search("the API's call of "+tool, r.body)
	}
	searchRecords(t, c, s)
	s.stop()
	c.search("gongu logs", s.run("logs", "-n", "10000", "--state-root", filepath.Join(outside, "state")))
	if !strings.Contains(s.stderr.String(), "[secret ") {
		t.Error("the log had no secret to replace")
	}
	c.search("standard output", s.stdout.String())
	c.search("the log", s.stderr.String())
	c.searchFolder(s.dir, byDesign...)
	c.searchFolder(outside, byDesign...)
}

// searchRecords searches what was recorded of calls: the history with arguments and
// results, the audit and the events. The files of the store are searched with all
// others.
func searchRecords(t *testing.T, c *canaries, s *served) {
	t.Helper()
	user := s.user(false)
	defer user.http.CloseIdleConnections()
	// A model may repeat what a tool has told it.
	user.call(context.Background(), "100", "web__honest", fmt.Sprintf(`{"again":%q}`, c.values["HEADER"]))
	s.post("web__"+c.values["ENV"], "call_"+c.values["ENV"], "{}")
	s.post("caller__fail", "call_end", "{}")
	waitFor(t, "for the records", func() bool { return strings.Contains(user.get("/api/v1/calls?limit=5").body, "call_end") })
	seen := 0
	for _, id := range s.history("") {
		body := user.get("/api/v1/calls/" + url.PathEscape(id)).body
		c.search("the history of "+id, body)
		if strings.Contains(body, "[secret ") {
			seen++
		}
	}
	if seen < 10 {
		t.Errorf("only %d recorded calls had a secret to replace", seen)
	}
	for _, path := range []string{"/api/v1/calls?limit=1000", "/api/v1/audit?limit=1000", "/api/v1/status"} {
		c.search(path, user.get(path).body)
	}
	f := &follower{t: t, last: "0", token: s.secret}
	f.follow(s.url, 1<<20, func(kind, data string) bool {
		c.search("an event "+kind, data)
		return strings.Contains(data, "call_end")
	})
	if len(f.seen) < 20 {
		t.Errorf("%d events", len(f.seen))
	}
}

// K13: the same for the command line.
func TestCanarySecretsCommands(t *testing.T) {
	c := newCanaries(t)
	outside, dir := t.TempDir(), t.TempDir()
	yaml, env := leakBundle(t, c, outside)
	if err := os.WriteFile(filepath.Join(dir, "gongu.yaml"), []byte(yaml), 0o600); err != nil {
		t.Fatal(err)
	}
	seen := 0
	run := func(args ...string) {
		cmd := exec.Command("gongu", append(args, "-b", dir, "--state-root", filepath.Join(outside, "state"))...)
		cmd.Env = append(append(os.Environ(), "HOME="+outside, "XDG_CONFIG_HOME="+outside, "XDG_STATE_HOME="+outside, "CONSENT=auto", "TMPDIR="+outside, "GORACE=atexit_sleep_ms=0"), env...)
		out, err := cmd.CombinedOutput()
		if cmd.ProcessState == nil {
			t.Fatal(err)
		}
		c.search("gongu "+strings.Join(args, " "), string(out))
		if strings.Contains(string(out), "[secret ") {
			seen++
		}
	}
	run("tools", "--refresh")
	for _, args := range [][]string{
		{"tools"}, {"tools", "--json"}, {"sources"}, {"sources", "--json"}, {"pins", "list"}, {"pins", "diff"}, {"doctor"}, {"tools", "--dialect", "openai"},
		{"search", "fail"}, {"requests", "list"},
	} {
		run(args...)
	}
	defer run("logs", "-n", "1000")
	for _, tool := range leakTools() {
		run("call", "--permission", "bypass", tool)
		if strings.HasPrefix(tool, "web__") {
			run("call", "--permission", "bypass", "--json", tool)
		}
	}
	if seen < 10 {
		t.Errorf("only %d outputs had a secret to replace", seen)
	}
	c.searchFolder(dir, byDesign...)
	c.searchFolder(outside, byDesign...)
}
