package main

import (
	"fmt"
	"strings"

	"github.com/spf13/cobra"

	"github.com/gongu-ai/gongu/internal/connect"
	"github.com/gongu-ai/gongu/internal/lang"
)

func (a *app) mcpCommand() *cobra.Command {
	return a.group(&cobra.Command{
		Use:     "mcp",
		Short:   lang.CLIMcpShort.In(a.lang),
		Example: "  gongu mcp import .mcp.json",
	}, a.mcpImportCommand())
}

func (a *app) mcpImportCommand() *cobra.Command {
	cmd := &cobra.Command{
		Use:   "import FILE [-b DIR] [--replace] [--dry-run] [--json]",
		Short: lang.CLIImportShort.In(a.lang),
		Long:  lang.CLIImportLong.In(a.lang),
		Example: "  gongu mcp import .mcp.json\n" +
			"  gongu mcp import ~/.gemini/settings.json -b my-bundle --dry-run\n" +
			"  gongu mcp import ~/.codex/config.toml",
		Args: func(cmd *cobra.Command, args []string) error {
			if len(args) != 1 || args[0] == "" {
				return a.misuse(cmd, "", lang.CLIImportNeedsFile)
			}
			return nil
		},
	}
	dry := cmd.Flags().Bool("dry-run", false, lang.CLIFlagImportDry.In(a.lang))
	replace := cmd.Flags().Bool("replace", false, lang.CLIFlagImportReplace.In(a.lang))
	cmd.RunE = func(cmd *cobra.Command, args []string) error {
		dir := a.folder(nil)
		if !isDir(dir) && !isFile(dir) {
			return a.misuse(cmd, lang.CLIHintFolderExists.In(a.lang), lang.CLINoFolder, dir)
		}
		return a.importServers(args[0], dir, *replace, *dry)
	}
	return cmd
}

func (a *app) importServers(file, dir string, replace, dry bool) error {
	opts, _ := a.connectOptions() // an import keeps nothing in the configuration folder
	w := a.beforeWriting(dir, "mcp import")
	report, err := connect.Import(opts, file, dir, replace, dry)
	if err != nil {
		return a.connectFailed(err, lang.ConnectFileHint)
	}
	a.unused = !dry && len(report.Wrote) > 0 && !w.consent(report.Wrote...)
	if a.json {
		err = a.writeJSON(report)
	} else {
		_, err = fmt.Fprint(a.stdout, a.importText(report))
	}
	if err == nil && len(report.Refused) > 0 {
		return errReported
	}
	return err
}

// importText is the report for a person.
func (a *app) importText(r *connect.ImportReport) string {
	var b strings.Builder
	line := func(text lang.Text, args ...any) { fmt.Fprintln(&b, text.In(a.lang, args...)) }
	items := func(heading lang.Text, list []connect.ImportedItem) {
		for _, item := range list {
			name := item.Kind + "/" + item.Name
			if item.From != "" {
				name += " (" + visible(item.From) + ")"
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
		line(lang.ConnectRefused, visible(left.Name), visible(left.Reason))
	}
	for _, left := range r.Skipped {
		line(lang.ConnectSkipped, visible(left.Name), visible(left.Reason))
	}
	if len(r.Literal) > 0 {
		literal := lang.ConnectLiteral
		if r.DryRun {
			literal = lang.ConnectWouldAsk
		}
		line(literal, visible(strings.Join(r.Literal, ", ")))
	}
	for _, note := range r.Notes {
		line(lang.ConnectNote, visible(note))
	}
	for _, backup := range r.Backups {
		line(lang.ConnectBackup, visible(backup))
	}
	if len(r.Imported)+len(r.Replaced)+len(r.Already)+len(r.Refused)+len(r.Skipped) == 0 {
		line(lang.ConnectNothing, visible(r.From))
	}
	a.secretText(&b, r.Secrets)
	if a.unused {
		line(lang.CLIWroteHeld, a.commandOn("trust", r.Path))
	}
	if !r.DryRun && len(r.Wrote) > 0 {
		fmt.Fprintf(&b, "\n%s\n  %s\n", lang.ConnectNext.In(a.lang), command("tools", "-b", r.Path))
	}
	return b.String()
}

// secretText says which variables to set. The values are not repeated.
func (a *app) secretText(b *strings.Builder, secrets []connect.FoundSecret) {
	if len(secrets) == 0 {
		return
	}
	fmt.Fprintf(b, "\n%s\n", lang.ConnectSecrets.In(a.lang))
	rows := [][]string{}
	for _, s := range secrets {
		rows = append(rows, []string{"  " + s.Variable, visible(s.Server) + " " + visible(s.Field)})
	}
	b.WriteString(table(rows))
}
