package report

import (
	"bytes"
	"encoding/json"
	"fmt"
	"strconv"
	"strings"

	"github.com/gongu-ai/gongu/internal/clients"
	"github.com/gongu-ai/gongu/internal/connect"
	"github.com/gongu-ai/gongu/internal/lang"
	"github.com/gongu-ai/gongu/internal/terminal"
	"github.com/gongu-ai/gongu/policy"
)

// Connected says what a client is connected to. Unused means that a change of the
// bundle waits for consent.
func (x *Texts) Connected(c *connect.Connection, r *connect.Report, unused bool) string {
	var b strings.Builder
	line := func(text lang.Text, args ...any) { fmt.Fprintln(&b, text.In(x.Lang, args...)) }
	line(lang.ConnectFile, r.Client, terminal.Visible(r.File))
	if r.Cost != nil && len(r.Cost.Servers) > 0 {
		fmt.Fprintf(&b, "\n%s\n", x.turnCost(*r.Cost))
	}
	i := &r.Import
	if moved := x.Imported(i, unused); len(i.Imported)+len(i.Replaced)+len(i.Already)+len(i.Refused)+len(i.Skipped) > 0 {
		before, _, _ := strings.Cut(moved, "\n\n") // what follows is said below, for this client
		fmt.Fprintln(&b, strings.TrimRight(before, "\n"))
	}
	line(lang.ConnectBundle, terminal.Visible(i.Path))
	switch {
	case !r.Changed:
		line(lang.ConnectUnchanged, r.Client)
	case r.Printed:
		line(lang.ConnectWouldPoint, r.Client)
	default:
		line(lang.ConnectPoints, r.Client)
	}
	for text := range strings.SplitSeq(strings.TrimRight(shownEntry(r.Shown), "\n"), "\n") {
		fmt.Fprintln(&b, strings.TrimRight("  "+terminal.Visible(text), " "))
	}
	if unused {
		line(lang.CLIWroteHeld, x.On("trust", i.Path))
	}
	x.afterText(&b, c, r)
	return b.String()
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
func (x *Texts) afterText(b *strings.Builder, c *connect.Connection, r *connect.Report) {
	line := func(text lang.Text, args ...any) { fmt.Fprintln(b, text.In(x.Lang, args...)) }
	if c.HTTP {
		x.secrets(b, r.Import.Secrets)
		line(lang.ConnectToken, Command("serve", "-b", r.Import.Bundle), Command("token", "new"))
	} else if len(r.Import.Secrets) > 0 {
		line(lang.ConnectSecretsKept, len(r.Import.Secrets))
	}
	x.choices(b, c, r)
	for _, other := range r.Elsewhere {
		line(lang.ConnectElsewhere, other.Servers, terminal.Visible(other.File), other.Scope)
	}
	if r.Backup != "" {
		line(lang.ConnectUndoWith, undoCommand(c))
	}
}

// choices says what was chosen for a client, and what it is offered.
func (x *Texts) choices(b *strings.Builder, c *connect.Connection, r *connect.Report) {
	line := func(text lang.Text, args ...any) { fmt.Fprintln(b, text.In(x.Lang, args...)) }
	if e := r.Choices; e != nil {
		if e.Ask == clients.AskGongu {
			line(lang.ConnectGonguAsks, Command("approvals", "list", "-b", r.Import.Path))
		} else {
			line(lang.ConnectClientAsks, r.Client, Command("connect", c.Client, "--ask", clients.AskGongu))
		}
		if e.Permission != "" && e.Permission != string(policy.Default) {
			line(lang.ConnectMode, e.Permission)
		}
	}
	switch {
	case r.Printed || r.Tools+r.Unlisted == 0:
	case r.Unlisted > 0:
		line(lang.CLIServeUnlisted, r.Offered, r.Tools, r.Unlisted)
	default:
		line(lang.CLIServeOffers, r.Offered, r.Tools)
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
	return Command(words...)
}

// Undone says what became of the settings file of a client.
func (x *Texts) Undone(done *connect.Undone) string {
	text := lang.ConnectRestored
	switch {
	case done.Partly:
		text = lang.ConnectServersBack
	case !done.Existed:
		text = lang.ConnectRemoved
	}
	return text.In(x.Lang, terminal.Visible(done.File)) + "\n"
}

// turnCost is the comparison for a person.
func (x *Texts) turnCost(c connect.TurnCost) string {
	rows := [][]string{{lang.ConnectColumnServer.In(x.Lang), lang.CLIColumnTools.In(x.Lang), lang.CLIColumnTokens.In(x.Lang), ""}}
	for _, s := range c.Servers {
		row := []string{terminal.Visible(s.Name), "-", lang.ConnectUnknown.In(x.Lang), terminal.OneLine(terminal.Visible(s.Reason))}
		if s.Tokens != nil {
			row[1], row[2] = strconv.Itoa(*s.Tools), strconv.Itoa(*s.Tokens)
		}
		rows = append(rows, row)
	}
	text := lang.ConnectBehindDirect
	if c.Mode == "search" {
		text = lang.ConnectBehindSearch
	}
	out := terminal.TrimRows(terminal.Table(rows, 1, 2)) + "\n"
	if c.Unknown < len(c.Servers) {
		out += text.In(x.Lang, c.Now, c.Behind) + "\n"
	}
	if c.Unknown > 0 {
		out += lang.ConnectUnknownMore.In(x.Lang, c.Unknown) + "\n"
	}
	return out
}

// Imported says what was imported. Unused means that a change of the bundle waits
// for consent.
func (x *Texts) Imported(r *connect.ImportReport, unused bool) string {
	var b strings.Builder
	line := func(text lang.Text, args ...any) { fmt.Fprintln(&b, text.In(x.Lang, args...)) }
	items := func(heading lang.Text, list []connect.ImportedItem) {
		for _, item := range list {
			name := item.Kind + "/" + item.Name
			if item.From != "" {
				name += " (" + terminal.Visible(item.From) + ")"
			}
			line(heading, name)
		}
	}
	imported, replaced := lang.ConnectImported, lang.ConnectReplaced
	if r.DryRun {
		imported, replaced = lang.ConnectWouldImport, lang.ConnectWouldReplace
	}
	items(imported, r.Imported)
	items(replaced, r.Replaced)
	items(lang.ConnectAlready, r.Already)
	for _, left := range r.Refused {
		line(lang.ConnectRefused, terminal.Visible(left.Name), terminal.Visible(left.Reason))
	}
	for _, left := range r.Skipped {
		line(lang.ConnectSkipped, terminal.Visible(left.Name), terminal.Visible(left.Reason))
	}
	if len(r.Literal) > 0 {
		literal := lang.ConnectLiteral
		if r.DryRun {
			literal = lang.ConnectWouldAsk
		}
		line(literal, terminal.Visible(strings.Join(r.Literal, ", ")))
	}
	for _, note := range r.Notes {
		line(lang.ConnectNote, terminal.Visible(note))
	}
	for _, backup := range r.Backups {
		line(lang.ConnectBackup, terminal.Visible(backup))
	}
	if len(r.Imported)+len(r.Replaced)+len(r.Already)+len(r.Refused)+len(r.Skipped) == 0 {
		line(lang.ConnectNothing, terminal.Visible(r.From))
	}
	x.secrets(&b, r.Secrets)
	if unused {
		line(lang.CLIWroteHeld, x.On("trust", r.Path))
	}
	if !r.DryRun && len(r.Wrote) > 0 {
		fmt.Fprintf(&b, "\n%s\n  %s\n", lang.ConnectNext.In(x.Lang), Command("tools", "-b", r.Path))
	}
	return b.String()
}

// secrets says which variables to set. The values are not repeated.
func (x *Texts) secrets(b *strings.Builder, secrets []connect.FoundSecret) {
	if len(secrets) == 0 {
		return
	}
	fmt.Fprintf(b, "\n%s\n", lang.ConnectSecrets.In(x.Lang))
	rows := [][]string{}
	for _, s := range secrets {
		rows = append(rows, []string{"  " + s.Variable, terminal.Visible(s.Server) + " " + terminal.Visible(s.Field)})
	}
	b.WriteString(terminal.Table(rows))
}
