package cad_test

import (
	"go/ast"
	"go/parser"
	"go/token"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// Seed 000, D1: names, descriptions, schemas and domains of tools are in the
// files that make tools, which alone know the registry. The scene, which draws,
// has none of it.
func TestSeed000_SceneKnowsNoTools(t *testing.T) {
	files, err := filepath.Glob("*.go")
	if err != nil {
		t.Fatal(err)
	}
	var aware []string
	declares := map[string]string{}
	for _, name := range files {
		if strings.HasSuffix(name, "_test.go") {
			continue
		}
		file, err := parser.ParseFile(token.NewFileSet(), name, nil, parser.SkipObjectResolution)
		if err != nil {
			t.Fatal(err)
		}
		if slices.ContainsFunc(file.Imports, describesTools) {
			aware = append(aware, name)
		}
		for _, decl := range file.Decls {
			if f, ok := decl.(*ast.FuncDecl); ok && f.Recv != nil {
				declares[receiver(f)+"."+f.Name.Name] = name
			}
		}
	}
	if diff := cmp.Diff([]string{"define.go", "exec.go", "param.go", "tools.go"}, aware); diff != "" {
		t.Errorf("files that know what a tool is (-want +got):\n%s", diff)
	}
	if declares["Scene.Draw"] == "" || declares["Scene.Undo"] == "" {
		t.Fatalf("no scene among %v", declares)
	}
	for method, file := range declares {
		if strings.HasPrefix(method, "Scene.") && slices.Contains(aware, file) {
			t.Errorf("%s is in %s, which knows what a tool is", method, file)
		}
	}
}

// describesTools reports whether an import is of tools or of their schemas.
func describesTools(i *ast.ImportSpec) bool {
	return i.Path.Value == `"github.com/gongu-ai/gongu"` || i.Path.Value == `"github.com/gongu-ai/gongu/internal/toolschema"`
}

func receiver(f *ast.FuncDecl) string {
	of := f.Recv.List[0].Type
	if pointer, ok := of.(*ast.StarExpr); ok {
		of = pointer.X
	}
	if name, ok := of.(*ast.Ident); ok {
		return name.Name
	}
	return ""
}
