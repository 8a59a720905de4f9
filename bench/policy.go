package main

import (
	"context"
	"encoding/json"
	"fmt"
	"strings"
	"time"

	"github.com/gongu-ai/gongu"
	"github.com/gongu-ai/gongu/policy"
)

// What one decision may cost.
const (
	policyRules = 100
	policyGate  = 20 * time.Microsecond
	shellGate   = 50 * time.Microsecond
	// shellCommand is what a model runs all the time.
	shellCommand = `cd internal/schema && go test -run 'TestCheck' ./... 2>&1 | grep -v "no test files" | head -20`
)

// measurePolicy measures decisions about calls under 100 rules, of which five
// conditions in CEL concern the tool.
func measurePolicy(ctx context.Context, p plan) (section, error) {
	rules, err := policy.New(policySets()...)
	if err != nil {
		return section{}, err
	}
	measured, err := p.calls.measure(policySubjects(ctx, rules))
	if err != nil {
		return section{}, err
	}
	return section{
		title: "Policy",
		text: fmt.Sprintf("One decision about a call under %d rules. Those that select other tools, agents or principals are left out by an index, so at most five conditions in CEL are evaluated, of which the last decides. "+
			"The shell command has four commands, which are parsed for the conditions. The floor is the same five conditions as Go code over the decoded arguments.", policyRules),
		tables: []table{{title: "A decision: `Policy.Decide`", relation: "the floor", rows: measured}},
		gates: []gate{
			atMost("a decision under 100 rules, five conditions", measured[1].time.median, float64(policyGate), duration),
			atMost("a decision about a shell command under 100 rules", measured[2].time.median, float64(shellGate), duration),
		},
	}, nil
}

// policySets are the rules of three tiers.
func policySets() []policy.Set {
	sets := []policy.Set{{Tier: policy.Admin, Name: "admin"}, {Tier: policy.User, Name: "user"}, {Tier: policy.Bundle, Name: "bundle"}}
	for i := range policyRules - 10 {
		r := policy.Rule{Name: fmt.Sprintf("rule%d", i), Effect: policy.Allow, When: `args.path.startsWith("/srv/")`}
		switch i % 4 {
		case 0:
			r.Match.Tools = []string{fmt.Sprintf("service%d__*", i), fmt.Sprintf("other%d__delete_*", i)}
		case 1:
			r.Match.Domains = []string{fmt.Sprintf("domain%d", i)}
		case 2:
			r.Match.Agents = []string{fmt.Sprintf("agent%d", i)}
		case 3:
			r.Match.Principals, r.Effect = []string{fmt.Sprintf("person%d@*", i)}, policy.Deny
		}
		sets[i%3].Rules = append(sets[i%3].Rules, r)
	}
	for i, when := range []string{
		`args.path.startsWith("/etc/") || args.path.contains("..")`,
		`size(args.content) > 100000`,
		`principal.kind == "token" && tool.destructive`,
		`args.path.endsWith(".env") && !principal.person`,
		`args.path.startsWith("/srv/") && args.content != ""`,
	} {
		effect := policy.Deny
		if i == 4 {
			effect = policy.Allow
		}
		sets[1].Rules = append(sets[1].Rules, policy.Rule{Name: fmt.Sprintf("files%d", i), Match: policy.Match{Tools: []string{"files__*"}}, When: when, Effect: effect})
	}
	for i, when := range []string{
		`commands.exists(c, c[0] in ["rm", "dd", "mkfs"])`,
		`commands.exists(c, c[0] == "git" && c.size() > 1 && c[1] == "push")`,
		`commands.exists(c, c[0] == "curl" || c[0] == "wget")`,
		`dynamic && agent == "api"`,
		`commands.all(c, c[0] in ["cd", "go", "grep", "head", "tail", "wc", "ls", "cat"])`,
	} {
		effect := policy.Deny
		if i == 4 {
			effect = policy.Allow
		}
		sets[1].Rules = append(sets[1].Rules, policy.Rule{Name: fmt.Sprintf("shell%d", i), Match: policy.Match{Tools: []string{"bash__exec"}}, When: when, Effect: effect})
	}
	return sets
}

func policySubjects(ctx context.Context, rules *policy.Policy) []subject {
	const floor = "floor: five conditions in Go"
	write := &gongu.Tool{Name: "files__write", Domain: "files"}
	shell := &gongu.Tool{Name: "bash__exec", Domain: "bash"}
	quiet := &gongu.Tool{Name: "notes__add", Domain: "notes"}
	caller := &gongu.Principal{Name: "kim", Kind: "cli", Person: true}
	args := json.RawMessage(`{"path":"/srv/www/index.html","content":"<h1>hello</h1>","append":false}`)
	decide := func(tool *gongu.Tool, args json.RawMessage, text string, want policy.Effect) func(int) error {
		return func(n int) error {
			for range n {
				r := &policy.Request{
					Tool: tool, Agent: "api", Principal: caller, Call: gongu.Call{ID: "1", Name: tool.Name, Args: args},
					Shell: text, HasShell: text != "", Now: time.Now(),
				}
				if d := rules.Decide(ctx, r); d.Effect != want {
					return fmt.Errorf("%s by %s: %+v", d.Effect, d.Rule, d.Steps)
				}
			}
			return nil
		}
	}
	command, err := json.Marshal(map[string]string{"command": shellCommand})
	if err != nil {
		command = nil // a string has JSON
	}
	return []subject{
		{name: floor, against: floor, run: policyFloor(args)},
		{name: "five conditions about arguments", against: floor, run: decide(write, args, "", policy.Allow)},
		{name: "five conditions about a shell command", against: floor, run: decide(shell, command, shellCommand, policy.Allow)},
		{name: "no rule about the tool", against: floor, run: decide(quiet, args, "", policy.Allow)},
	}
}

// policyFloor is what the conditions of files__write say, as Go code.
func policyFloor(args json.RawMessage) func(int) error {
	return func(n int) error {
		for range n {
			var in map[string]any
			if err := json.Unmarshal(args, &in); err != nil {
				return err
			}
			path, isPath := in["path"].(string)
			content, isText := in["content"].(string)
			if !isPath || !isText || !allowedByFloor(path, content) {
				return errRefused
			}
		}
		return nil
	}
}

func allowedByFloor(path, content string) bool {
	switch {
	case strings.HasPrefix(path, "/etc/"), strings.Contains(path, ".."), len(content) > 100_000, strings.HasSuffix(path, ".env"):
		return false
	}
	return strings.HasPrefix(path, "/srv/") && content != ""
}
