package main

import (
	"cmp"
	"fmt"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/gongu-ai/gongu/internal/lang"
	"github.com/gongu-ai/gongu/internal/terminal"
)

func (a *app) helpCommand() *cobra.Command {
	return &cobra.Command{
		Use:   "help [COMMAND]",
		Short: lang.CLIHelpShort.In(a.lang),
		RunE: func(cmd *cobra.Command, args []string) error {
			root := cmd.Root()
			found, rest, err := root.Find(args)
			if err != nil {
				return err
			}
			if found == root {
				if err := a.knownCommand(root, rest); err != nil {
					return err
				}
			}
			return found.Help()
		},
	}
}

// help is written here and not as a template, because its headings are texts
// of the catalog, too.
func (a *app) help(cmd *cobra.Command, _ []string) {
	var b strings.Builder
	section := func(heading lang.Text, body string) {
		if body != "" {
			fmt.Fprintf(&b, "\n%s\n%s\n", heading.In(a.lang), strings.TrimRight(body, "\n"))
		}
	}
	fmt.Fprintln(&b, cmp.Or(cmd.Long, cmd.Short))
	section(lang.CLIUsage, "  "+useLine(cmd))
	section(lang.CLICommands, commandList(cmd))
	section(lang.CLIExamples, cmd.Example)
	if cmd.HasParent() {
		section(lang.CLIFlags, flagList(cmd.LocalNonPersistentFlags()))
		section(lang.CLIGlobalFlags, flagList(cmd.InheritedFlags()))
	} else {
		section(lang.CLIFlags, flagList(cmd.LocalFlags()))
		fmt.Fprintf(&b, "\n%s\n", lang.CLIMoreHelp.In(a.lang, cmd.CommandPath()))
	}
	fmt.Fprint(a.stdout, b.String())
}

func useLine(cmd *cobra.Command) string {
	if cmd.HasAvailableSubCommands() {
		return cmd.CommandPath() + " COMMAND"
	}
	return cmd.Parent().CommandPath() + " " + cmd.Use
}

func commandList(cmd *cobra.Command) string {
	var rows [][]string
	for _, sub := range cmd.Commands() {
		if sub.IsAvailableCommand() || sub.Name() == "help" {
			rows = append(rows, []string{"  " + sub.Name(), sub.Short})
		}
	}
	return table(rows)
}

// helpWidth is where the help breaks lines: the width of a plain terminal.
const helpWidth = 80

// flagList is what pflag prints, but it counts columns where pflag counts
// bytes, and it names no defaults in English.
func flagList(flags *pflag.FlagSet) string {
	var rows [][]string
	left := 0
	flags.VisitAll(func(f *pflag.Flag) {
		value, usage := pflag.UnquoteUsage(f)
		name := "      --" + f.Name
		if f.Shorthand != "" {
			name = "  -" + f.Shorthand + ", --" + f.Name
		}
		name = strings.TrimRight(name+" "+value, " ")
		left = max(left, terminal.Columns(name))
		rows = append(rows, []string{name, usage})
	})
	var folded [][]string
	for _, row := range rows {
		for i, line := range terminal.Fold(row[1], helpWidth-left-len(terminal.Gap)) {
			if i > 0 {
				row[0] = ""
			}
			folded = append(folded, []string{row[0], line})
		}
	}
	return table(folded)
}
