package main

import (
	"bytes"
	"encoding/json"
	"os"
	"path/filepath"
	"testing"

	"github.com/gongu-ai/gongu/bundle"
)

// validateJSON runs gongu validate --json on a folder with these files.
func validateJSON(t *testing.T, files map[string]string) (int, validation) {
	t.Helper()
	dir := t.TempDir()
	for name, content := range files {
		path := filepath.Join(dir, filepath.FromSlash(name))
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(content), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	var stdout, stderr bytes.Buffer
	code := run([]string{"validate", "--json", dir}, environment{stdout: &stdout, stderr: &stderr})
	var found validation
	if err := json.Unmarshal(stdout.Bytes(), &found); err != nil {
		t.Fatalf("%v: %s %s", err, stdout.String(), stderr.String())
	}
	return code, found
}

func toolYAML(name, spec string) string {
	return "apiVersion: goondan.ai/v1\nkind: Tool\nmetadata: { name: " + name + " }\nspec:\n" + spec
}

const goodExports = "  exports: [{ name: exec, description: d, parameters: { type: object, properties: {} } }]\n"

// TestSeed001 is the table of seed 001 §4.3 and the list of §15, line by line.
// The default of errorMessageLimit (§4.3) is in testdata/limits.txtar, end to
// end. What a script exports is known only when it runs, which checking does
// not do; opening the bundle refuses a missing handler (host). The
// line is checked for built-ins and named as unchecked for scripts.
func TestSeed001(t *testing.T) {
	const script = "  entry: ./index.ts\n"
	for _, tc := range []struct {
		line     string // of the seed
		yaml     string
		code     string // of the diagnostic
		severity bundle.Severity
		path     string
	}{
		{"§4.3 spec.entry 필수 (MUST)", toolYAML("bash", goodExports), bundle.CodeSchemaInvalid, bundle.SeverityError, "#0.spec.entry"},
		{"§4.3 spec.entry 필수 (MUST), empty", toolYAML("bash", "  entry: ''\n"+goodExports), bundle.CodeSchemaInvalid, bundle.SeverityError, "#0.spec.entry"},
		{"§4.3 spec.exports 최소 1개 (MUST), missing", toolYAML("bash", script), bundle.CodeSchemaInvalid, bundle.SeverityError, "#0.spec.exports"},
		{"§4.3 spec.exports 최소 1개 (MUST), empty", toolYAML("bash", script+"  exports: []\n"), bundle.CodeSchemaInvalid, bundle.SeverityError, "#0.spec.exports"},
		{"§4.3 exports[].name 고유성 (MUST)", toolYAML("bash", script+"  exports: [{ name: a }, { name: a }]\n"), bundle.CodeSchemaInvalid, bundle.SeverityError, "#0.spec.exports[1].name"},
		{"§4.3 __ 금지 (MUST NOT), resource", toolYAML("ba__sh", script+goodExports), bundle.CodeSchemaInvalid, bundle.SeverityError, "#0.metadata.name"},
		{"§4.3 __ 금지 (MUST NOT), export", toolYAML("bash", script+"  exports: [{ name: a__b }]\n"), bundle.CodeSchemaInvalid, bundle.SeverityError, "#0.spec.exports[0].name"},
		{"§4.3 errorMessageLimit 기본값 (MUST), below 1", toolYAML("bash", script+goodExports+"  errorMessageLimit: 0\n"), bundle.CodeSchemaInvalid, bundle.SeverityError, "#0.spec.errorMessageLimit"},
		{"§4.3 entry default export (MUST), script", toolYAML("bash", script+goodExports), bundle.CodeNotChecked, bundle.SeverityInfo, "#0"},
		{"§4.3 entry default export (MUST), built-in", toolYAML("bash", "  entry: builtin:bush\n"+goodExports), bundle.CodeEntryNotFound, bundle.SeverityError, "#0.spec.entry"},

		{"§15 스키마 검증: spec.entry 존재", toolYAML("bash", goodExports), bundle.CodeSchemaInvalid, bundle.SeverityError, "#0.spec.entry"},
		{"§15 스키마 검증: spec.exports 최소 1개", toolYAML("bash", script+"  exports: []\n"), bundle.CodeSchemaInvalid, bundle.SeverityError, "#0.spec.exports"},
		{"§15 파일 존재", toolYAML("bash", "  entry: ./none.ts\n"+goodExports), bundle.CodeEntryNotFound, bundle.SeverityError, "#0.spec.entry"},
		{"§15 파일 존재, outside", toolYAML("bash", "  entry: ../index.ts\n"+goodExports), bundle.CodeEntryNotFound, bundle.SeverityError, "#0.spec.entry"},
		{"§15 핸들러 export, script", toolYAML("bash", script+goodExports), bundle.CodeNotChecked, bundle.SeverityInfo, "#0"},
		{"§15 핸들러 export, built-in", toolYAML("bash", "  entry: builtin:none\n"+goodExports), bundle.CodeEntryNotFound, bundle.SeverityError, "#0.spec.entry"},
		{"§15 export 매핑, script", toolYAML("bash", script+goodExports), bundle.CodeNotChecked, bundle.SeverityInfo, "#0"},
		{"§15 export 매핑, built-in", toolYAML("bash", "  entry: builtin:bash\n  exports: [{ name: exce }]\n"), bundle.CodeEntryNotFound, bundle.SeverityError, "#0.spec.exports[0].name"},
		{"§15 이름 규칙, resource", toolYAML("a__b", script+goodExports), bundle.CodeSchemaInvalid, bundle.SeverityError, "#0.metadata.name"},
		{"§15 이름 규칙, export", toolYAML("bash", script+"  exports: [{ name: __x }]\n"), bundle.CodeSchemaInvalid, bundle.SeverityError, "#0.spec.exports[0].name"},
		{"§15 파라미터 스키마, type", toolYAML("bash", script+"  exports: [{ name: a, parameters: { type: string } }]\n"), bundle.CodeSchemaInvalid, bundle.SeverityError, "#0.spec.exports[0].parameters.type"},
		{"§15 파라미터 스키마, JSON Schema", toolYAML("bash", script+"  exports: [{ name: a, parameters: { type: object, properties: { b: { type: strnig } } } }]\n"), bundle.CodeSchemaInvalid, bundle.SeverityError, "#0.spec.exports[0].parameters.properties.b.type"},
		{"§15 파라미터 스키마, required", toolYAML("bash", script+"  exports: [{ name: a, parameters: { type: object, required: b } }]\n"), bundle.CodeSchemaInvalid, bundle.SeverityError, "#0.spec.exports[0].parameters.required"},
	} {
		t.Run(tc.line, func(t *testing.T) {
			status, found := validateJSON(t, map[string]string{"gongu.yaml": tc.yaml, "index.ts": "export const handlers = {};"})
			want := exitOK
			if tc.severity == bundle.SeverityError {
				want = exitError
			}
			if status != want || found.Valid != (want == exitOK) {
				t.Errorf("exit status %d, valid %v, want %d", status, found.Valid, want)
			}
			for _, d := range found.Diagnostics {
				if d.Code == tc.code && d.Severity == tc.severity && d.Path == "gongu.yaml"+tc.path {
					if d.Line < 1 || d.Column < 1 || d.Suggestion == "" {
						t.Errorf("no place or no way out: %+v", d)
					}
					return
				}
			}
			t.Errorf("no %s at %s in %+v", tc.code, tc.path, found.Diagnostics)
		})
	}
}

// The YAML that the seed prints is valid, with the files that it names.
func TestSeed001PrintedYAML(t *testing.T) {
	printed, err := filepath.Glob(filepath.Join("..", "..", "bundle", "testdata", "seed001-*", "*.yaml"))
	if err != nil || len(printed) < 3 {
		t.Fatalf("%d files, %v", len(printed), err)
	}
	for _, path := range printed {
		raw, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		const module = "export const handlers = {};"
		status, found := validateJSON(t, map[string]string{
			"goondan.yaml": string(raw), "tools/bash/index.ts": module,
			"tools/file-system/index.ts": module, "tools/http-fetch/index.ts": module,
		})
		if status != exitOK || found.Resources["Tool"] != 1 {
			t.Errorf("%s: exit status %d, %+v", path, status, found.Diagnostics)
		}
	}
}

// All problems are reported, not only the first.
func TestValidateReportsAll(t *testing.T) {
	status, found := validateJSON(t, map[string]string{
		"gongu.yaml": toolYAML("a__b", "  entry: ./none.ts\n  exports: [{ name: x, parameters: { type: string } }, { name: x }]\n  errorMessageLimit: -1\n"),
		"tools.yaml": "apiVersion: gongu/v3\nkind: Tol\n",
		"broken.md":  "not a resource",
	})
	if status != exitError || found.Errors < 6 {
		t.Errorf("exit status %d, %d errors: %+v", status, found.Errors, found.Diagnostics)
	}
}
