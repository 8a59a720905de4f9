package rules

import (
	"bytes"
	"errors"
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"os"
	"os/exec"
	"path"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
)

const modulePath = "github.com/gongu-ai/gongu"

// source is one parsed Go file of the repository.
type source struct {
	path  string // from the repository root, with slashes
	dir   string // the same for its folder; "." is the root package
	test  bool   // a _test.go file
	bench bool   // belongs to the module in bench/
	ast   *ast.File
	fset  *token.FileSet
}

// at prints the place of a node as path:line.
func (s *source) at(n ast.Node) string {
	return fmt.Sprintf("%s:%d", s.path, s.fset.Position(n.Pos()).Line)
}

// lines counts the lines that a node covers.
func (s *source) lines(n ast.Node) int {
	return s.fset.Position(n.End()).Line - s.fset.Position(n.Pos()).Line + 1
}

// parse reads one file; the samples of the self-tests come through here too.
func parse(name string, src []byte) (*source, error) {
	fset := token.NewFileSet()
	file, err := parser.ParseFile(fset, name, src, parser.ParseComments|parser.SkipObjectResolution)
	if err != nil {
		return nil, err
	}
	return &source{
		path:  name,
		dir:   path.Dir(name),
		test:  strings.HasSuffix(name, "_test.go"),
		bench: strings.HasPrefix(name, "bench/"),
		ast:   file,
		fset:  fset,
	}, nil
}

// sample parses a source string for a self-test.
func sample(t *testing.T, name, src string) *source {
	t.Helper()
	s, err := parse(name, []byte(src))
	if err != nil {
		t.Fatal(err)
	}
	return s
}

// findRoot walks up to the go.mod of this module, so that the tests work from
// any folder and with -trimpath.
var findRoot = sync.OnceValues(func() (string, error) {
	dir, err := os.Getwd()
	if err != nil {
		return "", err
	}
	for {
		mod, err := os.ReadFile(filepath.Join(dir, "go.mod"))
		if err == nil && slices.Contains(strings.Split(strings.ReplaceAll(string(mod), "\r", ""), "\n"), "module "+modulePath) {
			return dir, nil
		}
		parent := filepath.Dir(dir)
		if parent == dir {
			return "", errors.New("no go.mod of " + modulePath + " above the test")
		}
		dir = parent
	}
})

// root is the folder of the repository.
func root(t *testing.T) string {
	t.Helper()
	dir, err := findRoot()
	if err != nil {
		t.Fatal(err)
	}
	return dir
}

// loadTree parses every Go file of the repository, whatever its build
// constraints: a rule must hold on the systems this test does not run on.
var loadTree = sync.OnceValues(func() ([]*source, error) {
	base, err := findRoot()
	if err != nil {
		return nil, err
	}
	var all []*source
	err = fs.WalkDir(os.DirFS(base), ".", func(name string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		if d.IsDir() {
			if ignoredDir(name) {
				return fs.SkipDir
			}
			return nil
		}
		if !strings.HasSuffix(name, ".go") || strings.HasPrefix(d.Name(), "_") || strings.HasPrefix(d.Name(), ".") {
			return nil
		}
		src, err := os.ReadFile(filepath.Join(base, filepath.FromSlash(name)))
		if err != nil {
			return err
		}
		s, err := parse(name, src)
		if err != nil {
			return err
		}
		all = append(all, s)
		return nil
	})
	return all, err
})

// ignoredDir follows the go command: what ./... does not visit is not checked.
func ignoredDir(name string) bool {
	base := path.Base(name)
	return base != "." && (base[0] == '.' || base[0] == '_' || base == "testdata" || base == "vendor" || base == "node_modules")
}

// tree is every Go file of the repository, bench included.
func tree(t *testing.T) []*source {
	t.Helper()
	all, err := loadTree()
	if err != nil {
		t.Fatal(err)
	}
	return all
}

// where keeps the files for which keep is true.
func where(all []*source, keep func(*source) bool) []*source {
	return slices.DeleteFunc(slices.Clone(all), func(s *source) bool { return !keep(s) })
}

// code is every file that is not a test.
func code(t *testing.T) []*source {
	t.Helper()
	return where(tree(t), func(s *source) bool { return !s.test })
}

// rootPackage is the code of the package that users import as gongu.
func rootPackage(t *testing.T) []*source {
	t.Helper()
	files := where(code(t), func(s *source) bool { return s.dir == "." })
	if len(files) == 0 {
		t.Fatal("the root package has no Go files")
	}
	return files
}

// read returns a file of the repository that must exist.
func read(t *testing.T, name string) string {
	t.Helper()
	b, err := os.ReadFile(filepath.Join(root(t), filepath.FromSlash(name)))
	if err != nil {
		t.Fatalf("%s is part of the repository and must exist: %v", name, err)
	}
	return string(b)
}

// run executes a program in a folder and returns what it printed.
func run(t *testing.T, dir string, env []string, name string, args ...string) (string, error) {
	t.Helper()
	cmd := exec.CommandContext(t.Context(), name, args...)
	cmd.Dir = dir
	cmd.Env = append(os.Environ(), env...)
	var stderr bytes.Buffer
	cmd.Stderr = &stderr
	out, err := cmd.Output()
	if err != nil {
		return "", fmt.Errorf("%s %s: %w\n%s", name, strings.Join(args, " "), err, stderr.String())
	}
	return string(out), nil
}

// report fails the test once, with all places and then the reason and the fix.
func report(t *testing.T, problems []string, why, fix string) {
	t.Helper()
	if len(problems) == 0 {
		return
	}
	t.Errorf("%s\n  why: %s\n  fix: %s", strings.Join(problems, "\n"), why, fix)
}

// wantProblems checks a self-test: each wanted part appears in the problem at
// its place, and there are no others.
func wantProblems(t *testing.T, got []string, want ...string) {
	t.Helper()
	if len(got) != len(want) {
		t.Fatalf("got %d problems %q, want %d: %q", len(got), got, len(want), want)
	}
	for i := range want {
		if !strings.Contains(got[i], want[i]) {
			t.Errorf("problem %d is %q, want it to contain %q", i, got[i], want[i])
		}
	}
}
