//go:build e2e

package e2e_test

import (
	"encoding/json"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// eras are those of the protocol, with the revision that the client of each
// agrees on.
var eras = map[string]string{"legacy": "2025-11-25", "modern": "2026-07-28"}

// ways are how a client reaches gongu: over HTTP, over pipes, and over pipes
// that are attached to a gongu that serves the same bundle over HTTP.
var ways = []string{"http", "stdio", "attached"}

// reach makes one of these ways to a bundle. It is an address or a command.
func reach(t *testing.T, way, bundle string, more ...string) (url string, command []string) {
	t.Helper()
	// A client on pipes finds the server by the state root.
	more = append(more, "--offer", "*", "-b", bundle, "--state-root", t.TempDir())
	if way != "stdio" {
		url = serve(t, more...)
	}
	if way == "http" {
		return url, nil
	}
	return "", slices.Concat([]string{program, "serve", "--stdio"}, more)
}

// inspect runs the official inspector. Its exit code is an error.
func inspect(t *testing.T, era, url string, command []string, more ...string) (stdout, stderr string, err error) {
	t.Helper()
	target := append([]string{"--cli", "--protocol-era", era}, command...)
	if url != "" {
		target = append(target, url, "--transport", "http")
	}
	launcher := packages(t, clientLibraries, "@modelcontextprotocol", "inspector", "clients", "launcher", "build", "index.js")
	return output(t, t.TempDir(), clientEnv(t, command), nodeFrom(t, npm), slices.Concat([]string{launcher}, target, more, []string{"--format", "json"})...)
}

// TestNodeInspector: the official inspector lists and calls the tools of a new
// bundle in both eras, and finds nothing in their schemas that a client could
// stumble over.
func TestNodeInspector(t *testing.T) {
	for era := range eras {
		for _, way := range ways {
			t.Run(era+"/"+way, func(t *testing.T) {
				t.Parallel()
				bundle := starter(t)
				url, command := reach(t, way, bundle)
				out, problems, err := inspect(t, era, url, command, "--method", "tools/list", "--strict")
				if err != nil || strings.Contains(problems, `tool "`) {
					t.Errorf("--strict: %v\n%s", err, problems)
				}
				var list struct {
					Result struct{ Tools []struct{ Name string } }
				}
				if err := json.Unmarshal([]byte(out), &list); err != nil {
					t.Fatalf("%v in %s", err, out)
				}
				var names []string
				for _, tool := range list.Result.Tools {
					names = append(names, tool.Name)
				}
				if want := []string{"file-system__read", "file-system__list", "json-query__query", "json-query__count"}; !slices.Equal(names, want) {
					t.Errorf("listed %q, want %q", names, want)
				}
				out, problems, err = inspect(t, era, url, command, "--method", "tools/call", "--tool-name", "json-query__query",
					"--tool-args-json", `{"data":"{\"a\":[1,null,\"공구\"]}","path":"a[2]"}`)
				if want := `"structuredContent":{"path":"a[2]","found":true,"value":"공구"}`; err != nil || !strings.Contains(out, want) {
					t.Errorf("the call answered %s, want %s\n%v\n%s", out, want, err, problems)
				}
			})
		}
	}
}

// TestNodeInspectorStrict: no tool that gongu brings has a schema that the
// inspector calls an error, in any mode. What it warns of are types in a list.
func TestNodeInspectorStrict(t *testing.T) {
	for mode, summary := range map[string]string{"direct": "0 errors, 7 warnings across 5 tools.", "search": "", "code": ""} {
		t.Run(mode, func(t *testing.T) {
			t.Parallel()
			bundle := t.TempDir()
			if err := os.CopyFS(bundle, os.DirFS("../examples/base-tools")); err != nil {
				t.Fatal(err)
			}
			_, command := reach(t, "stdio", bundle, "--mode", mode)
			_, problems, err := inspect(t, "modern", "", command, "--method", "tools/list", "--strict")
			if err != nil || !strings.Contains(problems, summary) || summary == "" && strings.Contains(problems, `tool "`) {
				t.Errorf("%v, want %q\n%s", err, summary, problems)
			}
		})
	}
}

// session is what session.mjs prints.
type session struct {
	Revision string
	Server   struct{ Name string }
	Tools    []string
	Results  []json.RawMessage
	Asked    []string
	Progress int
}

// toolCall is a call of an upstream's tool, or of gongu's own.
type toolCall struct {
	server, tool string
	args         map[string]any
}

// converse runs the client of an SDK through a session.
func converse(t *testing.T, era, url string, command []string, calls []toolCall) session {
	t.Helper()
	return converseIn(t, clientEnv(t, command), era, url, command, calls)
}

// converseIn is converse in the environment of a user.
func converseIn(t *testing.T, env []string, era, url string, command []string, calls []toolCall) session {
	t.Helper()
	plan := map[string]any{"era": era, "url": url}
	if url == "" {
		plan["command"], plan["args"] = command[0], command[1:]
	}
	named := []any{}
	for _, c := range calls {
		name := c.tool
		if c.server != "" {
			name = c.server + "__" + c.tool
		}
		named = append(named, map[string]any{"name": name, "arguments": c.args})
	}
	plan["calls"] = named
	encoded, err := json.Marshal(plan)
	if err != nil {
		t.Fatal(err)
	}
	out, problems, err := output(t, t.TempDir(), env, nodeFrom(t, npm), packages(t, "node", "session.mjs"), string(encoded))
	if err != nil {
		t.Fatalf("%v\n%s\n%s", err, out, problems)
	}
	var s session
	if err := json.Unmarshal([]byte(out), &s); err != nil {
		t.Fatalf("%v in %s", err, out)
	}
	if s.Revision != eras[era] || len(s.Results) != len(calls) {
		t.Fatalf("revision %q, %d results of %d calls", s.Revision, len(s.Results), len(calls))
	}
	return s
}

// upstreamCalls are the same for a client that speaks with the server itself
// and for one behind gongu.
func upstreamCalls(folder string) []toolCall {
	kim := map[string]any{"name": "김", "entityType": "person", "observations": []string{"kind & <brief>"}}
	return []toolCall{
		{"everything", "echo", map[string]any{"message": "안녕 \u2028 \"x\""}},
		{"everything", "get-sum", map[string]any{"a": 0.1, "b": 1e21}},
		{"everything", "get-structured-content", map[string]any{"location": "New York"}},
		{"everything", "get-tiny-image", map[string]any{}},
		{"everything", "get-annotated-message", map[string]any{"messageType": "error", "includeImage": true}},
		{"everything", "get-resource-links", map[string]any{"count": 2}},
		{"everything", "trigger-long-running-operation", map[string]any{"duration": 0.2, "steps": 4}},
		{"everything", "trigger-elicitation-request", map[string]any{}},
		{"filesystem", "read_text_file", map[string]any{"path": filepath.Join(folder, "a.txt")}},
		{"filesystem", "directory_tree", map[string]any{"path": folder}},
		{"filesystem", "read_text_file", map[string]any{"path": "/outside.txt"}},
		{"memory", "create_entities", map[string]any{"entities": []any{kim}}},
		{"memory", "read_graph", map[string]any{}},
	}
}

// direct asks the servers without gongu.
func direct(t *testing.T, servers map[string]server, calls []toolCall) []json.RawMessage {
	t.Helper()
	answers := map[string][]json.RawMessage{}
	for name, s := range servers {
		var own []toolCall
		for _, c := range calls {
			if c.server == name {
				own = append(own, toolCall{tool: c.tool, args: c.args})
			}
		}
		command := slices.Concat([]string{"env"}, s.environ(), []string{s.Command}, s.Args)
		answers[name] = converse(t, "legacy", "", command, own).Results
	}
	var all []json.RawMessage
	for _, c := range calls {
		all = append(all, answers[c.server][0])
		answers[c.server] = answers[c.server][1:]
	}
	return all
}

// TestNodeGateway: the clients of the SDKs of both eras get from the reference
// servers behind gongu what they get from them without it, beside gongu's own
// tools.
func TestNodeGateway(t *testing.T) {
	folder := t.TempDir()
	if err := os.WriteFile(filepath.Join(folder, "a.txt"), []byte("inside\r\n안\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	calls := upstreamCalls(folder)
	want := direct(t, reference(t, folder), calls)
	own := []toolCall{
		{"json-query", "query", map[string]any{"data": `{"a":{"b":null}}`, "path": "a"}},
		{"any", "thing", map[string]any{"x": []any{1, nil}}},
	}
	for era := range eras {
		for _, way := range ways {
			t.Run(era+"/"+way, func(t *testing.T) {
				t.Parallel()
				bundle := starter(t)
				addAnything(t, bundle)
				importServers(t, bundle, reference(t, folder))
				url, command := reach(t, way, bundle)
				s := converse(t, era, url, command, slices.Concat(calls, own))
				if s.Server.Name != "gongu" || len(s.Tools) != 4+1+14+14+9 {
					t.Errorf("%s lists %d tools: %q", s.Server.Name, len(s.Tools), s.Tools)
				}
				for i, c := range calls {
					if got := withoutEra(t, era, s.Results[i]); !same(t, got, want[i]) {
						t.Errorf("%s__%s answered\n%s\nwithout gongu\n%s", c.server, c.tool, s.Results[i], want[i])
					}
				}
				for i, want := range []string{`{"path":"a","found":true,"value":{"b":null}}`, `{"got":[1,null]}`} {
					if got := s.Results[len(calls)+i]; !strings.Contains(string(got), `"structuredContent":`+want) {
						t.Errorf("gongu's own %s answered %s", own[i].server, got)
					}
				}
				// Who asks is named, because the client sees gongu alone.
				if len(s.Asked) != 1 || !strings.HasPrefix(s.Asked[0], "everything ") {
					t.Errorf("the person was asked %q", s.Asked)
				}
				if s.Progress < 3 {
					t.Errorf("%d notes of progress, of 4", s.Progress)
				}
				if url != "" {
					checkPassed(t, url, len(calls))
				}
			})
		}
	}
}
