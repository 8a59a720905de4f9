package mcpclient_test

import (
	"strings"
	"testing"
	"time"

	"github.com/gongu-ai/gongu/mcpclient"
	"github.com/google/go-cmp/cmp"
)

// TestParseConfigFile reads the files of other programs. Gemini E18, E19.
func TestParseConfigFile(t *testing.T) {
	claude := `{
		// Claude Code and Claude Desktop
		"mcpServers": {
			"github": {"type": "http", "url": "https://example.com/mcp", "headers": {"Authorization": "Bearer ${GITHUB_TOKEN}"}},
			"files": {"command": "npx", "args": ["-y", "server", "${HOME:-/tmp}"], "env": {"A": "1", "N": 5, "X": null},},
			"old": {"type": "sse", "url": "https://example.com/sse"},
			"off": {"command": "x", "disabled": true},
			"my server!": {"command": "x"},
			"both": {"command": "x", "url": "https://example.com"},
			"neither": {"args": []},
			"odd": {"command": 7},
		},
	}`
	configs, report, err := mcpclient.ParseConfigFile([]byte(claude), "en")
	if err != nil {
		t.Fatal(err)
	}
	renamed := configs[len(configs)-1].Name
	want := []mcpclient.Config{
		{Name: "github", Transport: mcpclient.HTTP, URL: "https://example.com/mcp", Headers: map[string]string{"Authorization": "Bearer ${env:GITHUB_TOKEN}"}},
		{Name: "files", Command: "npx", Args: []string{"-y", "server", "${env:HOME:-/tmp}"}, Env: map[string]string{"A": "1", "N": "5"}},
		{Name: "old", Transport: mcpclient.SSE, URL: "https://example.com/sse"},
		{Name: renamed, Command: "x"},
	}
	if diff := cmp.Diff(want, configs); diff != "" {
		t.Error(diff)
	}
	if renamed == "my server!" || len(report) != 5 {
		t.Errorf("%s %q", renamed, report)
	}
	vscode := `{"servers": {"a": {"type": "stdio", "command": "x", "env": {"K": "${input:key}"}}, "b": {"command": "${env:B}", "cwd": "d", "dev": {}}}, "inputs": []}`
	configs, report, err = mcpclient.ParseConfigFile([]byte(vscode), "en")
	if err != nil || len(configs) != 1 || configs[0].Command != "${env:B}" || len(report) != 3 {
		t.Errorf("%+v %q %v", configs, report, err)
	}
	gemini := `{"mcpServers": {"g": {"httpUrl": "https://example.com/a", "url": "https://example.com/b", "timeout": 5000, "trust": true, "includeTools": ["a", "b(x)"], "excludeTools": ["c"], "oauth": {"clientId": "id", "scopes": ["s"]}}}}`
	configs, report, err = mcpclient.ParseConfigFile([]byte(gemini), "ko")
	if err != nil || len(configs) != 1 || len(report) != 1 {
		t.Fatalf("%+v %q %v", configs, report, err)
	}
	g := configs[0]
	if g.URL != "https://example.com/a" || g.Transport != mcpclient.HTTP || g.Timeouts.Call != 5*time.Second || !g.Trust ||
		strings.Join(g.Include, " ") != "a b" || strings.Join(g.Exclude, " ") != "c" || g.OAuth.ClientID != "id" {
		t.Errorf("%+v", g)
	}
	for _, bad := range []string{"", "[]", "{}", `{"mcpServers": []}`, `{"mcpServers": {}} x`} {
		if _, _, err := mcpclient.ParseConfigFile([]byte(bad), ""); err == nil {
			t.Errorf("%q is no error", bad)
		}
	}
}

// FuzzParseConfigFile: no file ends in a panic, and what is read can be used.
func FuzzParseConfigFile(f *testing.F) {
	f.Add([]byte(`{"mcpServers":{"a":{"command":"x","args":["${A}"]}}}`))
	f.Add([]byte("{//\n\"servers\":{\"b\":{\"url\":\"http://x\"},}}"))
	f.Fuzz(func(t *testing.T, raw []byte) {
		configs, _, err := mcpclient.ParseConfigFile(raw, "en")
		if err != nil {
			return
		}
		for _, c := range configs {
			made, err := mcpclient.New(c, quietly(nil))
			if err != nil {
				t.Fatalf("%+v: %v", c, err)
			}
			made.Close()
		}
	})
}

// TestConfigChecks: what cannot work is refused before anything is started.
func TestConfigChecks(t *testing.T) {
	prefix := "_"
	for name, c := range map[string]mcpclient.Config{
		"no name":         {Command: "x"},
		"bad name":        {Name: "a__b", Command: "x"},
		"neither":         {Name: "a"},
		"both":            {Name: "a", Command: "x", URL: "http://x"},
		"stdio and url":   {Name: "a", URL: "http://x", Transport: mcpclient.Stdio},
		"http, command":   {Name: "a", Command: "x", Transport: mcpclient.HTTP},
		"transport":       {Name: "a", Command: "x", Transport: "pigeon"},
		"scheme":          {Name: "a", URL: "ftp://x"},
		"bad prefix":      {Name: "a", Command: "x", Prefix: &prefix},
		"include pattern": {Name: "a", Command: "x", Include: []string{"["}},
	} {
		if _, err := mcpclient.New(c, quietly(nil)); err == nil {
			t.Errorf("%s: no error", name)
		}
	}
	if _, err := mcpclient.New(mcpclient.Config{Name: "a", Command: "x"}, &mcpclient.Options{Capabilities: []byte("[]")}); err == nil {
		t.Error("capabilities that are no object")
	}
}
