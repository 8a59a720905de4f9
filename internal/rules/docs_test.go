package rules

import (
	"fmt"
	"go/ast"
	"os"
	"path"
	"path/filepath"
	"regexp"
	"runtime"
	"slices"
	"strings"
	"testing"
)

const (
	conformance = "docs/conformance.md"
	security    = "SECURITY.md"
)

// testName is a test in backticks: `TestX`, `pkg.TestX`, `TestX/subtest`.
var testName = regexp.MustCompile("`(?:([A-Za-z0-9_./-]+)\\.)?((?:Test|Example|Fuzz|Benchmark)(?:[A-Z0-9_][A-Za-z0-9_]*)?)(?:/[^`]*)?`")

func TestConformanceNamesRealTests(t *testing.T) {
	tests := where(tree(t), func(s *source) bool { return s.test })
	funcs := testFuncs(tests)
	report(t, append(missingTests(conformance, read(t, conformance), funcs), missingTests(security, read(t, security), funcs)...),
		conformance+" and "+security+" say which test proves which clause; a name that no test has proves nothing",
		"name the test that does it, in backticks, as `TestX`, `package.TestX` or `TestX/subtest`, or write it")
}

// testFuncs maps the name of each test function to the packages that have it,
// by name and by folder.
func testFuncs(files []*source) map[string][]string {
	found := map[string][]string{}
	for _, s := range files {
		pkg := strings.TrimSuffix(s.ast.Name.Name, "_test")
		for _, decl := range s.ast.Decls {
			if f, ok := decl.(*ast.FuncDecl); ok && f.Recv == nil {
				found[f.Name.Name] = append(found[f.Name.Name], pkg, s.dir, path.Base(s.dir))
			}
		}
	}
	return found
}

// missingTests lists the tests that a document names and that do not exist.
func missingTests(name, doc string, funcs map[string][]string) []string {
	matches := testName.FindAllStringSubmatch(doc, -1)
	if len(matches) == 0 {
		return []string{name + " names no test"}
	}
	var problems []string
	for _, m := range matches {
		pkg, test := strings.TrimPrefix(m[1], "./"), m[2]
		packages, ok := funcs[test]
		switch {
		case !ok:
			problems = append(problems, fmt.Sprintf("%s: no test is called %s", name, test))
		case pkg != "" && !slices.Contains(packages, pkg):
			problems = append(problems, fmt.Sprintf("%s: package %s has no test %s", name, pkg, test))
		}
	}
	return problems
}

func TestConformanceNamesRealTestsCanFail(t *testing.T) {
	funcs := testFuncs([]*source{
		sample(t, "a_test.go", "package gongu_test\nfunc TestA(){}\nfunc Example_seed(){}\nfunc (x) TestMethod(){}"),
		sample(t, "internal/jsonx/b_test.go", "package jsonx\nfunc FuzzB(){}\nfunc Example(){}"),
	})
	good := "`TestA` `gongu.TestA` `TestA/sub test` `Example_seed` `internal/jsonx.FuzzB` `jsonx.FuzzB` `Example` `make test` `Testing`"
	wantProblems(t, missingTests(conformance, good, funcs))
	wantProblems(t, missingTests(conformance, "`TestGone` `jsonx.TestA` `TestMethod` `TestGone/x`", funcs),
		"called TestGone", "package jsonx has no test TestA", "called TestMethod", "called TestGone")
	wantProblems(t, missingTests(conformance, "TestA without backticks", funcs), "names no test")
}

func TestOneTestCommand(t *testing.T) {
	var problems []string
	if !strings.Contains(read(t, "README.md"), "make test") {
		problems = append(problems, "README.md does not name `make test`")
	}
	if !callsMakeTest(read(t, ".ci/run")) {
		problems = append(problems, ".ci/run does not end in `make test`")
	}
	for _, script := range executables(t) {
		info, err := os.Stat(script)
		if err != nil {
			t.Fatal(err)
		}
		// Windows has no such bit.
		if runtime.GOOS != "windows" && info.Mode()&0o111 == 0 {
			problems = append(problems, filepath.Base(script)+" is not executable")
		}
	}
	report(t, problems,
		"there is one test command, the same for a newcomer, for a maintainer and for the machine; two would drift apart",
		"name `make test` in README.md, let .ci/run call it and nothing else, and chmod +x the scripts")
}

func executables(t *testing.T) []string {
	t.Helper()
	scripts, err := filepath.Glob(filepath.Join(root(t), "scripts", "*"))
	if err != nil {
		t.Fatal(err)
	}
	return append(scripts, filepath.Join(root(t), ".ci", "run"))
}

// callsMakeTest is true when the last line of a script is `make test`.
func callsMakeTest(script string) bool {
	lines := strings.Split(strings.TrimSpace(script), "\n")
	return strings.TrimPrefix(lines[len(lines)-1], "exec ") == "make test"
}

func TestOneTestCommandCanFail(t *testing.T) {
	for script, want := range map[string]bool{
		"set -e\nexec make test\n": true,
		"make test":                true,
		"make test || true\n":      false,
		"# make test\n":            false,
		"go test ./...\n":          false,
	} {
		if got := callsMakeTest(script); got != want {
			t.Errorf("callsMakeTest(%q) is %v", script, got)
		}
	}
}
