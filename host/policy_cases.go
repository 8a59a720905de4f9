package host

import (
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"

	"github.com/gongu-ai/gongu"
	"github.com/gongu-ai/gongu/bundle"
	"github.com/gongu-ai/gongu/explore"
	"github.com/gongu-ai/gongu/policy"
)

// FailedCase is a case whose outcome is not the expected one.
type FailedCase struct {
	File   string        `json:"file"`
	Line   int           `json:"line"`
	Case   string        `json:"case"`
	Expect string        `json:"expect"`
	Effect policy.Effect `json:"effect"`
	Rule   string        `json:"rule"`
	Steps  []CaseStep    `json:"steps"`
}

// CaseStep is a rule that was tried for a [FailedCase].
type CaseStep struct {
	Rule    string        `json:"rule"`
	Effect  policy.Effect `json:"effect"`
	Matched bool          `json:"matched"`
	Failed  string        `json:"failed,omitempty"`
}

// UnknownToolError means that a case names a tool that is not there.
type UnknownToolError struct {
	// At is the place of the case in its file.
	At, Name string
	// Known are the names of the tools that are there.
	Known []string
}

func (e *UnknownToolError) Error() string {
	return fmt.Sprintf("%s: no tool is named %s", e.At, e.Name)
}

// PolicyTools returns the tools that the cases of a policy test can name: those of a
// bundle, or the builtin tools without one, and the discovery tools.
func PolicyTools(b *bundle.Bundle) map[string]gongu.Tool {
	tools := make(map[string]gongu.Tool)
	if b == nil {
		for _, list := range Builtins() {
			for _, t := range list {
				tools[t.Name] = t
			}
		}
	} else {
		for _, t := range Definitions(b) {
			tools[t.Name] = t
		}
	}
	for _, t := range OwnTools() {
		tools[t.Name] = t
	}
	return tools
}

// OwnTools returns the discovery tools, as far as rules match them.
func OwnTools() []gongu.Tool {
	var tools []gongu.Tool
	for _, name := range []string{explore.RequestTool, explore.ListToolRequests, explore.RunCode} {
		tools = append(tools, gongu.Tool{Name: name, Domain: explore.Domain, Source: gongu.Source{Type: "go", Name: "explore"}})
	}
	return append(tools, explore.Tools(nil)...)
}

// RunPolicyCases decides about the call of each case, and returns the cases whose outcome
// is not the expected one. It fails with an [*UnknownToolError].
func RunPolicyCases(ctx context.Context, rules *policy.Policy, tools map[string]gongu.Tool, cases []bundle.PolicyCase) ([]FailedCase, error) {
	all := []FailedCase{}
	for i := range cases {
		c := &cases[i]
		tool, known := tools[c.Tool.Name]
		if c.Tool.Described {
			tool = describedTool(&c.Tool)
		} else if !known {
			at := fmt.Sprintf("%s:%d:%d", c.Position.File, c.Position.Line, c.Position.Column)
			return nil, &UnknownToolError{At: at, Name: c.Tool.Name, Known: slices.Sorted(maps.Keys(tools))}
		}
		if failed := testCase(ctx, rules, tool, c); failed != nil {
			all = append(all, *failed)
		}
	}
	return all, nil
}

// testCase decides about the call of a case; nil means that it is as expected.
func testCase(ctx context.Context, rules *policy.Policy, tool gongu.Tool, c *bundle.PolicyCase) *FailedCase {
	args := c.Args
	if args == nil {
		args = json.RawMessage("{}")
	}
	d := rules.Decide(ctx, &policy.Request{
		Tool: &tool, Agent: c.Agent, Principal: c.Principal.Principal(), Call: gongu.Call{ID: "case", Name: tool.Name, Args: args},
		Mode: policy.Mode(c.Mode), InWorkdir: func() bool { return c.Workdir }, Now: time.Now(),
	})
	rule := d.Rule.String()
	named := c.Rule == "" || c.Rule == rule || c.Rule == d.Rule.Name || c.Rule == d.Rule.Set+"/"+d.Rule.Name
	if string(d.Effect) == c.Expect && named {
		return nil
	}
	failed := &FailedCase{File: c.Position.File, Line: c.Position.Line, Case: cmp.Or(c.Name, c.Tool.Name), Expect: c.Expect, Effect: d.Effect, Rule: rule}
	if c.Rule != "" {
		failed.Expect += " " + c.Rule
	}
	for _, s := range d.Steps {
		failed.Steps = append(failed.Steps, CaseStep{Rule: s.Rule.String(), Effect: s.Effect, Matched: s.Matched, Failed: s.Failed})
	}
	return failed
}

// describedTool makes the tool that a case describes.
func describedTool(t *bundle.PolicyCaseTool) gongu.Tool {
	tool := gongu.Tool{Name: t.Name, Domain: t.Domain, Annotations: gongu.Annotations(t.Hints)}
	kinds := map[string]string{"Tool": "config", "McpServer": "mcp", "ToolCommand": "command", "Macro": "macro", "Extension": "extension", "Go": "go"}
	kind, name, _ := strings.Cut(t.Source, "/")
	tool.Source = gongu.Source{Type: cmp.Or(kinds[kind], kind), Name: name}
	return tool
}
