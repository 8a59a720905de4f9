package rules

import (
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

// snippet is a Go block of a documentation page.
type snippet struct {
	page string
	line int // of the first line of code
	info string
	code string
}

func (s snippet) at() string { return fmt.Sprintf("%s:%d", s.page, s.line) }

func TestSnippetsCompile(t *testing.T) {
	var all []snippet
	for _, page := range pages(t) {
		all = append(all, snippets(page, read(t, page))...)
	}
	problems := incomplete(all)
	if len(problems) == 0 && len(all) > 0 {
		if err := vetSnippets(t, all); err != nil {
			problems = append(problems, err.Error())
		}
	}
	report(t, problems,
		"a reader copies the first block of the README; it must work as it stands",
		"make each go block a complete file that starts with `package` and uses the public packages only; show fragments and output in a block of another kind (```text)")
}

// pages are README.md, which must exist, and docs/*.md.
func pages(t *testing.T) []string {
	t.Helper()
	found, err := filepath.Glob(filepath.Join(root(t), "docs", "*.md"))
	if err != nil {
		t.Fatal(err)
	}
	names := []string{"README.md"}
	for _, name := range found {
		names = append(names, "docs/"+filepath.Base(name))
	}
	return names
}

var fence = regexp.MustCompile("^([ \t]*)(```+|~~~+)[ \t]*(.*?)[ \t]*$")

// snippets cuts the go blocks out of a page, without the indent of their fence.
func snippets(page, text string) []snippet {
	var found []snippet
	var open []string // indent, fence and info of the block we are in
	var body []string
	for i, line := range strings.Split(text, "\n") {
		m := fence.FindStringSubmatch(line)
		switch {
		case open == nil && m != nil:
			open, body = m[1:], nil
		case open != nil && m != nil && strings.HasPrefix(m[2], open[1]) && m[3] == "":
			if kind, _, _ := strings.Cut(open[2], " "); kind == "go" || kind == "golang" {
				found = append(found, snippet{page, i - len(body) + 1, open[2], strings.Join(body, "\n") + "\n"})
			}
			open = nil
		case open != nil:
			body = append(body, strings.TrimPrefix(line, open[0]))
		}
	}
	return found
}

// incomplete lists the blocks that cannot be compiled as they stand, and those
// that would compile here but not for a reader.
func incomplete(all []snippet) []string {
	var problems []string
	for _, s := range all {
		file, err := parse("snippet.go", []byte(s.code))
		switch {
		case s.info != "go":
			problems = append(problems, fmt.Sprintf("%s: a block is marked ```%s, only ```go is compiled", s.at(), s.info))
		case !strings.HasPrefix(strings.TrimSpace(s.code), "package "):
			problems = append(problems, s.at()+": a go block does not start with `package`")
		case err != nil:
			problems = append(problems, fmt.Sprintf("%s: %v", s.at(), err))
		default:
			for _, spec := range file.ast.Imports {
				if rel, ok := inModule(spec.Path.Value); ok && isInternal(rel) {
					problems = append(problems, fmt.Sprintf("%s: imports %s, which a reader cannot", s.at(), spec.Path.Value))
				}
			}
		}
	}
	return problems
}

// vetSnippets type-checks and vets all blocks at once, as a reader would: in a
// module of their own that requires gongu. A line directive makes the errors
// point into the page.
func vetSnippets(t *testing.T, all []snippet) error {
	t.Helper()
	temp := t.TempDir()
	// With the requirements and sums of gongu itself the build needs no network.
	for _, name := range []string{"go.mod", "go.sum"} {
		if err := os.WriteFile(filepath.Join(temp, name), []byte(read(t, name)), 0o600); err != nil {
			return err
		}
	}
	edit := []string{"mod", "edit", "-module=snippets.example", "-require=" + modulePath + "@v0.0.0", "-replace=" + modulePath + "=" + root(t)}
	if _, err := run(t, temp, nil, "go", edit...); err != nil {
		return err
	}
	for i, s := range all {
		name := "snippet.go"
		if strings.Contains(s.code, "\"testing\"\n") {
			name = "snippet_test.go"
		}
		dir := filepath.Join(temp, fmt.Sprintf("snippet%d", i))
		if err := os.Mkdir(dir, 0o700); err != nil {
			return err
		}
		source := fmt.Sprintf("//line %s:%d\n%s", s.page, s.line, s.code)
		if err := os.WriteFile(filepath.Join(dir, name), []byte(source), 0o600); err != nil {
			return err
		}
	}
	_, err := run(t, temp, []string{"GOWORK=off"}, "go", "vet", "./...")
	return err
}

func TestSnippetsCompileCanFail(t *testing.T) {
	page := strings.Join([]string{
		"# Page", "```go", "package main", "", "func main() {}", "```",
		"- item", "  ```go", "  package main", "  ```",
		"```go", "x := 1", "```",
		"```go ignore", "package main", "```",
		"```sh", "package main", "```",
		"````md", "```go", "not a block", "```", "````",
		"```go", "package main", `import _ "` + modulePath + `/internal/lang"`, "```",
		"~~~go", "package main", "func {", "~~~",
	}, "\n")
	all := snippets("p.md", page)
	if len(all) != 6 || all[0].line != 3 || all[1].code != "package main\n" {
		t.Fatalf("blocks: %+v", all)
	}
	wantProblems(t, incomplete(all), "p.md:12: a go block does not start", "```go ignore", "which a reader cannot", "p.md:30")

	err := vetSnippets(t, []snippet{
		{page: "README.md", line: 7, code: "package main\n\nfunc main() {}\n"},
		{page: "docs/x.md", line: 40, code: "package main\n\nfunc main() { undefined() }\n"},
	})
	if err == nil || !strings.Contains(err.Error(), "x.md:42") || strings.Contains(err.Error(), "README.md") {
		t.Errorf("vet of a block that does not compile says %v", err)
	}
	if err := vetSnippets(t, []snippet{
		{page: "README.md", line: 7, code: "package main\n\nfunc main() {}\n"},
		{page: "README.md", line: 9, code: "package x_test\n\nimport (\n\t\"testing\"\n)\n\nfunc TestX(t *testing.T) {}\n"},
	}); err != nil {
		t.Errorf("vet of good blocks says %v", err)
	}
}
