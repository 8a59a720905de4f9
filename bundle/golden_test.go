package bundle

import (
	"encoding/json"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"golang.org/x/tools/txtar"
)

// Each archive is a bundle and, as want.en and want.ko, what is said about it.
func TestGoldenDiagnostics(t *testing.T) {
	files, err := filepath.Glob("testdata/diagnostics/*.txtar")
	if err != nil || len(files) == 0 {
		t.Fatal("no archives", err)
	}
	for _, file := range files {
		archive, err := txtar.ParseFile(file)
		if err != nil {
			t.Fatal(err)
		}
		wanted := map[string]string{}
		archive.Files = slices.DeleteFunc(archive.Files, func(f txtar.File) bool {
			language, ok := strings.CutPrefix(f.Name, "want.")
			if ok {
				wanted[language] = string(f.Data)
			}
			return ok
		})
		dir := write(t, string(txtar.Format(archive)))
		for _, language := range []string{"en", "ko"} {
			_, ds := Load(dir, &Options{Lang: language})
			got := text(ds)
			if *update {
				archive.Files = append(archive.Files, txtar.File{Name: "want." + language, Data: []byte(got)})
			} else if diff := cmp.Diff(wanted[language], got); diff != "" {
				t.Errorf("%s, %s (-want +got):\n%s", file, language, diff)
			}
			for _, d := range ds {
				if d.Code == "" || d.Message == "" || d.Suggestion == "" || d.HelpURL == "" || d.File == "" || d.Line < 1 || d.Column < 1 || !strings.HasPrefix(d.Path, d.File) {
					t.Errorf("incomplete: %+v", d)
				}
				if strings.Contains(d.Message+d.Suggestion, "%!") {
					t.Errorf("a broken text: %+v", d)
				}
			}
		}
		if *update {
			if err := os.WriteFile(file, txtar.Format(archive), 0o644); err != nil {
				t.Fatal(err)
			}
		}
	}
}

func TestDiagnosticJSON(t *testing.T) {
	ds := bad(t, "-- goondan.yaml --\n"+strings.Replace(toolDoc, "kind: Tool", "kind: Toool", 1)+"-- tool.ts --\n", nil)
	raw, err := json.Marshal(ds.Only(SeverityError))
	if err != nil {
		t.Fatal(err)
	}
	want := `[{"code":"E_CONFIG_UNKNOWN_KIND","severity":"error","message":"unknown kind \"Toool\"","path":"goondan.yaml#0.kind",` +
		`"file":"goondan.yaml","line":2,"column":7,"suggestion":"Did you mean: Tool?","helpUrl":"https://gongu-ai.github.io/gongu/bundles#e_config_unknown_kind"}]`
	if diff := cmp.Diff(want, string(raw)); diff != "" {
		t.Error(diff)
	}
	if got := ds.Err().Error(); got != `goondan.yaml:2:7: unknown kind "Toool" (E_CONFIG_UNKNOWN_KIND)` {
		t.Error(got)
	}
	if (Diagnostics{}).Err() != nil || (Diagnostics{}).HasErrors() {
		t.Error("nothing is an error")
	}
}

// The helpUrl of a code leads to its heading in docs/bundles.md.
func TestCodesAreDocumented(t *testing.T) {
	source, err := os.ReadFile("diagnostic.go")
	if err != nil {
		t.Fatal(err)
	}
	page, err := os.ReadFile("../docs/bundles.md")
	if err != nil {
		t.Fatal(err)
	}
	codes := regexp.MustCompile(`"([EWI]_CONFIG_[A-Z_]+)"`).FindAllStringSubmatch(string(source), -1)
	if len(codes) != 30 {
		t.Errorf("%d codes", len(codes))
	}
	for _, m := range codes {
		if !strings.Contains(string(page), "\n### "+m[1]+"\n") {
			t.Errorf("docs/bundles.md has no heading ### %s", m[1])
		}
	}
}
