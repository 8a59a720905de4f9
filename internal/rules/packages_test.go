package rules

import (
	"fmt"
	"go/ast"
	"go/build/constraint"
	"maps"
	"path"
	"slices"
	"strings"
	"testing"
	"unicode"
	"unicode/utf8"
)

func TestPackagesHaveDocs(t *testing.T) {
	report(t, undocumented(tree(t)),
		"the package comment is the first thing a reader and `go doc` show; without it the name has to say everything",
		"start the comment above the package clause with `Package NAME`, and that of a command with `Command NAME` or `Gongu`")
}

// ignoredByBuild is true for generators and the like, which share a folder with
// a package but are no part of it.
func ignoredByBuild(s *source) bool {
	for _, group := range s.ast.Comments {
		if group.Pos() > s.ast.Package {
			return false
		}
		for _, c := range group.List {
			if expr, err := constraint.Parse(c.Text); err == nil && expr.String() == "ignore" {
				return true
			}
		}
	}
	return false
}

// undocumented lists the folders whose package has no proper comment. A folder
// of tests only may carry the comment in a test file.
func undocumented(files []*source) []string {
	packages := map[string][]*source{}
	for _, s := range files {
		if !ignoredByBuild(s) {
			packages[s.dir] = append(packages[s.dir], s)
		}
	}
	var problems []string
	for _, dir := range slices.Sorted(maps.Keys(packages)) {
		all := packages[dir]
		if own := where(all, func(s *source) bool { return !s.test }); len(own) > 0 {
			all = own
		}
		if !slices.ContainsFunc(all, documented) {
			problems = append(problems, fmt.Sprintf("%s: package %s has no package comment that starts %q", dir, all[0].ast.Name.Name, docStarts(all[0])[0]))
		}
	}
	return problems
}

// docStarts are the first words a package comment may have.
func docStarts(s *source) []string {
	name := strings.TrimSuffix(s.ast.Name.Name, "_test")
	if name == "main" {
		return []string{"Command " + path.Base(s.dir), "Gongu"}
	}
	return []string{"Package " + name}
}

func documented(s *source) bool {
	return slices.ContainsFunc(docStarts(s), func(start string) bool {
		rest, ok := strings.CutPrefix(docText(s.ast.Doc), start)
		next, _ := utf8.DecodeRuneInString(rest)
		return ok && rest != "" && !unicode.IsLetter(next) && !unicode.IsDigit(next) && next != '_'
	})
}

func docText(doc *ast.CommentGroup) string {
	if doc == nil {
		return ""
	}
	return strings.TrimSpace(doc.Text())
}

func TestPackagesHaveDocsCanFail(t *testing.T) {
	for _, tc := range []struct {
		name, file, src string
		bad             bool
	}{
		{"good", "edit/a.go", "// Package edit edits.\npackage edit", false},
		{"root", "a.go", "// Package gongu is.\npackage gongu", false},
		{"command", "bench/main.go", "// Command bench measures.\npackage main", false},
		{"the command", "cmd/gongu/main.go", "// Gongu serves.\npackage main", false},
		{"generator", "edit/gen.go", "//go:build ignore\n\npackage main", false},
		{"tests only", "e2e/a_test.go", "// Package e2e drives.\npackage e2e_test", false},
		{"none", "edit/a.go", "package edit", true},
		{"detached", "edit/a.go", "// Package edit edits.\n\npackage edit", true},
		{"other name", "edit/a.go", "// Package editor edits.\npackage edit", true},
		{"nothing after it", "edit/a.go", "// Package edit\npackage edit", true},
		{"command as package", "bench/main.go", "// Package main measures.\npackage main", true},
		{"constraint", "edit/a.go", "//go:build linux\n\npackage edit", true},
	} {
		t.Run(tc.name, func(t *testing.T) {
			got := undocumented([]*source{sample(t, tc.file, tc.src)})
			if (len(got) > 0) != tc.bad {
				t.Errorf("got %q, want a problem: %v", got, tc.bad)
			}
		})
	}
}
