//go:build e2e

package e2e_test

import (
	"encoding/json"
	"os"
	"slices"
	"strings"
	"testing"
)

// echo is server-everything's tool as gongu serves it.
const echo = "everything__echo"

// TestNodeInspector: the official inspector lists and calls in both eras, over
// HTTP and over stdio.
func TestNodeInspector(t *testing.T) {
	bundle := bundleWith(t)
	url := serve(t, bundle)
	inspector := packages(t, clientLibraries, "@modelcontextprotocol", "inspector", "clients", "launcher", "build", "index.js")
	targets := map[string][]string{
		"http":  {url, "--transport", "http"},
		"stdio": {program, "serve", "--stdio", "--allow", "*", "-b", bundle},
	}
	for _, era := range []string{"legacy", "modern"} {
		for transport, target := range targets {
			t.Run(era+"/"+transport, func(t *testing.T) {
				run := func(more ...string) string {
					args := slices.Concat([]string{inspector, "--cli", "--protocol-era", era}, target, more)
					out, problems, err := output(t, t.TempDir(), os.Environ(), nodeFrom(t, npm), args...)
					if err != nil {
						t.Fatalf("%v: %v\n%s\n%s", args, err, out, problems)
					}
					return out
				}
				if out := run("--method", "tools/list", "--format", "json"); !strings.Contains(out, `"`+echo+`"`) {
					t.Errorf("%s is not in the list: %s", echo, out)
				}
				if out := run("--method", "tools/call", "--tool-name", echo, "--tool-args-json", `{"message":"hello"}`, "--format", "json"); !strings.Contains(out, "Echo: hello") {
					t.Errorf("the call answered %s", out)
				}
			})
		}
	}
}

// TestNodeSDK: the clients of the TypeScript SDKs, the old one and the new.
func TestNodeSDK(t *testing.T) {
	url := serve(t, bundleWith(t))
	script := packages(t, "node", "call.mjs")
	for era, revision := range map[string]string{"legacy": "2025-11-25", "modern": "2026-07-28"} {
		t.Run(era, func(t *testing.T) {
			out, problems, err := output(t, t.TempDir(), os.Environ(), nodeFrom(t, npm), script, era, url, echo, `{"message":"hello"}`)
			if err != nil {
				t.Fatalf("%v\n%s\n%s", err, out, problems)
			}
			var got struct {
				Protocol string
				Tools    []string
				Result   struct{ Content []struct{ Text string } }
			}
			if err := json.Unmarshal([]byte(out), &got); err != nil {
				t.Fatalf("%v in %s", err, out)
			}
			if got.Protocol != revision || !slices.Contains(got.Tools, echo) || len(got.Result.Content) != 1 || got.Result.Content[0].Text != "Echo: hello" {
				t.Errorf("got %s", out)
			}
		})
	}
}
