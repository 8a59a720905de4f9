//go:build e2e

package e2e_test

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"

	"github.com/gongu-ai/gongu/internal/modelserver"
)

const modules = "clients/node_modules"

// person is somebody with a client, in a home of their own.
type person struct {
	home, project string
	env           []string
	model         *modelserver.Server
}

func newPerson(t *testing.T) *person {
	t.Helper()
	model, err := modelserver.Start(
		modelserver.Turn{Tool: `everything__echo$`, Args: json.RawMessage(`{"message":"from the model"}`)},
		modelserver.Turn{Text: "the loop is complete"},
	)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = model.Close() })
	dir := t.TempDir()
	p := &person{home: filepath.Join(dir, "home"), project: filepath.Join(dir, "project"), model: model}
	for _, folder := range []string{p.home, p.project} {
		if err := os.MkdirAll(folder, 0o755); err != nil {
			t.Fatal(err)
		}
	}
	p.env = []string{
		"HOME=" + p.home, "XDG_CONFIG_HOME=" + filepath.Join(p.home, ".config"), "GONGU_TOKEN=not-used",
		"PATH=" + filepath.Dir(nodeFrom(t, modules)) + string(os.PathListSeparator) + os.Getenv("PATH"),
		"NO_PROXY=127.0.0.1,localhost", "TERM=dumb", "CI=1",
	}
	return p
}

