package main

import (
	"context"
	"errors"
	"log/slog"
	"os/exec"
	"path/filepath"
	"strings"

	"github.com/gongu-ai/gongu/bundle"
	"github.com/gongu-ai/gongu/host"
	"github.com/gongu-ai/gongu/internal/lang"
	"github.com/gongu-ai/gongu/source"
)

// checkSources checks the programs and servers that tools come from. It starts
// none of them, and reads the pins and the cached lists.
func (a *app) checkSources(read doctored) []check {
	b := read.bundle
	if b == nil || len(b.McpServers())+len(b.ToolCommands()) == 0 {
		return nil // checkBundle reports a broken bundle
	}
	consent, err := a.consentOptions("")
	if err != nil {
		return nil // checkTrust reports it
	}
	consent.Ask = nil
	h, err := host.Open(context.Background(), read.dir, &host.Options{
		Lang: string(a.lang), StateRoot: a.stateRoot, Logger: slog.New(slog.DiscardHandler), Consent: consent, Child: childProgram(),
		Rows: consent.Records.Rows, Loaded: b, Secrets: a.secrets, Inspect: true,
	})
	if errors.Is(err, host.ErrNoConsent) {
		return nil // checkTrust reports it
	}
	if err != nil {
		return []check{{Name: "sources", Status: checkProblem, Detail: lang.CLIDoctorPins.In(a.lang, err)}}
	}
	defer a.close(h)
	programs := programsOf(b)
	var checks []check
	for _, s := range h.Sources().Status() {
		checks = append(checks, a.checkSource(s, b.Dir(), programs[s.Identity]))
	}
	return checks
}

// programsOf are the programs that the sources start, by identity.
func programsOf(b *bundle.Bundle) map[string][]string {
	programs := make(map[string][]string)
	for _, s := range b.McpServers() {
		if s.Spec.Command != "" {
			programs[s.Identity()] = []string{s.Spec.Command}
		}
	}
	for _, c := range b.ToolCommands() {
		programs[c.Identity()] = []string{c.Spec.Discover[0], c.Spec.Call[0]}
	}
	return programs
}

func (a *app) checkSource(s source.Status, dir string, programs []string) check {
	c := check{Name: s.Name, Status: checkOK}
	for _, program := range programs {
		if !strings.Contains(program, "${") && !runnable(program, dir) {
			c.Status = checkProblem
			c.Detail = lang.CLIDoctorNoProgram.In(a.lang, s.Identity, program)
			c.Next = lang.CLIDoctorProgramFix.In(a.lang)
			return c
		}
	}
	switch {
	case s.Held > 0:
		c.Status = checkProblem
		c.Detail = lang.CLIDoctorHeld.In(a.lang, s.Identity, s.Held, s.Tools)
		c.Next = lang.CLISourcesHeldHint.In(a.lang, a.againWords("pins", "diff"))
	case s.Listed.IsZero():
		c.Detail = lang.CLIDoctorSourceIdle.In(a.lang, s.Identity)
	default:
		c.Detail = lang.CLIDoctorSource.In(a.lang, s.Identity, s.State, s.Tools, a.age(s.Listed))
	}
	return c
}

// runnable finds a program as the source would: by its path from the bundle,
// or on PATH.
func runnable(program, dir string) bool {
	if strings.ContainsRune(program, filepath.Separator) && !filepath.IsAbs(program) {
		program = filepath.Join(dir, program)
	}
	_, err := exec.LookPath(program)
	return err == nil
}
