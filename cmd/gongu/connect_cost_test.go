package main

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/gongu-ai/gongu/internal/connect"
)

// toolServer is an MCP server with so many tools.
func toolServer(t *testing.T, tools int) string {
	t.Helper()
	server := mcp.NewServer(&mcp.Implementation{Name: "counted", Version: "1"}, nil)
	for i := range tools {
		server.AddTool(&mcp.Tool{
			Name: fmt.Sprintf("tool_%d", i), Description: strings.Repeat("does something useful ", 10),
			InputSchema: json.RawMessage(`{"type":"object","properties":{"text":{"type":"string"}}}`),
		}, func(context.Context, *mcp.CallToolRequest) (*mcp.CallToolResult, error) {
			return &mcp.CallToolResult{}, nil
		})
	}
	listening := httptest.NewServer(mcp.NewStreamableHTTPHandler(func(*http.Request) *mcp.Server { return server }, nil))
	t.Cleanup(listening.Close)
	return listening.URL
}

func connectReported(t *testing.T, config string, more ...string) connect.Report {
	t.Helper()
	dir := t.TempDir()
	file := filepath.Join(dir, "client.json")
	if err := os.WriteFile(file, []byte(config), 0o600); err != nil {
		t.Fatal(err)
	}
	var stdout, stderr bytes.Buffer
	cmd := exec.Command("gongu", append([]string{"connect", "claude", "--json", "--config", file, "-b", dir}, more...)...)
	cmd.Env = append(os.Environ(), "GONGU_CONFIG_DIR="+filepath.Join(t.TempDir(), "conf"), "CONSENT=auto", "TMPDIR="+t.TempDir())
	cmd.Stdout, cmd.Stderr = &stdout, &stderr
	// Counting starts servers, so it needs a person.
	if _, err := asPerson(cmd, "y"); err != nil {
		t.Fatalf("%v: %s", err, &stderr)
	}
	var report connect.Report
	if err := json.Unmarshal(stdout.Bytes(), &report); err != nil {
		t.Fatal(err)
	}
	return report
}

// The tokens of a turn are counted from what the servers really list; a large
// set is searched behind gongu.
func TestConnectCountsTokens(t *testing.T) {
	t.Setenv("XDG_STATE_HOME", t.TempDir()) // nothing is left on this machine
	small, large := toolServer(t, 3), toolServer(t, 200)
	report := connectReported(t, fmt.Sprintf(`{"mcpServers":{"small":{"type":"http","url":%q}}}`, small))
	cost := report.Cost
	if cost == nil || len(cost.Servers) != 1 || cost.Servers[0].Tools == nil || *cost.Servers[0].Tools != 3 {
		t.Fatalf("%+v", cost)
	}
	if cost.Mode != "direct" || cost.Now < 3*50 || cost.Behind != cost.Now || cost.Unknown != 0 {
		t.Errorf("%+v", cost)
	}
	report = connectReported(t, fmt.Sprintf(
		`{"mcpServers":{"small":{"type":"http","url":%q},"large":{"type":"http","url":%q},"dead":{"type":"http","url":"http://127.0.0.1:1/"}}}`, small, large))
	cost = report.Cost
	if cost.Mode != "search" || cost.Now <= connect.ShowBudget || cost.Behind >= cost.Now/2 || cost.Behind == 0 || cost.Unknown != 1 {
		t.Errorf("%+v", cost)
	}
	if dead := cost.Servers[2]; dead.Name != "dead" || dead.Tokens != nil || dead.Reason == "" {
		t.Errorf("%+v", dead)
	}
	t.Logf("%d tokens now, %d behind gongu", cost.Now, cost.Behind)
}
