package bundle

import (
	"path/filepath"
	"strings"
	"testing"
)

// W1: goondan's own parser kept comments in values, read flow collections as
// text, and lost block text, unindented lists, anchors and escapes.
func TestGoondanW1_RealYAML(t *testing.T) {
	for _, name := range []string{"seed001-4.1", "seed001-14.1", "seed001-14.2"} {
		b, ds := Load(filepath.Join("testdata", name), nil)
		if b == nil {
			t.Fatalf("%s: %s", name, text(ds))
		}
		for _, tool := range b.Tools() {
			if strings.Contains(tool.Spec.Entry, "#") || strings.Contains(tool.Spec.Entry, `"`) {
				t.Errorf("%s: entry %q", name, tool.Spec.Entry)
			}
			for _, def := range tool.Definitions() {
				if strings.Contains(string(def.Parameters), "{ type") || strings.Contains(string(def.Parameters), `"[`) {
					t.Errorf("%s: %s", name, def.Parameters)
				}
			}
		}
	}
}

// W9: names go into file names, so they cannot lead anywhere.
func TestGoondanW9_NamesStayInside(t *testing.T) {
	for _, name := range []string{"../x", "a/b", `a\b`, ".hidden", "..", "a b", "a\x00b", "", strings.Repeat("n", 64)} {
		doc := "apiVersion: gongu/v1\nkind: Extension\nmetadata: {name: \"" + strings.NewReplacer(`\`, `\\`, "\x00", `\0`).Replace(name) + "\"}\nspec: {entry: ./tool.ts}\n"
		ds := bad(t, "-- goondan.yaml --\n"+doc+"-- tool.ts --\n", nil)
		if d := ds.Only(SeverityError)[0]; !strings.HasSuffix(d.Path, "metadata.name") {
			t.Errorf("%q: %v", name, d)
		}
	}
	good(t, "-- goondan.yaml --\napiVersion: gongu/v1\nkind: Extension\nmetadata: {name: 날씨-v1.2_x}\nspec: {entry: ./tool.ts}\n-- tool.ts --\n", nil)
}

// W11: unknown kinds became Models, nameless resources vanished, bad references
// and bad schemas passed.
func TestGoondanW11_NothingIsSwallowed(t *testing.T) {
	ds := bad(t, `-- goondan.yaml --
apiVersion: gongu/v1
kind: Toool
metadata: {name: x}
spec: {}
---
apiVersion: gongu/v1
kind: Model
metadata: {labels: {a: b}}
spec: {provider: p, model: m}
---
apiVersion: gongu/v1
kind: Model
spec: {provider: p, model: m}
---
apiVersion: gongu/v1
kind: Agent
metadata: {name: a}
spec:
  modelConfig: {modelRef: garbage}
  tools: [garbage, Tool/none]
---
apiVersion: gongu/v1
kind: Tool
metadata: {name: t}
spec:
  entry: ./tool.ts
  exports:
    - name: one
      parameters: {type: object, properties: {a: {type: object, required: nope, properties: {b: {type: str}}}}}
    - name: two
      parameters: {type: object, properties: {a: {type: string, minLength: -1}}}
    - name: three
      parameters: {type: array}
    - name: four
      parameters: string
    - name: five
      parameters: {type: object, properties: {a: {$ref: "#/nowhere"}}}
-- tool.ts --
`, nil)
	want(t, ds, CodeUnknownKind, "#0.kind")
	want(t, ds, CodeInvalidName, "#1.metadata.name")
	want(t, ds, CodeInvalidName, "#2.metadata.name")
	want(t, ds, CodeInvalidRef, "#3.spec.modelConfig.modelRef")
	want(t, ds, CodeInvalidRef, "#3.spec.tools[0]")
	want(t, ds, CodeRefNotFound, "#3.spec.tools[1]")
	want(t, ds, CodeSchemaInvalid, "#4.spec.exports[0].parameters.properties.a.required")
	want(t, ds, CodeSchemaInvalid, "#4.spec.exports[1].parameters.properties.a.minLength")
	want(t, ds, CodeSchemaInvalid, "#4.spec.exports[2].parameters.type")
	want(t, ds, CodeSchemaInvalid, "#4.spec.exports[3].parameters")
	want(t, ds, CodeSchemaInvalid, "#4.spec.exports[4].parameters.properties.a.$ref")
	if n := len(ds.Only(SeverityError)); n != 11 {
		t.Errorf("%d errors, want 11:\n%s", n, text(ds))
	}
}

// W12: the same tool twice in spec.tools crashed an engine.
func TestGoondanW12_DuplicateRefs(t *testing.T) {
	b := good(t, agentBundle("  tools: [Tool/bash, Tool/bash]\n  extensions: []"), nil)
	a, _ := b.Agent("a")
	if len(a.Spec.Tools) != 2 || len(b.AgentTools(a)) != 1 {
		t.Errorf("%d references, %d tools", len(a.Spec.Tools), len(b.AgentTools(a)))
	}
}

// B2: the limit of a resource is the limit of each of its exports.
func TestB2_ErrorMessageLimit(t *testing.T) {
	doc := func(limit string) string {
		return "-- goondan.yaml --\n" + strings.Replace(toolDoc, "  exports:", limit+"  exports:\n    - name: other", 1) + "-- tool.ts --\n"
	}
	for limit, want := range map[string]int{"": 1000, "  errorMessageLimit: 1200\n": 1200, "  errorMessageLimit: 2000\n": 2000, "  errorMessageLimit: 1\n": 1} {
		for _, def := range good(t, doc(limit), nil).Tools()[0].Definitions() {
			if def.Limits.ErrorMessage != want {
				t.Errorf("%q: %s has %d, want %d", limit, def.Name, def.Limits.ErrorMessage, want)
			}
		}
	}
	for _, limit := range []string{"0", "-5", "1.5", `"1000"`, "99999999999999999999", "yes"} {
		wantOnly(t, bad(t, doc("  errorMessageLimit: "+limit+"\n"), nil), CodeSchemaInvalid, "#0.spec.errorMessageLimit")
	}
}

// B3: an entry is relative to the bundle, not to the file that names it; in a
// package to the package.
func TestB3_EntryRoots(t *testing.T) {
	b := good(t, packaged("1.0.0", "")+"-- sub/tools.yaml --\n"+strings.Replace(toolDoc, "name: bash", "name: local", 1)+"-- tool.ts --\n", nil)
	for _, tool := range b.Tools() {
		root := b.Dir()
		if tool.Package == "@goondan/base" {
			root = filepath.Join(b.Dir(), "packages", "@goondan", "base", "1.0.0")
		}
		if tool.Module.File() != filepath.Join(root, "tool.ts") {
			t.Errorf("%s of %q is %s", tool.Name, tool.Package, tool.Module.File())
		}
	}
	ds := bad(t, "-- sub/tools.yaml --\n"+toolDoc+"-- sub/tool.ts --\n", nil)
	wantOnly(t, ds, CodeEntryNotFound, "sub/tools.yaml#0.spec.entry")
	// What was built from TypeScript, as published packages have it; the source wins.
	for _, c := range []struct{ files, want string }{
		{"-- tool.js --\n-- dist/tool.js --\n-- tool.ts --\n", "tool.ts"},
		{"-- tool.js --\n-- dist/tool.js --\n", "tool.js"},
		{"-- dist/tool.js --\n-- dist/src/tool.js --\n", "dist/tool.js"},
		{"-- dist/src/tool.js --\n", "dist/src/tool.js"},
	} {
		if got := good(t, "-- goondan.yaml --\n"+toolDoc+c.files, nil).Tools()[0].Module.Path; got != c.want {
			t.Errorf("module %s, want %s", got, c.want)
		}
	}
}

const connected = `---
apiVersion: goondan.ai/v1
kind: Connector
metadata: {name: telegram, labels: {tier: edge}, annotations: {author: team}}
spec:
  entry: ./tool.ts
  events:
    - {name: user_message, properties: {chat_id: {type: string}}}
---
apiVersion: goondan.ai/v1
kind: Connection
metadata: {name: c}
spec:
  connectorRef: Connector/telegram
  swarmRef: Swarm/s
  config: {PORT: {valueFrom: {env: PORT}}}
  secrets: {TOKEN: {valueFrom: {secretRef: {ref: Secret/t, key: k}}}}
  ingress:
    rules:
      - match: {event: user_message, properties: {chat_id: "1", n: 5}}
        route: {agentRef: Agent/a, instanceKeyProperty: chat_id, instanceKeyPrefix: "t:"}
      - route: {}
`

// B5: connections are checked, and it is said that they are not run.
func TestB5_Connections(t *testing.T) {
	archive := strings.Replace(agentBundle(""), "-- tool.ts --", connected+"-- tool.ts --", 1)
	b, ds := Load(write(t, archive), &Options{Strict: true})
	if b == nil {
		t.Fatal(text(ds))
	}
	for _, path := range []string{"#4", "#5"} {
		if d := want(t, ds, CodeNotRun, path, "does not run"); d.Severity != SeverityInfo {
			t.Errorf("%+v", d)
		}
	}
	c := b.Connectors()[0]
	if c.Labels["tier"] != "edge" || c.Annotations["author"] != "team" {
		t.Errorf("labels %v, annotations %v", c.Labels, c.Annotations)
	}
	rules := b.Connections()[0].Spec.Ingress.Rules
	if len(rules) != 2 || rules[1].Match != nil || string(rules[0].Match.Properties["n"]) != "5" {
		t.Errorf("rules %+v", rules)
	}
	for _, c := range []struct{ old, new, code, path string }{
		{"Connector/telegram", "Connector/none", CodeRefNotFound, "#5.spec.connectorRef"},
		{"Swarm/s\n  config", "Agent/a\n  config", CodeInvalidRef, "#5.spec.swarmRef"},
		{"agentRef: Agent/a", "agentRef: Agent/none", CodeRefNotFound, "#5.spec.ingress.rules[0].route.agentRef"},
		{"instanceKeyPrefix", "instanceKey: x, instanceKeyPrefix", CodeSchemaInvalid, "#5.spec.ingress.rules[0].route"},
		{"instanceKeyProperty: chat_id, ", "", CodeSchemaInvalid, "rules[0].route.instanceKeyPrefix"},
		{"events:\n    - {name: user_message, properties: {chat_id: {type: string}}}", "events: []", CodeSchemaInvalid, "#4.spec.events"},
		{"{type: string}}}", "{type: text}}}", CodeSchemaInvalid, "#4.spec.events[0].properties.chat_id.type"},
		{"      - route: {}", "      - match: {event: x}", CodeSchemaInvalid, "#5.spec.ingress.rules[1].route"},
		{"PORT: {valueFrom: {env: PORT}}", "PORT: 80", CodeSchemaInvalid, "#5.spec.config.PORT"},
	} {
		want(t, bad(t, strings.Replace(archive, c.old, c.new, 1), nil), c.code, c.path)
	}
	_, ds = Load(write(t, strings.Replace(archive, "event: user_message,", "event: user_mesage,", 1)), nil)
	want(t, ds, CodeUnknownEvent, "match.event", "user_message")
}
