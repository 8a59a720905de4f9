//go:build linux

package main

import (
	"bytes"
	"fmt"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync/atomic"
	"testing"
)

// stranger is a folder of somebody else, whose servers leave a trace when they
// are started or reached.
type stranger struct {
	t       *testing.T
	dir     string
	env     []string
	started string // exists when a program was started
	address string
	reached atomic.Int32
}

func newStranger(t *testing.T) *stranger {
	t.Helper()
	s := &stranger{t: t, dir: t.TempDir()}
	s.started = filepath.Join(t.TempDir(), "started")
	home := t.TempDir()
	s.env = append(os.Environ(), "HOME="+home, "XDG_CONFIG_HOME="+home, "XDG_STATE_HOME="+home, "GONGU_CONFIG_DIR="+home,
		"CANARY=value-of-the-variable", "TMPDIR="+home, "GORACE=atexit_sleep_ms=0")
	server := httptest.NewServer(http.HandlerFunc(func(http.ResponseWriter, *http.Request) { s.reached.Add(1) }))
	t.Cleanup(server.Close)
	s.address = server.Listener.Addr().String()
	s.write("canary.sh", "#!/bin/sh\necho \"$0 $* $KEY\" >>"+s.started+"\n", 0o755)
	s.write("key", "value-of-the-file", 0o600)
	s.write(".mcp.json", fmt.Sprintf(`{"mcpServers":{
		"program":{"command":"./canary.sh","args":["$CANARY"],"env":{"KEY":"${CANARY}"}},
		"address":{"type":"http","url":"http://%s/mcp","headers":{"X-Key":"${file:%s/key}"}}}}`, s.address, s.dir), 0o600)
	s.write(".gemini/settings.json", fmt.Sprintf(`{"mcpServers":{"gem":{"command":"./canary.sh","env":{"KEY":"$CANARY"}},
		"far":{"httpUrl":"http://%s/mcp","headers":{"X-Key":"$CANARY"}}},
		"toolDiscoveryCommand":"./canary.sh discover","toolCallCommand":"./canary.sh call"}`, s.address), 0o600)
	s.write("config.toml", "[mcp_servers.codex]\ncommand = \"./canary.sh\"\nenv_vars = [\"CANARY\"]\n", 0o600)
	s.write("opencode.json", `{"mcp":{"open":{"type":"local","command":["./canary.sh"],"environment":{"KEY":"{env:CANARY}"}}}}`, 0o600)
	return s
}

func (s *stranger) write(name, text string, mode os.FileMode) {
	s.t.Helper()
	path := filepath.Join(s.dir, name)
	if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
		s.t.Fatal(err)
	}
	if err := os.WriteFile(path, []byte(text), mode); err != nil {
		s.t.Fatal(err)
	}
}

// run runs gongu in the folder, and returns all that it printed.
func (s *stranger) run(args ...string) string {
	s.t.Helper()
	cmd := exec.Command("gongu", args...)
	cmd.Dir, cmd.Env = s.dir, s.env
	out, err := cmd.CombinedOutput()
	if cmd.ProcessState == nil {
		s.t.Fatal(err)
	}
	return string(out)
}

// asPerson runs a command at a terminal, where every question is answered with no.
func (s *stranger) asPerson(args ...string) string {
	s.t.Helper()
	cmd := exec.Command("gongu", args...)
	cmd.Dir, cmd.Env = s.dir, s.env
	var out bytes.Buffer
	cmd.Stdout, cmd.Stderr = &out, &out
	shown, err := asPerson(cmd, "n")
	if cmd.ProcessState == nil {
		s.t.Fatal(err)
	}
	return out.String() + shown
}

// untouched fails when something was started or reached since the last time.
func (s *stranger) untouched(args ...string) {
	s.t.Helper()
	if trace, err := os.ReadFile(s.started); err == nil {
		s.t.Errorf("gongu %s started: %s", strings.Join(args, " "), trace)
		_ = os.Remove(s.started)
	}
	if n := s.reached.Swap(0); n > 0 {
		s.t.Errorf("gongu %s connected", strings.Join(args, " "))
	}
}

