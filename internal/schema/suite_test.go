package schema

import (
	"encoding/json"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

// The official JSON-Schema-Test-Suite is read from the module that carries it,
// so that no copy of it has to be kept here.
func suiteFolder(t *testing.T) string {
	t.Helper()
	out, err := exec.Command("go", "list", "-m", "-f", "{{.Dir}}", "github.com/google/jsonschema-go").Output()
	if err != nil {
		t.Fatalf("go list: %v", err)
	}
	return filepath.Join(strings.TrimSpace(string(out)), "jsonschema", "testdata")
}

// suiteRemotes are the documents that the suite expects at localhost:1234. The
// folders of other drafts are left out: their documents have other dialects.
func suiteRemotes(t *testing.T, folder, draft string) map[string][]byte {
	t.Helper()
	resources := map[string][]byte{}
	root := filepath.Join(folder, "remotes")
	err := filepath.WalkDir(root, func(path string, entry fs.DirEntry, err error) error {
		if err != nil || entry.IsDir() || filepath.Ext(path) != ".json" {
			return err
		}
		name, err := filepath.Rel(root, path)
		if err != nil {
			return err
		}
		name = filepath.ToSlash(name)
		if strings.HasPrefix(name, "draft") && !strings.HasPrefix(name, draft+"/") {
			return nil
		}
		raw, err := os.ReadFile(path)
		resources["http://localhost:1234/"+name] = raw
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return resources
}

type suiteGroup struct {
	Description string
	Schema      json.RawMessage
	Tests       []struct {
		Description string
		Data        json.RawMessage
		Valid       bool
	}
}

func TestSuite(t *testing.T) {
	for _, run := range []struct {
		draft string
		opts  Options
		cases int
		fast  int
	}{
		{draft: "draft2020-12", cases: 1099, fast: 300},
		{draft: "draft7", opts: Options{Draft7: true}, cases: 913, fast: 400},
	} {
		t.Run(run.draft, func(t *testing.T) {
			folder := suiteFolder(t)
			run.opts.Resources = suiteRemotes(t, folder, run.draft)
			files, err := filepath.Glob(filepath.Join(folder, run.draft, "*.json"))
			if err != nil {
				t.Fatal(err)
			}
			cases, fast := 0, 0
			for _, file := range files {
				c, f := runSuiteFile(t, file, &run.opts)
				cases, fast = cases+c, fast+f
			}
			t.Logf("%d cases, %d of them through the fast path as well", cases, fast)
			if cases != run.cases || fast < run.fast {
				t.Errorf("ran %d cases (%d fast), want %d (at least %d fast)", cases, fast, run.cases, run.fast)
			}
		})
	}
}

func runSuiteFile(t *testing.T, file string, opts *Options) (cases, fast int) {
	t.Helper()
	raw, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	var groups []suiteGroup
	if err := json.Unmarshal(raw, &groups); err != nil {
		t.Fatal(err)
	}
	for _, g := range groups {
		name := filepath.Base(file) + ": " + g.Description
		checker, err := Compile(g.Schema, opts)
		if err != nil {
			t.Errorf("%s: %v", name, err)
			continue
		}
		for _, c := range g.Tests {
			cases++
			failure := checker.full.check(checker.source, &checker.options, c.Data)
			if (failure == nil) != c.Valid {
				t.Errorf("%s: %s: valid = %v, want %v (%+v)", name, c.Description, failure == nil, c.Valid, failure)
			}
			if failure != nil && (failure.TooComplex || failure.Broken != nil || len(failure.Issues) == 0) {
				t.Errorf("%s: %s: %+v", name, c.Description, failure)
			}
			if checker.Fast() {
				got := checker.fast.verdict(c.Data)
				if got == fastUndecided {
					continue
				}
				fast++
				if (got == fastValid) != c.Valid {
					t.Errorf("%s: %s: fast verdict %d, want valid = %v", name, c.Description, got, c.Valid)
				}
			}
		}
	}
	return cases, fast
}
