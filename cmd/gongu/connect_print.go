package main

import (
	"bytes"
	"encoding/json"
	"fmt"
	"strconv"
	"strings"

	"github.com/gongu-ai/gongu/internal/connect"
	"github.com/gongu-ai/gongu/internal/lang"
)

func (a *app) printConnect(c *connect.Connection, r *connect.Report) error {
	if a.json {
		return a.writeJSON(r)
	}
	var b strings.Builder
	line := func(text lang.Text, args ...any) { fmt.Fprintln(&b, text.In(a.lang, args...)) }
	line(lang.ConnectFile, r.Client, visible(r.File))
	if r.Cost != nil && len(r.Cost.Servers) > 0 {
		fmt.Fprintf(&b, "\n%s\n", a.costText(*r.Cost))
	}
	i := &r.Import
	if moved := a.importText(i); len(i.Imported)+len(i.Replaced)+len(i.Already)+len(i.Refused)+len(i.Skipped) > 0 {
		before, _, _ := strings.Cut(moved, "\n\n") // what follows is said below, for this client
		fmt.Fprintln(&b, strings.TrimRight(before, "\n"))
	}
	line(lang.ConnectBundle, visible(i.Path))
	switch {
	case !r.Changed:
		line(lang.ConnectUnchanged, r.Client)
	case r.Printed:
		line(lang.ConnectWouldPoint, r.Client)
	default:
		line(lang.ConnectPoints, r.Client)
	}
	for text := range strings.SplitSeq(strings.TrimRight(shownEntry(r.Shown), "\n"), "\n") {
		fmt.Fprintln(&b, strings.TrimRight("  "+visible(text), " "))
	}
	if a.unused {
		line(lang.CLIWroteHeld, a.commandOn("trust", i.Path))
	}
	a.afterText(&b, c, r)
	return a.print(b.String())
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
func (a *app) afterText(b *strings.Builder, c *connect.Connection, r *connect.Report) {
	line := func(text lang.Text, args ...any) { fmt.Fprintln(b, text.In(a.lang, args...)) }
	if c.HTTP {
		a.secretText(b, r.Import.Secrets)
		line(lang.ConnectToken, command("serve", "-b", r.Import.Bundle), command("token", "new"))
	} else if len(r.Import.Secrets) > 0 {
		line(lang.ConnectSecretsKept, len(r.Import.Secrets))
	}
	a.choicesText(b, c, r)
	for _, other := range r.Elsewhere {
		line(lang.ConnectElsewhere, other.Servers, visible(other.File), other.Scope)
	}
	if r.Backup != "" {
		line(lang.ConnectUndoWith, undoCommand(c))
	}
}

func undoCommand(c *connect.Connection) string {
	words := []string{"connect", c.Client, "--undo"}
	switch {
	case c.File != "":
		words = append(words, "--config", c.File)
	case c.Scope != connect.ScopeUser:
		words = append(words, "--scope", c.Scope)
	}
	return command(words...)
}

func (a *app) printUndo(done *connect.Undone) error {
	if a.json {
		return a.writeJSON(done)
	}
	text := lang.ConnectRestored
	switch {
	case done.Partly:
		text = lang.ConnectServersBack
	case !done.Existed:
		text = lang.ConnectRemoved
	}
	return a.print(text.In(a.lang, visible(done.File)) + "\n")
}

// costText is the comparison for a person.
func (a *app) costText(c connect.TurnCost) string {
	rows := [][]string{{lang.ConnectColumnServer.In(a.lang), lang.CLIColumnTools.In(a.lang), lang.CLIColumnTokens.In(a.lang), ""}}
	for _, s := range c.Servers {
		row := []string{visible(s.Name), "-", lang.ConnectUnknown.In(a.lang), oneLine(visible(s.Reason))}
		if s.Tokens != nil {
			row[1], row[2] = strconv.Itoa(*s.Tools), strconv.Itoa(*s.Tokens)
		}
		rows = append(rows, row)
	}
	text := lang.ConnectBehindDirect
	if c.Mode == "search" {
		text = lang.ConnectBehindSearch
	}
	out := trimRows(table(rows, 1, 2)) + "\n"
	if c.Unknown < len(c.Servers) {
		out += text.In(a.lang, c.Now, c.Behind) + "\n"
	}
	if c.Unknown > 0 {
		out += lang.ConnectUnknownMore.In(a.lang, c.Unknown) + "\n"
	}
	return out
}
