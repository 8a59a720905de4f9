//go:build e2e

package e2e_test

import (
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// TestNodeConnect: gongu connect writes one server into a client's file that
// works as it stands there, knows the tools of the servers that it moved
// before anybody asks, and takes all of it back.
func TestNodeConnect(t *testing.T) {
	env := scratch(t)
	home := strings.TrimPrefix(env[0], "HOME=")
	file := filepath.Join(home, ".claude.json")
	before := `{"starts": 1, "mcpServers": {"everything": ` + encoded(t, reference(t, t.TempDir())["everything"]) + "}}\n"
	if err := os.WriteFile(file, []byte(before), 0o600); err != nil {
		t.Fatal(err)
	}
	gongu(t, env, "connect", "claude")
	written, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	var settings struct{ McpServers map[string]server }
	if err := json.Unmarshal(written, &settings); err != nil {
		t.Fatal(err)
	}
	own, ok := settings.McpServers["gongu"]
	if !ok || len(settings.McpServers) != 1 {
		t.Fatalf("the file is %s", written)
	}
	lock, err := os.ReadFile(filepath.Join(home, ".config", "gongu", "bundle", "gongu.lock"))
	if err != nil || strings.Count(string(lock), `"digest": "sha256:`) != 14 {
		t.Errorf("the tools are not known yet: %v\n%s", err, lock)
	}
	for era := range eras {
		// The user whose entry it is: connect has recorded who the client is.
		s := converseIn(t, env, era, "", append([]string{own.Command}, own.Args...), []toolCall{{"everything", "echo", map[string]any{"message": "x"}}})
		if len(s.Tools) != 14 || !strings.Contains(string(s.Results[0]), "Echo: x") {
			t.Errorf("%s: %q, %s", era, s.Tools, s.Results)
		}
	}
	gongu(t, env, "connect", "claude", "--undo")
	if now, err := os.ReadFile(file); err != nil || string(now) != before {
		t.Errorf("after undo: %v\n%s", err, now)
	}
}
