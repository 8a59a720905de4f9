package rules

import (
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

func TestMakefileNamesRealTestsCanFail(t *testing.T) {
	const lists = "OUTSIDE := TestA\nLONG := TestBoth|TestGone\nHOSTILE := TestC_.*\n"
	tests := []string{"TestA", "TestBoth", "TestC_One"}
	wantProblems(t, unknownInMakefile(strings.Replace(lists, "|TestGone", "", 1), tests))
	wantProblems(t, unknownInMakefile(lists, tests), "LONG: no test is called TestGone")
	wantProblems(t, unknownInMakefile("LONG := TestA\n", tests), "are not all there")
}
