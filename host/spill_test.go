package host_test

import (
	"context"
	"encoding/json"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"

	"github.com/gongu-ai/gongu"
	"github.com/gongu-ai/gongu/host"
)

// spillBundle has scripts that read files, in process and in a child, beside the
// file tools.
func spillBundle(t *testing.T) string {
	t.Helper()
	tool := `apiVersion: gongu/v1
kind: Tool
metadata: { name: RUNTIME }
spec:
  entry: ./read.ts
  runtime: RUNTIME
  exports:
    - { name: read, description: "Reads.", parameters: { type: object, properties: { path: { type: string } } } }
---
`
	dir := folder(t, strings.ReplaceAll(tool, "RUNTIME", "embedded")+strings.ReplaceAll(tool, "RUNTIME", "process")+
		strings.Replace(base, "- { name: read }", "- { name: read }\n    - { name: list }", 1))
	write(t, dir, "read.ts", `import { readFile, stat } from "node:fs/promises";
export const handlers = {
  read: async (ctx, input) => (await stat(input.path)).size + (await readFile(input.path, "utf8")).length,
};`)
	return dir
}

// K12, attack 8: the spilled output of one principal could be read by every
// other, with file tools and scripts.
func TestK12SpillOfAnother(t *testing.T) {
	h := open(t, spillBundle(t), &host.Options{Child: []string{os.Args[0], childWord}})
	if err := h.Registry().Add(gongu.Tool{Name: "big", Limits: gongu.Limits{Output: 100}, Invoke: func(context.Context, gongu.Call) gongu.Result {
		return gongu.OK(strings.Repeat("x", 5000))
	}}); err != nil {
		t.Fatal(err)
	}
	kim, lee := &gongu.Principal{Name: "kim", Kind: "token"}, &gongu.Principal{Name: "lee", Kind: "token"}
	do := func(who *gongu.Principal, name, args string) gongu.Result {
		t.Helper()
		ctx := t.Context()
		if who != nil {
			ctx = gongu.WithPrincipal(ctx, who)
		}
		result, err := h.Call(ctx, "", gongu.Call{ID: "c", Name: name, Args: json.RawMessage(args)})
		if err != nil {
			t.Fatal(err)
		}
		return result
	}
	spills := map[string]string{"big": `{}`}
	if runtime.GOOS != "windows" {
		spills["bash__exec"] = `{"command":"head -c 3000000 /dev/zero | tr '\\0' x"}`
	}
	for tool, args := range spills {
		var cut struct{ Path, StdoutPath string }
		if err := json.Unmarshal(do(kim, tool, args).Output, &cut); err != nil {
			t.Fatal(err)
		}
		path := cut.Path + cut.StdoutPath
		if _, err := os.Stat(path); err != nil || path == "" {
			t.Fatalf("%s: %q %v", tool, path, err)
		}
		quoted, err := json.Marshal(map[string]any{"path": path})
		if err != nil {
			t.Fatal(err)
		}
		for _, reader := range []string{"file-system__read", "embedded__read", "process__read"} {
			if got := do(kim, reader, string(quoted)); got.Failed() {
				t.Errorf("%s: its own principal cannot read it with %s: %v", tool, reader, got.Error)
			}
			for _, other := range []*gongu.Principal{lee, nil, {Name: "kim", Kind: "oidc"}} {
				if got := do(other, reader, string(quoted)); !got.Failed() {
					t.Errorf("%s: %+v read the output of kim with %s", tool, other, reader)
				}
			}
		}
		above, err := json.Marshal(map[string]any{"path": filepath.Dir(filepath.Dir(path))})
		if err != nil {
			t.Fatal(err)
		}
		if got := do(kim, "file-system__list", string(above)); !got.Failed() {
			t.Errorf("the folders of all principals can be listed: %s", got.Output)
		}
	}
}
