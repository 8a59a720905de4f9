//go:build e2e

package e2e_test

import (
	"encoding/json"
	"fmt"
	"runtime"
	"testing"
)

// clientCase is a client as a person has it: its file, with a server in it or
// without, and how to give it a prompt.
type clientCase struct {
	name, file, settings string
	// manifest is the package that is installed.
	manifest string
	// rewrites says that the client keeps its state in the same file.
	rewrites bool
	env      []string
	command  []string
}

// clients are all of them. They have the server of that name, or none without one.
func (p *person) clients(t *testing.T, name, folder string) []clientCase {
	t.Helper()
	has := server{Name: name}
	if name != "" {
		has = reference(t, folder)[name]
		has.Name = name
	}
	return []clientCase{p.claude(t, has), p.gemini(t, has), p.codex(t, has), p.opencode(t, has)}
}

func encoded(t *testing.T, v any) string {
	t.Helper()
	out, err := json.Marshal(v)
	if err != nil {
		t.Fatal(err)
	}
	return string(out)
}

// servers is the member mcpServers of a client's file, behind another.
func servers(t *testing.T, s server) string {
	t.Helper()
	if s.Command == "" {
		return ""
	}
	return `, "mcpServers": {"` + s.Name + `": ` + encoded(t, s) + `}`
}

func (p *person) claude(t *testing.T, s server) clientCase {
	t.Helper()
	return clientCase{
		name: "claude", manifest: "@anthropic-ai/claude-code",
		file: ".claude.json", rewrites: true,
		settings: `{"hasCompletedOnboarding": true` + servers(t, s) + `}`,
		env: []string{
			"ANTHROPIC_BASE_URL=" + p.model.URL, "ANTHROPIC_API_KEY=x", "DISABLE_TELEMETRY=1", "DISABLE_AUTOUPDATER=1",
			"CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC=1",
			"CLAUDE_CODE_MCP_STARTUP_WAIT_MS=60000", // a busy machine is slow
			"ENABLE_TOOL_SEARCH=false",              // the model of the script does not search
		},
		command: []string{
			nodeFrom(t, modules), packages(t, modules, "@anthropic-ai", "claude-code", "cli-wrapper.cjs"),
			"-p", "go", "--allowedTools", "mcp__gongu", "--output-format", "json",
		},
	}
}

func (p *person) gemini(t *testing.T, s server) clientCase {
	t.Helper()
	return clientCase{
		name: "gemini", manifest: "@google/gemini-cli",
		file:     ".gemini/settings.json",
		settings: `{"security": {"auth": {"selectedType": "gemini-api-key"}}` + servers(t, s) + `}`,
		env:      []string{"GEMINI_API_KEY=x", "GOOGLE_GEMINI_BASE_URL=" + p.model.URL, "GEMINI_CLI_TRUST_WORKSPACE=true"},
		command: []string{
			nodeFrom(t, modules), packages(t, modules, "@google", "gemini-cli", "bundle", "gemini.js"),
			"-p", "go", "-m", "gemini-2.5-flash", "--yolo", "--output-format", "json",
		},
	}
}

func (p *person) codex(t *testing.T, s server) clientCase {
	t.Helper()
	settings := fmt.Sprintf(`model = "scripted"
model_provider = "scripted"
approval_policy = "never"

[model_providers.scripted]
name = "scripted"
base_url = "%s/v1"
wire_api = "responses"
env_key = "SCRIPTED_KEY"
`, p.model.URL)
	if s.Command != "" {
		settings += fmt.Sprintf("\n[mcp_servers.%s]\ncommand = %s\nargs = %s\n", s.Name, encoded(t, s.Command), encoded(t, s.Args))
	}
	return clientCase{
		name: "codex", manifest: "@openai/codex",
		file: ".codex/config.toml", settings: settings,
		env: []string{"SCRIPTED_KEY=x"},
		command: []string{
			nodeFrom(t, modules), packages(t, modules, "@openai", "codex", "bin", "codex.js"),
			"exec", "--skip-git-repo-check", "-c", `mcp_servers.gongu.default_tools_approval_mode="approve"`, "--json", "go",
		},
	}
}

func (p *person) opencode(t *testing.T, s server) clientCase {
	t.Helper()
	has := ""
	if s.Command != "" {
		has = `,
  "mcp": {"` + s.Name + `": {"type": "local", "command": ` + encoded(t, append([]string{s.Command}, s.Args...)) + `, "enabled": true}}`
	}
	return clientCase{
		name: "opencode", manifest: "opencode-ai",
		file: ".config/opencode/opencode.json", rewrites: true,
		settings: fmt.Sprintf(`{
  // the scripted model
  "provider": {"scripted": {"npm": "@ai-sdk/openai-compatible", "options": {"baseURL": "%s/v1", "apiKey": "x"}, "models": {"scripted": {"tool_call": true}}}},
  "model": "scripted/scripted",
  "autoupdate": false%s
}`, p.model.URL, has),
		command: []string{packages(t, modules, "opencode-"+platform(), "bin", "opencode"), "run", "--format", "json", "go"},
	}
}

// platform is this machine in the words of npm.
func platform() string {
	arch := runtime.GOARCH
	if arch == "amd64" {
		arch = "x64"
	}
	return runtime.GOOS + "-" + arch
}
