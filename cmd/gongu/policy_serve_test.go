package main

import (
	"bufio"
	"context"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

// P2, P3: a running server follows the policy file of the user: what is hidden
// changes, clients hear of it, and a broken file changes nothing.
func TestP2_ServeFollowsPolicyFile(t *testing.T) {
	config := t.TempDir()
	file := filepath.Join(config, policyName)
	ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
	defer cancel()
	cmd := exec.CommandContext(ctx, "gongu", "serve", "--stdio")
	cmd.Dir = t.TempDir()
	cmd.Env = append(os.Environ(), "HOME="+config, "XDG_CONFIG_HOME="+config, "XDG_STATE_HOME="+t.TempDir(), "GONGU_CONFIG_DIR="+config, "GORACE=atexit_sleep_ms=0")
	var stderr said
	cmd.Stderr = &stderr
	in, err := cmd.StdinPipe()
	if err != nil {
		t.Fatal(err)
	}
	out, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	lines := bufio.NewScanner(out)
	lines.Buffer(nil, 1<<20)
	until := func(part string) string {
		t.Helper()
		for lines.Scan() {
			if strings.Contains(lines.Text(), part) {
				return lines.Text()
			}
		}
		t.Fatalf("no %s: %v\n%s", part, lines.Err(), &stderr)
		return ""
	}
	send := func(message string) {
		t.Helper()
		if _, err := io.WriteString(in, message+"\n"); err != nil {
			t.Fatal(err)
		}
	}
	write := func(rule string) {
		t.Helper()
		text := "apiVersion: gongu/v1\nkind: Policy\nmetadata: {name: p}\nspec: {rules: [" + rule + "]}\n"
		if err := os.WriteFile(file, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	send(`{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":"2025-06-18","capabilities":{},"clientInfo":{"name":"t","version":"1"}}}`)
	until(`"id":1`)
	send(`{"jsonrpc":"2.0","method":"notifications/initialized"}`)
	send(`{"jsonrpc":"2.0","id":2,"method":"tools/list"}`)
	if shown := until(`"id":2`); !strings.Contains(shown, "wait__seconds") {
		t.Fatal(shown)
	}
	write("{name: no, match: {tools: ['wait__*']}, effect: deny}")
	until("notifications/tools/list_changed")
	send(`{"jsonrpc":"2.0","id":3,"method":"tools/list"}`)
	if shown := until(`"id":3`); strings.Contains(shown, "wait__seconds") {
		t.Error(shown)
	}
	write("{name: no, match: {tools: ['wait__*']}, effect: dny}")
	waitFor(t, "the broken file", func() bool { return strings.Contains(stderr.String(), "the last good rules stay in use") })
	send(`{"jsonrpc":"2.0","id":4,"method":"tools/call","params":{"name":"wait__seconds","arguments":{"seconds":0}}}`)
	if said := until(`"id":4`); strings.Contains(said, "waitedSeconds") {
		t.Error(said)
	}
	write("{name: no, match: {tools: ['json*']}, effect: deny}")
	until("notifications/tools/list_changed")
	send(`{"jsonrpc":"2.0","id":5,"method":"tools/call","params":{"name":"wait__seconds","arguments":{"seconds":0}}}`)
	if said := until(`"id":5`); !strings.Contains(said, "waitedSeconds") {
		t.Error(said)
	}
	if err := in.Close(); err != nil {
		t.Error(err)
	}
	_, _ = io.Copy(io.Discard, out)
	if err := cmd.Wait(); err != nil {
		t.Errorf("%v\n%s", err, &stderr)
	}
}
