package bundle

import (
	"testing"
	"time"
)

// TestK16_Sandbox: the settings of a sandbox are read, and what runs without one
// can be named before consent.
func TestK16_Sandbox(t *testing.T) {
	b := good(t, `-- gongu.yaml --
apiVersion: gongu/v1
kind: Tool
metadata: {name: sh}
spec: {entry: "builtin:bash", sandbox: {read: [data], write: [~/out], network: loopback, memory: 2GiB, cpu: 30s, processes: 9, required: true}, exports: [{name: exec}]}
---
apiVersion: gongu/v1
kind: Tool
metadata: {name: loose}
spec: {entry: "builtin:bash", sandbox: off, exports: [{name: exec}]}
---
apiVersion: gongu/v1
kind: Tool
metadata: {name: text}
spec: {entry: "builtin:text-transform", exports: [{name: case}]}
---
apiVersion: gongu/v1
kind: ToolCommand
metadata: {name: plain}
spec: {discover: a, call: a}
---
apiVersion: gongu/v1
kind: McpServer
metadata: {name: free}
spec: {command: npx}
---
apiVersion: gongu/v1
kind: McpServer
metadata: {name: preset}
spec: {command: npx, sandbox: npm}
---
apiVersion: gongu/v1
kind: McpServer
metadata: {name: remote}
spec: {url: "https://example.com/mcp"}
`, nil)
	off := map[string]bool{}
	for _, c := range b.Confinements() {
		off[c.Identity] = c.Off
		if c.Identity == "Tool/sh" {
			s := c.Sandbox
			if s.Read[0] != "data" || s.Write[0] != "~/out" || s.Network != "loopback" || s.Memory != 2<<30 ||
				time.Duration(s.CPU) != 30*time.Second || s.Processes != 9 || !s.Required || s.Off {
				t.Errorf("%+v", s)
			}
		}
		if c.Identity == "McpServer/preset" && c.Sandbox.Preset != "npm" {
			t.Errorf("%+v", c.Sandbox)
		}
	}
	for identity, want := range map[string]bool{"Tool/sh": false, "Tool/loose": true, "ToolCommand/plain": false, "McpServer/free": true, "McpServer/preset": false} {
		if got, ok := off[identity]; !ok || got != want {
			t.Errorf("%s runs without a sandbox: %t (known: %t), want %t", identity, got, ok, want)
		}
	}
	if len(off) != 5 {
		t.Errorf("%v: others start no programs", off)
	}
}
