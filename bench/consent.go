package main

import (
	"context"
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"time"
)

// consentBundle has bash with the default sandbox, and without one.
const consentBundle = `apiVersion: gongu/v1
kind: Tool
metadata: {name: bash}
spec: {entry: "builtin:bash", exports: [{name: exec}]}
---
apiVersion: gongu/v1
kind: Tool
metadata: {name: free}
spec: {entry: "builtin:bash", exports: [{name: exec}], sandbox: off}
`

// consentBench runs a program that was built for it.
type consentBench struct {
	dir, program string
	env          []string
	digest       string
}

// measureConsent is what consent and the sandbox cost whole commands.
func measureConsent(ctx context.Context, p plan) (section, error) {
	dir, err := os.MkdirTemp("", "gongu-bench-*")
	if err != nil {
		return section{}, err
	}
	defer func() { _ = os.RemoveAll(dir) }() // only a program and its state are in it
	b := &consentBench{dir: dir, program: filepath.Join(dir, "bin", "gongu")}
	home := filepath.Join(dir, "home")
	b.env = append(os.Environ(), "HOME="+home, "XDG_CONFIG_HOME="+home, "XDG_STATE_HOME="+home, "XDG_CACHE_HOME="+home)
	if err := b.prepare(ctx); err != nil {
		return section{}, err
	}
	rounds, times := 21, 5
	if p.quick {
		rounds, times = 1, 1
	}
	found := newScriptResults()
	for range rounds {
		if err := b.round(ctx, found, times); err != nil {
			return section{}, err
		}
	}
	return consentSection(found), nil
}

func (b *consentBench) prepare(ctx context.Context) error {
	build := exec.CommandContext(ctx, "go", "build", "-trimpath", "-o", b.program, "./cmd/gongu")
	build.Dir, build.Env = "..", append(os.Environ(), "CGO_ENABLED=0")
	if out, err := build.CombinedOutput(); err != nil {
		return fmt.Errorf("build gongu: %w\n%s", err, out)
	}
	bundle := filepath.Join(b.dir, "bundle")
	if err := os.Mkdir(bundle, 0o700); err != nil {
		return err
	}
	if err := os.WriteFile(filepath.Join(bundle, "gongu.yaml"), []byte(consentBundle), 0o600); err != nil {
		return err
	}
	out, err := b.command(ctx, "trust", "--show", "--json", bundle).Output()
	if err != nil {
		return fmt.Errorf("gongu trust: %w", err)
	}
	var shown struct{ Digest string }
	if err := json.Unmarshal(out, &shown); err != nil {
		return fmt.Errorf("gongu trust: %w", err)
	}
	b.digest = shown.Digest
	return nil
}

func (b *consentBench) command(ctx context.Context, words ...string) *exec.Cmd {
	cmd := exec.CommandContext(ctx, b.program, words...)
	cmd.Env, cmd.Dir = b.env, b.dir
	return cmd
}

// round runs each command a few times, in turns, and keeps the fastest: the rest
// of the machine only makes a process slower.
func (b *consentBench) round(ctx context.Context, into *scriptResults, times int) error {
	bundle := []string{"-b", "bundle", "--trust", b.digest}
	call := func(words ...string) func() (time.Duration, error) {
		return func() (time.Duration, error) {
			cmd := b.command(ctx, words...)
			start := time.Now()
			out, err := cmd.CombinedOutput()
			if err != nil {
				return 0, fmt.Errorf("gongu %q: %w\n%s", words, err, out)
			}
			return time.Since(start), nil
		}
	}
	subjects := []struct {
		name string
		run  func() (time.Duration, error)
	}{
		{"start/gongu version", call("version")},
		{"start/serve, starter tools", func() (time.Duration, error) { return b.serve(ctx) }},
		{"start/serve, consented bundle", func() (time.Duration, error) { return b.serve(ctx, bundle...) }},
		{"call/starter tool", call("call", "text-transform__case", `{"text":"a","to":"upper"}`)},
		{"call/bash without a sandbox", call(append([]string{"call", "--permission", "bypass", "free__exec", `{"command":"true"}`}, bundle...)...)},
		{"call/bash", call(append([]string{"call", "--permission", "bypass", "bash__exec", `{"command":"true"}`}, bundle...)...)},
	}
	best := map[string]time.Duration{}
	for range times {
		for _, s := range subjects {
			took, err := s.run()
			if err != nil {
				return err
			}
			if known, ok := best[s.name]; !ok || took < known {
				best[s.name] = took
			}
		}
	}
	for _, s := range subjects {
		if into.samples[s.name] == nil {
			into.order = append(into.order, s.name)
		}
		into.samples[s.name] = append(into.samples[s.name], sample{ns: float64(best[s.name])})
	}
	return nil
}

var servesAt = regexp.MustCompile(`http://127\.0\.0\.1:\d+`)

// serve is the time until a server answers that it is ready to be used.
func (b *consentBench) serve(ctx context.Context, words ...string) (time.Duration, error) {
	args := append([]string{"serve", "--http", "127.0.0.1:0", "--no-auth"}, words...)
	start := time.Now()
	p, _, err := launch(ctx, program{path: b.program, args: args, env: b.env, dir: b.dir, ready: servesAt})
	if err != nil {
		return 0, fmt.Errorf("gongu serve: %w", err)
	}
	took := time.Since(start)
	p.stop()
	return took, nil
}

func consentSection(r *scriptResults) section {
	starts, calls := r.rows("start/", "gongu version"), r.rows("call/", "bash without a sandbox")
	s := section{
		title: "Consent and sandbox",
		text: "Whole commands of the shipped program, from the start of the process to its end, or for a server to the address that it prints. The bundle has a consent, so its copy is checked and used. " +
			"*bash* runs `true` in the default sandbox, *bash without a sandbox* is the same with `sandbox: off`, and *starter tool* is a call without bundle and program. Each round is the fastest of five in turns.",
		tables: []table{
			{title: "Until it can be used", relation: "gongu version", rows: starts},
			{title: "gongu call", relation: "bash without a sandbox", rows: calls},
		},
	}
	const milliseconds = 1e6
	show := func(ns float64) string { return fmt.Sprintf("%.0f ms", ns/milliseconds) }
	for _, row := range starts {
		switch row.name {
		case "gongu version":
			s.gates = append(s.gates, atMost("`gongu version`", row.time.median, 30*milliseconds, show))
		case "serve, consented bundle":
			s.gates = append(s.gates, atMost("`gongu serve` is ready", row.time.median, 300*milliseconds, show))
		}
	}
	for _, row := range calls {
		if row.name == "bash" {
			s.gates = append(s.gates, atMost("a bash call, against one without a sandbox", row.ratio.median, 1.2, func(v float64) string { return fmt.Sprintf("%.2fx", v) }))
		}
	}
	return s
}
