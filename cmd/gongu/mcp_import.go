package main

import (
	"fmt"

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
		_, err = fmt.Fprint(a.stdout, a.texts().Imported(report, a.unused))
	}
	if err == nil && len(report.Refused) > 0 {
		return errReported
	}
	return err
}
