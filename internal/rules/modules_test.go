package rules

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// listed is what the rules need of one package in `go list -json`.
type listed struct {
	ImportPath string
	Standard   bool
	Module     *struct{ Path string }
}

// rootModules are the modules that the root package may pull in.
var rootModules = []string{
	modulePath,
	"github.com/santhosh-tekuri/jsonschema/v6",
	"golang.org/x/text", // messages of the line above
	"github.com/google/jsonschema-go",
	"github.com/go-json-experiment/json",
}

func TestRootDependsOnLittle(t *testing.T) {
	for _, goos := range []string{"linux", "darwin", "windows"} {
		t.Run(goos, func(t *testing.T) {
			out, err := run(t, root(t), []string{"GOOS=" + goos}, "go", "list", "-deps", "-json=ImportPath,Standard,Module", ".")
			if err != nil {
				t.Fatal(err)
			}
			packages, err := decodeList(out)
			if err != nil {
				t.Fatal(err)
			}
			report(t, foreignModules(packages),
				"a program that embeds gongu must not drag a tree of modules in: the root is the standard library, JSON Schema and JSON decoding",
				"move what needs the module into a package above the root (docs/architecture.md), and give the root a small interface for it; `go mod why -m MODULE` shows the way in")
		})
	}
}

// decodeList reads the stream of JSON objects that go list prints.
func decodeList(out string) ([]listed, error) {
	var packages []listed
	dec := json.NewDecoder(strings.NewReader(out))
	for {
		var p listed
		if err := dec.Decode(&p); errors.Is(err, io.EOF) {
			return packages, nil
		} else if err != nil {
			return nil, err
		}
		packages = append(packages, p)
	}
}

func foreignModules(packages []listed) []string {
	var problems []string
	for _, p := range packages {
		if p.Standard || (p.Module != nil && slices.Contains(rootModules, p.Module.Path)) {
			continue
		}
		module := "no module"
		if p.Module != nil {
			module = p.Module.Path
		}
		problems = append(problems, fmt.Sprintf("the root depends on %s (%s)", p.ImportPath, module))
	}
	return problems
}

func TestRootDependsOnLittleCanFail(t *testing.T) {
	packages, err := decodeList(`
		{"ImportPath":"fmt","Standard":true}
		{"ImportPath":"` + modulePath + `/internal/lang","Module":{"Path":"` + modulePath + `"}}
		{"ImportPath":"golang.org/x/text/message","Module":{"Path":"golang.org/x/text"}}
		{"ImportPath":"github.com/spf13/cobra","Module":{"Path":"github.com/spf13/cobra"}}`)
	if err != nil {
		t.Fatal(err)
	}
	wantProblems(t, foreignModules(packages), "github.com/spf13/cobra")
}

// goMod is what the rules need of `go mod edit -json`.
type goMod struct {
	Replace []struct {
		Old, New struct{ Path, Version string }
	}
}

func TestNoReplace(t *testing.T) {
	var problems []string
	for _, mod := range []struct{ file, allowed string }{
		{"go.mod", ""},
		{"bench/go.mod", modulePath + " => ../"},
	} {
		if _, err := os.Stat(filepath.Join(root(t), filepath.FromSlash(mod.file))); errors.Is(err, os.ErrNotExist) {
			continue
		}
		out, err := run(t, root(t), nil, "go", "mod", "edit", "-json", mod.file)
		if err != nil {
			t.Fatal(err)
		}
		found, err := replaced(out, mod.allowed)
		if err != nil {
			t.Fatal(err)
		}
		for _, p := range found {
			problems = append(problems, mod.file+": "+p)
		}
	}
	report(t, problems,
		"a replace directive works in this checkout only: whoever imports gongu does not get it and builds something else",
		"remove it and require a released version; bench/go.mod may replace "+modulePath+" by ../ and nothing else, because it measures this checkout")
}

// replaced lists the replace directives other than the allowed one.
func replaced(modJSON, allowed string) ([]string, error) {
	var mod goMod
	if err := json.Unmarshal([]byte(modJSON), &mod); err != nil {
		return nil, err
	}
	var problems []string
	for _, r := range mod.Replace {
		// "..": the go command accepts both spellings of the parent folder.
		target := r.New.Path
		if target == ".." {
			target = "../"
		}
		directive := r.Old.Path + " => " + target
		if directive == allowed && r.Old.Version == "" {
			continue
		}
		problems = append(problems, "replace "+directive)
	}
	return problems, nil
}

func TestNoReplaceCanFail(t *testing.T) {
	const mod = `{"Replace":[
		{"Old":{"Path":"` + modulePath + `"},"New":{"Path":"../"}},
		{"Old":{"Path":"example.com/a"},"New":{"Path":"../a"}}]}`
	for _, tc := range []struct {
		allowed string
		want    []string
	}{
		{"", []string{modulePath, "example.com/a => ../a"}},
		{modulePath + " => ../", []string{"example.com/a => ../a"}},
	} {
		got, err := replaced(mod, tc.allowed)
		if err != nil {
			t.Fatal(err)
		}
		wantProblems(t, got, tc.want...)
	}
}
