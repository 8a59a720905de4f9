package conform_test

import (
	"context"
	"errors"
	"slices"
	"strings"
	"testing"

	"github.com/gongu-ai/gongu/internal/conform"
)

// TestProblems: a scenario that did not run, checked nothing or failed is a
// problem, and so is an exception that is none.
func TestProblems(t *testing.T) {
	good := conform.Scenario{Name: "a", Required: true, OK: true, Passed: 2}
	bad := conform.Scenario{Name: "b", OK: false, Passed: 1, Failed: 1}
	for name, tc := range map[string]struct {
		report     conform.Report
		exceptions []string
		want       string
	}{
		"all well":          {conform.Report{Required: []string{"a"}, Scenarios: []conform.Scenario{good}}, nil, ""},
		"an exception":      {conform.Report{Required: []string{"a"}, Scenarios: []conform.Scenario{good, bad}}, []string{"b"}, ""},
		"one fails":         {conform.Report{Required: []string{"a"}, Scenarios: []conform.Scenario{good, bad}, Failures: []string{"why"}}, nil, "b: 1 passed, 1 failed, an exception: false|why"},
		"a stale exception": {conform.Report{Required: []string{"a"}, Scenarios: []conform.Scenario{good}}, []string{"a"}, "a: 2 passed, 0 failed, an exception: true"},
		"one did not run":   {conform.Report{Required: []string{"a", "c"}, Scenarios: []conform.Scenario{good}}, nil, "c did not run"},
		"nothing was checked": {conform.Report{Required: []string{"a"}, Scenarios: []conform.Scenario{{Name: "a", Required: true, OK: true}}}, nil,
			"a: 0 passed, 0 failed, an exception: false"},
		"the suite says no": {conform.Report{Required: []string{"a"}, Scenarios: []conform.Scenario{good}, Exit: errors.New("exit 1")}, nil, "the suite says: exit 1"},
	} {
		if got := strings.Join(tc.report.Problems(tc.exceptions...), "|"); got != tc.want {
			t.Errorf("%s: %q, want %q", name, got, tc.want)
		}
	}
}

// TestRunAgainstNobody: where nobody answers, every required scenario is a
// problem; the lists are those of the suite.
func TestRunAgainstNobody(t *testing.T) {
	report, err := conform.Run(t.Context(), conform.Target{URL: "http://127.0.0.1:1/mcp"}, conform.Legacy)
	if err != nil {
		t.Fatal(err)
	}
	if len(report.Required) != 30 || !slices.Contains(report.Required, "server-initialize") || len(report.Problems()) < 30 || report.Checks() > 0 || report.Exit == nil {
		t.Errorf("%s, %q", report, report.Problems())
	}
	if _, err := conform.Run(t.Context(), conform.Target{}, "1999-01-01"); err == nil {
		t.Error("a revision that there is not")
	}
	ended, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := conform.Run(ended, conform.Target{URL: "http://127.0.0.1:1/mcp"}, conform.Legacy); err == nil {
		t.Error("a run that was ended has a report")
	}
}
