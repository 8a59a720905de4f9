package rules

import (
	"fmt"
	"go/ast"
	"go/token"
	"maps"
	"slices"
	"strings"
	"testing"
)

// The bounds of the root's surface and of files and functions. The aim of the
// last two is 400 and 60; the gap is for the rare case that reads better whole.
const (
	maxExported  = 60
	maxFileLines = 600
	maxFuncLines = 100
)

// H14: the root package stays small enough to read in a sitting.
func TestRootExportsFewNames(t *testing.T) {
	report(t, tooManyNames(exportedNames(rootPackage(t)), maxExported),
		"a reader must be able to finish the root package in one sitting, and each exported name is a promise that cannot be taken back",
		"unexport what only gongu uses, make it a method or a field, or move it to the package whose job it is")
}

func tooManyNames(names []string, limit int) []string {
	if len(names) <= limit {
		return nil
	}
	return []string{fmt.Sprintf("the root exports %d package-level names, at most %d are allowed: %s", len(names), limit, strings.Join(names, " "))}
}

// exportedNames lists the exported constants, variables, functions and types;
// a name declared once per system counts once. Error codes are left out: they
// are one table, and each stands for a page of the documentation.
func exportedNames(files []*source) []string {
	names := map[string]bool{}
	add := func(ids ...*ast.Ident) {
		for _, id := range ids {
			if id.IsExported() && !strings.HasPrefix(id.Name, "Code") {
				names[id.Name] = true
			}
		}
	}
	for _, s := range files {
		for _, decl := range s.ast.Decls {
			switch d := decl.(type) {
			case *ast.FuncDecl:
				if d.Recv == nil {
					add(d.Name)
				}
			case *ast.GenDecl:
				for _, spec := range d.Specs {
					switch sp := spec.(type) {
					case *ast.ValueSpec:
						add(sp.Names...)
					case *ast.TypeSpec:
						add(sp.Name)
					}
				}
			}
		}
	}
	return slices.Sorted(maps.Keys(names))
}

func TestRootExportsFewNamesCanFail(t *testing.T) {
	s := sample(t, "a.go", `package x
const A, b = 1, 2
const CodeX = "E_X"
var C int
type D struct{ Field int }
func (D) Method() {}
func E() {}
func f() {}`)
	got := exportedNames([]*source{s, s})
	if want := []string{"A", "C", "D", "E"}; !slices.Equal(got, want) {
		t.Fatalf("exported names %q, want %q", got, want)
	}
	wantProblems(t, tooManyNames(got, 4))
	wantProblems(t, tooManyNames(got, 3), "4 package-level names, at most 3")
}

// H14: an assertion whose second value is dropped is a panic in waiting.
func TestTypeAssertionsAreChecked(t *testing.T) {
	var problems []string
	for _, s := range code(t) {
		problems = append(problems, uncheckedAssertions(s)...)
	}
	report(t, problems,
		"x.(T) panics when x is something else, and tools, arguments and results come from outside",
		"write `v, ok := x.(T)` and handle !ok, or use a type switch")
}

// uncheckedAssertions lists the x.(T) whose second value is not taken.
func uncheckedAssertions(s *source) []string {
	checked := map[ast.Expr]bool{}
	var problems []string
	// ast.Inspect visits a statement before its expressions, so the ones that
	// take both values are known by the time the assertion is reached.
	ast.Inspect(s.ast, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.AssignStmt:
			if len(n.Lhs) == 2 && len(n.Rhs) == 1 {
				checked[ast.Unparen(n.Rhs[0])] = true
			}
		case *ast.ValueSpec:
			if len(n.Names) == 2 && len(n.Values) == 1 {
				checked[ast.Unparen(n.Values[0])] = true
			}
		case *ast.TypeAssertExpr:
			// A nil type is the x.(type) of a type switch.
			if n.Type != nil && !checked[n] {
				problems = append(problems, s.at(n)+": unchecked type assertion")
			}
		}
		return true
	})
	return problems
}

func TestTypeAssertionsAreCheckedCanFail(t *testing.T) {
	for body, want := range map[string]int{
		`v, ok := x.(int); _, _ = v, ok`:                0,
		`var v, ok = (x.(int)); _, _ = v, ok`:           0,
		`if _, ok := x.(int); ok {}`:                    0,
		`switch v := x.(type) { case int: _ = v }`:      0,
		`v := x.(int); _ = v`:                           1,
		`println(x.(int))`:                              1,
		`_, _ = x.(int), x.(int)`:                       2,
		`v, ok := x.(any).(int); _, _ = v, ok`:          1,
		`v, ok := map[int]int{}[x.(int)]; _, _ = v, ok`: 1,
	} {
		s := sample(t, "a.go", "package x\nfunc f(x any) {\n"+body+"\n}")
		if got := uncheckedAssertions(s); len(got) != want {
			t.Errorf("%s: got %q, want %d problems", body, got, want)
		}
	}
}