func (p *person) write(t *testing.T, name, text string) {
	t.Helper()
	file := filepath.Join(p.home, filepath.FromSlash(name))
	if err := os.MkdirAll(filepath.Dir(file), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(file, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
}

// clientCase is a client as a person has it: its file with a server in it, and
// how to give it a prompt.
type clientCase struct {
	name, file, settings string
	env                  []string
	command              func(t *testing.T) []string
}

func (p *person) clients(t *testing.T) []clientCase {
	t.Helper()
	var local struct {
		Command string
		Args    []string
	}
	server := everything(t)
	if err := json.Unmarshal([]byte(server), &local); err != nil {
		t.Fatal(err)
	}
	words, err := json.Marshal(append([]string{local.Command}, local.Args...))
	if err != nil {
		t.Fatal(err)
	}
	args, err := json.Marshal(local.Args)
	if err != nil {
		t.Fatal(err)
	}
	node := nodeFrom(t, modules)
	return []clientCase{
		{
			"claude", ".claude.json", `{"hasCompletedOnboarding": true, "mcpServers": {"everything": ` + server + `}}`,
			[]string{
				"ANTHROPIC_BASE_URL=" + p.model.URL, "ANTHROPIC_API_KEY=x", "DISABLE_TELEMETRY=1", "DISABLE_AUTOUPDATER=1",
				"CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC=1",
				"ENABLE_TOOL_SEARCH=false", // the model of the script does not search
			},
			func(t *testing.T) []string {
				return []string{node, packages(t, modules, "@anthropic-ai", "claude-code", "cli-wrapper.cjs"),
					"-p", "go", "--allowedTools", "mcp__gongu__everything__echo", "--output-format", "json"}
			},
		},
		{
			"gemini", ".gemini/settings.json",
			`{"security": {"auth": {"selectedType": "gemini-api-key"}}, "mcpServers": {"everything": ` + server + `}}`,
			[]string{"GEMINI_API_KEY=x", "GOOGLE_GEMINI_BASE_URL=" + p.model.URL, "GEMINI_CLI_TRUST_WORKSPACE=true"},
			func(t *testing.T) []string {
				return []string{node, packages(t, modules, "@google", "gemini-cli", "bundle", "gemini.js"),
					"-p", "go", "-m", "gemini-2.5-flash", "--yolo", "--output-format", "json"}
			},
		},
		{
			"codex", ".codex/config.toml", fmt.Sprintf(`model = "scripted"
model_provider = "scripted"
approval_policy = "never"

[model_providers.scripted]
name = "scripted"
base_url = "%s/v1"
wire_api = "responses"
env_key = "SCRIPTED_KEY"

[mcp_servers.everything]
command = %q
args = %s
`, p.model.URL, local.Command, args),
			[]string{"SCRIPTED_KEY=x"},
			func(t *testing.T) []string {
				return []string{node, packages(t, modules, "@openai", "codex", "bin", "codex.js"),
					"exec", "--skip-git-repo-check", "-c", `mcp_servers.gongu.default_tools_approval_mode="approve"`, "--json", "go"}
			},
		},
		{
			"opencode", ".config/opencode/opencode.json", fmt.Sprintf(`{
  // the scripted model
  "provider": {"scripted": {"npm": "@ai-sdk/openai-compatible", "options": {"baseURL": "%s/v1", "apiKey": "x"}, "models": {"scripted": {"tool_call": true}}}},
  "model": "scripted/scripted",
  "autoupdate": false,
  "mcp": {"everything": {"type": "local", "command": %s, "enabled": true}}
}`, p.model.URL, words),
			nil,
			func(t *testing.T) []string {
				return []string{packages(t, modules, "opencode-"+opencodePlatform(), "bin", "opencode"), "run", "--format", "json", "go"}
			},
		},
	}
}

func opencodePlatform() string {
	arch := runtime.GOARCH
	if arch == "amd64" {
		arch = "x64"
	}
	return runtime.GOOS + "-" + arch
}

// TestClients: each client has a server, gongu connect puts gongu between, and
// the whole loop runs: model, client, gongu, server, and back to the model.
func TestClients(t *testing.T) {
	for _, name := range []string{"claude", "gemini", "codex", "opencode"} {
		for _, transport := range []string{"http", "stdio"} {
			t.Run(name+"/"+transport, func(t *testing.T) {
				p := newPerson(t)
				for _, c := range p.clients(t) {
					if c.name == name {
						p.loop(t, c, transport)
					}
				}
			})
		}
	}
}

func (p *person) loop(t *testing.T, c clientCase, transport string) {
	p.write(t, c.file, c.settings)
	env := append(p.env, c.env...)
	bundle := t.TempDir()
	connect := []string{"connect", c.name, "-b", bundle, "--allow", "*"}
	if transport == "http" {
		// The servers are in the bundle before it is served.
		gongu(t, env, "mcp", "import", filepath.Join(p.home, filepath.FromSlash(c.file)), "-b", bundle)
		connect = append(connect, "--http", "--url", serve(t, bundle))
	}
	t.Log(gongu(t, env, connect...))
	command := c.command(t)
	out, problems, err := output(t, p.project, env, command[0], command[1:]...)
	if err != nil {
		t.Errorf("%s: %v", c.name, err)
	}
	p.check(t)
	if !strings.Contains(out, "the loop is complete") {
		t.Errorf("the client did not print the model's last words")
	}
	if t.Failed() {
		t.Logf("%s printed:\n%s\n%s", c.name, out, problems)
	}
	// The way back is exact.
	gongu(t, env, "connect", c.name, "--undo", "--force")
	now, err := os.ReadFile(filepath.Join(p.home, filepath.FromSlash(c.file)))
	if err != nil {
		t.Fatal(err)
	}
	if string(now) != c.settings {
		t.Errorf("after undo the file is\n%s", now)
	}
}

// check: the model called the tool through gongu and got the server's answer.
func (p *person) check(t *testing.T) {
	t.Helper()
	var called string
	answered := false
	for _, r := range p.model.Requests() {
		if r.Called != "" {
			called = r.Called
		}
		for _, result := range r.Results {
			answered = answered || strings.Contains(result, "Echo: from the model")
		}
	}
	if !strings.Contains(called, "gongu") || !strings.HasSuffix(called, "everything__echo") {
		t.Errorf("the model called %q", called)
	}
	if !answered {
		t.Error("the model never saw the server's answer")
	}
	if t.Failed() {
		for i, r := range p.model.Requests() {
			t.Logf("request %d: %s, %d tools %.300q, results %.300q, called %q, said %q", i, r.API, len(r.Tools), r.Tools, r.Results, r.Called, r.Text)
		}
	}
}
