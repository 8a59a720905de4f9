package doctor

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
	"github.com/gongu-ai/gongu/internal/terminal"
	"github.com/gongu-ai/gongu/source"
)

// checkSources checks the programs and servers that tools come from. It starts
// none of them, and reads the pins and the cached lists.
func (o *Options) checkSources(read found) []Check {
	b := read.bundle
	if b == nil || len(b.McpServers())+len(b.ToolCommands()) == 0 {
		return nil // checkBundle reports a broken bundle
	}
	consent, err := o.Consent()
	if err != nil {
		return nil // checkTrust reports it
	}
	consent.Ask = nil
	h, err := host.Open(context.Background(), o.Bundle, &host.Options{
		Lang: string(o.Lang), StateRoot: o.StateRoot, Logger: slog.New(slog.DiscardHandler), Consent: consent, Child: o.Child,
		Rows: consent.Records.Rows, Loaded: b, Secrets: o.Secrets, Inspect: true,
	})
	if errors.Is(err, host.ErrNoConsent) {
		return nil // checkTrust reports it
	}
	if err != nil {
		return []Check{{Name: "sources", Status: Problem, Detail: lang.CLIDoctorPins.In(o.Lang, err)}}
	}
	defer o.close(h)
	programs := programsOf(b)
	var checks []Check
	for _, s := range h.Sources().Status() {
		checks = append(checks, o.checkSource(s, b.Dir(), programs[s.Identity]))
	}
	return checks
}

func (o *Options) close(h *host.Host) {
	if err := h.Close(); err != nil {
		o.Logger.Warn("closing the bundle", "error", err)
	}
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

func (o *Options) checkSource(s source.Status, dir string, programs []string) Check {
	c := Check{Name: s.Name, Status: OK}
	for _, program := range programs {
		if !strings.Contains(program, "${") && !runnable(program, dir) {
			c.Status = Problem
			c.Detail = lang.CLIDoctorNoProgram.In(o.Lang, s.Identity, program)
			c.Next = lang.CLIDoctorProgramFix.In(o.Lang)
			return c
		}
	}
	switch {
	case s.Held > 0:
		c.Status = Problem
		c.Detail = lang.CLIDoctorHeld.In(o.Lang, s.Identity, s.Held, s.Tools)
		c.Next = lang.CLISourcesHeldHint.In(o.Lang, o.Commands.PinsDiff)
	case s.Listed.IsZero():
		c.Detail = lang.CLIDoctorSourceIdle.In(o.Lang, s.Identity)
	default:
		c.Detail = lang.CLIDoctorSource.In(o.Lang, s.Identity, s.State, s.Tools, terminal.Age(o.Lang, s.Listed))
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
