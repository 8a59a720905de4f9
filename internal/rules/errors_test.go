package rules

import (
	"fmt"
	"go/ast"
	"go/token"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

const errorPages = "docs/errors"

func TestErrorCodesHavePages(t *testing.T) {
	// Diagnostics of a bundle are no results of calls: docs/bundles.md has them.
	codes := slices.DeleteFunc(errorCodes(code(t)), func(c string) bool { return strings.HasPrefix(c, "E_CONFIG_") })
	if len(errorCodes(rootPackage(t))) == 0 {
		t.Error("the root has no exported constant with a value E_…; the rule checks nothing")
	}
	names, err := filepath.Glob(filepath.Join(root(t), filepath.FromSlash(errorPages), "*.md"))
	if err != nil {
		t.Fatal(err)
	}
	pages := map[string]string{}
	for _, name := range names {
		b, err := os.ReadFile(name)
		if err != nil {
			t.Fatal(err)
		}
		pages[strings.TrimSuffix(filepath.Base(name), ".md")] = string(b)
	}
	report(t, unpaired(codes, pages),
		"the helpUrl of an error points to its page: a code without one leads the reader nowhere, and a page without a code describes nothing",
		"write "+errorPages+"/CODE.md with a `# CODE` heading for each code, and delete the pages of codes that are gone")
}

// errorCodes lists the values E_… of the exported constants; Code("E_X") and
// "E_X" are both read.
func errorCodes(files []*source) []string {
	codes := map[string]bool{}
	for _, s := range files {
		for _, decl := range s.ast.Decls {
			gen, ok := decl.(*ast.GenDecl)
			if !ok || gen.Tok != token.CONST {
				continue
			}
			for _, spec := range gen.Specs {
				for _, code := range codesOf(spec) {
					codes[code] = true
				}
			}
		}
	}
	return slices.Sorted(maps.Keys(codes))
}

func codesOf(spec ast.Spec) []string {
	values, ok := spec.(*ast.ValueSpec)
	if !ok {
		return nil
	}
	var codes []string
	for i, name := range values.Names {
		if !name.IsExported() || i >= len(values.Values) {
			continue
		}
		value := values.Values[i]
		if call, ok := value.(*ast.CallExpr); ok && len(call.Args) == 1 {
			value = call.Args[0]
		}
		if code, ok := stringValue(value); ok && strings.HasPrefix(code, "E_") {
			codes = append(codes, code)
		}
	}
	return codes
}

// unpaired lists the codes without a page and the pages without a code.
func unpaired(codes []string, pages map[string]string) []string {
	var problems []string
	for _, code := range codes {
		page, ok := pages[code]
		first, _, _ := strings.Cut(page, "\n")
		switch {
		case !ok:
			problems = append(problems, fmt.Sprintf("%s/%s.md is missing", errorPages, code))
		case !strings.HasPrefix(first, "# ") || !strings.Contains(first, code):
			problems = append(problems, fmt.Sprintf("%s/%s.md does not start with a heading that names %s", errorPages, code, code))
		}
	}
	for _, page := range slices.Sorted(maps.Keys(pages)) {
		if page != "README" && !slices.Contains(codes, page) {
			problems = append(problems, fmt.Sprintf("%s/%s.md belongs to no code", errorPages, page))
		}
	}
	return problems
}

func TestErrorCodesHavePagesCanFail(t *testing.T) {
	s := sample(t, "a.go", `package gongu
const (
	CodeA      = "E_A"
	CodeB Code = "E_B"
	CodeC      = Code("E_C")
	codeD      = "E_D"
	Other      = "other"
)
var NotConst = "E_E"`)
	codes := errorCodes([]*source{s})
	if want := []string{"E_A", "E_B", "E_C"}; !slices.Equal(codes, want) {
		t.Fatalf("codes %q, want %q", codes, want)
	}
	wantProblems(t, unpaired(codes, map[string]string{
		"README": "# Errors",
		"E_A":    "# E_A: a tool\n",
		"E_B":    "no heading\n",
		"E_Z":    "# E_Z\n",
	}), "E_B.md does not start", "E_C.md is missing", "E_Z.md belongs to no code")
}