// K9, attack 5: reading a stranger's configuration starts nothing and reaches
// nothing, and what it refers to is text until a person accepts it.
func TestK9ReadingStartsNothing(t *testing.T) {
	s := newStranger(t)
	s.write("bundle/gongu.yaml", fmt.Sprintf(`apiVersion: gongu/v1
kind: McpServer
metadata: {name: program}
spec: {command: %[1]s/canary.sh, warm: true}
---
apiVersion: gongu/v1
kind: McpServer
metadata: {name: address}
spec: {url: "http://%[2]s/mcp", warm: true}
---
apiVersion: gongu/v1
kind: ToolCommand
metadata: {name: tools}
spec: {discover: [%[1]s/canary.sh, discover], call: [%[1]s/canary.sh, call]}
---
apiVersion: gongu/v1
kind: Tool
metadata: {name: script}
spec: {entry: ./script.js, exports: [{name: x, description: x}]}
---
apiVersion: gongu/v1
kind: Extension
metadata: {name: ext}
spec: {entry: ./ext.js}
`, s.dir, s.address), 0o600)
	touch := fmt.Sprintf("fetch('http://%s/');\n", s.address)
	s.write("bundle/script.js", touch+"export const handlers = { x: () => 1 };\n", 0o600)
	s.write("bundle/ext.js", touch+"export function register() { "+touch+" }\n", 0o600)
	s.write("mine/note", "", 0o600) // makes the folder
	for _, args := range [][]string{
		{"connect", "claude", "--scope", "project", "--print"},
		{"connect", "claude", "--scope", "project", "--print", "--json"},
		{"connect", "claude", "--config", ".mcp.json", "--print"},
		{"connect", "gemini", "--scope", "project", "--print"},
		{"connect", "codex", "--config", "config.toml", "--print"},
		{"connect", "opencode", "--config", "opencode.json", "--print"},
		{"mcp", "import", ".mcp.json", "--dry-run", "-b", "mine"},
		{"mcp", "import", ".mcp.json", "-b", "mine"},
		{"mcp", "import", ".gemini/settings.json", "-b", "mine"},
		{"mcp", "import", "config.toml", "-b", "mine"},
		{"mcp", "import", "opencode.json", "-b", "mine"},
		{"validate", "mine"},
		{"validate", "--strict", "bundle"},
		{"trust", "--show", "bundle"},
		{"trust", "--show", "--json", "bundle"},
		{"doctor", "-b", "bundle"},
		{"doctor", "-b", "bundle", "--json"},
	} {
		out := s.run(args...)
		t.Logf("gongu %s:\n%s", strings.Join(args, " "), out)
		s.untouched(args...)
		if strings.Contains(out, "value-of-") {
			t.Errorf("gongu %s printed a value:\n%s", strings.Join(args, " "), out)
		}
	}
	written, err := os.ReadFile(filepath.Join(s.dir, "mine", "gongu.yaml"))
	if err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{
		"KEY: $${env:CANARY}\n", "X-Key: $${file:" + s.dir + "/key}\n", "X-Key: $${env:CANARY}\n", "CANARY: $${env:CANARY}\n",
	} {
		if !strings.Contains(string(written), want) {
			t.Errorf("the bundle has no %q:\n%s", want, written)
		}
	}
	if bare := strings.ReplaceAll(string(written), "$${", ""); strings.Contains(bare, "${") {
		t.Errorf("the bundle refers to values:\n%s", written)
	}
	// The server gets the text, and nothing else.
	s.env = append(s.env, "CONSENT=auto")
	out := s.run("tools", "--refresh", "-b", "mine")
	trace, err := os.ReadFile(s.started)
	if err != nil {
		t.Fatal("the servers were not started, so the test proves nothing: ", err, out)
	}
	if strings.Contains(string(trace), "value-of-") || !strings.Contains(string(trace), "${env:CANARY}") {
		t.Errorf("the server got: %s", trace)
	}
}

// K9: counting starts the servers, and says so first.
func TestK9CountingSaysSo(t *testing.T) {
	alone := newStranger(t)
	if alone.run("connect", "claude", "--scope", "project"); exists(alone.started) {
		t.Fatal("servers were started, and no person was there")
	}
	s := newStranger(t)
	out := s.asPerson("connect", "claude", "--scope", "project")
	before, _, found := strings.Cut(out, "program  ./canary.sh $CANARY\n")
	if !found || !strings.Contains(before, "Starting these servers") {
		t.Errorf("what is started is not said:\n%s", out)
	}
	if _, err := os.Stat(s.started); err != nil {
		t.Error("nothing was started: ", err)
	}
	if !strings.Contains(out, "Not filled in, because no person has accepted it: env:CANARY, file:") {
		t.Errorf("what is not filled in is not said:\n%s", out)
	}
}
