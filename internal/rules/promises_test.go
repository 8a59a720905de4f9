package rules

import (
	"fmt"
	"go/ast"
	"maps"
	"os"
	"path"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
)

const (
	promises   = "docs/promises.md"
	scriptsDir = "cmd/gongu/testdata"
)

var (
	// clauseInName is the code that a test's name begins with: TestH11_Order,
	// TestV5Names. Cases of other programs have their program first
	// (TestGeminiE16_Pages) or are padded with a zero.
	clauseInName = regexp.MustCompile(`^(?:Test|Example|Fuzz|Benchmark)([A-Z][1-9][0-9]?)(?:[_A-Z]|$)`)
	// clauseInText is a code in a comment. Letters that no clause has yet are
	// left out, because cases of other programs use them.
	clauseInText = regexp.MustCompile(`\b[HBTEDSVKRPU](?:[1-9]|[12][0-9])\b`)
	// otherCodes share letters with ours: cases of the Gemini CLI, places in a
	// seed (Seed 000, D3 and AC5) and rows of the conformance page (000-D3).
	otherCodes = regexp.MustCompile(`(?i:gemini)(?:\s+cases?)?\s+[A-G][0-9]{2}(?:(?:,|\s+and|\s+to)?\s+[A-G][0-9]{2})*` +
		`|(?i:seed)\s+00[0-4],\s+[A-Z]+[0-9]+(?:(?:,|\s+and|\s+to)\s+[A-Z]+[0-9]+)*|\b00[0-4]-\S+`)
	// oldWord is a reference to a document that is not in the repository.
	oldWord = regexp.MustCompile(`(?i)\bcontract\s+[A-Z][1-9][0-9]?\b`)
	// promiseRow is a row of the table: code, promise, proof.
	promiseRow = regexp.MustCompile(`(?m)^\| ([A-Z][1-9][0-9]?) \| (.+) \| (.+) \|$`)
	// scriptNames are the scripts in brackets behind `TestScripts`.
	scriptNames = regexp.MustCompile("`TestScripts` \\(([^)]+)\\)")
	// bracketed is a part of a text in brackets, where documents cite clauses.
	bracketed = regexp.MustCompile(`\([^()]*\)`)
	// quoted is code in a document: names of tests and ids of rows.
	quoted = regexp.MustCompile("`[^`\n]*`")
)

// citations maps a clause to the tests that cite it: names of functions, and of
// scripts.
type citations map[string][]string

func (c citations) add(clause, where string) {
	if !slices.Contains(c[clause], where) {
		c[clause] = append(c[clause], where)
	}
}

// addText takes the clauses that a comment cites.
func (c citations) addText(text, where string) {
	for _, clause := range clauseInText.FindAllString(otherCodes.ReplaceAllString(text, ""), -1) {
		c.add(clause, where)
	}
}

// addTests takes the clauses in the names and comments of test files. A comment
// outside of a function counts for its file.
func (c citations) addTests(files []*source) {
	for _, s := range files {
		var funcs []*ast.FuncDecl
		for _, decl := range s.ast.Decls {
			f, ok := decl.(*ast.FuncDecl)
			if !ok {
				continue
			}
			funcs = append(funcs, f)
			if m := clauseInName.FindStringSubmatch(f.Name.Name); m != nil && f.Recv == nil {
				c.add(m[1], f.Name.Name)
			}
		}
		for _, comment := range s.ast.Comments {
			where := s.path
			for _, f := range funcs {
				if comment == f.Doc || f.Pos() <= comment.Pos() && comment.End() <= f.End() {
					where = f.Name.Name
				}
			}
			c.addText(comment.Text(), where)
		}
	}
}

// addScript takes the clauses in the comments of a testscript.
func (c citations) addScript(name, text string) {
	commands, _, _ := strings.Cut(text, "\n-- ")
	for line := range strings.Lines(commands) {
		if strings.HasPrefix(line, "#") {
			c.addText(line, name)
		}
	}
}

// stalePromises compares the page with the tests: each cited clause has a row,
// and each row names a test or script that cites its clause.
func stalePromises(page string, cited citations, funcs map[string][]string) []string {
	var problems []string
	rows := map[string]bool{}
	for _, row := range promiseRow.FindAllStringSubmatch(page, -1) {
		clause, proof := row[1], row[3]
		if rows[clause] {
			problems = append(problems, fmt.Sprintf("%s: %s has two rows", promises, clause))
		}
		rows[clause] = true
		named := namedTests(proof)
		if len(named) == 0 {
			problems = append(problems, fmt.Sprintf("%s: %s names no test", promises, clause))
			continue
		}
		problems = append(problems, missingTests(promises, proof, funcs)...)
		if !slices.ContainsFunc(named, func(name string) bool { return slices.Contains(cited[clause], name) }) {
			problems = append(problems, fmt.Sprintf("%s: no test that %s names cites it", promises, clause))
		}
	}
	for _, clause := range slices.Sorted(maps.Keys(cited)) {
		if !rows[clause] {
			problems = append(problems, fmt.Sprintf("%s: no row for %s, which is cited by %s", promises, clause, strings.Join(cited[clause], ", ")))
		}
	}
	return problems
}

// namedTests lists the tests and scripts that a proof names.
func namedTests(proof string) []string {
	var names []string
	for _, m := range testName.FindAllStringSubmatch(proof, -1) {
		names = append(names, m[2])
	}
	for _, m := range scriptNames.FindAllStringSubmatch(proof, -1) {
		names = append(names, strings.Split(m[1], ", ")...)
	}
	return names
}

