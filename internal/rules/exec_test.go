package rules

import (
	"go/ast"
	"strings"
	"testing"
)

// TestProgramsAreStartedInOnePlace: internal/proc starts every program, so that
// process groups, consent and a sandbox have one place. internal/sandbox is what
// it starts them with; internal/conform and internal/pgtest are for tests alone.
func TestProgramsAreStartedInOnePlace(t *testing.T) {
	var problems []string
	for _, s := range code(t) {
		if !strings.HasPrefix(s.path, "internal/proc/") && !strings.HasPrefix(s.path, "internal/sandbox/") && !strings.HasPrefix(s.path, "internal/conform/") &&
			!strings.HasPrefix(s.path, "internal/pgtest/") && !strings.HasPrefix(s.path, "bench/") {
			problems = append(problems, starts(s)...)
		}
	}
	report(t, problems,
		"a program that is started elsewhere may outlive its call, and passes by consent and sandbox",
		"use proc.Start, or proc.Run for a program that runs to its end")
}

// starts lists the uses of os/exec and os that start a program.
func starts(s *source) []string {
	var problems []string
	ast.Inspect(s.ast, func(n ast.Node) bool {
		if sel, ok := n.(*ast.SelectorExpr); ok {
			if pkg, ok := sel.X.(*ast.Ident); ok {
				switch pkg.Name + "." + sel.Sel.Name {
				case "exec.Command", "exec.CommandContext", "os.StartProcess":
					problems = append(problems, s.at(n)+": starts a program")
				}
			}
		}
		return true
	})
	return problems
}

func TestProgramsAreStartedInOnePlaceCanFail(t *testing.T) {
	wantProblems(t, starts(sample(t, "a.go", `package x
func f() { exec.LookPath("a"); exec.Command("a") }`)), "a.go:2")
}