func TestFilesAndFunctionsAreShort(t *testing.T) {
	var problems []string
	for _, s := range code(t) {
		problems = append(problems, tooLong(s, maxFileLines, maxFuncLines)...)
	}
	report(t, problems,
		"a function that fits on a screen and a file that fits in a head are reviewed; longer ones are trusted",
		"split by job, not by line count; aim at 60 lines a function and 400 a file")
}

// tooLong lists the file and its functions over a limit. A function literal
// counts on its own as well, so that one in a variable is seen.
func tooLong(s *source, fileLines, funcLines int) []string {
	if ast.IsGenerated(s.ast) {
		return nil
	}
	var problems []string
	if n := s.fset.Position(s.ast.FileEnd).Line; n > fileLines {
		problems = append(problems, fmt.Sprintf("%s: %d lines, at most %d are allowed", s.path, n, fileLines))
	}
	ast.Inspect(s.ast, func(n ast.Node) bool {
		name := ""
		switch f := n.(type) {
		case *ast.FuncDecl:
			name = "func " + f.Name.Name
		case *ast.FuncLit:
			name = "function literal"
		default:
			return true
		}
		if lines := s.lines(n); lines > funcLines {
			problems = append(problems, fmt.Sprintf("%s: %s has %d lines, at most %d are allowed", s.at(n), name, lines, funcLines))
		}
		return true
	})
	return problems
}

func TestFilesAndFunctionsAreShortCanFail(t *testing.T) {
	const src = "package x\n\nfunc a() {\n\n}\n\nvar b = func() {\n\n\n}\n"
	wantProblems(t, tooLong(sample(t, "a.go", src), 10, 4))
	wantProblems(t, tooLong(sample(t, "a.go", src), 5, 2), "a.go: 10 lines", "func a has 3", "literal has 4")
	wantProblems(t, tooLong(sample(t, "a.go", "// Code generated by x. DO NOT EDIT.\n\n"+src), 5, 2))
}

func TestNoInit(t *testing.T) {
	var problems []string
	for _, s := range tree(t) {
		problems = append(problems, inits(s)...)
	}
	report(t, problems,
		"init runs before anyone asked and leaves global state; a registry is a value that is passed, and a program pays only for what it uses",
		"do the work in a constructor, or in a sync.OnceValue that the first user calls")
}

func inits(s *source) []string {
	var problems []string
	for _, decl := range s.ast.Decls {
		if f, ok := decl.(*ast.FuncDecl); ok && f.Recv == nil && f.Name.Name == "init" {
			problems = append(problems, s.at(f)+": func init")
		}
	}
	return problems
}

func TestNoInitCanFail(t *testing.T) {
	s := sample(t, "a.go", "package x\ntype t int\nfunc (t) init() {}\nfunc init() {}\n")
	wantProblems(t, inits(s), "a.go:4")
}

func TestNoTestSkips(t *testing.T) {
	var problems []string
	for _, s := range where(tree(t), func(s *source) bool { return s.test }) {
		problems = append(problems, skips(s)...)
	}
	report(t, problems,
		"a test that skips is green and proves nothing, and nobody reads the list of skipped tests",
		"make the test bring what it needs; where that is impossible, end the line with `//rules:skip ` and the reason")
}

// skips lists the calls of Skip, Skipf and SkipNow without a reason beside them.
func skips(s *source) []string {
	excused := map[int]bool{}
	for _, group := range s.ast.Comments {
		for _, c := range group.List {
			if reason, ok := strings.CutPrefix(c.Text, "//rules:skip "); ok && strings.TrimSpace(reason) != "" {
				excused[s.line(c.Pos())] = true
			}
		}
	}
	var problems []string
	ast.Inspect(s.ast, func(n ast.Node) bool {
		call, ok := n.(*ast.CallExpr)
		if !ok {
			return true
		}
		sel, ok := call.Fun.(*ast.SelectorExpr)
		if ok && slices.Contains([]string{"Skip", "Skipf", "SkipNow"}, sel.Sel.Name) && !excused[s.line(call.End())] {
			problems = append(problems, fmt.Sprintf("%s: %s", s.at(n), sel.Sel.Name))
		}
		return true
	})
	return problems
}

func (s *source) line(p token.Pos) int { return s.fset.Position(p).Line }

func TestNoTestSkipsCanFail(t *testing.T) {
	s := sample(t, "a_test.go", `package x
func TestA(t *testing.T) {
	t.Skip("no data")
	tb.SkipNow()
	t.Skip("no data") //rules:skip the data is not public
	t.Skipf("%d", 1) //rules:skip
	strings.SkipAll()
}`)
	wantProblems(t, skips(s), "a_test.go:3", "a_test.go:4", "a_test.go:6")
}