// uncitedRows lists the clauses that a document cites in brackets and that have
// no row.
func uncitedRows(name, document, page string) []string {
	var problems []string
	for _, part := range bracketed.FindAllString(quoted.ReplaceAllString(document, ""), -1) {
		for _, clause := range clauseInText.FindAllString(part, -1) {
			if !strings.Contains(page, "\n| "+clause+" | ") {
				problems = append(problems, fmt.Sprintf("%s cites %s, which has no row in %s", name, clause, promises))
			}
		}
	}
	return problems
}

// scripts reads the testscripts of the binary.
func scripts(t *testing.T) map[string]string {
	t.Helper()
	files, err := filepath.Glob(filepath.Join(root(t), filepath.FromSlash(scriptsDir), "*.txtar"))
	if err != nil || len(files) == 0 {
		t.Fatalf("%s has no scripts: %v", scriptsDir, err)
	}
	texts := map[string]string{}
	for _, file := range files {
		text, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		texts[filepath.Base(file)] = string(text)
	}
	return texts
}

// missingScripts lists the scripts that a document names and that do not exist.
func missingScripts(name, document string, texts map[string]string) []string {
	var problems []string
	for _, m := range scriptNames.FindAllStringSubmatch(document, -1) {
		for _, script := range strings.Split(m[1], ", ") {
			// Words may follow the name: (tools.txtar: config as JSON).
			script, _, _ = strings.Cut(script, ":")
			if _, ok := texts[script]; !ok && path.Ext(script) == ".txtar" {
				problems = append(problems, fmt.Sprintf("%s: %s has no script %s", name, scriptsDir, script))
			}
		}
	}
	return problems
}

func TestPromisesAndTestsAgree(t *testing.T) {
	tests := where(tree(t), func(s *source) bool { return s.test && !strings.HasSuffix(s.path, "promises_test.go") })
	cited := citations{}
	cited.addTests(tests)
	texts := scripts(t)
	for name, text := range texts {
		cited.addScript(name, text)
	}
	page := read(t, promises)
	problems := stalePromises(page, cited, testFuncs(tests))
	for _, name := range []string{promises, conformance} {
		problems = append(problems, missingScripts(name, read(t, name), texts)...)
	}
	problems = append(problems, uncitedRows(conformance, read(t, conformance), page)...)
	report(t, problems,
		promises+" says what a clause that tests cite promises, and which test proves it",
		"add or correct the row; a case of another program is cited as \"Gemini E16\" and its test is called TestGeminiE16_X")
}

func TestClausesAreOfThisRepository(t *testing.T) {
	var problems []string
	for _, s := range tree(t) {
		for _, group := range s.ast.Comments {
			if m := oldWord.FindString(group.Text()); m != "" && !strings.HasSuffix(s.path, "promises_test.go") {
				problems = append(problems, fmt.Sprintf("%s cites %q", s.at(group), m))
			}
		}
	}
	report(t, problems,
		"a reader can open "+promises+" and no other list of clauses",
		"say \"promise V3\" or put the code in brackets")
}

func TestPromisesAndTestsAgreeCanFail(t *testing.T) {
	files := []*source{
		sample(t, "a_test.go", "package a\n// H1: a rule. Gemini E16, B12 to B14 and D06 are no clauses, E25 is; Seed 000, D3 and AC5, promise H3; 000-D4\nfunc TestA(){}\nfunc TestH2_B(){}\n"+
			"func TestV5Names(){\n// inside (S1)\n}\n// T1 for the file\nvar x int\nfunc TestE07_Padded(){}\nfunc TestGeminiE17_C(){}\nfunc TestHTML5(){}"),
	}
	cited := citations{}
	cited.addTests(files)
	cited.addScript("b.txtar", "# S4: a comment\nexec x B3\n-- file --\n# B5\n")
	want := "E25=TestA H1=TestA H2=TestH2_B H3=TestA S1=TestV5Names S4=b.txtar T1=a_test.go V5=TestV5Names"
	var got []string
	for _, clause := range slices.Sorted(maps.Keys(cited)) {
		got = append(got, clause+"="+strings.Join(cited[clause], ","))
	}
	if strings.Join(got, " ") != want {
		t.Errorf("cited %q, want %q", got, want)
	}

	funcs := testFuncs(files)
	funcs["TestScripts"] = []string{"main"}
	page := "\n| H1 | x | `a.TestA` |\n| H2 | x | `TestH2_B` |\n| S1 | x | `a.TestV5Names` |\n| S4 | x | `TestScripts` (a.txtar, b.txtar) |\n| V5 | x | `a.TestV5Names` |\n"
	good := citations{"H1": cited["H1"], "H2": cited["H2"], "S1": cited["S1"], "S4": cited["S4"], "V5": cited["V5"]}
	wantProblems(t, stalePromises(page, good, funcs))
	wantProblems(t, stalePromises(page, cited, funcs), "no row for E25", "no row for H3", "no row for T1")
	wantProblems(t, stalePromises(page+"| H9 | x | `TestA` |\n| H1 | x | `TestA` |\n| H8 | x | none |\n| H2 | x | `TestGone`, `TestH2_B` |\n", good, funcs),
		"no test that H9 names cites it", "H1 has two rows", "H8 names no test", "H2 has two rows", "no test is called TestGone")
	wantProblems(t, uncitedRows("x.md", "(H1, H7) H6 (`a`: S4, `000-T1.4`)", page), "cites H7")
	wantProblems(t, missingScripts("x.md", "`TestScripts` (a.txtar: x, c.txtar)", map[string]string{"a.txtar": ""}), "no script c.txtar")
	for text, want := range map[string]bool{"Contract V3:": true, "(contract H11)": true, "a contract: models": false, "promise V3": false} {
		if oldWord.MatchString(text) != want {
			t.Errorf("%q: want %v", text, want)
		}
	}
}
