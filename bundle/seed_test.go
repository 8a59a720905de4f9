package bundle

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// Seed 001 §4.1 and §14: what the printed YAML says is what a model is told.
func TestSeed001_DefinitionsAsPrinted(t *testing.T) {
	type told struct{ Name, Description, Parameters, Tier string }
	for folder, want := range map[string][]told{
		"seed001-4.1": {
			{"bash__exec", "셸 명령 실행", `{"type":"object","properties":{"command":{"type":"string"}},"required":["command"]}`, "base"},
			{"bash__script", "스크립트 파일 실행", `{"type":"object","properties":{"path":{"type":"string"}},"required":["path"]}`, "base"},
		},
		"seed001-14.1": {
			{"file-system__read", "파일 내용을 읽습니다", `{"type":"object","properties":{"path":{"type":"string","description":"읽을 파일 경로"},"maxBytes":{"type":"number","description":"최대 읽기 바이트 (기본: 100000)"}},"required":["path"]}`, "base"},
			{"file-system__write", "파일에 내용을 씁니다", `{"type":"object","properties":{"path":{"type":"string","description":"쓸 파일 경로"},"content":{"type":"string","description":"작성할 내용"}},"required":["path","content"]}`, "base"},
		},
		"seed001-14.2": {
			{"http-fetch__get", "HTTP GET 요청을 수행합니다", `{"type":"object","properties":{"url":{"type":"string","description":"요청 URL"},"headers":{"type":"object","description":"요청 헤더"}},"required":["url"]}`, "base"},
			{"http-fetch__post", "HTTP POST 요청을 수행합니다", `{"type":"object","properties":{"url":{"type":"string","description":"요청 URL"},"body":{"type":"object","description":"요청 본문"},"headers":{"type":"object","description":"요청 헤더"}},"required":["url"]}`, "base"},
		},
	} {
		b, diagnostics := Load("testdata/"+folder, nil)
		if b == nil {
			t.Fatal(diagnostics.Err())
		}
		var got []told
		for _, tool := range b.Tools() {
			if tool.Spec.Runtime != "embedded" {
				t.Errorf("%s runs in %q, want embedded (B10)", tool.Identity(), tool.Spec.Runtime)
			}
			for _, d := range tool.Definitions() {
				got = append(got, told{d.Name, d.Description, string(d.Parameters), d.Labels["tier"]})
			}
		}
		if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("%s (-want +got):\n%s", folder, diff)
		}
	}
}

// Seed 001 §4.2: a Tool has no fields for credentials.
func TestSeed001_NoAuthInATool(t *testing.T) {
	wantOnly(t, bad(t, "-- gongu.yaml --\n"+strings.Replace(toolDoc, "spec:", "spec:\n  auth: {token: x}", 1)+"-- tool.ts --\n", nil), CodeSchemaInvalid, "spec.auth")
}

// Seed 001 §2.7: an entry that is there and cannot be read is a load error.
func TestSeed001_UnreadableEntry(t *testing.T) {
	if os.Getuid() == 0 {
		// Root may read everything, so the check itself is shown instead.
		root, err := os.OpenRoot(t.TempDir())
		if err != nil {
			t.Fatal(err)
		}
		defer root.Close()
		if readable(root, "none.ts") == nil {
			t.Error("a file that is not there can be read")
		}
		return
	}
	dir := t.TempDir()
	for name, mode := range map[string]os.FileMode{"gongu.yaml": 0o600, "tool.ts": 0} {
		content := ""
		if name == "gongu.yaml" {
			content = toolDoc
		}
		if err := os.WriteFile(filepath.Join(dir, name), []byte(content), mode); err != nil {
			t.Fatal(err)
		}
	}
	_, diagnostics := Load(dir, nil)
	wantOnly(t, diagnostics, CodeEntryNotFound, "spec.entry")
}
