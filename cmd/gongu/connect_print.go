package main

import (
	"bytes"
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	"github.com/gongu-ai/gongu/internal/lang"
)

func (c *connection) printConnect(r *connectReport, plan *importPlan) error {
	if c.json {
		return c.writeJSON(r)
	}
	var b strings.Builder
	line := func(text lang.Text, args ...any) { fmt.Fprintln(&b, text.In(c.lang, args...)) }
	line(lang.ConnectFile, c.client.name, visible(r.File))
	if r.Cost != nil && len(r.Cost.Servers) > 0 {
		fmt.Fprintf(&b, "\n%s\n", c.costText(*r.Cost))
	}
	if moved := c.importText(plan); len(plan.there)+len(r.Import.Refused)+len(r.Import.Skipped) > 0 {
		before, _, _ := strings.Cut(moved, "\n\n") // what follows is said below, for this client
		fmt.Fprintln(&b, strings.TrimRight(before, "\n"))
	}
	line(lang.ConnectBundle, visible(plan.target.path))
	switch {
	case !r.Changed:
		line(lang.ConnectUnchanged, c.client.name)
	case r.Printed:
		line(lang.ConnectWouldPoint, c.client.name)
	default:
		line(lang.ConnectPoints, c.client.name)
	}
	for text := range strings.SplitSeq(strings.TrimRight(shownEntry(r.shown), "\n"), "\n") {
		fmt.Fprintln(&b, strings.TrimRight("  "+visible(text), " "))
	}
	c.afterText(&b, r)
	_, err := fmt.Fprint(c.stdout, b.String())
	return err
}

// shownEntry puts JSON on lines.
func shownEntry(text string) string {
	var b bytes.Buffer
	if json.Indent(&b, []byte(text), "", "  ") == nil {
		return b.String()
	}
	return text
}

// afterText is what a person has to know afterwards.
func (c *connection) afterText(b *strings.Builder, r *connectReport) {
	line := func(text lang.Text, args ...any) { fmt.Fprintln(b, text.In(c.lang, args...)) }
	if c.http {
		c.secretText(b, r.Import.Secrets)
		line(lang.ConnectToken, command("serve", "-b", r.Import.Bundle), command("token", "new"))
	} else if len(r.Import.Secrets) > 0 {
		line(lang.ConnectSecretsKept, len(r.Import.Secrets))
	}
	if len(c.allow) == 0 {
		line(lang.ConnectReadOnly, allowExample(r))
	}
	for _, other := range r.Elsewhere {
		line(lang.ConnectElsewhere, other.Servers, visible(other.File), other.Scope)
	}
	if r.Backup != "" {
		line(lang.ConnectUndoWith, c.undoCommand())
	}
}

func (c *connection) undoCommand() string {
	words := []string{"connect", c.client.name, "--undo"}
	switch {
	case c.config != "":
		words = append(words, "--config", c.config)
	case c.scope != scopeUser:
		words = append(words, "--scope", c.scope)
	}
	return command(words...)
}

// allowExample is a glob for the tools of a server that has moved.
func allowExample(r *connectReport) string {
	if moved := slices.Concat(r.Import.Imported, r.Import.Already); len(moved) > 0 {
		return moved[0].Name + "__*"
	}
	return "NAME__*"
}

func (c *connection) printUndo(last *step) error {
	if c.json {
		return c.writeJSON(struct {
			Client   string `json:"client"`
			Restored string `json:"restored"`
			Existed  bool   `json:"existed"`
			// Partly is true when changes since then were kept.
			Partly bool `json:"partly,omitempty"`
		}{c.client.name, last.File, last.Existed, last.partly})
	}
	text := lang.ConnectRestored
	switch {
	case last.partly:
		text = lang.ConnectServersBack
	case !last.Existed:
		text = lang.ConnectRemoved
	}
	_, err := fmt.Fprintln(c.stdout, text.In(c.lang, visible(last.File)))
	return err
}

// trimLines takes the white space off the ends of lines.
func trimLines(text string) string {
	lines := strings.Split(text, "\n")
	for i, line := range lines {
		lines[i] = strings.TrimRight(line, " ")
	}
	return strings.Join(lines, "\n")
}
