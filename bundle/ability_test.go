package bundle

import (
	"fmt"
	"strings"
	"testing"
)

// K4: what acts needs consent: scripts, extensions, commands, servers, bash, file
// writing, http-fetch and every Macro. What only reads needs none.
func TestK4_Abilities(t *testing.T) {
	doc := func(kind, spec string) string {
		return "-- gongu.yaml --\napiVersion: gongu/v1\nkind: " + kind + "\nmetadata: {name: x}\nspec: " + spec + "\n-- tool.ts --\nx\n-- run.sh --\nx\n"
	}
	for _, c := range []struct{ kind, spec, want string }{
		{"Tool", "{entry: ./tool.ts, exports: [{name: run}]}", "script [tool.ts]"},
		{"Tool", "{entry: 'builtin:bash', exports: [{name: exec, annotations: {readOnlyHint: true}}]}", "shell []"},
		{"Tool", "{entry: 'builtin:http-fetch', exports: [{name: get}]}", "fetch []"},
		{"Tool", "{entry: 'builtin:file-system', exports: [{name: read}, {name: write}]}", "write [write]"},
		{"Tool", "{entry: 'builtin:self-restart', exports: [{name: restart}]}", "builtin [self-restart]"},
		{"Tool", "{entry: 'builtin:file-system', exports: [{name: read}, {name: list}]}", ""},
		{"Tool", "{entry: 'builtin:wait', exports: [{name: seconds}]}", ""},
		{"Extension", "{entry: ./tool.ts}", "extension [./tool.ts]"},
		{"Extension", "{entry: 'builtin:code'}", "extension [builtin:code]"},
		{"Macro", "{description: x, steps: [{tool: a}, {tool: b}, {tool: a}]}", "macro [a b]"},
		{"McpServer", "{url: 'https://x.example'}", "connect [https://x.example] floating"},
		{"McpServer", "{command: npx, args: [-y, server]}", "server [npx -y server] floating"},
		{"McpServer", "{command: npx, args: [-y, server@1.2.3]}", "server [npx -y server@1.2.3]"},
		{"McpServer", "{command: npx, args: [-y, server@latest]}", "server [npx -y server@latest] floating"},
		{"McpServer", "{command: uvx, args: ['server==1.2.3']}", "server [uvx server==1.2.3]"},
		{"McpServer", "{command: docker, args: [run, 'image:1.2.3']}", "server [docker run image:1.2.3] floating"},
		{"McpServer", "{command: docker, args: [run, 'image@sha256:" + strings.Repeat("a", 64) + "']}", "server [docker run image@sha256:" + strings.Repeat("a", 64) + "]"},
		{"McpServer", "{command: ./run.sh}", "server [./run.sh] inside"},
		{"ToolCommand", "{discover: a, call: [sh, run.sh]}", "discover [a] call [sh run.sh]"},
	} {
		b := good(t, doc(c.kind, c.spec), nil)
		var got []string
		for _, a := range b.Abilities() {
			text := fmt.Sprintf("%s %v", a.Kind, a.Words)
			if a.Floating {
				text += " floating"
			}
			if a.Inside {
				text += " inside"
			}
			got = append(got, text)
		}
		if text := strings.Join(got, " "); text != c.want || b.Acts() != (c.want != "") {
			t.Errorf("%s %s: %s, want %s", c.kind, c.spec, text, c.want)
		}
	}
	if got := len(good(t, doc("McpServer", "{command: a, trust: true}"), nil).Beliefs()); got != 1 {
		t.Errorf("%d beliefs", got)
	}
	if got := len(good(t, doc("ToolCommand", "{discover: a, call: b, trust: true}"), nil).Beliefs()); got != 1 {
		t.Errorf("%d beliefs of a program", got)
	}
}
