package rules

import (
	"go/ast"
	"maps"
	"regexp"
	"slices"
	"strings"
	"testing"
)

// testList is a variable of the Makefile that holds regular expressions of
// names of tests.
var testList = regexp.MustCompile(`(?m)^(OUTSIDE|LONG|HOSTILE) := (Test\S+)$`)

// A test that was renamed would be run by a target that leaves it out, or left
// out by a target that is for it.
func TestMakefileNamesRealTests(t *testing.T) {
	tests := where(tree(t), func(s *source) bool { return s.test })
	report(t, unknownInMakefile(read(t, "Makefile"), slices.Collect(maps.Keys(testFuncs(tests)))),
		"the Makefile lists tests by name; a name that no test has chooses nothing",
		"put the new name into the list, or take the old one out")
}

func unknownInMakefile(makefile string, tests []string) []string {
	lists := testList.FindAllStringSubmatch(makefile, -1)
	var problems []string
	if len(lists) != 3 {
		problems = append(problems, "Makefile: the lists OUTSIDE, LONG and HOSTILE are not all there")
	}
	for _, list := range lists {
		for name := range strings.SplitSeq(list[2], "|") {
			whole, err := regexp.Compile("^(?:" + name + ")$")
			if err != nil || !slices.ContainsFunc(tests, whole.MatchString) {
				problems = append(problems, "Makefile: "+list[1]+": no test is called "+name)
			}
		}
	}
	return problems
}

// inHeavy is what a test says that only runs without the race detector.
const inHeavy = `"make heavy runs it"`

// A test that leaves itself to make heavy runs nowhere unless heavy has its name.
func TestMakefileRunsWhatIsLeftToHeavy(t *testing.T) {
	var left []string
	for _, s := range where(tree(t), func(s *source) bool { return s.test && s.dir != "internal/rules" }) {
		left = append(left, leftToHeavy(s)...)
	}
	report(t, missingInHeavy(read(t, "Makefile"), left),
		"a test that skips with the words of heavy, and that heavy does not run, is run by no target",
		"put its name into LONG of the Makefile")
}

// leftToHeavy lists the tests with a call of Skip that names make heavy.
func leftToHeavy(s *source) []string {
	var names []string
	for _, decl := range s.ast.Decls {
		f, ok := decl.(*ast.FuncDecl)
		if !ok {
			continue
		}
		ast.Inspect(f, func(n ast.Node) bool {
			if text, ok := n.(*ast.BasicLit); ok && text.Value == inHeavy {
				names = append(names, f.Name.Name)
			}
			return true
		})
	}
	return names
}

func missingInHeavy(makefile string, left []string) []string {
	var problems []string
	for _, list := range testList.FindAllStringSubmatch(makefile, -1) {
		if list[1] != "LONG" {
			continue
		}
		whole, err := regexp.Compile("^(?:" + list[2] + ")$")
		for _, name := range left {
			if err != nil || !whole.MatchString(name) {
				problems = append(problems, "Makefile: LONG does not have "+name)
			}
		}
		return problems
	}
	return []string{"Makefile: there is no list LONG"}
}

func TestMakefileRunsWhatIsLeftToHeavyCanFail(t *testing.T) {
	s, err := parse("a/a_test.go", []byte("package a\nfunc TestA(t *testing.T) { t.Skip("+inHeavy+") }\nfunc TestB(t *testing.T) {}\n"))
	if err != nil {
		t.Fatal(err)
	}
	left := leftToHeavy(s)
	if len(left) != 1 || left[0] != "TestA" {
		t.Errorf("%q", left)
	}
	wantProblems(t, missingInHeavy("LONG := TestA|TestB\n", left))
	wantProblems(t, missingInHeavy("LONG := TestB\n", left), "LONG does not have TestA")
	wantProblems(t, missingInHeavy("", left), "there is no list LONG")
}

func TestMakefileNamesRealTestsCanFail(t *testing.T) {
	const lists = "OUTSIDE := TestA\nLONG := TestBoth|TestGone\nHOSTILE := TestC_.*\n"
	tests := []string{"TestA", "TestBoth", "TestC_One"}
	wantProblems(t, unknownInMakefile(strings.Replace(lists, "|TestGone", "", 1), tests))
	wantProblems(t, unknownInMakefile(lists, tests), "LONG: no test is called TestGone")
	wantProblems(t, unknownInMakefile("LONG := TestA\n", tests), "are not all there")
}
