//go:build linux

package main

import (
	"fmt"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/gongu-ai/gongu/internal/shellword"
)

// connected makes an entry for a client as its user does, and returns its id.
func (a *attacked) connected() string {
	a.t.Helper()
	a.run("connect", "claude", "--no-count")
	settings, err := os.ReadFile(filepath.Join(filepath.Dir(filepath.Dir(a.policy)), ".claude.json"))
	if err != nil {
		a.t.Fatal(err)
	}
	id := regexp.MustCompile(`[0-9a-f]{32}`).FindString(string(settings))
	if id == "" {
		a.t.Fatalf("no id: %s", settings)
	}
	return id
}

// P2, P7: a client on stdio is the one that connect wrote only if gongu did not start
// it. A program below bash that has copied the id is not, when it attaches to the
// server neither: the server looks at the ancestors of the process itself.
func TestP7_CopiedClientID(t *testing.T) {
	t.Parallel()
	a := newAttacked(t)
	id, state := a.connected(), a.run("state", "path")
	liar, err := exec.LookPath(upstreamProgram)
	if err != nil {
		t.Fatal(err)
	}
	for name, program := range map[string]string{
		"the program": a.gongu("serve", "--stdio", "--client", id),
		"a liar":      shellword.Join(liar, "attach", state, id),
	} {
		t.Run(name, func(t *testing.T) {
			mark := filepath.Join(t.TempDir(), "mark")
			messages := []string{
				`{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":"2025-11-25","capabilities":{},"clientInfo":{"name":"claude","version":"1"}}}`,
				`{"jsonrpc":"2.0","method":"notifications/initialized"}`,
				fmt.Sprintf(`{"jsonrpc":"2.0","id":2,"method":"tools/call","params":{"name":"bare__exec","arguments":{"command":%q}}}`, "touch "+shellword.Quote(mark)),
			}
			command := shellword.Join(append([]string{"printf", `%s\n`}, messages...)...) + " | env -u GONGU_CHILD timeout 60 " + program
			r := a.call("bare__exec", map[string]any{"command": command})
			if r.status != http.StatusOK || !strings.Contains(r.body, "E_TOOL_DENIED") {
				t.Errorf("below bash: %v", r)
			}
			if _, err := os.Stat(mark); err == nil {
				t.Error("the program below bash was the client")
			}
			// The client itself is: what is refused above is not everything.
			mine := exec.Command("sh", "-c", command)
			mine.Env = a.env
			said, err := mine.CombinedOutput()
			if _, missing := os.Stat(mark); err != nil || missing != nil {
				t.Errorf("the client: %v, %v: %s", err, missing, said)
			}
		})
	}
}
