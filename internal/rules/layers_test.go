package rules

import (
	"fmt"
	"path"
	"strconv"
	"strings"
	"testing"
)

// layers is the table of docs/architecture.md. The root and the packages of
// internal/ without an entry are the floor, layer 0.
var layers = map[string]int{
	"cmd/gongu": 7,

	"gateway":         6,
	"internal/report": 6,

	"serve":            5,
	"httpapi":          5,
	"swarm":            5,
	"internal/connect": 5,
	"internal/doctor":  5,

	"host": 4,
	"auth": 4,

	"explore":      3,
	"internal/ask": 3,
	"access":       3,
	"agent":        3,
	"bundle":       3,
	"source":       3,

	"audit":              2,
	"policy":             2,
	"builtin":            2,
	"script":             2,
	"command":            2,
	"mcpclient":          2,
	"macro":              2,
	"cad":                2,
	"internal/jsonlines": 2,
	"internal/resume":    2,

	"edit":        1,
	"search":      1,
	"dialect":     1,
	"pin":         1,
	"toolrequest": 1,
	"state":       1,
	"telemetry":   1,
	"model":       1,
}

func TestImportsPointDownward(t *testing.T) {
	files := where(code(t), func(s *source) bool { return !s.bench })
	report(t, upwardImports(files),
		"a package that imports only lower layers can be read, tested and replaced alone; two neighbours that import each other become one package nobody can split",
		"move the shared type down to the root, or declare a small interface where it is used and let a higher layer pass the value in; a new package goes into the table of internal/rules/layers_test.go and into docs/architecture.md")
}

// upwardImports lists the imports that break the arrows, and the packages that
// are not in the table.
func upwardImports(files []*source) []string {
	var problems []string
	unknown := map[string]bool{}
	for _, s := range files {
		if exempt(s.dir) || ignoredByBuild(s) {
			continue
		}
		if _, ok := layer(s.dir); !ok {
			if !unknown[s.dir] {
				problems = append(problems, fmt.Sprintf("%s: package is in no layer; add it to the table and to docs/architecture.md", s.dir))
			}
			unknown[s.dir] = true
			continue
		}
		for _, spec := range s.ast.Imports {
			imported, ok := inModule(spec.Path.Value)
			if !ok {
				continue
			}
			if reason := refuse(s.dir, imported); reason != "" {
				problems = append(problems, fmt.Sprintf("%s: %s imports %s: %s", s.at(spec), s.dir, imported, reason))
			}
		}
	}
	return problems
}

// exempt are the places that show or check the whole module.
func exempt(dir string) bool {
	return dir == "internal/rules" || dir == "examples" || strings.HasPrefix(dir, "examples/")
}

// inModule turns a quoted import path into a folder of this module.
func inModule(quoted string) (string, bool) {
	p, err := strconv.Unquote(quoted)
	if err != nil {
		return "", false
	}
	if p == modulePath {
		return ".", true
	}
	rel, ok := strings.CutPrefix(p, modulePath+"/")
	return path.Clean(rel), ok
}

// isInternal reports whether a package is one of the floor below the root.
func isInternal(dir string) bool {
	_, above := layers[dir]
	return strings.HasPrefix(dir, "internal/") && !above
}

func layer(dir string) (int, bool) {
	if dir == "." || isInternal(dir) {
		return 0, true
	}
	n, ok := layers[dir]
	return n, ok
}

// refuse gives the reason why an import is not allowed, or "".
func refuse(from, to string) string {
	if exempt(to) {
		return "examples and rules are for reading and checking, nothing builds on them"
	}
	high, _ := layer(from)
	low, ok := layer(to)
	switch {
	case !ok:
		return "the imported package is in no layer"
	case isInternal(to):
		return "" // the floor: every layer stands on it, and so do its own packages
	case isInternal(from):
		return "internal/ lies below the root and must not know it"
	case low < high:
		return ""
	case low == high:
		return fmt.Sprintf("both are in layer %d, and neighbours do not know each other", low)
	}
	return fmt.Sprintf("layer %d must not know layer %d above it", high, low)
}

func TestImportsPointDownwardCanFail(t *testing.T) {
	for _, tc := range []struct {
		name, file, imported, want string
	}{
		{"down", "serve/a.go", "/host", ""},
		{"to the root", "edit/a.go", "", ""},
		{"root to internal", "a.go", "/internal/lang", ""},
		{"internal to internal", "internal/schema/a.go", "/internal/lang", ""},
		{"example", "examples/quick/main.go", "/serve", ""},
		{"rules", "internal/rules/a.go", "/serve", ""},
		{"up", "policy/a.go", "/host", "layer 2 must not know layer 4"},
		{"sideways", "serve/a.go", "/swarm", "both are in layer 5"},
		{"root up", "a.go", "/edit", "layer 0 must not know layer 1"},
		{"internal to root", "internal/schema/a.go", "", "must not know it"},
		{"internal up", "internal/schema/a.go", "/edit", "must not know it"},
		{"internal with a layer", "internal/connect/a.go", "/host", ""},
		{"internal with a layer, sideways", "internal/connect/a.go", "/serve", "both are in layer 5"},
		{"up to internal with a layer", "host/a.go", "/internal/connect", "layer 4 must not know layer 5"},
		{"new package", "fresh/a.go", "", "add it to the table and to docs/architecture.md"},
		{"new import", "serve/a.go", "/fresh", "in no layer"},
		{"on an example", "serve/a.go", "/examples/quick", "nothing builds on them"},
	} {
		t.Run(tc.name, func(t *testing.T) {
			s := sample(t, tc.file, "package x\nimport _ \""+modulePath+tc.imported+"\"\n")
			got := upwardImports([]*source{s})
			if tc.want == "" {
				wantProblems(t, got)
				return
			}
			wantProblems(t, got, tc.want)
		})
	}
}
